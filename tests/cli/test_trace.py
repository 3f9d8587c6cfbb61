"""`nvpulse trace`: what is in a trace, in which order, and what becomes of lines that are none. Needs no driver."""

import json
import os
import tempfile

import harness

BEGIN_US = 1735689600000000


def line(function, result=0, at_us=0, took_ns=1000, pid=100):
    """A line as the shim writes it."""
    names = {0: "NVML_SUCCESS", 3: "NVML_ERROR_NOT_SUPPORTED", 15: "NVML_ERROR_GPU_IS_LOST"}
    call = {"function": function, "arguments": {"device": "0x10"}, "outputs": {}, "result": result}
    call |= {"result_name": names[result], "time_us": BEGIN_US + at_us, "duration_ns": took_ns, "pid": pid, "tid": pid}
    return json.dumps(call, separators=(",", ":")) + "\n"


TRACE = "".join(
    (
        line("nvmlInit_v2", took_ns=2500000),
        line("nvmlDeviceGetPowerUsage", at_us=3000, took_ns=400),
        line("nvmlDeviceGetPowerUsage", at_us=4000, took_ns=600, pid=200),
        line("nvmlDeviceGetPowerUsage", result=15, at_us=5000, took_ns=2000, pid=200),
        line("nvmlDeviceGetFanSpeed", result=3, at_us=6000, took_ns=100),
        line("nvmlDeviceGetFanSpeed", result=3, at_us=7000, took_ns=100),
        line("nvmlDeviceGetFanSpeed", result=15, at_us=1500000, took_ns=100),
    )
)


