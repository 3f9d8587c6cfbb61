"""Alerts: a line that says what is wrong, until it was seen."""

import re
import subprocess

import case
import machines


class AlertTest(case.ViewerTest):
    def test_lost_gpu_is_told_until_it_was_seen(self):
        shown = self.start(scenario=machines.LOST, columns=100)
        screen = shown.wait("A: seen")
        self.assertRegex(screen, r"(?m)^ GPU 2 lost since \d\d:\d\d:\d\d +A: seen$")
        shown.keys("A")
        shown.wait_gone("A: seen")
        shown.keys("r", "A")
        shown.wait("there is no alert")
        self.leave(shown)

    def test_conditions_of_the_command_line(self):
        shown = self.start("--alert", "memory.total_bytes>1", "--alert", "ecc.mode=enabled", columns=120)
        shown.wait(re.compile(r"GPU 7 ecc\.mode=enabled is Enabled since .* \+\d+ +A: seen"))
        shown.keys("A")
        shown.wait_gone("A: seen")
        self.leave(shown)

    def test_condition_that_does_not_hold(self):
        shown = self.start("--alert", "temperature.gpu_c>500", "--alert", "temperature.gpu>500", columns=120)
        shown.wait("vllm")
        shown.keys("A")
        shown.wait("there is no alert")
        self.leave(shown)

    def test_heat(self):
        hot = "base: rtx4090x2\ndevices:\n  - {index: 1, thermal: {temperature_gpu_c: 99}}\n"
        shown = self.start(scenario=hot, columns=100)
        shown.wait(re.compile(r"GPU 1 hot, 99 C since"))
        self.leave(shown)

    def test_throttling_says_why(self):
        slow = "base: rtx4090x2\ndevices:\n  - {index: 1, clocks_throttle_reasons: {hw_slowdown: true, hw_thermal_slowdown: true}}\n"
        shown = self.start(scenario=slow, columns=100)
        shown.wait(re.compile(r"GPU 1 throttled: heat \(hardware\) since"))
        self.leave(shown)

    def test_ecc_errors(self):
        with_errors = "base: h100x8\ndevices:\n  - {index: 4, ecc: {errors: {volatile: {double_bit: {total: 3}}}}}\n"
        shown = self.start(scenario=with_errors, columns=100)
        shown.wait(re.compile(r"GPU 4 ECC uncorrected 3 errors since"))
        self.leave(shown)

    def test_conditions_that_are_none(self):
        for text, said in (
            ("nosuch.metric>1", "there is no metric 'nosuch.metric'"),
            ("temperature.gpu_c", "is no condition"),
            ("temperature.gpu_c>", "is no condition"),
            ("temperature.gpu_c>hot", "is no condition"),
            ("temperature.gpu_c><1", "is no condition"),
            ("temperature.gpu_c>" + "1" * 200, "at most 95 bytes"),
        ):
            command = [case.program(), "top", "--alert", text]
            done = subprocess.run(command, capture_output=True, env=self.environment(), check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr.decode())

    def test_conditions_of_the_settings_stand_in_place_of_the_usual(self):
        self.file("config/nvpulse/config.yaml", "top:\n  alerts: ['memory.total_bytes>1']\n  bell: true\n")
        shown = self.start(scenario=machines.LOST, columns=160)
        screen = shown.wait("A: seen")
        self.assertIn("memory.total_bytes>1", screen)
        self.assertNotIn("lost since", screen)
        self.leave(shown)
        self.file("config/nvpulse/config.yaml", "top:\n  alerts:\n    - lost\n    - nosuch>1\n")
        shown = self.start(columns=160)
        shown.wait(re.compile("config.yaml:4: there is no metric 'nosuch'"))
        self.leave(shown)

    def test_bell_rings_when_asked(self):
        for arguments, flag in (((), "0"), (("--bell",), "1")):
            shown = self.open(["sh"], columns=100)
            shown.tmux("set-option", "-g", "monitor-bell", "on")
            shown.tmux("new-window", "-d", "-n", "bell", "--", "sh")
            shown.tmux("set-option", "-t", "bell", "-w", "monitor-bell", "on")
            line = " ".join(self.command(*arguments, scenario=machines.LOST))
            shown.tmux("send-keys", "-t", "bell", "-l", line)
            shown.tmux("send-keys", "-t", "bell", "Enter")
            while "A: seen" not in shown.tmux("capture-pane", "-p", "-t", "bell"):
                pass
            said = shown.tmux("display-message", "-p", "-t", "bell", "#{window_bell_flag}").strip()
            self.assertEqual(said, flag)
            shown.close()
