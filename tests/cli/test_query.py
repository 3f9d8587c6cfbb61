"""nvpulse query: nvidia-smi's names, header, units, texts and exit codes; JSON; and loops that are written at once and end cleanly.

The formats are those that nvidia-smi 590 to 610 prints on real machines.
"""

import json
import os
import re
import signal
import subprocess
import tempfile

import harness

UUID = "GPU-467f8186-5e6b-4639-9e52-0bc9f5d4b804"  # GPU 7 of h100x8

# Name that is asked for, header, value of GPU 7 (idle) and of GPU 0 of h100x8, on driver 550 with a clock that stands still.
FORMATS = (
    ("index", "index", "7", "0"),
    ("name", "name", "NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"),
    ("gpu_name", "name", "NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"),
    ("count", "count", "8", "8"),
    ("driver_version", "driver_version", "550.163.01", "550.163.01"),
    ("gpu_uuid", "uuid", UUID, "GPU-b1e446ca-b1ef-4c25-8070-73158a3987ee"),
    ("gpu_serial", "serial", "1655223100108", "1655223100101"),
    ("gpu_bus_id", "pci.bus_id", "00000000:DB:00.0", "00000000:18:00.0"),
    ("pci.domain", "pci.domain", "0x0000", "0x0000"),
    ("pci.bus", "pci.bus", "0xDB", "0x18"),
    ("pci.device", "pci.device", "0x00", "0x00"),
    ("pci.device_id", "pci.device_id", "0x233010DE", "0x233010DE"),
    ("pci.sub_device_id", "pci.sub_device_id", "0x16C110DE", "0x16C110DE"),
    ("pci.baseClass", "pci.baseClass", "0x3", "0x3"),
    ("pci.subClass", "pci.subClass", "0x2", "0x2"),
    ("pstate", "pstate", "P8", "P0"),
    ("clocks_throttle_reasons.active", "clocks_event_reasons.active", "0x0000000000000001", "0x0000000000000000"),
    ("clocks_event_reasons.gpu_idle", "clocks_event_reasons.gpu_idle", "Active", "Not Active"),
    ("clocks_event_reasons_counters.sync_boost", "clocks_event_reasons_counters.sync_boost [us]", "0 us", "0 us"),
    ("clocks.sm", "clocks.current.sm [MHz]", "345 MHz", "1815 MHz"),
    ("clocks.max.mem", "clocks.max.memory [MHz]", "2619 MHz", "2619 MHz"),
    ("memory.total", "memory.total [MiB]", "81559 MiB", "81559 MiB"),
    ("memory.reserved", "memory.reserved [MiB]", "535 MiB", "535 MiB"),
    ("utilization.gpu", "utilization.gpu [%]", "0 %", "98 %"),
    ("temperature.gpu", "temperature.gpu", "30", "61"),
    ("power.draw", "power.draw [W]", "71.00 W", "671.13 W"),
    ("gpu.power.min_limit", "power.min_limit [W]", "200.00 W", "200.00 W"),
    ("fan.speed", "fan.speed [%]", "[N/A]", "[N/A]"),
    ("compute_mode", "compute_mode", "Default", "Default"),
    ("compute_cap", "compute_cap", "9.0", "9.0"),
    ("persistence_mode", "persistence_mode", "Enabled", "Enabled"),
    ("display_active", "display_active", "Disabled", "Disabled"),
    ("display_attached", "display_attached", "No", "No"),
    ("driver_model.current", "driver_model.current", "[N/A]", "[N/A]"),
    ("mig.mode.current", "mig.mode.current", "Disabled", "Disabled"),
    ("pcie.link.gen.current", "pcie.link.gen.current", "5", "5"),
    ("pcie.link.gen.gpucurrent", "pcie.link.gen.gpucurrent", "5", "5"),
    ("ecc.errors.corrected.volatile.dram", "ecc.errors.corrected.volatile.dram", "0", "0"),
    ("remapped_rows.failure", "remapped_rows.failure", "No", "No"),
    ("power.management", "power.management", "Enabled", "Enabled"),
)

