/*
 * The manners of the real library: what is checked first, what is answered, what stays untouched.
 */
#include "sim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void test_manners__init_is_checked_before_arguments(void **state)
{
    (void)state;
    char text[80] = "before";
    unsigned count = 77;
    sim_load_profile("h100x8");
    ANSWERS(CALL(nvmlDeviceGetCount_v2)(NULL), NVML_ERROR_UNINITIALIZED);
    ANSWERS(CALL(nvmlDeviceGetCount_v2)(&count), NVML_ERROR_UNINITIALIZED);
    ANSWERS(CALL(nvmlDeviceGetCount)(&count), NVML_ERROR_UNINITIALIZED);
    ANSWERS(CALL(nvmlUnitGetCount)(&count), NVML_ERROR_UNINITIALIZED);
    ANSWERS(CALL(nvmlSystemGetDriverVersion)(text, sizeof text), NVML_ERROR_UNINITIALIZED);
    ANSWERS(CALL(nvmlSystemGetProcessName)(1, text, sizeof text), NVML_ERROR_UNINITIALIZED);
    ANSWERS(CALL(nvmlDeviceGetName)(NULL, NULL, 0), NVML_ERROR_UNINITIALIZED);
    assert_int_equal(count, 77);
    assert_string_equal(text, "before");
}

static void test_manners__shutdown_without_init_succeeds(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    SUCCEEDS(CALL(nvmlShutdown)());
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__init_is_counted(void **state)
{
    (void)state;
    unsigned count = 0;
    sim_load_profile("h100x8");
    SUCCEEDS(CALL(nvmlInit_v2)());
    SUCCEEDS(CALL(nvmlInit)());
    SUCCEEDS(sim_find("nvmlInitWithFlags") ? CALL(nvmlInitWithFlags)(1) : CALL(nvmlInit_v2)());
    SUCCEEDS(CALL(nvmlShutdown)());
    SUCCEEDS(CALL(nvmlShutdown)());
    SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
    assert_int_equal(count, 8);
    SUCCEEDS(CALL(nvmlShutdown)());
    ANSWERS(CALL(nvmlDeviceGetCount_v2)(&count), NVML_ERROR_UNINITIALIZED);
    SUCCEEDS(CALL(nvmlInit_v2)());
    SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* The highest CUDA version that each driver supports. */
static int expected_cuda(void)
{
    static const struct {
        const char *driver;
        int cuda;
    } rows[] = { { "340.108", 6050 },     { "390.157", 9010 },     { "418.226.00", 10010 }, { "450.248.02", 11000 },
                 { "460.106.00", 11020 }, { "470.256.02", 11040 }, { "525.147.05", 12000 }, { "535.54.03", 12020 },
                 { "535.309.01", 12020 }, { "550.163.01", 12040 }, { "580.65.06", 13000 },  { "610.43.02", 13030 } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].driver, sim_driver) == 0) {
            return rows[i].cuda;
        }
    }
    return -1;
}

