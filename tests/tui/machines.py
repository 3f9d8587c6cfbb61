"""Machines for the screens that are compared with recorded ones. Holds no test."""

import os

HANG = """
base: h100x8
faults:
  - {device: 3, hang: true, after_calls: 20}
"""
HANGING_OPEN = """
base: h100x8
faults:
  - {function: nvmlInitWithFlags, hang: true}
  - {function: nvmlInit_v2, hang: true}
"""
HANGING_CLOSE = """
base: h100x8
faults:
  - {function: nvmlShutdown, hang: true}
"""
LOST = """
base: h100x8
devices:
  - {index: 2, lost: true}
"""
MANY = """
base: h100x8
system: {num_devices: 64}
"""

# Name of the recorded screens, and what starts such a machine.
MACHINES = {
    "h100x8": {"profile": "h100x8"},
    "rtx4090x2": {"profile": "rtx4090x2"},
    "a100-mig": {"profile": "a100-mig"},
    "gb10": {"profile": "gb10", "driver": "580.65.06"},
    "laptop-asleep": {"profile": "laptop"},
    "wddm": {"profile": "wddm"},
    "lost": {"scenario": LOST},
    "stalled": {"scenario": HANG},
    "64": {"scenario": MANY},
}
SIZES = ((40, 10), (80, 24), (120, 40), (250, 80))

FILES = {
    "proc/sys/kernel/hostname": "node-17\n",
    "proc/uptime": "356400.25 8000000.00\n",
    "proc/loadavg": "3.25 2.50 1.75 2/1234 4242\n",
    "proc/stat": "cpu  1000 0 500 8500 0 0 0 0 0 0\ncpu0 1000 0 500 8500 0 0 0 0 0 0\nbtime 1790000000\n",
    "proc/meminfo": "MemTotal: 131072000 kB\nMemFree: 60000000 kB\nMemAvailable: 98304000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
}


def root(folder, **more):
    """Writes what the system says of such a machine, always the same; returns its folder."""
    top = os.path.join(folder, "root")
    for name, text in {**FILES, **more}.items():
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return top
