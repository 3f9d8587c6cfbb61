/*
 * Every function that known programs use answers: with a value that fits the machine, or with what a real driver answers where
 * the hardware has none. Functions that a driver does not export are passed over; the export lists have tests of their own.
 */
#include "sim.h"

#include <stdio.h>
#include <string.h>

/** A call on a device: its answer, and one number of what it told. */
typedef nvmlReturn_t reading(nvmlDevice_t device, double *value);

#define OF(name) ((name##_fn *)sim_need(#name))

#define UINT(name)                                                                                                               \
    static nvmlReturn_t read_##name(nvmlDevice_t device, double *value)                                                          \
    {                                                                                                                            \
        unsigned number = 0;                                                                                                     \
        nvmlReturn_t result = ((nvmlReturn_t(*)(nvmlDevice_t, unsigned *))sim_need(#name))(device, &number);                     \
        *value = number;                                                                                                         \
        return result;                                                                                                           \
    }

/* Two numbers, of which the first is looked at. */
#define PAIR(name)                                                                                                               \
    static nvmlReturn_t read_##name(nvmlDevice_t device, double *value)                                                          \
    {                                                                                                                            \
        unsigned first = 0, second = 0;                                                                                          \
        nvmlReturn_t result = ((nvmlReturn_t(*)(nvmlDevice_t, unsigned *, unsigned *))sim_need(#name))(device, &first, &second); \
        *value = first;                                                                                                          \
        return result;                                                                                                           \
    }

/* A text; the number is its length. */
#define TEXT(name)                                                                                                               \
    static nvmlReturn_t read_##name(nvmlDevice_t device, double *value)                                                          \
    {                                                                                                                            \
        char text[128] = "";                                                                                                     \
        nvmlReturn_t result = ((nvmlReturn_t(*)(nvmlDevice_t, char *, unsigned))sim_need(#name))(device, text, sizeof text);     \
        *value = (double)strlen(text);                                                                                           \
        return result;                                                                                                           \
    }

/* What takes further arguments. The rest has `device`, sets `*value` and gives the answer. */
#define READ(name, ...)                                                                                                          \
    static nvmlReturn_t read_##name(nvmlDevice_t device, double *value)                                                          \
    {                                                                                                                            \
        unsigned number = 0, other = 0;                                                                                          \
        nvmlReturn_t result;                                                                                                     \
        *value = 0;                                                                                                              \
        (void)other;                                                                                                             \
        __VA_ARGS__;                                                                                                             \
        *value = *value > 0 ? *value : number;                                                                                   \
        return result;                                                                                                           \
    }

UINT(nvmlDeviceGetIndex)
UINT(nvmlDeviceGetMinorNumber)
UINT(nvmlDeviceGetNumGpuCores)
UINT(nvmlDeviceGetBrand)
UINT(nvmlDeviceGetMaxPcieLinkGeneration)
UINT(nvmlDeviceGetMaxPcieLinkWidth)
UINT(nvmlDeviceGetCurrPcieLinkGeneration)
UINT(nvmlDeviceGetCurrPcieLinkWidth)
UINT(nvmlDeviceGetFanSpeed)
UINT(nvmlDeviceGetPowerUsage)
UINT(nvmlDeviceGetPowerState)
UINT(nvmlDeviceGetPerformanceState)
UINT(nvmlDeviceGetPowerManagementLimit)
UINT(nvmlDeviceGetEnforcedPowerLimit)
UINT(nvmlDeviceGetComputeMode)
UINT(nvmlDeviceGetPersistenceMode)
UINT(nvmlDeviceGetDisplayMode)
UINT(nvmlDeviceGetDisplayActive)
UINT(nvmlDeviceGetMaxMigDeviceCount)
UINT(nvmlDeviceGetGpuInstanceId)
UINT(nvmlDeviceGetComputeInstanceId)
UINT(nvmlDeviceIsMigDeviceHandle)
UINT(nvmlDeviceGetArchitecture)
UINT(nvmlDeviceGetBoardId)
UINT(nvmlDeviceGetVirtualizationMode)
UINT(nvmlDeviceGetAccountingMode)
UINT(nvmlDeviceGetMultiGpuBoard)
UINT(nvmlDeviceGetModuleId)
UINT(nvmlDeviceGetNumaNodeId)
UINT(nvmlDeviceGetHostVgpuMode)
PAIR(nvmlDeviceGetEncoderUtilization)
PAIR(nvmlDeviceGetDecoderUtilization)
PAIR(nvmlDeviceGetCudaComputeCapability)
PAIR(nvmlDeviceGetMigMode)
PAIR(nvmlDeviceGetEccMode)
PAIR(nvmlDeviceGetGpuOperationMode)
PAIR(nvmlDeviceGetDriverModel_v2)
TEXT(nvmlDeviceGetName)
TEXT(nvmlDeviceGetUUID)
TEXT(nvmlDeviceGetSerial)
TEXT(nvmlDeviceGetBoardPartNumber)
TEXT(nvmlDeviceGetInforomImageVersion)
TEXT(nvmlDeviceGetVbiosVersion)
READ(nvmlDeviceGetPcieThroughput, result = OF(nvmlDeviceGetPcieThroughput)(device, NVML_PCIE_UTIL_RX_BYTES, &number))
READ(nvmlDeviceGetClockInfo, result = OF(nvmlDeviceGetClockInfo)(device, NVML_CLOCK_SM, &number))
READ(nvmlDeviceGetMaxClockInfo, result = OF(nvmlDeviceGetMaxClockInfo)(device, NVML_CLOCK_SM, &number))
READ(nvmlDeviceGetApplicationsClock, result = OF(nvmlDeviceGetApplicationsClock)(device, NVML_CLOCK_SM, &number))
READ(nvmlDeviceGetTemperature, result = OF(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &number))
READ(nvmlDeviceGetTemperatureThreshold,
     result = OF(nvmlDeviceGetTemperatureThreshold)(device, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN, &number))
READ(nvmlDeviceGetFanSpeed_v2, result = OF(nvmlDeviceGetFanSpeed_v2)(device, 0, &number))
READ(nvmlDeviceGetNvLinkState, result = OF(nvmlDeviceGetNvLinkState)(device, 0, (nvmlEnableState_t *)(void *)&number))
READ(nvmlDeviceGetNvLinkVersion, result = OF(nvmlDeviceGetNvLinkVersion)(device, 0, &number))
READ(nvmlDeviceGetNvLinkRemoteDeviceType,
     result = OF(nvmlDeviceGetNvLinkRemoteDeviceType)(device, 0, (nvmlIntNvLinkDeviceType_t *)(void *)&number);
     number++)
READ(nvmlDeviceGetInforomVersion, char text[64] = "";
     result = OF(nvmlDeviceGetInforomVersion)(device, NVML_INFOROM_ECC, text, sizeof text); number = (unsigned)strlen(text))
READ(nvmlDeviceGetGspFirmwareVersion, char text[64] = ""; result = OF(nvmlDeviceGetGspFirmwareVersion)(device, text);
     number = (unsigned)strlen(text))
READ(nvmlDeviceGetTemperatureV, nvmlTemperature_t of = { .version = nvmlTemperature_v1, .sensorType = NVML_TEMPERATURE_GPU };
     result = OF(nvmlDeviceGetTemperatureV)(device, &of); number = (unsigned)of.temperature)
READ(nvmlDeviceGetAddressingMode, nvmlDeviceAddressingMode_t of = { .version = nvmlDeviceAddressingMode_v1 };
     result = OF(nvmlDeviceGetAddressingMode)(device, &of); number = of.value)
READ(nvmlDeviceGetC2cModeInfoV, nvmlC2cModeInfo_v1_t of = { 0 }; result = OF(nvmlDeviceGetC2cModeInfoV)(device, &of);
     number = of.isC2cEnabled)
READ(nvmlDeviceGetAttributes_v2, nvmlDeviceAttributes_t of = { 0 }; result = OF(nvmlDeviceGetAttributes_v2)(device, &of);
     number = of.multiprocessorCount)
READ(nvmlDeviceGetMigDeviceHandleByIndex, nvmlDevice_t of = NULL;
     result = OF(nvmlDeviceGetMigDeviceHandleByIndex)(device, 0, &of); number = of != NULL)
READ(nvmlDeviceGetLastBBXFlushTime, unsigned long long at = 0; unsigned long took = 0;
     result = OF(nvmlDeviceGetLastBBXFlushTime)(device, &at, &took); number = (unsigned)at)
READ(nvmlDeviceGetTotalEnergyConsumption, unsigned long long of = 0;
     result = OF(nvmlDeviceGetTotalEnergyConsumption)(device, &of); *value = (double)of)
READ(nvmlDeviceGetTotalEccErrors, unsigned long long of = 0;
     result = OF(nvmlDeviceGetTotalEccErrors)(device, NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_AGGREGATE_ECC, &of);
     *value = (double)of)
READ(nvmlDeviceGetUtilizationRates, nvmlUtilization_t of = { 0 }; result = OF(nvmlDeviceGetUtilizationRates)(device, &of);
     number = of.gpu)
READ(nvmlDeviceGetMemoryInfo, nvmlMemory_t of = { 0 }; result = OF(nvmlDeviceGetMemoryInfo)(device, &of);
     *value = (double)of.used)
READ(nvmlDeviceGetMemoryInfo_v2, nvmlMemory_v2_t of = { .version = nvmlMemory_v2 };
     result = OF(nvmlDeviceGetMemoryInfo_v2)(device, &of); *value = (double)of.used)
READ(nvmlDeviceGetBAR1MemoryInfo, nvmlBAR1Memory_t of = { 0 }; result = OF(nvmlDeviceGetBAR1MemoryInfo)(device, &of);
     *value = (double)of.bar1Total)
READ(nvmlDeviceGetCpuAffinity, unsigned long set[16] = { 0 }; result = OF(nvmlDeviceGetCpuAffinity)(device, 16, set);
     for (int i = 0; i < 16; i++) number += (unsigned)__builtin_popcountl(set[i]))
READ(nvmlDeviceGetMemoryAffinity, unsigned long set[16] = { 0 };
     result = OF(nvmlDeviceGetMemoryAffinity)(device, 16, set, NVML_AFFINITY_SCOPE_NODE);
     for (int i = 0; i < 16; i++) number += (unsigned)__builtin_popcountl(set[i]))
READ(nvmlDeviceGetPciInfo, nvmlPciInfo_t of = { 0 }; result = OF(nvmlDeviceGetPciInfo)(device, (void *)&of); number = of.bus)
READ(nvmlDeviceGetPciInfo_v2, nvmlPciInfo_t of = { 0 }; result = OF(nvmlDeviceGetPciInfo_v2)(device, (void *)&of);
     number = of.bus)
READ(nvmlDeviceGetPciInfo_v3, nvmlPciInfo_t of = { 0 }; result = OF(nvmlDeviceGetPciInfo_v3)(device, &of); number = of.bus)
READ(nvmlDeviceGetNvLinkRemotePciInfo_v2, nvmlPciInfo_t of = { 0 };
     result = OF(nvmlDeviceGetNvLinkRemotePciInfo_v2)(device, 0, &of); number = (unsigned)strlen(of.busId))
READ(nvmlDeviceGetSupportedMemoryClocks, unsigned clocks[64] = { 0 }; other = 64;
     result = OF(nvmlDeviceGetSupportedMemoryClocks)(device, &other, clocks); number = clocks[0])
READ(nvmlDeviceGetSupportedGraphicsClocks, unsigned memory[64] = { 0 }; unsigned clocks[512] = { 0 }; unsigned room = 64;
     OF(nvmlDeviceGetSupportedMemoryClocks)(device, &room, memory); other = 512;
     result = OF(nvmlDeviceGetSupportedGraphicsClocks)(device, memory[0], &other, clocks); number = clocks[0])
READ(nvmlDeviceGetFieldValues, nvmlFieldValue_t of = { .fieldId = NVML_FI_DEV_MEMORY_TEMP };
     result = OF(nvmlDeviceGetFieldValues)(device, 1, &of); result = result == NVML_SUCCESS ? of.nvmlReturn : result;
     number = of.value.uiVal)
READ(nvmlDeviceGetProcessUtilization, nvmlProcessUtilizationSample_t of[64]; other = 64;
     result = OF(nvmlDeviceGetProcessUtilization)(device, of, &other, 0); number = other)

/* Process lists: the number of processes. */
#define PROCESSES(name, record)                                                                                                  \
    static nvmlReturn_t read_##name(nvmlDevice_t device, double *value)                                                          \
    {                                                                                                                            \
        unsigned char records[64 * 40];                                                                                          \
        unsigned count = 64;                                                                                                     \
        nvmlReturn_t result = OF(name)(device, &count, (record *)(void *)records);                                               \
        *value = count;                                                                                                          \
        return result;                                                                                                           \
    }
PROCESSES(nvmlDeviceGetComputeRunningProcesses, nvmlProcessInfo_v1_t)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, nvmlProcessInfo_v2_t)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, nvmlProcessInfo_t)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, nvmlProcessInfo_v1_t)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, nvmlProcessInfo_v2_t)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlProcessInfo_t)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses, nvmlProcessInfo_v1_t)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v2, nvmlProcessInfo_v2_t)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, nvmlProcessInfo_t)

