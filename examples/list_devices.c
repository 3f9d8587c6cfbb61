/*
 * Lists the GPUs of this machine, their MIG devices below them.
 * usage: list_devices
 */
#include <stdio.h>
#include <stdlib.h>

#include <nvpulse/nvpulse.h>

static void print_device(nvp_device *device)
{
    nvp_metric metrics[] = { NVP_METRIC_IDENTITY_NAME, NVP_METRIC_MEMORY_TOTAL_BYTES };
    nvp_value values[] = { NVP_VALUE_INIT, NVP_VALUE_INIT };

    if (nvp_device_status(device) != NVP_SUCCESS) {
        printf("GPU %u: %s\n", nvp_device_index(device), nvp_status_text(nvp_device_status(device)));
        return;
    }
    nvp_device_read(device, metrics, 2, values);
    if (nvp_device_mig_index(device) < 0) {
        printf("GPU %u: ", nvp_device_index(device));
    } else {
        printf("  MIG %d: ", nvp_device_mig_index(device));
    }
    printf("%s, %.1f GiB, %s\n", nvp_value_text(&values[0]), nvp_value_number(&values[1], 0) / (1 << 30),
           nvp_device_uuid(device));
    nvp_value_clear(&values[0]);
    nvp_value_clear(&values[1]);
}

int main(void)
{
    nvp_device_list list = { 0, NULL };
    nvp_status status = nvp_device_list_get(&list);

    if (status != NVP_SUCCESS) {
        fprintf(stderr, "%s. %s\n", nvp_status_text(status), nvp_status_advice(status));
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < list.count; i++) {
        print_device(list.devices[i]);
    }
    nvp_device_list_free(&list);
    return EXIT_SUCCESS;
}
