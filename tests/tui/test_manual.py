"""The manual names every key of the table, and every setting that is written."""

import os
import re

import case

ROW = re.compile(r'^KEY\((\w+), "((?:[^"\\]|\\.)*)", (\w+), "', re.MULTILINE)
NAMES = {"Left": "left and right arrows", "Right": "left and right arrows", "BackTab": "Shift and Tab", "Space": "Space"}


def read(*path):
    with open(os.path.join(case.SOURCE, *path), encoding="utf-8") as file:
        return file.read()


class ManualTest(case.ViewerTest):
    def test_every_key_is_documented(self):
        page = read("man", "nvpulse-top.1")
        section = page[page.index(".SH KEYS") : page.index(".SH FILTERS")]
        plain = re.sub(r"(?m)^\.\w+ ", "", section).replace("\\-", "-").replace("\\e", "\\").replace('"', "")
        words = set(re.split(r"[\s,]+", plain))
        rows = [row for row in ROW.findall(read("apps", "tui", "keys.def")) if row[0] not in ("FILE", "SETUP", "TEXT")]
        self.assertGreater(len(rows), 40)
        for _, keys, action in rows:
            for key in keys.replace("\\\\", "\\").split():
                name = NAMES.get(key, key)
                documented = name in words or name in plain if len(name) > 3 else name in words or re.fullmatch(r"[1-8]", name)
                self.assertTrue(documented, f"{key} ({action}) is not in the manual")

    def test_every_setting_is_documented(self):
        page = read("man", "nvpulse-top.1")
        shown = self.start(env={"NVPULSE_EXIT_TIMEOUT_MS": "60000"})  # leaving waits for the settings
        shown.keys("F5")
        shown.wait("F5List")
        self.leave(shown)
        with open(self.config, encoding="utf-8") as file:
            for key in re.findall(r"(?m)^  (\w+):", file.read()):
                self.assertIn(f"\n  {key}: ", page)