ERRORS = (
    ("NO_PERMISSION", "[Insufficient Permissions]"),
    ("NOT_SUPPORTED", "[N/A]"),
    ("DEPRECATED", "[Requested functionality has been deprecated]"),
    ("UNKNOWN", "[Unknown Error]"),
)


class QueryTest(harness.CommandTest):
    def rows(self, fields, *arguments, code=0, **options):
        """The cells of each row, without a header."""
        result = self.run_sim("query", f"--query-gpu={fields}", "--format=csv,noheader", *arguments, **options)
        self.assert_result(result, code)
        return [line.split(", ") for line in result.out.splitlines()]

    def test_formats_are_those_of_nvidia_smi(self):
        fields = ",".join(row[0] for row in FORMATS)
        result = self.assert_result(self.run_sim("query", "--query-gpu=" + fields, "--format=csv"), 0, err="")
        header, *rows = [line.split(", ") for line in result.out.splitlines()]
        self.assertEqual(len(rows), 8)
        for asked, name, cell in zip(FORMATS, header, rows[7]):
            self.assertEqual((asked[0], name, cell), (asked[0], asked[1], asked[2]))
        self.assertEqual(rows[0], [row[3] for row in FORMATS])

    def test_csv_is_the_default_format(self):
        self.assertEqual(self.run_sim("query", "--query-gpu=pstate", "-i", "7").out, "pstate\nP8\n")

    def test_without_header_and_units(self):
        fields = "name,power.draw,memory.total,fan.speed,clocks.sm,pstate"
        plain = self.run_sim("query", f"--query-gpu={fields}", "--format=csv,noheader,nounits", "-i7").out
        self.assertEqual(plain, "NVIDIA H100 80GB HBM3, 71.00, 81559, [N/A], 345, P8\n")
        header = self.run_sim("query", "--query-gpu=power.draw", "--format=csv,nounits", "-i7").out
        self.assertEqual(header, "power.draw [W]\n71.00\n")

    def test_memory_is_rounded_up(self):
        scenario = self.scenario_file(
            "base: h100x8\nprocesses: []\ndevices:\n  - {index: 0, memory: {used_bytes: 1}}\n  - {index: 1, memory: {used_bytes: 2097152}}\n"
        )
        rows = self.rows("memory.used,memory.free", "-i", "0,1", scenario=scenario)
        self.assertEqual([row[0] for row in rows], ["1 MiB", "2 MiB"])
        total, reserved, used, free = [int(cell.split()[0]) for cell in self.rows("memory.total,memory.reserved,memory.used,memory.free")[0]]
        self.assertGreaterEqual(reserved + used + free, total)

    def test_memory_of_the_host_is_not_told_as_that_of_the_gpu(self):
        fields = "memory.total,memory.used,memory.free,memory.reserved"
        self.assertEqual(self.rows(fields, profile="gb10"), [["[N/A]"] * 4])

    def test_timestamp(self):
        for cell in self.rows("timestamp")[0]:
            self.assertRegex(cell, r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}$")

    def test_spaces_in_the_list_do_not_matter(self):
        self.assertEqual(self.rows(" index , pstate ", "-i7"), [["7", "P8"]])

    def test_errors_of_the_driver_are_texts_in_brackets(self):
        for error, text in ERRORS:
            fault = f"faults:\n  - {{function: nvmlDeviceGetFanSpeed, error: {error}}}\n"
            rows = self.rows("index,fan.speed,pci.bus", "-i0", scenario=self.scenario_file("base: rtx4090x2\n" + fault))
            self.assertEqual(rows, [["0", text, "0x01"]])

    def test_memory_temperature_has_no_brackets(self):
        self.assertEqual(self.rows("temperature.memory", "-i0", profile="rtx4090x2"), [["N/A"]])

    def test_wrong_field(self):
        result = self.run_plain("query", "--query-gpu=name,power.drow", "--format=csv")
        self.assert_result(result, 2, "", ['Field "power.drow" is not a valid field to query.\n', "did you mean 'power.draw'?"])
        result = self.run_plain("query", "--query-gpu=name,,uuid")
        self.assert_result(result, 2, "", 'Field "" is not a valid field to query.')
        result = self.run_plain("query", "--query-compute-apps=pid,power.draw")
        self.assert_result(result, 2, "", ['Field "power.draw" is not', "--help-query-compute-apps"])
        self.assert_result(self.run_plain("query", "--query-gpu=utilization.gp"), 2, "", "did you mean 'utilization.gpu'?")

    def test_usage(self):
        self.assert_result(self.run_plain("query"), 2, "", "what to query is missing")
        self.assert_result(self.run_plain("query", "--query-gpu=name", "x"), 2, "", "unexpected operand 'x'")
        twice = self.run_plain("query", "--query-gpu=name", "--query-compute-apps=pid")
        self.assert_result(twice, 2, "", "one of --query-gpu and --query-compute-apps")
        for text in ("xml", "csv,", "csv,noheaders", ""):
            self.assert_result(self.run_plain("query", "--query-gpu=name", f"--format={text}"), 2, "", "is none of csv, json")
        self.assert_result(self.run_plain("query", "--query-gpu=name", "--format=csv,json"), 2, "", "exclude each other")
        for text in ("0", "x", "-1", "5x", ""):
            self.assert_result(self.run_plain("query", "--query-gpu=name", f"--loop={text}"), 2, "", "no time that can be waited")
            self.assert_result(self.run_plain("query", "--query-gpu=name", f"-lms={text}"), 2, "", "no time that can be waited")

    def test_help_lists_what_can_be_asked(self):
        for switch, least in (("gpu", 150), ("compute-apps", 8)):
            text = self.assert_result(self.run_plain("query", f"--help-query-{switch}"), 0, err="").out
            self.assertIn(f'List of valid properties to query for the switch "--query-{switch}=":', text)
            names = re.findall(r'(?m)^"([^"]+)"', text)
            self.assertGreaterEqual(len(names), least)
            self.assertEqual(len(names), len(set(names)))
            result = self.run_sim("query", f"--query-{switch}={','.join(names)}", "--format=csv", "-i0")
            header = re.sub(r" \[[^]]*\]", "", result.out.splitlines()[0]).split(", ")
            self.assertEqual(header, names)
            others = re.findall(r' or "([^"]+)"', text)
            self.assert_result(self.run_sim("query", f"--query-{switch}={','.join(others)}", "-i0"), 0, err="")

    def test_only_what_is_needed_is_asked(self):
        """The calls that would hang are not made."""
        faults = "".join(
            f"  - {{function: {name}, hang: true}}\n"
            for name in ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetUtilizationRates", "nvmlDeviceGetFieldValues")
        )
        rows = self.rows("memory.used", "-i7", scenario=self.scenario_file("base: h100x8\nfaults:\n" + faults))
        self.assertEqual(rows, [["0 MiB"]])


