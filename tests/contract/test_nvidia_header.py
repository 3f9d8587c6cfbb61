"""NVIDIA's own nvml.h, as Debian packages it, included before ours: in C, in C++, in both mapping modes.

usage: test_nvidia_header.py FOLDER

FOLDER keeps the headers that scripts/fetch-nvml-headers brings. Where none can be had the test is
skipped, visibly.
"""

import csv
import glob
import os
import re
import subprocess
import sys
import unittest

import compilers

VERSIONED = "-DNVML_NO_UNVERSIONED_FUNC_DEFS"

# Both mapping modes: what a program of the field calls, unversioned names included.
PROGRAM = """#include <nvml.h>
#include <nvpulse/nvpulse.h>
int main(void)
{
    nvmlReturn_t (*init)(void) = nvmlInit;
    nvmlDevice_t device;
    nvmlUtilization_t use;
    nvmlMemory_t memory;
    nvmlPciInfo_t pci;
    unsigned int count = 0;
    char name[NVML_DEVICE_NAME_BUFFER_SIZE];
    if (init() != NVML_SUCCESS || nvmlInitWithFlags(NVML_INIT_FLAG_NO_GPUS) != NVML_SUCCESS)
        return 1;
    nvmlDeviceGetCount(&count);
    nvmlDeviceGetHandleByIndex(0, &device);
    nvmlDeviceGetName(device, name, sizeof name);
    nvmlDeviceGetUtilizationRates(device, &use);
    nvmlDeviceGetMemoryInfo(device, &memory);
    nvmlDeviceGetPciInfo(device, &pci);
    nvmlDeviceGetComputeRunningProcesses(device, &count, 0);
    return nvmlErrorString(nvmlShutdown())[0];
}
"""
ENTRY_POINTS = {"": "nvp_nvmlInit_v2", VERSIONED: "nvp_nvmlInit"}


def rows():
    with open(os.path.join(compilers.SOURCE, "abi", "functions.tsv"), encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def signature(row):
    types = ["void"] if row["params"] == "void" else [p.rsplit(" ", 2)[0] for p in row["params"].split("; ")]
    return "%s(%s)" % (row["returns"], ", ".join(types))


class NvidiaHeaderTest(unittest.TestCase):
    headers = []  # folders that hold an nvml.h each

    def with_each(self, test):
        """Runs test(flags, mode) for each header in each mapping mode."""
        for folder in self.headers:
            for mode in ("", VERSIONED):
                with self.subTest(header=os.path.basename(folder), mode=mode):
                    test(["-isystem", folder] + ([mode] if mode else []), mode)

    @staticmethod
    def declared(flags):
        text = compilers.preprocessed("#include <nvml.h>\n", flags)
        return set(re.findall(r"\b(nvml\w+) ?\(", text))

    def compiles_before_ours(self, flags, mode):
        self.assertEqual([], compilers.check(PROGRAM, flags))
        self.assertIn(ENTRY_POINTS[mode] + ";", compilers.preprocessed(PROGRAM, flags).replace(" ", ""))

    def test_nvidia_header__compiles_before_ours(self):
        self.with_each(self.compiles_before_ours)

    def every_declared_call_is_mapped(self, flags, mode):
        found = compilers.macros("#include <nvml.h>\n#include <nvpulse/nvml.h>\n", flags)
        mapped = {name for name, value in found.items() if value == "nvp_" + name}
        missing = self.declared(flags) - mapped
        if mode:  # 11.2.152 cannot be told from 11.3.58 here, which dropped these two
            missing -= {"nvmlGetBlacklistDeviceCount", "nvmlGetBlacklistDeviceInfoByIndex"}
        self.assertEqual(set(), missing)

    def test_nvidia_header__every_declared_call_is_mapped(self):
        self.with_each(self.every_declared_call_is_mapped)

    def the_rows_have_the_headers_types(self, flags, mode):
        if not mode:
            return
        declared = self.declared(flags)
        out = ["#include <nvml.h>"]
        for row in rows():
            if row["name"] in declared and "signature changed" not in row["notes"]:
                out.append('_Static_assert(__builtin_types_compatible_p(__typeof__(%s), %s), "%s");'
                           % (row["name"], signature(row), row["name"]))
        self.assertGreater(len(out), 200)
        in_c = [c for c in compilers.installed() if c[1] is compilers.C_FLAGS]
        self.assertEqual([], compilers.check("\n".join(out) + "\n", flags, in_c))

    def test_nvidia_header__the_rows_have_the_headers_types(self):
        self.with_each(self.the_rows_have_the_headers_types)


def fetch(folder):
    """Brings what headers can be had; what went wrong, as text."""
    command = [os.path.join(compilers.SOURCE, "scripts", "fetch-nvml-headers"), folder]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=80, check=False).stderr
    except subprocess.TimeoutExpired:
        return "the mirror did not answer in time"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv.pop()
    why = fetch(folder)
    NvidiaHeaderTest.headers = sorted(os.path.dirname(path) for path in glob.glob(os.path.join(folder, "*", "nvml.h")))
    if not NvidiaHeaderTest.headers:
        print("skipped: no header of NVIDIA's could be fetched\n" + why)
        sys.exit(compilers.SKIPPED)
    print("with the headers of: " + ", ".join(os.path.basename(path) for path in NvidiaHeaderTest.headers))
    unittest.main()


if __name__ == "__main__":
    main()
