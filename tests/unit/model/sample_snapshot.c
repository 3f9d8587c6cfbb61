/*
 * The sample: values of each kind, N/A of each sort, lists with holes, old readings.
 */
#include "sample_snapshot.h"

#include "check.h"

#include <string.h>

#include <nvpulse/nvml.h>

#include "model/reading.h"
#include "model/snapshot.h"

#define NOW_US INT64_C(1796112000123456)
#define READ_US (NOW_US - 2000)

static nvp_reading timed_na(nvp_status status, int64_t read_at_us)
{
    nvp_reading reading = nvp__reading_na(status);
    reading.read_at_us = read_at_us;
    return reading;
}

static nvp_reading list(nvp_snapshot *snapshot, const nvp_reading *items, uint32_t count, int64_t read_at_us)
{
    nvp_reading reading = { .kind = NVP_KIND_LIST, .count = count, .as.items = items, .read_at_us = read_at_us };
    return nvp__reading_copy(&snapshot->arena, &reading);
}

static void fill_gpu(nvp_snapshot *snapshot, nvp_reading *metrics)
{
    const nvp_reading fans[] = { nvp__reading_uint(30, READ_US), nvp__reading_na(NVML_ERROR_GPU_IS_LOST),
                                 nvp__reading_uint(31, READ_US - 7) };
    metrics[NVP_METRIC_POWER_DRAW_MW] = nvp__reading_uint(312000, READ_US);
    metrics[NVP_METRIC_POWER_LIMIT_MW] = nvp__reading_uint(UINT64_MAX, READ_US - 1500000);
    metrics[NVP_METRIC_TEMPERATURE_GPU_C] = nvp__reading_int(-3, READ_US);
    metrics[NVP_METRIC_PCIE_RX_BYTES_PER_S] = nvp__reading_real(0.1, READ_US);
    metrics[NVP_METRIC_PCIE_TX_BYTES_PER_S] = nvp__reading_real(5, READ_US);
    metrics[NVP_METRIC_CLOCKS_PERFORMANCE_STATE] = nvp__reading_uint(0, READ_US);
    metrics[NVP_METRIC_MODE_COMPUTE] = nvp__reading_uint(77, READ_US); /* has no word */
    metrics[NVP_METRIC_IDENTITY_NAME] = nvp__reading_text("NVIDIA \"H100\"\t\xe2\x82\xac", READ_US - 60000000);
    metrics[NVP_METRIC_FAN_SPEEDS_PERCENT] = list(snapshot, fans, 3, READ_US);
    metrics[NVP_METRIC_NVLINK_LINK_STATES] = list(snapshot, NULL, 0, READ_US);
    metrics[NVP_METRIC_FAN_SPEED_PERCENT] = timed_na(NVML_ERROR_NOT_SUPPORTED, READ_US);
    metrics[NVP_METRIC_POWER_ENERGY_MJ] = timed_na(NVP_ERROR_NO_DATA, READ_US);
    metrics[NVP_METRIC_MODE_PERSISTENCE] = nvp__reading_na(NVML_ERROR_NO_PERMISSION); /* never asked, and yet known */
}

static void fill_process(nvp_reading *fields, unsigned int pid, bool first)
{
    for (int i = 0; i < NVP_PROCESS_FIELD_COUNT; i++) {
        fields[i] = nvp__reading_na(NVP_ERROR_NO_DATA);
    }
    fields[NVP_PROCESS_PID] = nvp__reading_uint(pid, READ_US);
    fields[NVP_PROCESS_GPU_INDEX] = nvp__reading_uint(0, READ_US);
    fields[NVP_PROCESS_TYPE] = nvp__reading_uint(first ? NVP_PROCESS_TYPE_COMPUTE | NVP_PROCESS_TYPE_MPS | 8 : 0, READ_US);
    fields[NVP_PROCESS_GPU_MEMORY_BYTES] = first ? nvp__reading_uint(1u << 30, READ_US - 5) : nvp__reading_na(NVP_ERROR_SENTINEL);
    fields[NVP_PROCESS_FOREIGN] = nvp__reading_uint(!first, NOW_US);
    fields[NVP_PROCESS_NAME] = nvp__reading_text("train.py", NOW_US);
    fields[NVP_PROCESS_CPU_PERCENT] = first ? nvp__reading_real(99.5, NOW_US) : nvp__reading_na(NVML_ERROR_NO_PERMISSION);
}

