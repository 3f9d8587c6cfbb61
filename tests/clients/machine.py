"""The machine that the clients are shown: what is true of it, and the scenario that the simulated driver reads.

All values stand still while the clock runs, so that what a client prints can be compared exactly; counters and samples move.
"""

import contextlib
import os
import pwd
import subprocess
import tempfile

from clients import release

MIB = 1 << 20
DEVICES = (
    {
        "name": "NVIDIA GeForce RTX 4090", "uuid": "GPU-0d6f2b1c-8a54-4c1e-9b7d-2f6a51c0e341", "bus": "00000000:01:00.0",
        "gpu": 61, "memory": 23, "encoder": 22, "decoder": 7, "temperature": 57, "fan": 41, "power_mw": 312500,
        "limit_mw": 450000, "total": 24564 * MIB, "reserved": 424 * MIB, "used": 9216 * MIB, "graphics_mhz": 2520,
        "memory_mhz": 10501, "rx_kbps": 1310720, "tx_kbps": 655360, "bar1_used": 32 * MIB, "serial": "1562723017453",
    },
    {
        "name": "NVIDIA RTX A6000", "uuid": "GPU-7be94a20-51c3-4f0b-8d26-90ab3c4de572", "bus": "00000000:41:00.0",
        "gpu": 34, "memory": 11, "encoder": 0, "decoder": 0, "temperature": 44, "fan": 30, "power_mw": 88250,
        "limit_mw": 300000, "total": 49140 * MIB, "reserved": 612 * MIB, "used": 20480 * MIB, "graphics_mhz": 1410,
        "memory_mhz": 7600, "rx_kbps": 204800, "tx_kbps": 409600, "bar1_used": 8 * MIB, "serial": "1562723017454",
    },
)  # fmt: skip
# Device, MiB and type of each process that really runs, and of one that is only simulated: GHOST.
PROCESSES = ((0, 5120, "C"), (1, 17408, "C"), (1, 1024, "G"))
GHOST = {"pid": 4200001, "device": 0, "mib": 300, "name": "/opt/ghost"}
# The devices are linked with each other.
NVLINK = {"version": 3, "links": 4, "mbps": 25000}
DEVICE = """
  - index: {index}
    name: "{name}"
    uuid: {uuid}
    serial: "{serial}"
    pci: {{bus_id: "{bus}"}}
    utilization: {{gpu: {gpu}, memory: {memory}, encoder: {encoder}, decoder: {decoder}}}
    thermal: {{temperature_gpu_c: {temperature}}}
    fan: {{count: 1, speed_percent: {fan}}}
    power: {{current_draw_mw: {power_mw}, enforced_limit_mw: {limit_mw}, default_limit_mw: {limit_mw}}}
    memory: {{total_bytes: {total}, reserved_bytes: {reserved}, used_bytes: {used}}}
    bar1_memory: {{used_bytes: {bar1_used}}}
    clocks: {{graphics_current: {graphics_mhz}, sm_current: {graphics_mhz}, memory_current: {memory_mhz}}}
    pcie: {{current_link_gen: 4, current_link_width: 8, rx_throughput_kbps: {rx_kbps}, tx_throughput_kbps: {tx_kbps}}}
"""


class Machine:
    """The scenario file and the processes that it names, which run as long as the machine is used."""

    def __init__(self, path, pids):
        self.path, self.user = path, pwd.getpwuid(os.getuid()).pw_name
        self.processes = [
            {"pid": pid, "device": device, "mib": mib, "type": kind, "sm": self.share(device, mib)}
            for pid, (device, mib, kind) in zip(pids, PROCESSES)
        ]

    @staticmethod
    def share(device, mib):
        """The load of a process: that of the device for the first, of which the others leave it nothing."""
        first = next(each for each in PROCESSES if each[0] == device)
        return DEVICES[device]["gpu"] if first[1] == mib else 0

    def text(self):
        lines = ["base: rtx4090x2", f"nvlink: {{version: {NVLINK['version']}, links_per_gpu: {NVLINK['links']}}}", "devices:"]
        lines += [DEVICE.format(index=index, **device).strip("\n") for index, device in enumerate(DEVICES)]
        lines.append("processes:")
        for each in self.processes:
            lines.append("  - {{pid: {pid}, type: {type}, device: {device}, used_memory_mib: {mib}, sm_util: {sm}}}".format(**each))
        lines.append("  - {{pid: {pid}, name: {name}, device: {device}, used_memory_mib: {mib}, sm_util: 0}}".format(**GHOST))
        return "\n".join(lines) + "\n"

    def environment(self):
        return {"NVPULSE_SIM_SCENARIO": self.path}


@contextlib.contextmanager
def running():
    """A machine, for the time of a with statement."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        pids = []
        for number, _ in enumerate(PROCESSES):
            process = subprocess.Popen(["sleep", str(100000 + number)])
            stack.callback(process.wait)
            stack.callback(process.kill)
            pids.append(process.pid)
        machine = Machine(os.path.join(folder, "machine.yaml"), pids)
        with open(machine.path, "w", encoding="utf-8") as file:
            file.write(machine.text())
        yield machine


def memory(device, driver, version):
    """Used and total bytes as a driver's function of that version gives them; old drivers have one, which leaves out the reserve."""
    if release(driver) < (510,):
        return device["used"], device["total"] - device["reserved"]
    return device["used"] + (device["reserved"] if version == 1 else 0), device["total"]
