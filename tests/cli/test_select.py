"""nvpulse select: which devices are free enough, in what order, under which names, and CUDA's rules of CUDA_VISIBLE_DEVICES."""

import json
import os
import tempfile

import harness

# Profile h100x8: GPU 7 is idle, GPU 6 busy with little memory; 0 and 3 have equal memory in steps of 256 MiB, and 3 is less busy.
UUID = {
    0: "GPU-b1e446ca-b1ef-4c25-8070-73158a3987ee",
    4: "GPU-152821a9-b140-4962-a1e6-9bd651463ba2",
    6: "GPU-a424e4e9-64f8-4a4a-ac8f-39da1c8b8dc4",
    7: "GPU-467f8186-5e6b-4639-9e52-0bc9f5d4b804",
}
MIG_UUID = {
    (0, 0): "MIG-0dc96d82-3214-49d0-b446-6604bab48786",
    (0, 5): "MIG-31fce829-d56c-401b-afd5-778eaa7e1774",
    (1, 0): "MIG-8f5b1349-9de5-4982-9e61-3b92e8c151e0",
    (1, 1): "MIG-2f1c2586-c3b8-4023-80be-73a200c1235a",
}
MIG_GPU = {0: "GPU-d91c905c-6323-4f11-bc74-6f78218da0a7", 1: "GPU-e3f85e76-c86d-4ab4-bc1b-f6ff09888582"}

# The value of the variable, and the GPUs of h100x8 that CUDA shows: None for a variable that is not set.
VISIBLE = (
    (None, "01234567"),
    ("", ""),
    ("0", "0"),
    ("7,0", "07"),
    (" 7 , 0 ", "07"),
    ("01", "1"),
    ("-1", ""),
    ("0,-1,1", "0"),
    ("1,2,8,3", "12"),
    ("99999999999999999999", ""),
    ("4294967296", ""),
    ("0,,1", "0"),
    (",0", ""),
    ("0,", "0"),
    ("0,x,1", "0"),
    ("0x1", ""),
    ("1.5", ""),
    ("all", ""),
    ("NoDevFiles", ""),
    ("0,1,0", ""),
    ("0,0", ""),
    ("0,1,01", ""),
    ("0,9,0", "0"),
    (UUID[0], "0"),
    (UUID[0].lower(), "0"),
    (f"{UUID[7]},{UUID[0]}", "07"),
    ("GPU-152821", "4"),
    ("152821", ""),
    ("152821a9", ""),
    (f"{UUID[0]},GPU-b1e4", ""),
    ("GPU-", ""),
    ("GPU-ffffffff", ""),
    (UUID[0] + "0", ""),
    (f"0,{UUID[7]}", "0"),
    (f"{UUID[7]},0", "7"),
    ("00000000:18:00.0", ""),
    ("0:0", ""),
)

# The same for a100-mig: the places of MIG devices, and the whole GPU 3.
VISIBLE_MIG = (
    (MIG_UUID[1, 0], [MIG_UUID[1, 0]]),
    (f"{MIG_UUID[0, 5]},{MIG_UUID[1, 1]}", [MIG_UUID[1, 1], MIG_UUID[0, 5]]),
    ("MIG-31fc", [MIG_UUID[0, 5]]),
    (f"MIG-{MIG_GPU[0]}/9/0", [MIG_UUID[0, 5]]),
    (f"MIG-{MIG_GPU[1]}/0/1", [MIG_UUID[1, 1]]),
    (f"MIG-{MIG_GPU[1]}/0/2", []),
    (f"MIG-{MIG_GPU[1]}/0", []),
    (f"MIG-{MIG_GPU[1]}/0/1/", []),
    (f"{MIG_UUID[1, 0]},{MIG_UUID[1, 0]}", []),
    (f"{MIG_UUID[1, 0]},MIG-{MIG_GPU[1]}/0/0", []),
    ("0", [MIG_UUID[0, 0]]),
    (MIG_GPU[0], [MIG_UUID[0, 0]]),
    ("3", ["3"]),
    ("2", []),
)



