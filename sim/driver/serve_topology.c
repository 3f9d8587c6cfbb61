/*
 * Answers about the place of a device in the machine: CPUs, NUMA nodes, ways to other devices.
 */
#include <string.h>

#include "driver/serve.h"

static void cpus_put(const nvpsim_device *device, unsigned int size, unsigned long *set)
{
    for (unsigned i = 0; i < size; i++) {
        set[i] = i < NVPSIM_CPU_WORDS ? device->cpus[i] : 0;
    }
}

/* The first drivers had a set of words of 32 bits. */
static void cpus_put_narrow(const nvpsim_device *device, unsigned int size, unsigned *set)
{
    for (unsigned i = 0; i < size; i++) {
        set[i] = i / 2 < NVPSIM_CPU_WORDS ? (unsigned)(device->cpus[i / 2] >> (i % 2 * 32)) : 0;
    }
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned int cpuSetSize, unsigned long *cpuSet)
{
    if (!cpuSet || cpuSetSize == 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (nvpsim__driver_since(375, 20, 0)) {
        cpus_put(nvpsim__device_of(device), cpuSetSize, cpuSet);
    } else {
        cpus_put_narrow(nvpsim__device_of(device), cpuSetSize, (unsigned *)(void *)cpuSet);
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned int cpuSetSize,
                                                               unsigned long *cpuSet, nvmlAffinityScope_t scope)
{
    if (scope != NVML_AFFINITY_SCOPE_NODE && scope != NVML_AFFINITY_SCOPE_SOCKET) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return nvpsim__serve_nvmlDeviceGetCpuAffinity(device, cpuSetSize, cpuSet);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned int nodeSetSize, unsigned long *nodeSet,
                                                       nvmlAffinityScope_t scope)
{
    if (!nodeSet || nodeSetSize == 0 || (scope != NVML_AFFINITY_SCOPE_NODE && scope != NVML_AFFINITY_SCOPE_SOCKET)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    memset(nodeSet, 0, nodeSetSize * sizeof *nodeSet);
    nodeSet[0] = 1ul << nvpsim__device_of(device)->numa_node;
    return NVML_SUCCESS;
}

static nvmlGpuTopologyLevel_t level_between(const nvpsim_device *a, const nvpsim_device *b)
{
    if (a == b) {
        return NVML_TOPOLOGY_INTERNAL;
    }
    if (a->numa_node != b->numa_node) {
        return NVML_TOPOLOGY_SYSTEM;
    }
    const nvpsim_number *stated = &a->spec->topology_level;
    return stated->state == NVPSIM_GIVEN ? (nvmlGpuTopologyLevel_t)stated->value : NVML_TOPOLOGY_NODE;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device1, nvmlDevice_t device2,
                                                               nvmlGpuTopologyLevel_t *pathInfo)
{
    const nvpsim_device *second = nvpsim__device_find(device2);
    if (!second || !pathInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *pathInfo = level_between(nvpsim__device_of(device1), second);
    return NVML_SUCCESS;
}

/** One list of handles under way: what is asked for and what has been found. */
typedef struct handle_list {
    unsigned room, found;
    nvmlDevice_t *handles;
} handle_list;

/* Devices that the session does not have are left out. */
static void handle_add(handle_list *list, unsigned index)
{
    const nvpsim_session *live = atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
    struct nvmlDevice_st *handle = live ? nvpsim__session_handle(live, index) : NULL;
    if (!handle) {
        return;
    }
    if (list->handles && list->found < list->room) {
        list->handles[list->found] = handle;
    }
    list->found++;
}

/* Count 0 asks for the number; with room, as many as fit are written. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t device, nvmlGpuTopologyLevel_t level,
                                                            unsigned int *count, nvmlDevice_t *deviceArray)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!count || (*count > 0 && !deviceArray) || (unsigned)level > NVML_TOPOLOGY_SYSTEM) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    handle_list list = { *count, 0, deviceArray };
    for (unsigned i = 0; i < nvpsim__world_count(nvpsim__world); i++) {
        const nvpsim_device *other = nvpsim__world_device(nvpsim__world, i);
        if (other->index != own->index && level_between(own, other) <= level) {
            handle_add(&list, i);
        }
    }
    *count = list.room == 0 || list.found < list.room ? list.found : list.room;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlSystemGetTopologyGpuSet(unsigned int cpuNumber, unsigned int *count, nvmlDevice_t *deviceArray)
{
    const unsigned bits = 8 * sizeof(unsigned long);
    if (!count || (*count > 0 && !deviceArray)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    handle_list list = { *count, 0, deviceArray };
    for (unsigned i = 0; i < nvpsim__world_count(nvpsim__world); i++) {
        const nvpsim_device *device = nvpsim__world_device(nvpsim__world, i);
        if (cpuNumber / bits < NVPSIM_CPU_WORDS && (device->cpus[cpuNumber / bits] >> (cpuNumber % bits)) & 1) {
            handle_add(&list, i);
        }
    }
    *count = list.room == 0 || list.found < list.room ? list.found : list.room;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetP2PStatus(nvmlDevice_t device1, nvmlDevice_t device2, nvmlGpuP2PCapsIndex_t p2pIndex,
                                                  nvmlGpuP2PStatus_t *p2pStatus)
{
    const nvpsim_device *first = nvpsim__device_of(device1), *second = nvpsim__device_find(device2);
    if (!second || !p2pStatus || first->index == second->index || (unsigned)p2pIndex > NVML_P2P_CAPS_INDEX_PROP) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    bool has_nvlink = first->nvlinks > 0 && second->nvlinks > 0;
    *p2pStatus = has_nvlink ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_CHIPSET_NOT_SUPPORTED;
    return NVML_SUCCESS;
}
