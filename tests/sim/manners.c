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
    SUCCEEDS(CALL(nvmlInitWithFlags)(1));
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

static void test_manners__nvml_version_needs_init_before_535_only(void **state)
{
    (void)state;
    char text[80] = "";
    sim_load_profile("h100x8");
    ANSWERS(CALL(nvmlSystemGetNVMLVersion)(text, sizeof text), sim_major < 535 ? NVML_ERROR_UNINITIALIZED : NVML_SUCCESS);
    sim_init();
    SUCCEEDS(CALL(nvmlSystemGetNVMLVersion)(text, sizeof text));
    assert_string_equal(text, sim_major < 535 ? "11.470.256.02" : "12.550.163.01");
    SUCCEEDS(CALL(nvmlSystemGetDriverVersion)(text, sizeof text));
    assert_string_equal(text, sim_major < 535 ? "470.256.02" : "550.163.01");
    int cuda = 0;
    SUCCEEDS(CALL(nvmlSystemGetCudaDriverVersion_v2)(&cuda));
    assert_int_equal(cuda, sim_major < 535 ? 11040 : 12040);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_manners__error_texts_are_those_the_driver_knows(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    nvmlErrorString_fn *text = CALL(nvmlErrorString);
    assert_string_equal(text(NVML_SUCCESS), "Success");
    assert_string_equal(text(NVML_ERROR_GPU_IS_LOST), "GPU is lost");
    assert_string_equal(text((nvmlReturn_t)24), "Invalid Frequency");
    assert_string_equal(text((nvmlReturn_t)25), sim_major < 525 ? "Unknown Error" : "Argument version mismatch");
    assert_string_equal(text((nvmlReturn_t)29),
                        sim_major < 550 ? "Unknown Error" : "Resource not in correct state to perform requested operation");
    const int unknown[] = { -1, 30, 41, 998, 999, 1000 };
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
    nvmlGpuFabricInfo_v3_t fabric = { .version = nvmlGpuFabricInfo_v2, .healthSummary = 42 };
    SUCCEEDS(CALL(nvmlDeviceGetGpuFabricInfoV)(sim_device(0), (nvmlGpuFabricInfoV_t *)&fabric));
    assert_int_equal(fabric.state, NVML_GPU_FABRIC_STATE_COMPLETED);
    assert_int_equal(fabric.clusterUuid[0], 0x6b);
    assert_int_equal(fabric.healthSummary, 42); /* beyond the second version's end */
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* What each form of the PCI call may write, and not one byte more. */
static void test_manners__pci_records_have_their_historic_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
    } forms[] = { { "nvmlDeviceGetPciInfo", 32 }, { "nvmlDeviceGetPciInfo_v2", 52 }, { "nvmlDeviceGetPciInfo_v3", 68 } };
    sim_load_profile("h100x8");
    sim_init();
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        unsigned char room[128];
        memset(room, 0xa5, sizeof room);
        nvmlDeviceGetPciInfo_v3_fn *call = (nvmlDeviceGetPciInfo_v3_fn *)sim_need(forms[i].name);
        SUCCEEDS(call(sim_device(1), (nvmlPciInfo_t *)room));
        assert_string_equal((char *)room, "0000:2A:00.0");
        for (size_t at = forms[i].size; at < sizeof room; at++)
            assert_int_equal(room[at], 0xa5);
    }
    nvmlPciInfo_t pci;
    SUCCEEDS(CALL(nvmlDeviceGetPciInfo_v3)(sim_device(1), &pci));
    assert_string_equal(pci.busId, "00000000:2A:00.0");
    assert_int_equal(pci.pciDeviceId, 0x233010DE);
    nvmlDevice_t found = NULL;
    SUCCEEDS(CALL(nvmlDeviceGetHandleByPciBusId_v2)("0000:2a:00.0", &found));
    assert_ptr_equal(found, sim_device(1));
    SUCCEEDS(CALL(nvmlDeviceGetHandleByPciBusId_v2)(pci.busId, &found));
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

static void test_manners__private_tables_are_refused(void **state)
{
    (void)state;
    static const unsigned char id[16] = { 1, 2, 3 };
    const void *table = (const void *)0x55;
    sim_load_profile("h100x8");
    nvmlReturn_t (*get)(const void **, const void *) =
        (nvmlReturn_t(*)(const void **, const void *))sim_need("nvmlInternalGetExportTable");
    ANSWERS(get(&table, id), NVML_ERROR_NOT_FOUND);
    ANSWERS(get((const void **)1, (const void *)1), NVML_ERROR_NOT_FOUND);
    ANSWERS(get(NULL, NULL), NVML_ERROR_NOT_FOUND);
    assert_ptr_equal(table, (const void *)0x55);
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
    assert_string_equal(CALL(nvpsim_description)(),
                        sim_major < 535 ? "nvpulse simulator, driver 470.256.02" : "nvpulse simulator, driver 550.163.01");
    assert_int_equal(CALL(nvpsim_step_clock)(1), -1);
    assert_int_equal(CALL(nvpsim_clock_ns)(), 0);
}

static void test_manners__the_library_says_what_it_is(void **state)
{
    (void)state;
    char expected[128];
    sim_load_profile("rtx4090x2");
    snprintf(expected, sizeof expected, "nvpulse simulator, driver %s, profile rtx4090x2",
             sim_major < 535 ? "470.256.02" : "550.163.01");
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
    SUCCEEDS(CALL(nvmlEventSetCreate)(&set));
    SUCCEEDS(CALL(nvmlDeviceGetSupportedEventTypes)(sim_device(0), &types));
    assert_true(types & nvmlEventTypeXidCriticalError);
    SUCCEEDS(CALL(nvmlDeviceRegisterEvents)(sim_device(0), types, set));
    ANSWERS(CALL(nvmlEventSetWait_v2)(set, &data, 1), NVML_ERROR_TIMEOUT);
    SUCCEEDS(CALL(nvmlEventSetFree)(set));
    ANSWERS(CALL(nvmlEventSetFree)(set), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(CALL(nvmlEventSetWait_v2)((nvmlEventSet_t)0x10, &data, 1), NVML_ERROR_INVALID_ARGUMENT);
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
        CASE(pci_records_have_their_historic_sizes),
        CASE(devices_are_found_by_uuid_and_serial),
        CASE(a_lost_device_leaves_the_others_alone),
        CASE(private_tables_are_refused),
        CASE(a_bad_scenario_fails_the_init),
        CASE(the_library_says_what_it_is),
        CASE(event_sets_time_out),
        CASE(unloading_and_loading_again_works),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
