"""`nvpulse report`: what it says of a recording, and of files that are none. Most recordings are made here, line by line."""

import json
import os
import tempfile

import harness

SECOND = 1000000
BEGIN = 1796112000 * SECOND


def line(number, power_mw=None, energy_mj=None, load=None, sequence=None, state="ok", read_at=None, simulation=None, **more):
    """One snapshot of one GPU, `number` seconds after the begin."""
    at = BEGIN + number * SECOND
    metrics = {"identity.uuid": more.get("uuid", "GPU-1"), "identity.name": "Test GPU"}
    na = {}
    for name, value in (("power.draw_mw", power_mw), ("power.energy_mj", energy_mj), ("utilization.gpu_percent", load)):
        if value == "N/A":
            metrics[name] = None
            na[name] = {"reason": "not_supported", "status": 3}
        elif value is not None:
            metrics[name] = value
    read_at = at if read_at is None else BEGIN + read_at * SECOND
    host = {"name": "node1", "driver_version": "1.2", "read_at_us": at, "na": {}}
    if simulation is not None:
        host["simulation"] = simulation
    device = {
        "index": 0, "mig_index": None, "state": state, "status": None, "stalled_us": 0, "sampled_at_us": read_at,
        "read_at_us": read_at, "metrics": metrics, "na": na,
    }
    return json.dumps({
        "schema": "nvpulse.snapshot/1", "sequence": number + 1 if sequence is None else sequence, "generation": 1, "time_us": at,
        "time": "2026-12-01T08:00:00.000000Z", "simulated": simulation is not None, "host": host, "devices": [device],
        "processes": more.get("processes", []), "process_status": None,
    })


