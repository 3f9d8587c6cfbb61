/*
 * The private table of functions that nvidia-smi asks for beside NVML's own. What is known of it is what calls of nvidia-smi
 * and of real libraries show from outside (docs/simulator.md): the id, the size in bytes in the first word, which places
 * are called with what, and what is printed then. Each other place answers "not supported" and touches nothing; nvidia-smi
 * shows N/A for it.
 */
#include "driver/private_table.h"

#include <stdint.h>
#include <string.h>

#include "driver/call.h"
#include "driver/process_list.h"

/* Places, in words from the start of the table. */
enum { ENFORCED_LIMIT = 108, GRAPHICS_ARE_LISTED = 157, COMPUTE_LIST = 213, MPS_LIST = 214, GRAPHICS_LIST = 215, PLACES = 251 };

/* The size in bytes, then the addresses of functions. */
static uintptr_t table[PLACES];

static nvmlReturn_t not_supported(void)
{
    return NVML_ERROR_NOT_SUPPORTED;
}

/* Faults, latency and counts are those of the public function that answers the same. */
static nvmlReturn_t list(int function, nvmlDevice_t device, unsigned type, unsigned *count, void *rows)
{
    nvpsim_call call;
    nvmlReturn_t result = nvpsim__call_begin(&call, function, true, true, device);
    if (result == NVML_SUCCESS) {
        result = nvpsim__named_processes(device, type, count, rows);
    }
    nvpsim__call_end(&call);
    return result;
}

static nvmlReturn_t list_compute(nvmlDevice_t device, unsigned *count, void *rows)
{
    return list(NVPSIM_FN_nvmlDeviceGetComputeRunningProcesses_v3, device, NVPSIM_PROCESS_COMPUTE, count, rows);
}

static nvmlReturn_t list_graphics(nvmlDevice_t device, unsigned *count, void *rows)
{
    return list(NVPSIM_FN_nvmlDeviceGetGraphicsRunningProcesses_v3, device, NVPSIM_PROCESS_GRAPHICS, count, rows);
}

static nvmlReturn_t list_mps(nvmlDevice_t device, unsigned *count, void *rows)
{
    return list(NVPSIM_FN_nvmlDeviceGetMPSComputeRunningProcesses_v3, device, NVPSIM_PROCESS_MPS, count, rows);
}

/* Asked by nvidia-smi 390 alone, which ends with "Internal error" on any error, and lists compute processes alone on 0. */
static nvmlReturn_t graphics_are_listed(nvmlDevice_t device, unsigned *are_listed)
{
    nvpsim_call call;
    nvmlReturn_t result = nvpsim__call_begin(&call, NVPSIM_FN_nvmlDeviceGetGraphicsRunningProcesses, true, true, device);
    if (result == NVML_SUCCESS && !are_listed) {
        result = NVML_ERROR_INVALID_ARGUMENT;
    }
    if (result == NVML_SUCCESS) {
        *are_listed = 1;
    }
    nvpsim__call_end(&call);
    return result;
}

/* Milliwatts: what --query-gpu=enforced.power.limit shows. */
static nvmlReturn_t enforced_limit(nvmlDevice_t device, unsigned *limit_mw)
{
    nvpsim_call call;
    nvmlReturn_t result = nvpsim__call_begin(&call, NVPSIM_FN_nvmlDeviceGetEnforcedPowerLimit, true, true, device);
    if (result == NVML_SUCCESS) {
        result = nvpsim__serve_nvmlDeviceGetEnforcedPowerLimit(device, limit_mw);
    }
    nvpsim__call_end(&call);
    return result;
}

/* The first word of the real tables. What lies beyond it is never called; newer drivers get the longest that was seen. */
static size_t size_bytes(void)
{
    static const struct {
        unsigned since_major;
        size_t size_bytes;
    } sizes[] = { { 550, 2008 }, { 535, 1960 }, { 525, 1904 }, { 470, 1704 }, { 460, 1584 },
                  { 450, 1536 }, { 418, 1456 }, { 390, 1328 }, { 0, 1120 } };
    size_t i = 0;
    while (!nvpsim__driver_since(sizes[i].since_major, 0, 0)) {
        i++;
    }
    return sizes[i].size_bytes;
}

__attribute__((constructor)) static void make_table(void)
{
    table[0] = size_bytes();
    for (size_t place = 1; place < PLACES; place++) {
        table[place] = (uintptr_t)not_supported;
    }
    table[ENFORCED_LIMIT] = (uintptr_t)enforced_limit;
    if (nvpsim__driver_since(390, 0, 0) && !nvpsim__driver_since(418, 0, 0)) {
        table[GRAPHICS_ARE_LISTED] = (uintptr_t)graphics_are_listed;
    }
    if (nvpsim__driver_since(525, 0, 0)) {
        table[COMPUTE_LIST] = (uintptr_t)list_compute;
        table[GRAPHICS_LIST] = (uintptr_t)list_graphics;
        table[MPS_LIST] = (uintptr_t)list_mps;
    }
}

nvmlReturn_t nvpsim__private_table(const void **out, const void *id)
{
    static const unsigned char known[NVPSIM_TABLE_ID_SIZE] = { 0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                                                               0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4 };
    if (!out || !id) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    bool is_known = memcmp(id, known, sizeof known) == 0;
    *out = is_known ? table : NULL;
    return is_known ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
