#!/usr/bin/env python3
"""Proves nvpulse on one real library of NVIDIA's driver, without a driver.

usage: run.py --build BUILD --drivers DRIVERS NAME
NAME is one of scripts/fetch-drivers --list, fetched into DRIVERS. What was found goes to BUILD/real/NAME.json, for table.py.
Exit 0: all is well; 1: something is not; 77: it cannot be run here, and the reason is printed.
"""

import argparse
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ABI = os.path.join(os.path.dirname(os.path.dirname(HERE)), "abi")
EMPTY_DEV = os.path.join(HERE, "empty-dev.sh")
PROGRAMS = ("real-library", "real-raw")
SKIPPED, TIMEOUT_S = 77, 120
DRIVER_SIGNS = ("/proc/driver/nvidia/version", "/sys/module/nvidia")
NO_DRIVER = "NVML cannot be used: Driver Not Loaded (NVML_ERROR_DRIVER_NOT_LOADED)"
ADVICE = "Load the nvidia kernel module"
# Short ways to what other cases do as well; valgrind would only cost time.
NOT_UNDER_VALGRIND = {"found_and_probed", "shutdown_answers_uninitialised", "error_texts_agree", "output_comes_once"}
VALGRIND = ["valgrind", "-q", "--vgdb=no", "--error-exitcode=99", "--leak-check=full"]
VALGRIND += [f"--{option}=definite,indirect,possible" for option in ("show-leak-kinds", "errors-for-leak-kinds")]
VALGRIND += ["--suppressions=" + os.path.join(os.path.dirname(HERE), "valgrind", "valgrind.supp")]


class Failure(Exception):
    """One check did not hold."""


class Skip(Exception):
    """Nothing can be checked here."""


def require(condition, message):
    if not condition:
        raise Failure(message)


def numbers(version):
    return [int(part) for part in version.split(".")]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def codes_known_to(version):
    """The return codes for which a library of this version has a text: the table in driver-behaviour.md."""
    codes = []
    rows = re.findall(r"^\| ([\d, to]+) \| ([\d.]+) \|$", read(ABI, "driver-behaviour.md"), re.MULTILINE)
    for listed, first in rows:
        if numbers(version) >= numbers(first):
            for part in listed.split(", "):
                low, _, high = part.partition(" to ")
                codes += range(int(low), int(high or low) + 1)
    require(len(rows) > 5 and len(codes) > 15, "driver-behaviour.md has no table of codes")
    return " ".join(map(str, codes))


class Library:
    """The library under test, and how programs are run on it."""

    def __init__(self, build, drivers, name):
        self.build, self.name = build, name
        self.path = os.path.join(drivers, name, "libnvidia-ml.so.1")
        if not os.path.exists(self.path):
            raise Skip(f"{name} was not fetched; ./dev compat fetches what can be had")
        self.file = os.path.realpath(self.path)
        self.version = self.file.rsplit(".so.", 1)[1]
        self.package = " ".join(read(drivers, name, "origin").split()[:2])
        self.exports = self.exported_names()
        known = {line.split("\t", 1)[0] for line in read(ABI, "functions.tsv").splitlines()}
        self.functions = self.exports & known
        self.notes, self.told = [], {}

    def exported_names(self):
        listing = subprocess.run(["nm", "-D", "--defined-only", self.file], check=True, capture_output=True, text=True).stdout
        return {line.split()[-1] for line in listing.splitlines() if line.split()[-1].startswith("nvml")}

    def environment(self):
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "LOGLEVEL": "CRITICAL",
            "NVPULSE_NVML_PATH": self.path,
            "NVPULSE_RETRY_MS": "3600000",  # nothing is tried anew unless it is asked for
            "TEST_FILE": os.path.basename(self.file),
            "TEST_FUNCTIONS": str(len(self.functions)),
            "TEST_CODES": codes_known_to(self.version),
        }

    def run(self, *command):
        """Runs a program of the build on the library, in an empty /dev."""
        whole = [EMPTY_DEV, *command]
        return subprocess.run(whole, env=self.environment(), capture_output=True, text=True, timeout=TIMEOUT_S, check=False)

    def program(self, name):
        return os.path.join(self.build, "bin", name)