class SelectTest(harness.CommandTest):
    def selected(self, *arguments, code=0, **options):
        """The names that are printed, in their order."""
        result = self.assert_result(self.run_sim("select", *arguments, **options), code)
        return result.out.rstrip("\n").split(",") if result.out.strip() else []

    def assert_unmet(self, *arguments, **options):
        return self.assert_result(self.run_sim("select", *arguments, **options), 5, "", "wanted")

    def test_all_by_default_the_freest_first(self):
        self.assertEqual(self.selected(), ["7", "6", "1", "2", "3", "0", "4", "5"])

    def test_count(self):
        self.assertEqual(self.selected("-n", "1"), ["7"])
        self.assertEqual(self.selected("--count", "2"), ["7", "6"])
        self.assertEqual(self.selected("--max-count", "3"), ["7", "6", "1"])
        self.assertEqual(len(self.selected("--min-count", "8")), 8)
        self.assert_unmet("--min-count", "9")
        self.assert_unmet("--count", "9")

    def test_no_device_is_enough_where_none_is_wanted(self):
        result = self.run_sim("select", "--min-count", "0", "--min-total-memory", "1TiB")
        self.assert_result(result, 0, err="")
        self.assertEqual(result.out, "\n")

    def test_free_memory(self):
        self.assertEqual(self.selected("--min-free-memory", "8GiB"), ["7", "6", "1"])
        self.assertEqual(self.selected("--min-free-memory", "8589934592"), ["7", "6", "1"])
        self.assertEqual(self.selected("--min-free-memory", "8g"), ["7", "6", "1"])
        self.assertEqual(self.selected("--min-free-memory", "50%"), ["7", "6"])
        self.assertEqual(self.selected("--min-free-memory", "98.5 %"), ["7"])
        self.assert_unmet("--min-free-memory", "80GiB")
        self.assert_unmet("--min-free-memory", "100%")

    def test_amounts(self):
        for text in ("79.6GiB", "85GB", "81559MiB", "81559m", "85520809984", "85520809984b", "0.07tib", "0"):
            self.assertEqual(len(self.selected("--min-total-memory", text)), 8, text)
        for text in ("80GiB", "86GB", "81560MiB", "85520809985", "1T"):
            self.assert_unmet("--min-total-memory", text)
        for text in ("", "GiB", "8XB", "1e9", "0x10", "-1", "inf", "8 GiB x", "1..5", "99999999999TiB", "8,5GiB"):
            self.assert_result(self.run_sim("select", f"--min-total-memory={text}"), 2, "", "is not a size")

    def test_memory_of_the_host_counts_where_it_is_shared(self):
        self.assertEqual(self.run_sim("select", "--min-free-memory", "1MiB", profile="gb10").out, "0\n")
        result = self.run_sim("select", "-v", "--min-free-memory", "1024TiB", profile="gb10")
        self.assert_result(result, 5, "", "GiB of memory free, 1048576.0 GiB wanted")

    def test_a_size_that_lacks_its_unit_is_refused(self):
        for text in ("8", "8192", "1048575", "0.5"):
            for option in ("--min-free-memory", "--min-total-memory"):
                self.assert_result(self.run_sim("select", option, text), 2, "", f"write a unit, as in {text}GiB")
        self.assertEqual(len(self.selected("--min-total-memory", "1048576")), 8)
        self.assertEqual(len(self.selected("--min-total-memory", "8b")), 8)

    def test_utilization(self):
        self.assertEqual(self.selected("--max-gpu-utilization", "0"), ["7"])
        self.assertEqual(self.selected("--max-gpu-utilization", "73"), ["7", "4", "5"])
        self.assertEqual(self.selected("--max-memory-utilization", "30%"), ["7", "1", "2", "4"])
        for text in ("101", "-1", "x", ""):
            result = self.run_sim("select", f"--max-gpu-utilization={text}")
            self.assert_result(result, 2, "", "is not a percentage from 0 to 100")

    def test_tolerance_takes_more_and_puts_them_last(self):
        strict = self.selected("--min-free-memory", "8GiB")
        self.assertEqual(self.selected("--min-free-memory", "8GiB", "--tolerance", "6"), strict + ["2"])
        self.assertEqual(self.selected("--max-gpu-utilization", "70", "-t", "5"), ["7", "4", "5"])

    def test_least_utilization_decides_between_equal_memory(self):
        scenario = self.scenario_file(
            "base: h100x8\nprocesses: []\n"
            "device_defaults: {memory: {used_bytes: 0}, utilization: {gpu: 50}}\n"
            "devices:\n"
            "  - {index: 4, utilization: {gpu: 3}, memory: {used_bytes: 16MiB}}\n"
            "  - {index: 6, memory: {used_bytes: 40GiB}, utilization: {gpu: 0}}\n"
            "  - {index: 7, utilization: {gpu: 50}}\n"
        )
        names = self.selected(scenario=scenario)
        self.assertEqual((names[0], names[-1]), ("4", "6"))

    def test_names(self):
        self.assertEqual(self.selected("--count", "2", "--output", "uuid"), [UUID[7], UUID[6]])
        self.assertEqual(self.run_sim("select", "-n", "2", "-f", "index", "-s", " ").out, "7 6\n")
        self.assertEqual(self.run_sim("select", "-n", "2", "-s", "\n").out, "7\n6\n")
        self.assertEqual(self.run_sim("select", "-n", "2", "--null").out, "7\0006\0")
        self.assertEqual(self.run_sim("select", "-n", "1", "-0", "-f", "uuid").out, UUID[7] + "\0")
        self.assert_result(self.run_sim("select", "--output", "name"), 2, "", "none of index, uuid")

    def test_json(self):
        found = json.loads(self.run_sim("select", "--json", "--count", "2").out)["devices"]
        self.assertEqual([(device["index"], device["uuid"]) for device in found], [(7, UUID[7]), (6, UUID[6])])
        self.assertEqual(found[0]["total_memory_bytes"], 85520809984)
        self.assertEqual((found[0]["mig_index"], found[0]["gpu_utilization_percent"]), (None, 0))
        mig = json.loads(self.run_sim("select", "--json", "--mig", profile="a100-mig").out)["devices"]
        self.assertEqual((mig[0]["uuid"], mig[0]["mig_index"]), (MIG_UUID[1, 0], 0))
        self.assertIsNone(mig[0]["gpu_utilization_percent"])
        self.assert_unmet("--json", "--count", "9")

    def test_verbose_says_why(self):
        result = self.run_sim("select", "-v", "--min-free-memory", "8GiB", "--max-gpu-utilization", "10")
        self.assert_result(result, 0, "7\n", "device 6: its GPU utilization is 97 %, at most 10 % wanted")
        self.assertIn("device 5: it has 5.0 GiB of memory free, 8.0 GiB wanted", result.err)
        self.assertNotIn("device 7", result.err)
        self.assertIn("--verbose says why", self.assert_unmet("-n", "9", "--min-free-memory", "8GiB").err)


