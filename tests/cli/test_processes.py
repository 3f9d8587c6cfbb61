"""`nvpulse processes`: what it lists, in which order and form."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import harness

HANGING = """
base: h100x8
faults:
  - { function: nvmlDeviceGetComputeRunningProcesses_v3, device: 5, hang: true }
"""
REFUSING = """
base: h100x8
faults:
  - { function: nvmlDeviceGetComputeRunningProcesses_v3, error: NVML_ERROR_NO_PERMISSION }
"""
ONE = """
base: h100x8
system: { num_devices: 1 }
processes:
  - { name: driver-says, pid: PID, device: 0, type: C, used_memory_mib: 512 }
"""


class ProcessesTest(harness.CommandTest):
    def processes(self, *arguments, **options):
        return self.assert_result(self.run_sim("processes", *arguments, **options), 0, err="").out

    def rows(self, *arguments, **options):
        """The processes as programs get them."""
        return json.loads(self.processes("--json", *arguments, **options))["processes"]

    def pids(self, *arguments, **options):
        return [row["pid"] for row in self.rows("--columns", "pid", *arguments, **options)]

    def test_table(self):
        out = self.processes("--width", "0")
        self.assertTrue(out.startswith("SIMULATED: nvpulse simulator, driver 550"))
        self.assertRegex(out, r"(?m)^GPU │ +PID │ User │ Type │ +Memory │ +SM │ CPU │ Host mem │ Running │ Command$")
        self.assertRegex(out, r"(?m)^  5 │ 4200004\* │ N/A  │ M\+C  │ +980 MiB │ 18% │ N/A │ +N/A │ +N/A │ /srv/mps/score-a$")
        self.assertEqual(len(re.findall(r"(?m)^  \d │ 42000", out)), 12)
        self.assertIn("\n* of another pid namespace, or not known here\n", out)

    def test_no_line_is_too_wide(self):
        for arguments in ((), ("--columns", "pid,gpu_uuid,name,container_id,type,user,uid,start_time")):
            for width in (1, 2, 10, 39, 40, 60, 80, 100):
                for line in self.processes("--width", str(width), *arguments, LC_ALL="C").splitlines():
                    self.assertLessEqual(len(line), width)

    def test_columns(self):
        out = self.processes("--columns", "command,gpu,pid,gpu_memory_bytes", "--id", "6")
        self.assertRegex(out, r"(?m)^Command +│ GPU │ +PID │ +Memory$")
        self.assertRegex(out, r"(?m)^/usr/lib/jupyter/kernel +│ +6 │ 4200007\* │ +1.4 GiB$")

    def test_all_columns_at_once(self):
        rows = self.rows()
        self.assertEqual(len(rows), 12)
        names = [name for name in rows[0] if name != "na"]
        self.assertEqual(len(names), 28)
        self.assertIn(" Slurm job", self.processes("--columns", ",".join(names), "--width", "0"))
        for row in rows:
            for name in names:
                self.assertEqual(row[name] is None, name in row["na"], (name, row))

    def test_help_names_every_field(self):
        text = self.run_plain("processes", "--help").out
        for name in self.rows()[0]:
            if name != "na":
                self.assertRegex(text, rf"(?m)[ ,]{name}(,|$)")

    def test_columns_that_are_none(self):
        result = self.run_sim("processes", "--columns", "pid,comand")
        self.assert_result(result, 2, "", "--columns: there is no field 'comand'; did you mean 'command'?")
        for names in ("", "pid,", "bytes", "xyzzy", "_percent"):
            self.assert_result(self.run_sim("processes", "--sort", names), 2, "", "--sort: there is no field '")

    def test_sort(self):
        for field in ("gpu_memory_bytes", "sm_percent", "pid", "command"):
            values = [row[field] for row in self.rows("--sort", field)]
            self.assertEqual(values, sorted(values), field)
            values = [row[field] for row in self.rows(f"--sort=-{field}")]
            self.assertEqual(values, sorted(values, reverse=True), field)
        self.assertNotEqual(self.pids("--sort", "gpu_memory"), self.pids())

    def test_sort_by_several(self):
        rows = self.rows("--sort", "type,-gpu,gpu_memory")
        keys = [(("compute", "mps") == tuple(row["type"]), -row["gpu_index"], row["gpu_memory_bytes"]) for row in rows]
        self.assertEqual(keys, sorted(keys))

    def test_sort_puts_what_is_not_available_last(self):
        rows = self.rows("--sort", "mig_index,pid", profile="a100-mig")
        migs = [row["mig_index"] for row in rows]
        self.assertEqual(migs, [0, 0, 0, 1, 2, None])
        migs = [row["mig_index"] for row in self.rows("--sort=-mig_index", profile="a100-mig")]
        self.assertEqual(migs, [2, 1, 0, 0, 0, None])

    def test_filters(self):
        self.assertEqual(self.pids("--pid", "4200004,4200006"), [4200004, 4200006])
        self.assertEqual(self.pids("--type", "M"), [4200004, 4200005])
        self.assertEqual(self.pids("--type", "g"), [])
        self.assertEqual(len(self.pids("--type", "C,G")), 12)
        self.assertEqual(self.pids("--command", "ffmpeg"), [4200006])
        self.assertEqual(self.pids("--command", "/srv/mps/*"), [4200004, 4200005])
        self.assertEqual(self.pids("--command", "mps/*"), [], "a pattern is for the whole line")
        self.assertEqual(set(self.pids("--id", "0")), {4200000, 4200001})
        self.assertEqual(self.pids("--id", "0", "--command", "evaluate", "--type", "C"), [4200001])
        self.assertEqual(self.pids("--user", "nobody"), [], "what is N/A passes no filter")

    def test_memory_is_that_of_the_gpu(self):
        for word in ("memory", "mem", "gpu_memory"):
            self.assertEqual(self.processes("--csv", "--columns", word).split("\n")[0], "gpu_memory_bytes")
        self.assertEqual(self.pids("--sort", "-memory"), self.pids("--sort", "-gpu_memory_bytes"))
        self.assertEqual(self.processes("--csv", "--columns", "memory_percent").split("\n")[0], "memory_percent")

    def test_users_that_do_not_exist_are_refused(self):
        for users, name in (("nosuch-user", "nosuch-user"), ("root,nosuch-user", "nosuch-user"), ("", ""), ("1000x", "1000x")):
            self.assert_result(self.run_sim("processes", "--user", users), 2, "", f"--user: there is no user '{name}'")

    def test_filters_that_are_none(self):
        for pids in ("x", "1,", "-1", "1 2", "", "99999999999999"):
            self.assert_result(self.run_sim("processes", "--pid", pids), 2, "", f"--pid: '{pids}' is no list of process ids")
        for types in ("x", "CX", "", ","):
            self.assert_result(self.run_sim("processes", "--type", types), 2, "", f"--type: '{types}' is none of C, G, M")
        self.assert_result(self.run_sim("processes", "--id", "8"), 2, "", "--id: there is no device '8'")

    def test_no_processes(self):
        self.assertIn("\nno processes\n", self.processes("--type", "G"))
        self.assertEqual(self.processes("--jsonl", "--type", "G"), "")
        self.assertEqual(self.processes("--csv", "--type", "G", "--columns", "pid,gpu"), "pid,gpu_index\n")

    def test_forms_say_the_same(self):
        rows = self.rows()
        lines = [json.loads(line) for line in self.processes("--jsonl").splitlines()]
        self.assertEqual(lines, rows)
        table = list(csv.DictReader(io.StringIO(self.processes("--csv"))))
        self.assertEqual(len(table), len(rows))
        for cells, row in zip(table, rows):
            for name, cell in cells.items():
                value = row[name]
                if name == "type":
                    value = {"compute": "C", "compute+mps": "M+C"}["+".join(value)]
                self.assertEqual(cell, "" if value is None else str(int(value) if value is True else value), name)

    def test_one_form_at_a_time(self):
        self.assert_result(self.run_sim("processes", "--json", "--csv"), 2, "", "one of --json, --jsonl and --csv")

    def test_csv_quotes_what_has_commas(self):
        scenario = self.scenario_file("base: h100x8\nprocesses:\n  - { device: 0, type: C, name: 'a, \"b\"', used_memory_mib: 1 }\n")
        rows = list(csv.reader(io.StringIO(self.processes("--csv", "--columns", "command,pid", scenario=scenario))))
        self.assertEqual(rows[1][0], 'a, "b"')

    def test_mig_devices_are_named(self):
        out = self.processes("--columns", "gpu,gpu_memory,command", profile="a100-mig")
        self.assertRegex(out, r"(?m)^0:2 │ +6.9 GiB │ /opt/infer/server$")
        self.assertEqual(len(self.pids("--id", "0:0", profile="a100-mig")), 2)

    def test_what_is_not_available_has_a_reason(self):
        out = self.processes("--verbose", profile="a100-mig")
        self.assertRegex(out, r"(?m)^sm_percent +│ +5 │ not supported │ NVML_ERROR_NOT_SUPPORTED$")

    def busy(self):
        """A program that keeps a processor busy, and a scenario in which it uses a GPU."""
        process = subprocess.Popen([sys.executable, "-c", "import sys\nwhile True: sys.argv"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, self.scenario_file(ONE.replace("PID", str(process.pid)))

    def test_host_side_of_a_process(self):
        process, scenario = self.busy()
        row = self.rows(scenario=scenario)[0]
        self.assertEqual((row["pid"], row["foreign"], row["uid"], row["parent_pid"]), (process.pid, False, os.getuid(), os.getpid()))
        self.assertIn("while True", row["command"].replace("\n", " "))
        self.assertGreater(row["host_memory_bytes"], 1 << 20)
        out = self.processes("--user", str(os.getuid()), scenario=scenario)
        self.assertRegex(out, rf"(?m)^  0 │ +{process.pid} │ ")
        self.assertNotIn("*", out)

    def test_load_of_the_processor_is_seen_at_once(self):
        _, scenario = self.busy()
        self.assertGreater(self.rows("--columns", "cpu", scenario=scenario)[0]["cpu_percent"], 5)
        out = self.processes("--sort", "cpu", "--columns", "pid", scenario=scenario)
        self.assertIn("PID", out)

    def test_looks_once_where_no_rate_is_shown(self):
        begin = time.monotonic()
        for _ in range(3):
            self.processes("--columns", "pid,gpu_memory")
        without = time.monotonic() - begin
        begin = time.monotonic()
        for _ in range(3):
            self.processes("--columns", "pid,cpu")
        self.assertGreater(time.monotonic() - begin, 0.6)
        self.assertLess(without, time.monotonic() - begin)

    def test_hanging_gpu_is_named(self):
        scenario = self.scenario_file(HANGING)
        result = self.run_sim("processes", "--columns", "pid,gpu", scenario=scenario)
        self.assert_result(result, 0, "\nGPU 5: stalled 2 s\n", "")
        self.assertRegex(result.out, r"(?m)^4200006\* │ +6$")
        result = self.run_sim("processes", "--json", scenario=scenario)
        self.assert_result(result, 0, '"complete":false', "GPU 5: stalled 2 s")
        json.loads(result.out)

    def test_list_that_is_refused_is_named(self):
        result = self.run_sim("processes", "--columns", "pid", scenario=self.scenario_file(REFUSING))
        self.assert_result(result, 0, "the list is not complete: Insufficient Permissions (NVML_ERROR_NO_PERMISSION)")

    def test_loop(self):
        command = harness.sim_command("processes", "--loop", "50ms", "--jsonl", "--pid", "4200006", profile="h100x8")
        process = subprocess.Popen(command, env=harness.environment(), stdout=subprocess.PIPE, text=True)
        lines = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        process.stdout.close()
        self.assertEqual(process.wait(timeout=harness.TIMEOUT_S), 0)
        self.assertEqual({line["pid"] for line in lines}, {4200006})
        for line in rest.splitlines():
            json.loads(line)

    def test_no_driver(self):
        self.assert_result(self.run_plain("processes"), 3, "", "NVML cannot be used")

    def test_operands_are_refused(self):
        self.assert_result(self.run_sim("processes", "0"), 2, "", "unexpected operand '0'")
