"""NVIDIA's own nvidia-smi prints the truth: its list, its table, -q, and its queries, which `nvpulse query` answers value by value alike.

Each nvidia-smi runs on the driver that it was made for, or a newer one of its series.
"""

import os
import re

import clients
import machine as truth
from way import expect, require

MIB = 1 << 20
CLOCK = {"NVPULSE_SIM_CLOCK": "stepped"}  # what it and nvpulse print at different times is of one time
BROKEN = ("Unknown Error", "Invalid Argument", "ERR!", "Internal error", "Mismatch")  # what a wrong answer makes it print
GPU = re.compile(r"\|\s+(\d+)\s+(\S.*?)\s+(?:On|Off)\s+\|\s+([0-9A-F:.]+)\s+(?:On|Off)\s+\|")
VALUES = re.compile(r"\|\s*(\d+)%\s+(\d+)C\s+P\d+\s+(\d+)W\s*/\s*(\d+)W\s*\|\s*(\d+)MiB\s*/\s*(\d+)MiB\s*\|\s+(\d+)%")
PROCESS = re.compile(r"\|\s+(\d+)\s+(?:N/A\s+N/A\s+)?(\d+)\s+(?:(C|G)\s+)?(\S.*?)\s+(\d+)MiB \|")

# Names of --help-query-gpu that nvpulse does not have: nothing public in NVML tells them, or nobody misses them.
ABSENT = {
    "clocks_throttle_reasons.unknown",
    "fabric.status",
    "pcie.link.gen.hostmax",
    "reset_status.drain_and_reset_recommended",
    "reset_status.reset_required",
    "vgpu_device_capability.fractional_multiVgpu",
    "vgpu_device_capability.heterogeneous_timeSlice_profile",
    "vgpu_device_capability.heterogeneous_timeSlice_sizes",
    "vgpu_driver_capability.heterogenous_multivGPU",
}


def suits(client, driver):
    """Whether there is one for this driver among the packages."""
    return client.nvidia_smi(driver) is not None


class Smi:
    """One nvidia-smi on one way to its driver."""

    def __init__(self, client, way, machine):
        self.client, self.way = client, way
        self.program = client.nvidia_smi(way.driver)
        self.release = clients.release(way.driver)
        self.environment = {**machine.environment(), **way.environment, **CLOCK}

    def run(self, *arguments):
        done = self.client.run(self.way.folder, self.program, *arguments, **self.environment)
        text = done.stdout + done.stderr
        require(done.returncode == 0 and not done.stderr, f"{arguments}: exit {done.returncode}: {text[-300:]}")
        for words in BROKEN:
            require(words not in text, f"{arguments}: it says {words!r}: {text[:2000]}")
        return done.stdout

    def is_since(self, major):
        return self.release >= (major,)


def check(client, way, machine):
    smi = Smi(client, way, machine)
    check_list(smi)
    check_table(smi, machine)
    check_report(smi, machine)
    check_query(smi)
    check_compute_apps(smi, machine)
    return "ok"


def check_list(smi):
    wanted = [f"GPU {index}: {each['name']} (UUID: {each['uuid']})" for index, each in enumerate(truth.DEVICES)]
    expect(smi.run("-L").splitlines(), wanted, "-L")


def bus_id(smi, device):
    return device["bus"] if smi.is_since(390) else device["bus"][4:]


def processes_of(smi, machine):
    """(GPU, pid, type, name, MiB), as the table has them: 340 lists what computes alone and tells no type."""
    listed = [(each["device"], each["pid"], each["type"], "sleep", each["mib"]) for each in machine.processes]
    listed.append((truth.GHOST["device"], truth.GHOST["pid"], "C", truth.GHOST["name"], truth.GHOST["mib"]))
    if not smi.is_since(390):
        listed = [(gpu, pid, None, name, mib) for gpu, pid, kind, name, mib in listed if kind == "C"]
    return sorted(listed)


