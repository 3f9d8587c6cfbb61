"""Names that are meant to do harm: whatever a driver or a process calls itself, a terminal gets nothing but harmless characters."""

import json
import os
import tempfile

import harness

# Controls, marks of direction, and what cannot be seen.
HIDDEN = [*range(0x01, 0x20), *range(0x7F, 0xA0), 0x061C, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F)]
HIDDEN += [*range(0x2060, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC)]
NAME = "A\u202eB\u200bC\u2066D\ufeffE\u009bF\x1b[31mG\u200dH\u2069"
PROCESS = "/bin/P\u202eQ\u200fR\u2067S\x1b]0;x\x07T"
SCENARIO = f"""
base: rtx4090x2
device_defaults: {{name: {json.dumps(NAME)}}}
processes:
  - {{name: {json.dumps(PROCESS)}, device: 0, used_memory_mib: 5}}
"""


class HostileTest(harness.CommandTest):
    def setUp(self):
        self.scenario = self.scenario_file(SCENARIO)

    def assert_harmless(self, text, *shown):
        found = {f"U+{ord(character):04X}" for character in text if ord(character) in HIDDEN and character != "\n"}
        self.assertEqual(found, set(), text)
        for word in shown:
            self.assertIn(word, text)

    def recording(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "file.jsonl")
        result = self.run_sim("record", "-o", path, "--count", "2", "--loop", "0.1", scenario=self.scenario)
        self.assertEqual(result.code, 0, result)
        return path

    def test_no_command_lets_them_through(self):
        name, process = "A\ufffdB\ufffdC\ufffdD\ufffdE\ufffdF\ufffd[31mG\ufffdH", "/bin/P\ufffdQ\ufffdR\ufffdS\ufffd]0;x"
        for arguments, shown in (
            (("status",), (name, process)),
            (("status", "--verbose"), (name, process)),
            (("processes",), (process,)),
            (("processes", "--columns=pid,name,command"), (process,)),
            (("top", "--once"), (name, process)),
            (("query", "--query-gpu=name", "--format=csv"), (name,)),
            (("query", "--query-compute-apps=name", "--format=csv"), (process,)),
            (("call", "nvmlDeviceGetName", "--gpu", "0"), (name,)),
            (("doctor",), ()),
        ):
            with self.subTest(arguments=arguments):
                result = self.run_sim(*arguments, scenario=self.scenario, COLUMNS="200")
                self.assert_harmless(result.out, *shown)
                self.assert_harmless(result.err)

    def test_no_recording_brings_them_back(self):
        path = self.recording()
        self.assert_harmless(self.run_plain("report", path, COLUMNS="200").out, "A\ufffdB\ufffdC")
        self.assert_harmless(self.run_plain("top", "--once", path, COLUMNS="200").out)

    def test_json_is_exact(self):
        status = json.loads(self.run_sim("status", "--json", scenario=self.scenario).out)
        self.assertEqual(status["devices"][0]["metrics"]["identity.name"], NAME)
        with open(self.recording(), encoding="utf-8") as file:
            self.assertEqual(json.loads(file.readline())["devices"][0]["metrics"]["identity.name"], NAME)
