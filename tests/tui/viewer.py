"""Runs the viewer in a private tmux server, presses keys and reads the screen. Waits for events, never for luck.

Holds no test and knows no output of the viewer.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time

LIMIT_S = 60
LOOK_S = 0.02

CONFIGURATION = """
set -g status off
set -g remain-on-exit on
set -s escape-time 0
set -g default-terminal "{term}"
set -g history-limit 0
set -s exit-empty off
"""


class Viewer:
    """A command on a terminal of its own. Use it in a `with`, or call close()."""

    def __init__(self, command, env, columns=80, rows=24, term="tmux-256color"):
        self.folder = tempfile.mkdtemp(prefix="nvpulse-tui-")
        self.socket = os.path.join(self.folder, "tmux")
        settings = os.path.join(self.folder, "tmux.conf")
        with open(settings, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(term=term))
        self.env = {name: value for name, value in env.items() if name not in ("TERM", "TMUX")}
        self.env.setdefault("SHELL", "/bin/sh")
        size = ["-x", str(columns), "-y", str(rows)]
        self.tmux("-f", settings, "new-session", "-d", "-s", "viewer", *size, "--", *command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.env, capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-u", "-S", self.socket, *arguments], env=self.env, capture_output=True, check=False, timeout=LIMIT_S)
        if done.returncode != 0:
            raise AssertionError(f"tmux {arguments}: {done.stderr.decode()}")
        return done.stdout.decode("utf-8", "replace")

    def keys(self, *names):
        """Presses keys: a character, or a name as tmux has it (Enter, Escape, F4, Up, C-l, ...)."""
        self.tmux("send-keys", "-t", "viewer", "--", *names)

    def type(self, text):
        self.tmux("send-keys", "-t", "viewer", "-l", "--", text)

    def mouse(self, button, row, column):
        """Presses a mouse button at a place counted from 0, as a terminal says it: 0 left, 64 wheel up, 65 wheel down."""
        said = b"\033[M" + bytes([32 + button, 33 + column, 33 + row])
        if button < 3:
            said += b"\033[M" + bytes([32 + 3, 33 + column, 33 + row])  # let go of it
        self.tmux("send-keys", "-t", "viewer", "-H", *(f"{byte:02x}" for byte in said))

    def resize(self, columns, rows):
        self.tmux("resize-window", "-t", "viewer", "-x", str(columns), "-y", str(rows))

    def screen(self, attributes=False):
        return self.tmux("capture-pane", "-t", "viewer", "-p", *(["-e"] if attributes else []))

    def lines(self):
        return self.screen().split("\n")

    def pane(self, *names):
        """Variables of tmux, such as pane_dead or cursor_y."""
        return self.tmux("display-message", "-t", "viewer", "-p", "|".join(f"#{{{name}}}" for name in names)).rstrip("\n").split("|")

    def wait(self, wanted, limit_s=LIMIT_S):
        """Waits until the screen has a text, fits a pattern, or a function of it says yes; returns the screen."""
        until = time.monotonic() + limit_s
        while True:
            screen = self.screen()
            if isinstance(wanted, str):
                found = wanted in screen
            elif isinstance(wanted, re.Pattern):
                found = wanted.search(screen)
            else:
                found = wanted(screen)
            if found:
                return screen
            if time.monotonic() > until:
                raise AssertionError(f"the screen never had {wanted!r}:\n{screen}")
            time.sleep(LOOK_S)

    def wait_gone(self, text, limit_s=LIMIT_S):
        return self.wait(lambda screen: text not in screen, limit_s)

    def pid(self):
        return int(self.pane("pane_pid")[0])

    def wait_end(self, limit_s=LIMIT_S):
        """Waits until the command has ended; its exit status."""
        until = time.monotonic() + limit_s
        while True:
            dead, status, signal = self.pane("pane_dead", "pane_dead_status", "pane_dead_signal")
            if dead == "1":
                return int(status) if status else -int(signal or 0)
            if time.monotonic() > until:
                raise AssertionError(f"the command has not ended:\n{self.screen()}")
            time.sleep(LOOK_S)
