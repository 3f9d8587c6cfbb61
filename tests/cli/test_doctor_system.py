"""`nvpulse doctor`: what it makes of the library, the kernel module, the bus, the device nodes and the environment."""

import json
import os
import re
import shutil
import subprocess
import tempfile

import doctor_machine
import harness
from doctor_case import DEGRADED, HEALTHY, UNUSABLE, DoctorTest, faults, init_faults, is_installed, library, limit
from doctor_machine import Machine


class LibraryTest(DoctorTest):
    def test_where_it_was_found_and_why(self):
        report = self.report(HEALTHY)["library"]
        self.assertTrue(report["path"].endswith("/550.163.01/libnvidia-ml.so.1"))
        self.assertEqual((report["found"], report["origin"], report["candidates"][0]["reason"]), (True, "NVPULSE_NVML_PATH", None))
        self.assertRegex(self.doctor().out, r"(?m)^  In use +/.*/libnvidia-ml\.so\.1\n  Found by +NVPULSE_NVML_PATH$")

    def test_found_by_the_loader(self):
        folder = os.path.join(harness.build, "sim", "550.163.01")
        report = self.report(HEALTHY, nvml="", LD_LIBRARY_PATH=folder)
        self.assertEqual(report["library"]["origin"], "default")
        self.assertIn("Found by     the dynamic loader's own search", self.doctor(nvml="", LD_LIBRARY_PATH=folder).out)

    def test_fallbacks_say_what_is_lost(self):
        fallbacks = self.report(HEALTHY, driver="470")["library"]["fallbacks"]
        memory = next(row for row in fallbacks if row["wanted"] == "nvmlDeviceGetMemoryInfo_v2")
        self.assertEqual(memory["served_by"], "nvmlDeviceGetMemoryInfo")
        self.assertIn("reserved", memory["lost"])
        out = self.doctor("--width", "0", driver="470").out
        for row in fallbacks:
            self.assertIn(f"Fallback     {row['wanted']} is served by {row['served_by']}; lost: {row['lost']}\n", out)
        self.assertEqual(len(fallbacks), out.count("\n  Fallback "))

    def test_missing_functions(self):
        for driver in ("470", "550"):
            report = self.report(HEALTHY, driver=driver)["library"]
            listed = json.loads(self.run_sim("call", "--list", "--json", driver=driver).out)
            served = {row["wanted"] for row in report["fallbacks"]}
            self.assertEqual(report["missing"], [row["name"] for row in listed if not row["available"] and row["name"] not in served])
            self.assertEqual(report["functions_known"], len(listed))
            self.assertEqual(report["functions_exported"], sum(row["available"] for row in listed))
            self.assertIn(f"Missing      {len(report['missing'])}; --verbose lists them\n", self.doctor(driver=driver).out)
            verbose = self.doctor("--verbose", driver=driver).out
            self.assertEqual(re.findall(r"(?m)^  Missing +(\w+) \(since driver ", verbose), report["missing"])

    def test_file_that_does_not_exist(self):
        report = self.report(UNUSABLE, nvml="/nonexistent/libnvidia-ml.so.1")
        self.assertIn("No such file", report["library"]["candidates"][0]["reason"])
        self.assert_finding(report, "unusable", "library", "NVPULSE_NVML_PATH names a library that cannot be used")
        out = self.assert_result(self.doctor(nvml="/nonexistent/libnvidia-ml.so.1"), UNUSABLE, err="").out
        self.assertRegex(out, r"(?m)^  Passed over  /nonexistent/libnvidia-ml\.so\.1 \(NVPULSE_NVML_PATH\): No such file")
        self.assertIn("\nInit\n  Status      not tried\n", out)
        self.assertNotIn("Functions", out)

    def test_file_that_is_no_library(self):
        report = self.report(UNUSABLE, nvml=library("broken"))
        self.assertEqual(report["library"]["status_name"], "NVP_ERROR_LIBRARY_BROKEN")
        self.assertRegex(report["library"]["candidates"][0]["reason"], "invalid ELF header|file too short")

    def test_library_that_is_not_nvml(self):
        report = self.report(UNUSABLE, nvml=library("empty"))
        self.assertIn("nvmlInit", report["library"]["candidates"][0]["reason"])

    def test_stub(self):
        for folder in ("stubs", "stub-text"):
            report = self.report(UNUSABLE, nvml=library(folder))
            self.assert_finding(report, "unusable", "library", library(folder), "stub", "LD_LIBRARY_PATH")

    def test_no_library(self):
        if is_installed():
            self.skipTest("this machine has a driver")
        report = self.report(UNUSABLE, nvml="", machine=Machine(self))
        self.assertGreaterEqual(len(report["library"]["candidates"]), 10)
        self.assertTrue(all(candidate["reason"] for candidate in report["library"]["candidates"]))
        self.assert_finding(report, "unusable", "library", "though the kernel module is loaded", "version 550.163.01")

    def test_no_library_and_no_module(self):
        if is_installed():
            self.skipTest("this machine has a driver")
        machine = Machine(self)
        machine.unload_module()
        report = self.report(UNUSABLE, nvml="", machine=machine)
        self.assert_finding(report, "unusable", "library", "It comes with the NVIDIA display driver")
        self.assert_finding(report, "unusable", "module", "The kernel module nvidia is not loaded", "modprobe nvidia")

    def test_no_library_in_a_container(self):
        if is_installed():
            self.skipTest("this machine has a driver")
        machine = Machine(self)
        machine.write(".dockerenv", "")
        self.assert_finding(self.report(UNUSABLE, nvml="", machine=machine), "unusable", "library", "docker run --gpus all")
        report = self.report(UNUSABLE, nvml="", machine=machine, NVIDIA_DRIVER_CAPABILITIES="compute,video")
        self.assert_finding(report, "unusable", "library", "'compute,video'", "Add 'utility'")

    def test_no_library_under_wsl(self):
        if is_installed():
            self.skipTest("this machine has a driver")
        machine = Machine(self)
        machine.add_node("dxg")
        report = self.report(UNUSABLE, nvml="", machine=machine)
        self.assert_finding(report, "unusable", "library", "NVIDIA driver for Windows", "/usr/lib/wsl/lib")
        self.assertEqual([finding["section"] for finding in report["findings"] if finding["severity"] == "unusable"], ["library"])


