"""gpustat prints the truth, as text and as JSON."""

import json

import machine as truth
from way import expect, require

MIB = 1 << 20
GRAPHICS = "nvmlDeviceGetGraphicsRunningProcesses"  # the oldest driver has no such list, and nothing can serve it


def lists_processes(client, way):
    """The older one knows the third process call alone, the newer one the second too. Through the shim both are there."""
    calls = ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2")
    return way.has(calls[0]) or (client.name == "gpustat-new" and way.has(calls[1]))


def gives_up(client, way):
    """The words with which it ends where the driver is too old for it; None where it is not."""
    if not way.has("nvmlInitWithFlags"):
        return "Error on querying NVIDIA devices. Use --debug flag"
    if client.name == "gpustat-new" and not (lists_processes(client, way) and way.driver_has(GRAPHICS)):
        return "Unversioned function called and the pyNVML version does not match the NVML lib version"
    return None


def memory_version(client, way):
    return 2 if client.name == "gpustat-new" and way.has("nvmlDeviceGetMemoryInfo_v2") else 1


def processes_on(way, machine, device):
    """Those that /proc has, which gpustat looks into: compute before graphics."""
    here = [each for each in machine.processes if each["device"] == device]
    return [each for kind in ("CG" if way.driver_has(GRAPHICS) else "C") for each in here if each["type"] == kind]


def entry(client, way, machine, index):
    device = truth.DEVICES[index]
    used, total = truth.memory(device, way.driver, memory_version(client, way))
    found = lists_processes(client, way)
    return {
        "index": index,
        "uuid": device["uuid"],
        "name": device["name"],
        "temperature.gpu": device["temperature"],
        "fan.speed": device["fan"],
        "utilization.gpu": device["gpu"],
        "utilization.enc": device["encoder"],
        "utilization.dec": device["decoder"],
        "power.draw": device["power_mw"] // 1000,
        "enforced.power.limit": device["limit_mw"] // 1000,
        "memory.used": used // MIB,
        "memory.total": total // MIB,
        "processes": [(each["pid"], each["mib"]) for each in processes_on(way, machine, index)] if found else None,
    }


def line(wanted, user):
    """The line of a device in the text."""
    w = {key.replace(".", "_"): value for key, value in wanted.items()}
    listed = " (Not Supported)"
    if w["processes"] is not None:
        listed = "".join(f" {user}:sleep/{pid}({mib}M)" for pid, mib in w["processes"])
    width = max(len(device["name"]) for device in truth.DEVICES)
    return (
        f"[{w['index']}] {w['name']:{width}} | {w['temperature_gpu']}°C, {w['fan_speed']:>3} %, {w['utilization_gpu']:>3} % "
        f"(E: {w['utilization_enc']:>3} %  D: {w['utilization_dec']:>3} %),  {w['power_draw']:>3} / {w['enforced_power_limit']} W | "
        f"{w['memory_used']:>5} / {w['memory_total']} MB |{listed}"
    )


def check(client, way, machine):
    text = client.run(way.folder, "--no-color", "-cupF", "-e", "-P", **machine.environment(), **way.environment)
    words = gives_up(client, way)
    if words:
        require(text.returncode == 1 and words in text.stdout + text.stderr, f"it did not give up: {text.stdout}{text.stderr}")
        return "gives up"
    wanted = [entry(client, way, machine, index) for index in range(len(truth.DEVICES))]
    lines = text.stdout.rstrip().splitlines()
    require(lines and lines[0].split()[-1] == way.driver, f"no driver {way.driver} in the first line: {text.stdout}{text.stderr}")
    for found, each in zip(lines[1:], wanted):
        expect(found, line(each, machine.user), "line of a device")
    expect(len(lines), 1 + len(wanted), "lines")
    check_json(client.run(way.folder, "--json", **machine.environment(), **way.environment), wanted, way, machine)
    return "ok" if wanted[0]["processes"] is not None else "no processes"


def check_json(done, wanted, way, machine):
    require(done.returncode == 0, f"--json: exit {done.returncode}: {done.stderr}")
    document = json.loads(done.stdout)
    expect(document["driver_version"], way.driver, "driver_version")
    for device in document["gpus"]:
        for process in device["processes"] or []:
            expect((process["command"], process["username"]), ("sleep", machine.user), "process")
        if device["processes"] is not None:
            device["processes"] = [(each["pid"], each["gpu_memory_usage"]) for each in device["processes"]]
    expect(document["gpus"], wanted, "gpus")
