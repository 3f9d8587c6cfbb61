"""Commands that are told which GPUs to look at ask no other one anything."""

import collections
import json
import os
import tempfile

import harness

# GPU 0 answers nothing: whoever asks it anything at all does not come back.
HANGS = "base: h100x8\nsystem: {num_devices: 4}\nfaults:\n  - {device: 0, hang: true}\n"
COMMANDS = {
    "status": ("status",),
    "status as JSON": ("status", "--json"),
    "processes": ("processes",),
    "query": ("query", "--query-gpu=index,name,count"),
    "applications": ("query", "--query-compute-apps=pid,used_memory"),
    "record": ("record", "--output", "-", "--count", "3", "--loop", "10ms"),
}


class ChoiceTest(harness.CommandTest):
    def counted(self, *words, **options):
        """Runs it; what it printed, and how often it called which function."""
        with tempfile.TemporaryDirectory() as folder:
            counts = os.path.join(folder, "counts")
            result = self.run_sim(*words, NVPULSE_SIM_COUNTS=counts, **options)
            calls = collections.Counter()
            with open(counts, encoding="utf-8") as file:
                for line in file:
                    _, function, number = line.split("\t")
                    calls[function] += int(number)
        return result, calls

    def test_gpu_that_is_not_named_may_hang(self):
        scenario = self.scenario_file(HANGS)
        for name, words in COMMANDS.items():
            with self.subTest(name):
                result, calls = self.counted(*words, "--id", "1,2", scenario=scenario)
                self.assert_result(result, 0, None, "")
                self.assertEqual(calls["nvmlDeviceGetHandleByIndex_v2"], 2 * (1 + (name == "record")), calls)
                self.assertLessEqual(calls["nvmlDeviceGetUUID"], 6, calls)

    def test_count_is_that_of_the_machine(self):
        out = self.run_sim("query", "--query-gpu=index,count", "--format=csv,noheader", "-i", "6").out
        self.assertEqual(out, "6, 8\n")
        out = self.run_sim("status", "--json", "-i", "6").out
        self.assertEqual(json.loads(out)["host"]["gpu_count"], 8)

    def test_name_costs_no_more_than_who_is_who(self):
        uuid = self.run_sim("query", "--query-gpu=uuid", "--format=csv,noheader", "-i", "3").out.strip()
        for word in (uuid, uuid[:12], "0000:CB:00.0"):
            bus = self.run_sim("query", "--query-gpu=pci.bus_id", "--format=csv,noheader", "-i", "3").out.strip()
            word = bus if ":" in word else word
            with self.subTest(word):
                result, calls = self.counted("status", "--id", word)
                self.assert_result(result, 0, None, "")
                self.assertEqual(calls["nvmlDeviceGetHandleByIndex_v2"], 8 + 1, calls)
                self.assertEqual(calls["nvmlDeviceGetUtilizationRates"], 1, calls)

    def test_refusal_names_all_devices(self):
        for words in (("status",), ("processes",), ("record", "--output", "-"), ("query", "--query-gpu=name")):
            with self.subTest(words[0]):
                result = self.run_sim(*words, "--id", "1,9")
                code = 6 if words[0] == "query" else 2
                self.assert_result(result, code, "", "there is no device '9'; there are 0, 1, 2, 3, 4, 5, 6, 7")

    def test_argument_is_refused_before_anything_is_printed(self):
        for form in ("csv", "csv,noheader", "json", "jsonl"):
            with self.subTest(form):
                result = self.run_sim("query", "--query-gpu=index", f"--format={form}", "-i", "99")
                self.assert_result(result, 6, "", "no device '99'")
