"""What `nvpulse status` reads, read with pynvml: the shortest program that a Python user would write for it."""

import pynvml as nvml


def optional(function, *arguments):
    try:
        return function(*arguments)
    except nvml.NVMLError:
        return None


nvml.nvmlInit()
print(nvml.nvmlSystemGetDriverVersion(), optional(nvml.nvmlSystemGetCudaDriverVersion_v2))
for index in range(nvml.nvmlDeviceGetCount()):
    device = nvml.nvmlDeviceGetHandleByIndex(index)
    print(index, nvml.nvmlDeviceGetName(device), nvml.nvmlDeviceGetUUID(device), nvml.nvmlDeviceGetPciInfo(device).busId)
    print(
        optional(nvml.nvmlDeviceGetTemperature, device, nvml.NVML_TEMPERATURE_GPU),
        optional(nvml.nvmlDeviceGetPerformanceState, device),
        optional(nvml.nvmlDeviceGetPowerUsage, device),
        optional(nvml.nvmlDeviceGetEnforcedPowerLimit, device),
        optional(nvml.nvmlDeviceGetFanSpeed, device),
    )
    memory, load = optional(nvml.nvmlDeviceGetMemoryInfo, device), optional(nvml.nvmlDeviceGetUtilizationRates, device)
    print(memory and (memory.used, memory.total), load and (load.gpu, load.memory))
    for kind in ("Compute", "Graphics", "MPSCompute"):
        for each in optional(getattr(nvml, f"nvmlDeviceGet{kind}RunningProcesses"), device) or []:
            print(each.pid, kind, each.usedGpuMemory, optional(nvml.nvmlSystemGetProcessName, each.pid))
nvml.nvmlShutdown()