class PickTest(harness.CommandTest):
    def picked(self, ids, **options):
        result = self.run_sim("query", "--query-gpu=index", "--format=csv,noheader", "-i", ids, **options)
        self.assert_result(result, 0, err="")
        return result.out.split()

    def test_devices_are_picked_by_all_their_names(self):
        for word in ("7", UUID, UUID.lower(), "GPU-467f", "467f8186", "00000000:DB:00.0", "0000:db:00.0", "db:00.0", "0:db:0"):
            self.assertEqual(self.picked(word), ["7"], word)
        self.assertEqual(self.picked("7, 0,GPU-a424"), ["0", "6", "7"])
        self.assertEqual(self.run_sim("query", "--query-gpu=index", "-i=7").out, "index\n7\n")

    def test_mig_devices_are_picked_by_all_their_names(self):
        mig = "MIG-31fce829-d56c-401b-afd5-778eaa7e1774"
        for word in ("0:5", mig, "mig-31fc", "MIG-GPU-d91c905c-6323-4f11-bc74-6f78218da0a7/9/0", "MIG-GPU-d91c/9/0"):
            result = self.run_sim("query", "--query-gpu=uuid", "--format=csv,noheader", "-i", word, profile="a100-mig")
            self.assert_result(result, 0, mig + "\n", "")
        self.assertEqual(self.picked("0", profile="a100-mig"), ["0"])

    def test_device_that_does_not_exist(self):
        for word in ("8", "0:0", "GPU-0000", "46", "f8186", "cc:00.0", "MIG-467f", "", "7,", "-1", "db:00.1", "GPU-467f81865"):
            result = self.run_sim("query", "--query-gpu=index", f"--id={word}")
            self.assert_result(result, 6, err="--id: there is no device '")
            self.assertIn("; there are 0, 1, 2, 3, 4, 5, 6, 7\n", result.err, word)

    def test_beginning_that_several_have(self):
        self.assert_result(self.run_sim("query", "--query-gpu=index", "-i", "GPU-"), 6, err="'GPU-' is the beginning of several UUIDs")


