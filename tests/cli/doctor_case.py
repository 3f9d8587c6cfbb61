"""What the tests of `nvpulse doctor` share: running it for a machine, and looking into its report. Holds no test."""

import glob
import json
import os

import harness

HEALTHY, DEGRADED, UNUSABLE, USAGE = 0, 1, 2, 64
# What a run may take on a slow machine, however many of its calls hang.
BOUND_S = 120


def limit():
    """A time limit, in seconds, that no call exceeds unless it hangs."""
    return "10" if harness.is_sanitized() else "2"


def faults(*rows, base="rtx4090x2"):
    """A scenario with these faults."""
    return f"base: {base}\nfaults:\n" + "".join(f"  - {{ {row} }}\n" for row in rows)


def init_faults(what):
    return faults(*(f"function: {name}, {what}" for name in ("nvmlInit_v2", "nvmlInitWithFlags")))


def library(folder):
    return os.path.join(harness.build, "tests", "libraries", folder, "libnvidia-ml.so.1")


def is_installed():
    """True where a driver's library is installed, so that it cannot be missing."""
    places = ("/usr/lib/*/libnvidia-ml.so.1", "/usr/lib64/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1", "/usr/lib/libnvidia-ml.so.1")
    return any(glob.glob(place) for place in places)


class DoctorTest(harness.CommandTest):
    """Runs it for a machine."""

    def doctor(self, *arguments, machine=None, scenario=None, nvml=None, profile="rtx4090x2", **env):
        """On a simulated driver; with `nvml`, on that library ("" for what is found). Patient, unless the arguments are not."""
        arguments = ("--timeout", "60", *arguments)
        if machine is not None:
            env["NVPULSE_DOCTOR_ROOT"] = machine.root
        if nvml is not None:
            return harness.execute([harness.program(), "doctor", *arguments], harness.environment(NVPULSE_NVML_PATH=nvml or None, **env))
        scenario = self.scenario_file(scenario) if scenario is not None else None
        return self.run_sim("doctor", *arguments, profile=profile, scenario=scenario, **env)

    def report(self, code, *arguments, **options):
        """The JSON object of a run that ends with that code."""
        result = self.doctor("--json", *arguments, **options)
        self.assertEqual(result.code, code, result)
        report = json.loads(result.out)
        self.assertEqual(report["exit_status"], code)
        self.assertEqual(report["verdict"], ("healthy", "degraded", "unusable")[code])
        return report

    def assert_finding(self, report, severity, section, *phrases):
        for finding in report["findings"]:
            if (finding["severity"], finding["section"]) == (severity, section) and all(phrase in finding["text"] for phrase in phrases):
                return
        self.fail(f"no finding {severity} {section} {phrases} in {json.dumps(report['findings'], indent=1)}")

    def assert_only_notes(self, report):
        self.assertEqual([finding for finding in report["findings"] if finding["severity"] != "note"], [])
