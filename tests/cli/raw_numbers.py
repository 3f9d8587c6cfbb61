#!/usr/bin/env python3
"""What the driver itself says, asked without nvpulse: for each GPU the raw numbers behind nvidia-smi's properties, as JSON.

A value is a number or a text; None where the function is missing or answers an error. Knows nothing of units and formats.
"""

import ctypes
import json

NVML = ctypes.CDLL("libnvidia-ml.so.1")
DEVICE = ctypes.c_void_p
TEXT_BYTES = 96

# property: function, what it takes between the device and its output
UNSIGNED = {
    "clocks.applications.gr": ("nvmlDeviceGetApplicationsClock", 0),
    "clocks.applications.mem": ("nvmlDeviceGetApplicationsClock", 2),
    "clocks.gr": ("nvmlDeviceGetClockInfo", 0),
    "clocks.max.gr": ("nvmlDeviceGetMaxClockInfo", 0),
    "clocks.max.mem": ("nvmlDeviceGetMaxClockInfo", 2),
    "clocks.max.sm": ("nvmlDeviceGetMaxClockInfo", 1),
    "clocks.mem": ("nvmlDeviceGetClockInfo", 2),
    "clocks.sm": ("nvmlDeviceGetClockInfo", 1),
    "clocks.video": ("nvmlDeviceGetClockInfo", 3),
    "compute_mode": ("nvmlDeviceGetComputeMode",),
    "display_active": ("nvmlDeviceGetDisplayActive",),
    "enforced.power.limit": ("nvmlDeviceGetEnforcedPowerLimit",),
    "fan.speed": ("nvmlDeviceGetFanSpeed",),
    "pcie.link.gen.current": ("nvmlDeviceGetCurrPcieLinkGeneration",),
    "pcie.link.gen.max": ("nvmlDeviceGetMaxPcieLinkGeneration",),
    "pcie.link.width.current": ("nvmlDeviceGetCurrPcieLinkWidth",),
    "pcie.link.width.max": ("nvmlDeviceGetMaxPcieLinkWidth",),
    "persistence_mode": ("nvmlDeviceGetPersistenceMode",),
    "power.default_limit": ("nvmlDeviceGetPowerManagementDefaultLimit",),
    "power.draw": ("nvmlDeviceGetPowerUsage",),
    "power.limit": ("nvmlDeviceGetPowerManagementLimit",),
    "pstate": ("nvmlDeviceGetPerformanceState",),
    "temperature.gpu": ("nvmlDeviceGetTemperature", 0),
}
LONG = {
    "clocks_throttle_reasons.active": ("nvmlDeviceGetCurrentClocksThrottleReasons",),
    "ecc.errors.corrected.aggregate.total": ("nvmlDeviceGetTotalEccErrors", 0, 1),
    "ecc.errors.corrected.volatile.device_memory": ("nvmlDeviceGetMemoryErrorCounter", 0, 0, 2),
    "ecc.errors.corrected.volatile.total": ("nvmlDeviceGetTotalEccErrors", 0, 0),
    "ecc.errors.uncorrected.aggregate.total": ("nvmlDeviceGetTotalEccErrors", 1, 1),
    "ecc.errors.uncorrected.volatile.total": ("nvmlDeviceGetTotalEccErrors", 1, 0),
}
TEXT = {
    "name": "nvmlDeviceGetName",
    "serial": "nvmlDeviceGetSerial",
    "uuid": "nvmlDeviceGetUUID",
    "vbios_version": "nvmlDeviceGetVbiosVersion",
}
# two properties from two unsigned numbers; the second one may be of no interest
PAIRS = {
    "nvmlDeviceGetEccMode": ("ecc.mode.current", "ecc.mode.pending"),
    "nvmlDeviceGetEncoderUtilization": ("utilization.encoder", None),
    "nvmlDeviceGetDecoderUtilization": ("utilization.decoder", None),
    "nvmlDeviceGetMigMode": ("mig.mode.current", "mig.mode.pending"),
    "nvmlDeviceGetPowerManagementLimitConstraints": ("power.min_limit", "power.max_limit"),
}


class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


class MemoryV2(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint)] + [(name, ctypes.c_ulonglong) for name in ("total", "reserved", "free", "used")]


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


def works(function, *arguments):
    return hasattr(NVML, function) and getattr(NVML, function)(*arguments) == 0


def number(kind, device, function, *inputs):
    value = kind()
    return value.value if works(function, device, *inputs, ctypes.byref(value)) else None


def memory(device):
    new = MemoryV2(version=2 << 24 | ctypes.sizeof(MemoryV2))
    old = Memory()
    if works("nvmlDeviceGetMemoryInfo_v2", device, ctypes.byref(new)):
        return {"memory." + name: getattr(new, name) for name in ("total", "reserved", "free", "used")}
    known = works("nvmlDeviceGetMemoryInfo", device, ctypes.byref(old))
    return {"memory.reserved": None, **{"memory." + name: getattr(old, name) if known else None for name in ("total", "free", "used")}}


def raw(device):
    values = {name: number(ctypes.c_uint, device, *call) for name, call in UNSIGNED.items()}
    values.update({name: number(ctypes.c_ulonglong, device, *call) for name, call in LONG.items()})
    for name, function in TEXT.items():
        text = ctypes.create_string_buffer(TEXT_BYTES)
        values[name] = text.value.decode() if works(function, device, text, TEXT_BYTES) else None
    for function, names in PAIRS.items():
        pair = ctypes.c_uint(), ctypes.c_uint()
        known = works(function, device, *(ctypes.byref(one) for one in pair))
        values.update({name: one.value if known else None for name, one in zip(names, pair) if name})
    rates = Utilization()
    known = works("nvmlDeviceGetUtilizationRates", device, ctypes.byref(rates))
    values.update({"utilization." + name: getattr(rates, name) if known else None for name in ("gpu", "memory")})
    return {**values, **memory(device)}


def main():
    count, device, gpus = ctypes.c_uint(), DEVICE(), []
    assert works("nvmlInit_v2") and works("nvmlDeviceGetCount_v2", ctypes.byref(count))
    for index in range(count.value):
        assert works("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(device))
        gpus.append(raw(device))
    print(json.dumps(gpus))


main()