static void test_manners__nvml_version_needs_init_before_535_only(void **state)
{
    (void)state;
    char text[80] = "";
    sim_load_profile("h100x8");
    ANSWERS(CALL(nvmlSystemGetNVMLVersion)(text, sizeof text), sim_major < 535 ? NVML_ERROR_UNINITIALIZED : NVML_SUCCESS);
    sim_init();
    SUCCEEDS(CALL(nvmlSystemGetNVMLVersion)(text, sizeof text));
    char expected[80];
    snprintf(expected, sizeof expected, "%d.%s", expected_cuda() / 1000, sim_driver);
    assert_string_equal(text, expected);
    SUCCEEDS(CALL(nvmlSystemGetDriverVersion)(text, sizeof text));
    assert_string_equal(text, sim_driver);
    static const char *const names[] = { "nvmlSystemGetCudaDriverVersion", "nvmlSystemGetCudaDriverVersion_v2" };
    for (size_t i = 0; i < 2; i++) {
        nvmlSystemGetCudaDriverVersion_fn *call = (nvmlSystemGetCudaDriverVersion_fn *)sim_find(names[i]);
        int cuda = 0;
        if (call) {
            SUCCEEDS(call(&cuda));
            assert_int_equal(cuda, expected_cuda());
        }
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__error_texts_are_those_the_driver_knows(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    nvmlErrorString_fn *text = CALL(nvmlErrorString);
    assert_string_equal(text(NVML_SUCCESS), "Success");
    assert_string_equal(text(NVML_ERROR_GPU_IS_LOST), "GPU is lost");
    static const struct {
        int code;
        unsigned known_from;
        const char *text;
    } later[] = { { 17, 390, "GPU access blocked by the operating system" },
                  { 18, 390, "Driver/library version mismatch" },
                  { 19, 418, "In use by another client" },
                  { 20, 390, "Insufficient Memory" },
                  { 21, 525, "No data" },
                  { 22, 525, "vGPU ECC not supported" },
                  { 23, 450, "Insufficient Resources" },
                  { 24, 470, "Invalid Frequency" },
                  { 25, 525, "Argument version mismatch" },
                  { 26, 525, "Requested functionality has been deprecated" },
                  { 27, 535, "System is not in ready state" },
                  { 28, 550, "No supported GPUs were found" },
                  { 29, 550, "Resource not in correct state to perform requested operation" } };
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        const char *expected = sim_major < later[i].known_from ? "Unknown Error" : later[i].text;
        assert_string_equal(text((nvmlReturn_t)later[i].code), expected);
    }
    assert_true((strcmp(text((nvmlReturn_t)30), "Unknown Error") == 0) == (sim_major < 580));
    const int unknown[] = { -1, 31, 41, 998, 999, 1000 };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_string_equal(text((nvmlReturn_t)unknown[i]), "Unknown Error");
}

static void test_manners__a_text_that_does_not_fit_is_refused_whole(void **state)
{
    (void)state;
    char text[96];
    sim_load_profile("h100x8");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    memset(text, 'x', sizeof text);
    ANSWERS(CALL(nvmlDeviceGetName)(device, text, 5), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(text[0], 'x');
    ANSWERS(CALL(nvmlDeviceGetName)(device, text, 21), NVML_ERROR_INSUFFICIENT_SIZE);
    SUCCEEDS(CALL(nvmlDeviceGetName)(device, text, 22));
    assert_string_equal(text, "NVIDIA H100 80GB HBM3");
    ANSWERS(CALL(nvmlDeviceGetName)(device, NULL, 96), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(CALL(nvmlDeviceGetUUID)(device, text, 0), NVML_ERROR_INSUFFICIENT_SIZE);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__handles_are_looked_up_never_trusted(void **state)
{
    (void)state;
    unsigned power = 5;
    sim_load_profile("h100x8");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    const uintptr_t wrong[] = { 0, 1, 16, (uintptr_t)&power, UINTPTR_MAX, (uintptr_t)device + 1, (uintptr_t)device - 8 };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ANSWERS(CALL(nvmlDeviceGetPowerUsage)((nvmlDevice_t)wrong[i], &power), NVML_ERROR_INVALID_ARGUMENT);
    nvmlEnableState_t mode;
    ANSWERS(CALL(nvmlDeviceGetAccountingMode)((nvmlDevice_t)0x1234, &mode), NVML_ERROR_INVALID_ARGUMENT);
    int same;
    ANSWERS(CALL(nvmlDeviceOnSameBoard)(device, (nvmlDevice_t)0x1234, &same), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(power, 5);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__handles_last_as_the_scenario_says(void **state)
{
    (void)state;
    unsigned index;
    sim_load_profile("h100x8");
    sim_init();
    nvmlDevice_t stable = sim_device(3);
    SUCCEEDS(CALL(nvmlShutdown)());
    ANSWERS(CALL(nvmlDeviceGetIndex)(stable, &index), NVML_ERROR_UNINITIALIZED);
    sim_init();
    SUCCEEDS(CALL(nvmlDeviceGetIndex)(stable, &index));
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_unload(NULL);

    sim_load_scenario("base: h100x8\nhandles: fresh\n");
    sim_init();
    nvmlDevice_t fresh = sim_device(3);
    SUCCEEDS(CALL(nvmlDeviceGetIndex)(fresh, &index));
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_init();
    ANSWERS(CALL(nvmlDeviceGetIndex)(fresh, &index), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlDeviceGetIndex)(sim_device(3), &index));
    assert_int_equal(index, 3);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__version_words_are_checked(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    if (!sim_find("nvmlDeviceGetMemoryInfo_v2"))
        return;
    sim_init();
    nvmlMemory_v2_t memory = { .version = 2, .used = 99 };
    ANSWERS(CALL(nvmlDeviceGetMemoryInfo_v2)(sim_device(0), &memory), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(memory.used, 99);
    memory.version = nvmlMemory_v2;
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo_v2)(sim_device(0), &memory));
    if (!sim_find("nvmlDeviceGetGpuFabricInfoV")) {
        SUCCEEDS(CALL(nvmlShutdown)());
        return;
    }
    nvmlGpuFabricInfo_v3_t fabric = { .version = nvmlGpuFabricInfo_v2, .healthSummary = 42 };
    SUCCEEDS(CALL(nvmlDeviceGetGpuFabricInfoV)(sim_device(0), (nvmlGpuFabricInfoV_t *)&fabric));
    assert_int_equal(fabric.state, NVML_GPU_FABRIC_STATE_COMPLETED);
    assert_int_equal(fabric.clusterUuid[0], 0x6b);
    assert_int_equal(fabric.healthSummary, 42); /* beyond the second version's end */
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__devices_are_found_by_address(void **state)
{
    (void)state;
    nvmlDevice_t found = NULL;
    sim_load_profile("h100x8");
    sim_init();
    SUCCEEDS(CALL(nvmlDeviceGetHandleByPciBusId_v2)("0000:2a:00.0", &found));
    assert_ptr_equal(found, sim_device(1));
    SUCCEEDS(CALL(nvmlDeviceGetHandleByPciBusId_v2)("00000000:2A:00.0", &found));
    assert_ptr_equal(found, sim_device(1));
    ANSWERS(CALL(nvmlDeviceGetHandleByPciBusId_v2)("0000:2b:00.0", &found), NVML_ERROR_NOT_FOUND);
    ANSWERS(CALL(nvmlDeviceGetHandleByPciBusId_v2)("nonsense", &found), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__devices_are_found_by_uuid_and_serial(void **state)
{
    (void)state;
    char uuid[96], serial[32];
    nvmlDevice_t found = NULL;
    sim_load_profile("h100x8");
    sim_init();
    SUCCEEDS(CALL(nvmlDeviceGetUUID)(sim_device(5), uuid, sizeof uuid));
    SUCCEEDS(CALL(nvmlDeviceGetHandleByUUID)(uuid, &found));
    assert_ptr_equal(found, sim_device(5));
    SUCCEEDS(CALL(nvmlDeviceGetSerial)(sim_device(6), serial, sizeof serial));
    SUCCEEDS(CALL(nvmlDeviceGetHandleBySerial)(serial, &found));
    assert_ptr_equal(found, sim_device(6));
    ANSWERS(CALL(nvmlDeviceGetHandleByUUID)("GPU-0", &found), NVML_ERROR_NOT_FOUND);
    ANSWERS(CALL(nvmlDeviceGetHandleByIndex_v2)(8, &found), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__a_lost_device_leaves_the_others_alone(void **state)
{
    (void)state;
    unsigned count, power;
    nvmlDevice_t device = NULL;
    sim_load_scenario("base: h100x8\ndevices: [{index: 2, lost: true}]\n");
    sim_init();
    SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
    assert_int_equal(count, 8);
    ANSWERS(CALL(nvmlDeviceGetHandleByIndex_v2)(2, &device), NVML_ERROR_GPU_IS_LOST);
    for (unsigned i = 0; i < count; i++) {
        if (i != 2)
            SUCCEEDS(CALL(nvmlDeviceGetPowerUsage)(sim_device(i), &power));
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__a_bad_scenario_fails_the_init(void **state)
{
    (void)state;
    unsigned count = 3;
    sim_load_scenario("clock: fast\n");
    ANSWERS(CALL(nvmlInit_v2)(), NVML_ERROR_UNKNOWN);
    ANSWERS(CALL(nvmlDeviceGetCount_v2)(&count), NVML_ERROR_UNINITIALIZED);
    SUCCEEDS(CALL(nvmlShutdown)());
    ANSWERS(CALL(nvmlInit_v2)(), NVML_ERROR_UNKNOWN);
    char expected[64];
    snprintf(expected, sizeof expected, "nvpulse simulator, driver %s", sim_driver);
    assert_string_equal(CALL(nvpsim_description)(), expected);
    assert_int_equal(CALL(nvpsim_step_clock)(1), -1);
    assert_int_equal(CALL(nvpsim_clock_ns)(), 0);
}

static void test_manners__the_library_says_what_it_is(void **state)
{
    (void)state;
    char expected[128];
    sim_load_profile("rtx4090x2");
    snprintf(expected, sizeof expected, "nvpulse simulator, driver %s, profile rtx4090x2", sim_driver);
    assert_string_equal(CALL(nvpsim_description)(), expected);
}

/* The name of the file where it does not say another: that of the profile below would hide it. */
static void test_manners__a_scenario_is_named_by_itself(void **state)
{
    char expected[256];
    sim_load_scenario("base: h100x8\nname: two lost\n");
    snprintf(expected, sizeof expected, "nvpulse simulator, driver %s, scenario two lost", sim_driver);
    assert_string_equal(CALL(nvpsim_description)(), expected);
    sim_unload(state);
    const char *path = sim_write_file("base: h100x8\n");
    sim_load_file(path);
    snprintf(expected, sizeof expected, "nvpulse simulator, driver %s, scenario %s", sim_driver, strrchr(path, '/') + 1);
    assert_string_equal(CALL(nvpsim_description)(), expected);
}

static void test_manners__event_sets_time_out(void **state)
{
    (void)state;
    nvmlEventSet_t set = NULL;
    nvmlEventData_t data;
    unsigned long long types = 0;
    sim_load_profile("h100x8");
    sim_init();
    nvmlEventSetWait_v2_fn *wait = sim_find("nvmlEventSetWait_v2") ? CALL(nvmlEventSetWait_v2) : CALL(nvmlEventSetWait);
    SUCCEEDS(CALL(nvmlEventSetCreate)(&set));
    SUCCEEDS(CALL(nvmlDeviceGetSupportedEventTypes)(sim_device(0), &types));
    assert_true(types & nvmlEventTypeXidCriticalError);
    SUCCEEDS(CALL(nvmlDeviceRegisterEvents)(sim_device(0), types, set));
    ANSWERS(wait(set, &data, 1), NVML_ERROR_TIMEOUT);
    SUCCEEDS(CALL(nvmlEventSetFree)(set));
    ANSWERS(CALL(nvmlEventSetFree)(set), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(wait((nvmlEventSet_t)0x10, &data, 1), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__unloading_and_loading_again_works(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        sim_load_profile("h100x8");
        sim_init();
        SUCCEEDS(CALL(nvmlShutdown)());
        sim_unload(NULL);
        assert_null(dlopen(sim_path, RTLD_NOW | RTLD_NOLOAD));
    }
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_manners__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(init_is_checked_before_arguments),
        CASE(shutdown_without_init_succeeds),
        CASE(init_is_counted),
        CASE(nvml_version_needs_init_before_535_only),
        CASE(error_texts_are_those_the_driver_knows),
        CASE(a_text_that_does_not_fit_is_refused_whole),
        CASE(handles_are_looked_up_never_trusted),
        CASE(handles_last_as_the_scenario_says),
        CASE(version_words_are_checked),
        CASE(devices_are_found_by_address),
        CASE(devices_are_found_by_uuid_and_serial),
        CASE(a_lost_device_leaves_the_others_alone),
        CASE(a_bad_scenario_fails_the_init),
        CASE(the_library_says_what_it_is),
        CASE(a_scenario_is_named_by_itself),
        CASE(event_sets_time_out),
        CASE(unloading_and_loading_again_works),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
