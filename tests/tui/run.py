#!/usr/bin/env python3
"""Runs the tests of the viewer.

usage: run.py --build BUILD [--update-golden] [MODULE or MODULE.Class.test ...]
--update-golden writes the files in tests/golden from what the viewer shows now, instead of comparing.
Without a name every module runs.
"""

import argparse
import os
import shutil
import sys
import unittest

import case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="a build folder, which has bin/nvpulse")
    parser.add_argument("--update-golden", action="store_true", help="write tests/golden anew")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if shutil.which("tmux") is None:
        print("tmux is not installed: nothing was tested")
        sys.exit(77)
    case.configure(arguments.build, arguments.update_golden)
    here = os.path.dirname(os.path.abspath(__file__))
    loader = unittest.TestLoader()
    names = arguments.names or sorted(
        name[:-3] for name in os.listdir(here) if name.startswith("test_") and name.endswith(".py")
    )
    result = unittest.TextTestRunner(verbosity=2).run(loader.loadTestsFromNames(names))
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)


if __name__ == "__main__":
    main()
