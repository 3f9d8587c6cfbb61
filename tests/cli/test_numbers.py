"""Each number that is shown is the one that the driver says, in the unit that stands behind it, on old and new drivers."""

import json
import os
import re
import sys
import unittest

import harness

MACHINES = ("h100x8", "a100-mig", "gb10", "laptop", "rtx4090x2")
DRIVERS = ("390", "535.309", "610")
RAW = os.path.join(os.path.dirname(os.path.abspath(__file__)), "raw_numbers.py")
MIB, GIB = 1 << 20, 1 << 30

STATES = ("display_active", "ecc.mode.current", "ecc.mode.pending", "mig.mode.current", "mig.mode.pending", "persistence_mode")
COMPUTE_MODES = ("Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process")


def as_nvidia_smi(name, value):
    """A raw number as nvidia-smi writes it, without its unit."""
    if value is None:
        return "[N/A]"
    if name in STATES:
        return ("Disabled", "Enabled")[value]
    if name == "compute_mode":
        return COMPUTE_MODES[value]
    if name == "pstate":
        return f"P{value}"
    if name.startswith("memory."):
        return str(-(-value // MIB))
    if "power" in name:
        return f"{value / 1000:.2f}"
    return f"0x{value:016X}" if name == "clocks_throttle_reasons.active" else str(value)


def as_status(gpu):
    """What the line of a GPU shows of its raw numbers."""
    def shown(name, form):
        return "N/A" if gpu[name] is None else form(gpu[name])

    watts = shown("power.draw", lambda value: f"{value / 1000:.0f}")
    limit = shown("enforced.power.limit", lambda value: f"/{value / 1000:.0f}")
    total = gpu["memory.total"]
    return [
        gpu["name"],
        shown("utilization.gpu", "{}%".format),
        shown("utilization.memory", "{}%".format),
        "unified" if total is None else f"{gpu['memory.used'] / GIB:.1f}/{total / GIB:.1f} GiB",
        shown("temperature.gpu", "{}°C".format),
        "N/A" if watts == "N/A" else f"{watts}{limit if limit != 'N/A' else ''} W",
        shown("fan.speed", "{}%".format),
    ]


@unittest.skipIf(harness.is_sanitized(), "Python cannot load a library with sanitizers")
class NumbersTest(harness.CommandTest):
    def on(self, machine, driver, *command):
        sim = [harness.program(), "sim", "--profile", machine, "--driver", driver, "--clock", "stepped", "--", *command]
        return self.assert_result(harness.execute(sim, harness.environment()), 0, err="").out

    def for_each_machine(self, compare):
        for machine in MACHINES:
            for driver in DRIVERS:
                with self.subTest(machine=machine, driver=driver):
                    compare(machine, driver, json.loads(self.on(machine, driver, sys.executable, "-B", RAW)))

    def test_query(self):
        def compare(machine, driver, gpus):
            names = sorted(gpus[0])
            out = self.on(machine, driver, harness.program(), "query", "--query-gpu=" + ",".join(names), "--format=csv,noheader,nounits")
            rows = [dict(zip(names, line.split(", "))) for line in out.splitlines()]
            self.assertEqual(rows, [{name: as_nvidia_smi(name, value) for name, value in gpu.items()} for gpu in gpus])

        self.for_each_machine(compare)

    def test_status(self):
        def compare(machine, driver, gpus):
            table = self.on(machine, driver, harness.program(), "status", "--width", "0", "--color=never").split("\n\n")[0]
            rows = [[cell.strip() for cell in line.split("│")] for line in table.splitlines() if re.match(r" *\d+ │", line)]
            shown = [["unified" if cell.startswith("unified ") else cell for cell in row[1:8]] for row in rows]
            self.assertEqual(shown, [as_status(gpu) for gpu in gpus])

        self.for_each_machine(compare)