def check_exports(library):
    """The exports equal the facts; those of a version that nobody measured are compared with the nearest and reported."""
    lists = sorted(name[:-4] for name in os.listdir(os.path.join(ABI, "exports")) if name.endswith(".txt"))
    exact = library.version in lists
    series = [known for known in lists if numbers(known)[0] == numbers(library.version)[0]]
    if not series:
        library.notes.append(f"{library.version} is of a series without an export list; it has {len(library.exports)} exports")
        return
    nearest = library.version if exact else min(series, key=lambda known: abs(numbers(known)[1] - numbers(library.version)[1]))
    facts = set(read(ABI, "exports", nearest + ".txt").split())
    surplus, missing = sorted(library.exports - facts), sorted(facts - library.exports)
    if exact:
        require(not surplus and not missing, f"exports differ from abi/exports: surplus {surplus}, missing {missing}")
        return
    difference = f"surplus {surplus}, missing {missing}" if surplus or missing else "the same exports"
    library.notes.append(f"{library.version} has no export list; against {nearest}: {difference}")


def run_case(library, program, case, *prefix):
    done = library.run(*prefix, library.program(program), case)
    require(done.returncode == 0, f"exit {done.returncode}\n{done.stdout}{done.stderr}".rstrip())
    require(done.stderr == "", f"it wrote to stderr:\n{done.stderr}".rstrip())
    return done.stdout


def check_output(library, out):
    """Text that the program had in its buffer comes out once; but 340 forks a helper that ends by exit()."""
    times = out.count("once\n")
    if numbers(library.version)[0] == 340 and times == 2:
        library.notes.append(f"{library.version}: buffered output of the program is written twice, by a helper that the library forks")
        return
    require(times == 1, f"buffered output came out {times} times")


def check_case(library, program, case):
    out = run_case(library, program, case)
    if case == "output_comes_once":
        check_output(library, out)
        return
    for line in out.splitlines():
        key, _, value = line.partition(" ")
        library.told[key] = value


