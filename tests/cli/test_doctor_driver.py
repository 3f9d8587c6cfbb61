"""`nvpulse doctor`: drivers and devices that fail, hang, crash or sleep; nothing else of the report is lost by them."""

import glob
import json
import os
import signal
import subprocess
import time
import uuid

import doctor_machine
import harness
from doctor_case import BOUND_S, DEGRADED, HEALTHY, UNUSABLE, DoctorTest, faults, init_faults, library, limit
from doctor_machine import Machine


class InitTest(DoctorTest):
    def test_error(self):
        report = self.report(UNUSABLE, scenario=init_faults("error: NVML_ERROR_UNKNOWN"))
        self.assertEqual((report["init"]["outcome"], report["init"]["status"]), ("answered", 999))
        self.assert_finding(report, "unusable", "init", "Unknown Error (NVML_ERROR_UNKNOWN)", "kernel log")
        out = self.doctor(scenario=init_faults("error: NVML_ERROR_UNKNOWN")).out
        self.assertIn("\nInit\n  Status      Unknown Error (NVML_ERROR_UNKNOWN)\n", out)
        self.assertIn("\nDevices\n  none     NVML is not open\n", out)
        self.assertNotIn("After it", out)

    def test_hang(self):
        scenario, begun = init_faults("hang: true"), time.monotonic()
        report = self.report(UNUSABLE, "--timeout", limit(), scenario=scenario)
        self.assertLess(time.monotonic() - begun, BOUND_S)
        self.assertEqual((report["init"]["outcome"], report["init"]["call"], report["init"]["status"]), ("no_answer", "nvmlInit", None))
        self.assert_finding(report, "unusable", "init", f"nvmlInit gave no answer within {limit()} s")
        self.assertTrue(report["library"]["found"])
        self.assertGreater(report["library"]["functions_exported"], 300)
        self.assertIn(f"\nInit\n  Status      nvmlInit gave no answer within {limit()} s\n", self.doctor("--timeout", limit(), scenario=scenario).out)

    def test_crash(self):
        report = self.report(UNUSABLE, nvml=library("crash"), machine=Machine(self), TEST_CRASH="init-crash")
        self.assertEqual((report["init"]["outcome"], report["init"]["call"]), ("crashed", "nvmlInit"))
        self.assert_finding(report, "unusable", "init", "nvmlInit crashed with signal 11")
        self.assertTrue(report["library"]["found"])
        self.assertEqual(len(report["nodes"]), 4)

    def test_driver_that_ends_the_process(self):
        report = self.report(UNUSABLE, nvml=library("crash"), TEST_CRASH="init-exit")
        self.assert_finding(report, "unusable", "init", "nvmlInit ended the process with status 7")

    def test_crash_while_loading(self):
        report = self.report(UNUSABLE, nvml=library("crash"), TEST_CRASH="load-crash")
        self.assertEqual((report["library"]["found"], report["library"]["status"]), (False, None))
        self.assert_finding(report, "unusable", "library", "loading the library crashed with signal 11")
        self.assertEqual(report["init"]["outcome"], "not_tried")

    def test_hang_while_loading(self):
        report = self.report(UNUSABLE, "-t", limit(), nvml=library("crash"), TEST_CRASH="load-hang")
        self.assert_finding(report, "unusable", "library", f"loading the library gave no answer within {limit()} s")

    def test_what_the_driver_writes_goes_to_standard_error(self):
        result = self.doctor("--json", nvml=library("crash"), TEST_CRASH="init-crash")
        json.loads(result.out)
        for channel in ("output", "error"):
            self.assertIn(f"nvpulse: doctor: said to standard {channel}\n", result.err)

    def test_reason_of_a_bad_scenario_is_not_lost(self):
        result = self.doctor(NVPULSE_SIM_SCENARIO="/nonexistent.yaml", nvml=os.path.join(harness.build, "sim", "550.163.01"))
        self.assert_result(result, UNUSABLE, "NVML_ERROR_UNKNOWN", "/nonexistent.yaml")

    def test_slow(self):
        report = self.report(HEALTHY, scenario=init_faults("latency_ms: 2500"))
        self.assertGreaterEqual(report["init"]["elapsed_us"], 2500000)
        self.assert_finding(report, "note", "init", "Opening NVML took", "nvidia-persistenced")
        self.assertNotIn("persistence", json.dumps(self.report(HEALTHY)["findings"]))

    def test_driver_without_a_gpu(self):
        report = self.report(DEGRADED, scenario=init_faults("error: NVML_ERROR_GPU_NOT_FOUND"))
        self.assert_finding(report, "degraded", "init", "The driver works and finds no GPU")


