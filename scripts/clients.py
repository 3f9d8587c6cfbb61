"""What scripts/fetch-clients unpacked, and how each client is run: from its own folder, on a libnvidia-ml of the caller's choice.

Knows nothing of what a client prints.
"""

import os
import subprocess
import sys

MACHINE = f"{os.uname().machine}-linux-gnu"
# Debian's own interpreter, for which its modules are made; else the one that runs this.
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
PROGRAMS = {"gpustat": "gpustat", "nvtop": "nvtop", "lstopo": "lstopo-no-graphics"}
OURS = ("NVPULSE_", "LD_", "HWLOC_", "PYTHON")


class Absent(Exception):
    """The client cannot be run here; the text says why."""


class Client:
    """One client. `name` is one of scripts/fetch-clients --list; `kind` is the same for its older and newer packages."""

    def __init__(self, folder, name):
        self.name, self.kind = name, name.removesuffix("-new").removesuffix("-old")
        self.home = os.path.join(os.path.abspath(folder), name)
        self.tree = os.path.join(self.home, "tree")
        try:
            with open(os.path.join(self.home, "origin"), encoding="utf-8") as file:
                self.package = " ".join(file.readline().split()[:2])
        except FileNotFoundError:
            raise Absent(f"{name} was not fetched; ./dev compat fetches what can be had") from None
        self.modules = os.path.join(self.tree, "usr", "lib", "python3", "dist-packages")
        self.libraries = os.path.join(self.tree, "usr", "lib", MACHINE)
        self.loader = self.find_loader()
        if os.path.isdir(os.path.join(self.modules, "psutil")):
            self.need_module("psutil")

    def find_loader(self):
        """The loader of the C library that came with the client; None when it runs on the system's."""
        folder = os.path.join(self.tree, "usr", "lib64")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return os.path.join(folder, names[0]) if names else None

    def need_module(self, name):
        done = subprocess.run([PYTHON, "-c", f"import {name}"], env=self.environment(""), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Absent(f"{self.name}: its packages are of another Python: {done.stderr.strip().splitlines()[-1]}")

    def paths(self, library):
        """Where the client's program looks for libraries: the folder of libnvidia-ml.so.1 first."""
        return ":".join(path for path in (library, self.libraries) if path)

    def environment(self, library, **more):
        """What the client is given; `library` is the folder of the libnvidia-ml.so.1 that it shall find."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        kept.update(LC_ALL="C.UTF-8", TERM="xterm", HOME=self.home, XDG_CONFIG_HOME=self.home, **more)
        if os.path.isdir(self.modules):
            kept.update(PYTHONPATH=self.modules, LD_LIBRARY_PATH=library)
        elif not self.loader:
            kept.update(LD_LIBRARY_PATH=self.paths(library))
        if self.kind == "lstopo":
            kept.update(HWLOC_PLUGINS_PATH=os.path.join(self.libraries, "hwloc"), HWLOC_HIDE_ERRORS="2")
        return kept

    def nvidia_smi(self, driver):
        """The nvidia-smi of a driver's series, if it is not newer than the driver; None when the packages have none."""
        with open(os.path.join(self.home, "origin"), encoding="utf-8") as file:
            for package, version, _ in map(str.split, file):
                flavour = package.removeprefix("nvidia-").removesuffix("smi").rstrip("-") or "current"
                made_for = release(version.split("-")[0])
                if made_for[0] == release(driver)[0] and made_for <= release(driver):
                    return os.path.join(self.tree, "usr", "lib", "nvidia", flavour, "nvidia-smi")
        return None

    def command(self, library, *arguments):
        """The command line. What comes first in `arguments` is a script when a Python client has no program of its own, and the program
        for a client that has several."""
        if os.path.isdir(self.modules):
            program = [os.path.join(self.tree, "usr", "bin", PROGRAMS[self.kind])] if self.kind in PROGRAMS else []
            return [PYTHON, *program, *arguments]
        if self.kind not in PROGRAMS:
            return [*arguments]
        program = os.path.join(self.tree, "usr", "bin", PROGRAMS[self.kind])
        return [*([self.loader, "--library-path", self.paths(library)] if self.loader else []), program, *arguments]

    def run(self, library, *arguments, timeout=120, **more):
        """Runs it to its end with its output captured."""
        return run(self.command(library, *arguments), self.environment(library, **more), timeout)


def run(command, environment, timeout=120):
    """Runs a command to its end with its output captured."""
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=timeout, check=False
    )


def release(driver):
    """A driver's version as numbers that compare."""
    return tuple(int(part) for part in driver.split("."))


def drivers(build):
    """The versions of the simulated drivers in a build folder, oldest first."""
    folder = os.path.join(build, "sim")
    found = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted((name for name in found if os.path.exists(os.path.join(folder, name, "libnvidia-ml.so.1"))), key=release)
