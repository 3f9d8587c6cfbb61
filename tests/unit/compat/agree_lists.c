/*
 * Agreement of calls that answer a list: of processes, of what they use, of places, of pages.
 */
#include "agree.h"

#define OURS(name) #name, (any_fn *)nvp_##name
#define MOST 256

static _Alignas(16) unsigned char answer[MOST * 64];
static _Alignas(16) unsigned char own[MOST * 64];

void assert_same_items(const nvp_value *list, const char *type, const void *expected, size_t size, unsigned int count)
{
    nvp_value item = NVP_VALUE_INIT;
    size_t item_size;
    assert_int_equal(list->count, count);
    for (unsigned int i = 0; i < count; i++) {
        assert_status(nvp_value_at(list, i, &item), NVP_SUCCESS);
        const void *data = nvp_value_data(&item, &item_size);
        assert_non_null(data);
        assert_same_fields(type, data, (const char *)expected + i * size);
    }
    nvp_value_clear(&item);
}

static void assert_agreeing_items(const char *type, size_t size, const char *other_type, size_t other_size, unsigned int count)
{
    for (unsigned int i = 0; i < count; i++) {
        assert_agreeing_fields(type, answer + i * size, other_type, own + i * other_size, NULL);
        count_answer();
    }
}

typedef nvmlReturn_t list_fn(nvmlDevice_t device, unsigned int *count, void *records);

/* The record that a function of the driver in use really has: that of 535.43 to 535.86 is longer in version 3. */
static size_t record_of(const char *function, const char **type)
{
    char version[80] = "";
    bool is_v3 = strstr(function, "_v3") != NULL;
    assert_int_equal(nvp_nvmlSystemGetDriverVersion(version, sizeof(version)), NVML_SUCCESS);
    if (is_v3 && strcmp(version, "535.54.03") == 0) {
        *type = "nvp_ProcessInfo_v3_t";
        return sizeof(nvp_ProcessInfo_v3_t);
    }
    *type = is_v3 || strstr(function, "_v2") != NULL ? "nvmlProcessInfo_v2_t" : "nvmlProcessInfo_v1_t";
    return is_v3 || strstr(function, "_v2") != NULL ? sizeof(nvmlProcessInfo_v2_t) : sizeof(nvmlProcessInfo_v1_t);
}

static void run_processes(const struct agreement *agreement, const struct source *source)
{
    const char *own_type;
    size_t own_size = record_of(source->name, &own_type);
    for (unsigned int i = 0; i < device_total(); i++) {
        struct subject subject = { device_at(i), 0 };
        nvp_value value = NVP_VALUE_INIT;
        unsigned int count = MOST;
        unsigned int own_count = MOST;
        nvmlReturn_t status = ((list_fn *)agreement->ours)(subject.device, &count, answer);
        assert_int_equal(status, ((list_fn *)own_function(source->name))(subject.device, &own_count, own));
        assert_int_equal(by_name(agreement, &subject, &value), status);
        if (status == NVML_SUCCESS) {
            assert_int_equal(count, own_count);
            assert_agreeing_items(agreement->type, sizeof(nvmlProcessInfo_v2_t), own_type, own_size, count);
            assert_same_items(&value, agreement->type, answer, sizeof(nvmlProcessInfo_v2_t), count);
        }
        nvp_value_clear(&value);
    }
}

/* A struct of the caller's with an array in it, by name. */
static void compare_array_by_name(const struct agreement *agreement, const struct subject *subject, nvmlReturn_t status,
                                  const char *member, size_t size, unsigned int count)
{
    nvp_value value = NVP_VALUE_INIT;
    nvp_value list = NVP_VALUE_INIT;
    assert_int_equal(by_name(agreement, subject, &value), status);
    if (status == NVML_SUCCESS) {
        assert_status(nvp_value_field(&value, member, &list), NVP_SUCCESS);
        assert_same_items(&list, agreement->type, answer, size, count);
    }
    nvp_value_clear(&list);
    nvp_value_clear(&value);
}

