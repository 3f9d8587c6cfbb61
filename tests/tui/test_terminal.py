"""Terminals: sizes, kinds, stops and ends."""

import os
import re
import signal
import subprocess
import time

import case


class SizeTest(case.ViewerTest):
    def test_every_size_and_back(self):
        for columns, rows in ((1, 1), (2, 2), (5, 3), (20, 5), (40, 10), (80, 24), (250, 80)):
            with self.subTest(columns=columns, rows=rows):
                shown = self.start(columns=columns, rows=rows)
                shown.resize(80, 24)
                shown.wait("vllm")
                shown.resize(columns, rows)
                shown.resize(80, 24)
                shown.wait("F10Quit")
                self.leave(shown)

    def test_resizing_again_and_again(self):
        shown = self.start()
        shown.wait("vllm")
        for step in range(40):
            shown.resize(1 + step * 7 % 120, 1 + step * 5 % 40)
            shown.keys(("Down", "F1", "Escape", "F5", "Tab", "F6", "Escape")[step % 7])
        shown.resize(80, 24)
        shown.keys("Escape", "Escape")
        shown.wait("F10Quit")
        self.leave(shown)

    def test_terminal_without_a_size(self):
        shown = self.shell()
        shown.type("stty rows 0 columns 0; " + " ".join(self.command()))
        shown.keys("Enter")
        shown.wait("vllm")
        shown.keys("q")
        shown.wait(lambda screen: screen.rstrip().endswith("PROMPT>"))

    def test_nothing_is_wider_than_the_terminal(self):
        for columns in (30, 45, 60, 79):
            shown = self.start(columns=columns)
            for line in shown.wait(re.compile(r"0 .*%")).split("\n"):
                self.assertLessEqual(len(line), columns)


class KindTest(case.ViewerTest):
    def test_kinds_of_terminals(self):
        for term in ("screen", "screen-256color", "tmux", "tmux-256color"):
            shown = self.start(term=term)
            shown.wait("vllm")
            self.leave(shown)
        for term in ("xterm", "xterm-256color", "linux", "vt100"):
            shown = self.shell()
            shown.type(f"TERM={term} " + " ".join(self.command()))
            shown.keys("Enter")
            shown.wait(re.compile("F10 *Quit"))
            shown.keys("q")
            shown.wait("PROMPT>")

    def test_graphs_on_a_console_are_blocks(self):
        shown = self.shell(rows=40)
        shown.type("TERM=linux " + " ".join(self.command("--interval", "0.1", profile="rtx4090x2", clock="real")))
        shown.keys("Enter")
        screen = shown.wait(re.compile(r"(?m)^ +[\u2581-\u2588]{3}(?! *\d)"))
        self.assertNotRegex(screen, r"[\u2801-\u28ff]")  # its font has no braille
        shown.keys("q")
        shown.wait("PROMPT>")

    def test_terminals_that_cannot_be_drawn_on(self):
        for term, said in (("dumb", "TERM=dumb"), ("", "TERM is not set"), ("nosuch", "'nosuch' is not known")):
            shown = self.shell(columns=150)
            shown.type(f"TERM={term} {' '.join(self.command())}; echo status=$?")
            shown.keys("Enter")
            self.assertIn(said, shown.wait("status=2"))

    def test_no_terminal(self):
        shown = self.shell(columns=150)
        shown.type(f"{' '.join(self.command())} </dev/null; echo status=$?")
        shown.keys("Enter")
        self.assertIn("standard input is no terminal", shown.wait("status=2"))

    def test_ascii(self):
        for arguments, env in ((("--ascii",), {}), ((), {"LC_ALL": "C"})):
            shown = self.start(*arguments, env=env)
            screen = shown.wait("vllm")
            self.assertTrue(screen.isascii(), screen)
            self.assertIn("|||", screen)
            self.leave(shown)

    def test_colors(self):
        self.assertRegex(self.start().screen(attributes=True), "\033\\[[0-9;]*(38|48|3[0-7])[;m]")
        for arguments, env in (((), {"NO_COLOR": "1"}), (("--color=never",), {}), (("--theme=mono",), {})):
            shown = self.start(*arguments, env=env)
            shown.wait("vllm")
            self.assertNotRegex(shown.screen(attributes=True), "\033\\[[0-9;]*(38|48|3[0-7]|4[0-7])[;m]")
        self.assertRegex(self.start("--color=always", env={"NO_COLOR": "1"}).screen(attributes=True), "\033\\[[0-9;]*(38|48)[;m]")


    def test_themes(self):
        colors = {}
        for theme in ("dark", "light"):
            shown = self.start("--theme", theme)
            shown.wait("vllm")
            colors[theme] = set(re.findall(r"[34]8;5;(\d+)", shown.screen(attributes=True)))
            self.leave(shown)
        self.assertIn("24", colors["dark"])  # the title
        self.assertIn("25", colors["light"])
        self.assertNotEqual(colors["dark"], colors["light"])


class EndTest(case.ViewerTest):
    def test_stop_and_go_on(self):
        shown = self.shell()
        shown.type(" ".join(self.command()))
        shown.keys("Enter")
        shown.wait("vllm")
        for size in ((80, 24), (100, 30)):
            shown.keys("C-z")
            shown.wait("Stopped")
            shown.resize(*size)
            shown.type("clear; fg")
            shown.keys("Enter")
            shown.wait("vllm")
        shown.keys("q")
        shown.wait("PROMPT>")
        shown.type("stty -a; echo status=$?")
        shown.keys("Enter")
        screen = shown.wait("status=0")
        self.assertRegex(screen, r"(?s) icanon .* echo ")

    def test_signals_that_end(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            shown = self.start()
            shown.wait("vllm")
            os.kill(shown.pid(), number)
            self.assertEqual(shown.wait_end(), 0)
            self.assertNotIn("vllm", shown.screen())

    def test_lost_terminal(self):
        shown = self.start()
        shown.wait("vllm")
        pid = shown.pid()
        shown.tmux("kill-server")
        for _ in range(3000):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                if ") Z " in file.read():
                    return
            time.sleep(0.02)
        self.fail("the viewer goes on without a terminal")

    def test_once_needs_no_terminal(self):
        done = subprocess.run(self.command("--once"), env=self.environment(COLUMNS="100", LINES="30"), capture_output=True, check=False)
        lines = done.stdout.decode().split("\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(lines), 31)
        self.assertTrue(lines[0].startswith("SIMULATED"))
        self.assertTrue(all(len(line) <= 100 for line in lines))