/** What a function tells: not supported (of a MIG device: not found), or from `low` to `high`. Device 1 of h100x8 trains; device 0 of rtx4090x2 plays a game. */
typedef struct expectation {
    double low, high;
} expectation;

#define NONE                                                                                                                     \
    {                                                                                                                            \
        1, 0                                                                                                                     \
    }
#define ROW(name, h100, rtx4090)                                                                                                 \
    {                                                                                                                            \
#name, read_##name, h100, rtx4090                                                                                        \
    }
#define IS(...)                                                                                                                  \
    {                                                                                                                            \
        __VA_ARGS__                                                                                                              \
    }

static const struct {
    const char *name;
    reading *read;
    expectation h100, rtx4090;
} rows[] = {
    ROW(nvmlDeviceGetIndex, IS(1, 1), IS(0, 0)),
    ROW(nvmlDeviceGetMinorNumber, IS(1, 1), IS(0, 0)),
    ROW(nvmlDeviceGetName, IS(21, 21), IS(23, 23)),
    ROW(nvmlDeviceGetUUID, IS(40, 40), IS(40, 40)),
    ROW(nvmlDeviceGetSerial, IS(8, 29), NONE),
    ROW(nvmlDeviceGetBrand, IS(NVML_BRAND_NVIDIA, NVML_BRAND_NVIDIA), IS(NVML_BRAND_GEFORCE, NVML_BRAND_GEFORCE_RTX)),
    ROW(nvmlDeviceGetNumGpuCores, IS(16896, 16896), IS(16384, 16384)),
    ROW(nvmlDeviceGetCudaComputeCapability, IS(9, 9), IS(8, 8)),
    ROW(nvmlDeviceGetCpuAffinity, IS(1, 512), IS(1, 512)),
    ROW(nvmlDeviceGetMemoryAffinity, IS(1, 1), IS(1, 1)),
    ROW(nvmlDeviceGetAttributes_v2, NONE, NONE),
    ROW(nvmlDeviceGetAddressingMode, IS(0, 2), IS(0, 2)),
    ROW(nvmlDeviceGetDriverModel_v2, NONE, NONE),
    ROW(nvmlDeviceGetPciInfo, IS(1, 255), IS(1, 255)),
    ROW(nvmlDeviceGetPciInfo_v2, IS(1, 255), IS(1, 255)),
    ROW(nvmlDeviceGetPciInfo_v3, IS(1, 255), IS(1, 255)),
    ROW(nvmlDeviceGetMaxPcieLinkGeneration, IS(5, 5), IS(4, 4)),
    ROW(nvmlDeviceGetMaxPcieLinkWidth, IS(16, 16), IS(16, 16)),
    ROW(nvmlDeviceGetCurrPcieLinkGeneration, IS(5, 5), IS(1, 4)),
    ROW(nvmlDeviceGetCurrPcieLinkWidth, IS(16, 16), IS(8, 16)),
    ROW(nvmlDeviceGetPcieThroughput, IS(1000, 6e7), IS(100, 3e7)),
    ROW(nvmlDeviceGetMemoryInfo, IS(1e9, 86e9), IS(1e8, 25.8e9)),
    ROW(nvmlDeviceGetMemoryInfo_v2, IS(1e9, 86e9), IS(1e8, 25.8e9)),
    ROW(nvmlDeviceGetBAR1MemoryInfo, IS(137438953472.0, 137438953472.0), IS(1e6, 137438953472.0)),
    ROW(nvmlDeviceGetClockInfo, IS(300, 1980), IS(200, 3105)),
    ROW(nvmlDeviceGetMaxClockInfo, IS(1980, 1980), IS(2500, 3105)),
    ROW(nvmlDeviceGetApplicationsClock, IS(1980, 1980), NONE),
    ROW(nvmlDeviceGetSupportedMemoryClocks, IS(2619, 2619), IS(10501, 10501)),
    ROW(nvmlDeviceGetSupportedGraphicsClocks, IS(1980, 1980), IS(2500, 3105)),
    ROW(nvmlDeviceGetUtilizationRates, IS(1, 100), IS(1, 100)),
    ROW(nvmlDeviceGetEncoderUtilization, IS(0, 100), IS(0, 100)),
    ROW(nvmlDeviceGetDecoderUtilization, IS(0, 100), IS(0, 100)),
    ROW(nvmlDeviceGetTemperature, IS(26, 90), IS(26, 90)),
    ROW(nvmlDeviceGetTemperatureV, IS(26, 90), IS(26, 90)),
    ROW(nvmlDeviceGetTemperatureThreshold, IS(89, 89), IS(80, 110)),
    ROW(nvmlDeviceGetFanSpeed, NONE, IS(1, 100)),
    ROW(nvmlDeviceGetFanSpeed_v2, NONE, IS(1, 100)),
    ROW(nvmlDeviceGetPowerUsage, IS(71000, 700000), IS(10000, 450000)),
    ROW(nvmlDeviceGetPowerState, IS(0, 8), IS(0, 8)),
    ROW(nvmlDeviceGetPerformanceState, IS(0, 8), IS(0, 8)),
    ROW(nvmlDeviceGetPowerManagementLimit, IS(700000, 700000), IS(450000, 450000)),
    ROW(nvmlDeviceGetEnforcedPowerLimit, IS(700000, 700000), IS(450000, 450000)),
    ROW(nvmlDeviceGetTotalEnergyConsumption, IS(98765432100.0, 1e12), IS(1, 1e12)),
    ROW(nvmlDeviceGetTotalEccErrors, IS(0, 1000), NONE),
    ROW(nvmlDeviceGetFieldValues, IS(46, 71), NONE),
    ROW(nvmlDeviceGetComputeMode, IS(0, 3), IS(0, 3)),
    ROW(nvmlDeviceGetPersistenceMode, IS(1, 1), IS(0, 1)),
    ROW(nvmlDeviceGetDisplayMode, IS(0, 0), IS(1, 1)),
    ROW(nvmlDeviceGetDisplayActive, IS(0, 0), IS(1, 1)),
    ROW(nvmlDeviceGetMigMode, IS(0, 0), NONE),
    ROW(nvmlDeviceGetMaxMigDeviceCount, IS(7, 7), IS(0, 0)),
    ROW(nvmlDeviceGetMigDeviceHandleByIndex, NONE, NONE),
    ROW(nvmlDeviceGetGpuInstanceId, NONE, NONE),
    ROW(nvmlDeviceGetComputeInstanceId, NONE, NONE),
    ROW(nvmlDeviceIsMigDeviceHandle, IS(0, 0), IS(0, 0)),
    ROW(nvmlDeviceGetComputeRunningProcesses, IS(1, 64), IS(0, 64)),
    ROW(nvmlDeviceGetComputeRunningProcesses_v2, IS(1, 64), IS(0, 64)),
    ROW(nvmlDeviceGetComputeRunningProcesses_v3, IS(1, 64), IS(0, 64)),
    ROW(nvmlDeviceGetGraphicsRunningProcesses, IS(0, 64), IS(1, 64)),
    ROW(nvmlDeviceGetGraphicsRunningProcesses_v2, IS(0, 64), IS(1, 64)),
    ROW(nvmlDeviceGetGraphicsRunningProcesses_v3, IS(0, 64), IS(1, 64)),
    ROW(nvmlDeviceGetMPSComputeRunningProcesses, IS(0, 64), IS(0, 64)),
    ROW(nvmlDeviceGetMPSComputeRunningProcesses_v2, IS(0, 64), IS(0, 64)),
    ROW(nvmlDeviceGetMPSComputeRunningProcesses_v3, IS(0, 64), IS(0, 64)),
    ROW(nvmlDeviceGetProcessUtilization, IS(1, 64), IS(1, 64)),
    ROW(nvmlDeviceGetNvLinkState, IS(1, 1), NONE),
    ROW(nvmlDeviceGetNvLinkVersion, IS(NVML_NVLINK_VERSION_4_0, NVML_NVLINK_VERSION_4_0), NONE),
    ROW(nvmlDeviceGetNvLinkRemotePciInfo_v2, IS(12, 31), NONE),
    ROW(nvmlDeviceGetNvLinkRemoteDeviceType, IS(3, 3), NONE),
    ROW(nvmlDeviceGetArchitecture, IS(NVML_DEVICE_ARCH_HOPPER, NVML_DEVICE_ARCH_HOPPER),
        IS(NVML_DEVICE_ARCH_ADA, NVML_DEVICE_ARCH_ADA)),
    ROW(nvmlDeviceGetBoardId, IS(1, 1e9), IS(1, 1e9)),
    ROW(nvmlDeviceGetBoardPartNumber, IS(10, 32), NONE),
    ROW(nvmlDeviceGetEccMode, IS(1, 1), NONE),
    ROW(nvmlDeviceGetGpuOperationMode, NONE, NONE),
    ROW(nvmlDeviceGetGspFirmwareVersion, IS(6, 32), NONE),
    ROW(nvmlDeviceGetInforomVersion, IS(3, 15), IS(3, 15)),
    ROW(nvmlDeviceGetInforomImageVersion, IS(10, 15), IS(10, 15)),
    ROW(nvmlDeviceGetVbiosVersion, IS(10, 31), IS(10, 31)),
    ROW(nvmlDeviceGetVirtualizationMode, IS(0, 0), IS(0, 0)),
    ROW(nvmlDeviceGetAccountingMode, IS(0, 1), IS(0, 1)),
    ROW(nvmlDeviceGetMultiGpuBoard, IS(0, 1), IS(0, 1)),
    ROW(nvmlDeviceGetModuleId, IS(0, 8), NONE),
    ROW(nvmlDeviceGetNumaNodeId, NONE, NONE),
    ROW(nvmlDeviceGetC2cModeInfoV, IS(0, 0), IS(0, 0)),
    ROW(nvmlDeviceGetLastBBXFlushTime, IS(1, 4294967295.0), IS(1, 4294967295.0)),
    ROW(nvmlDeviceGetHostVgpuMode, NONE, NONE),
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Every row of which the driver has the function, on one device; all that is wrong is told at once. */
static void machine_check(const char *profile, unsigned index, bool is_h100)
{
    unsigned mistakes = 0, looked_at = 0;
    sim_load_profile(profile);
    sim_init();
    sim_step_ms(30000);
    for (size_t i = 0; i < ROWS; i++) {
        expectation expected = is_h100 ? rows[i].h100 : rows[i].rtx4090;
        double value = 0;
        if (!sim_find(rows[i].name)) {
            continue;
        }
        looked_at++;
        nvmlReturn_t result = rows[i].read(sim_device(index), &value);
        bool is_none = expected.low > expected.high;
        bool is_right = is_none ? result == NVML_ERROR_NOT_SUPPORTED || result == NVML_ERROR_NOT_FOUND
                                : result == NVML_SUCCESS && value >= expected.low && value <= expected.high;
        if (!is_right) {
            print_error("%s: %s: answers %d, tells %.0f\n", profile, rows[i].name, (int)result, value);
            mistakes++;
        }
    }
    assert_int_equal(mistakes, 0);
    assert_true(looked_at > 40);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_clients__a_datacenter_card_tells_all_that_it_has(void **state)
{
    (void)state;
    machine_check("h100x8", 1, true);
}

static void test_clients__a_desktop_card_tells_all_that_it_has(void **state)
{
    (void)state;
    machine_check("rtx4090x2", 0, false);
}

/* What moves on a busy machine. */
static void test_clients__values_move(void **state)
{
    (void)state;
    static const char *const moving[] = { "nvmlDeviceGetUtilizationRates", "nvmlDeviceGetTemperature",
                                          "nvmlDeviceGetPowerUsage",       "nvmlDeviceGetClockInfo",
                                          "nvmlDeviceGetMemoryInfo",       "nvmlDeviceGetPcieThroughput",
                                          "nvmlDeviceGetFanSpeed",         "nvmlDeviceGetTotalEnergyConsumption",
                                          "nvmlDeviceGetFieldValues" };
    unsigned moved = 0, there = 0;
    for (int machine = 0; machine < 2; machine++) {
        sim_load_profile(machine == 0 ? "h100x8" : "rtx4090x2");
        sim_init();
        nvmlDevice_t device = sim_device(machine == 0 ? 1 : 0);
        for (size_t i = 0; i < sizeof moving / sizeof moving[0]; i++) {
            reading *read = NULL;
            double first = 0, next = 0;
            for (size_t j = 0; j < ROWS; j++)
                read = strcmp(rows[j].name, moving[i]) == 0 ? rows[j].read : read;
            if (!sim_find(moving[i]) || read(device, &first) != NVML_SUCCESS)
                continue;
            bool has_moved = false;
            for (int second = 0; second < 240 && !has_moved; second++) {
                sim_step_ms(1000);
                SUCCEEDS(read(device, &next));
                has_moved = next != first;
            }
            if (!has_moved)
                print_error("%s stands still\n", moving[i]);
            there++;
            moved += has_moved;
        }
        SUCCEEDS(CALL(nvmlShutdown)());
        sim_unload(NULL);
    }
    assert_int_equal(moved, there);
    assert_true(there >= 11);
}

/* What is no call on a device. */
static void test_clients__the_system_answers(void **state)
{
    (void)state;
    unsigned number = 99, devices = 0;
    int cuda = 0;
    char text[96] = "";
    nvmlDevice_t found[16], same = NULL;
    nvmlEventSet_t set = NULL;
    sim_load_profile("h100x8");
    SUCCEEDS(CALL(nvmlInit)());
    SUCCEEDS(CALL(nvmlInit_v2)());
    if (sim_find("nvmlInitWithFlags"))
        SUCCEEDS(CALL(nvmlInitWithFlags)(0));
    SUCCEEDS(CALL(nvmlSystemGetDriverVersion)(text, sizeof text));
    assert_string_equal(text, sim_driver);
    SUCCEEDS(CALL(nvmlSystemGetNVMLVersion)(text, sizeof text));
    assert_non_null(strstr(text, sim_driver));
    if (sim_find("nvmlSystemGetCudaDriverVersion")) {
        SUCCEEDS(CALL(nvmlSystemGetCudaDriverVersion)(&cuda));
        assert_in_range(cuda, 6000, 20000);
    }
    if (sim_find("nvmlSystemGetCudaDriverVersion_v2"))
        SUCCEEDS(CALL(nvmlSystemGetCudaDriverVersion_v2)(&cuda));
    SUCCEEDS(CALL(nvmlDeviceGetCount)(&number));
    SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&devices));
    assert_int_equal(number, 8);
    assert_int_equal(devices, 8);
    SUCCEEDS(CALL(nvmlDeviceGetHandleByIndex)(3, &same));
    assert_true(same == sim_device(3));
    SUCCEEDS(CALL(nvmlDeviceGetUUID)(same, text, sizeof text));
    SUCCEEDS(CALL(nvmlDeviceGetHandleByUUID)(text, &found[0]));
    assert_true(found[0] == same);
    nvmlPciInfo_t pci = { 0 };
    SUCCEEDS(CALL(nvmlDeviceGetPciInfo_v2)(same, (void *)&pci));
    snprintf(text, sizeof text, "%s", pci.busIdLegacy[0] ? pci.busIdLegacy : (const char *)&pci);
    SUCCEEDS(CALL(nvmlDeviceGetHandleByPciBusId_v2)(text, &found[0]));
    assert_true(found[0] == same);
    number = 16;
    ANSWERS(CALL(nvmlSystemGetHicVersion)(&number, NULL), NVML_ERROR_INVALID_ARGUMENT);
    number = 0;
    SUCCEEDS(CALL(nvmlSystemGetHicVersion)(&number, NULL));
    assert_int_equal(number, 0);
    SUCCEEDS(CALL(nvmlUnitGetCount)(&number));
    assert_int_equal(number, 0);
    number = 16;
    if (sim_find("nvmlSystemGetTopologyGpuSet")) {
        SUCCEEDS(CALL(nvmlSystemGetTopologyGpuSet)(0, &number, found));
        assert_int_equal(number, 4); /* of the first of two nodes */
    }
    SUCCEEDS(CALL(nvmlEventSetCreate)(&set));
    SUCCEEDS(CALL(nvmlEventSetFree)(set));
    assert_string_equal(CALL(nvmlErrorString)(NVML_SUCCESS), "Success");
    for (int i = sim_find("nvmlInitWithFlags") ? 3 : 2; i > 0; i--)
        SUCCEEDS(CALL(nvmlShutdown)());
}

