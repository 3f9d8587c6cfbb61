#!/usr/bin/env python3
"""Prints what run.py found on each real library, as one table.

usage: table.py --build BUILD NAME...
Exit 1 when a check failed; a library that was skipped or not asked for is shown and is no failure.
"""

import argparse
import json
import os
import sys

HEAD = ("version", "package", "exports", "found", "init", "shutdown", "fallbacks", "verdict")
TO_THE_RIGHT = {"exports", "fallbacks"}


def result_of(build, name):
    path = os.path.join(build, "real", name + ".json")
    if not os.path.exists(path):
        return {"name": name, "skipped": "there is no result"}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def row_of(result):
    if "skipped" in result:
        return (result["name"], *["-"] * 6, "skipped: " + result["skipped"])
    failed = result["failed"]
    verdict = "FAILED: " + ", ".join(failed) if failed else "ok, with notes" if result["notes"] else "ok"
    cells = [str(result.get(key, "-")).replace("NVML_ERROR_", "") for key in ("package", "exports", "init", "shutdown", "fallbacks")]
    package, exports, init, shutdown, fallbacks = cells
    found = "yes" if "functions" in result else "no"
    return (result.get("version", result["name"]), package, exports, found, init, shutdown, fallbacks, verdict)


def show(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    for row in rows:
        cells = [
            cell.rjust(width) if title in TO_THE_RIGHT else cell.ljust(width)
            for title, cell, width in zip(HEAD, row, widths)
        ]
        print("  ".join(cells).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("names", nargs="+")
    arguments = parser.parse_args()
    results = [result_of(arguments.build, name) for name in arguments.names]
    show([HEAD, *map(row_of, results)])
    for note in (note for result in results for note in result.get("notes", [])):
        print("note:", note)
    sys.exit(1 if any(result.get("failed") for result in results) else 0)


if __name__ == "__main__":
    main()
