"""One GPU and one process in detail."""

import os
import re
import subprocess
import sys

import case
import machines


class DeviceTest(case.ViewerTest):
    def test_digit_and_enter_show_a_gpu(self):
        shown = self.start(columns=120, rows=40)
        shown.keys("3", "Enter")
        screen = shown.wait(re.compile(r"^GPU 3  NVIDIA H100 80GB HBM3", re.MULTILINE))
        for title in ("GPU 77%", "Memory", "Power", "Temperature", "SM clock", "PCIe rx"):
            self.assertIn(title, screen)
        shown.wait(re.compile(r"(?m)^ +17 +Active"))
        shown.keys(">")
        shown.wait("GPU 4  NVIDIA")
        shown.keys("<", "<")
        shown.wait("GPU 2  NVIDIA")
        shown.keys("7")
        shown.wait("GPU 7  NVIDIA")
        shown.keys("9")
        shown.wait("there is no GPU 9")
        shown.keys("Escape")
        shown.wait("COMMAND")
        self.leave(shown)

    def test_tab_leads_to_it_and_help_back(self):
        shown = self.start(columns=120, rows=40)
        shown.keys("Tab", "Tab")
        shown.wait("GPU 0  NVIDIA")
        shown.keys("F1")
        shown.wait("Keys")
        shown.keys("Escape")
        shown.wait("GPU 0  NVIDIA")
        shown.keys("Escape")
        shown.wait("COMMAND")
        self.leave(shown)

    def test_every_metric_is_there_with_its_value_or_why_not(self):
        shown = self.start(columns=120, rows=60)
        shown.keys("0", "Enter")
        shown.wait("Power")
        shown.wait(re.compile(r"(?m)^ clocks$"))
        seen = ""
        for _ in range(40):
            seen += shown.screen()
            if re.search(r"ofa_percent", seen):
                break
            shown.keys("PageDown")
            shown.wait(lambda screen: screen not in seen)
        for group in ("clocks", "ecc", "encoder", "fan", "identity", "memory", "mig", "mode", "pcie", "power", "temperature"):
            self.assertRegex(seen, rf"(?m)^ {group}$")
        self.assertRegex(seen, r"(?m)^ gpu_c +\d+ C")
        self.assertRegex(seen, r"(?m)^ supported_event_reasons +0x1ff")
        self.assertRegex(seen, r"(?m)^ speed_percent +N/A: not supported")
        self.assertRegex(seen, r"(?m)^ draw_mw +\d+\.\d+ W")
        shown.keys("Home")
        shown.wait("GPU 0  NVIDIA")
        shown.keys("End")
        shown.wait("ofa_percent")
        self.leave(shown)

    def test_values_say_how_old_they_are(self):
        shown = self.start("--interval", "0.1", profile="rtx4090x2", columns=120, rows=60, clock="real")
        shown.keys("1", "Enter")
        shown.wait("GPU 1  NVIDIA")
        shown.wait(re.compile(r"(?m)^ max_sm_mhz +\d+ MHz +[3-9]s$"))
        self.leave(shown)

    def test_mig_devices(self):
        shown = self.start(profile="a100-mig", columns=100, rows=50)
        shown.keys("0", "Enter")
        screen = shown.wait(re.compile(r"(?m)^ +0 +\d+ +\d+ +3 .*MIG 3g\.20gb"))
        self.assertRegex(screen, r"(?m)^ +5 +\d+ +\d+ +1 .*MIG 1g\.5gb")
        self.leave(shown)

    def test_lost_gpu_says_so(self):
        shown = self.start(scenario=machines.LOST, columns=100, rows=30)
        shown.keys("2", "Enter")
        shown.wait("LOST: GPU is lost")
        self.leave(shown)

    def test_graphs_by_what_the_terminal_can_show(self):
        for arguments, pattern in (((), r"[⠁-⣿]{3}"), (("--ascii",), r"[.:|]{3}")):
            shown = self.start("--interval", "0.1", *arguments, columns=120, rows=40, clock="real")
            shown.keys("0", "Enter")
            shown.wait("Temperature")
            shown.wait(re.compile(r"(?m)^ +" + pattern))
            self.leave(shown)

    def test_graphs_grow_in_the_overview(self):
        shown = self.start("--interval", "0.1", profile="rtx4090x2", columns=100, rows=40, clock="real")
        shown.wait(re.compile(r"(?m)^ +[⠁-⣿]{8,}"))
        self.leave(shown)

    def test_first_arrow_is_one(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("1", "Enter", "Right", "Left")  # the first keys of all: an arrow taken for Escape and a letter leads elsewhere
        shown.wait("GPU 1  NVIDIA")
        self.leave(shown)

    def test_every_size(self):
        for columns, rows in ((1, 1), (10, 4), (40, 10), (80, 24), (250, 80)):
            with self.subTest(columns=columns, rows=rows):
                shown = self.start(columns=100, rows=30)
                shown.wait("vllm")
                shown.resize(columns, rows)
                shown.keys("1", "Enter", "Down", "PageDown", "End", "Home", "Up")
                shown.resize(100, 30)
                shown.wait("GPU 1  NVIDIA")
                shown.resize(columns, rows)
                shown.keys("Escape", "Down", "Enter", "End", "Home")
                shown.resize(100, 30)
                shown.wait("On GPUs")
                self.leave(shown)


class ProcessTest(case.ViewerTest):
    def watch(self, pid, **terminal):
        text = f"base: rtx4090x2\nprocesses:\n  - {{name: mine, pid: {pid}, devices: [0, 1], used_memory_mib: 500}}\n"
        return self.start("--interval", "0.1", scenario=text, clock="real", **terminal)

    def test_all_about_a_process(self):
        text = "a very long argument " * 12
        script = "import os, sys, time; print('up', flush=True); time.sleep(600)"
        child = subprocess.Popen(
            [sys.executable, "-c", script, text], stdout=subprocess.PIPE, env={"COLOR_OF": "green", "BAD\033[31m": "\033[2J"}
        )
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        self.addCleanup(child.stdout.close)
        child.stdout.readline()
        shown = self.watch(child.pid, columns=100, rows=60)
        shown.wait(re.compile(r"(?m) python\S* -c import os"))  # without its folder, since it is long
        shown.keys("Enter")
        screen = shown.wait("Environment")
        self.assertIn(f"Process {child.pid}", screen)
        self.assertEqual(re.sub(r"\s+", "", screen).count("averylongargument"), 12)
        self.assertRegex(screen, r"(?m)^ started +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d, \S+ ago$")
        self.assertRegex(screen, r"(?m)^ +0 C +500M")
        self.assertRegex(screen, r"(?m)^ +1 C +500M")
        self.assertRegex(screen, rf"(?m)^ {os.getpid()} +\S")
        self.assertIn("COLOR_OF=green", screen)
        self.assertNotIn("\033", screen)
        shown.wait(re.compile(r"(?m)^ +.*[⠁-⣿]{3}"))
        child.kill()
        child.wait()
        shown.keys("Escape")
        shown.wait("COMMAND")
        self.leave(shown)

    def test_process_of_elsewhere_says_why_there_is_no_environment(self):
        shown = self.start(columns=100, rows=50)
        shown.wait("vllm")
        shown.keys("Enter")
        self.assertIn("/opt/vllm/bin/vllm serve", shown.wait("not shown: the process is not one of this system"))
        self.leave(shown)
