"""`nvpulse record`: what is in the file, whatever ends it."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

import harness

HANGING = """
base: h100x8
faults:
  - { function: nvmlDeviceGetUtilizationRates, device: 2, hang: true, after_calls: 1 }
"""
GONE = """
base: h100x8
system: { num_devices: 0 }
faults:
  - { function: nvmlDeviceGetCount_v2, error: NVML_ERROR_UNKNOWN, after_calls: 2, times: 3 }
"""


class RecordTest(harness.CommandTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(folder.name, "run.jsonl")

    def record(self, *arguments, **options):
        return self.run_sim("record", "--output", self.file, *arguments, **options)

    def started(self, *arguments, scenario=None, **options):
        """A recording as a process, that has written its first line."""
        process = subprocess.Popen(
            harness.sim_command(
                "record", "--output", self.file, *arguments, profile=None if scenario else "h100x8", scenario=scenario
            ),
            env=harness.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        for clean_up in (process.stderr.close, process.stdout.close, process.wait, process.kill):
            self.addCleanup(clean_up)
        self.wait_for_lines(1)
        return process

    def wait_for_lines(self, count):
        deadline = time.monotonic() + harness.TIMEOUT_S
        while not os.path.exists(self.file) or len(self.text().splitlines()) < count:
            self.assertLess(time.monotonic(), deadline, "no lines come")
            time.sleep(0.01)

    def text(self):
        with open(self.file, encoding="utf-8") as file:
            return file.read()

    def lines(self):
        """The snapshots of the file, each of which must be whole."""
        text = self.text()
        self.assertTrue(text == "" or text.endswith("\n"))
        return [json.loads(line) for line in text.splitlines()]

    def test_count(self):
        self.assert_result(self.record("--loop", "0.02", "--count", "3"), 0, "", "")
        lines = self.lines()
        self.assertEqual([line["sequence"] for line in lines], [1, 2, 3])
        self.assertEqual({line["schema"] for line in lines}, {"nvpulse.snapshot/1"})
        self.assertEqual([len(line["devices"]) for line in lines], [8, 8, 8])
        self.assertEqual([len(line["processes"]) for line in lines], [12, 12, 12])

    def test_duration(self):
        begin = time.monotonic()
        self.assert_result(self.record("--loop", "60", "--duration", "300ms"), 0, "", "")
        self.assertLess(time.monotonic() - begin, 30)
        lines = self.lines()
        self.assertEqual(len(lines), 2)  # one at the begin, one at the end
        self.assertGreaterEqual(lines[1]["time_us"] - lines[0]["time_us"], 290000)

    def test_metrics_by_default(self):
        self.record("--count", "1")
        metrics = self.lines()[0]["devices"][0]["metrics"]
        for name in ("identity.uuid", "utilization.gpu_percent", "power.draw_mw", "power.energy_mj", "memory.used_bytes"):
            self.assertIn(name, metrics)
        self.assertLess(len(metrics), 50)

    def test_metrics_that_are_chosen(self):
        self.record("--count", "1", "--metrics", "temperature.gpu_c,fan.*,power.draw", "--no-processes")
        line = self.lines()[0]
        self.assertEqual(line["processes"], [])
        names = set(line["devices"][0]["metrics"]) - {"mig.mode"}
        self.assertEqual({name for name in names if not name.startswith("identity.")},
                         {"temperature.gpu_c", "power.draw_mw", "fan.count", "fan.speed_percent", "fan.speed_rpm",
                          "fan.speeds_percent"})

    def test_metrics_all_leave_out_what_is_costly(self):
        self.record("--count", "1", "--metrics", "all")
        metrics = self.lines()[0]["devices"][0]["metrics"]
        self.assertGreater(len(metrics), 100)
        self.assertFalse([name for name in metrics if name.startswith("gpm.")])

    def test_metrics_that_are_none(self):
        result = self.record("--metrics", "power.drawn_mw")
        self.assert_result(result, 2, "", "--metrics: there is no metric 'power.drawn_mw'; did you mean 'power.draw_mw'?")
        for names in ("", "power.draw_mw,", "pow.*", "nonsense", ".*", "a" * 300):
            self.assert_result(self.record("--metrics", names), 2, "", "--metrics: there is no metric '")
        self.assertFalse(os.path.exists(self.file))

    def test_id(self):
        self.record("--count", "1", "--id", "5,7")
        line = self.lines()[0]
        self.assertEqual([device["index"] for device in line["devices"]], [5, 7])
        self.assertEqual({process["gpu_index"] for process in line["processes"]}, {5})
        os.unlink(self.file)
        self.assert_result(self.record("--count", "1", "--id", "9"), 2, "", "--id: there is no device '9'")
        self.assertFalse(os.path.exists(self.file))

    def test_file_that_exists_is_refused(self):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("precious\n")
        self.assert_result(self.record("--count", "1"), 1, "", ["exists; --append goes on behind it, --force overwrites it"])
        self.assertEqual(self.text(), "precious\n")
        self.assert_result(self.record("--count", "1", "--append"), 1, "", "is no recording")
        self.assertEqual(self.text(), "precious\n")
        self.assert_result(self.record("--count", "1", "--force"), 0, "", "")
        self.assertEqual(len(self.lines()), 1)

    def test_append(self):
        for _ in range(2):
            self.assert_result(self.record("--count", "2", "--loop", "10ms", "--append"), 0, "", "")
        self.assertEqual([line["sequence"] for line in self.lines()], [1, 2, 1, 2])

    def test_append_behind_a_line_that_was_cut(self):
        self.record("--count", "2", "--loop", "10ms")
        os.truncate(self.file, os.path.getsize(self.file) - 1000)
        self.assert_result(self.record("--count", "1", "--append"), 0, "", "")
        lines = self.text().splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRaises(ValueError, json.loads, lines[1])
        self.assertEqual([json.loads(lines[place])["sequence"] for place in (0, 2)], [1, 1])

    def test_kill_loses_nothing(self):
        process = self.started("--loop", "1ms")
        self.wait_for_lines(5)
        process.kill()
        process.wait(timeout=harness.TIMEOUT_S)
        self.assertGreaterEqual(len(self.lines()), 5)

    def test_signals_end_it_well(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.started("--loop", "60")
            process.send_signal(number)
            self.assertEqual((process.wait(timeout=harness.TIMEOUT_S), process.stderr.read()), (0, ""))
            self.assertEqual(len(self.lines()), 2, "the last one is taken at the end")
            os.unlink(self.file)

    def test_command_ends_it_with_its_status(self):
        self.assert_result(self.record("--loop", "60", "--", "sh", "-c", "echo trained; exit 7"), 7, "trained\n", "")
        self.assertEqual(len(self.lines()), 2)

    def test_command_that_is_killed(self):
        self.assert_result(self.record("--", "sh", "-c", "kill -9 $$"), 137, "", "")

    def test_command_that_is_not_there(self):
        self.assert_result(self.record("--", "no-such-command"), 127, "", "no-such-command: command not found")
        self.assert_result(self.record("--", "/etc/passwd"), 126, "", "/etc/passwd: Permission denied")
        self.assertFalse(os.path.exists(self.file), "nothing was recorded")

    def test_command_outlives_the_recording(self):
        begin = time.monotonic()
        result = self.record("--loop", "10ms", "--count", "2", "--", "sh", "-c", "sleep 1; exit 3")
        self.assert_result(result, 3, "", "")
        self.assertGreaterEqual(time.monotonic() - begin, 1)
        self.assertEqual(len(self.lines()), 2)

    def test_command_is_given_the_signals(self):
        script = "trap 'echo got it; exit 5' TERM; while :; do sleep 0.02; done"
        process = self.started("--loop", "50ms", "--", "sh", "-c", script)
        time.sleep(0.3)  # until the trap stands; a signal before it ends the shell, which is right, too
        process.send_signal(signal.SIGTERM)
        self.assertEqual((process.wait(timeout=harness.TIMEOUT_S), process.stdout.read()), (5, "got it\n"))
        self.assertGreaterEqual(len(self.lines()), 2)

    def test_command_has_the_environment_of_its_user(self):
        script = "import os, signal; print(os.environ.get('NVPULSE_EXIT_TIMEOUT_MS'), signal.getsignal(signal.SIGXFSZ))"
        default = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        result = self.record("--count", "1", "--", sys.executable, "-c", script)
        self.assert_result(result, 0, err="")
        self.assertTrue(result.out.startswith("None "), result)
        self.assertEqual(len(default.split()), len(result.out.split()))
        result = self.record("--force", "--count", "1", "--", sys.executable, "-c", script, NVPULSE_EXIT_TIMEOUT_MS="77")
        self.assertTrue(result.out.startswith("77 "), result)

    def test_full_disk(self):
        result = self.run_sim("record", "--output", "/dev/full", "--loop", "10ms")
        self.assert_result(result, 4, "", "cannot write /dev/full: No space left on device")

    def test_full_disk_keeps_what_was_written(self):
        self.record("--count", "1")
        size = os.path.getsize(self.file)
        before = self.text()
        limit = 3 * size + size // 2
        done = subprocess.run(
            harness.sim_command("record", "--output", self.file, "--append", "--loop", "10ms", profile="h100x8"),
            env=harness.environment(),
            capture_output=True,
            text=True,
            timeout=harness.TIMEOUT_S,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("File too large; 2 snapshots of this recording are in it", done.stderr)
        self.assertEqual(len(self.lines()), 3, "the part of a line that fitted was cut off again")
        self.assertTrue(self.text().startswith(before))

    def test_full_disk_does_not_end_the_command(self):
        arguments = ("record", "--output", "/dev/full", "--", "sh", "-c", "sleep 0.3; echo done")
        self.assert_result(self.run_sim(*arguments), 4, "done\n", "No space left on device")
        arguments = ("record", "--output", "/dev/full", "--", "sh", "-c", "sleep 0.3; exit 9")
        self.assert_result(self.run_sim(*arguments), 9, "", "No space left on device")

    def test_standard_output(self):
        result = self.run_sim("record", "--output", "-", "--count", "2", "--loop", "10ms")
        self.assert_result(result, 0, err="")
        self.assertEqual([json.loads(line)["sequence"] for line in result.out.splitlines()], [1, 2])

    def test_reader_that_goes_away(self):
        command = harness.sim_command("record", "--output", "-", "--loop", "10ms", "--id", "7", profile="h100x8")
        process = subprocess.Popen(command, env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        process.stdout.readline()
        process.stdout.close()
        self.assertIn(process.wait(timeout=harness.TIMEOUT_S), (0, -signal.SIGPIPE))
        self.assertEqual(process.stderr.read(), b"")

    def test_hanging_gpu_is_recorded_as_stalled(self):
        begin = time.monotonic()
        result = self.record("--loop", "50ms", "--count", "4", scenario=self.scenario_file(HANGING))
        self.assert_result(result, 0, "", "")
        self.assertLess(time.monotonic() - begin, 20)
        states = [line["devices"][2]["state"] for line in self.lines()]
        self.assertEqual(states, ["ok", "stalled", "stalled", "stalled"])
        self.assertEqual([line["devices"][3]["state"] for line in self.lines()], ["ok"] * 4)

    def test_driver_that_fails_for_a_while(self):
        result = self.record("--loop", "20ms", "--count", "4", scenario=self.scenario_file(GONE))
        self.assert_result(result, 0, "", "the GPUs cannot be asked: Unknown Error (NVML_ERROR_UNKNOWN); trying on")
        self.assertEqual(result.err.count("\n"), 1, result)
        self.assertEqual(len(self.lines()), 4)

    def test_no_driver(self):
        result = self.run_plain("record", "--output", self.file, "--", "echo", "started")
        self.assert_result(result, 3, "", "NVML cannot be used")
        self.assertFalse(os.path.exists(self.file))

    def test_command_line(self):
        self.assert_result(self.run_sim("record"), 2, "", "where to write is missing: --output FILE")
        self.assert_result(self.record("--append", "--force"), 2, "", "contradict")
        for arguments in (("--count", "0"), ("--count", "x"), ("--loop", "0"), ("--duration", "never")):
            self.assert_result(self.record(*arguments), 2, "", arguments[0] + ": ")
        missing = self.run_sim("record", "--output", os.path.join(self.folder, "none", "run.jsonl"), "--count", "1")
        self.assert_result(missing, 4, "", "No such file or directory")
