"""`nvpulse call --list`: which functions there are, and which of them the driver here has."""

import json
import os

import harness


def rows(text):
    """Name, first driver, here and writes of each row of the table."""
    return [[cell.strip() for cell in line.split("│")] for line in text.splitlines()[2:]]


class ListTest(harness.CommandTest):
    def listed(self, *arguments, **options):
        return json.loads(self.assert_result(self.run_sim("call", "--list", "--json", *arguments, **options), 0, err="").out)

    def test_everything(self):
        functions = self.listed()
        names = [function["name"] for function in functions]
        self.assertGreater(len(names), 400)
        self.assertEqual(names, sorted(set(names)))
        self.assertEqual(names, [row[0] for row in rows(self.run_sim("call", "--list").out)])

    def test_pattern_is_a_part_or_a_glob(self):
        for pattern, expected in (
            ("memoryinfo", ["nvmlDeviceGetBAR1MemoryInfo", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetMemoryInfo_v2"]),
            ("nvmlDeviceGetMemoryInfo*", ["nvmlDeviceGetMemoryInfo", "nvmlDeviceGetMemoryInfo_v2"]),
            ("nvmlDeviceGetMemoryInfo", ["nvmlDeviceGetMemoryInfo", "nvmlDeviceGetMemoryInfo_v2"]),
            ("*ShutDown", ["nvmlShutdown"]),
        ):
            self.assertEqual([function["name"] for function in self.listed(pattern)], expected, pattern)

    def test_availability_is_what_the_library_exports(self):
        with open(os.path.join(harness.SOURCE, "abi", "exports", "470.256.02.txt"), encoding="utf-8") as file:
            exported = set(file.read().split())
        for function in self.listed(driver="470.256.02"):
            self.assertEqual(function["available"], function["name"] in exported, function)

    def test_table_tells_yes_and_no(self):
        table = {row[0]: row for row in rows(self.run_sim("call", "--list", "MemoryInfo", driver="470").out)}
        self.assertEqual(table["nvmlDeviceGetMemoryInfo"][2], "yes")
        self.assertEqual(table["nvmlDeviceGetMemoryInfo_v2"][2], "no")

    def test_without_a_library(self):
        result = self.assert_result(self.run_plain("call", "--list", "nvmlDeviceSet*"), 0, err="")
        self.assertEqual({row[2] for row in rows(result.out)}, {"unknown"})
        self.assertEqual({row[3] for row in rows(result.out)}, {"yes"})
        functions = json.loads(self.run_plain("call", "--list", "--json").out)
        self.assertEqual({function["available"] for function in functions}, {None})

    def test_no_match(self):
        self.assert_result(self.run_plain("call", "--list", "zzz"), 1, "", "no function matches 'zzz'")
        result = self.assert_result(self.run_plain("call", "--list", "zzz", "--json"), 1, err="no function matches")
        self.assertEqual(json.loads(result.out), [])

    def test_two_patterns(self):
        self.assert_result(self.run_plain("call", "--list", "a", "b"), 2, "", "--list takes one pattern")
