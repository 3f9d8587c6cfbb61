#!/usr/bin/env python3
"""Generate the NVML header, the row files, the reference pages and the schema of snapshots from abi/ and the tables of the model.

usage: scripts/generate.py [--check]

Without an option the files are written.  --check writes nothing and fails,
naming each file that is missing or differs from what would be written.
Needs Python 3.10 and its standard library; the output depends on abi/, src/model/*.def and src/base/status.c alone.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from generate import exports, fallbacks, header, metrics, reference, rows, schema, simulator  # noqa: E402
from generate.facts import Facts  # noqa: E402
from generate.tables import FactError  # noqa: E402


def all_outputs():
    facts = Facts(ROOT)
    made = {}
    made.update(rows.outputs(facts))
    made.update(header.outputs(facts))
    made.update(reference.outputs(facts))
    made.update(fallbacks.outputs(facts, ROOT / "abi"))
    made.update(exports.outputs(facts))
    made.update(simulator.outputs(facts))
    made.update(metrics.outputs(ROOT))
    made.update(schema.outputs(ROOT))
    for name, unused in (("shapes.tsv", facts.shapes.unused()), ("words.tsv", facts.words.unused())):
        if unused:
            raise FactError("abi/%s: no such thing: %s" % (name, ", ".join(unused)))
    return made


def current_text(path):
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.stderr.write(__doc__)
        return 2
    try:
        made = all_outputs()
    except FactError as error:
        sys.stderr.write("generate.py: %s\n" % error)
        return 1
    stale = [name for name, text in sorted(made.items()) if current_text(ROOT / name) != text]
    if arguments == ["--check"]:
        for name in stale:
            sys.stderr.write("generate.py: %s is stale; run scripts/generate.py\n" % name)
        return 1 if stale else 0
    for name in stale:
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[name], encoding="utf-8", newline="\n")
        print("wrote", name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
