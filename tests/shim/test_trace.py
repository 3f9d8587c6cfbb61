"""NVPULSE_TRACE as its reader meets it: each call of a program is one line, whatever becomes of the program.

usage: test_trace.py BUILD [unittest arguments]
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
DRIVER = "550.163.01"
KEYS = ["arguments", "duration_ns", "function", "outputs", "pid", "result", "result_name", "tid", "time_us"]


class TraceTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(self.folder, "trace.jsonl")

    def run_calls(self, case, code=0, driver=DRIVER, **env):
        """Runs the client in an empty folder, and gives what it printed."""
        folder = os.path.join(BUILD, "sim", driver)
        simulation = {
            "LD_LIBRARY_PATH": os.path.join(BUILD, "shim") + ":" + folder,
            "TEST_SIM": os.path.join(folder, "libnvidia-ml.so.1"),
            "NVPULSE_SIM_PROFILE": "h100x8",
            "NVPULSE_SIM_CLOCK": "stepped",
        }
        done = subprocess.run(
            [os.path.join(BUILD, "bin", "shim-calls"), case],
            env={**os.environ, **simulation, **env},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def trace(self, case, code=0, **options):
        """The lines of the trace of one run."""
        self.assertEqual(self.run_calls(case, code, NVPULSE_TRACE=self.file, **options), "")
        return self.lines(self.file)

    def lines(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.endswith("\n"))
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            self.assertEqual(sorted(line), KEYS)
        return lines

    def test_off_costs_no_file(self):
        for env in ({}, {"NVPULSE_TRACE": ""}):
            self.assertEqual(self.run_calls("all_kinds", **env), "")
            self.assertEqual(os.listdir(self.folder), [])

    def test_arguments_and_outputs(self):
        lines = self.trace("all_kinds")
        calls = [(line["function"], line["arguments"], line["result_name"], line["outputs"]) for line in lines]
        device, zero = calls[2][3]["device"], calls[12][3]["device"]
        self.assertRegex(device, r"^0x[0-9a-f]+$")
        uuid = calls[4][3]["uuid"]
        self.assertRegex(uuid, r"^GPU-[0-9a-f]{8}-")
        temperature, state = calls[9][3]["temp"], calls[10][3]["pState"]
        self.assertTrue(20 < temperature < 100)
        self.assertRegex(state, r"^NVML_PSTATE_\d+$")
        memory, load = calls[7][3]["memory"], calls[8][3]["utilization"]
        self.assertEqual(memory["total"], memory["used"] + memory["free"])
        self.assertEqual(sorted(load), ["gpu", "memory"])
        ok, shutdown = "NVML_SUCCESS", ("nvmlShutdown", {}, "NVML_SUCCESS", {})
        expected = [
            ("nvmlDeviceGetCount_v2", {}, "NVML_ERROR_UNINITIALIZED", {}),
            ("nvmlInit_v2", {}, ok, {}),
            ("nvmlDeviceGetHandleByIndex_v2", {"index": 1}, ok, {"device": device}),
            ("nvmlDeviceGetHandleByIndex_v2", {"index": 99}, "NVML_ERROR_INVALID_ARGUMENT", {}),
            ("nvmlDeviceGetUUID", {"device": device, "length": 96}, ok, {"uuid": uuid}),
            ("nvmlDeviceGetHandleByUUID", {"uuid": uuid}, ok, {"device": device}),
            ("nvmlDeviceGetName", {"device": device, "length": 4}, "NVML_ERROR_INSUFFICIENT_SIZE", {}),
            ("nvmlDeviceGetMemoryInfo", {"device": device}, ok, {"memory": memory}),
            ("nvmlDeviceGetUtilizationRates", {"device": device}, ok, {"utilization": load}),
            ("nvmlDeviceGetTemperature", {"device": device, "sensorType": "NVML_TEMPERATURE_GPU"}, ok, {"temp": temperature}),
            ("nvmlDeviceGetPerformanceState", {"device": device}, ok, {"pState": state}),
            ("nvmlDeviceGetFanSpeed", {"device": device}, "NVML_ERROR_NOT_SUPPORTED", {}),
            ("nvmlDeviceGetHandleByIndex_v2", {"index": 0}, ok, {"device": zero}),
        ]
        self.assertEqual(calls[: len(expected)], expected)
        self.assertEqual(calls[-1], shutdown)
        self.assertEqual([line["result"] for line in lines[:4]], [1, 0, 0, 2])

    def test_lists_and_fields(self):
        short, whole, fields, null, text = self.trace("all_kinds")[13:18]
        self.assertEqual((short["result_name"], short["arguments"]["infoCount"]), ("NVML_ERROR_INSUFFICIENT_SIZE", 1))
        self.assertEqual(list(short["outputs"]), ["infoCount"])
        self.assertGreater(short["outputs"]["infoCount"], 1)
        self.assertEqual((whole["result_name"], whole["arguments"]["infoCount"]), ("NVML_SUCCESS", 16))
        infos = whole["outputs"]["infos"]
        self.assertEqual(len(infos), whole["outputs"]["infoCount"])
        self.assertTrue(all(info["pid"] > 0 and info["usedGpuMemory"] > 1 << 20 for info in infos), infos)
        self.assertEqual(fields["arguments"]["valuesCount"], 2)
        self.assertEqual([value["fieldId"] for value in fields["arguments"]["values"]], [82, 9999])
        temperature, unknown = fields["outputs"]["values"]
        self.assertEqual((temperature["fieldId"], temperature["nvmlReturn"]), (82, "NVML_SUCCESS"))
        self.assertTrue(20 < temperature["value"] < 120, temperature)
        self.assertNotEqual(unknown["nvmlReturn"], "NVML_SUCCESS")
        self.assertIsNone(unknown["value"])
        self.assertEqual((null["result_name"], null["outputs"]), ("NVML_ERROR_INVALID_ARGUMENT", {}))
        self.assertEqual(text["arguments"], {"result": "NVML_ERROR_TIMEOUT"})
        self.assertEqual((text["function"], text["outputs"]), ("nvmlErrorString", {"text": "Timeout"}))

    def test_old_driver(self):
        lines = self.trace("all_kinds", driver="390.157")
        processes = next(line for line in lines[14:] if "Processes" in line["function"])
        self.assertEqual(processes["result_name"], "NVML_SUCCESS")
        self.assertEqual(len(processes["outputs"]["infos"]), processes["outputs"]["infoCount"])

    def test_time(self):
        lines = self.trace("all_kinds")
        for before, line in zip(lines, lines[1:]):
            self.assertGreaterEqual(line["duration_ns"], 0)
            self.assertLessEqual(before["time_us"], line["time_us"] + 1000)

    def test_child_that_ends_without_ado(self):
        lines = self.trace("in_a_child")
        pids = [line["pid"] for line in lines if line["function"] == "nvmlDeviceGetPowerUsage"]
        self.assertEqual(len(pids), 3)
        self.assertEqual(pids[0], pids[2])
        self.assertNotEqual(pids[0], pids[1])

    def test_pid_in_the_name(self):
        self.run_calls("in_a_child", NVPULSE_TRACE=os.path.join(self.folder, "%p-of-%p.jsonl"))
        names = sorted(os.listdir(self.folder))
        self.assertEqual(len(names), 2)
        for name in names:
            pids = {line["pid"] for line in self.lines(os.path.join(self.folder, name))}
            self.assertEqual(pids, {int(name.split("-")[0])})
            self.assertEqual(name, f"{pids.copy().pop()}-of-{pids.pop()}.jsonl")

    def test_threads(self):
        lines = self.trace("in_threads")
        self.assertEqual(len(lines), 1 + 8 * 100 * 2)
        tids = {line["tid"] for line in lines[1:]}
        self.assertEqual(len(tids), 8)
        self.assertEqual({line["pid"] for line in lines}, {lines[0]["pid"]})

    def test_kill_loses_nothing(self):
        lines = self.trace("and_be_killed", code=-signal.SIGKILL)
        self.assertEqual(len(lines), 3)

    def test_descriptor_that_the_program_takes(self):
        lines = self.trace("after_closing_everything")
        powers = [line for line in lines if line["function"] == "nvmlDeviceGetPowerUsage"]
        self.assertEqual(len(powers), 3)

    def test_goes_on_behind_what_is_there(self):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("first\n")
        self.run_calls("all_kinds", NVPULSE_TRACE=self.file)
        with open(self.file, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "first")
        self.assertGreater(len(lines), 10)

    def test_file_that_cannot_be_written(self):
        for path in (os.path.join(self.folder, "none", "trace.jsonl"), "/dev/full"):
            self.assertEqual(self.run_calls("all_kinds", NVPULSE_TRACE=path), "")
            out = self.run_calls("all_kinds", NVPULSE_TRACE=path, LOGLEVEL="WARNING")
            self.assertEqual(out.count("NVPULSE_TRACE: cannot write " + path), 1, out)


unittest.main()