def check_table(smi, machine):
    text = smi.run()
    require(f"Driver Version: {smi.way.driver} " in text, f"no driver version {smi.way.driver}: {text[:400]}")
    names, values = GPU.findall(text), VALUES.findall(text)
    expect((len(names), len(values)), (len(truth.DEVICES),) * 2, f"GPUs of the table: {text}")
    for index, device in enumerate(truth.DEVICES):
        number, name, bus = names[index]
        expect((int(number), bus), (index, bus_id(smi, device)), "GPU and address")
        require(device["name"].startswith(name.removesuffix("...")), f"name: {name!r}, not {device['name']!r}")
        used, total = truth.memory(device, smi.way.driver, 2)
        watts = (device["power_mw"] // 1000, device["limit_mw"] // 1000)
        wanted = (device["fan"], device["temperature"], *watts, used // MIB, total // MIB, device["gpu"])
        expect(tuple(map(int, values[index])), wanted, f"row of GPU {index}")
    found = [(int(gpu), int(pid), kind or None, name, int(mib)) for gpu, pid, kind, name, mib in PROCESS.findall(text)]
    expect(sorted(found), processes_of(smi, machine), "processes of the table")


def check_report(smi, machine):
    """-q, by GPU: lines "name : value", of which each name can come more than once."""
    gpus = re.split(r"(?m)^GPU (?=[0-9A-F]{4,8}:)", smi.run("-q"))[1:]
    expect(len(gpus), len(truth.DEVICES), "GPUs of -q")
    for index, (text, device) in enumerate(zip(gpus, truth.DEVICES)):
        expect(text.split()[0], bus_id(smi, device), "GPU of -q")
        lines = {tuple(part.strip() for part in line.split(" : ", 1)) for line in text.splitlines() if " : " in line}
        used, total = truth.memory(device, smi.way.driver, 2)
        wanted = {
            ("Product Name", device["name"]),
            ("GPU UUID", device["uuid"]),
            ("Serial Number", device["serial"]),
            ("Fan Speed", f"{device['fan']} %"),
            ("Total", f"{total // MIB} MiB"),
            ("Used", f"{used // MIB} MiB"),
            ("Gpu", f"{device['gpu']} %"),
            ("Memory", f"{device['memory']} %"),
            ("Graphics", f"{device['graphics_mhz']} MHz"),
            ("GPU Current Temp", f"{device['temperature']} C"),
        }
        require(wanted <= lines, f"-q of GPU {index} lacks {sorted(wanted - lines)}: {text}")
        pids = {int(value) for name, value in lines if name == "Process ID"}
        expect(pids, {pid for gpu, pid, *_ in processes_of(smi, machine) if gpu == index}, "processes of -q")


def nvpulse(smi, *arguments):
    """What `nvpulse query` prints on the same driver; the shim makes no difference to it."""
    build = os.path.dirname(os.path.dirname(smi.way.simulated))
    library = os.path.join(smi.way.simulated, "libnvidia-ml.so.1")
    environment = smi.client.environment("", **{**smi.environment, "NVPULSE_NVML_PATH": library})
    done = clients.run([os.path.join(build, "bin", "nvpulse"), "query", *arguments], environment)
    require(done.returncode == 0, f"nvpulse query {arguments}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def cells(text):
    return [line.split(", ") for line in text.splitlines()]


def as_older_ones_say(smi, name, cell, is_header):
    """A cell of nvpulse, which writes as the newest nvidia-smi does, in the words of an older one."""
    if is_header:
        return cell if smi.is_since(535) else cell.replace("clocks_event_reasons.", "clocks_throttle_reasons.")
    if name in ("pci.bus_id", "gpu_bus_id") and not smi.is_since(390):
        return cell[4:]
    return cell if smi.is_since(418) else cell.replace("[N/A]", "[Not Supported]")


def check_query(smi):
    listed = re.findall(r'(?m)^("[a-z].*)$', smi.run("--help-query-gpu"))
    names = [name for line in listed for name in re.findall(r'"([^"]+)"', line)]
    require(len(names) > 90, f"--help-query-gpu lists {names}")
    known = set(re.findall(r'"([^"]+)"', nvpulse(smi, "--help-query-gpu")))
    missing = {name for name in names if name not in known}
    require(missing <= ABSENT, f"nvpulse query does not know {sorted(missing - ABSENT)}")
    names = [name for name in names if name in known and name != "timestamp"]
    for options in ("csv", "csv,nounits"):
        arguments = (f"--query-gpu={','.join(names)}", f"--format={options}")
        theirs, ours = cells(smi.run(*arguments)), cells(nvpulse(smi, *arguments))
        expect((len(theirs), len(ours)), (1 + len(truth.DEVICES),) * 2, "lines of --query-gpu")
        for row, (their, our) in enumerate(zip(theirs, ours)):
            expect((len(their), len(our)), (len(names),) * 2, "cells of a line of --query-gpu")
            for name, said, cell in zip(names, their, our):
                expect(as_older_ones_say(smi, name, cell, row == 0), said, f"nvpulse query {name}, line {row}, {options}")


def check_compute_apps(smi, machine):
    arguments = ("--query-compute-apps=gpu_uuid,pid,process_name,used_memory", "--format=csv")
    theirs, ours = smi.run(*arguments).splitlines(), nvpulse(smi, *arguments).splitlines()
    listed = [each for each in processes_of(smi, machine) if each[2] != "G"]
    expect(len(theirs), 1 + len(listed), "lines of --query-compute-apps")
    for gpu, pid, _, name, mib in listed:
        wanted = f"{truth.DEVICES[gpu]['uuid']}, {pid}, {name}, {mib} MiB"
        if smi.is_since(390):  # 340 gives each process of a GPU the name of the first
            require(wanted in theirs, f"--query-compute-apps lacks {wanted}: {theirs}")
        require(wanted in ours, f"nvpulse query lacks {wanted}: {ours}")
    expect(ours[0], theirs[0], "header of --query-compute-apps")
    if smi.is_since(390):
        expect(sorted(ours), sorted(theirs), "nvpulse query --query-compute-apps")