nvp_snapshot *sample_snapshot(void)
{
    nvp_snapshot *snapshot = nvp__snapshot_new();
    assert_non_null(snapshot);
    snapshot->sequence = UINT64_MAX;
    snapshot->generation = 3;
    snapshot->time_us = NOW_US;
    snapshot->host[NVP_HOST_NAME] = nvp__reading_text("node17", NOW_US);
    snapshot->host[NVP_HOST_SIMULATION] = nvp__reading_text("profile h100x8", 0);
    snapshot->host[NVP_HOST_CPU_COUNT] = nvp__reading_uint(128, NOW_US);
    snapshot->host[NVP_HOST_LOAD_1M] = nvp__reading_real(1.25, NOW_US);
    snapshot->device_count = 2;
    snapshot->devices = nvp__arena_new(&snapshot->arena, 2, sizeof(*snapshot->devices));
    nvp_reading *gpu = nvp__snapshot_metrics(snapshot), *mig = nvp__snapshot_metrics(snapshot);
    assert_true(snapshot->devices != NULL && gpu != NULL && mig != NULL);
    fill_gpu(snapshot, gpu);
    mig[NVP_METRIC_MEMORY_USED_BYTES] = nvp__reading_uint(1, READ_US);
    snapshot->devices[0] = (nvp_device_sample){ .mig_index = -1, .sampled_at_us = READ_US + 300, .metrics = gpu };
    snapshot->devices[1] = (nvp_device_sample){ .mig_index = 6,
                                                .state = NVP_DEVICE_STALLED,
                                                .status = NVP_ERROR_TIMED_OUT,
                                                .stalled_us = 12000000,
                                                .sampled_at_us = READ_US,
                                                .metrics = mig };
    snapshot->process_count = 2;
    snapshot->processes = nvp__arena_new(&snapshot->arena, 2, sizeof(*snapshot->processes));
    assert_non_null(snapshot->processes);
    fill_process(snapshot->processes[0].fields, 4242, true);
    fill_process(snapshot->processes[1].fields, 4243, false);
    snapshot->process_status = NVML_ERROR_NOT_SUPPORTED;
    return snapshot;
}

static void assert_same_reading(const nvp_reading *one, const nvp_reading *other, const char *name)
{
    bool same = one->kind == other->kind && one->reason == other->reason && one->status == other->status &&
                one->read_at_us == other->read_at_us;
    if (one->kind == NVP_KIND_TEXT && same) {
        same = strcmp(one->as.text, other->as.text) == 0;
    } else if (one->kind == NVP_KIND_LIST && same) {
        assert_int_equal(one->count, other->count);
        for (uint32_t i = 0; i < one->count; i++) {
            assert_same_reading(&one->as.items[i], &other->as.items[i], name);
        }
    } else if (one->kind != NVP_KIND_NA && same) {
        same = one->as.uint_value == other->as.uint_value; /* all bits of any number */
    }
    if (!same) {
        fail_msg("%s: kind %d and %d, status %d and %d, %f and %f, read at %lld and %lld", name, (int)one->kind, (int)other->kind,
                 one->status, other->status, nvp_reading_number(one, 0), nvp_reading_number(other, 0), (long long)one->read_at_us,
                 (long long)other->read_at_us);
    }
}

static void assert_same_device(const nvp_device_sample *one, const nvp_device_sample *other)
{
    assert_int_equal(one->index, other->index);
    assert_int_equal(one->mig_index, other->mig_index);
    assert_int_equal(one->state, other->state);
    assert_int_equal(one->status, other->status);
    assert_int_equal(one->stalled_us, other->stalled_us);
    assert_int_equal(one->sampled_at_us, other->sampled_at_us);
    for (int i = 0; i < NVP_METRIC_COUNT; i++) {
        const char *name = nvp_metric_get((nvp_metric)i)->name;
        assert_same_reading(nvp_device_sample_get(one, (nvp_metric)i), nvp_device_sample_get(other, (nvp_metric)i), name);
    }
}

void assert_same_snapshot(const nvp_snapshot *one, const nvp_snapshot *other)
{
    assert_int_equal(nvp_snapshot_time_us(one), nvp_snapshot_time_us(other));
    assert_int_equal(nvp_snapshot_sequence(one), nvp_snapshot_sequence(other));
    assert_int_equal(nvp_snapshot_generation(one), nvp_snapshot_generation(other));
    assert_int_equal(nvp_snapshot_process_status(one), nvp_snapshot_process_status(other));
    for (int i = 0; i < NVP_HOST_FIELD_COUNT; i++) {
        nvp_host_field field = (nvp_host_field)i;
        assert_same_reading(nvp_snapshot_host(one, field), nvp_snapshot_host(other, field), nvp_host_field_name(field));
    }
    assert_int_equal(nvp_snapshot_device_count(one), nvp_snapshot_device_count(other));
    for (size_t i = 0; i < nvp_snapshot_device_count(one); i++) {
        assert_same_device(nvp_snapshot_device(one, i), nvp_snapshot_device(other, i));
    }
    assert_int_equal(nvp_snapshot_process_count(one), nvp_snapshot_process_count(other));
    for (size_t i = 0; i < nvp_snapshot_process_count(one); i++) {
        for (int f = 0; f < NVP_PROCESS_FIELD_COUNT; f++) {
            nvp_process_field field = (nvp_process_field)f;
            const nvp_process *process = nvp_snapshot_process(one, i), *another = nvp_snapshot_process(other, i);
            assert_same_reading(nvp_process_get(process, field), nvp_process_get(another, field),
                                nvp_process_field_get(field)->name);
        }
    }
}
