#!/usr/bin/env python3
"""`nvpulse top` beside Debian's nvtop on the same simulated machines, side by side in one run: processor time of a refresh, time to
the first picture and to the first numbers in it; and of nvpulse top its memory over many refreshes and what it does between them.

usage: top.py --build BUILD --clients CLIENTS
BUILD is a release build; CLIENTS is where scripts/fetch-clients put the clients. One that is not there has a row that says so.
Figures are of this machine and this moment; what counts are the comparisons within one run.
"""

import argparse
import fcntl
import os
import pty
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scripts"))
import clients  # noqa: E402

DRIVER = "550.163.01"
GPUS = (2, 8, 64)
COLUMNS, ROWS = 160, 50
INTERVAL_S = 0.5
REFRESHES = 16
FIRST_ROUNDS = 9
MANY = 10000  # refreshes whose memory is looked at
KEYS = MANY + MANY // 20  # one that comes while a sample is under way may share the next with another
KEY_S = 0.02  # the longest wait for what a key brings about
IDLE_S = 3.0
LIMIT_S = 300
TOP = "nvpulse top"
PICTURE = re.compile(rb"command|h100", re.IGNORECASE)  # a heading of processes, or a GPU: the picture is there
NUMBERS = re.compile(rb"\d ?/ ?\d+ ?W|\d\xc2\xb0")  # the power of a GPU, or its temperature: its numbers are there, too
NOTHING = "true, which draws nothing: what starting costs"


