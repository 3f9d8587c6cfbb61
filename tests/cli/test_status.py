"""`nvpulse status`: what it shows, whatever the machine is like."""

import json
import re
import signal
import subprocess
import time

import harness

LOST = """
base: h100x8
faults:
  - { function: any, device: 2, error: NVML_ERROR_GPU_IS_LOST }
"""
NOT_OPENED = """
base: h100x8
faults:
  - { function: nvmlDeviceGetHandleByIndex_v2, error: NVML_ERROR_NO_PERMISSION, after_calls: 1, times: 1 }
"""
HANGING = """
base: h100x8
faults:
  - { function: nvmlDeviceGetUtilizationRates, device: 2, hang: true }
"""
HANGING_LATER = """
base: h100x8
faults:
  - { function: nvmlDeviceGetUtilizationRates, device: 2, hang: true, after_calls: 1 }
"""
SLOWED = """
base: h100x8
devices:
  - { index: 0, clocks_throttle_reasons: { hw_slowdown: true, hw_thermal_slowdown: true } }
  - { index: 1, clocks_throttle_reasons: { hw_slowdown: true, hw_thermal_slowdown: true } }
  - { index: 2, clocks_throttle_reasons: { hw_slowdown: true, hw_thermal_slowdown: true } }
  - { index: 3, clocks_throttle_reasons: { sw_power_cap: true } }
  - { index: 4, clocks_throttle_reasons: { hw_slowdown: true } }
  - { index: 5, clocks_throttle_reasons: { hw_slowdown: true, hw_thermal_slowdown: true } }
"""
STRANGE = """
base: h100x8
devices:
  - { index: 0, name: "NVIDIA \u663e\u5361 \uff21" }
  - { index: 1, name: "e\u0301e\u0301e\u0301" }
  - { index: 2, name: "red \\e[31m bell \\a end" }
  - { index: 3, name: "plain" }
"""


