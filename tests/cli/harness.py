"""What the tests of the command share: running it in a clean environment, on a simulated driver or on none.

Holds no test and knows no output.
"""

import os
import re
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOLDEN = os.path.join(SOURCE, "tests", "golden")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
TIMEOUT_S = 120

build = None
updates_golden = False


def configure(build_folder, update_golden):
    global build, updates_golden
    build = os.path.abspath(build_folder)
    updates_golden = update_golden


def program():
    return os.path.join(build, "bin", "nvpulse")


def is_sanitized():
    """True for a build with sanitizers, whose libraries only its own programs can load."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        return re.search(r"^NVP_SANITIZE:\w+=.", cache.read(), re.MULTILINE) is not None


def environment(**changes):
    """A clean environment with changes; None removes a variable."""
    values = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", "TERM": "xterm", "TZ": "UTC0"}
    for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
        if name in os.environ:
            values[name] = os.environ[name]
    values.update(changes)
    return {name: value for name, value in values.items() if value is not None}


class Result:
    """What a program left behind."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def execute(command, env=None, stdin=None):
    done = subprocess.run(
        command,
        env=environment() if env is None else env,
        input=stdin,
        capture_output=True,
        timeout=TIMEOUT_S,
        cwd=tempfile.gettempdir(),
        check=False,
    )
    return Result(done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "surrogateescape"))


# The driver that the tests look at, the golden screens among them, unless they say which.
DRIVER = "550.163.01"


def sim_command(*arguments, profile=None, scenario=None, driver=DRIVER):
    """The command line that runs nvpulse with these arguments on a simulated driver whose clock stands still."""
    command = [program(), "sim", "--clock", "stepped"]
    command += ["--profile", profile] if profile else []
    command += ["--scenario", scenario] if scenario else []
    command += ["--driver", driver] if driver else []
    return command + ["--", program(), *arguments]


class CommandTest(unittest.TestCase):
    """Runs nvpulse and compares."""

    maxDiff = None

    def run_plain(self, *arguments, **env):
        """Without a driver: the library that is named does not exist."""
        return execute([program(), *arguments], environment(**{"NVPULSE_NVML_PATH": "/nonexistent/libnvidia-ml.so.1", **env}))

    def run_sim(self, *arguments, profile="h100x8", driver=DRIVER, scenario=None, **env):
        if scenario is not None:
            profile = None
        return execute(sim_command(*arguments, profile=profile, scenario=scenario, driver=driver), environment(**env))

    def scenario_file(self, text):
        """A scenario file with this text, removed after the test."""
        file = tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(text)
        return file.name

    def assert_result(self, result, code, out=None, err=None):
        """Exit code, and phrases that must be in stdout and stderr ("" for: nothing at all)."""
        self.assertEqual(result.code, code, result)
        for phrases, text in ((out, result.out), (err, result.err)):
            if phrases == "":
                self.assertEqual(text, "", result)
            for phrase in [phrases] if isinstance(phrases, str) else phrases or []:
                self.assertIn(phrase, text, result)
        return result

    def assert_golden(self, name, text):
        """Compares with tests/golden/NAME, times of day masked; or writes that file when asked to."""
        text = TIME.sub("(time)", text)
        path = os.path.join(GOLDEN, name)
        if updates_golden:
            os.makedirs(GOLDEN, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(text, file.read(), f"differs from tests/golden/{name}; run.py --update-golden writes it anew")