class Screen:
    """A program on a terminal of its own, whose output is read and thrown away."""

    def __init__(self, command, environment):
        self.seen, self.has_picture, self.has_numbers = b"", threading.Event(), threading.Event()
        self.has_news = threading.Event()
        self.terminal, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.began = time.perf_counter()
        # No fork(): a copy of this program would cost more than what is measured.
        self.process = subprocess.Popen(command, env=environment, stdin=its, stdout=its, stderr=its, start_new_session=True)
        self.pid = self.process.pid
        os.close(its)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        os.close(self.terminal)

    def read(self):
        try:
            while got := os.read(self.terminal, 65536):
                self.has_news.set()
                self.look(got)
        except OSError:
            self.ended_ms = (time.perf_counter() - self.began) * 1000

    def look(self, got):
        if self.has_numbers.is_set():
            return
        now_ms = (time.perf_counter() - self.began) * 1000
        self.seen += got
        if not self.has_picture.is_set() and PICTURE.search(self.seen):
            self.picture_ms = now_ms
            self.has_picture.set()
        if NUMBERS.search(self.seen):
            self.numbers_ms = now_ms
            self.has_numbers.set()

    def wait_picture(self):
        if not self.has_picture.wait(LIMIT_S):
            raise SystemExit(f"bench/top.py: no picture: {self.seen[-300:]!r}")
        return self.picture_ms

    def wait_numbers(self):
        if not self.has_numbers.wait(LIMIT_S):
            raise SystemExit(f"bench/top.py: no numbers: {self.seen[-300:]!r}")
        return self.numbers_ms

    def wait_end(self):
        self.reader.join(LIMIT_S)
        return self.ended_ms

    def of_threads(self, name):
        tasks = f"/proc/{self.pid}/task"
        for task in os.listdir(tasks):
            with open(os.path.join(tasks, task, name), encoding="utf-8") as file:
                yield file.read()

    def cpu_ms(self):
        return sum(int(text.split()[0]) for text in self.of_threads("schedstat")) / 1e6

    def switches(self):
        return sum(int(line.split()[1]) for text in self.of_threads("status") for line in text.splitlines() if "ctxt_switches" in line)

    def resident_mib(self):
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def machine(folder, count):
    """A scenario of that many devices, each with one process that /proc knows: this one."""
    path = os.path.join(folder, f"machine-{count}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"base: h100x8\nsystem: {{num_devices: {count}}}\nprocesses:\n")
        file.write(f"  - {{pid: {os.getpid()}, name: bench, devices: all, used_memory_mib: 1024}}\n")
    return path


def subjects(build, folder, home):
    """Name, command without an interval, environment, and what makes an option of an interval; a text as a command says why not."""
    library = os.path.join(build, "sim", DRIVER)
    ours = {**os.environ, "NVPULSE_NVML_PATH": os.path.join(library, "libnvidia-ml.so.1"), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    ours.update(XDG_CONFIG_HOME=home, HOME=home)
    yield TOP, [os.path.join(build, "bin", "nvpulse"), "top"], ours, lambda seconds: ["--interval", str(seconds)]
    for client in ("nvtop", "nvtop-new"):
        try:
            found = clients.Client(folder, client)
            theirs = {**found.environment(library), "TERM": "xterm-256color", "XDG_CONFIG_HOME": home, "HOME": home}
            yield (
                f"{client} ({found.package.split()[1]})",
                found.command(library),
                theirs,
                lambda seconds: ["-d", str(round(seconds * 10))],
            )
        except clients.Absent as reason:
            yield client, str(reason), {}, None


def cpu_of_refresh(command, environment):
    """Processor milliseconds of a refresh, over some of them, once the first ones are over."""
    with Screen(command, environment) as screen:
        screen.wait_picture()
        time.sleep(3 * INTERVAL_S)
        before, began = screen.cpu_ms(), time.perf_counter()
        time.sleep(REFRESHES * INTERVAL_S)
        return (screen.cpu_ms() - before) / ((time.perf_counter() - began) / INTERVAL_S)


def first_picture(command, environment):
    """Milliseconds to the first picture and to the first numbers in it."""
    pictures, numbers = [], []
    for _ in range(FIRST_ROUNDS):
        with Screen(command, environment) as screen:
            pictures.append(screen.wait_picture())
            numbers.append(screen.wait_numbers())
    return statistics.median(pictures), statistics.median(numbers)


def start_nothing():
    """Milliseconds that a program takes which only starts and ends, on such a terminal: they are in the other figures, too."""
    times = []
    for _ in range(FIRST_ROUNDS):
        with Screen(["true"], os.environ) as screen:
            times.append(screen.wait_end())
    return statistics.median(times)


def verdict(is_met):
    return "met" if is_met else "MISSED"


def compare(count, who, folder):
    """Prints the rows for that many GPUs, and whether a refresh costs no more than it may beside nvtop."""
    print(f"\nbeside nvtop, {count} simulated GPUs, {COLUMNS}x{ROWS}{'':22} CPU ms of a refresh   first picture ms   its numbers ms")
    costs = {}
    for name, command, environment, interval in who:
        if isinstance(command, str):
            print(f"  {name:54} not fetched: {command}")
            continue
        environment = {**environment, "NVPULSE_SIM_SCENARIO": machine(folder, count)}
        command = command + interval(INTERVAL_S)
        costs[name] = cpu_of_refresh(command, environment)
        first, numbers = first_picture(command, environment)
        limit = f"   at most 15 with 8 GPUs: {verdict(first <= 15)}" if name == TOP and count == 8 else ""
        print(f"  {name:54} {costs[name]:20.2f} {first:18.1f} {numbers:16.1f}{limit}")
    print(f"  {NOTHING:54} {'':20} {start_nothing():18.1f}")
    share = 1 if count == 2 else 1 / 3
    for name, cost in costs.items():
        if name != TOP:
            ratio = costs[TOP] / cost
            each = f"{costs[TOP] / count * 1000:.0f} of {cost / count * 1000:.0f} us a GPU"
            print(f"  {TOP + ' costs of what ' + name + ' does':54} {ratio:20.2f}   at most {share:.2f}  {verdict(ratio <= share)}  {each}")


def refreshes(path):
    """Samples of a run, as the simulated driver counted the calls for the first of eight GPUs."""
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return max((int(row[2]) for row in rows if "nvmlDeviceGetUtilizationRates" in row), default=0) // 8


def endure(command, environment, folder):
    """So many refreshes, as fast as keys ask for them: memory after a tenth of them and in the end."""
    counts = os.path.join(folder, "counts")
    environment = {**environment, "NVPULSE_SIM_SCENARIO": machine(folder, 8), "NVPULSE_SIM_COUNTS": counts}
    with Screen(command + ["--interval", "3600"], environment) as screen:
        screen.wait_picture()
        began, first, pressed = time.monotonic(), 0.0, 0
        while pressed < KEYS and time.monotonic() - began < LIMIT_S:
            screen.has_news.clear()
            os.write(screen.terminal, b"r")
            pressed += 1
            if pressed == KEYS // 10:
                first = screen.resident_mib()
            screen.has_news.wait(KEY_S)
        last = screen.resident_mib()
        os.write(screen.terminal, b"q")
        os.waitid(os.P_PID, screen.pid, os.WEXITED | os.WNOWAIT)
    done = refreshes(counts) if os.path.exists(counts) else 0
    is_met = done >= MANY and last <= 8 and last - first < 0.25
    print(f"\nmemory, 8 GPUs: {first:.1f} MiB, after {done} refreshes {last:.1f} MiB   {MANY} of them, at most 8, flat  {verdict(is_met)}")


def rest(command, environment, folder):
    """Between two refreshes nothing may run."""
    environment = {**environment, "NVPULSE_SIM_SCENARIO": machine(folder, 8)}
    with Screen(command + ["--interval", "3600"], environment) as screen:
        screen.wait_picture()
        time.sleep(2.5)  # whatever the first picture still needs
        switches, cpu = screen.switches(), screen.cpu_ms()
        time.sleep(IDLE_S)
        switches, cpu = screen.switches() - switches, screen.cpu_ms() - cpu
    print(f"between refreshes, {IDLE_S:.0f} s: {switches} context switches, {cpu:.3f} ms   none  {verdict(switches == 0)}")


# Keys that lead to a state, from the overview; faults of the driver; whether the home of the user hangs.
STATES = {
    "overview": (b"", "", False),
    "help": (b"h", "", False),
    "setup": (b"S", "", False),
    "one GPU": (b"1\r", "", False),
    "menu of the order": (b"\033[17~", "", False),
    "paused": (b"Z", "", False),
    "a GPU hangs": (b"", "{device: 3, hang: true, after_calls: 60}", False),
    "the driver hangs when opened": (b"", "{function: nvmlInitWithFlags, hang: true}, {function: nvmlInit_v2, hang: true}", False),
    "the driver hangs when closed": (b"", "{function: nvmlShutdown, hang: true}", False),
    "the home hangs": (b"t", "", True),
}


def time_to_leave(command, environment, keys, hangs):
    """Milliseconds from q to the end of the process. A home that hangs is a file of settings that nobody ever writes to."""
    with Screen(command, environment) as screen:
        screen.wait_picture()
        time.sleep(0.3)
        if hangs:
            os.mkfifo(os.path.join(environment["XDG_CONFIG_HOME"], "nvpulse", "config.yaml"))
        os.write(screen.terminal, keys)
        time.sleep(0.2)
        began = time.perf_counter()
        os.write(screen.terminal, b"q")
        os.waitid(os.P_PID, screen.pid, os.WEXITED | os.WNOWAIT)
        return (time.perf_counter() - began) * 1000


def leave(command, environment, folder):
    """How long leaving takes from each state."""
    print(f"\nleaving, q to the end of the process, median of {FIRST_ROUNDS}, 8 GPUs{'':20} ms")
    for name, (keys, faults, hangs) in STATES.items():
        path = os.path.join(folder, "leave.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"base: h100x8\nfaults: [{faults}]\n")
        times = []
        for _ in range(FIRST_ROUNDS):
            home = tempfile.mkdtemp(dir=folder)
            os.mkdir(os.path.join(home, "nvpulse"))
            changed = {**environment, "NVPULSE_SIM_SCENARIO": path, "XDG_CONFIG_HOME": home}
            times.append(time_to_leave(command, changed, keys, hangs))
        median = statistics.median(times)
        print(f"  {name:54} {median:16.1f}   at most 100  {verdict(median <= 100)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--clients", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        who = list(subjects(os.path.abspath(arguments.build), arguments.clients, folder))
        for count in GPUS:
            compare(count, who, folder)
        _, command, environment, _ = who[0]
        endure(command, environment, folder)
        rest(command, environment, folder)
        leave(command, environment, folder)


if __name__ == "__main__":
    main()
