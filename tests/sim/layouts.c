/*
 * What each call writes: the layout that its driver declares, and not one byte more. The room lies before a page that
 * cannot be written.
 */
#include "sim.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGES = 8, PAGE = 4096, PATTERN = 0xa5 };

static unsigned char *pages; /* the last of them cannot be touched */

/* Room of `size` bytes that ends where writing is forbidden, filled with the pattern. */
static unsigned char *room_of(size_t size)
{
    if (!pages) {
        pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(pages != MAP_FAILED);
        assert_int_equal(mprotect(pages + (PAGES - 1) * PAGE, PAGE, PROT_NONE), 0);
    }
    memset(pages, PATTERN, (PAGES - 1) * PAGE);
    return pages + (PAGES - 1) * PAGE - size;
}

/* Nothing before the room, and its end, were written. */
static void check_written(const unsigned char *room, size_t size, const char *name)
{
    for (const unsigned char *at = pages; at < room; at++) {
        if (*at != PATTERN) {
            fail_msg("%s wrote before its room", name);
        }
    }
    size_t end = 0;
    for (size_t i = 0; i < size; i++) {
        end = room[i] != PATTERN ? i + 1 : end;
    }
    if (end != size) {
        fail_msg("%s wrote %zu bytes of %zu", name, end, size);
    }
}

/* The first argument, and what stands between it and the pointer. */
enum subject { GPU, GPU_AND_ZERO, MIG, GPU_INSTANCE, GPU_INSTANCE_AND_TWO_ZEROES, COMPUTE_INSTANCE };

static const struct layout {
    const char *name;
    enum subject subject;
    size_t size;
    unsigned word;     /* version word; 0: the struct has none */
    size_t zeroed;     /* bytes after the word that are input */
    unsigned since[3]; /* driver that knows this layout; earlier ones refuse the word */
} layouts[] = {
    { "nvmlDeviceGetPciInfo", GPU, 32, 0, 0, { 0 } },
    { "nvmlDeviceGetPciInfo_v2", GPU, 52, 0, 0, { 0 } },
    { "nvmlDeviceGetPciInfo_v3", GPU, 68, 0, 0, { 0 } },
    { "nvmlDeviceGetPciInfoExt", GPU, 64, 0x01000040, 0, { 0 } },
    { "nvmlDeviceGetNvLinkRemotePciInfo", GPU_AND_ZERO, 52, 0, 0, { 0 } },
    { "nvmlDeviceGetNvLinkRemotePciInfo_v2", GPU_AND_ZERO, 68, 0, 0, { 0 } },
    { "nvmlDeviceGetMemoryInfo", GPU, 24, 0, 0, { 0 } },
    { "nvmlDeviceGetMemoryInfo_v2", GPU, 40, 0x02000028, 0, { 0 } },
    { "nvmlDeviceGetBAR1MemoryInfo", GPU, 24, 0, 0, { 0 } },
    { "nvmlDeviceGetConfComputeMemSizeInfo", GPU, 16, 0, 0, { 0 } },
    { "nvmlDeviceGetThermalSettings", GPU_AND_ZERO, 64, 0, 0, { 0 } },
    { "nvmlDeviceGetGridLicensableFeatures", GPU, 416, 0, 0, { 0 } },
    { "nvmlDeviceGetGridLicensableFeatures_v2", GPU, 800, 0, 0, { 0 } },
    { "nvmlDeviceGetGridLicensableFeatures_v3", GPU, 812, 0, 0, { 0 } },
    { "nvmlDeviceGetGridLicensableFeatures_v4", GPU, 860, 0, 0, { 0 } },
    { "nvmlDeviceGetGpuFabricInfo", GPU, 28, 0, 0, { 0 } },
    { "nvmlDeviceGetGpuFabricInfoV", GPU, 36, 0x02000024, 0, { 0 } },
    { "nvmlDeviceGetGpuFabricInfoV", GPU, 40, 0x03000028, 0, { 580, 65, 6 } },
    { "nvmlDeviceGetPlatformInfo", GPU, 44, 0x0100002c, 0, { 0 } },
    { "nvmlDeviceGetPlatformInfo", GPU, 44, 0x0200002c, 0, { 570, 124, 4 } },
    { "nvmlDeviceGetNvLinkInfo", GPU, 8, 0x01000008, 0, { 0 } },
    { "nvmlDeviceGetNvLinkInfo", GPU, 1612, 0x0200064c, 0, { 0 } },
    { "nvmlDeviceGetRemappedRows_v2", GPU, 24, 0, 0, { 0 } },
    { "nvmlDeviceGetMarginTemperature", GPU, 8, 0x01000008, 0, { 0 } },
    { "nvmlDeviceGetTemperatureV", GPU, 12, 0x0100000c, 4, { 0 } },
    { "nvmlDeviceGetCapabilities", GPU, 8, 0x01000008, 0, { 0 } },
    { "nvmlDeviceGetAddressingMode", GPU, 8, 0x01000008, 0, { 0 } },
    { "nvmlDeviceGetRepairStatus", GPU, 12, 0x0100000c, 0, { 0 } },
    { "nvmlDeviceGetPdi", GPU, 16, 0x01000010, 0, { 0 } },
    { "nvmlDeviceGetAttributes", MIG, 24, 0, 0, { 0 } },
    { "nvmlDeviceGetAttributes_v2", MIG, 40, 0, 0, { 0 } },
    { "nvmlDeviceGetGpuInstanceProfileInfo", GPU_AND_ZERO, 48, 0, 0, { 0 } },
    { "nvmlDeviceGetGpuInstanceProfileInfoV", GPU_AND_ZERO, 152, 0x02000098, 0, { 0 } },
    { "nvmlDeviceGetGpuInstanceProfileInfoV", GPU_AND_ZERO, 152, 0x03000098, 0, { 545, 23, 6 } },
    { "nvmlGpuInstanceGetInfo", GPU_INSTANCE, 24, 0, 0, { 0 } },
    { "nvmlGpuInstanceGetComputeInstanceProfileInfo", GPU_INSTANCE_AND_TWO_ZEROES, 36, 0, 0, { 0 } },
    { "nvmlGpuInstanceGetComputeInstanceProfileInfoV", GPU_INSTANCE_AND_TWO_ZEROES, 136, 0x02000088, 0, { 0 } },
    { "nvmlGpuInstanceGetComputeInstanceProfileInfoV", GPU_INSTANCE_AND_TWO_ZEROES, 140, 0x0300008c, 0, { 545, 23, 6 } },
    { "nvmlComputeInstanceGetInfo", COMPUTE_INSTANCE, 24, 0, 0, { 0 } },
    { "nvmlComputeInstanceGetInfo_v2", COMPUTE_INSTANCE, 32, 0, 0, { 0 } },
};

