"""What a picture costs: one write to the terminal, and nothing between two samples."""

import os
import re
import time

import case


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
