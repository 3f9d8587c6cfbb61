"""`nvpulse doctor`: what it prints when all is well, as text and as JSON, and where the output goes."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

import doctor_machine
import harness
from doctor_case import HEALTHY, UNUSABLE, USAGE, DoctorTest, init_faults, library
from doctor_machine import Machine


class HealthyTest(DoctorTest):
    def test_simulation(self):
        result = self.doctor(profile="h100x8")
        self.assert_result(result, HEALTHY, ["\nSIMULATED: nvpulse simulator, driver 550", "\nLibrary\n", "(NVML_SUCCESS)"], "")
        self.assertTrue(result.out.endswith("\nVerdict: healthy\n"))
        self.assertEqual(len(re.findall(r"(?m)^  GPU \d +[0-9A-F:.]+, NVIDIA H100 80GB HBM3: ok$", result.out)), 8)

    def test_usual_time_limit(self):
        self.assertEqual(json.loads(self.run_sim("doctor", "--json", profile="rtx4090x2").out)["timeout_s"], 5)
        self.assertEqual(self.report(HEALTHY, "-t", "3600")["timeout_s"], 3600)

    def test_every_simulated_driver(self):
        drivers = sorted(os.listdir(os.path.join(harness.build, "sim")))
        for driver in [name for name in drivers if os.path.exists(os.path.join(harness.build, "sim", name, "libnvidia-ml.so.1"))]:
            report = self.report(HEALTHY, driver=driver)
            self.assertEqual((report["versions"]["driver"], report["versions"]["library"]), (driver, driver))
            self.assert_only_notes(report)

    def test_machine(self):
        report = self.report(HEALTHY, machine=Machine(self))
        self.assert_only_notes(report)
        self.assertEqual([gpu["bus_id"] for gpu in report["devices"]], list(doctor_machine.GPUS))
        self.assertEqual([gpu["runtime_state"] for gpu in report["devices"]], ["active", "active"])
        self.assertEqual([node["path"] for node in report["nodes"]], ["/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia-uvm"])
        self.assertTrue(all(node["readable"] and node["writable"] and node["mode"] == "0666" for node in report["nodes"]))
        self.assertEqual(report["module"], {"loaded": True, "proc_version": "550.163.01", "sys_version": "550.163.01", "mismatch": False})
        self.assertFalse(report["environment"]["container"] or report["environment"]["wsl"])

    def test_files_of_this_machine_do_not_matter_to_a_simulation(self):
        out = self.doctor().out
        self.assertNotIn("Device nodes", out)
        self.assertNotIn("PCI bus", out)
        self.assertIn("Kernel module  N/A (simulated)", out)

    def test_simulated_is_always_said(self):
        self.assertTrue(self.report(HEALTHY)["simulated"])
        self.assert_finding(self.report(HEALTHY), "note", "library", "The driver is simulated")
        other = self.report(HEALTHY, nvml=library("crash"), machine=Machine(self))
        self.assertFalse(other["simulated"])
        self.assertNotIn("simulated", json.dumps(other["findings"]))

    def test_driver_with_few_functions(self):
        report = self.report(HEALTHY, nvml=library("crash"), machine=Machine(self))
        self.assertEqual([(gpu["name"], gpu["state"], gpu["uuid"]) for gpu in report["devices"]], [("Only GPU", "ok", None)])
        self.assertIsNone(report["versions"]["driver"])
        self.assertIn("Driver         N/A (this driver lacks the function)\n", self.doctor(nvml=library("crash"), machine=Machine(self)).out)


class JsonTest(DoctorTest):
    def manual_keys(self):
        with open(os.path.join(harness.SOURCE, "man", "nvpulse-doctor.1"), encoding="utf-8") as file:
            text = file.read()
        section = text[text.index(".SH JSON") : text.index(".SH OPTIONS")]
        return set(re.findall(r"[a-z_]+", " ".join(re.findall(r"(?m)^\.(?:B|BR|TP) .*$", section))))

    def keys_of(self, value, path=""):
        if isinstance(value, dict) and path != "environment.variables":
            for key, inner in value.items():
                yield key
                yield from self.keys_of(inner, f"{path}.{key}" if path else key)
        elif isinstance(value, list):
            for inner in value:
                yield from self.keys_of(inner, path)

    def test_every_key_is_documented(self):
        machine = Machine(self)
        machine.load_module("470.256.02")
        machine.put_to_sleep(doctor_machine.GPUS[0])
        keys = set()
        for report in (self.report(HEALTHY, driver="470", machine=machine), self.report(UNUSABLE, nvml="/nonexistent")):
            keys |= set(self.keys_of(report))
        self.assertEqual(keys - self.manual_keys(), set())
        self.assertGreater(len(keys), 60)

    def test_keys_do_not_depend_on_the_machine(self):
        good, bad = self.report(HEALTHY), self.report(UNUSABLE, nvml="/nonexistent")
        self.assertEqual(list(good), list(bad))
        for key in ("library", "versions", "module", "environment", "init"):
            self.assertEqual(list(good[key]), list(bad[key]))

    def test_what_is_not_known_is_null(self):
        report = self.report(UNUSABLE, nvml="/nonexistent")
        self.assertEqual([report["versions"][key] for key in ("driver", "nvml", "cuda", "library")], [None] * 4)
        self.assertEqual((report["init"]["outcome"], report["init"]["status"], report["init"]["elapsed_us"]), ("not_tried", None, None))
        self.assertEqual(report["devices"], [])

    def test_strange_texts(self):
        name = 'red \\e[31m \\"quoted\\" \\\\ end'
        report = self.report(HEALTHY, scenario=f'base: rtx4090x2\ndevices:\n  - {{ index: 1, name: "{name}" }}\n')
        self.assertEqual(report["devices"][1]["name"], 'red \x1b[31m "quoted" \\ end')

    def test_severities_and_sections_are_known(self):
        report = self.report(UNUSABLE, machine=Machine(self), scenario=init_faults("error: NVML_ERROR_UNKNOWN"))
        for finding in report["findings"]:
            self.assertIn(finding["section"], report)
            self.assertIn(finding["severity"], ("note", "degraded", "unusable"))
        order = [("unusable", "degraded", "note").index(finding["severity"]) for finding in report["findings"]]
        self.assertEqual(order, sorted(order))


class OutputTest(DoctorTest):
    def lines(self, *arguments, **options):
        return self.doctor(*arguments, **options).out.splitlines()

    def test_usage_errors_have_a_code_of_their_own(self):
        for arguments, message in (
            (["--frobnicate"], "unknown option '--frobnicate'"),
            (["now"], "unexpected operand 'now'"),
            (["--timeout", "0"], "--timeout: at least 1 second"),
            (["--timeout", "3601"], "--timeout: '3601' is not a whole number from 0 to 3600"),
            (["--timeout", "x"], "--timeout: 'x' is not a whole number"),
            (["--timeout"], "option '--timeout' wants an argument: SECONDS"),
            (["--color", "allways"], "did you mean 'always'?"),
        ):
            self.assert_result(self.doctor(*arguments, nvml="/nonexistent"), USAGE, "", message)

    def test_exit_status_is_in_help_and_manual(self):
        with open(os.path.join(harness.SOURCE, "man", "nvpulse-doctor.1"), encoding="utf-8") as file:
            manual = file.read()
        text = self.doctor("--help", nvml="/nonexistent").out
        codes = re.findall(r"(?m)^  (\d+) +\w", text)
        self.assertEqual(codes, ["0", "1", "2", "4", "64", "71"])
        self.assertEqual(re.findall(r"(?m)^\.B (\d+)$", manual), codes)

    def test_width_breaks_lines_and_loses_nothing(self):
        machine = Machine(self)
        machine.load_module("535.104.05")
        whole = self.doctor("--width", "0", machine=machine).out
        for width in (1, 2, 10, 33, 40, 79, 120):
            narrow = self.doctor("--width", str(width), machine=machine).out
            self.assertEqual(re.sub(r"\d+\.\d\d ms", "", " ".join(narrow.split())), re.sub(r"\d+\.\d\d ms", "", " ".join(whole.split())))
            for line in narrow.splitlines():
                if not re.match(r"(?:  \S+(?: \S+)?)? +\S+$|\S", line):  # titles, and words that are too long
                    self.assertLessEqual(len(line), width, line)

    def test_lines_fit_a_usual_terminal(self):
        for line in self.lines("--width", "80", driver="470"):
            self.assertTrue(len(line) <= 80 or len(line.split()) <= 3 and "/" in line, line)

    def test_no_blanks_at_the_ends_of_lines(self):
        for options in ({}, {"machine": Machine(self)}, {"nvml": "/nonexistent"}):
            for line in self.lines(**options):
                self.assertEqual(line, line.rstrip())

    def test_nothing_but_ascii_in_the_c_locale(self):
        self.assertTrue(self.doctor(LC_ALL="C", scenario='base: rtx4090x2\ndevices:\n  - { index: 0, name: "\u663e\u5361" }\n').out.isascii())

    def test_strange_names_are_harmless(self):
        out = self.doctor(scenario='base: rtx4090x2\ndevices:\n  - { index: 0, name: "red \\e[31m" }\n', machine=Machine(self)).out
        self.assertNotIn("\x1b", out)
        self.assertIn("red \ufffd[31m: ok", out)

    def test_colors(self):
        self.assertNotIn("\033", self.doctor().out)
        self.assertIn("\nVerdict: \033[32mhealthy\033[0m\n", self.doctor("--color=always").out)
        self.assertIn("\nVerdict: \033[31munusable\033[0m\n", self.doctor("--color=always", nvml="/nonexistent").out)
        self.assertIn("\033[33mSIMULATED", self.doctor("--color=always").out)
        self.assertNotIn("\033", self.doctor("--json", "--color=always").out)

    def test_closed_pipe_kills_quietly(self):
        for arguments in (["--json"], []):
            reader, writer = os.pipe()
            os.close(reader)
            command = harness.sim_command("doctor", *arguments, profile="rtx4090x2")
            done = subprocess.run(command, env=harness.environment(), stdout=writer, stderr=subprocess.PIPE, timeout=harness.TIMEOUT_S, check=False)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))

    def test_full_disk_is_noticed(self):
        with open("/dev/full", "wb") as full:
            command = harness.sim_command("doctor", profile="rtx4090x2")
            done = subprocess.run(command, env=harness.environment(), stdout=full, stderr=subprocess.PIPE, timeout=harness.TIMEOUT_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (4, b"nvpulse: cannot write the output: No space left on device\n"))

    def test_log_speaks_only_when_asked(self):
        self.assertEqual(self.doctor(driver="470").err, "")
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        done = subprocess.run(
            harness.sim_command("doctor", profile="h100x8"),
            env=harness.environment(LOGLEVEL="DEBUG"), cwd=folder, capture_output=True, text=True, timeout=harness.TIMEOUT_S, check=False,
        )
        self.assertIn("DEBUG", done.stderr)
        self.assertIn("Verdict: healthy", done.stdout)
