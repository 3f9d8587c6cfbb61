#!/usr/bin/env python3
"""The lines that README.md tells a newcomer to type, as they stand there, on a simulated machine.

usage: readme.py SOURCE BUILD
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = sys.argv.pop(1), sys.argv.pop(1)
TOOLS = ("awk", "column", "jq")

with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as readme:
    BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", readme.read(), re.MULTILINE | re.DOTALL)


class ReadmeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.symlink(os.path.join(SOURCE, "include"), os.path.join(self.folder, "include"))
        os.symlink(BUILD, os.path.join(self.folder, "build"))

    def type(self, text):
        """What it prints; fails when it fails or complains."""
        path = os.path.join(BUILD, "bin") + ":" + os.environ["PATH"]
        done = subprocess.run(["sh", "-euc", text], cwd=self.folder, env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), text)
        return done.stdout

    def test_readme__the_first_program_is_built_and_run_in_the_tree(self):
        [program] = [body for language, body in BLOCKS if language == "c"]
        [commands] = [body for language, body in BLOCKS if language == "sh" and "cc first.c" in body]
        with open(os.path.join(self.folder, "first.c"), "w", encoding="utf-8") as file:
            file.write(program)
        self.assertRegex(self.type(commands), r"\A(GPU [0-7]: \d+ mW\n){8}\Z")
        self.assertEqual(self.type("build/bin/nvpulse sim --profile vgpu -- ./first"), "GPU 0: N/A not supported\n")

    def test_readme__every_answer_comes(self):
        [answers] = [body for language, body in BLOCKS if language == "sh" and "who uses GPU 3?" in body]
        lines = answers.splitlines()
        self.assertGreaterEqual(len(lines), 8)
        for line in lines:
            if all(shutil.which(tool) for tool in TOOLS if re.search(rf"\b{tool} ", line)):
                self.assertNotEqual(self.type(line), "", line)


if __name__ == "__main__":
    unittest.main()
