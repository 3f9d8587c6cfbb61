#!/usr/bin/env python3
"""Prints what run.py found, as one table: a row for each driver and way, a column for each client.

usage: table.py --build BUILD NAME...
A cell says "ok", or in what the client is not up to that driver; that of pynvml, how many of its functions have a value.
Exit 1 when a check failed; a client that was skipped or not asked for is shown and is no failure.
"""

import argparse
import json
import os
import sys


def result_of(build, name):
    path = os.path.join(build, "clients-results", name + ".json")
    if not os.path.exists(path):
        return {"name": name, "skipped": "there is no result"}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def rows_of(results):
    """The table's cells, the head first."""
    run = [result for result in results if "rows" in result]
    places = []
    for result in run:
        places += [(row["driver"], row["way"]) for row in result["rows"] if (row["driver"], row["way"]) not in places]
    yield ["driver", "way", *(result["name"] for result in run)]
    yield ["", "", *(result["package"].split()[1] for result in run)]
    for place in places:
        cells = [[row["outcome"] for row in result["rows"] if (row["driver"], row["way"]) == place] for result in run]
        yield [*place, *(short(cell[0]) if cell else "-" for cell in cells)]


def short(outcome):
    return "FAILED" if outcome.startswith("FAILED") else outcome


def show(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def notes_of(results):
    """What the cells are too short for."""
    for result in results:
        if "skipped" in result:
            yield f"{result['name']}: skipped: {result['skipped']}"
        for row in result.get("rows", []):
            if row["outcome"].startswith("FAILED"):
                yield f"{result['name']}, {row['driver']}, {row['way']}: {row['outcome']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("names", nargs="+")
    arguments = parser.parse_args()
    results = [result_of(arguments.build, name) for name in arguments.names]
    show(list(rows_of(results)))
    for note in notes_of(results):
        print("note:", note)
    failed = any(row["outcome"].startswith("FAILED") for result in results for row in result.get("rows", []))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