static void run_details(const struct agreement *agreement, const struct source *source)
{
    const char *own_type;
    size_t own_size = record_of(source->name, &own_type);
    for (unsigned int i = 0; i < device_total(); i++) {
        struct subject subject = { device_at(i), 0 };
        nvmlProcessDetailList_v1_t list = { .version = nvmlProcessDetailList_v1,
                                            .mode = NVML_PROCESS_MODE_COMPUTE,
                                            .numProcArrayEntries = MOST,
                                            .procArray = (void *)answer };
        unsigned int own_count = MOST;
        nvmlReturn_t status = nvp_nvmlDeviceGetRunningProcessDetailList(subject.device, &list);
        assert_int_equal(status, ((list_fn *)own_function(source->name))(subject.device, &own_count, own));
        if (status == NVML_SUCCESS) {
            assert_int_equal(list.numProcArrayEntries, own_count);
            assert_agreeing_items(agreement->type, sizeof(nvmlProcessDetail_v1_t), own_type, own_size, own_count);
        }
        compare_array_by_name(agreement, &subject, status, "procArray", sizeof(nvmlProcessDetail_v1_t), own_count);
    }
}

static void run_process_use(const struct agreement *agreement, const struct source *source)
{
    typedef nvmlReturn_t use_fn(nvmlDevice_t device, void *samples, unsigned int *count, unsigned long long since_us);
    for (unsigned int i = 0; i < device_total(); i++) {
        struct subject subject = { device_at(i), 0 };
        nvmlProcessesUtilizationInfo_v1_t info = { .version = nvmlProcessesUtilizationInfo_v1,
                                                   .processSamplesCount = MOST,
                                                   .procUtilArray = (void *)answer };
        unsigned int count = MOST;
        nvmlReturn_t status = nvp_nvmlDeviceGetProcessesUtilizationInfo(subject.device, &info);
        assert_int_equal(status, ((use_fn *)own_function(source->name))(subject.device, own, &count, 0));
        if (status == NVML_SUCCESS) {
            assert_int_equal(info.processSamplesCount, count);
            assert_agreeing_items(agreement->type, sizeof(nvmlProcessUtilizationInfo_v1_t), "nvmlProcessUtilizationSample_t",
                                  sizeof(nvmlProcessUtilizationSample_t), count);
        }
        compare_array_by_name(agreement, &subject, status, "procUtilArray", sizeof(nvmlProcessUtilizationInfo_v1_t), count);
    }
}

/* The simulator has no virtual GPU: what is compared is how that is said. */
static void run_vgpu_use(const struct agreement *agreement, const struct source *source)
{
    nvmlVgpuInstancesUtilizationInfo_v1_t instances = { .version = nvmlVgpuInstancesUtilizationInfo_v1 };
    nvmlVgpuProcessesUtilizationInfo_v1_t processes = { .version = nvmlVgpuProcessesUtilizationInfo_v1 };
    bool of_processes = strcmp(source->name, "nvmlDeviceGetVgpuProcessUtilization") == 0;
    struct subject subject = { device_at(0), 0 };
    nvp_value value = NVP_VALUE_INIT;
    unsigned int count = 0;
    nvmlValueType_t type = NVML_VALUE_TYPE_COUNT;
    any_fn *function = own_function(source->name);
    nvmlReturn_t status =
        of_processes ? ((nvmlReturn_t(*)(nvmlDevice_t, unsigned long long, unsigned int *, void *))function)(subject.device, 0,
                                                                                                             &count, NULL)
                     : ((nvmlReturn_t(*)(nvmlDevice_t, unsigned long long, nvmlValueType_t *, unsigned int *, void *))function)(
                           subject.device, 0, &type, &count, NULL);
    assert_int_equal(call_plain(agreement->ours, &subject, of_processes ? (void *)&processes : (void *)&instances), status);
    assert_int_equal(by_name(agreement, &subject, &value), status);
    nvp_value_clear(&value);
}

static void run_retired_pages(const struct agreement *agreement, const struct source *source)
{
    typedef nvmlReturn_t pages_fn(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned int *count, void *addresses);
    unsigned long long *addresses = (void *)answer;
    unsigned long long times_us[MOST];
    for (unsigned int i = 0; i < device_total(); i++) {
        struct subject subject = { device_at(i), NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR };
        unsigned int count = MOST;
        unsigned int own_count = MOST;
        nvp_value value = NVP_VALUE_INIT;
        nvmlReturn_t status = nvp_nvmlDeviceGetRetiredPages_v2(subject.device, subject.number, &count, addresses, times_us);
        assert_int_equal(status, ((pages_fn *)own_function(source->name))(subject.device, subject.number, &own_count, own));
        assert_int_equal(by_name(agreement, &subject, &value), status);
        if (status == NVML_SUCCESS) {
            assert_int_equal(count, own_count);
            assert_memory_equal(answer, own, count * sizeof(addresses[0]));
            for (unsigned int j = 0; j < count; j++) {
                assert_true(times_us[j] == ~0ull);
            }
            count_answer();
        }
        nvp_value_clear(&value);
    }
}