class VisibleTest(harness.CommandTest):
    def test_cuda_visible_devices(self):
        for value, wanted in VISIBLE:
            result = self.run_sim("select", CUDA_VISIBLE_DEVICES=value)
            self.assertEqual(result.code, 0 if wanted else 5, (value, result))
            self.assertEqual(sorted(result.out.replace(",", "").strip()), list(wanted), (value, result))

    def test_cuda_visible_devices_with_mig(self):
        for value, wanted in VISIBLE_MIG:
            result = self.run_sim("select", profile="a100-mig", CUDA_VISIBLE_DEVICES=value)
            self.assertEqual(result.code, 0 if wanted else 5, (value, result))
            self.assertEqual(result.out.strip(), ",".join(wanted), (value, result))

    def test_mig_names_of_driver_450(self):
        first, second = f"MIG-{MIG_GPU[1]}/0/0", f"MIG-{MIG_GPU[0]}/9/0"
        for value, wanted in ((first, first), (f"{second},{first}", f"{first},{second}"), ("MIG-" + MIG_GPU[1], "")):
            result = self.run_sim("select", profile="a100-mig", driver="450", CUDA_VISIBLE_DEVICES=value)
            self.assertEqual(result.out.strip(), wanted, (value, result))

    def test_any_and_inherit(self):
        self.assertEqual(self.run_sim("select", "-n", "1", CUDA_VISIBLE_DEVICES="5").out, "5\n")
        self.assertEqual(self.run_sim("select", "-n", "1", "--inherit", CUDA_VISIBLE_DEVICES="5").out, "5\n")
        self.assertEqual(self.run_sim("select", "-n", "1", "--any", CUDA_VISIBLE_DEVICES="5").out, "7\n")
        result = self.run_sim("select", "-n", "2", CUDA_VISIBLE_DEVICES="5")
        self.assert_result(result, 5, "", "1 of 1 devices in CUDA_VISIBLE_DEVICES can be selected, 2 wanted")