class VersionsTest(DoctorTest):
    def test_mismatch_is_named_with_its_cure(self):
        machine = Machine(self)
        machine.load_module("535.104.05")
        report = self.report(DEGRADED, machine=machine)
        self.assertTrue(report["module"]["mismatch"])
        self.assert_finding(report, "degraded", "versions", "535.104.05", "550.163.01", "reload the modules", "reboot")
        self.assertIn("535.104.05, which differs from the library", self.doctor(machine=machine).out)

    def test_mismatch_that_keeps_nvml_from_opening(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(os.path.join(harness.build, "sim", "550.163.01", "libnvidia-ml.so.1"), os.path.join(folder, "libnvidia-ml.so.550.163.01"))
        os.symlink("libnvidia-ml.so.550.163.01", os.path.join(folder, "libnvidia-ml.so.1"))
        machine = Machine(self)
        machine.load_module("550.90.07", doctor_machine.OPEN_MODULE_LINE)
        scenario = self.scenario_file(init_faults("error: NVML_ERROR_LIB_RM_VERSION_MISMATCH"))
        report = self.report(UNUSABLE, nvml=folder, machine=machine, NVPULSE_SIM_SCENARIO=scenario)
        self.assertEqual((report["versions"]["library"], report["versions"]["driver"]), ("550.163.01", None))
        self.assertEqual(report["module"]["proc_version"], "550.90.07")
        self.assert_finding(report, "unusable", "versions", "module is version 550.90.07", "library is version 550.163.01", "reboot")
        self.assert_finding(report, "unusable", "init", "NVML_ERROR_LIB_RM_VERSION_MISMATCH")

    def test_mismatch_in_a_container(self):
        machine = Machine(self)
        machine.load_module("535.104.05")
        machine.write("run/.containerenv", "")
        self.assert_finding(self.report(DEGRADED, machine=machine), "degraded", "versions", "535.104.05", "Restart the container")

    def test_one_of_the_two_files_is_enough(self):
        for name in ("proc/driver", "sys/module/nvidia"):
            machine = Machine(self)
            machine.remove(name)
            report = self.report(HEALTHY, machine=machine)
            self.assertTrue(report["module"]["loaded"])
            self.assertEqual([report["module"]["proc_version"], report["module"]["sys_version"]].count(None), 1)

    def test_version_call_that_hangs_leaves_the_devices(self):
        scenario = faults("function: nvmlSystemGetDriverVersion, hang: true")
        report = self.report(UNUSABLE, "-t", limit(), scenario=scenario)
        self.assertEqual([gpu["state"] for gpu in report["devices"]], ["ok"] * 2)
        self.assertIn("\n  After it    nvmlSystemGetDriverVersion gave no answer", self.doctor("-t", limit(), scenario=scenario).out)
        self.assert_finding(report, "unusable", "versions", f"nvmlSystemGetDriverVersion gave no answer within {limit()} s")


class ModuleTest(DoctorTest):
    not_loaded = init_faults("error: NVML_ERROR_DRIVER_NOT_LOADED")

    def test_not_loaded(self):
        machine = Machine(self)
        machine.unload_module()
        report = self.report(UNUSABLE, machine=machine, scenario=self.not_loaded)
        self.assertFalse(report["module"]["loaded"])
        self.assert_finding(report, "unusable", "module", "is not loaded. Load it with 'modprobe nvidia'")
        self.assert_finding(report, "unusable", "init", "NVML cannot be opened: Driver Not Loaded (NVML_ERROR_DRIVER_NOT_LOADED).")

    def test_missing_nodes_are_no_finding_without_the_module(self):
        machine = Machine(self)
        machine.unload_module()
        machine.remove("dev")
        report = self.report(UNUSABLE, machine=machine, scenario=self.not_loaded)
        self.assertNotIn("nodes", [finding["section"] for finding in report["findings"]])

    def test_no_gpu_on_the_bus(self):
        machine = Machine(self)
        machine.unload_module()
        machine.remove("sys/bus/pci/devices")
        report = self.report(UNUSABLE, machine=machine, scenario=self.not_loaded)
        self.assertEqual(report["pci"], [])
        self.assert_finding(report, "unusable", "module", "No NVIDIA GPU is on the PCI bus")

    def test_other_devices_on_the_bus_are_none(self):
        machine = Machine(self)
        machine.add_gpu("0000:19:00.0")
        machine.write("sys/bus/pci/devices/0000:19:00.0/class", "0x040300\n")  # the sound of a GPU
        machine.add_gpu("0000:03:00.0")
        machine.write("sys/bus/pci/devices/0000:03:00.0/vendor", "0x1002\n")
        self.assertEqual([gpu["bus_id"] for gpu in self.report(HEALTHY, machine=machine)["pci"]], list(doctor_machine.GPUS))

    def test_gpu_of_another_driver(self):
        for driver, severity, code, phrase in (
            ("nouveau", "degraded", DEGRADED, "Blacklist nouveau"),
            ("vfio-pci", "note", HEALTHY, "virtual machine"),
            (None, "degraded", DEGRADED, "bound to no driver"),
        ):
            machine = Machine(self)
            machine.bind(doctor_machine.GPUS[1], driver)
            report = self.report(code, machine=machine)
            self.assertEqual(report["pci"][1]["driver"], driver)
            self.assert_finding(report, severity, "pci", doctor_machine.GPUS[1], phrase)


class NodesTest(DoctorTest):
    def report_as_stranger(self, code, machine):
        """As a user without rights; the tests may run as root, who may do everything."""
        env = harness.environment(NVPULSE_NVML_PATH=os.path.join(harness.build, "sim", "550.163.01"), NVPULSE_DOCTOR_ROOT=machine.root)
        identity = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        command = [harness.program(), "doctor", "--json"]
        try:
            done = subprocess.run(command, env=env, capture_output=True, timeout=harness.TIMEOUT_S, cwd="/", check=False, **identity)
        except PermissionError:
            self.skipTest("the build is in a folder that only its owner may enter")
        if done.returncode in (126, 127):
            self.skipTest("the build is in a folder that only its owner may enter")
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout)

    def test_missing(self):
        machine = Machine(self)
        machine.remove("dev/nvidia1")
        report = self.report(DEGRADED, machine=machine)
        self.assertEqual([node["exists"] for node in report["nodes"]], [True, True, False, True])
        self.assert_finding(report, "degraded", "nodes", "/dev/nvidia1: missing", "nvidia-modprobe")

    def test_missing_keeps_nvml_from_opening(self):
        machine = Machine(self)
        machine.remove("dev/nvidiactl")
        machine.remove("dev/nvidia0")
        report = self.report(UNUSABLE, machine=machine, scenario=init_faults("error: NVML_ERROR_DRIVER_NOT_LOADED"))
        self.assert_finding(report, "unusable", "nodes", "/dev/nvidiactl, /dev/nvidia0: missing")

    def test_missing_in_a_container(self):
        machine = Machine(self)
        machine.write(".dockerenv", "")
        machine.remove("dev/nvidia1")  # another container's
        self.assertEqual([node["path"] for node in self.report(HEALTHY, machine=machine)["nodes"]].count("/dev/nvidia1"), 0)
        machine.remove("dev/nvidiactl")
        self.assert_finding(self.report(DEGRADED, machine=machine), "degraded", "nodes", "/dev/nvidiactl", "docker run --gpus all")

    def test_unified_memory_node_may_be_missing(self):
        machine = Machine(self)
        machine.remove("dev/nvidia-uvm")
        self.assert_finding(self.report(HEALTHY, machine=machine), "note", "nodes", "/dev/nvidia-uvm", "CUDA")

    def test_others_are_listed(self):
        machine = Machine(self)
        for name in ("nvidia10", "nvidia2", "nvidia-modeset", "nvidia-caps/nvidia-cap10", "nvidia-caps/nvidia-cap2"):
            machine.add_node(name, 0o400)
        os.chmod(machine.path("dev/nvidia10"), 0o666)
        os.chmod(machine.path("dev/nvidia2"), 0o666)
        paths = [node["path"] for node in self.report_as_stranger(HEALTHY, machine)["nodes"]]
        self.assertEqual(paths[1:5], ["/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2", "/dev/nvidia10"])
        self.assertEqual(paths[5:], ["/dev/nvidia-uvm", "/dev/nvidia-modeset", "/dev/nvidia-caps/nvidia-cap2", "/dev/nvidia-caps/nvidia-cap10"])

    def test_closed_to_this_user(self):
        if os.getuid() != 0:
            self.skipTest("only root can give the files to another group")
        machine = Machine(self)
        for name in ("nvidiactl", "nvidia0", "nvidia1"):
            os.chmod(machine.path(f"dev/{name}"), 0o660)
            os.chown(machine.path(f"dev/{name}"), 0, 44)
        os.chmod(machine.path("dev/nvidia1"), 0o600)
        report = self.report_as_stranger(DEGRADED, machine)
        group = report["nodes"][0]["group"]
        self.assertEqual([node["helpful_group"] for node in report["nodes"]], [group, group, None, None])
        self.assertEqual([(node["mode"], node["owner"], node["readable"]) for node in report["nodes"]][0], ("0660", "root", False))
        self.assert_finding(report, "degraded", "nodes", "/dev/nvidiactl, /dev/nvidia0 (-rw-rw----", f"usermod -aG {group} nobody")
        self.assert_finding(report, "degraded", "nodes", "/dev/nvidia1 (-rw-------", "NVreg_DeviceFileMode=0666")

    def test_group_of_root_is_no_help(self):
        machine = Machine(self)
        os.chmod(machine.path("dev/nvidia0"), 0o660 if os.getuid() == 0 else 0o000)
        report = self.report_as_stranger(DEGRADED, machine)
        self.assertIsNone(report["nodes"][1]["helpful_group"])
        self.assert_finding(report, "degraded", "nodes", "/dev/nvidia0", "NVreg_DeviceFileMode")

    def test_node_without_a_driver(self):
        machine = Machine(self)
        machine.remove("dev/nvidiactl")
        machine.put_socket("nvidiactl")
        report = self.report(UNUSABLE, machine=machine, scenario=init_faults("error: NVML_ERROR_DRIVER_NOT_LOADED"))
        self.assert_finding(report, "unusable", "nodes", "no driver answers behind it", "modprobe nvidia")