typedef nvmlReturn_t any_fn(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d);

/* Enough of a GPU that every call above has something to say: MIG, NVLink, a fabric, a platform, a licence. */
static const char machine[] =
    "base: a100-mig\nclock: stepped\n"
    "device_defaults:\n"
    "  fabric: {cluster_uuid: 6b3a8f0e-52c4-4d19-9e7b-0c1d2e3f4a5b, clique_id: 7}\n"
    "  platform: {chassis_serial_number: '123456789012345', slot_number: 1, tray_index: 2, host_id: 3, module_id: 4}\n"
    "  virtualization: {mode: vgpu}\n";

static uintptr_t subject_of(enum subject subject)
{
    nvmlDevice_t device = sim_device(0), slice = NULL;
    nvmlGpuInstance_t instance = NULL;
    nvmlComputeInstance_t compute = NULL;
    if (subject == GPU || subject == GPU_AND_ZERO) {
        return (uintptr_t)device;
    }
    SUCCEEDS(CALL(nvmlDeviceGetMigDeviceHandleByIndex)(device, 0, &slice));
    if (subject == MIG) {
        return (uintptr_t)slice;
    }
    SUCCEEDS(CALL(nvmlDeviceGetGpuInstanceById)(device, 2, &instance));
    if (subject != COMPUTE_INSTANCE) {
        return (uintptr_t)instance;
    }
    SUCCEEDS(CALL(nvmlGpuInstanceGetComputeInstanceById)(instance, 0, &compute));
    return (uintptr_t)compute;
}

static nvmlReturn_t layout_call(const struct layout *layout, any_fn *call, unsigned char *room)
{
    uintptr_t subject = subject_of(layout->subject), out = (uintptr_t)room;
    if (layout->word) {
        memcpy(room, &layout->word, sizeof layout->word);
    }
    memset(room + (layout->word ? 4 : 0), 0, layout->zeroed);
    switch (layout->subject) {
    case GPU_AND_ZERO:
        return call(subject, 0, out, 0);
    case GPU_INSTANCE_AND_TWO_ZEROES:
        return call(subject, 0, 0, out);
    default:
        return call(subject, out, 0, 0);
    }
}

