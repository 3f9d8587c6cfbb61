"""What a picture costs: one write to the terminal, memory at once for the first, and nothing between two samples."""

import mmap
import os
import re
import time

import case


MADV_POPULATE_WRITE = 23  # Linux 5.14


def can_populate():
    with mmap.mmap(-1, mmap.PAGESIZE) as memory:
        try:
            memory.madvise(MADV_POPULATE_WRITE)
        except OSError:
            return False
    return True


class CostTest(case.ViewerTest):
    def read_proc(self, pid, name):
        with open(f"/proc/{pid}/{name}", encoding="utf-8") as file:
            return file.read()

    def writes(self, pid):
        return int(re.search(r"syscw: (\d+)", self.read_proc(pid, "io")).group(1))

    def test_picture_is_one_write(self):
        if not os.access("/proc/self/io", os.R_OK):
            self.skipTest("/proc/PID/io is not there")
        shown = self.start("--interval", "3600", columns=160, rows=50)
        shown.wait("vllm")
        pid = shown.pid()
        shown.keys("F1")
        shown.wait("Keys")
        before = self.writes(pid)
        for _ in range(5):  # each is a whole other picture
            shown.keys("Escape")
            shown.wait("COMMAND")
            shown.keys("F1")
            shown.wait("Keys")
        self.assertLessEqual(self.writes(pid) - before, 10 * 4)
        self.leave(shown)

    def test_first_picture_has_its_memory_at_once(self):
        """One heap for all threads, got with one call: each page that is first touched by itself costs more than all else with it."""
        if not can_populate():
            self.skipTest("this kernel has no MADV_POPULATE_WRITE")
        shown = self.start("--interval", "3600", columns=160, rows=50)
        shown.wait("vllm")
        maps = self.read_proc(shown.pid(), "smaps")
        if re.search("lib[a-z]+san", maps):
            self.skipTest("the memory is that of a sanitizer")
        reserved = [int(size) for size in re.findall(r" ---p .*\nSize: +(\d+) kB", maps)]
        self.assertLess(max(reserved, default=0), 32 * 1024, "a thread has a heap of its own")
        size, resident = re.search(r"\[heap\]\nSize: +(\d+) kB(?:\n.*)*?\nRss: +(\d+) kB", maps).groups()
        self.assertGreaterEqual(int(resident), 2048)
        self.assertLessEqual(int(size) - int(resident), 512, "a part of the heap was never needed")
        self.leave(shown)

    def test_nothing_runs_between_samples(self):
        shown = self.start("--interval", "3600")
        shown.wait("vllm")
        pid = shown.pid()

        def switches():
            total = 0
            for task in os.listdir(f"/proc/{pid}/task"):
                status = self.read_proc(pid, f"task/{task}/status")
                total += sum(int(number) for number in re.findall(r"ctxt_switches:\t(\d+)", status))
            return total

        # Whatever the first picture still needs ends; then a second passes in which nothing runs.
        until, before = time.monotonic() + 30, -1
        while time.monotonic() < until and before != switches():
            before = switches()
            time.sleep(1)
        self.assertEqual(before, switches())
        self.leave(shown)