def under_valgrind(run):
    """Calls run(valgrind's command line); fails when valgrind found anything, in any process."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(*VALGRIND, f"--log-file={folder}/%p")
        finally:
            found = "".join(read(folder, name) for name in sorted(os.listdir(folder)))
            if found:
                print(found)
        require(found == "", "valgrind found errors, see above")


def check_status(library, *prefix):
    """nvpulse status: exit 3, nothing on stdout, what is wrong and what to do on stderr."""
    done = library.run(*prefix, library.program("nvpulse"), "status", "--verbose")
    require(done.returncode == 3 and done.stdout == "", f"exit {done.returncode}\n{done.stdout}{done.stderr}")
    for phrase in (NO_DRIVER, ADVICE, f"tried {library.path} (NVPULSE_NVML_PATH): in use"):
        require(phrase in done.stderr, f"'{phrase}' is missing in:\n{done.stderr}")


def check_call(library):
    done = library.run(library.program("nvpulse"), "call", "nvmlDeviceGetCount_v2")
    require(done.returncode == 3 and done.stdout == "", f"exit {done.returncode}\n{done.stdout}{done.stderr}")
    require(NO_DRIVER in done.stderr and ADVICE in done.stderr, done.stderr)


def check_list(library):
    """nvpulse call --list: which functions this library has, although it cannot be initialised."""
    done = library.run(library.program("nvpulse"), "call", "--list", "--json")
    require(done.returncode == 0 and done.stderr == "", f"exit {done.returncode}\n{done.stderr}")
    here = {function["name"] for function in json.loads(done.stdout) if function["available"]}
    require(here == library.functions, f"it differs from the exports in {sorted(here ^ library.functions)}")


def check_doctor(library):
    """nvpulse doctor: exit 2, unusable, for the reason that init fails; the library and its fallbacks as found."""
    done = library.run(library.program("nvpulse"), "doctor", "--json")
    require(done.returncode == 2 and done.stderr == "", f"exit {done.returncode}\n{done.stderr}")
    report = json.loads(done.stdout)
    found = {
        "verdict": report["verdict"],
        "path": report["library"]["path"],
        "functions": str(report["library"]["functions_exported"]),
        "fallbacks": str(len(report["library"]["fallbacks"])),
        "init": (report["init"]["outcome"], report["init"]["status_name"]),
    }
    told = {key: library.told.get(key) for key in ("functions", "fallbacks")}
    wanted = {"verdict": "unusable", "path": library.file, "init": ("answered", "NVML_ERROR_DRIVER_NOT_LOADED"), **told}
    require(found == wanted, f"it says {found}, not {wanted}")


def check_device_node(_):
    require(not os.path.exists("/dev/nvidiactl"), "the library made /dev/nvidiactl outside its empty /dev")


def checks_of(library):
    """Name and check, in order."""
    cases = [(program, case) for program in PROGRAMS for case in library.run(library.program(program)).stdout.split()]
    require({program for program, _ in cases} == set(PROGRAMS), "a program lists no cases")
    yield "exports", check_exports
    for program, case in cases:
        yield case, lambda library, run=(program, case): check_case(library, *run)
    yield "status", check_status
    yield "call", check_call
    yield "list", check_list
    yield "doctor", check_doctor
    if shutil.which("valgrind") is None:
        library.notes.append(f"{library.version}: valgrind is not installed; leaks were not looked for")
        return
    for program, case in cases:
        if case not in NOT_UNDER_VALGRIND:
            run = functools.partial(run_case, library, program, case)
            yield "valgrind " + case, lambda _, run=run: under_valgrind(run)
    yield "valgrind status", lambda library: under_valgrind(lambda *prefix: check_status(library, *prefix))


def prove(library):
    """Runs every check, one line each; returns the names of those that failed."""
    failed = []
    for name, check in checks_of(library):
        try:
            check(library)
            print(f"ok      {name}")
        except (Failure, subprocess.TimeoutExpired, ValueError) as problem:
            failed.append(name)
            print(f"FAILED  {name}: {problem}")
    for note in library.notes:
        print(f"note    {note}")
    return failed


def refuse_where_it_cannot_run():
    for sign in DRIVER_SIGNS:
        if os.path.exists(sign):
            raise Skip(f"a driver is loaded here ({sign})")
    if shutil.which("nm") is None:
        raise Skip("nm is not installed")
    probe = subprocess.run([EMPTY_DEV, "true"], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        raise Skip("no private /dev can be had: " + probe.stderr.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="a build folder, which has bin/real-library, bin/real-raw and bin/nvpulse")
    parser.add_argument("--drivers", required=True, help="where scripts/fetch-drivers put the libraries")
    parser.add_argument("name")
    arguments = parser.parse_args()
    results = os.path.join(arguments.build, "real")
    os.makedirs(results, exist_ok=True)
    outcome, code = {"name": arguments.name}, 0
    try:
        refuse_where_it_cannot_run()
        library = Library(os.path.abspath(arguments.build), os.path.abspath(arguments.drivers), arguments.name)
        check_device_node(library)
        failed = prove(library)
        outcome.update(library.told, version=library.version, package=library.package, exports=len(library.exports))
        outcome.update(notes=library.notes, failed=failed)
        code = 1 if failed else 0
    except Skip as reason:
        print(f"skipped: {reason}")
        outcome.update(skipped=str(reason))
        code = SKIPPED
    with open(os.path.join(results, arguments.name + ".json"), "w", encoding="utf-8") as file:
        json.dump(outcome, file, indent=2)
    sys.exit(code)


if __name__ == "__main__":
    main()
