"""`nvpulse call`: arguments, results, refusals and exit codes."""

import json

import harness


class CallTest(harness.CommandTest):
    def call_json(self, *arguments, code=0, **options):
        result = self.run_sim("call", "--json", *arguments, **options)
        self.assertEqual(result.code, code, result)
        answer = json.loads(result.out)
        self.assertEqual(sorted(answer), ["function", "reason", "status", "status_name", "value"], result)
        return answer

    def test_text(self):
        self.assert_result(self.run_sim("call", "nvmlDeviceGetName", "--gpu", "0"), 0, "NVIDIA H100 80GB HBM3\n", "")

    def test_number(self):
        result = self.assert_result(self.run_sim("call", "nvmlDeviceGetPowerUsage", "--gpu", "0"), 0, err="")
        self.assertGreater(int(result.out), 10000)

    def test_enum_value_has_its_name(self):
        result = self.run_sim("call", "nvmlDeviceGetPerformanceState", "--gpu", "0")
        self.assertRegex(self.assert_result(result, 0, err="").out, r"^NVML_PSTATE_\d+ \(\d+\)\n$")

    def test_struct_has_a_line_for_each_field(self):
        result = self.assert_result(self.run_sim("call", "nvmlDeviceGetMemoryInfo", "--gpu", "0"), 0, err="")
        fields = dict(line.split() for line in result.out.splitlines())
        self.assertEqual(sorted(fields), ["free", "total", "used"])
        self.assertEqual(int(fields["free"]) + int(fields["used"]), int(fields["total"]))

    def test_list_has_a_line_for_each_item(self):
        result = self.run_sim("call", "nvmlDeviceGetComputeRunningProcesses_v3", "--gpu", "0")
        lines = self.assert_result(result, 0, err="").out.splitlines()
        for index, line in enumerate(lines):
            self.assertRegex(line, rf"^\[{index}\]  pid: \d+, usedGpuMemory: \d+")
        self.assertGreater(len(lines), 0)

    def test_json_of_each_kind(self):
        self.assertEqual(self.call_json("nvmlDeviceGetName", "-g0")["value"], "NVIDIA H100 80GB HBM3")
        self.assertEqual(self.call_json("nvmlDeviceGetCount_v2")["value"], 8)
        memory = self.call_json("nvmlDeviceGetMemoryInfo", "-g0")
        self.assertEqual(sorted(memory["value"]), ["free", "total", "used"])
        self.assertEqual((memory["function"], memory["status"], memory["reason"]), ("nvmlDeviceGetMemoryInfo", 0, None))
        self.assertIsInstance(self.call_json("nvmlDeviceGetComputeRunningProcesses_v3", "-g0")["value"], list)

    def test_json_of_a_failure(self):
        answer = self.call_json("nvmlDeviceGetFanSpeed", "--gpu", "0", code=1)
        self.assertEqual(
            answer,
            {
                "function": "nvmlDeviceGetFanSpeed",
                "status": 3,
                "status_name": "NVML_ERROR_NOT_SUPPORTED",
                "value": None,
                "reason": "not_supported",
            },
        )

    def test_failure_names_status_text_and_advice(self):
        result = self.run_sim("call", "nvmlDeviceGetFanSpeed", "--gpu", "0")
        self.assert_result(result, 1, "", "nvmlDeviceGetFanSpeed: Not Supported (NVML_ERROR_NOT_SUPPORTED). ")

    def test_function_that_the_driver_lacks(self):
        result = self.run_sim("call", "nvmlDeviceGetMarginTemperature", "--gpu", "0", driver="470")
        self.assert_result(result, 1, "", "NVML_ERROR_FUNCTION_NOT_FOUND")
        answer = self.call_json("nvmlDeviceGetMarginTemperature", "--gpu", "0", driver="470", code=1)
        self.assertEqual((answer["status"], answer["reason"]), (13, "function_missing"))

    def test_gpu_by_index_uuid_and_bus_id(self):
        uuid = self.run_sim("call", "nvmlDeviceGetUUID", "--gpu", "3").out.strip()
        bus_id = self.call_json("nvmlDeviceGetPciInfo_v3", "--gpu", "3")["value"]["busId"]
        for name in (uuid, bus_id, "3"):
            self.assert_result(self.run_sim("call", "nvmlDeviceGetIndex", "--gpu", name), 0, "3\n", "")
        self.assert_result(self.run_sim("call", "nvmlDeviceGetIndex", "device=3"), 0, "3\n", "")

    def test_gpu_that_does_not_exist(self):
        result = self.run_sim("call", "nvmlDeviceGetName", "--gpu", "8")
        self.assert_result(result, 1, "", ["GPU '8': ", "there are 8 GPUs, with index 0 to 7"])
        self.assert_result(self.run_sim("call", "nvmlDeviceGetName", "--gpu", "GPU-none"), 1, "", "GPU 'GPU-none': ")
        answer = self.call_json("nvmlDeviceGetName", "--gpu", "8", code=1)
        self.assertEqual((answer["value"], answer["status_name"]), (None, "NVML_ERROR_INVALID_ARGUMENT"))

    def test_two_gpus(self):
        result = self.run_sim("call", "nvmlDeviceGetTopologyCommonAncestor", "--gpu", "0", "--gpu", "1")
        self.assertRegex(self.assert_result(result, 0, err="").out, r"^NVML_TOPOLOGY_\w+ \(\d+\)\n$")
        result = self.run_sim("call", "nvmlDeviceGetTopologyCommonAncestor", "--gpu", "0")
        self.assert_result(result, 2, "", "parameter 'device2' is missing")

    def test_arguments_by_place_by_name_and_by_constant(self):
        answers = [
            self.call_json("nvmlDeviceGetTemperature", "--gpu", "0", argument)["value"]
            for argument in ("0", "0x0", "NVML_TEMPERATURE_GPU", "sensorType=0", "sensorType=NVML_TEMPERATURE_GPU")
        ]
        self.assertEqual(len(set(answers)), 1, answers)

    def test_text_argument(self):
        uuid = self.run_sim("call", "nvmlDeviceGetUUID", "--gpu", "2").out.strip()
        self.assert_result(self.run_sim("call", "nvmlDeviceGetHandleByUUID", uuid), 0, "0x", "")
        self.assert_result(self.run_sim("call", "nvmlDeviceGetHandleByUUID", "uuid=" + uuid), 0, "0x", "")

    def test_field_values(self):
        answer = self.call_json("nvmlDeviceGetFieldValues", "--gpu", "0", "NVML_FI_DEV_MEMORY_TEMP,83:0")
        self.assertEqual([item["fieldId"] for item in answer["value"]], [82, 83])
        for fields in ("4294967296", "83:4294967296", "83,18446744073709551615:4294967297"):
            result = self.run_sim("call", "nvmlDeviceGetFieldValues", "--gpu", "0", fields)
            self.assert_result(result, 2, "", "is no list of fields")
        result = self.run_sim("call", "nvmlDeviceGetFieldValues", "--gpu", "0", "NVML_FI_NONE")
        self.assert_result(result, 2, "", "'NVML_FI_NONE' for parameter 'values' is no list of fields")

    def test_wrong_arguments(self):
        for arguments, message in (
            (["--gpu", "0"], "parameter 'sensorType' is missing"),
            (["0"], "parameter 'device' is missing"),
            (["--gpu", "0", "0", "1"], "nothing to do with '1'"),
            (["--gpu", "0", "--gpu", "1", "0"], "nothing to do with --gpu 1"),
            (["--gpu", "0", "--unit", "0", "0"], "nothing to do with --unit 0"),
            (["--gpu", "0", "sensorType=0", "sensorType=0"], "'sensorType' is given twice"),
            (["--gpu", "0", "1x"], "'1x' for parameter 'sensorType' is neither a number nor the name of a constant"),
            (["--gpu", "0", "NVML_TEMPERATURE"], "'NVML_TEMPERATURE' for parameter"),
            (["--gpu", "0", ""], "is neither a number"),
            (["--gpu", "0", "4294967296"], "'4294967296' for parameter 'sensorType' does not fit"),
            (["--gpu", "0", "99999999999999999999"], "is neither a number"),
        ):
            result = self.run_sim("call", "nvmlDeviceGetTemperature", *arguments)
            self.assert_result(result, 2, "", [message, "Usage: nvpulse call nvmlDeviceGetTemperature", "NVML_TEMPERATURE_GPU (0)"])

    def test_limits_that_are_none(self):
        for limit in ("-1", "", "soon", "1e99", "nan", "99999999999999999999", "00x"):
            with self.subTest(limit):
                result = self.run_sim("call", "nvmlDeviceGetName", "--gpu", "0", f"--timeout={limit}")
                self.assert_result(result, 2, "", "--timeout")

    def test_what_cannot_be_given(self):
        self.assert_result(self.run_sim("call", "nvmlEventSetWait_v2", "0"), 2, "", "parameter 'set' is a handle of a type that cannot")
        result = self.run_sim("call", "nvmlSystemEventSetWait")
        self.assert_result(result, 2, "", "nvmlSystemEventSetWait cannot be called from the command line")

    def test_help_of_a_function(self):
        result = self.run_plain("call", "--help", "nvmlDeviceGetTemperature")
        self.assert_result(result, 0, ["Usage: nvpulse call nvmlDeviceGetTemperature --gpu GPU sensorType\n", "NVML_TEMPERATURE_GPU (0)"], "")
        result = self.run_plain("call", "nvmlDeviceSetPersistenceMode", "--help")
        self.assert_result(result, 0, ["--allow-write", "NVML_FEATURE_ENABLED (1)"], "")

    def test_unknown_function(self):
        result = self.run_plain("call", "nvmlDeviceGetNam")
        self.assert_result(result, 2, "", ["no NVML function 'nvmlDeviceGetNam' is known; did you mean nvmlDeviceGetName"])
        self.assert_result(self.run_plain("call", "zzz"), 2, "", "no NVML function 'zzz' is known")
        self.assert_result(self.run_plain("call"), 2, "", "a function is missing")

    def test_functions_that_write_are_refused(self):
        result = self.run_plain("call", "nvmlDeviceSetPersistenceMode", "--gpu", "0", "1")
        self.assert_result(result, 2, "", ["nvmlDeviceSetPersistenceMode changes the state of a GPU", "--allow-write"])
        result = self.run_sim("call", "--allow-write", "nvmlDeviceSetPersistenceMode", "--gpu", "0", "NVML_FEATURE_ENABLED")
        self.assert_result(result, 0, "done\n", "")

    def test_every_function_that_writes_is_refused(self):
        functions = json.loads(self.run_plain("call", "--list", "--json").out)
        writers = [function["name"] for function in functions if function["writes"] and function["by_name"]]
        self.assertGreater(len(writers), 50)
        for name in writers[::7]:
            self.assert_result(self.run_plain("call", name), 2, "", "give --allow-write")

    def test_without_a_driver(self):
        result = self.run_plain("call", "nvmlDeviceGetCount_v2")
        self.assert_result(result, 3, "", ["NVML cannot be used", "/nonexistent/libnvidia-ml.so.1 (NVPULSE_NVML_PATH)", "nvpulse doctor", "nvpulse sim"])
        result = self.run_plain("call", "nvmlDeviceGetCount_v2", "--json")
        self.assertEqual(result.code, 3, result)
        answer = json.loads(result.out)
        self.assertEqual((answer["value"], answer["status_name"]), (None, "NVP_ERROR_LIBRARY_BROKEN"))

    def test_wrong_arguments_are_found_without_a_driver(self):
        self.assert_result(self.run_plain("call", "nvmlDeviceGetTemperature", "--gpu", "0"), 2, "", "'sensorType' is missing")