class UsableTest(harness.CommandTest):
    def refused(self, scenario, index, why, *arguments):
        result = self.run_sim("select", "-v", *arguments, scenario=self.scenario_file(scenario))
        self.assert_result(result, 0, err=f"device {index}: {why}")
        self.assertNotIn(str(index), result.out.strip().split(","))

    def test_lost_device(self):
        self.refused("base: h100x8\ndevices:\n  - {index: 7, lost: true}\n", 7, "it is lost")

    def test_device_that_hangs(self):
        faults = "faults:\n  - {function: nvmlDeviceGetUtilizationRates, device: 7, hang: true}\n"
        self.refused("base: h100x8\n" + faults, 7, "it is stalled")

    def test_suspended_device_is_not_woken_unless_asked_for(self):
        with tempfile.TemporaryDirectory() as root:
            power = os.path.join(root, "sys/bus/pci/devices/0000:db:00.0/power")
            os.makedirs(power)
            with open(os.path.join(power, "runtime_status"), "w", encoding="utf-8") as file:
                file.write("suspended\n")
            result = self.run_sim("select", "-v", NVPULSE_ROOT=root)
            self.assert_result(result, 0, "6,1,2,3,0,4,5\n", "device 7: it is asleep")
            self.assert_result(self.run_sim("select", "-n", "1", "--wake", NVPULSE_ROOT=root), 0, "7\n", "")
            query = ("query", "--query-gpu=index,pstate", "--format=csv,noheader", "-i", "6,7")
            self.assert_result(self.run_sim(*query, NVPULSE_ROOT=root), 0, "6, P0\n7, [Device is asleep]\n", "")
            self.assert_result(self.run_sim(*query, "--wake", NVPULSE_ROOT=root), 0, "6, P0\n7, P8\n", "")

    def test_compute_mode(self):
        self.refused("base: h100x8\ndevices:\n  - {index: 7, compute_mode: prohibited}\n", 7, "its compute mode is Prohibited")
        exclusive = "base: h100x8\ndevice_defaults: {compute_mode: exclusive_process}\n"
        self.refused(exclusive, 6, "its compute mode is Exclusive_Process, and a process uses it")
        self.assertEqual(self.run_sim("select", scenario=self.scenario_file(exclusive)).out, "7\n")

    def test_value_that_is_not_known_meets_no_constraint(self):
        result = self.run_sim("select", "-v", "--mig", "--max-gpu-utilization", "100", profile="a100-mig")
        self.assert_result(result, 5, "", "device 0:5: its GPU utilization is not known")

    def test_whole_gpus_and_mig_devices(self):
        self.assert_result(
            self.run_sim("select", "-v", profile="a100-mig"), 0, "3\n", "device 2: it is divided into MIG devices (--mig selects"
        )
        names = self.run_sim("select", "--mig", profile="a100-mig").out.strip().split(",")
        self.assertEqual(len(names), 5)
        self.assertTrue(set(MIG_UUID.values()) < set(names))
        self.assert_result(self.run_sim("select", "--mig"), 5, "", "0 of 0 devices can be selected")

    def test_free_users(self):
        scenario = self.scenario_file(
            "base: rtx4090x2\ndevice_defaults: {utilization: {gpu: 60}, memory: {used_bytes: 20GiB}}\n"
            "processes:\n  - {name: mine, pid: self, device: 1, used_memory_mib: 20000}\n"
        )
        want = ("select", "--min-free-memory", "15GiB", "--max-gpu-utilization", "10")
        self.assert_result(self.run_sim(*want, scenario=scenario), 5, "")
        for users in (str(os.getuid()), f"root,{os.getuid()}"):
            self.assert_result(self.run_sim(*want, "--free-users", users, scenario=scenario), 0, "1\n", "")
            self.assert_result(self.run_sim(*want, "--free-accounts", users, scenario=scenario), 0, "1\n", "")
        self.assert_result(self.run_sim(*want, "--free-users", str(os.getuid() + 1), scenario=scenario), 5, "")
        with_name = harness.execute(["id", "-un"]).out.strip()
        self.assert_result(self.run_sim(*want, "--free-users", with_name, scenario=scenario), 0, "1\n", "")

    def test_users_that_do_not_exist_are_refused(self):
        for users, name in (("nosuch-user", "nosuch-user"), ("root,nosuch-user", "nosuch-user"), ("root,", ""), ("1000x", "1000x")):
            for option in ("--free-users", "--free-accounts"):
                self.assert_result(self.run_sim("select", option, users), 2, "", f"--free-users: there is no user '{name}'")

    def test_without_a_gpu(self):
        scenario = self.scenario_file("base: h100x8\nfaults:\n  - {function: nvmlInitWithFlags, error: DRIVER_NOT_LOADED}\n")
        self.assert_result(self.run_plain("select"), 3, "", "NVML cannot be used")
        self.assert_result(self.run_sim("select", scenario=scenario), 3, "", "NVML cannot be used")