class ReportTest(harness.CommandTest):
    def recording(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(text if isinstance(text, str) else "".join(part + "\n" for part in text))
        return file.name

    def recorded(self, *arguments, profile="rtx4090x2", **options):
        """A recording of the simulator, whose clock stands still."""
        result = self.run_sim("record", "--output", "-", "--loop", "10ms", *arguments, profile=profile, **options)
        return self.recording(self.assert_result(result, 0, err="").out)

    def report(self, file, *arguments, code=0, err="", **env):
        """Without any driver."""
        return self.assert_result(self.run_plain("report", file, *arguments, **env), code, err=err).out

    def json(self, file, *arguments, **options):
        return json.loads(self.report(file, "--json", *arguments, **options))

    def test_numbers(self):
        file = self.recording([line(n, load=load) for n, load in enumerate((10, 40, 100, 10))])
        report = self.json(file)
        self.assertEqual((report["schema"], report["snapshots"], report["duration_s"], report["host"]),
                         ("nvpulse.report/1", 4, 3, "node1"))
        self.assertFalse(report["simulated"])
        self.assertEqual(report["devices"][0]["metrics"]["utilization.gpu_percent"],
                         {"mean": 40, "min": 10, "max": 100, "first": 10, "last": 10, "samples": 4, "na": 0})
        out = self.report(file)
        self.assertRegex(out, r"(?m)^utilization.gpu_percent │ 40.00 % │ 10 % │ 100 % │ 10 % │ +4 │ +0%$")
        self.assertIn("\n4 snapshots  1.0 s apart\n", out)
        self.assertIn("\nGPU 0  Test GPU  GPU-1\n", out)
        self.assertNotIn("SIMULATED", out)

    def test_share_that_is_not_available(self):
        file = self.recording([line(n, load=load, power_mw="N/A") for n, load in enumerate((10, "N/A", "N/A", 30))])
        report = self.json(file)["devices"][0]["metrics"]
        self.assertEqual((report["utilization.gpu_percent"]["samples"], report["utilization.gpu_percent"]["na"]), (2, 2))
        self.assertEqual(report["utilization.gpu_percent"]["mean"], 20)
        self.assertEqual(report["power.draw_mw"], {"last": None, "reason": "not_supported", "samples": 0, "na": 4})
        out = self.report(file)
        self.assertRegex(out, r"(?m)^utilization.gpu_percent │ 20.00 % │ 10 % │ 30 % │ 30 % │ +2 │ +50%$")
        self.assertIn("N/A throughout: power.draw_mw (not supported)\n", out)

    def test_number_that_was_not_read_anew_counts_once(self):
        lines = [line(0, load=10), line(1, load=10, read_at=0), line(2, load=10, read_at=0), line(3, load=30)]
        stat = self.json(self.recording(lines))["devices"][0]["metrics"]["utilization.gpu_percent"]
        self.assertEqual((stat["samples"], stat["mean"]), (2, 20))

    def test_numbers_of_a_stalled_device_do_not_count(self):
        lines = [line(0, load=90), line(1, load=90, state="stalled", read_at=0), line(2, load=90, state="stalled", read_at=0)]
        file = self.recording(lines)
        device = self.json(file)["devices"][0]
        self.assertEqual((device["states"]["ok"], device["states"]["stalled"]), (1, 2))
        stat = device["metrics"]["utilization.gpu_percent"]
        self.assertEqual((stat["samples"], stat["na"]), (1, 2))
        self.assertIn("stalled in 2 of 3 snapshots", self.report(file))

    def test_energy_from_the_counter(self):
        file = self.recording([line(n, power_mw=500000, energy_mj=mj) for n, mj in enumerate((5000000, 5200000, 8600000))])
        device = self.json(file)["devices"][0]
        self.assertEqual((device["energy_j"], device["energy_wh"], device["energy_source"]), (3600, 1, "counter"))
        self.assertIn("\nenergy 1.000 Wh (3600 J)\n", self.report(file))

    def test_energy_from_the_power(self):
        file = self.recording([line(n, power_mw=mw, energy_mj="N/A") for n, mw in ((0, 100000), (10, 300000), (20, 300000))])
        device = self.json(file)["devices"][0]
        self.assertEqual((device["energy_j"], device["energy_source"]), (5000, "power"))
        self.assertIn("\nenergy 1.389 Wh (5000 J), from its power\n", self.report(file))

    def test_energy_that_nobody_knows(self):
        file = self.recording([line(0, load=1), line(1, load=1)])
        self.assertIsNone(self.json(file)["devices"][0]["energy_j"])
        self.assertIn("\nenergy N/A\n", self.report(file))

    def test_time_between_recordings_does_not_count(self):
        lines = [line(n, power_mw=100000, sequence=n + 1) for n in range(3)]
        lines += [line(1000 + n, power_mw=100000, sequence=n + 1) for n in range(3)]
        report = self.json(self.recording(lines))
        self.assertEqual((report["recordings"], report["duration_s"]), (2, 4))
        self.assertEqual(report["devices"][0]["energy_j"], 400)

    def test_energy_counter_that_begins_anew(self):
        file = self.recording([line(n, energy_mj=mj) for n, mj in enumerate((9000000, 9001000, 500, 2500))])
        self.assertEqual(self.json(file)["devices"][0]["energy_j"], 3)

    def test_processes(self):
        def process(pid, memory, sm, **more):
            fields = {"pid": pid, "gpu_index": 0, "mig_index": None, "start_time_us": 7, "type": ["compute"], "read_at_us": BEGIN,
                      "gpu_memory_bytes": memory, "sm_percent": sm, "command": f"train --rank {pid}", "na": {}}
            return {**fields, **more}

        rows = [
            [process(1, 5 << 30, 10), process(2, 1 << 30, None)],
            [process(1, 9 << 30, 90), process(2, 2 << 30, 3)],
            [process(1, 4 << 30, 5), process(1, 1 << 20, 1, start_time_us=9)],
        ]
        file = self.recording([line(n, load=1, processes=row) for n, row in enumerate(rows)])
        processes = self.json(file)["processes"]
        seen = [(p["pid"], p["start_time_us"], p["max_gpu_memory_bytes"], p["max_sm_percent"], p["snapshots"]) for p in processes]
        self.assertEqual(seen, [(1, 7, 9 << 30, 90, 3), (2, 7, 2 << 30, 3, 2), (1, 9, 1 << 20, 1, 1)])
        out = self.report(file)
        self.assertRegex(out, r"(?m)^  0 │ +1 │ N/A  │ C    │ 9.0 GiB │ 90% │ N/A │ +N/A │ +2.0 s │ train --rank 1$")
        self.assertNotIn("train", self.report(file, "--processes=none"))

    def test_many_processes_are_cut(self):
        row = [{"pid": pid, "gpu_index": 0, "type": ["compute"], "read_at_us": BEGIN, "gpu_memory_bytes": pid, "na": {}}
               for pid in range(1, 31)]
        file = self.recording([line(0, load=1, processes=row)])
        out = self.report(file)
        self.assertIn("\n10 more; --processes=all lists them\n", out)
        self.assertNotIn("more;", self.report(file, "--processes=all"))

    def test_recording_of_the_simulator(self):
        file = self.recorded("--count", "5")
        out = self.report(file, "--width", "120")
        self.assertIn("\nSIMULATED: nvpulse simulator, driver 550.163.01, profile rtx4090x2\n", out)
        self.assertIn("\nenergy of 2 GPUs together: ", out)
        self.assertIn("\n5 snapshots  0.0", out)
        report = self.json(file)
        self.assertTrue(report["simulated"])
        self.assertEqual([device["index"] for device in report["devices"]], [0, 1])
        self.assertEqual(len(report["processes"]), 6)
        for device in report["devices"]:
            for name, stat in device["metrics"].items():
                self.assertLessEqual(stat["samples"] + stat["na"], 5, name)

    def test_lists_are_reported_item_by_item(self):
        metrics = self.json(self.recorded("--count", "2", "--metrics", "fan.*"))["devices"][0]["metrics"]
        self.assertEqual(metrics["fan.speeds_percent[0]"]["samples"], 2)
        self.assertIn("fan.speeds_percent[1]", metrics)

    def test_id(self):
        file = self.recorded("--count", "2")
        report = self.json(file, "--id", "1")
        self.assertEqual([device["index"] for device in report["devices"]], [1])
        self.assertEqual({process["gpu_index"] for process in report["processes"]}, {1})
        uuid = report["devices"][0]["uuid"]
        self.assertEqual(self.json(file, "--id", uuid[:10])["devices"][0]["uuid"], uuid)
        self.report(file, "--id", "7", code=2, err="--id: the recording has no device '7'")

    def test_mig_devices_have_their_own(self):
        report = self.json(self.recorded("--count", "2", profile="a100-mig"))
        places = [(device["index"], device["mig_index"]) for device in report["devices"]]
        self.assertEqual(places, [(0, None), (0, 0), (0, 2), (0, 5), (1, None), (1, 0), (1, 1), (2, None), (3, None)])

    def test_metrics(self):
        file = self.recorded("--count", "2")
        metrics = self.json(file, "--metrics", "power.*,temperature.gpu")["devices"][0]["metrics"]
        self.assertEqual({name.split(".")[0] for name in metrics}, {"power", "temperature"})
        self.report(file, "--metrics", "nonsense", code=2, err="there is no metric 'nonsense'")
        self.report(file, "--chart", "nonsense", code=2, err="--chart: there is no metric 'nonsense'")

    def chart(self, *arguments, **env):
        lines = [line(n, load=100 if n < 50 else 0) for n in range(100)]
        out = self.report(self.recording(lines), "--chart", "utilization.gpu", "--width", "60", *arguments, **env)
        return out[out.index("\nutilization.gpu_percent\n") + 1 :].splitlines()[1:10]

    def test_chart(self):
        rows = self.chart(LC_ALL="C")
        self.assertEqual(rows[0], "100 % |" + "*" * 26)
        for row in rows[1:7]:  # the step is a line
            self.assertRegex(row, "^      [|] {26,27}[*]$")
        self.assertEqual(rows[7], "  0 % |" + " " * 27 + "*" * 26)
        self.assertEqual(rows[8], "       08:00:00" + " " * 37 + "08:01:39")

    def test_chart_in_braille(self):
        rows = self.chart()
        self.assertTrue(rows[0].startswith("100 % │⠉⠉⠉⠉"), rows)
        self.assertTrue(rows[7].endswith("⣀⣀⣀⣀⣀"), rows)
        for row in rows:
            self.assertLessEqual(len(row), 60)

    def test_chart_of_a_long_recording(self):
        lines = [line(n * 60, load=100 if n < 2000 else 0) for n in range(4000)]
        out = self.report(self.recording(lines), "--chart", "utilization.gpu", "--width", "60", LC_ALL="C")
        self.assertIn("\n100 % |" + "*" * 26, out)
        self.assertIn("\n  0 % |" + " " * 26, out)

    def test_chart_without_numbers_and_at_any_width(self):
        file = self.recording([line(0, load=1)])
        self.assertIn("\npower.draw_mw: no numbers in the recording\n", self.report(file, "--chart", "power.draw"))
        for width in ("0", "1", "2", "5", "11", "500"):
            self.assertIn("utilization.gpu_percent", self.report(file, "--chart", "utilization.gpu", "--width", width))

    def test_standard_input(self):
        text = "".join(part + "\n" for part in (line(0, load=1), line(1, load=3)))
        result = harness.execute([harness.program(), "report", "-", "--json"], stdin=text.encode())
        self.assert_result(result, 0, err="")
        self.assertEqual(json.loads(result.out)["snapshots"], 2)

    def test_last_line_that_is_cut(self):
        text = line(0, load=1) + "\n" + line(1, load=3)
        for length in (1, 100, len(text) - len(line(0, load=1)) - 2):
            file = self.recording(text[: len(line(0, load=1)) + 1 + length])
            report = self.json(file, err="line 2, the last one, is cut and left out")
            self.assertEqual((report["snapshots"], report["bad_lines"]), (1, 1))

    def test_last_line_without_a_newline_counts_when_it_is_whole(self):
        self.assertEqual(self.json(self.recording(line(0, load=1) + "\n" + line(1, load=3)))["snapshots"], 2)

    def test_bad_lines_are_named_and_left_out(self):
        good = line(0, load=1)
        file = self.recording([good, "nonsense", good[:100], "", '{"schema":"other/1"}', line(1, load=3)])
        result = self.run_plain("report", file, "--json")
        self.assert_result(result, 0, err=["line 2 is left out: ", "line 3 is left out: ", "line 5 is left out: "])
        self.assertEqual(result.err.count("\n"), 3, "blank lines are no matter")
        report = json.loads(result.out)
        self.assertEqual((report["snapshots"], report["bad_lines"]), (2, 3))

    def test_only_some_bad_lines_are_named(self):
        result = self.run_plain("report", self.recording(["x"] * 50 + [line(0, load=1)]))
        self.assert_result(result, 0, "50 lines left out", "50 lines are left out")
        self.assertEqual(result.err.count("\n"), 11)

    def test_nothing_that_can_be_read(self):
        for text in ("", "\n\n", "nonsense\n", "\0\0\0", "[" * 100000):
            self.report(self.recording(text), code=1, err="has no snapshot that can be read")
        self.report("/nonexistent/run.jsonl", code=1, err="cannot read /nonexistent/run.jsonl: No such file or directory")
        self.report("/", code=1, err="cannot read /: Is a directory")

    def test_command_line(self):
        self.assert_result(self.run_plain("report"), 2, "", "a recording is missing; - is standard input")
        self.assert_result(self.run_plain("report", "a", "b"), 2, "", "unexpected operand 'b'")