static void run_placements(const struct agreement *agreement, const struct source *source)
{
    typedef nvmlReturn_t places_fn(nvmlDevice_t device, unsigned int profile, void *places, unsigned int *count);
    for (unsigned int i = 0; i < device_total() * 32; i++) {
        struct subject subject = { device_at(i / 32), i % 32 };
        unsigned int count = MOST;
        unsigned int own_count = MOST;
        nvp_value value = NVP_VALUE_INIT;
        nvmlReturn_t status = ((places_fn *)agreement->ours)(subject.device, subject.number, answer, &count);
        assert_int_equal(status, ((places_fn *)own_function(source->name))(subject.device, subject.number, own, &own_count));
        assert_int_equal(by_name(agreement, &subject, &value), status);
        if (status == NVML_SUCCESS) {
            assert_int_equal(count, own_count);
            assert_agreeing_items(agreement->type, sizeof(nvmlGpuInstancePlacement_t), agreement->type,
                                  sizeof(nvmlGpuInstancePlacement_t), count);
            assert_same_items(&value, agreement->type, answer, sizeof(nvmlGpuInstancePlacement_t), count);
        }
        nvp_value_clear(&value);
    }
}

#define PROCESSES(kind, version)                                                                                                 \
    {                                                                                                                            \
        OURS(nvmlDeviceGet##kind##RunningProcesses_##version), .type = "nvmlProcessInfo_v2_t", .run = run_processes,             \
                                                               .sources = {                                                      \
                                                                   { .name = "nvmlDeviceGet" #kind "RunningProcesses" },         \
                                                                   { .name = "nvmlDeviceGet" #kind "RunningProcesses_v2" },      \
                                                                   { .name = "nvmlDeviceGet" #kind "RunningProcesses_v3" }       \
                                                               }                                                                 \
    }

const struct agreement list_agreements[] = {
    PROCESSES(Compute, v2),
    PROCESSES(Compute, v3),
    PROCESSES(Graphics, v2),
    PROCESSES(Graphics, v3),
    PROCESSES(MPSCompute, v2),
    PROCESSES(MPSCompute, v3),
    { OURS(nvmlDeviceGetRunningProcessDetailList), .type = "nvmlProcessDetail_v1_t", .run = run_details, .answered_on = "h100x8",
      .sources = { { .name = "nvmlDeviceGetComputeRunningProcesses" },
                   { .name = "nvmlDeviceGetComputeRunningProcesses_v2" },
                   { .name = "nvmlDeviceGetComputeRunningProcesses_v3" } } },
    { OURS(nvmlDeviceGetProcessesUtilizationInfo), .type = "nvmlProcessUtilizationInfo_v1_t", .run = run_process_use,
      .answered_on = "h100x8", .sources = { { .name = "nvmlDeviceGetProcessUtilization" } } },
    { OURS(nvmlDeviceGetVgpuInstancesUtilizationInfo), .run = run_vgpu_use,
      .sources = { { .name = "nvmlDeviceGetVgpuUtilization" } } },
    { OURS(nvmlDeviceGetVgpuProcessesUtilizationInfo), .run = run_vgpu_use,
      .sources = { { .name = "nvmlDeviceGetVgpuProcessUtilization" } } },
    { OURS(nvmlDeviceGetRetiredPages_v2), .run = run_retired_pages, .arguments = arguments_numbered, .answered_on = "t4",
      .sources = { { .name = "nvmlDeviceGetRetiredPages" } } },
    { OURS(nvmlDeviceGetGpuInstancePossiblePlacements_v2), .type = "nvmlGpuInstancePlacement_t", .run = run_placements,
      .arguments = arguments_numbered, .answered_on = "a100-mig",
      .sources = { { .name = "nvmlDeviceGetGpuInstancePossiblePlacements" } } },
    { NULL },
};
