"""Snapshots of every simulated driver and machine are what docs/snapshot.schema.json says, and the schema can tell.

usage: test_schema.py SNAPSHOT_LINES SIM
SNAPSHOT_LINES is the program of snapshot_lines.c, SIM the folder of the simulated drivers.
"""

import copy
import json
import os
import subprocess
import sys
import unittest

try:
    import jsonschema
except ImportError:
    print("SKIPPED: no jsonschema for this python3 (Debian: python3-jsonschema)")
    sys.exit(77)

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROFILES = sorted(name[:-5] for name in os.listdir(os.path.join(SOURCE, "sim", "profiles")))
PROGRAM, SIM = sys.argv[1:3]
DRIVERS = sorted(name for name in os.listdir(SIM) if os.path.exists(os.path.join(SIM, name, "libnvidia-ml.so.1")))

with open(os.path.join(SOURCE, "docs", "snapshot.schema.json"), encoding="utf-8") as file:
    SCHEMA = json.load(file)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
RESERVED = {"na", "ages_us", "read_at_us"}


def snapshots(driver, profile, count=2, metrics=()):
    environment = {**os.environ, "NVPULSE_NVML_PATH": os.path.join(SIM, driver, "libnvidia-ml.so.1"), "NVPULSE_SIM_PROFILE": profile}
    done = subprocess.run([PROGRAM, str(count), *metrics], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise AssertionError(f"{driver} {profile}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def groups(snapshot):
    """(values, their na, their ages, properties of the schema) of each group of readings."""
    properties = SCHEMA["properties"]
    yield snapshot["host"], snapshot["host"], properties["host"]["properties"]
    for device in snapshot["devices"]:
        yield device["metrics"], device, properties["devices"]["items"]["properties"]["metrics"]["properties"]
    for process in snapshot["processes"]:
        yield process, process, properties["processes"]["items"]["properties"]


def nulls(values):
    """The names of all that is null, as na has them."""
    for name, value in values.items():
        if value is None:
            yield name
        elif isinstance(value, list):
            yield from (f"{name}[{place}]" for place, item in enumerate(value) if item is None)


class SchemaTest(unittest.TestCase):
    def assert_described(self, snapshot):
        problems = [f"{'/'.join(map(str, error.path))}: {error.message[:200]}" for error in VALIDATOR.iter_errors(snapshot)]
        self.assertEqual([], problems)
        for values, beside, properties in groups(snapshot):
            self.assertEqual(set(), set(values) - set(properties), "names that the schema does not have")
            self.assertEqual(sorted(beside["na"]), sorted(nulls({name: values[name] for name in set(values) - RESERVED})))
            for name in beside.get("ages_us", {}):
                self.assertIn(name.split("[")[0], values)
        known = SCHEMA["$defs"]["reason"]["properties"]["reason"]["examples"]
        words = {why["reason"] for _, beside, _ in groups(snapshot) for why in beside["na"].values()}
        self.assertEqual(set(), words - set(known))

    def test_schema__is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_schema__describes_every_driver(self):
        self.assertGreaterEqual(len(DRIVERS), 12)
        for driver in DRIVERS:
            with self.subTest(driver=driver):
                for snapshot in snapshots(driver, "h100x8"):
                    self.assert_described(snapshot)
                    self.assertEqual(8, len(snapshot["devices"]))
                    self.assertTrue(snapshot["simulated"])

    def test_schema__describes_every_machine(self):
        for profile in PROFILES:
            with self.subTest(profile=profile):
                for snapshot in snapshots("550.163.01", profile):
                    self.assert_described(snapshot)
                    self.assertGreaterEqual(len(snapshot["devices"]), 1)

    def test_schema__describes_metrics_that_are_costly(self):
        metrics = SCHEMA["properties"]["devices"]["items"]["properties"]["metrics"]["properties"]
        names = [name for name in metrics if name.startswith("gpm.")]
        self.assertGreater(len(names), 3)
        for snapshot in snapshots("550.163.01", "h100x8", 3, names):
            self.assert_described(snapshot)
            self.assertEqual(set(), set(names) - set(snapshot["devices"][0]["metrics"]))

    def test_schema__has_mig_devices_below_their_gpu(self):
        devices = snapshots("550.163.01", "a100-mig", 1)[0]["devices"]
        self.assertIsNone(devices[0]["mig_index"])
        self.assertEqual(0, devices[1]["mig_index"])

    def test_schema__refuses_what_is_not_so(self):
        good = snapshots("550.163.01", "h100x8", 1)[0]
        changes = {
            "a missing member": lambda one: one.pop("devices"),
            "another version": lambda one: one.update(schema="nvpulse.snapshot/2"),
            "a text for a number": lambda one: one["devices"][0]["metrics"].update({"power.draw_mw": "312"}),
            "a number for a text": lambda one: one["host"].update(name=7),
            "a state that is none": lambda one: one["devices"][0].update(state="fine"),
            "a reason without a status": lambda one: one["devices"][0]["na"].update({"x": {"reason": "gpu_lost"}}),
            "a status of success": lambda one: one.update(process_status={"reason": "unknown", "status": 0}),
            "a negative count": lambda one: one["processes"][0].update(gpu_memory_bytes=-1),
            "a type without a word": lambda one: one["processes"][0].update(type=["drawing"]),
            "a list that is none": lambda one: one["devices"][0]["metrics"].update({"fan.speeds_percent": 30}),
            "no time": lambda one: one["devices"][0].update(sampled_at_us="now"),
        }
        self.assertTrue(VALIDATOR.is_valid(good))
        for name, change in changes.items():
            with self.subTest(change=name):
                bad = copy.deepcopy(good)
                change(bad)
                self.assertFalse(VALIDATOR.is_valid(bad))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
