#!/usr/bin/env python3
"""Runs the compiled tests of a build under valgrind: no error and no lost block, in a test and in the children that it forks.

usage: run.py --build BUILD [--jobs N] [--exact] [PART...]
PART is a part of a test's name; --exact: its whole name. Without one, all are run. Which tests cannot be run, and why, is below.
Exit 0: all is clean; 1: something is not; 2: no such test; 77: valgrind is not installed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT_S = 900
SKIPPED = 77
VALGRIND = ["valgrind", "-q", "--vgdb=no", "--fair-sched=try", "--error-exitcode=99", "--leak-check=full"]
VALGRIND += [f"--{option}=definite,indirect,possible" for option in ("show-leak-kinds", "errors-for-leak-kinds")]
VALGRIND += ["--suppressions=" + os.path.join(HERE, "valgrind.supp")]
# Parts of names, and why these are left to the sanitizers or to nobody.
LEFT_OUT = {
    "unit.query.allocation": "counts with a malloc of its own, where valgrind puts another",
    "_fails_in_turn": "fails with a malloc of its own, where valgrind puts another",
    "_is_missing_in_turn": "has a dlsym of its own",
    "_ends_the_session_in_turn": "is a program with a malloc of its own",
    "_storm": "is about threads that run at once; valgrind runs one at a time",
    "every_error_of_every_function": "makes lists grow as far as they may, again and again; AddressSanitizer has the time",
}
# The command itself, on the simulator.
COMMANDS = {
    "status": ["status", "--verbose"],
    "call": ["call", "nvmlDeviceGetComputeRunningProcesses_v3", "--gpu", "5"],
    "call_list": ["call", "--list", "power"],
    "doctor": ["doctor", "--json"],
}


def is_compiled(path, build):
    """A program of the build, not one of the system's such as a shell."""
    if not os.path.abspath(path).startswith(build + os.sep):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def tests_of(build):
    """What can be run: a list of (name, command, environment, folder)."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True)
    found = []
    for test in json.loads(listed.stdout)["tests"]:
        properties = {item["name"]: item["value"] for item in test["properties"]}
        command = test.get("command", [""])
        if is_compiled(command[0], build) and not any(part in test["name"] for part in LEFT_OUT):
            environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
            found.append((test["name"], command, environment, properties.get("WORKING_DIRECTORY", build)))
    for name, arguments in COMMANDS.items():
        library = os.path.join(build, "sim", "550.163.01", "libnvidia-ml.so.1")
        environment = {"NVPULSE_NVML_PATH": library, "NVPULSE_SIM_PROFILE": "h100x8", "LC_ALL": "C.UTF-8"}
        found.append(("command." + name, [os.path.join(build, "bin", "nvpulse"), *arguments], environment, build))
    return found


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def run(test):
    """Runs one test. Gives its name, how long it took, and what is wrong with it, "" if nothing is."""
    name, command, environment, folder = test
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as logs:
        prefix = [*VALGRIND, f"--log-file={logs}/%p"]
        try:
            done = subprocess.run([*prefix, *command], cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
            output, code = done.stdout.decode(errors="replace"), done.returncode
        except subprocess.TimeoutExpired as error:
            output, code = (error.stdout or b"").decode(errors="replace"), f"none in {TIMEOUT_S} s"
        found = "".join(read(os.path.join(logs, log)) for log in sorted(os.listdir(logs)))
    # the doctor's exit code tells of the machine
    good = code == 0 or (name == "command.doctor" and code in (1, 2)) or (code == SKIPPED and found == "")
    wrong = found if good else f"{output[-4000:]}{found}exit code {code}\n"
    return name, time.monotonic() - begin, wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return SKIPPED
    tests = tests_of(os.path.abspath(options.build))
    if options.parts:
        same = str.__eq__ if options.exact else str.__contains__
        tests = [test for test in tests if any(same(test[0], part) for part in options.parts)]
    if not tests:
        print("no such test")
        return 2
    failed = []
    with ThreadPoolExecutor(max_workers=max(options.jobs, 1)) as pool:
        for name, elapsed_s, wrong in pool.map(run, tests):
            print(f"{'FAILED' if wrong else 'clean '} {elapsed_s:6.1f} s  {name}", flush=True)
            if wrong:
                failed.append(name)
                print(wrong, flush=True)
    print(f"{len(tests) - len(failed)} clean, {len(failed)} failed")
    for name in failed:
        print(f"  {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