class FailureTest(harness.CommandTest):
    def test_lost_gpu_keeps_its_row(self):
        scenario = self.scenario_file("base: h100x8\ndevices:\n  - {index: 1, lost: true}\n")
        result = self.run_sim("query", "--query-gpu=index,name,pstate", "--format=csv,noheader", scenario=scenario)
        self.assert_result(result, 15, "1, [GPU is lost], [GPU is lost]\n")
        self.assertEqual(len(result.out.splitlines()), 8)
        self.assertIn("7, NVIDIA H100 80GB HBM3, P8\n", result.out)
        self.assert_result(self.run_sim("query", "--query-gpu=index", "-i0", scenario=scenario), 0, "index\n0\n", "")

    def test_gpu_that_needs_a_reset_says_so(self):
        faults = "faults:\n  - {function: nvmlDeviceGetPerformanceState, device: 1, error: RESET_REQUIRED}\n"
        result = self.run_sim("query", "--query-gpu=index,pstate,name", scenario=self.scenario_file("base: rtx4090x2\n" + faults))
        self.assert_result(result, 16, ["0, P", "1, [GPU requires reset], "])

    def test_gpu_that_hangs_keeps_its_row(self):
        faults = "faults:\n  - {function: nvmlDeviceGetPerformanceState, device: 1, hang: true}\n"
        result = self.run_sim("query", "--query-gpu=index,pstate", scenario=self.scenario_file("base: rtx4090x2\n" + faults))
        self.assert_result(result, 10, ["0, P", "1, ["])

    def test_without_a_driver(self):
        self.assert_result(self.run_plain("query", "--query-gpu=name"), 12, "", "NVML cannot be used")
        for error, code in (("DRIVER_NOT_LOADED", 9), ("NO_PERMISSION", 4), ("LIB_RM_VERSION_MISMATCH", 18), ("UNKNOWN", 255)):
            fault = f"base: h100x8\nfaults:\n  - {{function: nvmlInitWithFlags, error: {error}}}\n"
            result = self.run_sim("query", "--query-gpu=name", scenario=self.scenario_file(fault))
            self.assert_result(result, code, "", "NVML cannot be used")

    def test_without_a_gpu(self):
        fault = "base: h100x8\nfaults:\n  - {function: nvmlInitWithFlags, error: GPU_NOT_FOUND}\n"
        result = self.run_sim("query", "--query-gpu=name", scenario=self.scenario_file(fault))
        self.assert_result(result, 6, "No devices were found\n", "")
        none = self.scenario_file("base: h100x8\ndevices: []\nprocesses: []\nsystem: {num_devices: 0}\n")
        for arguments in (("--query-gpu=name",), ("--query-gpu=name", "-l", "600"), ("--query-compute-apps=pid", "-i0")):
            result = self.run_sim("query", *arguments, scenario=none)
            self.assertEqual((result.code, result.out, result.err), (6, "No devices were found\n", ""), arguments)

    def test_output_that_cannot_be_written(self):
        command = harness.sim_command("query", "--query-gpu=name", profile="h100x8")
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command, env=harness.environment(), stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr), (255, b"nvpulse: cannot write the output: No space left on device\n"))
        for path, why in (("/dev/full", "No space left"), ("/nonexistent/file", "No such file")):
            self.assert_result(self.run_sim("query", "--query-gpu=name", "-f", path), 255, "", why)