class EnvironmentTest(DoctorTest):
    def test_signs_of_a_container(self):
        for name, text, sign in (
            (".dockerenv", "", "/.dockerenv"),
            ("run/.containerenv", "", "/run/.containerenv"),
            ("proc/self/cgroup", "12:cpuset:/docker/0123\n0::/docker/0123\n", "/proc/self/cgroup: docker"),
            ("proc/self/cgroup", "0::/kubepods.slice/kubepods-pod1.slice/crio-1.scope\n", "/proc/self/cgroup: kubepods"),
        ):
            machine = Machine(self)
            machine.write(name, text)
            self.assertEqual(self.report(HEALTHY, machine=machine)["environment"]["container"], [sign])

    def test_signs_of_a_container_in_variables(self):
        report = self.report(HEALTHY, machine=Machine(self), container="podman", KUBERNETES_SERVICE_HOST="10.0.0.1")
        self.assertEqual(report["environment"]["container"], ["container=podman", "KUBERNETES_SERVICE_HOST"])

    def test_container_without_gpus(self):
        machine = Machine(self)
        machine.write(".dockerenv", "")
        for value in ("void", "none", ""):
            report = self.report(UNUSABLE, machine=machine, scenario=init_faults("error: NVML_ERROR_UNKNOWN"), NVIDIA_VISIBLE_DEVICES=value)
            self.assert_finding(report, "unusable", "environment", f"NVIDIA_VISIBLE_DEVICES is '{value}'")
            self.assertEqual(report["environment"]["variables"]["NVIDIA_VISIBLE_DEVICES"], value)
        report = self.report(HEALTHY, machine=machine, NVIDIA_VISIBLE_DEVICES="all")
        self.assertNotIn("NVIDIA_VISIBLE_DEVICES", json.dumps(report["findings"]))

    def test_signs_of_wsl(self):
        machine = Machine(self)
        machine.write("proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@x)\n")
        machine.unload_module()
        machine.remove("dev")
        machine.add_node("dxg")
        report = self.report(HEALTHY, machine=machine)
        self.assertEqual(report["environment"]["wsl"], ["/proc/version: Microsoft", "/dev/dxg"])
        self.assertEqual([node["path"] for node in report["nodes"]], ["/dev/dxg"])
        self.assert_only_notes(report)

    def test_variables(self):
        report = self.report(HEALTHY, CUDA_VISIBLE_DEVICES="", NVPULSE_RETRY_MS="7", OTHER="x")
        variables = report["environment"]["variables"]
        self.assertEqual((variables["CUDA_VISIBLE_DEVICES"], variables["NVPULSE_RETRY_MS"]), ("", "7"))
        self.assertNotIn("OTHER", variables)
        self.assertEqual(list(variables), sorted(variables))
        self.assert_finding(report, "note", "environment", "CUDA_VISIBLE_DEVICES is ''", "nvpulse see all")
        self.assertIn("  Variable    NVPULSE_RETRY_MS=7\n", self.doctor("-w", "0", NVPULSE_RETRY_MS="7").out)

    def test_tree_for_tests_is_never_hidden(self):
        machine = Machine(self)
        self.assert_finding(self.report(HEALTHY, machine=machine), "note", "environment", f"files were read below {machine.root}")

    def test_library_path_that_depends_on_the_folder(self):
        for path, entry in (("lib", "lib"), ("/a::/b", ""), ("/a:", ""), ("/a:./b", "./b")):
            report = self.report(HEALTHY, LD_LIBRARY_PATH=path)
            self.assert_finding(report, "note", "environment", f"LD_LIBRARY_PATH has the entry '{entry}'")
        for path in ("/a", "/a:/b"):
            self.assertNotIn("LD_LIBRARY_PATH", json.dumps(self.report(HEALTHY, LD_LIBRARY_PATH=path)["findings"]))

    def test_library_that_comes_from_the_library_path(self):
        folder = os.path.dirname(library("crash"))
        report = self.report(HEALTHY, nvml="", machine=Machine(self), LD_LIBRARY_PATH="/a:" + folder)
        self.assert_finding(report, "note", "environment", "comes from LD_LIBRARY_PATH", folder)

    def test_preloaded_libraries(self):
        if harness.is_sanitized():
            self.skipTest("a sanitizer must be the first library")
        report = self.report(HEALTHY, LD_PRELOAD="libc.so.6")
        self.assert_finding(report, "note", "environment", "LD_PRELOAD is 'libc.so.6'")