static void test_layouts__no_call_writes_more_than_its_struct(void **state)
{
    (void)state;
    sim_load_scenario(machine);
    sim_init();
    unsigned called = 0;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const struct layout *layout = &layouts[i];
        any_fn *call = (any_fn *)sim_find(layout->name);
        if (!call) {
            continue;
        }
        unsigned char *room = room_of(layout->size);
        nvmlReturn_t result = layout_call(layout, call, room);
        if (!sim_since(layout->since[0], layout->since[1], layout->since[2])) {
            ANSWERS(result, sim_major < 525 ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
            continue;
        }
        if (result != NVML_SUCCESS) {
            fail_msg("%s answers %d", layout->name, result);
        }
        check_written(room, layout->size, layout->name);
        called++;
    }
    assert_true(called >= 4);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_layouts__a_wrong_version_word_changes_nothing(void **state)
{
    (void)state;
    sim_load_scenario(machine);
    sim_init();
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        struct layout wrong = layouts[i];
        any_fn *call = (any_fn *)sim_find(wrong.name);
        if (!call || wrong.word == 0) {
            continue;
        }
        wrong.word = 9u << 24 | (unsigned)wrong.size;
        unsigned char *room = room_of(wrong.size);
        ANSWERS(layout_call(&wrong, call, room), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
        for (size_t at = 4 + wrong.zeroed; at < wrong.size; at++) {
            assert_int_equal(room[at], PATTERN);
        }
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* Drivers up to 340 had words of 32 bits there. */
static void test_layouts__cpu_sets_have_the_words_of_their_driver(void **state)
{
    (void)state;
    size_t word = sim_since(375, 20, 0) ? sizeof(unsigned long) : sizeof(unsigned);
    sim_load_profile("h100x8");
    sim_init();
    unsigned char *room = room_of(6 * word);
    SUCCEEDS(CALL(nvmlDeviceGetCpuAffinity)(sim_device(0), 6, (unsigned long *)(void *)room));
    check_written(room, 6 * word, "nvmlDeviceGetCpuAffinity");
    for (unsigned cpu = 0; cpu < 48; cpu++) {
        assert_true(room[cpu / 8] >> (cpu % 8) & 1); /* CPUs 0 to 55 are near it; both forms are the same bytes */
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void wait_and_check(const char *name, size_t size)
{
    nvmlEventSet_t set = NULL;
    nvmlEventSetWait_v2_fn *wait = (nvmlEventSetWait_v2_fn *)sim_find(name);
    if (!wait) {
        return;
    }
    unsigned char *room = room_of(size);
    SUCCEEDS(CALL(nvmlEventSetCreate)(&set));
    SUCCEEDS(CALL(nvmlDeviceRegisterEvents)(sim_device(1), nvmlEventTypeXidCriticalError, set));
    assert_int_equal(CALL(nvpsim_post_event)(1, nvmlEventTypeXidCriticalError, 79), 1);
    SUCCEEDS(wait(set, (nvmlEventData_t *)(void *)room, 1000));
    nvp_EventData_v1_t event;
    memcpy(&event, room, sizeof event);
    assert_ptr_equal(event.device, sim_device(1));
    assert_int_equal(event.eventType, nvmlEventTypeXidCriticalError);
    assert_int_equal(event.reserved, 79);
    check_written(room, size, name);
    SUCCEEDS(CALL(nvmlEventSetFree)(set));
}

static void test_layouts__event_data_grew(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    sim_init();
    wait_and_check("nvmlEventSetWait", 24);
    wait_and_check("nvmlEventSetWait_v2", 32);
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* Its list grew with new releases under one version number: only what the caller says that it has may be written. */
static void test_layouts__gpm_metrics_end_where_the_caller_says(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    NEEDS("nvmlGpmMetricsGet");
    sim_init();
    nvmlGpmSample_t samples[2];
    for (int i = 0; i < 2; i++) {
        SUCCEEDS(CALL(nvmlGpmSampleAlloc)(&samples[i]));
        SUCCEEDS(CALL(nvmlGpmSampleGet)(sim_device(0), samples[i]));
        sim_step_ms(1000);
    }
    size_t size = offsetof(nvmlGpmMetricsGet_t, metrics) + 3 * sizeof(nvmlGpmMetric_t);
    nvmlGpmMetricsGet_t *get = (nvmlGpmMetricsGet_t *)(void *)room_of(size);
    get->version = NVML_GPM_METRICS_GET_VERSION;
    get->numMetrics = 3;
    get->sample1 = samples[0];
    get->sample2 = samples[1];
    get->metrics[0].metricId = NVML_GPM_METRIC_GRAPHICS_UTIL;
    get->metrics[1].metricId = 5000;
    get->metrics[2].metricId = NVML_GPM_METRIC_PCIE_RX_PER_SEC;
    SUCCEEDS(CALL(nvmlGpmMetricsGet)(get));
    check_written((unsigned char *)get, size, "nvmlGpmMetricsGet");
    assert_int_equal(get->metrics[0].nvmlReturn, NVML_SUCCESS);
    assert_true(get->metrics[0].value >= 62 && get->metrics[0].value <= 100);
    assert_string_equal(get->metrics[0].metricInfo.unit, "%");
    assert_int_equal(get->metrics[1].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
    assert_true(get->metrics[2].value > 0);
    get->numMetrics = sim_since(595, 45, 4) ? 334 : (sim_since(575, 51, 2) ? 211 : 99);
    ANSWERS(CALL(nvmlGpmMetricsGet)(get), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlGpmSampleFree)(samples[0]));
    ANSWERS(CALL(nvmlGpmSampleFree)(samples[0]), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_layouts__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(no_call_writes_more_than_its_struct),     CASE(a_wrong_version_word_changes_nothing),
        CASE(cpu_sets_have_the_words_of_their_driver), CASE(event_data_grew),
        CASE(gpm_metrics_end_where_the_caller_says),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
