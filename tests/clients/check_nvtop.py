"""nvtop shows the truth on a terminal of its own, and in its snapshot where it has one."""

import json
import os
import re
import shlex
import subprocess
import time

import machine as truth
from way import Failure, expect, require

PATIENCE_S = 60
COLUMNS, LINES = 110, 40
GIB = 1 << 30
THROUGHPUT, PROCESS_LOAD = "nvmlDeviceGetPcieThroughput", "nvmlDeviceGetProcessUtilization"
GRAPHICS = "nvmlDeviceGetGraphicsRunningProcesses"
# nvtop gives up where any of the functions that it looks for is absent; of the simulated drivers that is the oldest.
WANTED = (GRAPHICS, "nvmlDeviceGetEncoderUtilization", "nvmlDeviceGetTotalEnergyConsumption")


class Terminal:
    """A command in a terminal of its own, whose screen can be read. It stays after the command's end, which it tells."""

    made = 0

    def __init__(self, command, environment):
        Terminal.made += 1
        self.tmux = ["tmux", "-L", f"nvpulse-clients-{os.getpid()}-{Terminal.made}", "-f", "/dev/null"]
        variables = [f"{name}={value}" for name, value in {**environment, "TERM": "screen"}.items()]
        line = shlex.join(["env", "-i", *variables, *command]) + "; echo ended $?; exec cat"
        subprocess.run([*self.tmux, "new-session", "-d", "-x", str(COLUMNS), "-y", str(LINES), line], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True)

    def screen(self):
        """Its lines, with runs of blanks as one."""
        done = subprocess.run([*self.tmux, "capture-pane", "-p"], check=True, capture_output=True, text=True)
        return [re.sub(r"\s+", " ", line).strip() for line in done.stdout.splitlines()]

    def press(self, key):
        subprocess.run([*self.tmux, "send-keys", key], check=True)

    def wait(self, lacks):
        """Waits until `lacks` finds nothing missing on the screen."""
        end = time.monotonic() + PATIENCE_S
        while True:
            lines = self.screen()
            missing = lacks(lines)
            if not missing:
                return lines
            if time.monotonic() > end:
                raise Failure(f"nothing on the screen is {missing}:\n" + "\n".join(lines))
            time.sleep(0.1)


def patterns(client, way, machine):
    """What must match a line each, all spaces as one. nvtop reads the memory by the first version of the call."""
    for index, device in enumerate(truth.DEVICES):
        used, total = truth.memory(device, way.driver, 1)
        rates = [rate(device[key]) if way.driver_has(THROUGHPUT) else "N/A" for key in ("rx_kbps", "tx_kbps")]
        yield re.escape(f"Device {index} [{device['name']}] PCIe GEN 4@ 8x RX: {rates[0]} TX: {rates[1]}")
        # Clocks are cut to the width of their field.
        clock = f"GPU {device['graphics_mhz']}MHz MEM {device['memory_mhz']}M"
        heat = f"TEMP {device['temperature']}°C FAN {device['fan']}% POW {device['power_mw'] // 1000} / {device['limit_mw'] // 1000} W"
        yield re.escape(clock) + r"(?:Hz?)? " + re.escape(heat)
        load = rf"GPU\[\|* *{device['gpu']}%\] MEM\[\|* *{re.escape(size(used))}/{re.escape(size(total))}\]"
        codecs = [rf" {name}\[\|* *{device[key]}%\]" for name, key in (("ENC", "encoder"), ("DEC", "decoder")) if device[key]]
        yield load + "".join(codecs)
    unknown = "N/A" if client.name == "nvtop-new" else "0%"  # a load that the driver does not tell
    for each in machine.processes:
        kind = {"C": "Compute", "G": "Graphic"}[each["type"]]
        load = f"{each['sm']}%" if way.driver_has(PROCESS_LOAD) else unknown
        if kind == "Compute" or way.driver_has(GRAPHICS):
            yield rf"{each['pid']} {machine.user} {each['device']} {kind} {load} {each['mib']}MiB \d+% .*sleep \d+"
    ghost = truth.GHOST
    pid, mib = ghost["pid"], ghost["mib"]
    if client.name == "nvtop-new" and way.has_long_records:  # the older one knows of them
        pid, mib = 0, pid >> 20
    load = "0%" if way.driver_has(PROCESS_LOAD) else unknown
    yield rf"{pid} N/A {ghost['device']} Compute {load} {mib}MiB \d+% N/A N/A"


def size(count):
    return f"{count / GIB:.3f}Gi"


def rate(kbps):
    mib = kbps / 1024
    return f"{mib:.1f} MiB/s" if mib < 1000 else f"{mib / 1024:.3f} GiB/s"


def absent(wanted, lines):
    return [pattern for pattern in wanted if not any(re.fullmatch(pattern, line) for line in lines)]


def check(client, way, machine):
    environment = client.environment(way.folder, **machine.environment(), **way.environment)
    with Terminal(client.command(way.folder, "-p"), environment) as terminal:
        if not way.has(*WANTED):
            terminal.wait(lambda lines: absent(["No GPU to monitor.", "ended 0"], lines))
            return "gives up"
        wanted = list(patterns(client, way, machine))
        lines = terminal.wait(lambda lines: absent(wanted, lines))
        rows = [line for line in lines if re.match(r"\d+ \S+ \d (Compute|Graphic)", line)]
        expect(len(rows), sum("MiB " in pattern for pattern in wanted), "process rows")
        terminal.press("q")
        terminal.wait(lambda lines: absent(["ended 0"], lines))
    if client.name == "nvtop-new":
        check_snapshot(client.run(way.folder, "-s", **machine.environment(), **way.environment), way)
    return "ok"


def check_snapshot(done, way):
    require(done.returncode == 0, f"-s: exit {done.returncode}: {done.stderr}")
    wanted = []
    for device in truth.DEVICES:
        used, total = truth.memory(device, way.driver, 1)
        wanted.append({
            "device_name": device["name"],
            "gpu_clock": f"{device['graphics_mhz']}MHz",
            "mem_clock": f"{device['memory_mhz']}MHz",
            "temp": f"{device['temperature']}C",
            "fan_speed": f"{device['fan']}%",
            "power_draw": f"{device['power_mw'] // 1000}W",
            "gpu_util": f"{device['gpu']}%",
            "mem_util": f"{used * 100 // total}%",
        })  # fmt: skip
    expect(json.loads(done.stdout), wanted, "snapshot")
