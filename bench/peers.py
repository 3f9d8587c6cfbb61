#!/usr/bin/env python3
"""`nvpulse status` beside real clients that show about the same: time, processor time and driver calls, side by side in one run.

usage: peers.py --build BUILD --clients CLIENTS
BUILD is a release build; CLIENTS is where scripts/fetch-clients put the clients. One that is not there has a row that says so.
Figures are of this machine and this moment; what counts are the comparisons within one run.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scripts"))
import clients  # noqa: E402

DRIVER = "550.163.01"
GPUS = (2, 8, 64)
ROUNDS = 9
LEAST_RATIO = 10.0
STATUS = "nvpulse status"
# Name of the row, client, arguments.
SUBJECTS = (
    ("gpustat 1.0", "gpustat", ()),
    ("gpustat 1.1", "gpustat-new", ()),
    ("pynvml, the same values", "pynvml", (os.path.join(HERE, "pynvml_status.py"),)),
    ("nvtop -s", "nvtop-new", ("-s",)),
)


def subjects(build, folder):
    """Name, command and environment of each subject; a text in place of the command says why it cannot be run."""
    library = os.path.join(build, "sim", DRIVER)
    environment = {**os.environ, "NVPULSE_NVML_PATH": os.path.join(library, "libnvidia-ml.so.1")}
    yield STATUS, [os.path.join(build, "bin", "nvpulse"), "status"], environment
    for name, client, arguments in SUBJECTS:
        try:
            found = clients.Client(folder, client)
            yield f"{name} ({found.package.split()[1]})", found.command(library, *arguments), found.environment(library)
        except clients.Absent as reason:
            yield name, str(reason), {}


def run(command, environment):
    """Runs a program with its output thrown away: wall and processor time in milliseconds."""
    null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1)]
    begin = time.perf_counter()
    pid = os.posix_spawn(command[0], command, environment, file_actions=null)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begin
    if status != 0:
        raise SystemExit(f"bench/peers.py: {' '.join(command)}: status {status}")
    return wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def calls_of(command, environment, folder):
    """Driver calls of one run, as the simulated driver counts them."""
    path = os.path.join(folder, "counts")
    run(command, {**environment, "NVPULSE_SIM_COUNTS": path})
    with open(path, encoding="utf-8") as file:
        total = sum(int(line.split("\t")[2]) for line in file)
    os.remove(path)
    return total


def machine(folder, count):
    """A scenario of that many devices, each with one process that /proc knows: this one."""
    path = os.path.join(folder, f"machine-{count}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"base: h100x8\nsystem: {{num_devices: {count}}}\nprocesses:\n")
        file.write(f"  - {{pid: {os.getpid()}, name: bench, devices: all, used_memory_mib: 1024}}\n")
    return path


def measure(count, who, folder):
    """Prints the rows for that many GPUs; the median wall and processor time of each subject."""
    scenario = {"NVPULSE_SIM_SCENARIO": machine(folder, count)}
    able = [(name, command, {**environment, **scenario}) for name, command, environment in who if not isinstance(command, str)]
    times = {name: [] for name, _, _ in able}
    calls = {name: calls_of(command, environment, folder) for name, command, environment in able}
    for _ in range(ROUNDS if count < 64 else ROUNDS // 2):
        for name, command, environment in able:
            times[name].append(run(command, environment))
    print(f"\nbeside real clients, {count} simulated GPUs, medians{'':18} wall ms     CPU ms   driver calls")
    medians = {}
    for name, command, _ in who:
        if isinstance(command, str):
            print(f"  {name:54} not fetched: {command}")
            continue
        wall, cpu = medians[name] = tuple(statistics.median(column) for column in zip(*times[name]))
        print(f"  {name:54} {wall:10.2f} {cpu:10.2f} {calls[name]:14}")
    return medians


def judge(medians):
    """Prints how many times faster status is than each gpustat on two GPUs, and the limit. gpustat sleeps for a tenth of a second
    for each GPU; processor time knows nothing of that."""
    for name, (wall, cpu) in medians.items():
        if name.startswith("gpustat"):
            ratio = wall / medians[STATUS][0]
            verdict = "met" if ratio >= LEAST_RATIO else "MISSED"
            what = f"status is faster than {name} by"
            print(f"  {what:58} {ratio:10.1f} {'x':8} at least {LEAST_RATIO:5.1f}  {verdict}")
            print(f"  {'  and needs less processor time by':58} {cpu / medians[STATUS][1]:10.1f} x")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--clients", required=True)
    arguments = parser.parse_args()
    who = list(subjects(os.path.abspath(arguments.build), arguments.clients))
    with tempfile.TemporaryDirectory() as folder:
        for count in GPUS:
            medians = measure(count, who, folder)
            if count == GPUS[0]:
                judge(medians)


main()
