"""The scripts that need a build: gpu-check tells a simulated driver from a GPU, compat-matrix runs every driver.

usage: test_on_build.py BUILD
"""

import os
import subprocess
import sys
import unittest

from trees import SOURCE

BUILD = sys.argv.pop() if len(sys.argv) > 1 else os.path.join(SOURCE, "build")
NVPULSE = os.path.join(BUILD, "bin", "nvpulse")


def script(name, *arguments, simulated=True):
    command = [os.path.join(SOURCE, "scripts", name), *arguments]
    if simulated:
        command = [NVPULSE, "sim", "--profile", "h100x8", "--", *command]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


class OnBuildTest(unittest.TestCase):
    def test_gpu_check__a_simulated_driver_is_no_gpu(self):
        status, output = script("gpu-check", "--build", BUILD)
        self.assertEqual(status, 77, output)
        self.assertIn("nothing was tested", output)

    def test_gpu_check__every_part_runs_when_simulation_is_allowed(self):
        status, output = script("gpu-check", "--build", BUILD, "--simulated")
        self.assertEqual(status, 0, output)
        self.assertNotIn("FAILED", output)
        for row in ("driver", "init", "devices", "nvp_query_fields", "guarded against raw", "fork", "exit under load", "nvpulse status"):
            self.assertRegex(output, rf"(?m)^{row} +ok ")

    def test_compat_matrix__every_simulated_driver_is_run(self):
        status, output = script("compat-matrix", BUILD, simulated=False)
        self.assertEqual(status, 0, output)
        sim = os.path.join(BUILD, "sim")
        drivers = [name for name in os.listdir(sim) if os.path.exists(os.path.join(sim, name, "libnvidia-ml.so.1"))]
        self.assertGreaterEqual(len(drivers), 2)
        for driver in drivers:
            self.assertRegex(output, rf"(?m)^{driver} +\d+ +ok +8$")

    def test_compat_matrix__a_build_without_drivers_fails(self):
        status, output = script("compat-matrix", os.path.join(BUILD, "nowhere"), simulated=False)
        self.assertEqual(status, 1, output)
        self.assertIn("no simulated driver", output)


if __name__ == "__main__":
    unittest.main()
