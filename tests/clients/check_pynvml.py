"""Every function that pynvml wraps is called, and some have values on one of three machines; none crashes, none is refused for the way in which it was called, values are true."""

import json
import os

import machine as truth
from way import expect, require

CALLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pynvml_calls.py")
# Machines on which, taken together, each function of WITH_VALUES has a value: that of the tests and two built-in ones.
PROFILES = ("h100x8", "a100-mig")
LEAST_FUNCTIONS = 290
# pynvml writes None into a field of numbers where a number is not available. Through the shim, a driver without this function has
# no answer to how much memory is protected.
NONE_IN_NUMBERS = {"nvmlDeviceGetRunningProcessDetailList": "'NoneType' object cannot be interpreted as an integer"}
# What known clients use, by the ends of their names.
WITH_VALUES = [
    *(f"nvmlSystemGet{name}" for name in """DriverVersion NVMLVersion CudaDriverVersion CudaDriverVersion_v2 ProcessName
        HicVersion TopologyGpuSet""".split()),
    "nvmlUnitGetCount", "nvmlEventSetCreate", "nvmlEventSetFree",
    *(f"nvmlDeviceGet{name}" for name in """Count HandleByIndex HandleByPciBusId HandleByUUID Index MinorNumber Name UUID Serial
        Brand NumGpuCores CudaComputeCapability CpuAffinity Attributes_v2 PciInfo PciInfo_v3 MaxPcieLinkGeneration MaxPcieLinkWidth
        CurrPcieLinkGeneration CurrPcieLinkWidth PcieThroughput MemoryInfo BAR1MemoryInfo ClockInfo MaxClockInfo ApplicationsClock
        SupportedGraphicsClocks SupportedMemoryClocks UtilizationRates EncoderUtilization DecoderUtilization Temperature
        TemperatureThreshold FanSpeed FanSpeed_v2 PowerUsage PowerState PerformanceState PowerManagementLimit EnforcedPowerLimit
        TotalEnergyConsumption TotalEccErrors FieldValues ComputeMode PersistenceMode DisplayMode DisplayActive MigMode
        MaxMigDeviceCount MigDeviceHandleByIndex GpuInstanceId ComputeInstanceId ComputeRunningProcesses_v2
        ComputeRunningProcesses_v3 GraphicsRunningProcesses_v2 GraphicsRunningProcesses_v3 MPSComputeRunningProcesses_v2
        MPSComputeRunningProcesses_v3 ProcessUtilization NvLinkState NvLinkVersion NvLinkRemotePciInfo NvLinkRemoteDeviceType
        Architecture BoardId BoardPartNumber EccMode GspFirmwareVersion InforomVersion InforomImageVersion VbiosVersion
        VirtualizationMode AccountingMode MultiGpuBoard ModuleId MemoryAffinity C2cModeInfoV LastBBXFlushTime""".split()),
]  # fmt: skip


def calls(client, way, environment, device, pid, *more):
    done = client.run(way.folder, CALLS, str(device), str(pid), *more, **environment, **way.environment)
    last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
    require(done.returncode == 0, f"ended with {done.returncode}, last on stderr: {last}")
    return json.loads(done.stdout)


def gives_up(client, way):
    done = client.run(way.folder, CALLS, "0", "1", **way.environment)
    require("NVMLError_FunctionNotFound" in done.stderr, f"it did not give up: {done.stderr[-200:]}")
    return "gives up"


def check(client, way, machine):
    if not way.has("nvmlInitWithFlags"):
        return gives_up(client, way)
    answered = {}
    for index in range(len(truth.DEVICES)):
        found = calls(client, way, machine.environment(), index, machine.processes[0]["pid"], *(["moving"] if index == 0 else []))
        check_answers(found["results"], way)
        check_values(found["results"], client, way, machine, index)
        expect(found["after"].get("error"), "NVMLError_Uninitialized", "a call after the shutdown")
        if found["moved"] and way.driver_has("nvmlDeviceGetProcessUtilization", "nvmlDeviceGetTotalEnergyConsumption"):
            check_moved(*found["moved"])
        answered.update({name: each for name, each in found["results"].items() if "value" in each})
    for profile in PROFILES:
        results = calls(client, way, {"NVPULSE_SIM_PROFILE": profile}, 0, 1)["results"]
        check_answers(results, way)
        answered.update({name: each for name, each in results.items() if "value" in each})
    silent = [name for name in WITH_VALUES if name in results and way.driver_has(*results[name]["symbols"]) and name not in answered]
    expect(silent, [], "functions without a value on any machine")
    return f"{len(answered)} of {len(results)}"


