"""`nvpulse sim --replay`: a recording of one machine is played back on any driver, and a recording of that agrees."""

import json
import os
import shutil
import tempfile

import harness

# What is derived from other metrics, or known of this machine and this moment alone.
DERIVED = ("fan.speed_rpm", "fan.speeds_percent", "power.module", "nvlink.", "identity.gsp_firmware_version")


class SimReplayTest(harness.CommandTest):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.count = 0

    def sim(self, *arguments, **env):
        return harness.execute([harness.program(), "sim", *arguments], harness.environment(**env))

    def record(self, *arguments, seconds=0.1, count=2):
        """The snapshots that a simulation gives, and the file that they are in."""
        self.count += 1
        path = os.path.join(self.folder, f"{self.count}.jsonl")
        options = ["--metrics", "all", "--output", path, "--loop", str(seconds), "--count", str(count)]
        self.assertEqual(self.sim(*arguments, "--", harness.program(), "record", *options).code, 0)
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file], path

    def agree(self, recorded, replayed, but=DERIVED):
        """Every metric that both drivers know has the same value, every GPU its UUID."""
        self.assertEqual(len(recorded["devices"]), len(replayed["devices"]))
        compared = 0
        for was, now in zip(recorded["devices"], replayed["devices"]):
            for name, value in was["metrics"].items():
                if value is not None and now["metrics"].get(name) is not None and not name.startswith(but):
                    self.assertEqual(now["metrics"][name], value, f"{was['index']}: {name}")
                    compared += 1
        self.assertGreater(compared, 20 * len(recorded["devices"]))

    def test_round_trip_on_every_machine(self):
        for profile in ("h100x8", "rtx4090x2", "t4", "gb10", "laptop", "wsl", "vgpu", "gtx1080-390"):
            recorded, path = self.record("--profile", profile)
            replayed, _ = self.record("--replay", path, "--clock", "stepped", count=1)
            with self.subTest(profile):
                self.agree(recorded[0], replayed[0])
                na = [name for name, value in recorded[0]["devices"][0]["metrics"].items() if value is None]
                for name in na:
                    if not name.startswith(DERIVED) and not name.endswith("_per_s"):
                        self.assertIsNone(replayed[0]["devices"][0]["metrics"].get(name), name)
                keep = ("pid", "gpu_index", "gpu_memory_bytes", "type", "sm_percent", "command")
                of = [[{key: process[key] for key in keep} for process in snapshot["processes"]] for snapshot in (recorded[0], replayed[0])]
                self.assertEqual(of[0], of[1])

    def test_round_trip_on_other_drivers(self):
        recorded, path = self.record("--profile", "h100x8", "--driver", "550")
        # Before 510 memory in use included what is reserved; the thresholds of memory came later.
        but = DERIVED + ("memory.", "clocks.event", "clocks.supported", "identity.architecture", "identity.brand")
        for driver in ("390", "470", "535.54", "610"):
            replayed, _ = self.record("--replay", path, "--driver", driver, "--clock", "stepped", count=1)
            with self.subTest(driver):
                self.agree(recorded[0], replayed[0], but)

    def lines(self, *snapshots):
        """A recording made by hand, one snapshot a second."""
        path = os.path.join(self.folder, "hand.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for second, (devices, processes) in enumerate(snapshots):
                snapshot = {"schema": "nvpulse.snapshot/1", "time_us": 1000000 * (5000 + second), "devices": [], "processes": processes}
                for index, metrics in devices.items():
                    metrics = {"identity.uuid": f"GPU-{index}", **metrics}
                    state = metrics.pop("state", "ok")
                    snapshot["devices"].append({"index": index, "mig_index": None, "state": state, "metrics": metrics})
                file.write(json.dumps(snapshot) + "\n")
        return path

    def script(self, path, *words, arguments=()):
        """Steps a stepped clock and calls, as the words say."""
        lines = []
        for word in words:
            step = f"$NVPULSE sim ctl clock step {word}" if isinstance(word, (int, float)) else f"$NVPULSE call {word} 2>&1"
            lines.append(step)
        command = ["--replay", path, *arguments, "--clock", "stepped", "--control", "--", "sh", "-c", "\n".join(lines)]
        return self.sim(*command, NVPULSE=harness.program(), XDG_RUNTIME_DIR=self.folder).out.splitlines()

    POWER = "nvmlDeviceGetPowerUsage --gpu 0"

    def test_values_hold_until_the_next_snapshot_and_the_last_stays(self):
        path = self.lines(*(({0: {"power.draw_mw": mw}}, []) for mw in (1000, 2000, 3000)))
        self.assertEqual(self.script(path, self.POWER, 999, self.POWER, 1, self.POWER, 1000, self.POWER, 9000, self.POWER), ["1000", "1000", "2000", "3000", "3000"])

    def test_loop(self):
        path = self.lines(*(({0: {"power.draw_mw": mw}}, []) for mw in (1000, 2000)))
        seen = self.script(path, self.POWER, 1000, self.POWER, 1000, self.POWER, 1000, self.POWER, arguments=["--loop"])
        self.assertEqual(seen, ["1000", "2000", "1000", "2000"])

    def test_speed(self):
        path = self.lines(*(({0: {"power.draw_mw": mw}}, []) for mw in (1000, 2000, 3000)))
        self.assertEqual(self.script(path, self.POWER, 100, self.POWER, 100, self.POWER, arguments=["--speed", "10"]), ["1000", "2000", "3000"])

    def test_what_was_not_there_is_not_there(self):
        path = self.lines(({0: {"power.draw_mw": 1000}}, []), ({0: {"power.draw_mw": None}}, []), ({0: {"power.draw_mw": 5}}, []))
        seen = self.script(path, self.POWER, 1000, self.POWER, 1000, self.POWER, "nvmlDeviceGetFanSpeed --gpu 0")
        self.assertEqual([seen[0], seen[-2]], ["1000", "5"])
        self.assertIn("Supported", seen[1])
        self.assertIn("Supported", seen[-1])

    def test_devices_come_and_go(self):
        path = self.lines(({0: {}}, []), ({0: {}, 1: {}}, []), ({0: {"state": "lost"}, 1: {}}, []), ({1: {}}, []))
        count = "nvmlDeviceGetCount_v2"
        seen = self.script(path, count, 1000, count, "nvmlDeviceGetUUID --gpu 1", 1000, "nvmlDeviceGetUUID --gpu 0", 1000, count, "nvmlDeviceGetUUID --gpu 0")
        self.assertEqual(seen[:3], ["1", "2", "GPU-1"])
        self.assertIn("lost", seen[3])
        self.assertEqual(seen[-2:], ["1", "GPU-1"])

    def test_processes_come_and_go_under_pids_that_nobody_has(self):
        process = {"pid": 4242, "gpu_index": 0, "gpu_memory_bytes": 7, "type": ["compute"], "name": "train"}
        path = self.lines(({0: {}}, []), ({0: {}}, [process]), ({0: {}}, []))
        processes = "nvmlDeviceGetComputeRunningProcesses_v3 --gpu 0"
        seen = "\n".join(self.script(path, processes, "nvmlDeviceGetCount_v2", 1000, processes, "nvmlDeviceGetCount_v2", 1000, processes))
        before, during, after = seen.split("\n1\n")
        self.assertNotIn("4242", before)
        self.assertIn("5004242", during)
        self.assertNotIn("4242", after)

    def test_memory_in_use_is_what_was_recorded(self):
        """Memory and processes are read one after the other: a process may have grown meanwhile."""
        process = {"pid": 4242, "gpu_index": 0, "gpu_memory_bytes": 300 << 20, "type": ["compute"], "name": "train"}
        metrics = {"memory.total_bytes": 1000 << 20, "memory.used_bytes": 200 << 20, "memory.free_bytes": 800 << 20}
        path = self.lines(({0: metrics}, [process]))
        memory = "\n".join(self.script(path, "nvmlDeviceGetMemoryInfo --gpu 0"))
        self.assertIn(str(200 << 20), memory)
        self.assertIn(str(800 << 20), memory)

    def test_a_recording_that_was_cut_off(self):
        path = self.lines(*(({0: {"power.draw_mw": mw}}, []) for mw in (1000, 2000)))
        with open(path, "r+", encoding="utf-8") as file:
            text = file.read()
            file.truncate(len(text) - 20)
        self.assertEqual(self.script(path, self.POWER, 1000, self.POWER), ["1000", "1000"])

    def test_what_is_no_recording(self):
        for text, message in (
            ("", "the recording is empty"),
            ("base: h100x8\n", ":1:1: not a recording: a line must be an object of JSON"),
            ('{"schema": "other/1", "time_us": 1}\n', ":1:37: not a recording: no snapshot of nvpulse"),
            ('{"schema": "nvpulse.snapshot/2", "time_us": 1}\n', "no snapshot of nvpulse"),
            ('{"schema": "nvpulse.snapshot/1", "time_us": 1}\n{"schema" 1}\n{}\n', ":2:11: not a recording: a colon is expected"),
        ):
            path = self.scenario_file(text)
            result = self.assert_result(self.sim("--replay", path, "--", "echo", "started"), 2, "", message)
            self.assertIn(path, result.err)
        self.assert_result(self.sim("--replay", "/nonexistent", "--", "true"), 2, "", "/nonexistent: cannot be opened")
        self.assert_result(self.sim("--replay", "/", "--", "true"), 2, "", "/: cannot be read: Is a directory")

    def test_a_line_without_end_is_not_read(self):
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(1 << 36)
            message = ":1:1: not a recording: a line must be an object of JSON"
            self.assert_result(self.sim("--replay", file.name, "--", "echo", "started"), 2, "", message)

    def test_options(self):
        self.assert_result(self.sim("--speed", "0", "--replay", "x", "--", "true"), 2, "", "--speed must be a number from 0.001 to 100000, not '0'")
        self.assert_result(self.sim("--loop", "--", "true"), 2, "", "--loop is for --replay")

    def test_it_says_that_it_is_a_replay(self):
        path = self.lines(({0: {"power.draw_mw": 1}}, []))
        self.assert_result(self.sim("--replay", path, "--", harness.program(), "status"), 0, "replay of hand.jsonl", "")
