#!/usr/bin/env python3
"""The scripts around the real libraries: fetching with stand-ins for apt-get and dpkg, comparing exports, the table.

Needs no network and no library.
"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

import run
import table

SOURCE = os.path.dirname(run.ABI)
FETCH = os.path.join(SOURCE, "scripts", "fetch-drivers")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TOOLS = ("sh", "cat", "cut", "tr", "sort", "mkdir", "rm", "ln", "mv", "find", "head", "tail", "basename", "touch", "env")
# Notes each call; knows an archive and one for security; lacks whatever the file `absent` names.
APT_GET = """
echo "apt-get $*" >>CALLS
case "$*" in
*indextargets*) printf '%s\\n' 'bookworm-updates http://a/' 'bookworm http://a/' 'bookworm-security http://s/' ;;
*download*)
    for wanted; do :; done
    case " $(cat ABSENT) " in *" ${wanted%/*} "*) echo "E: no ${wanted%/*}"; exit 100 ;; esac
    touch "${wanted%/*}_1.5-1_amd64.deb" ;;
*update*) cat "$(echo "$*" | tr ' ' '\\n' | sed -n 's/Dir::Etc::sourcelist=//p')" >>CALLS ;;
esac
"""
# Unpacks a library whose version is the name of the package.
DPKG = """
version=$(basename "$2" | cut -d _ -f 1).1
mkdir -p "$3/usr/lib"
: >"$3/usr/lib/libnvidia-ml.so.0.$version"
ln -s "libnvidia-ml.so.0.$version" "$3/usr/lib/libnvidia-ml.so.1"
"""


@unittest.skipUnless(os.path.exists(KEYRING), "this machine has no keyring of Debian's")
class FetchTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = os.path.join(self.folder, "out")
        path = os.path.join(self.folder, "path")
        os.mkdir(path)
        for tool in TOOLS + ("readlink", "sed"):
            os.symlink(shutil.which(tool), os.path.join(path, tool))
        self.write("calls", "")
        self.absent()
        for name, text in (("apt-get", APT_GET), ("dpkg", DPKG)):
            text = text.replace("CALLS", os.path.join(self.folder, "calls")).replace("ABSENT", os.path.join(self.folder, "absent"))
            self.write(os.path.join("path", name), "#!/bin/sh\n" + text)
            os.chmod(os.path.join(path, name), 0o755)
        self.environment = {"PATH": path}
        self.names = subprocess.run([FETCH, "--list"], check=True, capture_output=True, text=True).stdout.split()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def absent(self, *packages):
        self.write("absent", " ".join(packages))

    def calls(self):
        return run.read(self.folder, "calls").splitlines()

    def fetch(self):
        done = subprocess.run([FETCH, self.out], env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def libraries(self):
        return [name for name in self.names if os.path.isfile(os.path.join(self.out, name, "libnvidia-ml.so.1"))]

    def test_fetch__each_library_is_there_with_its_origin(self):
        done = self.fetch()
        self.assertEqual(self.libraries(), self.names)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], self.names)
        self.assertEqual(run.read(self.out, "418", "origin"), "libnvidia-tesla-418-ml1 1.5-1 bullseye\n")
        self.assertEqual([name for name in os.listdir(self.out) if name.startswith(".")], [])

    def test_fetch__what_is_there_is_not_fetched_again(self):
        self.fetch()
        self.write("calls", "")
        self.fetch()
        self.assertEqual(self.calls(), [])

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

    def test_fetch__apts_own_state_is_left_alone(self):
        self.fetch()
        for call in self.calls():
            if call.startswith("apt-get") and "indextargets" not in call:
                for place in ("Dir::Etc::sourcelist", "Dir::Etc::sourceparts", "Dir::State::lists", "Dir::Cache"):
                    self.assertIn(f"{place}={self.out}/", call)
                self.assertNotIn("install", call)
        self.assertIn(f"deb [signed-by={KEYRING}] http://s/ bookworm-security non-free", self.calls())
        self.assertIn(f"deb [signed-by={KEYRING}] http://a/ sid non-free", self.calls())

    def test_fetch__without_apt_everything_is_skipped(self):
        os.remove(os.path.join(self.folder, "path", "apt-get"))
        done = self.fetch()
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("skipped "), len(self.names))

    def test_fetch__wrong_usage(self):
        for arguments in ([], ["a", "b"], ["--help"]):
            self.assertEqual(subprocess.run([FETCH, *arguments], capture_output=True, check=False).returncode, 2)


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