class StatusTest(harness.CommandTest):
    def status(self, *arguments, **options):
        """What it shows, the time of day masked."""
        return harness.TIME.sub("(time)", self.assert_result(self.run_sim("status", *arguments, **options), 0, err="").out)

    def test_looks(self):
        for profile in ("h100x8", "rtx4090x2"):
            for width in (40, 80, 120, 200):
                for name, locale in (("utf8", "C.UTF-8"), ("ascii", "C")):
                    out = self.status("--width", str(width), profile=profile, driver="550", LC_ALL=locale)
                    self.assert_golden(f"status-{profile}-{width}-{name}.txt", out)

    def test_looks_verbose_on_an_old_driver(self):
        out = self.status("--verbose", profile="h100x8", driver="470")
        self.assert_golden("status-h100x8-470-verbose.txt", re.sub(r"Library: .*", "Library: ...", out))

    def test_looks_in_colors(self):
        out = self.status("--color=always", "--processes=none", profile="h100x8", driver="550")
        self.assert_golden("status-h100x8-color.txt", out)

    def test_nothing_but_ascii_in_the_c_locale(self):
        self.assertTrue(self.status(LC_ALL="C").isascii())
        self.assertFalse(self.status().isascii())

    def test_no_line_is_too_wide(self):
        for width in (1, 2, 3, 10, 39, 40, 41, 79):
            for line in self.status("--width", str(width), LC_ALL="C").splitlines():
                self.assertLessEqual(len(line), width)

    def test_width_from_the_environment(self):
        self.assertEqual(self.status(COLUMNS="60"), self.status("--width", "60"))
        self.assertEqual(self.status("--width", "0", COLUMNS="60"), self.status())
        for nonsense in ("", "0", "x", "-5", "99999999999999999999"):
            self.assertEqual(self.status(COLUMNS=nonsense), self.status())

    def test_width_that_is_none(self):
        for width in ("x", "-1", "10001", "", " 5"):
            self.assert_result(self.run_sim("status", "--width", width), 2, "", f"--width: '{width}' is not a whole number")

    def test_simulated_is_said(self):
        self.assertIn("\nSIMULATED: nvpulse simulator, driver 550", self.status(driver="550"))

    def test_no_colors_in_a_pipe(self):
        self.assertNotIn("\033", self.status())
        self.assertNotIn("\033", self.status("--color=never"))
        self.assertIn("\033", self.status("--color=always", NO_COLOR="1"))
        self.assert_result(self.run_sim("status", "--color", "allways"), 2, "", "did you mean 'always'?")

    def test_processes_can_be_left_out(self):
        self.assertIn("│ Process\n", self.status())
        self.assertNotIn("│ Process\n", self.status("--processes=none"))
        self.assertEqual(self.status("-p", "auto"), self.status())

    def test_too_many_processes_are_counted(self):
        many = self.scenario_file(
            "base: h100x8\nprocesses:\n  - { device: 0, type: C, name: worker, count: 100, used_memory_mib: 1 }\n"
        )
        out = self.status(scenario=many)
        self.assertRegex(out, r"\n\n\d+ processes; --processes=all lists them\n$")
        self.assertGreaterEqual(self.status("--processes=all", scenario=many).count("worker"), 100)

    def test_lost_gpu_keeps_its_row(self):
        out = self.status("--verbose", scenario=self.scenario_file(LOST))
        self.assertRegex(out, r"(?m)^  2 │ .*lost \(NVML_ERROR_GPU_IS_LOST\)$")
        self.assertRegex(out, r"(?m)^all +│ 2 +│ GPU is lost +│ NVML_ERROR_GPU_IS_LOST$")
        for index in (0, 1, 3, 7):
            self.assertRegex(out, rf"(?m)^  {index} │ NVIDIA H100 80GB HBM3 │ +\d+% │")

    def test_gpu_that_cannot_be_opened_keeps_its_row(self):
        out = self.status("--verbose", scenario=self.scenario_file(NOT_OPENED))
        rows = re.findall(r"(?m)^  (\d) │ cannot be opened: no permission \(NVML_ERROR_NO_PERMISSION\)$", out)
        self.assertEqual(len(rows), 1, out)  # whichever is asked second
        self.assertRegex(out, rf"(?m)^all +│ {rows[0]} +│ no permission +│ NVML_ERROR_NO_PERMISSION$")
        self.assertEqual(len(re.findall(r"(?m)^  \d │ NVIDIA H100 80GB HBM3 │ +\d+% │", out)), 7, out)

    def test_what_is_not_available_has_a_reason(self):
        out = self.status("--verbose", profile="h100x8")
        self.assertRegex(out, r"(?m)^fan speed +│ 0-7 +│ not supported +│ NVML_ERROR_NOT_SUPPORTED$")
        self.assertIn("\nLibrary: ", out)
        self.assertIn("(NVPULSE_NVML_PATH)\n", out)

    def test_path_of_the_library_is_never_cut(self):
        self.assertRegex(self.status("--verbose", "--width", "20"), r"(?m)^Library: /.*/libnvidia-ml\.so\.1 \(NVPULSE_NVML_PATH\)$")

    def test_reserved_memory_that_the_driver_does_not_tell(self):
        phrase = "This driver does not tell the memory that it reserves from the rest."
        self.assertIn(phrase, self.status("--verbose", driver="470"))
        self.assertNotIn(phrase, self.status("--verbose", driver="550"))

    def test_process_lists_fall_back_to_older_calls(self):
        pids = [re.findall(r"(?m)^ +\d+ │ +(\d+) │", self.status(driver=driver)) for driver in ("470", "550")]
        self.assertGreater(len(pids[0]), 0)
        self.assertEqual(pids[0], pids[1])

    def test_strange_names(self):
        out = self.status("--processes=none", scenario=self.scenario_file(STRANGE))
        rows = out.splitlines()[4:8]
        self.assertIn("│ NVIDIA 显卡 Ａ ", rows[0])
        self.assertIn("│ e\u0301e\u0301e\u0301 ", rows[1])
        self.assertIn("│ red \ufffd[31m bell \ufffd end ", rows[2])
        self.assert_golden("status-strange-names.txt", re.sub(r"\d+", "0", "\n".join(rows)) + "\n")

    def test_no_gpus(self):
        none = self.scenario_file("system:\n  num_devices: 0\n")
        self.assertIn("\nno NVIDIA GPUs found\n", self.status(scenario=none))

    def test_driver_without_gpus_of_its_own(self):
        none = self.scenario_file(
            "base: h100x8\nfaults:\n  - { function: nvmlInitWithFlags, error: NVML_ERROR_GPU_NOT_FOUND }\n"
            "  - { function: nvmlInit_v2, error: NVML_ERROR_GPU_NOT_FOUND }\n"
        )
        self.assertEqual(self.status(scenario=none), "no NVIDIA GPUs found\n")

    def test_count_that_fails(self):
        broken = self.scenario_file("base: h100x8\nfaults:\n  - { function: nvmlDeviceGetCount_v2, error: NVML_ERROR_UNKNOWN }\n")
        self.assert_result(self.run_sim("status", scenario=broken), 1, "", ["the GPUs cannot be counted", "NVML_ERROR_UNKNOWN"])

    def test_driver_that_is_not_loaded(self):
        broken = self.scenario_file(
            "base: h100x8\nfaults:\n  - { function: nvmlInitWithFlags, error: NVML_ERROR_DRIVER_NOT_LOADED }\n"
            "  - { function: nvmlInit_v2, error: NVML_ERROR_DRIVER_NOT_LOADED }\n"
        )
        result = self.run_sim("status", scenario=broken)
        self.assert_result(result, 3, "", ["NVML cannot be used: Driver Not Loaded (NVML_ERROR_DRIVER_NOT_LOADED)", "nvidia kernel module"])

    def test_library_that_cannot_be_used(self):
        self.assert_result(self.run_plain("status"), 3, "", ["NVP_ERROR_LIBRARY_BROKEN", "tried /nonexistent/libnvidia-ml.so.1"])

    def test_library_that_is_not_found(self):
        result = harness.execute([harness.program(), "status"], harness.environment())
        if result.code == 0:
            self.skipTest("this machine has a driver")
        self.assert_result(result, 3, "", "NVML cannot be used")
        verbose = harness.execute([harness.program(), "status", "--verbose"], harness.environment())
        self.assert_result(verbose, 3, "", "  tried libnvidia-ml.so.1 (default): ")

    def test_log_speaks_only_when_asked(self):
        self.assertNotIn("WARNING", self.run_plain("status").err)
        self.assertIn("DEBUG", self.run_plain("status", LOGLEVEL="DEBUG").err)

    def test_mig_devices_stand_below_their_gpu(self):
        out = self.status("--processes=all", "--verbose", profile="a100-mig")
        self.assertEqual(
            re.findall(r"(?m)^ *([\d:]+) │ NVIDIA", out), ["0", "0:0", "0:2", "0:5", "1", "1:0", "1:1", "2", "3"], out
        )
        self.assertRegex(out, r"(?m)^0:2 │ NVIDIA A100-SXM4-40GB MIG 2g.10gb +│ +N/A │")
        self.assertRegex(out, r"(?m)^0:2 │ +\d+ │ C +│ +6\.9 GiB │ /opt/infer/server$")
        self.assertRegex(out, r"(?m)^GPU utilization +│ 0,0:0,0:2,0:5,1,1:0,1:1,2 +│ not supported +│ NVML_ERROR_NOT_SUPPORTED$")

    def test_unified_memory_is_marked(self):
        self.assertRegex(self.status(profile="gb10"), r"(?m)^  0 │ NVIDIA GB10 +│ .*│ unified \d+\.\d/\d+\.\d GiB │")
        self.assertNotIn("unified", self.status())

    def test_clocks_that_are_slowed_say_why(self):
        result = self.run_sim("status", scenario=self.scenario_file(SLOWED))
        self.assert_result(result, 0, "GPU 0-2,5: slowed down: heat (hardware)\nGPU 4: slowed down: hardware slowdown\n", "")
        self.assertNotIn("slowed", self.run_sim("status").out)

    def test_power_without_a_limit(self):
        self.assertRegex(self.status(profile="laptop"), r"(?m)^  0 │ .*│ +\d+ W │")

    def run_hanging(self, scenario, *arguments, **env):
        begin = time.monotonic()
        result = self.run_sim("status", *arguments, scenario=self.scenario_file(scenario), **env)
        return self.assert_result(result, 0, err="").out, time.monotonic() - begin

    def test_hanging_gpu_is_stalled_and_hangs_nobody(self):
        out, seconds = self.run_hanging(HANGING, "--verbose")
        self.assertRegex(out, r"(?m)^  2 │ (NVIDIA H100 80GB HBM3 │ )?stalled 2 s$")
        self.assertRegex(out, r"(?m)^all +│ 2 +│ timed out +│ NVP_ERROR_TIMED_OUT$")
        for index in (0, 1, 3, 7):
            self.assertRegex(out, rf"(?m)^  {index} │ NVIDIA H100 80GB HBM3 │ +\d+% │")
        self.assertGreater(seconds, 2)
        self.assertLess(seconds, 20)  # the exit would wait for two minutes

    def test_end_waits_for_a_hanging_gpu_as_long_as_the_user_says(self):
        _, seconds = self.run_hanging(HANGING, NVPULSE_EXIT_TIMEOUT_MS="3000")
        self.assertGreater(seconds, 5)

    def test_stalled_gpu_keeps_its_name(self):
        process = self.watched("--loop", "0.2", "--id", "1,2", scenario=self.scenario_file(HANGING_LATER))
        shown = self.read_until(process, re.compile(r"stalled"))
        self.assertRegex(shown, r"(?m)^  2 │ NVIDIA H100 80GB HBM3 │ +\d+% │")
        self.assertRegex(shown, r"(?m)^  2 │ NVIDIA H100 80GB HBM3 │ stalled 2 s$")

    def watched(self, *arguments, scenario=None):
        """`status` that goes on, as a process; ended with the test."""
        profile = None if scenario else "h100x8"
        process = subprocess.Popen(
            harness.sim_command("status", *arguments, profile=profile, scenario=scenario),
            env=harness.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for clean_up in (process.stderr.close, process.stdout.close, process.wait, process.kill):
            self.addCleanup(clean_up)
        return process

    def read_until(self, process, pattern):
        """What it prints up to the line with the pattern; then it is interrupted and must end well."""
        shown = ""
        for line in process.stdout:
            shown += line
            if pattern.search(line):
                break
        process.send_signal(signal.SIGINT)
        shown += process.stdout.read()
        self.assertEqual((process.wait(timeout=harness.TIMEOUT_S), process.stderr.read()), (0, ""))
        return shown

    def test_loop_prints_one_after_the_other(self):
        process = self.watched("--loop", "0.05", "--processes=none")
        shown = ""
        while shown.count("\ndriver ") < 3:
            shown += process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        shown += process.stdout.read()
        self.assertEqual(process.wait(timeout=harness.TIMEOUT_S), 0)
        blocks = shown.rstrip("\n").split("\n\n")
        self.assertGreaterEqual(len(blocks), 4)
        self.assertEqual(len({harness.TIME.sub("", block) for block in blocks}), 1, shown)

    def test_loop_in_json_is_one_line_each(self):
        process = self.watched("--loop", "0.05", "--json", "--id", "4")
        lines = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.stdout.close()  # a reader that goes away ends it
        process.wait(timeout=harness.TIMEOUT_S)
        self.assertEqual([line["sequence"] for line in lines], [1, 2, 3])
        self.assertEqual([device["index"] for line in lines for device in line["devices"]], [4, 4, 4])

    def test_json(self):
        snapshot = json.loads(self.status("--json"))
        self.assertEqual(snapshot["schema"], "nvpulse.snapshot/1")
        self.assertTrue(snapshot["simulated"])
        self.assertEqual(len(snapshot["devices"]), 8)
        self.assertEqual(snapshot["devices"][0]["metrics"]["identity.name"], "NVIDIA H100 80GB HBM3")
        self.assertGreater(len(snapshot["devices"][0]["metrics"]), 60)
        self.assertEqual(len(snapshot["processes"]), 12)
        self.assertEqual(json.loads(self.status("--json", "--processes=none"))["processes"], [])

    def ids(self, *arguments, profile="h100x8"):
        """The indexes of the devices and of the processes' devices that are shown."""
        snapshot = json.loads(self.status("--json", *arguments, profile=profile))
        name = lambda row, index, mig: f"{row[index]}" if row.get(mig) is None else f"{row[index]}:{row[mig]}"
        return (
            [name(device, "index", "mig_index") for device in snapshot["devices"]],
            sorted({name(process, "gpu_index", "mig_index") for process in snapshot["processes"]}),
        )

    def test_id_chooses_devices_and_their_processes(self):
        self.assertEqual(self.ids("--id", "5,0"), (["0", "5"], ["0", "5"]))
        self.assertEqual(self.ids("-i", "7"), (["7"], []))
        self.assertEqual(self.ids("-i", "0", profile="a100-mig"), (["0", "0:0", "0:2", "0:5"], ["0:0", "0:2"]))
        self.assertEqual(self.ids("-i", "0:2,3", profile="a100-mig"), (["0:2", "3"], ["0:2", "3"]))
        for metric in ("identity.uuid", "identity.pci_bus_id"):
            name = json.loads(self.status("--json"))["devices"][3]["metrics"][metric]
            self.assertEqual(self.ids("-i", name), (["3"], ["3"]), name)
            out = self.status("-i", name.lower())
            self.assertEqual(re.findall(r"(?m)^ *(\d+) │ NVIDIA", out), ["3"], out)

    def test_id_that_is_none(self):
        for name in ("8", "GPU-nonsense", "0:0", "", "ff:00.0"):
            result = self.run_sim("status", "--id", name)
            self.assert_result(result, 2, "", f"--id: there is no device '{name}'; there are 0, 1, 2")
        self.assert_result(self.run_sim("status", "--id", "GPU-"), 2, "", "'GPU-' is the beginning of several UUIDs")

    def test_loop_that_is_none(self):
        for span in ("0", "-1", "x", "", "99999999999"):
            self.assert_result(self.run_sim("status", "--loop", span), 2, "", f"--loop: '{span}' is not a time")

    def test_operands_are_refused(self):
        self.assert_result(self.run_sim("status", "0"), 2, "", "unexpected operand '0'")
