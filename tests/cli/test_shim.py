"""`nvpulse shim`: what the program is given, how it ends, and what the doctor says of it."""

import json
import os
import tempfile

import harness

SHOW = 'printf "%s\\n" "$LD_LIBRARY_PATH" "$NVPULSE_TRACE" "$NVPULSE_DEADLINE_MS"'
FOREIGN = """
import ctypes
nvml = ctypes.CDLL("libnvidia-ml.so.1")
count = ctypes.c_uint()
print(nvml.nvmlInit_v2(), nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)), count.value)
print(nvml.nvmlDeviceGetFanSpeedRPM(None, None))
"""


class ShimTest(harness.CommandTest):
    def shim(self, *arguments, **env):
        return harness.execute([harness.program(), "shim", *arguments], harness.environment(**env))

    def on_shim(self, *command, options=(), driver=harness.DRIVER, **env):
        """A command on the shim, over a simulated driver."""
        simulation = [harness.program(), "sim", "--clock", "stepped", "--profile", "h100x8", "--driver", driver, "--"]
        return harness.execute([*simulation, harness.program(), "shim", *options, "--", *command], harness.environment(**env))

    def folder(self):
        return self.assert_result(self.shim("--print"), 0, err="").out.rstrip("\n")

    def given(self, *options, **env):
        """What the program finds in its environment: library path, trace, deadline."""
        return self.assert_result(self.shim(*options, "--", "sh", "-c", SHOW, **env), 0, err="").out.split("\n")[:3]

    def test_print(self):
        folder = self.folder()
        self.assertTrue(os.path.samefile(folder, os.path.join(harness.build, "shim")))
        self.assertTrue(os.path.exists(os.path.join(folder, "libnvidia-ml.so.1")))
        self.assert_result(self.shim("--print", "true"), 2, "", "--print takes no command")

    def test_library_path(self):
        self.assertEqual(self.given()[0], self.folder())
        self.assertEqual(self.given(LD_LIBRARY_PATH="/opt/lib")[0], self.folder() + ":/opt/lib")

    def test_trace_and_deadline(self):
        self.assertEqual(self.given()[1:], ["", ""])
        self.assertEqual(self.given(NVPULSE_TRACE="/x", NVPULSE_DEADLINE_MS="5")[1:], ["/x", "5"])
        self.assertEqual(self.given("--trace", "/tmp/calls-%p", "--deadline-ms", "250")[1:], ["/tmp/calls-%p", "250"])
        here = os.path.realpath(tempfile.gettempdir())  # where the tests run the command
        self.assertEqual(self.given("-t", "calls", "-d", "1", NVPULSE_TRACE="/x")[1:], [os.path.join(here, "calls"), "1"])

    def test_command_line(self):
        self.assert_result(self.shim(), 2, "", "a command is missing, as in 'nvpulse shim -- nvtop'")
        for path in ("/proc/nosuch/calls", "/proc/nosuch/calls-%p", "/dev/null/calls", "a" * 5000):
            self.assert_result(self.shim("--trace", path, "--", "true"), 1, "", "--trace: cannot write")
        self.assert_result(self.shim("--trace", "", "--", "true"), 2, "", "--trace: the name of a file is missing")
        for number in ("0", "x", "-1", "86400001"):
            self.assert_result(self.shim("--deadline-ms", number, "--", "true"), 2, "", "--deadline-ms: ")

    def test_exit_status_is_that_of_the_command(self):
        self.assert_result(self.shim("--", "sh", "-c", "echo out; exit 7"), 7, "out\n", "")
        self.assert_result(self.shim("--", "no-such-command"), 127, "", "no-such-command: command not found")
        self.assert_result(self.shim("--", "/etc/passwd"), 126, "", "/etc/passwd: Permission denied")

    def test_over_a_simulated_driver(self):
        if harness.is_sanitized():
            self.skipTest("a foreign program cannot load a library with sanitizers")
        for driver in ("390.157", harness.DRIVER):
            result = self.on_shim("python3", "-c", FOREIGN, driver=driver)
            self.assert_result(result, 0, "0 0 8\n13\n" if driver == "390.157" else "0 0 8\n", "")

    def test_over_no_driver(self):
        if harness.is_sanitized():
            self.skipTest("a foreign program cannot load a library with sanitizers")
        script = "import ctypes; print(ctypes.CDLL('libnvidia-ml.so.1').nvmlInit_v2())"
        result = self.shim("--", "python3", "-c", script, NVPULSE_NVML_PATH="/nonexistent/libnvidia-ml.so.1")
        self.assert_result(result, 0, "12\n", "")

    def test_what_was_traced_can_be_read(self):
        if harness.is_sanitized():
            self.skipTest("a foreign program cannot load a library with sanitizers")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "calls.jsonl")
            self.assert_result(self.on_shim("python3", "-c", FOREIGN, options=("--trace", path)), 0, "0 0 8\n", "")
            result = harness.execute([harness.program(), "trace", "--json", "--sort", "first", path])
            report = json.loads(self.assert_result(result, 0, err="").out)
        names = [function["function"] for function in report["functions"]]
        self.assertEqual(names, ["nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetFanSpeedRPM"])
        self.assertEqual((report["calls"], report["failed"]), (3, 1))

    def test_doctor_tells_that_the_shim_is_in_force(self):
        shim = os.path.realpath(os.path.join(harness.build, "shim", "libnvidia-ml.so.1"))
        driver = os.path.realpath(os.path.join(harness.build, "sim", harness.DRIVER, "libnvidia-ml.so.1"))
        for env in ({}, {"NVPULSE_NVML_PATH": None}):
            command = [harness.program(), "doctor"]
            out = self.on_shim("env", "-u", "NVPULSE_NVML_PATH", *command).out if env else self.on_shim(*command).out
            self.assertRegex(out, rf"(?m)^  Shim +in force: programs get {shim}, over {driver}$")
            self.assertRegex(out, rf"(?m)^  In use +{driver}$")
        report = json.loads(self.on_shim(*command, "--json").out)
        self.assertEqual(report["library"]["shim"], shim)
        self.assertEqual(report["library"]["path"], driver)

    def test_doctor_tells_that_it_is_not(self):
        result = self.run_sim("doctor")
        self.assertNotIn("Shim", result.out)
        self.assertIsNone(json.loads(self.run_sim("doctor", "--json").out)["library"]["shim"])
        behind = os.path.join(harness.build, "sim", harness.DRIVER) + ":" + self.folder()
        report = json.loads(self.run_sim("doctor", "--json", LD_LIBRARY_PATH=behind).out)
        self.assertIsNone(report["library"]["shim"], "another library comes first")

    def test_doctor_sees_a_shim_that_is_preloaded(self):
        if harness.is_sanitized():
            self.skipTest("the runtime of sanitizers has to be loaded first")
        shim = os.path.realpath(os.path.join(harness.build, "shim", "libnvidia-ml.so.1"))
        report = json.loads(self.run_sim("doctor", "--json", LD_PRELOAD=shim).out)
        self.assertEqual(report["library"]["shim"], shim)
