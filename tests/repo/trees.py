"""A small tree on which a gate is tried: made of the files a test names, removed at the end.

Has no knowledge of the gates' rules.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77


class GateTest(unittest.TestCase):
    """One gate, tried on trees; `gate` is its name in scripts/."""

    gate = ""

    def setUp(self):
        self.tree = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.tree)

    def write(self, path, text):
        whole = os.path.join(self.tree, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)

    def run_gate(self, files):
        """Adds files to the tree and runs the gate on it: (exit status, output)."""
        for path, text in files.items():
            self.write(path, text)
        command = [sys.executable, "-B", os.path.join(SOURCE, "scripts", self.gate), self.tree]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def assert_passes(self, files):
        status, output = self.run_gate(files)
        self.assertEqual(status, 0, output)

    def assert_fails(self, files, *phrases):
        """The gate must fail, and say each phrase."""
        status, output = self.run_gate(files)
        self.assertEqual(status, 1, output)
        for phrase in phrases:
            self.assertIn(phrase, output)


def need(*tools):
    """Ends the program as a visible skip when a tool is not installed."""
    for tool in tools:
        if shutil.which(tool) is None:
            print(f"SKIPPED: {tool} is not installed")
            sys.exit(SKIPPED)