class CommandTest(harness.CommandTest):
    SHOW = ("sh", "-c", 'echo "$CUDA_VISIBLE_DEVICES|$CUDA_DEVICE_ORDER|$1"', "sh")

    def test_command_sees_its_devices(self):
        result = self.run_sim("select", "-n", "2", "--", *self.SHOW, "-x")
        self.assert_result(result, 0, f"{UUID[7]},{UUID[6]}||-x\n", "")
        result = self.run_sim("select", "-n", "2", "-f", "index", "--", *self.SHOW)
        self.assert_result(result, 0, "7,6|PCI_BUS_ID|\n", "")
        result = self.run_sim("select", "--min-count", "0", "--min-total-memory", "1T", "--", *self.SHOW, CUDA_VISIBLE_DEVICES="3")
        self.assert_result(result, 0, "||\n", "")

    def test_exit_status_and_signals_are_the_command_s(self):
        self.assertEqual(self.run_sim("select", "--", "sh", "-c", "exit 42").code, 42)
        self.assertEqual(self.run_sim("select", "--", "sh", "-c", "kill -TERM $$").code, -15)

    def test_command_that_cannot_be_run(self):
        self.assert_result(self.run_sim("select", "--", "/nonexistent"), 127, "", "/nonexistent: No such file")
        self.assert_result(self.run_sim("select", "--", "/dev/null"), 126, "", "/dev/null: Permission denied")

    def test_nothing_runs_when_there_are_not_enough(self):
        self.assert_result(self.run_sim("select", "-n", "9", "--", "echo", "ran"), 5, "", "wanted")

    def test_usage(self):
        self.assert_result(self.run_sim("select", "python3", "train.py"), 2, "", "a command to run goes after '--'")
        self.assert_result(self.run_sim("select", "--json", "--", "true"), 2, "", "do not go with a command")
        self.assert_result(self.run_sim("select", "--min-count", "3", "--max-count", "2"), 2, "", "there is no such number")
        self.assert_result(self.run_sim("select", "--count", "0"), 2, "", "there is no such number")
        self.assert_result(self.run_sim("select", "--count", "two"), 2, "", "is not a whole number")
        self.assert_result(self.run_sim("select", "--min-fre-memory", "1"), 2, "", "did you mean '--min-free-memory'?")