class AppsTest(harness.CommandTest):
    FIELDS = "gpu_name,gpu_bus_id,gpu_serial,gpu_uuid,pid,process_name,used_gpu_memory"

    def test_processes_that_compute(self):
        result = self.run_sim("query", "--query-compute-apps=" + self.FIELDS, "--format=csv", "-i", "5")
        header, *rows = self.assert_result(result, 0, err="").out.splitlines()
        self.assertEqual(header, "gpu_name, gpu_bus_id, gpu_serial, gpu_uuid, pid, process_name, used_gpu_memory [MiB]")
        gpu = "NVIDIA H100 80GB HBM3, 00000000:AB:00.0, 1655223100106, GPU-674b0e5c-8d68-4152-b59b-c7c2d57166bd, "
        self.assertEqual(rows[0], gpu + "4200002, /opt/vllm/bin/vllm serve, 73880 MiB")
        self.assertEqual(len(rows), 4)

    def test_other_names(self):
        result = self.run_sim("query", "--query-compute-apps=name,used_memory", "--format=csv,nounits", "-i", "5")
        self.assertEqual(result.out.splitlines()[:2], ["process_name, used_gpu_memory [MiB]", "/opt/vllm/bin/vllm serve, 73880"])

    def test_no_process(self):
        self.assert_result(self.run_sim("query", "--query-compute-apps=pid", "-i7"), 0, "pid\n", "")

    def test_processes_that_only_draw_are_left_out(self):
        everything = self.run_sim("query", "--query-compute-apps=pid,name", profile="rtx4090x2").out
        self.assertIn("python", everything)
        self.assertNotIn("Xorg", everything)

    def test_processes_on_mig_devices_belong_to_the_gpu(self):
        fields = "--query-compute-apps=gpu_uuid,process_name"
        rows = self.run_sim("query", fields, "--format=csv,noheader", profile="a100-mig").out.splitlines()
        self.assertEqual(len(rows), 6)
        self.assertEqual(rows[0], "GPU-d91c905c-6323-4f11-bc74-6f78218da0a7, /usr/bin/python3 notebook-a.py")
        one = self.run_sim("query", fields, "--format=csv,noheader", "-i", "0:2", profile="a100-mig").out
        self.assertEqual(one, "GPU-d91c905c-6323-4f11-bc74-6f78218da0a7, /opt/infer/server\n")

    def test_names_with_blanks_are_whole(self):
        fields = "--query-compute-apps=process_name"
        rows = self.run_sim("query", fields, "--format=csv,noheader", "-i0", profile="wddm").out.splitlines()
        self.assertIn(r"C:\Program Files\Blender Foundation\Blender\blender.exe", rows)

    def test_memory_that_is_not_known(self):
        result = self.run_sim("query", "--query-compute-apps=used_memory", "--format=csv,noheader", "-i0", profile="wddm")
        self.assertEqual(set(result.out.splitlines()), {"[N/A]"}, result)

    def test_strange_names_stay_in_their_row(self):
        scenario = self.scenario_file(
            'base: h100x8\nprocesses:\n  - {name: "a\\nb\\e[31m", device: 0, used_memory_mib: 1}\n'
        )
        result = self.run_sim("query", "--query-compute-apps=name,used_memory", "--format=csv,noheader", scenario=scenario)
        self.assertEqual(len(result.out.splitlines()), 1)
        self.assertNotIn("\x1b", result.out)
        rows = json.loads(self.run_sim("query", "--query-compute-apps=name", "--format=json", scenario=scenario).out)
        self.assertEqual(len(rows), 1)


