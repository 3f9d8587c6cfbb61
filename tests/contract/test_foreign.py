"""nvml.h steps aside for each of the 45 known versions of NVIDIA's header.

The headers are imitated from the facts: their constants, and their functions with made-up types.
NVIDIA's own are tried by test_nvidia_header.py, where they can be fetched.
"""

import csv
import json
import os
import re
import unittest

import compilers

ABI = os.path.join(compilers.SOURCE, "abi")
VERSIONED = "NVML_NO_UNVERSIONED_FUNC_DEFS"


def load(name):
    with open(os.path.join(ABI, name), encoding="utf-8") as file:
        return json.load(file)


class Header:
    """What one version of NVIDIA's header declares, as far as the facts tell."""

    labels = [entry["label"] for entry in load("structs.json")["headers_in_order"]]
    words = load("structs.json")["version_words"]
    constants = load("enums.json")
    with open(os.path.join(ABI, "functions.tsv"), encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))

    def __init__(self, label, versioned):
        self.at = self.labels.index(label)
        self.versioned = versioned
        self.mapped = {}
        for name, steps in self.constants["unversioned_name_macros"].items():
            for step in steps:
                if self.labels.index(step["from_header"]) <= self.at:
                    self.mapped[name] = step["to"]

    def covers(self, first, last):
        return bool(first) and self.labels.index(first) <= self.at <= self.labels.index(last or self.labels[-1])

    def macros(self):
        names = [n for n, m in self.constants["macros"].items() if self.covers(m["first_header"], m.get("last_header"))]
        return names + [n for n, w in self.words.items() if self.covers(w["first_header"], None)]

    def declares(self, row):
        if not self.covers(row["first_header"], row["last_header"]):
            return False
        for span in filter(None, row["absent_in_headers"].split(";")):
            low, _, high = span.partition("..")
            if self.covers(low, high or low):
                return False
        if self.versioned:
            return True
        hidden = set(self.mapped)
        for name, target in self.mapped.items():
            steps = [step["to"] for step in self.constants["unversioned_name_macros"][name]]
            hidden |= {step for step in steps if step != target}
        return row["name"] not in hidden

    def functions(self):
        return [row for row in self.rows if self.declares(row)]

    def text(self):
        out = ["#define __nvml_nvml_h__"] + ["#define %s 1" % name for name in self.macros()]
        types = sorted(set(re.findall(r"\bnvml\w+_t\b", " ".join(r["params"] + " " + r["returns"] for r in self.rows))))
        out += ["typedef struct made_up_%s *%s;" % (name, name) for name in types]
        for row in self.functions():
            params = [p.rsplit(" ", 2)[0] for p in row["params"].split("; ")] if row["params"] != "void" else ["void"]
            out.append("%s %s(%s);" % (row["returns"], row["name"], ", ".join(params)))
        if not self.versioned:
            out += ["#define %s %s" % item for item in self.mapped.items() if not item[0].endswith("_t")]
        return "\n".join(out) + "\n"


class ForeignTest(unittest.TestCase):
    # Headers that no constant tells from their neighbours: the new calls of such a header stay NVIDIA's own.
    # (calls lost, calls lost with unversioned names switched off)
    CANNOT_TELL = {"api7": (6, 6), "10.1": (6, 6), "11.2.152": (0, 2), "11.3.58": (4, 4),
                   "12.0.76": (4, 4), "12.0.140": (3, 3)}

    def mapped_after(self, header):
        program = header.text() + "#include <nvpulse/nvml.h>\n"
        flags = ["-D" + VERSIONED] if header.versioned else []
        self.assertEqual([], compilers.check(program, flags, compilers.installed()[:1]))
        found = compilers.macros(program, flags)
        return {name for name, value in found.items() if value == "nvp_" + name}

    def lost(self, case):
        """How many calls that the header declares are not mapped; none that it lacks may be."""
        header = Header(*case)
        wanted = {row["name"] for row in header.functions()}
        mapped = self.mapped_after(header)
        self.assertEqual(set(), mapped - wanted, "after the header of %s" % case[0])
        return len(wanted - mapped)

    def test_foreign__every_declared_call_is_mapped_and_no_other(self):
        lost = compilers.in_parallel(self.lost, [(label, False) for label in Header.labels])
        versioned = compilers.in_parallel(self.lost, [(label, True) for label in Header.labels])
        found = {label: pair for label, *pair in zip(Header.labels, lost, versioned) if any(pair)}
        self.assertEqual(self.CANNOT_TELL, {label: tuple(pair) for label, pair in found.items()})

    def test_foreign__types_only_leaves_everything_to_nvidias_header(self):
        program = Header("12.4.127", False).text() + "#include <nvpulse/nvml.h>\n"
        self.assertEqual([], compilers.check(program, ["-DNVPULSE_NVML_TYPES_ONLY"]))
        found = compilers.macros(program, ["-DNVPULSE_NVML_TYPES_ONLY"])
        self.assertEqual([], [name for name, value in found.items() if value.startswith("nvp_nvml")])
        self.assertEqual("1", found["NVML_BUS_TYPE_PCIE"])


if __name__ == "__main__":
    unittest.main()
