/*
 * Shows who uses the GPUs, and for what: one line for each process on each device.
 * usage: who_uses_the_gpu
 */
#include <stdio.h>
#include <stdlib.h>

#include <nvpulse/nvpulse.h>

static const char *text_of(const nvp_process *process, nvp_process_field field)
{
    return nvp_reading_text(nvp_process_get(process, field), "?");
}

static void print_process(const nvp_process *process)
{
    const nvp_reading *memory = nvp_process_get(process, NVP_PROCESS_GPU_MEMORY_BYTES);
    const nvp_reading *mig_index = nvp_process_get(process, NVP_PROCESS_MIG_INDEX);

    printf("GPU %llu", (unsigned long long)nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), 0));
    if (nvp_reading_has(mig_index)) {
        printf(":%llu", (unsigned long long)nvp_reading_uint(mig_index, 0));
    }
    printf("  pid %llu", (unsigned long long)nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_PID), 0));
    printf("  %s", nvp_process_type_text(nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_TYPE), 0)));
    if (nvp_reading_has(memory)) {
        printf("  %.0f MiB", nvp_reading_number(memory, 0) / (1 << 20));
    } else {
        printf("  N/A (%s)", nvp_reason_text(memory->reason));
    }
    printf("  %s: %s\n", text_of(process, NVP_PROCESS_USER), text_of(process, NVP_PROCESS_COMMAND));
}

int main(void)
{
    nvp_snapshot *snapshot = NULL;
    nvp_status status = nvp_snapshot_take(NULL, &snapshot);

    if (status != NVP_SUCCESS) {
        fprintf(stderr, "%s. %s\n", nvp_status_text(status), nvp_status_advice(status));
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < nvp_snapshot_process_count(snapshot); i++) {
        print_process(nvp_snapshot_process(snapshot, i));
    }
    if (nvp_snapshot_process_status(snapshot) != NVP_SUCCESS) {
        printf("there may be more: %s\n", nvp_status_text(nvp_snapshot_process_status(snapshot)));
    }
    nvp_snapshot_free(snapshot);
    return EXIT_SUCCESS;
}
