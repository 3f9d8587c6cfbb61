#!/usr/bin/env python3
"""The scripts around the clients, with stand-ins for apt-get and dpkg. Needs no network and no client."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

import table

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import stand_in_apt  # noqa: E402


class FetchTest(stand_in_apt.FetchCase):
    SCRIPT = "fetch-clients"
    PAYLOAD = """
: >"$tree/$package"
"""

    def tree(self, name):
        return set(os.listdir(os.path.join(self.out, name, "tree")))

    def test_fetch__a_client_is_there_with_its_packages_and_their_origin(self):
        self.fetch()
        self.assertEqual(self.tree("pynvml"), {"python3-pynvml"})
        self.assertEqual(self.read("out", "pynvml", "origin"), "python3-pynvml 1.5-1 bookworm\n")
        self.assertLess({"gpustat", "python3-pynvml", "python3-psutil"}, self.tree("gpustat"))
        self.assertEqual(self.read("out", "nvtop-new", "origin").splitlines()[0], "nvtop 1.5-1 trixie")

    def test_fetch__no_library_of_nvidias_is_among_them(self):
        self.fetch()
        names = {name for client in self.names for name in self.tree(client)}
        self.assertFalse([name for name in names if "cuda" in name or ("nvidia" in name and not name.endswith("-smi"))])

    def test_fetch__a_client_without_all_its_packages_is_named_and_fetched_later(self):
        self.absent("libhwloc-contrib-plugins")
        done = self.fetch()
        self.assertIn("skipped lstopo: not all of hwloc-nox ", done.stderr)
        self.assertIn("E: no libhwloc-contrib-plugins", done.stderr)
        self.assertEqual(set(os.listdir(self.out)), {name for name in self.names if not name.startswith("lstopo")})
        self.absent()
        self.write("calls", "")
        self.assertEqual(self.fetch().stderr, "")
        self.assertEqual(sum(" download " in call for call in self.calls()), 2)

    def test_fetch__the_next_suite_is_asked_for_all_packages(self):
        self.absent("libc6/trixie")
        self.fetch()
        suites = {line.split()[2] for line in self.read("out", "nvtop-new", "origin").splitlines()}
        self.assertEqual(suites, {"sid"})
        self.assertIn("nvtop", self.tree("nvtop-new"))


class TableTest(unittest.TestCase):
    def shown(self, *results):
        """Exit status and lines for these results."""
        with tempfile.TemporaryDirectory() as build:
            os.mkdir(os.path.join(build, "clients-results"))
            for result in results:
                with open(os.path.join(build, "clients-results", result["name"] + ".json"), "w", encoding="utf-8") as file:
                    json.dump(result, file)
            arguments, sys.argv = sys.argv, ["table.py", "--build", build, *(result["name"] for result in results), "absent"]
            try:
                with contextlib.redirect_stdout(io.StringIO()) as out, self.assertRaises(SystemExit) as ended:
                    table.main()
            finally:
                sys.argv = arguments
        return ended.exception.code, out.getvalue().splitlines()

    def test_table__failures_fail_and_skips_do_not(self):
        rows = [{"driver": "340", "way": "direct", "outcome": "gives up"}, {"driver": "550", "way": "shim", "outcome": "ok"}]
        good = {"name": "one", "package": "one 1.0-1", "rows": rows}
        code, lines = self.shown(good, {"name": "two", "skipped": "not fetched"})
        self.assertEqual(code, 0)
        cells = [["driver", "way", "one"], ["1.0-1"], ["340", "direct", "gives", "up"], ["550", "shim", "ok"]]
        self.assertEqual([line.split() for line in lines[:4]], cells)
        self.assertIn("note: two: skipped: not fetched", lines)
        self.assertIn("note: absent: skipped: there is no result", lines)
        code, lines = self.shown({**good, "rows": [{**rows[0], "outcome": "FAILED: line: 'a, b', not 'c'"}]})
        self.assertEqual(code, 1)
        self.assertEqual(lines[2].split(), ["340", "direct", "FAILED"])
        self.assertIn("note: one, 340, direct: FAILED: line: 'a, b', not 'c'", lines)


class PeersTest(unittest.TestCase):
    def test_peers__clients_that_are_not_there_have_rows_that_say_so(self):
        peers = os.path.join(os.path.dirname(stand_in_apt.SCRIPTS), "bench", "peers.py")
        build = os.environ["NVP_BUILD"]
        with tempfile.TemporaryDirectory() as nowhere:
            command = [sys.executable, "-B", peers, "--build", build, "--clients", nowhere]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows = [line for line in done.stdout.splitlines() if "not fetched" in line]
        self.assertEqual(len(rows), 12, done.stdout)
        self.assertEqual(sum("nvpulse status" in line for line in done.stdout.splitlines()), 3, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