class TraceTest(harness.CommandTest):
    def trace(self, text, *arguments):
        file = tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(text)
        return harness.execute([harness.program(), "trace", file.name, *arguments])

    def report(self, text, *arguments):
        return json.loads(self.assert_result(self.trace(text, "--json", *arguments), 0, err="").out)

    def rows(self, *arguments):
        """The cells of the table, row by row."""
        out = self.assert_result(self.trace(TRACE, *arguments), 0, err="").out
        return [[cell.strip() for cell in row.split("│")] for row in out.splitlines()[4:]]

    def test_table(self):
        out = self.assert_result(self.trace(TRACE), 0, err="").out.splitlines()
        self.assertEqual(out[0], "2025-01-01 00:00:00 to 2025-01-01 00:00:01, 1.500 s")
        self.assertEqual(out[1], "7 calls of 2 processes, 4 answered an error")
        self.assertEqual(self.rows()[0][:8], ["nvmlInit_v2", "1", "2.5 ms", "2.5 ms", "2.5 ms", "0.000 s", "0.000 s", "0"])
        power = ["nvmlDeviceGetPowerUsage", "3", "3.0 us", "1.0 us", "2.0 us", "0.003 s", "0.005 s", "1", "NVML_ERROR_GPU_IS_LOST"]
        fan = ["nvmlDeviceGetFanSpeed", "3", "300 ns", "100 ns", "100 ns", "0.006 s", "1.500 s", "3"]
        self.assertEqual(self.rows()[1:], [power, fan + ["NVML_ERROR_NOT_SUPPORTED, 1 more"]])

    def test_one_process(self):
        self.assert_result(self.trace(line("nvmlInit_v2")), 0, "1 call of 1 process, 0 answered an error\n", "")

    def test_json(self):
        report = self.report(TRACE)
        totals = {name: report[name] for name in ("calls", "failed", "bad_lines", "begin_us", "end_us", "pids")}
        expected = {"calls": 7, "failed": 4, "bad_lines": 0, "begin_us": BEGIN_US, "end_us": BEGIN_US + 1500000, "pids": [100, 200]}
        self.assertEqual(totals, expected)
        fan = next(function for function in report["functions"] if function["function"] == "nvmlDeviceGetFanSpeed")
        errors = [
            {"status": 3, "status_name": "NVML_ERROR_NOT_SUPPORTED", "calls": 2},
            {"status": 15, "status_name": "NVML_ERROR_GPU_IS_LOST", "calls": 1},
        ]
        self.assertEqual(fan.pop("errors"), errors)
        times = {"total_ns": 300, "mean_ns": 100, "max_ns": 100, "first_us": BEGIN_US + 6000, "last_us": BEGIN_US + 1500000}
        self.assertEqual(fan, {"function": "nvmlDeviceGetFanSpeed", "calls": 3, "failed": 3, **times})

    def test_by_pid(self):
        report = self.report(TRACE, "--by-pid", "--sort", "name")
        found = [(entry["function"], entry["pid"], entry["calls"]) for entry in report["functions"]]
        fan, power = ("nvmlDeviceGetFanSpeed", 100, 3), "nvmlDeviceGetPowerUsage"
        self.assertEqual(found, [fan, (power, 100, 1), (power, 200, 2), ("nvmlInit_v2", 100, 1)])
        self.assertEqual(self.rows("--by-pid")[0][:2], ["100", "nvmlInit_v2"])

    def test_sort(self):
        init, power, fan = "nvmlInit_v2", "nvmlDeviceGetPowerUsage", "nvmlDeviceGetFanSpeed"
        orders = {
            "total": [init, power, fan],
            "mean": [init, power, fan],
            "max": [init, power, fan],
            "calls": [fan, power, init],
            "errors": [fan, power, init],
            "first": [init, power, fan],
            "name": [fan, power, init],
        }
        for key, names in orders.items():
            self.assertEqual([row[0] for row in self.rows("--sort", key)], names, key)
        self.assert_result(self.trace(TRACE, "--sort", "tota"), 2, "", "did you mean 'total'?")

    def test_last_line_that_is_cut(self):
        result = self.trace(TRACE + line("nvmlShutdown")[:60])
        self.assert_result(result, 0, "7 calls of 2 processes", "trace: line 8, the last one, is cut and left out\n")

    def test_bad_lines_are_named(self):
        bad = ["nonsense", "{}", "", "[1]", line("").rstrip("\n"), '{"a":"\0"}']
        result = self.trace("\n".join(bad) + "\n" + TRACE)
        self.assert_result(result, 0, "7 calls of 2 processes")
        numbers = [int(part.split(" line ")[1].split(" ")[0]) for part in result.err.splitlines()]
        self.assertEqual(numbers, [1, 2, 4, 5, 6], result)
        result = self.trace("x\n" * 1000 + TRACE)
        self.assert_result(result, 0, "7 calls", "1000 lines are left out")
        self.assertLess(result.err.count("\n"), 20)

    def test_trace_without_a_call(self):
        self.assert_result(self.trace(""), 1, "", "has no call that can be read")
        self.assert_result(self.trace("x\n"), 1, "", "has no call that can be read")

    def test_standard_input(self):
        result = harness.execute([harness.program(), "trace", "-"], stdin=TRACE.encode())
        self.assert_result(result, 0, "7 calls of 2 processes", "")
        self.assert_result(harness.execute([harness.program(), "trace", "-"], stdin=b""), 1, "", "standard input has no call")

    def test_width(self):
        for width in ("20", "40", "80"):
            out = self.assert_result(self.trace(TRACE, "--width", width), 0, err="").out
            self.assertIn("nvmlInit_v2"[:5], out)
        narrow = self.trace(TRACE, "--width", "80").out.splitlines()[2:]
        self.assertLessEqual(max(len(row) for row in narrow), 80)

    def test_command_line(self):
        self.assert_result(harness.execute([harness.program(), "trace"]), 2, "", "a trace is missing; - is standard input")
        self.assert_result(harness.execute([harness.program(), "trace", "a", "b"]), 2, "", "one trace at a time")
        self.assert_result(harness.execute([harness.program(), "trace", "/nonexistent"]), 1, "", "cannot read /nonexistent: No such file")
