"""Recordings: shown, wound back and forth, followed while they grow."""

import json
import os
import re
import subprocess
import time

import case

COUNT = 200
START_US = 1_750_000_000_000_000


class RecordingTest(case.ViewerTest):
    @classmethod
    def setUpClass(cls):
        command = [case.program(), "sim", "--profile", "rtx4090x2", "--driver", case.DRIVER, "--", case.program(), "status", "--json"]
        done = subprocess.run(command, capture_output=True, check=True)
        cls.snapshot = json.loads(done.stdout)

    def line(self, number):
        snapshot = dict(self.snapshot)
        snapshot["time_us"] = START_US + number * 1_000_000
        snapshot["sequence"] = number + 1
        return json.dumps(snapshot, ensure_ascii=False)

    def record(self, count=COUNT, name="run.jsonl", end=""):
        return self.file(name, "".join(self.line(i) + "\n" for i in range(count)) + end)

    def watch(self, path, **terminal):
        shown = self.open([case.program(), "top", path], columns=100, rows=30, **terminal)
        shown.wait("COMMAND")
        return shown

    def at(self, shown, place, count=COUNT):
        return shown.wait(re.compile(rf" {place}/{count} "))

    def test_wound_back_and_forth(self):
        shown = self.watch(self.record())
        shown.keys("Space")
        shown.wait("stopped")
        shown.keys("Home")
        first = self.at(shown, 1)
        self.assertIn("2025-06-15 15:06:40", first)
        for key, place in (("Right", 2), ("Right", 3), ("Left", 2), ("PageDown", 62), ("PageDown", 122), ("PageUp", 62),
                           ("End", 200), ("Right", 200), ("Left", 199), ("Home", 1), ("Left", 1), ("PageUp", 1)):
            shown.keys(key)
            screen = self.at(shown, place)
        shown.keys("End")
        self.assertIn("2025-06-15 15:09:59", self.at(shown, 200))
        self.assertIn("SIMULATED", screen)
        self.leave(shown)

    def test_keys_in_a_row_add_up(self):
        shown = self.watch(self.record())
        shown.keys("Space", "Home")
        self.at(shown, 1)
        shown.keys(*["Right"] * 40)
        self.at(shown, 41)
        shown.keys(*["Left"] * 15)
        self.at(shown, 26)
        self.leave(shown)

    def test_plays_at_the_speed_that_was_chosen(self):
        shown = self.watch(self.record())
        shown.wait("plays x1")
        for speed in ("2", "4", "8", "16", "32", "64", "64"):
            shown.keys("+")
            shown.wait(f"plays x{speed} ")
        shown.wait("follows x64")  # 200 s in about 3
        shown.keys("-")
        shown.wait("follows x32")
        self.leave(shown)

    def test_graphs_show_what_was_before(self):
        shown = self.watch(self.record())
        shown.keys("Space", "End")
        self.at(shown, 200)
        shown.wait(re.compile(r"[⠁-⣿]{20}"))
        shown.keys("Home")
        self.at(shown, 1)
        self.assertNotRegex(shown.screen(), r"[⠁-⣿]{3}")
        self.leave(shown)

    def test_follows_a_file_that_grows(self):
        path = self.record(3)
        shown = self.watch(path)
        shown.keys("End")
        self.at(shown, 3, 3)
        with open(path, "a", encoding="utf-8") as file:
            whole = self.line(3)
            file.write(whole[:1000])
            file.flush()
            shown.keys("Up")
            self.at(shown, 3, 3)
            file.write(whole[1000:] + "\n")
        self.at(shown, 4, 4)
        self.leave(shown)

    def test_file_that_is_cut_is_begun_anew(self):
        path = self.record(50)
        shown = self.watch(path)
        shown.keys("Space", "End")
        self.at(shown, 50, 50)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.line(0) + "\n" + self.line(1) + "\n")
        self.at(shown, 1, 2)
        self.leave(shown)

    def test_lines_that_are_no_snapshot_are_passed_over(self):
        good = [self.line(i) + "\n" for i in range(4)]
        path = self.file("run.jsonl", good[0] + "nonsense\n\n{}\n" + good[1] + good[2] + '{"a":' + "\n" + good[3] + good[0][:500])
        shown = self.watch(path)
        shown.keys("Space", "Home")
        self.at(shown, 1, 8)
        for key, place in (("Right", 5), ("Right", 6), ("Right", 8), ("Left", 6), ("Left", 5), ("Left", 1)):
            shown.keys(key)
            self.at(shown, place, 8)
        self.leave(shown)

    def test_nothing_is_done_to_processes_of_a_recording(self):
        shown = self.watch(self.record(3))
        shown.keys("k")
        shown.wait("processes of a recording get no signal")
        shown.keys("e")
        shown.wait("a recording has no environments")
        shown.keys("Enter")
        shown.wait("the process is one of a recording")
        shown.keys("Escape")
        shown.wait("COMMAND")
        self.leave(shown)

    def test_details_of_a_recording(self):
        shown = self.watch(self.record(20))
        shown.keys("Space", "End", "1", "Enter")
        shown.wait("GPU 1  NVIDIA")
        shown.keys("Home")
        self.at(shown, 1, 20)
        shown.keys("C-f")
        shown.wait_gone("GPU 1  NVIDIA")
        self.leave(shown)

    def test_long_recording_is_there_at_once(self):
        path = self.record(1, "long.jsonl")
        with open(path, encoding="utf-8") as file:
            one = file.read()
        with open(path, "a", encoding="utf-8") as file:
            for _ in range(200):
                file.write(one * 20)
        began = time.monotonic()
        shown = self.watch(path)
        self.assertLess(time.monotonic() - began, 10)
        shown.keys("End")
        self.at(shown, 4001, 4001)
        self.leave(shown)
        self.assertGreater(os.path.getsize(path), 20_000_000)

    def test_files_that_are_none(self):
        self.file("text", "one\ntwo\n")
        self.file("empty", "")
        self.file("cut", self.line(0)[:3000])
        for name, said in (
            ("nosuch", "cannot read .*nosuch: No such file"),
            ("text", "is no recording, or has no snapshot yet: "),
            ("empty", "is no recording, or has no snapshot yet: it has no whole line"),
            ("cut", "is no recording, or has no snapshot yet: it has no whole line"),
            (".", "is no file"),
        ):
            path = os.path.join(self.folder, name)
            done = subprocess.run([case.program(), "top", path], capture_output=True, env=self.environment(), check=False)
            self.assertEqual(done.returncode, 1, name)
            self.assertRegex(done.stderr.decode(), said)

    def test_one_screen_as_text(self):
        env = self.environment(COLUMNS="100", LINES="30")
        done = subprocess.run([case.program(), "top", "--once", self.record(3)], capture_output=True, env=env, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("RTX 4090", done.stdout.decode())