def check_answers(results, way):
    """A function that the driver has is found, one that it lacks is not, and nothing fails in another way than by NVML's error."""
    require(len(results) >= LEAST_FUNCTIONS, f"only {len(results)} functions were called")
    for name, each in results.items():
        error = each.get("error", "")
        found, is_lacking = way.has(*each["symbols"]), not way.driver_has(*each["symbols"])
        if error == "NVMLLibraryMismatchError":  # pynvml's word for a function that is not there
            require(is_lacking, f"{name}: {each['text']}")
        elif name in NONE_IN_NUMBERS and is_lacking and found:
            require(not error or each["text"] == NONE_IN_NUMBERS[name], f"{name}: {error}: {each.get('text')}")
        else:
            require(not error or error.startswith("NVMLError_"), f"{name}: {error}: {each.get('text')}")
            require(found or error == "NVMLError_FunctionNotFound", f"{name}, which is not there: {error or 'a value'}")
            require(is_lacking or error != "NVMLError_FunctionNotFound", f"{name}, which is there: {error}")
        require(error not in ("NVMLError_Unknown", "NVMLError_ArgumentVersionMismatch"), f"{name}: {error}")


def true_values(way, machine, index):
    device = truth.DEVICES[index]
    used, total = truth.memory(device, way.driver, 1)
    here = [each for each in machine.processes if each["device"] == index]
    listed = {kind: sorted((each["pid"], each["mib"] << 20) for each in here if each["type"] == kind) for kind in "CG"}
    if index == truth.GHOST["device"]:
        listed["C"].append((truth.GHOST["pid"], truth.GHOST["mib"] << 20))
    values = {
        "nvmlSystemGetDriverVersion": way.driver, "nvmlSystemGetProcessName": "sleep", "nvmlDeviceGetCount": len(truth.DEVICES),
        "nvmlDeviceGetIndex": index, "nvmlDeviceGetName": device["name"], "nvmlDeviceGetUUID": device["uuid"],
        "nvmlDeviceGetSerial": device["serial"], "nvmlDeviceGetTemperature": device["temperature"],
        "nvmlDeviceGetFanSpeed": device["fan"], "nvmlDeviceGetPowerUsage": device["power_mw"],
        "nvmlDeviceGetEnforcedPowerLimit": device["limit_mw"], "nvmlDeviceGetClockInfo": device["graphics_mhz"],
        "nvmlDeviceGetUtilizationRates": {"gpu": device["gpu"], "memory": device["memory"]},
        "nvmlDeviceGetMemoryInfo": {"total": total, "used": used, "free": total - used},
        "nvmlDeviceGetCurrPcieLinkGeneration": 4, "nvmlDeviceGetCurrPcieLinkWidth": 8,
        "nvmlDeviceGetPcieThroughput": device["tx_kbps"], "nvmlDeviceGetNvLinkState": 1,
    }  # fmt: skip
    return values, listed


def check_values(results, client, way, machine, index):
    device = truth.DEVICES[index]
    values, listed = true_values(way, machine, index)
    for name, wanted in values.items():
        if way.driver_has(*results[name]["symbols"]):
            expect(results[name].get("value", results[name].get("error")), wanted, name)
    for name, wanted in (("Encoder", device["encoder"]), ("Decoder", device["decoder"])):
        found = results[f"nvmlDeviceGet{name}Utilization"]
        if way.driver_has(*found["symbols"]):
            expect(found["value"][0], wanted, name + " utilisation")
    expect(results["nvmlDeviceGetBAR1MemoryInfo"]["value"]["bar1Used"], device["bar1_used"], "BAR1 memory in use")
    bus = results["nvmlDeviceGetPciInfo"].get("value", {"busId": device["bus"]})["busId"]  # the third version is not everywhere
    expect(bus, device["bus"], "PCI address")
    for kind, word in (("C", "Compute"), ("G", "Graphics")):
        for version in ("_v2", "_v3"):
            found = results.get(f"nvmlDeviceGet{word}RunningProcesses{version}", {}).get("value")
            if found is not None:
                pairs = [(each["pid"], each["usedGpuMemory"]) for each in found]
                check_processes(pairs, listed[kind], way, f"{word} processes{version}")
    loads = results["nvmlDeviceGetProcessUtilization"]
    is_told = way.driver_has(*loads["symbols"])
    loads = {each["pid"]: each["smUtil"] for each in loads.get("value", [])}
    for each in machine.processes:
        if each["device"] == index and is_told:
            expect(loads.get(each["pid"]), each["sm"], f"utilisation of a process by {client.name}")


def check_processes(found, wanted, way, what):
    if what.endswith("_v3") and way.has_long_records and wanted:
        shifted = [wanted[0], *((0, pid) for pid, _ in wanted[1:])]
        expect(found, shifted, f"{what}, read as pynvml reads them")
        return
    expect(sorted(found), sorted(wanted), what)


def check_moved(first, last):
    for key in first:
        require(first[key] and last[key] and first[key] < last[key], f"{key} does not move: {first[key]}, then {last[key]}")