/* Power is told in three ways, and by scope. */
static void test_clients__power_is_the_same_by_every_way(void **state)
{
    (void)state;
    unsigned power_mw;
    nvmlFieldValue_t fields[] = { { .fieldId = NVML_FI_DEV_POWER_AVERAGE },
                                  { .fieldId = NVML_FI_DEV_POWER_INSTANT },
                                  { .fieldId = NVML_FI_DEV_POWER_CURRENT_LIMIT },
                                  { .fieldId = NVML_FI_DEV_POWER_INSTANT, .scopeId = NVML_POWER_SCOPE_MODULE },
                                  { .fieldId = NVML_FI_DEV_POWER_CURRENT_LIMIT, .scopeId = NVML_POWER_SCOPE_MODULE },
                                  { .fieldId = NVML_FI_DEV_POWER_MAX_LIMIT, .scopeId = NVML_POWER_SCOPE_MODULE },
                                  { .fieldId = NVML_FI_DEV_POWER_INSTANT, .scopeId = NVML_POWER_SCOPE_MEMORY } };
    if (!sim_since(535, 43, 2))
        skip();
    sim_load_profile("h100x8");
    sim_init();
    sim_step_ms(12345);
    SUCCEEDS(CALL(nvmlDeviceGetPowerUsage)(sim_device(1), &power_mw));
    SUCCEEDS(CALL(nvmlDeviceGetFieldValues)(sim_device(1), 7, fields));
    for (int i = 0; i < 2; i++) {
        SUCCEEDS(fields[i].nvmlReturn);
        assert_int_equal(fields[i].value.uiVal, power_mw);
    }
    assert_int_equal(fields[2].value.uiVal, 700000);
    for (int i = 3; i < 7; i++)
        ANSWERS(fields[i].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* Links of a pair without switches lead to each other, and back. */
static void test_clients__nvlink_peers_lead_back(void **state)
{
    (void)state;
    if (!sim_since(418, 0, 0))
        skip();
    sim_load_scenario("base: h100x8\nclock: stepped\nsystem: {num_devices: 2}\nnvlink: {links_per_gpu: 4, switches: []}\n");
    sim_init();
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned link = 0; link < 4; link++) {
            nvmlPciInfo_t far, own;
            nvmlIntNvLinkDeviceType_t type;
            SUCCEEDS(CALL(nvmlDeviceGetNvLinkRemotePciInfo_v2)(sim_device(i), link, &far));
            SUCCEEDS(CALL(nvmlDeviceGetPciInfo_v3)(sim_device(1 - i), &own));
            assert_string_equal(far.busId, own.busId);
            if (sim_find("nvmlDeviceGetNvLinkRemoteDeviceType")) {
                SUCCEEDS(CALL(nvmlDeviceGetNvLinkRemoteDeviceType)(sim_device(i), link, &type));
                assert_int_equal(type, NVML_NVLINK_DEVICE_TYPE_GPU);
            }
        }
        ANSWERS(CALL(nvmlDeviceGetNvLinkRemotePciInfo_v2)(sim_device(i), 99, &(nvmlPciInfo_t){ 0 }), NVML_ERROR_INVALID_ARGUMENT);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_clients__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(a_datacenter_card_tells_all_that_it_has),
        CASE(a_desktop_card_tells_all_that_it_has),
        CASE(values_move),
        CASE(the_system_answers),
        CASE(power_is_the_same_by_every_way),
        CASE(nvlink_peers_lead_back),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
