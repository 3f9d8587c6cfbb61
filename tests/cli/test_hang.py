"""Drivers that do not return from being opened or closed: every command ends all the same, with what it has to say."""

import json
import subprocess
import time

import harness

FAULTS = "base: h100x8\nsystem: {num_devices: 2}\nfaults:\n"
OPENING = FAULTS + "  - {function: nvmlInit_v2, hang: true}\n  - {function: nvmlInitWithFlags, hang: true}\n"
CLOSING = FAULTS + "  - {function: nvmlShutdown, hang: true}\n"
CALLING = FAULTS + "  - {device: 0, hang: true}\n"
# Without the limits these commands never end; with them, after 15 and 2 seconds and what a busy machine adds.
LIMIT_S = 60

QUERY = ("query", "--query-gpu=index", "--format=csv,noheader")


class HangTest(harness.CommandTest):
    def start(self, scenario, command):
        process = subprocess.Popen(
            harness.sim_command(*command, scenario=scenario),
            env=harness.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_together(self, scenario, commands):
        """Runs all at once, so that the limits pass once; {command: result}."""
        begun = {command: self.start(scenario, command) for command in commands}
        results, deadline = {}, time.monotonic() + LIMIT_S
        for command, process in begun.items():
            try:
                out, err = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                out += "(hangs)"
            results[command] = harness.Result(process.returncode, out, err)
        return results

    def test_opening(self):
        codes = {QUERY: 10, ("select",): 3, ("call", "nvmlSystemGetDriverVersion"): 3, ("status",): 3}
        results = self.run_together(self.scenario_file(OPENING), codes)
        for command, code in codes.items():
            with self.subTest(command=command):
                said = ["NVML cannot be used: Timed out", "kernel log", "nvpulse doctor"]
                self.assert_result(results[command], code, "", said)

    def test_calling(self):
        name = ("call", "nvmlDeviceGetName", "--gpu", "0")
        write = ("call", "nvmlDeviceSetPersistenceMode", "--gpu", "0", "1", "--allow-write")
        commands = {
            (*name, "--timeout", "0.2"): "nvmlDeviceGetName: no answer from the driver within 0.2 s; --timeout",
            (*name, "--timeout=300ms", "--json"): "nvmlDeviceGetName: no answer from the driver within 0.3 s; --timeout",
            (*write, "-t", "1"): "within 1 s, what it was to change may still change; --timeout",
            name: "nvmlDeviceGetName: no answer from the driver within 30 s; --timeout",
            ("call", "nvmlDeviceGetName", "--gpu", "1", "--timeout", "100"): "",
        }
        scenario = self.scenario_file(CALLING)
        unlimited = self.start(scenario, (*name, "--timeout", "0"))
        results = self.run_together(scenario, commands)
        self.assertIsNone(unlimited.poll(), "it waits on")
        for command, said in commands.items():
            with self.subTest(command=command):
                self.assert_result(results[command], 6 if said else 0, None, said)
        answer = json.loads(results[(*name, "--timeout=300ms", "--json")].out)
        self.assertEqual((answer["value"], answer["reason"]), (None, "timed_out"))
        self.assertEqual(answer["status_name"], "NVP_ERROR_TIMED_OUT")

    def test_handle_that_is_never_found(self):
        scenario = self.scenario_file(FAULTS + "  - {function: nvmlDeviceGetHandleByIndex_v2, hang: true}\n")
        command = ("call", "nvmlDeviceGetName", "--gpu", "0", "--timeout", "0.2")
        self.assert_result(self.run_together(scenario, [command])[command], 6, "", "no answer from the driver within 0.2 s")

    def test_closing(self):
        said = {
            QUERY: "0\n1\n",
            ("call", "nvmlSystemGetDriverVersion"): harness.DRIVER + "\n",
            ("select",): "1,0\n",
            ("select", "--output", "index", "--", "sh", "-c", "echo run with $CUDA_VISIBLE_DEVICES"): "run with 1,0\n",
            ("record", "--output", "-", "--count", "1", "--metrics", "identity.name"): None,
        }
        results = self.run_together(self.scenario_file(CLOSING), said)
        for command, out in said.items():
            with self.subTest(command=command):
                self.assert_result(results[command], 0, None, "")
                if out is not None:
                    self.assertEqual(results[command].out, out)

    def test_closing_keeps_a_failure(self):
        command = ("call", "nvmlDeviceGetName", "--gpu", "7")
        result = self.run_together(self.scenario_file(CLOSING), [command])[command]
        self.assertEqual(result.code, 1, result)
