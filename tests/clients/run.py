#!/usr/bin/env python3
"""Runs one real client on every simulated driver that suits it and compares what it prints with what is true of the simulated machine.

usage: run.py --build BUILD --clients CLIENTS NAME
NAME is one of scripts/fetch-clients --list, fetched into CLIENTS. What was found goes to BUILD/clients-results/NAME.json, for
table.py. Exit 0: all is well; 1: something is not; 77: it cannot be run here, and the reason is printed.
"""

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "scripts"))
import clients  # noqa: E402
import machine as truth  # noqa: E402
from way import Failure, ways  # noqa: E402

SKIPPED = 77
NEEDS = {"nvtop": "tmux", "lstopo": "nm", "gpustat": "nm", "pynvml": "nm", "nvidia-smi": "nm"}
BROKEN = (Failure, subprocess.SubprocessError, ValueError, KeyError, TypeError, AttributeError)  # what strange output leads to


def outcome(check, client, way, machine):
    """What a check found, in words, and whether it failed."""
    try:
        return check(client, way, machine), False
    except BROKEN as problem:
        return f"FAILED: {type(problem).__name__ if not isinstance(problem, Failure) else ''}{problem}", True


def run_all(client, build):
    """For each driver and way: the outcome. Prints one line each."""
    module = importlib.import_module("check_" + client.kind.replace("-", "_"))
    rows, failed = [], False
    with truth.running() as machine:
        for driver in clients.drivers(build):
            if hasattr(module, "suits") and not module.suits(client, driver):
                continue
            for way in ways(build, driver):
                words, is_bad = outcome(module.check, client, way, machine)
                print(f"{driver:12} {way.name:8} {words}", flush=True)
                rows.append({"driver": driver, "way": way.name, "outcome": words.splitlines()[0]})
                failed = failed or is_bad
    return rows, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="a build folder, which has sim/")
    parser.add_argument("--clients", required=True, help="where scripts/fetch-clients put the clients")
    parser.add_argument("name")
    arguments = parser.parse_args()
    result, code = {"name": arguments.name}, 0
    try:
        client = clients.Client(arguments.clients, arguments.name)
        if shutil.which(NEEDS[client.kind]) is None:
            raise clients.Absent(f"{NEEDS[client.kind]} is not installed")
        result.update(package=client.package)
        result["rows"], failed = run_all(client, os.path.abspath(arguments.build))
        code = 1 if failed or not result["rows"] else 0
    except clients.Absent as reason:
        print(f"skipped: {reason}")
        result["skipped"], code = str(reason), SKIPPED
    folder = os.path.join(arguments.build, "clients-results")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, arguments.name + ".json"), "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
    sys.exit(code)


if __name__ == "__main__":
    main()
