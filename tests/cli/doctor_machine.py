"""A tree of files that stands for /proc, /sys and /dev of a machine, for `nvpulse doctor`.

Holds no test. A fresh one is a healthy machine with two GPUs, at the addresses of those of profile rtx4090x2.
"""

import os
import shutil
import socket
import tempfile

VERSION = "550.163.01"
GPUS = ("0000:01:00.0", "0000:02:00.0")
MODULE_LINE = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Tue Apr  8 12:41:17 UTC 2025\nGCC version:  gcc version 12\n"
OPEN_MODULE_LINE = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {}  Release Build  (builder@host)\n"


class Machine:
    def __init__(self, test):
        self.root = tempfile.mkdtemp()
        test.addCleanup(shutil.rmtree, self.root)
        os.chmod(self.root, 0o755)
        self.write("proc/version", "Linux version 6.1.0-30-amd64 (someone@example.org)\n")
        self.write("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-1.scope\n")
        self.load_module(VERSION)
        for number, bus_id in enumerate(GPUS):
            self.add_gpu(bus_id)
            self.add_node(f"nvidia{number}")
        for name in ("nvidiactl", "nvidia-uvm"):
            self.add_node(name)

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def remove(self, name):
        path = self.path(name)
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def load_module(self, version, line=MODULE_LINE):
        self.write("proc/driver/nvidia/version", line.format(version))
        self.write("sys/module/nvidia/version", version + "\n")

    def unload_module(self):
        self.remove("proc/driver")
        self.remove("sys/module/nvidia")

    def add_gpu(self, bus_id, driver="nvidia", state="active"):
        folder = f"sys/bus/pci/devices/{bus_id}"
        self.write(f"{folder}/vendor", "0x10de\n")
        self.write(f"{folder}/class", "0x030200\n")
        self.write(f"{folder}/power/runtime_status", state + "\n")
        self.bind(bus_id, driver)

    def bind(self, bus_id, driver):
        link = self.path(f"sys/bus/pci/devices/{bus_id}/driver")
        if os.path.islink(link):
            os.unlink(link)
        if driver is not None:
            os.symlink(f"../../../bus/pci/drivers/{driver}", link)

    def put_to_sleep(self, bus_id, state="suspended"):
        self.write(f"sys/bus/pci/devices/{bus_id}/power/runtime_status", state + "\n")

    def add_node(self, name, mode=0o666):
        self.write(f"dev/{name}", "")
        os.chmod(self.path(f"dev/{name}"), mode)

    def put_socket(self, name):
        """A file that exists and that open() refuses with ENXIO, as a node without a driver does."""
        with socket.socket(socket.AF_UNIX) as file:
            here = os.open(".", os.O_RDONLY)
            try:
                os.chdir(self.path("dev"))
                file.bind(name)
            finally:
                os.fchdir(here)
                os.close(here)
        os.chmod(self.path(f"dev/{name}"), 0o666)
