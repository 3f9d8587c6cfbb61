"""A machine that is not well: GPUs that hang or are lost, a driver that does not return. The viewer goes on, and ends when asked to."""

import os
import re
import subprocess
import time

import case
import machines

HANG = """
base: h100x8
faults:
  - {device: 3, hang: true, after_calls: 60}
"""
LOST = """
base: h100x8
devices:
  - {index: 2, lost: true}
"""
LARGE = """
base: rtx4090x2
device_defaults:
  power: {default_limit_mw: 1400000, enforced_limit_mw: 1400000, max_limit_mw: 1400000, current_draw_mw: 1234000}
  fan: {speed_percent: 117, max_percent: 120}
devices:
  - {index: 0, fan: {speed_percent: 117}}
  - {index: 1, fan: {speed_percent: 117}}
system: {num_devices: 8}
"""
RESET = """
base: h100x8
faults:
  - {function: nvmlDeviceGetUtilizationRates, error: UNINITIALIZED, after_calls: 40, times: 1}
"""
MANY = """
base: h100x8
system: {num_devices: 64}
"""


class StateTest(case.ViewerTest):
    # Leaving takes at most 100 ms; the rest is tmux, on a machine that has other things to do.
    LEAVE_S = 5.0

    def assert_leaves_at_once(self, shown):
        began = time.monotonic()
        shown.keys("q")
        self.assertEqual(shown.wait_end(), 0, shown.screen())
        self.assertLess(time.monotonic() - began, self.LEAVE_S)

    def short(self):
        return {"NVPULSE_EXIT_TIMEOUT_MS": "50"}

    def test_stalled_gpu_says_since_when_and_the_others_go_on(self):
        shown = self.start(scenario=HANG, clock="real", env=self.short())
        shown.wait(re.compile(r"^  3 H100 .*STALLED \d+s, since \d\d:\d\d:\d\d$", re.MULTILINE))
        before = shown.wait(re.compile(r"^  4 .*%", re.MULTILINE))
        self.assertIn("SIMULATED", before)
        shown.wait(lambda screen: re.findall(r"\d\d:\d\d:\d\d 1s", screen) != re.findall(r"\d\d:\d\d:\d\d 1s", before))
        shown.keys("F5")
        shown.wait("F5List")
        self.assert_leaves_at_once(shown)

    def test_lost_gpu_keeps_its_row(self):
        shown = self.start(scenario=LOST)
        screen = shown.wait("LOST")
        self.assertRegex(screen, r"(?m)^  2 .*LOST: GPU is lost")
        for index in (0, 1, 3, 7):
            self.assertRegex(screen, rf"(?m)^  {index} .*%")
        self.leave(shown)

    def test_gpu_that_is_lost_meanwhile_keeps_its_name_and_comes_back(self):
        control = os.path.join(self.folder, "control")
        command = [case.program(), "sim", "--driver", case.DRIVER, "--profile", "h100x8", "--control-file", control]
        shown = self.open([*command, "--", case.program(), "top", "--interval", "0.2"], columns=110)
        shown.wait(re.compile(r"(?m)^  2 H100 .*%"))
        def change(*words):
            subprocess.run([case.program(), "sim", "ctl", "--control-file", control, *words], env=self.environment(), check=True)
        change("device", "lose", "2")
        shown.wait("GPU 2 lost since")
        shown.wait(re.compile(r"(?m)^  2 H100 80GB HBM3 +LOST: GPU is lost$"))
        shown.wait(re.compile(r"(?m)^  3 H100 .*%"))
        change("device", "return", "2")
        shown.wait(re.compile(r"(?m)^  2 H100 .*%"))
        told = re.compile(r"GPU 1 XID 48(, \d+ events)? since \d\d:\d\d:\d\d")
        until = time.monotonic() + 60
        while not told.search(shown.screen()):  # one that comes while the driver is opened anew is seen by nobody
            self.assertLess(time.monotonic(), until, shown.screen())
            change("event", "xid", "1", "48")
            time.sleep(0.5)
        change("set", "devices[7].hotplug.present=false")
        shown.wait(re.compile(r"(?m)^  7 H100 80GB HBM3 +LOST: GPU is lost$"))
        self.leave(shown)

    def test_large_numbers_keep_their_columns(self):
        shown = self.start(scenario=LARGE, columns=110)
        screen = shown.wait("117%")
        self.assertRegex(screen, r"(?m)^  7 .* 66°C +1234W +117%$")
        shown.resize(110, 60)
        self.assertRegex(shown.wait("1234/1400W"), r"power 1234/1400W  fan 117%")
        self.leave(shown)

    def test_reset_is_told_and_survived(self):
        shown = self.start(scenario=RESET, clock="real")
        shown.wait("the driver was opened anew, version 550.163.01 as before")
        shown.keys("F5")
        screen = shown.wait("F5List")
        self.assertNotIn("opened anew", screen)
        self.assertRegex(screen, r"(?m)^  3 .*%")
        self.leave(shown)

    def test_driver_that_hangs_while_it_opens(self):
        shown = self.start(scenario=machines.HANGING_OPEN, env=self.short())
        shown.wait(re.compile("trying again|has not answered"))
        shown.keys("F1")
        shown.wait("Keys")
        self.assert_leaves_at_once(shown)

    def test_driver_that_hangs_while_it_closes(self):
        shown = self.start(scenario=machines.HANGING_CLOSE, env=self.short())
        shown.wait("vllm")
        self.assert_leaves_at_once(shown)

    def test_no_library_ends_with_the_reason(self):
        shown = self.shell(columns=150, env={"NVPULSE_NVML_PATH": "/nonexistent/libnvidia-ml.so.1"})
        shown.type(f"{case.program()} top; echo status=$?")
        shown.keys("Enter")
        self.assertIn("NVML cannot be used", shown.wait("status=3"))

    def test_simulated_is_always_said(self):
        for columns, rows in ((9, 1), (40, 10), (80, 24), (250, 80)):
            shown = self.start(columns=columns, rows=rows)
            self.assertTrue(shown.wait("SIMULATED"))

    def test_64_gpus_fit_every_screen(self):
        for columns, rows in ((80, 24), (160, 50), (250, 80)):
            shown = self.start(columns=columns, rows=rows, scenario=MANY)
            screen = shown.wait(re.compile(r" 63 .*%"))
            for index in range(64):
                self.assertRegex(screen, rf"(?m)(^| ) *{index} .*%")
            self.assertIn("vllm", screen)
            self.leave(shown)

    def test_gpus_that_have_no_room_are_counted(self):
        shown = self.start(columns=40, rows=10, scenario=MANY)
        screen = shown.wait("+49 more")
        self.assertEqual(re.findall(r"(\d+) +\d+%", screen), [str(index) for index in range(15)])
        shown.resize(80, 24)
        shown.wait_gone("more ")
        shown.wait(re.compile(r" 63 .*%"))
        self.leave(shown)

    def test_mig_devices_stand_below_their_gpu(self):
        shown = self.start(profile="a100-mig", rows=30)
        screen = shown.wait("MIG 1g.5gb")
        labels = re.findall(r"(?m)^ *(\d(?::\d)?) +(?:A100|MIG)", screen)
        self.assertEqual(labels, ["0", "0:0", "0:2", "0:5", "1", "1:0", "1:1", "2", "3"])
        self.leave(shown)

    def test_labels_of_mig_devices_are_whole_on_large_machines(self):
        parts = ", ".join(f"{{index: {i}, profile: 1g.5gb, gpu_instance: {i + 7}, start: {i}}}" for i in range(7))
        cut = "".join(f"  - {{index: {gpu}, mig: {{devices: [{parts}]}}}}\n" for gpu in (12, 15))
        scenario = f"base: a100-mig\nsystem: {{num_devices: 16}}\ndevices:\n{cut}"
        for columns, rows in ((80, 24), (100, 60), (120, 100), (30, 60), (40, 30)):
            with self.subTest(columns=columns, rows=rows):
                shown = self.start(scenario=scenario, columns=columns, rows=rows)
                screen = shown.wait("15:6")
                for gpu in (12, 15):
                    for part in range(7):
                        self.assertRegex(screen, rf"(?m)(^| ){gpu}:{part} ")
                self.leave(shown)

    def test_paused_machine_is_not_asked(self):
        shown = self.start(clock="real", profile="rtx4090x2")
        shown.keys("Z")
        paused = shown.wait("SIMULATED PAUSED nvpulse")
        shown.keys("F5")
        self.assertEqual(re.findall(r"\d\d:\d\d:\d\d", shown.wait("F5List")), re.findall(r"\d\d:\d\d:\d\d", paused))
        shown.keys("Z")
        shown.wait_gone("PAUSED")
        self.leave(shown)