class DevicesTest(DoctorTest):
    def states(self, report):
        return [gpu["state"] for gpu in report["devices"]]

    def test_states(self):
        scenario = faults(
            "function: any, device: 1, error: NVML_ERROR_GPU_IS_LOST",
            "function: nvmlDeviceGetUUID, device: 2, error: NVML_ERROR_RESET_REQUIRED",
            "function: nvmlDeviceGetTemperature, device: 4, error: NVML_ERROR_UNKNOWN",
            base="h100x8",
        )
        report = self.report(DEGRADED, scenario=scenario)
        self.assertEqual(self.states(report), ["ok", "lost", "reset_required", "ok", "failed", "ok", "ok", "ok"])
        self.assertEqual((report["devices"][4]["call"], report["devices"][4]["status"]), ("nvmlDeviceGetTemperature", 999))
        self.assertEqual(report["devices"][4]["name"], "NVIDIA H100 80GB HBM3")
        self.assert_finding(report, "degraded", "devices", "GPU 1", "lost", "Xid 79")
        self.assert_finding(report, "degraded", "devices", "GPU 2", "needs a reset", "--gpu-reset")
        self.assert_finding(report, "degraded", "devices", "GPU 4", "nvmlDeviceGetTemperature answered NVML_ERROR_UNKNOWN")

    def test_lost_from_the_start(self):
        report = self.report(DEGRADED, scenario="base: h100x8\ndevices:\n  - { index: 6, lost: true }\n")
        self.assertEqual(self.states(report), ["ok"] * 6 + ["lost", "ok"])
        out = self.doctor(scenario="base: h100x8\ndevices:\n  - { index: 6, lost: true }\n").out
        self.assertIn("\n  GPU 6    lost (nvmlDeviceGetHandleByIndex answered NVML_ERROR_GPU_IS_LOST)\n", out)

    def test_no_permission(self):
        scenario = faults("function: nvmlDeviceGetHandleByIndex_v2, error: NVML_ERROR_NO_PERMISSION")
        report = self.report(UNUSABLE, scenario=scenario)
        self.assertEqual(self.states(report), ["no_permission"] * 2)
        self.assert_finding(report, "unusable", "devices", "GPU 1", "no permission", "Device nodes")

    def test_answers_that_say_nothing_against_a_device(self):
        scenario = faults(
            "function: nvmlDeviceGetMemoryInfo, error: NVML_ERROR_NO_PERMISSION",
            "function: nvmlDeviceGetTemperature, error: NVML_ERROR_NOT_SUPPORTED",
        )
        self.assertEqual(self.states(self.report(HEALTHY, scenario=scenario)), ["ok"] * 2)

    def test_one_that_hangs(self):
        scenario, begun = faults("function: nvmlDeviceGetName, device: 3, hang: true", base="h100x8"), time.monotonic()
        report = self.report(DEGRADED, "-t", limit(), scenario=scenario)
        self.assertLess(time.monotonic() - begun, BOUND_S)
        self.assertEqual(self.states(report), ["ok"] * 3 + ["no_answer"] + ["ok"] * 4)
        hanging = report["devices"][3]
        self.assertEqual((hanging["call"], hanging["status"], hanging["name"]), ("nvmlDeviceGetName", None, None))
        self.assertTrue(hanging["uuid"].startswith("GPU-"))  # what it said before is kept
        self.assert_finding(report, "degraded", "devices", "GPU 3 (00000000:5D:00.0)", f"nvmlDeviceGetName gave no answer within {limit()} s")

    def test_all_that_hang_cost_the_time_of_one(self):
        scenario = faults("function: nvmlDeviceGetName, hang: true", base="h100x8") + "system: { num_devices: 16 }\n"
        begun = time.monotonic()
        report = self.report(UNUSABLE, "-t", "10", scenario=scenario)
        self.assertLess(time.monotonic() - begun, BOUND_S)
        self.assertEqual(self.states(report), ["no_answer"] * 16)

    def test_devices_that_share_a_process_with_one_that_hangs(self):
        hangs = [f"function: nvmlDeviceGetName, device: {index}, hang: true" for index in (0, 22, 23, 39)]
        scenario = faults(*hangs, base="h100x8") + "system: { num_devices: 40 }\n"
        report = self.report(DEGRADED, "-t", limit(), scenario=scenario)
        states = ["no_answer" if index in (0, 22, 23, 39) else "ok" for index in range(40)]
        self.assertEqual(self.states(report), states)
        self.assertEqual(len({device["uuid"] for device in report["devices"]}), 40)
        self.assertEqual([device["index"] for device in report["devices"]], list(range(40)))

    def test_slow_calls_are_no_hang(self):
        if harness.is_sanitized():
            self.skipTest("this is a matter of time, and a sanitizer takes much of it")
        scenario = faults("function: any, device: 0, latency_ms: 500")
        self.assertEqual(self.states(self.report(HEALTHY, "-t", "2", scenario=scenario)), ["ok"] * 2)

    def test_crash(self):
        report = self.report(UNUSABLE, nvml=library("crash"), machine=Machine(self), TEST_CRASH="name-crash")
        self.assertEqual(self.states(report), ["crashed"])
        self.assert_finding(report, "unusable", "devices", "GPU 0", "nvmlDeviceGetName crashed with signal 11")

    def test_none(self):
        report = self.report(DEGRADED, scenario="system:\n  num_devices: 0\n")
        self.assert_finding(report, "degraded", "devices", "shows no GPU")

    def test_that_cannot_be_counted(self):
        report = self.report(UNUSABLE, scenario=faults("function: nvmlDeviceGetCount_v2, error: NVML_ERROR_UNKNOWN"))
        self.assert_finding(report, "unusable", "devices", "cannot be counted")

    def test_count_that_cannot_be(self):
        report = self.report(UNUSABLE, nvml=library("crash"), machine=Machine(self), TEST_COUNT="4000000000")
        self.assertEqual(report["devices"], [])
        self.assert_finding(report, "unusable", "devices", "counts 4000000000 devices")

    def test_many(self):
        report = self.report(HEALTHY, scenario="base: h100x8\nsystem: { num_devices: 40 }\n")
        self.assertEqual(self.states(report), ["ok"] * 40)


