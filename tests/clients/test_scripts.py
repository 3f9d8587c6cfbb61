#!/usr/bin/env python3
"""The scripts around the clients, with stand-ins for apt-get and dpkg. Needs no network and no client."""

import os
import sys
import unittest

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
        self.assertFalse([name for client in self.names for name in self.tree(client) if "nvidia" in name or "cuda" in name])

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
