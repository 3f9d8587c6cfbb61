"""What the tests of the viewer share: starting it on a simulated machine, with settings and a home of its own.

Holds no test and knows no output.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

import viewer

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOLDEN = os.path.join(SOURCE, "tests", "golden")
DRIVER = "550.163.01"
SANITIZERS = ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")

build = None
updates_golden = False


def configure(build_folder, update_golden):
    global build, updates_golden
    build = os.path.abspath(build_folder)
    updates_golden = update_golden


def program():
    return os.path.join(build, "bin", "nvpulse")


def is_sanitized():
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        return re.search(r"^NVP_SANITIZE:\w+=.", cache.read(), re.MULTILINE) is not None


class ViewerTest(unittest.TestCase):
    """Starts viewers, which end with the test."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="nvpulse-top-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.config = os.path.join(self.folder, "config", "nvpulse", "config.yaml")

    def environment(self, **changes):
        """A clean environment with changes; None removes a variable."""
        values = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC0",
            "HOME": self.folder,
            "XDG_CONFIG_HOME": os.path.join(self.folder, "config"),
        }
        values.update({name: os.environ[name] for name in SANITIZERS if name in os.environ})
        if is_sanitized():
            values["NVPULSE_EXIT_TIMEOUT_MS"] = "60000"  # looking for leaks takes a while
            values["LSAN_OPTIONS"] = f"suppressions={os.path.join(SOURCE, 'tests', 'tui', 'lsan.supp')}:print_suppressions=0"
        values.update(changes)
        return {name: value for name, value in values.items() if value is not None}

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def command(self, *arguments, profile="h100x8", scenario=None, clock="stepped", driver=DRIVER):
        """The command line of the viewer on a simulated machine; `scenario` is the text of one."""
        command = [program(), "sim", "--clock", clock, "--driver", driver]
        command += ["--scenario", self.file("scenario.yaml", scenario)] if scenario else ["--profile", profile]
        return command + ["--", program(), "top", *arguments]

    def open(self, command, env=None, **terminal):
        shown = viewer.Viewer(command, self.environment(**(env or {})), **terminal)
        self.addCleanup(shown.close)
        return shown

    def start(self, *arguments, columns=80, rows=24, term="tmux-256color", env=None, **machine):
        """A viewer on a terminal, which has drawn its first picture."""
        shown = self.open(self.command(*arguments, **machine), env, columns=columns, rows=rows, term=term)
        if columns >= 80 and rows >= 3:
            shown.wait(re.compile(r"driver \d|trying again|has not answered"))
        return shown

    def once(self, *arguments, env=None, **machine):
        """One screen as text."""
        command = self.command("--once", *arguments, **machine)
        return subprocess.run(command, env=self.environment(**(env or {})), capture_output=True, check=False)

    def shell(self, columns=80, rows=24, env=None):
        """A shell on a terminal, for what only a shell can show."""
        shown = self.open(["bash", "--norc", "--noprofile", "-i"], {"PS1": "PROMPT> ", **(env or {})}, columns=columns, rows=rows)
        shown.wait("PROMPT>")
        return shown

    def child(self, *command, env=None):
        """A process of this system, which ends with the test at the latest."""
        process = subprocess.Popen(command, env=env)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def leave(self, shown):
        """Presses q and says that it ended well, without a word of a sanitizer."""
        shown.keys("q")
        self.assertEqual(shown.wait_end(), 0, shown.screen())
        self.assertNotIn("Sanitizer", shown.screen())

    def rows(self, shown):
        """The lines of the table of processes, from the line below its heading on."""
        lines = shown.lines()
        heading = next((i for i, line in enumerate(lines) if "PID" in line and "COMMAND" in line), len(lines))
        return [line for line in lines[heading + 1 : -2] if line.strip()]