class SleepTest(DoctorTest):
    # Whoever asks the first device, or how many there are, waits for ever.
    tripwire = faults(
        "function: any, device: 0, hang: true",
        "function: nvmlDeviceGetCount_v2, hang: true",
        "function: nvmlDeviceGetHandleByIndex_v2, hang: true",
        "function: nvmlInit_v2, hang: true",
    )

    def test_sleeper_is_not_asked(self):
        for state in ("suspended", "suspending"):
            machine = Machine(self)
            machine.put_to_sleep(doctor_machine.GPUS[0], state)
            report = self.report(HEALTHY, "-t", limit(), machine=machine, scenario=self.tripwire)
            self.assertEqual([(gpu["bus_id"], gpu["state"]) for gpu in report["devices"]], list(zip(doctor_machine.GPUS, ("asleep", "ok"))))
            self.assertEqual([gpu["index"] for gpu in report["devices"]], [None, 1])
            self.assertTrue(report["init"]["attaches_nothing"])
            self.assert_finding(report, "note", "devices", doctor_machine.GPUS[0], state, "would wake it")

    def test_all_asleep(self):
        machine = Machine(self)
        for bus_id in doctor_machine.GPUS:
            machine.put_to_sleep(bus_id)
        report = self.report(HEALTHY, "-t", limit(), machine=machine, scenario=self.tripwire)
        self.assertEqual([gpu["state"] for gpu in report["devices"]], ["asleep", "asleep"])
        self.assertIn("  GPU      0000:01:00.0, asleep, and left so\n", self.doctor(machine=machine).out)

    def test_the_other_cannot_be_reached(self):
        machine = Machine(self)
        machine.put_to_sleep(doctor_machine.GPUS[0])
        scenario = faults("function: nvmlDeviceGetHandleByPciBusId_v2, error: NVML_ERROR_NOT_FOUND")
        report = self.report(HEALTHY, machine=machine, scenario=scenario)
        self.assertEqual([gpu["state"] for gpu in report["devices"]], ["asleep", "unreached"])
        self.assert_finding(report, "note", "devices", "cannot be opened by itself while another GPU sleeps", "NVML_ERROR_NOT_FOUND")

    def test_driver_that_cannot_be_opened_without_waking(self):
        machine = Machine(self)
        machine.put_to_sleep(doctor_machine.GPUS[0])
        report = self.report(HEALTHY, "-t", limit(), nvml=library("crash"), machine=machine, TEST_CRASH="init-hang")
        self.assertEqual((report["init"]["outcome"], report["init"]["status"]), ("not_tried", None))
        self.assert_finding(report, "note", "init", "cannot be opened without waking it")

    def test_gpus_of_another_driver_are_left_out(self):
        machine = Machine(self)
        machine.put_to_sleep(doctor_machine.GPUS[0])
        machine.bind(doctor_machine.GPUS[1], "vfio-pci")
        self.assertEqual([gpu["bus_id"] for gpu in self.report(HEALTHY, machine=machine)["devices"]], [doctor_machine.GPUS[0]])


class ProcessTest(DoctorTest):
    def marked(self, mark):
        """The processes that have this text in their environment."""
        found = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    if mark.encode() in file.read():
                        found.append(path)
            except OSError:
                pass
        return found

    def await_none(self, mark):
        until = time.monotonic() + BOUND_S
        while self.marked(mark) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(self.marked(mark), [])

    def test_children_that_hang_are_gone(self):
        mark = uuid.uuid4().hex
        self.report(UNUSABLE, "-t", limit(), scenario=faults("function: nvmlDeviceGetName, hang: true"), TEST_MARK=mark)
        self.await_none(mark)

    def test_children_end_with_their_parent(self):
        mark = uuid.uuid4().hex
        env = harness.environment(NVPULSE_NVML_PATH=library("crash"), TEST_CRASH="init-hang", TEST_MARK=mark)
        with subprocess.Popen([harness.program(), "doctor", "-t", "3600"], env=env, stdout=subprocess.DEVNULL) as parent:
            until = time.monotonic() + BOUND_S
            while len(self.marked(mark)) < 2 and time.monotonic() < until:
                time.sleep(0.05)
            self.assertEqual(len(self.marked(mark)), 2)
            parent.send_signal(signal.SIGKILL)
        self.await_none(mark)
