"""`nvpulse sim`: which driver and machine are chosen, what the program is given, how it ends."""

import os
import shutil
import stat
import sys
import tempfile

import harness

SHOW = 'printf "%s\\n" "$LD_LIBRARY_PATH" "$NVPULSE_NVML_PATH" "$NVPULSE_SIM_PROFILE" "$NVPULSE_SIM_SCENARIO" "$NVPULSE_SIM_CLOCK"'

FOREIGN = """
import ctypes
nvml = ctypes.CDLL("libnvidia-ml.so.1")
count = ctypes.c_uint()
print(nvml.nvmlInit_v2(), nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)), count.value)
"""


class SimTest(harness.CommandTest):
    def sim(self, *arguments, **env):
        return harness.execute([harness.program(), "sim", *arguments], harness.environment(**env))

    def given(self, *arguments, **env):
        """What the program finds in its environment: library path, library, profile, scenario, clock."""
        result = self.assert_result(self.sim(*arguments, "--", "sh", "-c", SHOW, **env), 0, err="")
        return result.out.splitlines()

    def drivers(self):
        folder = os.path.join(harness.build, "sim")
        return [name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "libnvidia-ml.so.1"))]

    def test_list(self):
        result = self.assert_result(self.sim("--list"), 0, ["Drivers in ", "  h100x8 ", "  rtx4090x2 "], "")
        for driver in self.drivers():
            self.assertRegex(result.out, rf"(?m)^  {driver}( |$)")

    def test_newest_driver_is_the_default(self):
        newest = max(self.drivers(), key=lambda version: [int(part) for part in version.split(".")])
        self.assertEqual(os.path.basename(os.path.dirname(self.given()[1])), newest)
        self.assertIn(f"  {newest}  (default)\n", self.sim("--list").out)

    def test_driver_by_its_first_numbers(self):
        for wanted in ("470", "470.256", "470.256.02"):
            self.assertEqual(self.given("--driver", wanted)[1].split("/")[-2], "470.256.02")
            self.assert_result(self.run_sim("call", "nvmlSystemGetDriverVersion", driver=wanted), 0, "470.256.02\n", "")

    def test_unknown_driver(self):
        for wanted in ("999", "47", "470.", ""):
            self.assert_result(self.sim("--driver", wanted, "--", "true"), 2, "", [f"no simulated driver '{wanted}'", "470.256.02"])

    def test_ambiguous_driver(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        for version in ("470.1", "470.2"):
            shutil.copytree(os.path.join(harness.build, "sim", "470.256.02"), os.path.join(folder, version))
        self.assert_result(self.sim("--driver", "470", "--", "true", NVPULSE_SIM_DIR=folder), 2, "", "'470' can mean several drivers: 470.1, 470.2")
        self.assert_result(self.sim("--driver", "470.1", "--", "true", NVPULSE_SIM_DIR=folder), 0, "", "")

    def test_environment_of_the_program(self):
        library_path, library, profile, scenario, clock = self.given("--profile", "rtx4090x2", "--clock", "stepped")
        self.assertEqual(library, os.path.join(library_path, "libnvidia-ml.so.1"))
        self.assertTrue(os.path.isabs(library) and os.path.exists(library), library)
        self.assertEqual((profile, scenario, clock), ("rtx4090x2", "", "stepped"))

    def test_library_path_is_kept_behind(self):
        self.assertEqual(self.given(LD_LIBRARY_PATH="/a:/b")[0].split(":")[1:], ["/a", "/b"])
        self.assertNotIn(":", self.given(LD_LIBRARY_PATH="")[0])

    def test_environment_stays_where_the_options_say_nothing(self):
        env = {"NVPULSE_SIM_PROFILE": "rtx4090x2", "NVPULSE_SIM_CLOCK": "stepped"}
        self.assertEqual(self.given(**env)[2:], ["rtx4090x2", "", "stepped"])
        self.assertEqual(self.given("--profile", "h100x8", NVPULSE_SIM_SCENARIO="/x")[2:4], ["h100x8", ""])

    def test_profile(self):
        self.assert_result(self.run_sim("call", "nvmlDeviceGetCount_v2", profile="rtx4090x2"), 0, "2\n", "")
        self.assert_result(self.sim("--profile", "h100x9", "--", "true"), 2, "", "no profile 'h100x9'; did you mean 'h100x8'?")
        self.assert_result(self.sim("--profile", "zzz", "--", "true"), 2, "", "nvpulse sim --list")

    def test_scenario(self):
        path = self.scenario_file("system:\n  num_devices: 3\n")
        given = self.given("--scenario", os.path.relpath(path, tempfile.gettempdir()))
        self.assertEqual(given[2:4], ["", os.path.realpath(path)])
        self.assert_result(self.run_sim("call", "nvmlDeviceGetCount_v2", scenario=path), 0, "3\n", "")

    def test_wrong_scenario_is_refused_before_the_program_starts(self):
        path = self.scenario_file("base: h100x8\ndevice_defaults:\n  nmae: x\n")
        self.assert_result(self.sim("--scenario", path, "--", "echo", "started"), 2, "", [path, "nmae"])
        self.assert_result(self.sim("--scenario", "/nonexistent.yaml", "--", "echo", "started"), 2, "", "/nonexistent.yaml")
        self.assert_result(self.sim("--scenario", "/", "--", "echo", "started"), 2, "", "/: cannot be read: Is a directory")

    def test_keys_that_do_nothing_are_named_once(self):
        path = self.scenario_file("system: {driver_version: 1.2}\ndevices: [{memory: {free_bytes: 1}}, {memory: {free_bytes: 2}}]\n")
        warning = f"nvpulse sim: warning: {path}: known, not used: system.driver_version, memory.free_bytes\n"
        result = self.sim("--scenario", path, "--", "echo", "started")
        self.assertEqual((result.code, result.out, result.err), (0, "started\n", warning))
        self.assert_result(self.sim("--scenario", path, "--", "echo", "started", LOGLEVEL="ERROR"), 0, "started\n", "")

    def test_profiles_of_nvml_mock(self):
        folder = os.environ.get("NVML_MOCK_PROFILES", "")
        if not os.path.isdir(folder):
            self.skipTest(f"no nvml-mock profiles in {folder or '$NVML_MOCK_PROFILES'}")
        for name, count in (("a100", 8), ("t4", 4), ("gb200", 8)):
            path = os.path.join(folder, name + ".yaml")
            result = self.run_sim("call", "nvmlDeviceGetCount_v2", scenario=path)
            self.assert_result(result, 0, f"{count}\n", f"{path}: known, not used: system.driver_version, ")
            self.assertEqual(result.err.count("\n"), 1)
            keys = result.err.split("not used: ")[1].strip().split(", ")
            self.assertEqual(len(keys), len(set(keys)))

    def test_usage(self):
        self.assert_result(self.sim(), 2, "", "a command is missing")
        self.assert_result(self.sim("--profile", "a", "--scenario", "b", "--", "true"), 2, "", "exclude each other")
        self.assert_result(self.sim("--replay", "a", "--scenario", "b", "--", "true"), 2, "", "exclude each other")
        self.assert_result(self.sim("--list", "true"), 2, "", "--list takes no command")
        self.assert_result(self.sim("--clock", "steped", "--", "true"), 2, "", "did you mean 'stepped'?")

    def test_exit_status_is_that_of_the_program(self):
        for code in (0, 1, 42, 255):
            self.assert_result(self.sim("--", "sh", "-c", f"exit {code}"), code, "", "")
        self.assertEqual(self.sim("--", "sh", "-c", "kill -TERM $$").code, -15)

    def test_options_of_the_program_are_its_own(self):
        self.assert_result(self.sim("echo", "--help", "-x"), 0, "--help -x\n", "")
        self.assert_result(self.sim("--", "echo", "--list"), 0, "--list\n", "")

    def test_program_that_is_not_found(self):
        self.assert_result(self.sim("--", "no-such-program"), 127, "", "no-such-program: command not found")
        self.assert_result(self.sim("--", "/no/such/program"), 127, "", "/no/such/program: No such file or directory")

    def test_program_that_cannot_be_run(self):
        path = self.scenario_file("not a program\n")
        self.assert_result(self.sim("--", path), 126, "", f"{path}: Permission denied")
        os.chmod(path, stat.S_IRWXU)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/no/such/interpreter\n")
        self.assert_result(self.sim("--", path), 126, "", "its interpreter is missing")
        self.assert_result(self.sim("--", "/tmp"), 126, "", "/tmp: Permission denied")

    def test_nvpulse_need_not_be_in_the_path(self):
        self.assert_result(self.sim("--", "nvpulse", "--version"), 0, "nvpulse ", "")

    def test_program_that_opens_the_library_itself(self):
        if harness.is_sanitized():
            self.skipTest("a plain program cannot load a library with sanitizers")
        result = self.sim("--profile", "rtx4090x2", "--", sys.executable, "-c", FOREIGN)
        self.assert_result(result, 0, "0 0 2\n", "")

    def test_standard_input_reaches_the_program(self):
        result = harness.execute([harness.program(), "sim", "--", "cat"], stdin=b"hello\n")
        self.assert_result(result, 0, "hello\n", "")

    def test_folder_of_the_drivers(self):
        self.assert_result(self.sim("--list", NVPULSE_SIM_DIR="/nonexistent"), 1, "", "NVPULSE_SIM_DIR: '/nonexistent' is no folder")
        empty = tempfile.mkdtemp()
        self.addCleanup(os.rmdir, empty)
        self.assert_result(self.sim("--list", NVPULSE_SIM_DIR=empty), 1, "", "has no simulated driver in it")

    def test_library_that_is_no_simulator(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        os.mkdir(os.path.join(folder, "1.2.3"))
        with open(os.path.join(folder, "1.2.3", "libnvidia-ml.so.1"), "w", encoding="utf-8") as file:
            file.write("no library\n")
        self.assert_result(self.sim("--", "true", NVPULSE_SIM_DIR=folder), 1, "", "1.2.3/libnvidia-ml.so.1 is no simulated driver: ")
