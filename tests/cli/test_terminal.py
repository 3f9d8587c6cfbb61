"""What only a terminal shows: colours, and the width that it has. Uses pseudo-terminals."""

import errno
import fcntl
import os
import pty
import struct
import termios

import harness


def run_on_terminal(command, env, columns, rows=24):
    """Runs with a terminal of that size as standard output; (exit status, what it showed)."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(follower, 1)
            os.dup2(follower, 2)
            os.execve(command[0], command, env)
        finally:
            os._exit(127)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    status = os.waitpid(pid, 0)[1]
    return os.waitstatus_to_exitcode(status), shown.decode("utf-8").replace("\r\n", "\n")


def interrupted(seconds, command):
    """The command, which gets one SIGINT after a while: a second one, as timeout would send to the group, is for the impatient."""
    return ["/usr/bin/env", "timeout", "--foreground", "--signal=INT", "--preserve-status", str(seconds), *command]


class TerminalTest(harness.CommandTest):
    def status(self, *arguments, columns=120, **env):
        command = harness.sim_command("status", *arguments, profile="h100x8")
        code, shown = run_on_terminal(command, harness.environment(**env), columns)
        self.assertEqual(code, 0, shown)
        return shown

    def test_colors_on_a_terminal(self):
        self.assertIn("\033[", self.status())
        self.assertIn("\033[", self.status(NO_COLOR=""))

    def test_no_colors_where_they_are_not_wanted(self):
        self.assertNotIn("\033", self.status(NO_COLOR="1"))
        self.assertNotIn("\033", self.status(TERM="dumb"))
        self.assertNotIn("\033", self.status(TERM=None))
        self.assertNotIn("\033", self.status("--color=never"))

    def test_colors_that_are_asked_for(self):
        self.assertIn("\033[", self.status("--color=always", NO_COLOR="1", TERM="dumb"))

    def test_colors_of_the_list(self):
        command = harness.sim_command("call", "--list", "Memory", profile="h100x8", driver="470")
        self.assertIn("\033[", run_on_terminal(command, harness.environment(), 120)[1])
        self.assertNotIn("\033", run_on_terminal(command, harness.environment(NO_COLOR="1"), 120)[1])

    def test_width_of_the_terminal(self):
        for columns in (40, 60, 200):
            shown = self.status(columns=columns, NO_COLOR="1")
            piped = self.run_sim("status", "--width", str(columns)).out
            self.assertEqual(harness.TIME.sub("", shown), harness.TIME.sub("", piped))

    def test_terminal_without_a_size(self):
        shown = self.status(columns=0, NO_COLOR="1")
        piped = self.run_sim("status", "--width", "80").out
        self.assertEqual(harness.TIME.sub("", shown), harness.TIME.sub("", piped))

    def test_tiny_terminals(self):
        for columns in (1, 2, 5):
            for line in self.status(columns=columns, NO_COLOR="1", LC_ALL="C").splitlines():
                self.assertLessEqual(len(line), columns)

    def test_loop_draws_over_what_it_has_drawn(self):
        command = harness.sim_command("status", "--loop", "0.05", "--processes=none", profile="h100x8")
        code, shown = run_on_terminal(interrupted(2, command), harness.environment(NO_COLOR="1"), 120, rows=6)
        self.assertEqual(code, 0, shown)
        frames = shown.split("\033[H")
        self.assertGreater(len(frames), 3)
        self.assertEqual(frames[0], "")
        self.assertTrue(frames[1].startswith("\033[2Jdriver 550"), frames[1])
        for frame in frames[1:]:
            self.assertEqual(frame.count("\n"), 5, frame)  # of 13 lines; one row is left for the cursor
            self.assertEqual(frame.count("\033[K\n"), 5, frame)
            self.assertTrue(frame.endswith("\033[J"), frame)

    def test_loop_on_a_dumb_terminal_does_not_draw(self):
        command = harness.sim_command("status", "--loop", "0.05", "--processes=none", profile="h100x8")
        code, shown = run_on_terminal(interrupted(1, command), harness.environment(TERM="dumb"), 120)
        self.assertEqual(code, 0, shown)
        self.assertNotIn("\033", shown)
        self.assertGreater(shown.count("\n\ndriver 550"), 1)

    def test_columns_beats_the_terminal(self):
        shown = self.status(columns=200, COLUMNS="60", NO_COLOR="1")
        self.assertTrue(all(len(line) <= 60 for line in shown.splitlines()), shown)