class JsonTest(harness.CommandTest):
    FIELDS = "index,gpu_name,power.draw,memory.total,fan.speed,pstate,clocks_event_reasons.active,temperature.memory"

    def test_json(self):
        rows = json.loads(self.run_sim("query", "--query-gpu=" + self.FIELDS, "--format=json", "-i", "0,7").out)
        self.assertEqual([row["index"] for row in rows], [0, 7])
        wanted = {"name": "NVIDIA H100 80GB HBM3", "power.draw": 71.0, "memory.total": 81559, "fan.speed": None, "pstate": "P8"}
        self.assertEqual({key: rows[1][key] for key in wanted}, wanted)
        self.assertEqual(rows[1]["clocks_event_reasons.active"], "0x0000000000000001")
        self.assertEqual(json.loads(self.run_sim("query", "--query-compute-apps=pid", "--format=json", "-i7").out), [])

    def test_jsonl(self):
        lines = self.run_sim("query", "--query-gpu=" + self.FIELDS, "--format=jsonl").out.splitlines()
        self.assertEqual([json.loads(line)["index"] for line in lines], list(range(8)))

    def test_every_field_of_every_machine_is_json(self):
        names = re.findall(r'(?m)^"([^"]+)"', self.run_plain("query", "--help-query-gpu").out)
        for profile in ("a100-mig", "gb10", "gtx1080-390", "h200", "laptop", "vgpu", "wddm", "wsl"):
            for row in json.loads(self.run_sim("query", "--query-gpu=" + ",".join(names), "--format=json", profile=profile).out):
                self.assertEqual(list(row), names, profile)


class LoopTest(harness.CommandTest):
    def start(self, *arguments, **options):
        command = harness.sim_command("query", "--query-gpu=index", "--format=csv", "-i7", *arguments, profile="h100x8")
        process = subprocess.Popen(command, env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def assert_ends(self, process):
        self.assertEqual((process.wait(harness.TIMEOUT_S), process.stderr.read()), (0, b""))

    def test_rounds_are_written_at_once_under_one_header(self):
        for arguments in (("-lms", "5"), ("-lms=5",), ("--loop-ms=5",), ("-l", "0.005"), ("-l=5ms",), ("--loop", "5ms")):
            process = self.start(*arguments)
            self.assertEqual([process.stdout.readline() for _ in range(4)], [b"index\n", b"7\n", b"7\n", b"7\n"], arguments)
            process.send_signal(signal.SIGINT)
            process.stdout.read()
            self.assert_ends(process)

    def test_first_round_does_not_wait(self):
        for arguments in (("-l",), ("-l", "--format=csv"), ("-l", "600")):
            process = self.start(*arguments)
            self.assertEqual([process.stdout.readline() for _ in range(2)], [b"index\n", b"7\n"])
            process.send_signal(signal.SIGTERM)
            self.assert_ends(process)

    def test_closed_pipe_ends_it_between_rounds(self):
        process = self.start("-l", "600")
        process.stdout.readline()
        process.stdout.close()
        self.assert_ends(process)

    def test_ignored_interrupt_stays_ignored(self):
        process = self.start("-lms", "5", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual([process.stdout.readline() for _ in range(50)], [b"7\n"] * 50)
        process.send_signal(signal.SIGHUP)
        process.stdout.read()
        self.assert_ends(process)

    def test_into_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log.csv")
            result = self.run_sim("query", "--query-gpu=pstate", "-i7", "-f", path)
            self.assert_result(result, 0, "", "")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "pstate\nP8\n")
            os.mkfifo(path + ".pipe")
            process = self.start("-l", "600", "--filename", path + ".pipe")
            with open(path + ".pipe", encoding="utf-8") as pipe:
                self.assertEqual(pipe.readline() + pipe.readline(), "index\n7\n")
                process.send_signal(signal.SIGINT)
                self.assert_ends(process)

    def test_json_of_each_round_is_whole(self):
        command = harness.sim_command("query", "--query-gpu=index", "--format=jsonl", "-lms", "5", "-i", "3", profile="h100x8")
        process = subprocess.Popen(command, env=harness.environment(), stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        lines = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        self.assertEqual((lines, process.wait(harness.TIMEOUT_S)), ([{"index": 3}] * 3, 0))
