#!/usr/bin/env python3
"""Calls every function that pynvml wraps, with plausible arguments, and prints what each gave, as JSON.

usage: pynvml_calls.py DEVICE-INDEX PID [moving]
Runs on the pynvml that PYTHONPATH leads to; knows nothing of what is right. For each function: its value or the class of its
exception, and the symbols of the library that it asked for. The last line printed before a crash, on stderr, names the function.
"""

import ctypes
import inspect
import json
import re
import sys
import time

import pynvml

CHANGES = re.compile(r"Set(?!Create|Wait|Free)|Reset|Clear|Create(?!d)|Destroy|Remove|Modify|Freeze|Validate")
ENDS = re.compile(r"EventSetFree|SampleFree|InstanceDestroy|RemoveGpu")
FRAME = {"nvmlInit", "nvmlInitWithFlags", "nvmlShutdown"}  # called around all others
OF_MIG = {"nvmlDeviceGetAttributes", "nvmlDeviceGetAttributes_v2", "nvmlDeviceGetGpuInstanceId", "nvmlDeviceGetComputeInstanceId"}
HELPERS = {"nvmlExceptionClass", "nvmlStructToFriendlyObject", "nvmlFriendlyObjectToStruct"}  # not of the library
OUTPUTS = {
    "moduleId minSpeed maxSpeed isEnabled defaultMode minClockMHz maxClockMHz countRef": ctypes.c_uint,
    "minOffset maxOffset": ctypes.c_int,
}
# Structs of pynvml's that the caller makes: parameters that it passes on as they are get a reference, others the struct itself.
REFERENCES = {
    "c_info": "nvmlPciInfoExt_v1_t",
    "c_clkMonInfo": "nvmlClkMonStatus_t",
    "c_dynamicpstatesinfo": "c_nvmlGpuDynamicPstatesInfo_t",
    "c_thermalsettings": "c_nvmlGpuThermalSettings_t",
    "gpuFabricInfo": "c_nvmlGpuFabricInfo_t",
    "placement": "c_nvmlGpuInstancePlacement_t",
    "settings": "c_nvmlSystemConfComputeSettings_v1_t",
    "status": "c_nvmlEccSramErrorStatus_v1_t",
}
STRUCTS = {
    "current": "c_nvmlVgpuVersion_t",
    "pgpuMetadata": "c_nvmlVgpuPgpuMetadata_t",
    "sched_state": "c_nvmlVgpuSchedulerSetState_t",
    "supported": "c_nvmlVgpuVersion_t",
    "vgpuMetadata": "c_nvmlVgpuMetadata_t",
    "vgpuVersion": "c_nvmlVgpuVersion_t",
}
NUMBERS = {
    "errorType": 0, "counterType": 0, "nodeSetSize": 4, "cpuSetSize": 4, "timeoutms": 10, "memoryClockMHz": 10501,
    "minGpuClockMHz": 210, "maxGpuClockMHz": 1500, "minMemClockMHz": 405, "maxMemClockMHz": 10501, "maxGraphicsClockMHz": 2505,
    "limit": 250000, "level": 50, "vgpuTypeId": 1, "vgpuInstance": 1, "temp": 85, "speed": 50, "eventTypes": 8, "mode": 0,
    "encoder_capacity": 50, "c_ccMemSize": 1024,
}  # fmt: skip


