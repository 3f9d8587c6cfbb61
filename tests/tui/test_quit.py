"""q leaves, whatever is on the screen and whatever hangs. How long that takes is measured in bench/top.py."""

import os
import re
import subprocess

import case
import machines

HANG = """
base: h100x8
faults:
  - {device: 3, hang: true, after_calls: 60}
"""
HANGING_SAMPLE = """
base: rtx4090x2
faults:
  - {device: 0, hang: true}
  - {device: 1, hang: true}
"""
HANGING_LIST = """
base: rtx4090x2
faults:
  - {function: nvmlDeviceGetCount_v2, hang: true}
"""

# What leads to a state from the overview, and what shows that it is reached. The process that is selected is one of this system.
STATES = {
    "overview": ((), "COMMAND"),
    "message": (("9",), "there is no GPU 9"),
    "processes": (("Tab",), "COMMAND"),
    "GPU": (("1", "Enter"), "GPU 1  NVIDIA"),
    "process": (("Enter",), "On GPUs"),
    "environment": (("e",), "Environment of process"),
    "help": (("F1",), "Keys"),
    "setup": (("F2",), "Columns"),
    "tree": (("F5",), "F5List"),
    "sort menu": (("F6",), "Sort by"),
    "user menu": (("u",), "(all users)"),
    "signal menu": (("F9",), "Send signal"),
    "confirmation": (("F9", "Enter"), "y/N"),
    "one GPU": (("0",), re.compile("GPU 0 .*processes")),
    "paused": (("Z",), "PAUSED"),
}
PROMPTS = {"search": ("/", "Search:"), "filter": ("F4", "Filter:")}


class QuitTest(case.ViewerTest):
    def machine(self):
        """One with a process of this system."""
        self.sleeper = self.child("sleep", "600")
        return f"base: rtx4090x2\nprocesses:\n  - {{name: mine, pid: {self.sleeper.pid}, device: 0, used_memory_mib: 900}}\n"

    def short(self):
        return {"NVPULSE_EXIT_TIMEOUT_MS": "50"}

    def test_from_every_state(self):
        scenario = self.machine()
        for name, (keys, wanted) in STATES.items():
            with self.subTest(state=name):
                shown = self.start(scenario=scenario, columns=100, rows=30)
                shown.wait("sleep 600")
                for key in keys:
                    shown.keys(key)
                shown.wait(wanted)
                self.leave(shown)
                shown.close()
        self.assertIsNone(self.sleeper.poll())

    def test_where_text_is_typed_q_is_text(self):
        for name, (key, title) in PROMPTS.items():
            with self.subTest(state=name):
                shown = self.start(scenario=self.machine(), columns=100, rows=30)
                shown.keys(key)
                shown.wait(title)
                shown.type("q")
                shown.wait(f"{title} q")
                shown.keys("F10")
                self.assertEqual(shown.wait_end(), 0)
                shown = self.start(scenario=self.machine(), columns=100, rows=30)
                shown.keys(key, "q", "Escape")
                shown.wait(lambda screen, title=title: title not in screen)
                self.leave(shown)

    def test_on_terminals_without_room(self):
        for columns, rows in ((1, 1), (2, 1), (1, 24), (80, 1), (80, 2), (40, 10)):
            with self.subTest(columns=columns, rows=rows):
                shown = self.start(scenario=self.machine(), columns=columns, rows=rows)
                self.leave(shown)

    def test_from_a_recording(self):
        path = os.path.join(self.folder, "file.jsonl")
        command = [case.program(), "sim", "--profile", "rtx4090x2", "--driver", case.DRIVER, "--", case.program(), "record"]
        subprocess.run([*command, "-o", path, "-n", "20", "-l", "0.1"], env=self.environment(), check=True, capture_output=True)
        for name, keys, wanted in (
            ("plays", (), re.compile("plays|follows")),
            ("stopped", ("Space",), "stopped"),
            ("wound", ("Home", "Right", "Right"), "3/"),
            ("at its end", ("End",), "20/20"),
        ):
            with self.subTest(state=name):
                shown = self.open([case.program(), "top", path], {"NVPULSE_NVML_PATH": "/nonexistent"}, columns=100, rows=30)
                shown.wait(re.compile("plays|follows"))
                for key in keys:
                    shown.keys(key)
                shown.wait(wanted)
                self.leave(shown)

    def test_while_something_hangs(self):
        for name, scenario, wanted in (
            ("a GPU", HANG, "STALLED"),
            ("every GPU", HANGING_SAMPLE, "SIMULATED"),
            ("the list of GPUs", HANGING_LIST, re.compile("trying again|has not answered")),
            ("the opening of the driver", machines.HANGING_OPEN, re.compile("trying again|has not answered")),
            ("the closing of the driver", machines.HANGING_CLOSE, "vllm"),
            ("nothing, but a GPU is lost", machines.LOST, "LOST"),
        ):
            with self.subTest(hangs=name):
                shown = self.start(scenario=scenario, clock="real", env=self.short())
                shown.wait(wanted)
                shown.keys("F1", "F1", "F6", "q")
                self.assertEqual(shown.wait_end(), 0, shown.screen())
                shown.close()

    def test_home_that_hangs_keeps_nobody_waiting(self):
        shown = self.shell(columns=150, env={"NVPULSE_EXIT_TIMEOUT_MS": "2000"})
        shown.type(" ".join(self.command()) + "; echo status=$?")
        shown.keys("Enter")
        shown.wait("F5Tree")
        os.makedirs(os.path.dirname(self.config))
        os.mkfifo(self.config)  # whoever reads it waits, since nobody ever writes
        shown.keys("F5")
        shown.wait("F5List")
        shown.keys("q")
        self.assertIn("the settings are not kept: config.yaml was not written within 2000 ms", shown.wait("status=0"))

    def test_settings_that_are_not_kept_are_told_when_the_driver_hangs_too(self):
        shown = self.shell(columns=150, env={"NVPULSE_EXIT_TIMEOUT_MS": "200"})
        shown.type(" ".join(self.command(scenario=machines.HANGING_OPEN)) + "; echo status=$?")
        shown.keys("Enter")
        shown.wait("F5Tree")
        os.makedirs(os.path.dirname(self.config))
        os.mkfifo(self.config)
        shown.keys("F5")
        shown.wait("F5List")
        shown.keys("q")
        self.assertIn("the settings are not kept: config.yaml was not written within 200 ms", shown.wait("status=0"))


class EarlyTest(case.ViewerTest):
    def test_simulation_is_told_before_the_first_sample(self):
        for scenario in (machines.HANGING_OPEN, HANGING_LIST):
            shown = self.start(scenario=scenario, clock="real", env={"NVPULSE_EXIT_TIMEOUT_MS": "50"}, rows=2, columns=70)
            self.assertNotIn("has not answered", shown.wait("SIMULATED nvpulse"))
            shown.keys("q")
            self.assertEqual(shown.wait_end(), 0)
