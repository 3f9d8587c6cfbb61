#!/usr/bin/env python3
"""The scripts around the real libraries: fetching with stand-ins for apt-get and dpkg, comparing exports, the table.

Needs no network and no library.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import types
import unittest

import run
import table

sys.path.insert(0, os.path.join(os.path.dirname(run.HERE), "support"))
import stand_in_apt  # noqa: E402


class FetchTest(stand_in_apt.FetchCase):
    SCRIPT = "fetch-drivers"
    PAYLOAD = """
mkdir -p "$tree/usr/lib"
: >"$tree/usr/lib/libnvidia-ml.so.0.$package.1"
ln -s "libnvidia-ml.so.0.$package.1" "$tree/usr/lib/libnvidia-ml.so.1"
"""

    def libraries(self):
        return [name for name in self.names if os.path.isfile(os.path.join(self.out, name, "libnvidia-ml.so.1"))]

    def test_fetch__each_library_is_there_with_its_origin(self):
        self.fetch()
        self.assertEqual(self.libraries(), self.names)
        self.assertEqual(run.read(self.out, "418", "origin"), "libnvidia-tesla-418-ml1 1.5-1 bullseye\n")

    def test_fetch__a_library_that_is_missing_is_named_and_fetched_later(self):
        self.absent("libnvidia-tesla-460-ml1")
        done = self.fetch()
        self.assertIn("skipped 460: no libnvidia-tesla-460-ml1 from bullseye sid", done.stderr)
        self.assertEqual(self.libraries(), [name for name in self.names if name != "460"])
        self.absent()
        self.write("calls", "")
        self.assertEqual(self.fetch().stderr, "")
        self.assertEqual(self.libraries(), self.names)
        self.assertEqual(sum(" download " in call for call in self.calls()), 1)

    def test_fetch__each_suite_is_looked_for_where_it_is(self):
        self.fetch()
        self.assertIn(f"deb [signed-by={stand_in_apt.KEYRING}] http://s/ bookworm-security non-free", self.calls())
        self.assertIn(f"deb [signed-by={stand_in_apt.KEYRING}] http://a/ sid non-free", self.calls())


class ExportsTest(unittest.TestCase):
    @staticmethod
    def library(version, exports):
        return types.SimpleNamespace(version=version, exports=exports, notes=[])

    def test_exports__of_a_known_version_must_be_equal(self):
        facts = set(run.read(run.ABI, "exports", "470.256.02.txt").split())
        run.check_exports(self.library("470.256.02", facts))
        for wrong in (facts - {"nvmlInit"}, facts | {"nvmlNew"}):
            with self.assertRaises(run.Failure):
                run.check_exports(self.library("470.256.02", wrong))

    def test_exports__of_a_near_version_are_reported(self):
        facts = set(run.read(run.ABI, "exports", "535.309.01.txt").split())
        near = self.library("535.290.01", facts | {"nvmlNew"})
        run.check_exports(near)
        self.assertIn("against 535.309.01: surplus ['nvmlNew'], missing []", near.notes[0])
        strange = self.library("999.1", facts)
        run.check_exports(strange)
        self.assertIn("a series without an export list", strange.notes[0])

    def test_codes__grow_with_the_version(self):
        self.assertEqual(run.codes_known_to("340.108"), " ".join(map(str, [*range(17), 999])))
        self.assertNotIn(" 27", run.codes_known_to("535.100"))
        self.assertIn(" 27", run.codes_known_to("535.216.03"))


class TableTest(unittest.TestCase):
    def shown(self, *results):
        """Exit status and lines for these results."""
        with tempfile.TemporaryDirectory() as build:
            os.mkdir(os.path.join(build, "real"))
            for result in results:
                with open(os.path.join(build, "real", result["name"] + ".json"), "w", encoding="utf-8") as file:
                    json.dump(result, file)
            arguments, sys.argv = sys.argv, ["table.py", "--build", build, "340", "550"]
            try:
                with contextlib.redirect_stdout(io.StringIO()) as out, self.assertRaises(SystemExit) as ended:
                    table.main()
            finally:
                sys.argv = arguments
        return ended.exception.code, out.getvalue().splitlines()

    def test_table__failures_fail_and_skips_do_not(self):
        good = {"name": "340", "version": "340.108", "package": "p 1", "exports": 114, "functions": "113", "failed": []}
        good.update(init="NVML_ERROR_DRIVER_NOT_LOADED", shutdown="NVML_ERROR_UNINITIALIZED", fallbacks="3", notes=["say this"])
        code, lines = self.shown(good, {"name": "550", "skipped": "not there"})
        self.assertEqual(code, 0)
        expected = ["340.108", "p", "1", "114", "yes", "DRIVER_NOT_LOADED", "UNINITIALIZED", "3", "ok,", "with", "notes"]
        self.assertEqual(lines[1].split(), expected)
        self.assertTrue(lines[2].startswith("550 ") and lines[2].endswith("skipped: not there"))
        self.assertEqual(lines[3], "note: say this")
        code, lines = self.shown({**good, "failed": ["exports"]})
        self.assertEqual(code, 1)
        self.assertTrue(lines[1].endswith("FAILED: exports") and lines[2].endswith("skipped: there is no result"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