class Machine:
    """What is found on the machine and given to functions that want it."""

    def __init__(self, index, pid):
        self.device = pynvml.nvmlDeviceGetHandleByIndex(index)
        self.other = pynvml.nvmlDeviceGetHandleByIndex(0 if index else min(1, pynvml.nvmlDeviceGetCount() - 1))
        self.pid = pid

    def found(self, function, *arguments):
        """What a function gives; NULL where it gives nothing."""
        try:
            return getattr(pynvml, function)(*arguments)
        except Exception:  # pylint: disable=broad-except # whatever it was, it is noted where the function itself is called
            return None

    def of_mig(self):
        device = self.found("nvmlDeviceGetMigDeviceHandleByIndex", self.device, 0)
        number = self.found("nvmlDeviceGetGpuInstanceId", device) or 0
        instance = self.found("nvmlDeviceGetGpuInstanceById", self.device, number)
        compute = self.found("nvmlGpuInstanceGetComputeInstanceById", instance, 0) if instance else None
        return device, instance, compute

    def argument(self, name, function):
        """A plausible argument."""
        whole, instance, compute = self.of_mig()
        pci = self.found("nvmlDeviceGetPciInfo", self.device)
        made = {
            "handle": lambda: self.device, "device": lambda: whole if function in OF_MIG and whole else self.device, "device1": lambda: self.device,
            "handle1": lambda: self.device, "device2": lambda: self.other, "handle2": lambda: self.other,
            "migDevice": lambda: whole, "gpuInstance": lambda: instance, "computeInstance": lambda: compute,
            "uuid": lambda: self.found("nvmlDeviceGetUUID", self.device),
            "serial": lambda: self.found("nvmlDeviceGetSerial", self.device) or "0",
            "pciBusId": lambda: pci.busId, "pciInfo": lambda: pci, "c_nonce": lambda: bytes(32),
            "pid": lambda: self.pid, "unit": lambda: None, "fieldIds": lambda: [83, 1, 82],
            "eventSet": pynvml.nvmlEventSetCreate,
            "gpmSample": lambda: self.found("nvmlGpmSampleAlloc"),
            "metricsGet": self.metrics, "control": lambda: self.control(function),
            "placementsRef": lambda: (pynvml.c_nvmlGpuInstancePlacement_t * 64)(),
            "gpuInstancesRef": lambda: (ctypes.c_void_p * 64)(), "computeInstancesRef": lambda: (ctypes.c_void_p * 64)(),
            "fanControlPolicy": lambda: ctypes.byref(ctypes.c_uint()) if "Get" in function else 0,
            "version": lambda: self.version(function), "isRestricted": lambda: 0,
        }  # fmt: skip
        for names, kind in OUTPUTS.items():
            made.update({each: lambda kind=kind: ctypes.byref(kind(64)) for each in names.split()})
        made.update({each: lambda kind=kind: getattr(pynvml, kind)() for each, kind in STRUCTS.items()})
        made.update({each: lambda kind=kind: ctypes.byref(self.versioned(kind, function)) for each, kind in REFERENCES.items()})
        return made[name]() if name in made else NUMBERS.get(name, 0)

    def metrics(self):
        """One GPM metric, the graphics load, between two samples."""
        samples = [self.found("nvmlGpmSampleAlloc") for _ in range(2)]
        request = pynvml.c_nvmlGpmMetricsGet_t(version=pynvml.NVML_GPM_METRICS_GET_VERSION, numMetrics=1)
        for sample in samples:
            self.found("nvmlGpmSampleGet", self.device, sample)
            time.sleep(0.01)
        request.sample1, request.sample2 = samples
        request.metrics[0].metricId = 1
        return request

    @staticmethod
    def control(function):
        return pynvml.nvmlNvLinkUtilizationControl_t() if function == "nvmlDeviceSetNvLinkUtilizationControl" else 0

    @staticmethod
    def version(function):
        if function == "nvmlDeviceGetRunningProcessDetailList":
            return pynvml.nvmlProcessDetailList_v1 if hasattr(pynvml, "nvmlProcessDetailList_v1") else 0x1000010
        return ctypes.create_string_buffer(80)  # of the GSP firmware: an output

    @staticmethod
    def versioned(kind, function):
        """A struct of pynvml's, with its version word if it has one."""
        made = getattr(pynvml, "c_nvmlGpuFabricInfoV_t" if function == "nvmlDeviceGetGpuFabricInfoV" else kind)()
        if hasattr(made, "version") and not made.version:
            made.version = ctypes.sizeof(made) | (2 if "FabricInfoV" in type(made).__name__ else 1) << 24
        return made


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, (ctypes.Structure, ctypes.Union)):
        return {field[0]: plain(getattr(value, field[0])) for field in value._fields_}
    if isinstance(value, ctypes.Array) or isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, ctypes._SimpleCData):
        return value.value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (int, float, str)) or value is None:
        return value
    return plain(vars(value)) if hasattr(value, "__dict__") and vars(value) else type(value).__name__


def note_symbols():
    """Makes pynvml note each symbol that it looks up."""
    asked, look_up = [], pynvml._nvmlGetFunctionPointer

    def noting(name):
        asked.append(name)
        return look_up(name)

    pynvml._nvmlGetFunctionPointer = noting
    return asked


def call(name, machine, asked):
    function = getattr(pynvml, name)
    parameters = inspect.signature(function).parameters.values()
    arguments = [machine.argument(each.name, name) for each in parameters if each.default is each.empty]
    del asked[:]
    try:
        return {"value": plain(function(*arguments)), "symbols": list(asked)}
    except Exception as problem:  # pylint: disable=broad-except # all kinds are reported
        return {"error": type(problem).__name__, "text": str(problem), "symbols": list(asked)}


def reading(machine):
    samples = machine.found("nvmlDeviceGetProcessUtilization", machine.device, 0)
    energy = machine.found("nvmlDeviceGetTotalEnergyConsumption", machine.device)
    return {"energy_mj": energy, "sample_us": samples and max(sample.timeStamp for sample in samples)}


def moving(machine):
    """What a counter and the last sample were at first, and when both had moved, or after ten seconds."""
    first = now = reading(machine)
    end = time.monotonic() + 10
    while any(now[key] is not None and now[key] == first[key] for key in first) and time.monotonic() < end:
        time.sleep(0.05)
        now = reading(machine)
    return [first, now]


def main():
    pynvml.nvmlInit()
    machine, asked = Machine(int(sys.argv[1]), int(sys.argv[2])), note_symbols()
    names = [name for name, value in vars(pynvml).items() if re.match(r"nvml[A-Z]", name) and inspect.isfunction(value)]
    names = [name for name in names if name not in FRAME and name not in HELPERS]
    names.sort(key=lambda name: (bool(ENDS.search(name)), bool(CHANGES.search(name))))
    results, moved = {}, moving(machine) if "moving" in sys.argv else None
    for name in names:
        print(name, file=sys.stderr, flush=True)
        results[name] = call(name, machine, asked)
    pynvml.nvmlShutdown()
    after = call("nvmlDeviceGetCount", machine, asked)
    json.dump({"results": results, "moved": moved, "after": after}, sys.stdout)


main()
