"""`nvpulse sim --control` and `nvpulse sim ctl`: a simulation is changed while a program runs on it."""

import os
import re
import shlex
import shutil
import stat
import subprocess
import tempfile

import harness

# Answers each line of its input with what a call says, so that a test can look before and after a change.
SHELL = 'while read call; do $NVPULSE call $call 2>&1; echo .; done'
TEMPERATURE = "nvmlDeviceGetTemperature 0 --gpu"


class SimCtlTest(harness.CommandTest):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.env = harness.environment(XDG_RUNTIME_DIR=self.folder, NVPULSE=harness.program())

    def sim(self, *arguments, **env):
        return harness.execute([harness.program(), "sim", *arguments], {**self.env, **env})

    def ctl(self, *arguments, **env):
        return self.sim("ctl", *arguments, **env)

    def works(self, *arguments, **env):
        self.assert_result(self.ctl(*arguments, **env), 0, "", "")

    def start(self, *arguments):
        """A shell on a simulation, and a function that asks it to make a call."""
        command = [harness.program(), "sim", "--clock", "stepped", *arguments, "--", "sh", "-c", SHELL]
        shell = subprocess.Popen(command, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder)

        def stop():
            shell.stdin.close()
            shell.stdout.close()
            shell.wait(harness.TIMEOUT_S)

        def ask(call):
            shell.stdin.write(call + "\n")
            shell.stdin.flush()
            return "".join(iter(shell.stdout.readline, ".\n"))

        self.addCleanup(stop)
        ask("nvmlDeviceGetCount_v2")  # it has become the shell by now
        return shell, ask

    def test_a_running_program_sees_the_change(self):
        _, ask = self.start("--control")
        self.assertNotEqual(ask(f"{TEMPERATURE} 1"), "97\n")
        before = ask(f"{TEMPERATURE} 2")
        self.works("set", "devices[1].thermal.temperature_gpu_c=97", "devices[3].name=other")
        self.assertEqual(ask(f"{TEMPERATURE} 1"), "97\n")
        self.assertEqual(ask(f"{TEMPERATURE} 2"), before)
        self.assertEqual(ask("nvmlDeviceGetName --gpu 3"), "other\n")
        self.works("reset", "devices[3].name")
        self.assertEqual(ask("nvmlDeviceGetName --gpu 3"), ask("nvmlDeviceGetName --gpu 2"))

    def test_every_change_of_the_manual_works(self):
        with open(os.path.join(harness.SOURCE, "docs", "simulator.md"), encoding="utf-8") as manual:
            lines = re.findall(r"^nvpulse sim ctl (?!--)(.*)$", manual.read().split("## Live control")[1], re.MULTILINE)
        self.assertGreaterEqual(len(lines), 12)
        self.start("--control")
        for line in lines:
            with self.subTest(line=line):
                self.works(*shlex.split(line, comments=True))

    def test_one_process_that_goes_on_sees_the_changes(self):
        path = os.path.join(self.folder, "lines.jsonl")
        script = f"$NVPULSE record --output {path} --loop 0.1 --count 30 & until test -s {path}; do sleep 0.1; done; $NVPULSE sim ctl set utilization.gpu=37; wait"
        result = self.sim("--control", "--", "sh", "-c", script)
        self.assertEqual(result.code, 0, result)
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        self.assertNotIn('"utilization.gpu_percent":37', lines[0])
        self.assertIn('"utilization.gpu_percent":37', lines[-1])

    def test_the_simulation_by_pid_and_by_file(self):
        first, ask_first = self.start("--control")
        second, ask_second = self.start("--control-file", "own.control", "--profile", "t4")
        self.works("--pid", str(first.pid), "set", "name=one")
        self.works("--control-file", os.path.join(self.folder, "own.control"), "set", "name=two")
        self.assertEqual(ask_first("nvmlDeviceGetName --gpu 0"), "one\n")
        self.assertEqual(ask_second("nvmlDeviceGetName --gpu 0"), "two\n")
        self.works("set", "name=three")  # the only one in the folder
        self.assertEqual(ask_first("nvmlDeviceGetName --gpu 0"), "three\n")
        self.assert_result(self.ctl("--pid", str(second.pid), "set", "name=x"), 1, "", "No such file")

    def test_which_of_several_has_to_be_said(self):
        first, _ = self.start("--control")
        second, _ = self.start("--control")
        result = self.assert_result(self.ctl("set", "name=x"), 1, "", "several simulations run; choose one with --pid: ")
        self.assertIn(str(first.pid), result.err)
        self.assertIn(str(second.pid), result.err)

    def test_the_simulation_around_the_command(self):
        script = "$NVPULSE sim ctl set name=inner; $NVPULSE call nvmlDeviceGetName --gpu 0"
        self.start("--control")
        self.assert_result(self.sim("--control", "--", "sh", "-c", script), 0, "inner\n", "")
        self.assert_result(self.sim("--control", "--profile", "t4", "--", "sh", "-c", script), 0, "inner\n", "")

    def test_no_simulation(self):
        self.assert_result(self.ctl("set", "name=x"), 1, "", "no simulation that was started with 'nvpulse sim --control' runs")
        self.assert_result(self.sim("--", "nvpulse", "sim", "ctl", "set", "name=x"), 1, "", "no simulation that was started")

    def test_messages_are_those_of_a_scenario(self):
        _, ask = self.start("--control", "--scenario", self.scenario_file("base: h100x8\nsystem: {num_devices: 2}\n"))
        before = ask(f"{TEMPERATURE} 1")
        self.assert_result(
            self.ctl("set", "devices[1].thermal.temperature_gpu_c=1000"),
            2,
            "",
            "nvpulse: sim ctl: key 'devices[1].thermal.temperature_gpu_c': '1000' is not allowed; allowed: a number from 0 to 200",
        )
        self.assert_result(self.ctl("set", "thermal.temperature_gpu=1"), 2, "", "unknown key, did you mean 'temperature_gpu_c'?")
        self.assert_result(self.ctl("set", "devices[2].name=x"), 2, "", "there is no device 2; allowed: 0 to 1")
        self.assert_result(self.ctl("fautl", "clear"), 2, "", "there is no command 'fautl', did you mean 'fault'?")
        self.assert_result(self.ctl(), 2, "", "a change is missing")
        self.assertEqual(ask(f"{TEMPERATURE} 1"), before)

    def test_every_change(self):
        _, ask = self.start("--control", "--profile", "h200")
        self.works("fault", "add", "function=nvmlDeviceGetPowerUsage", "device=1", "error=GPU_IS_LOST")
        self.assertIn("lost", ask("nvmlDeviceGetPowerUsage --gpu 1"))
        self.works("fault", "clear")
        self.assertRegex(ask("nvmlDeviceGetPowerUsage --gpu 1"), r"^\d+\n$")
        self.works("device", "remove", "7")
        self.assertEqual(ask("nvmlDeviceGetCount_v2"), "7\n")
        self.works("device", "add", "7")
        self.works("device", "add", "name=ninth")
        self.assertEqual(ask("nvmlDeviceGetName --gpu 8"), "ninth\n")
        self.works("device", "lose", "3")
        self.assertIn("lost", ask(f"{TEMPERATURE} 3"))
        self.works("device", "return", "3")
        self.assertRegex(ask(f"{TEMPERATURE} 3"), r"^\d+\n$")
        self.works("process", "add", "device=8", "name=added", "pid=4242", "used_memory_mib=0")
        self.assertIn("4242", ask("nvmlDeviceGetComputeRunningProcesses_v3 --gpu 8"))
        self.works("process", "end", "4242")
        self.assertNotIn("4242", ask("nvmlDeviceGetComputeRunningProcesses_v3 --gpu 8"))
        self.works("event", "xid", "0", "48")
        self.works("set", "utilization.gpu={move: square, low: 0, high: 100, period_ms: 2000}")
        high = ask("nvmlDeviceGetUtilizationRates --gpu 0")
        self.works("clock", "step", "1s")
        self.assertNotEqual(ask("nvmlDeviceGetUtilizationRates --gpu 0"), high)

    def test_the_folder_is_the_users_own(self):
        self.start("--control")
        mode = os.stat(os.path.join(self.folder, "nvpulse-sim")).st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o700)
        for name in os.listdir(os.path.join(self.folder, "nvpulse-sim")):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.folder, "nvpulse-sim", name)).st_mode), 0o600)

    def test_a_folder_that_others_can_write_to_is_refused(self):
        folder = os.path.join(self.folder, "nvpulse-sim")
        os.mkdir(folder)
        os.chmod(folder, 0o777)
        self.assert_result(self.sim("--control", "--", "true"), 1, "", "can be written by others")
        os.rmdir(folder)
        os.symlink("/tmp", folder)
        self.assert_result(self.sim("--control", "--", "true"), 1, "", "is no folder")

    def test_what_has_ended_leaves_nothing_for_long(self):
        self.assert_result(self.sim("--control", "--", "true"), 0, "", "")
        self.assert_result(self.sim("--control", "--", "true"), 0, "", "")
        self.assertEqual(len(os.listdir(os.path.join(self.folder, "nvpulse-sim"))), 1)

    def test_a_file_of_somebody_else_is_not_overwritten(self):
        path = os.path.join(self.folder, "precious")
        with open(path, "w", encoding="utf-8") as file:
            file.write("precious\n")
        self.assert_result(self.sim("--control-file", path, "--", "true"), 1, "", "exists and is something else")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious\n")

    def test_another_machine_is_not_under_the_control_of_the_first(self):
        script = "$NVPULSE sim --profile t4 -- $NVPULSE call nvmlDeviceGetName --gpu 0"
        self.assert_result(self.sim("--control", "--", "sh", "-c", "$NVPULSE sim ctl set name=x; " + script), 0, "Tesla T4\n", "")

    def test_help(self):
        self.assert_result(self.ctl("--help"), 0, ["Usage: nvpulse sim ctl [OPTION...] CHANGE...", "fault clear", "--pid"], "")
