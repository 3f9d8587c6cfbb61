"""abi/ has the measured facts unchanged.

Compares with the folder that they were delivered in: $NVPULSE_FACTS, else ../shared/data/nvml beside
the checkout. Where there is none the test is skipped, visibly.
"""

import glob
import os
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77


def main():
    folder = os.environ.get("NVPULSE_FACTS") or os.path.join(SOURCE, "..", "shared", "data", "nvml")
    names = ["functions.tsv", "families.tsv", "structs.json", "enums.json"]
    names += sorted(os.path.relpath(path, folder) for path in glob.glob(os.path.join(folder, "exports", "*.txt")))
    if not os.path.isfile(os.path.join(folder, names[0])):
        print("skipped: no folder with the measured facts")
        return SKIPPED
    failed = 0
    for name in names:
        with open(os.path.join(folder, name), "rb") as measured, open(os.path.join(SOURCE, "abi", name), "rb") as ours:
            if measured.read() != ours.read():
                print("abi/%s differs from the measured facts" % name)
                failed += 1
    print("%d passed, %d failed" % (len(names) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
