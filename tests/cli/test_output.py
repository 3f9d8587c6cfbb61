"""Where the output goes: pipes that close, disks that are full, a standard output that is not there."""

import os
import re
import signal
import subprocess

import harness

COMMANDS = (["--help"], ["--version"], ["status", "--help"], ["call", "--list"], ["call", "--list", "--json"])


class OutputTest(harness.CommandTest):
    def run_shell(self, script, *arguments):
        return harness.execute(["sh", "-c", script, "sh", harness.program(), *arguments])

    def run_into(self, descriptor, *arguments, ignore_sigpipe=False, sim=False):
        """Runs with that descriptor as standard output; (exit status, stderr)."""
        command = harness.sim_command(*arguments, profile="h100x8") if sim else [harness.program(), *arguments]
        done = subprocess.run(
            command,
            env=harness.environment() if sim else harness.environment(NVPULSE_NVML_PATH="/nonexistent"),
            stdout=descriptor,
            stderr=subprocess.PIPE,
            restore_signals=not ignore_sigpipe,
            timeout=harness.TIMEOUT_S,
            check=False,
        )
        return done.returncode, done.stderr.decode()

    def closed_pipe(self):
        """The writing end of a pipe whose reader is gone."""
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        return writer

    def test_full_disk_is_noticed(self):
        for arguments in COMMANDS:
            with open("/dev/full", "wb") as full:
                code, err = self.run_into(full, *arguments)
            self.assertEqual((code, err), (4, "nvpulse: cannot write the output: No space left on device\n"), arguments)

    def test_full_disk_is_noticed_by_status(self):
        with open("/dev/full", "wb") as full:
            code, err = self.run_into(full, "status", sim=True)
        self.assertEqual((code, err), (4, "nvpulse: cannot write the output: No space left on device\n"))

    def test_closed_pipe_kills_quietly(self):
        for arguments in COMMANDS:
            self.assertEqual(self.run_into(self.closed_pipe(), *arguments), (-signal.SIGPIPE, ""), arguments)
        self.assertEqual(self.run_into(self.closed_pipe(), "status", sim=True), (-signal.SIGPIPE, ""))

    def test_closed_pipe_is_quiet_where_the_signal_is_ignored(self):
        before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGPIPE, before)
        for arguments in COMMANDS:
            self.assertEqual(self.run_into(self.closed_pipe(), *arguments, ignore_sigpipe=True), (0, ""), arguments)

    def test_closed_standard_output(self):
        result = self.run_shell('"$@" >&-', "--help")
        self.assert_result(result, 4, "", "cannot write the output: Bad file descriptor")

    def test_closed_standard_output_does_not_matter_when_there_is_none(self):
        self.assert_result(self.run_shell('"$@" >&-', "frobnicate"), 2, "", "unknown command")

    def test_closed_standard_streams_are_survived(self):
        self.assert_result(self.run_shell('"$@" <&- 2>&-', "--version"), 0, "nvpulse ", "")
        self.assert_result(self.run_shell('"$@" <&- >&- 2>&-', "status"), 3, "", "")

    def test_messages_go_to_standard_error(self):
        self.assert_result(self.run_plain("status"), 3, "", "NVML cannot be used")

    def test_options_that_a_message_names_exist(self):
        """Without a library, where the search has looked at many places."""
        for arguments in (["query", "--query-gpu=name"], ["record", "--output", "-"], ["top", "--once"], ["status"], ["select"]):
            said = harness.execute([harness.program(), *arguments]).err
            offered = harness.execute([harness.program(), arguments[0], "--help"]).out
            for option in re.findall(r"--[a-z]+", said):
                self.assertIn(option, offered, (arguments, said))
