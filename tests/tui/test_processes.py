"""Single processes of this system: signals, environment, trees."""

import os
import pwd
import re
import signal
import sys

import case

PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"


def scenario(*pids):
    rows = [f"  - {{name: p{pid}, pid: {pid}, devices: [0, 1], used_memory_mib: {500 + i}}}" for i, pid in enumerate(pids)]
    return "\n".join(["base: rtx4090x2", "processes:", *rows, "  - {name: stranger, device: 0, used_memory_mib: 100}", ""])


class SignalTest(case.ViewerTest):
    def watch(self, *arguments, count=1):
        sleepers = [self.child("sleep", str(600 + i)) for i in range(count)]
        shown = self.start(*arguments, columns=110, scenario=scenario(*(sleeper.pid for sleeper in sleepers)))
        shown.wait(f"sleep {600 + count - 1}")
        return shown, sleepers

    def test_signal_names_the_process_and_is_sent(self):
        shown, (sleeper,) = self.watch()
        shown.keys("F9")
        shown.wait("15 SIGTERM")
        shown.keys("Enter")
        user = re.escape(pwd.getpwuid(os.getuid()).pw_name)
        shown.wait(re.compile(rf"Send SIGTERM to {sleeper.pid} \({user}\), sleep 600\? y/N"))
        self.assertIsNone(sleeper.poll())
        shown.keys("y")
        shown.wait("SIGTERM sent to 1 process")
        self.assertEqual(sleeper.wait(60), -signal.SIGTERM)
        self.leave(shown)

    def test_no_signal_without_a_yes(self):
        shown, (sleeper,) = self.watch()
        for key in ("Enter", "n", "Escape"):
            shown.keys("k")
            shown.wait("Send signal")
            shown.keys("Enter")
            shown.wait("y/N")
            shown.keys(key)
            shown.wait_gone("y/N")
        shown.keys("k")
        shown.wait("Send signal")
        shown.keys("Escape")
        shown.wait_gone("Send signal")
        self.assertIsNone(sleeper.poll())
        self.leave(shown)

    def test_another_signal_to_tagged_processes(self):
        shown, sleepers = self.watch(count=3)
        shown.keys("Space", "Down", "Space")  # 602 on both GPUs, by memory: 602, 602, 601, ...
        shown.keys("Down", "k")
        shown.wait("Send signal")
        shown.keys("Down", "Enter")
        shown.wait(re.compile("Send SIGINT to 2 processes, "))
        shown.keys("y")
        shown.wait("SIGINT sent to 2 processes")
        ended = [sleeper for sleeper in sleepers if sleeper.pid != sleepers[0].pid]
        self.assertEqual([sleeper.wait(60) for sleeper in ended], [-signal.SIGINT] * 2)
        self.assertIsNone(sleepers[0].poll())
        self.leave(shown)

    def test_process_that_ends_meanwhile(self):
        shown, (sleeper,) = self.watch()
        shown.keys("Z")
        shown.wait("PAUSED")
        shown.keys("k")
        shown.wait("Send signal")
        sleeper.kill()
        sleeper.wait()
        shown.keys("Enter")
        shown.wait("y/N")
        shown.keys("y")
        shown.wait("has ended")
        self.leave(shown)

    def test_foreign_process_gets_none(self):
        shown, (sleeper,) = self.watch()
        shown.keys("End", "k")
        shown.wait("no signal for process 4")
        self.assertIsNone(sleeper.poll())
        self.leave(shown)

    def test_readonly(self):
        shown, (sleeper,) = self.watch("--readonly")
        self.assertNotIn("F9Kill", shown.wait("F10Quit"))
        shown.keys("k")
        shown.wait("switched off")
        self.assertIsNone(sleeper.poll())
        self.leave(shown)

    def test_user_of_the_command_line(self):
        sleeper = self.child("sleep", "600")
        for user in (pwd.getpwuid(os.getuid()).pw_name, str(os.getuid())):
            done = self.once("--user", user, scenario=scenario(sleeper.pid))
            self.assertRegex(done.stdout.decode(), rf"(?s) user {user}  2 of 3 processes\n.* {sleeper.pid} ")
        done = self.once("--user", str(os.getuid() + 1), scenario=scenario(sleeper.pid))
        self.assertIn(" 0 of 3 processes\n", done.stdout.decode())

    def test_user_that_does_not_exist_is_refused(self):
        for user in ("nosuch-user", "", "1000x"):
            done = self.once("--user", user, scenario=scenario())
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(f"--user: there is no user '{user}'", done.stderr.decode())

    def test_user_menu(self):
        shown, _ = self.watch()
        shown.keys("u")
        shown.wait("(all users)")
        shown.keys("Down", "Enter")
        shown.wait("2 of 3 processes")
        shown.keys("u")
        shown.wait("(all users)")
        shown.keys("Home", "Enter")
        shown.wait_gone("of 3 processes")
        self.leave(shown)


class LookTest(case.ViewerTest):
    def test_environment(self):
        sleeper = self.child("sleep", "600", env={"B": "two=2", "A": "a\x1b[31mb", "Z": "模型"})
        shown = self.start(columns=110, scenario=scenario(sleeper.pid))
        shown.wait("sleep 600")
        shown.keys("e")
        screen = shown.wait(f"Environment of process {sleeper.pid}")
        self.assertRegex(screen, r"(?s)\n A=a\ufffd\[31mb\n B=two=2\n Z=模型\n")
        shown.keys("Escape")
        shown.wait("COMMAND")
        shown.keys("End", "e")
        shown.wait("no environment")
        self.leave(shown)

    def test_tree_leads_over_processes_without_a_gpu(self):
        parent = self.child(sys.executable, "-c", PARENT.replace("'import time; time.sleep(600)'", f"{PARENT!r}"))
        grandchild = ""
        while not grandchild:
            child = self.child_of(parent.pid)
            grandchild = child and self.child_of(child)
        self.addCleanup(os.kill, int(grandchild), signal.SIGKILL)
        self.addCleanup(os.kill, int(child), signal.SIGKILL)
        shown = self.start(columns=110, scenario=scenario(int(grandchild), parent.pid))
        shown.wait(f" {grandchild} ")
        shown.keys("t")
        shown.wait("└─")
        rows = self.rows(shown)
        place = next(i for i, row in enumerate(rows) if f" {parent.pid} " in row)
        self.assertRegex(rows[place + 1], rf" {grandchild} .*├─")
        self.leave(shown)

    def child_of(self, pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            return file.read().strip()

    def test_tree(self):
        parent = self.child(sys.executable, "-c", PARENT)
        child = ""
        while not child:
            child = self.child_of(parent.pid)
        self.addCleanup(os.kill, int(child), signal.SIGKILL)
        other = self.child("sleep", "601")
        shown = self.start(columns=110, scenario=scenario(int(child), other.pid, parent.pid))
        shown.wait("sleep 601")
        shown.keys("t")
        shown.wait("└─")
        rows = self.rows(shown)
        place = next(i for i, row in enumerate(rows) if f" {parent.pid} " in row)
        self.assertRegex(rows[place + 1], rf" {child} .*├─")
        self.assertRegex(rows[place + 2], rf" {child} .*└─")
        shown.keys("F5")
        shown.wait_gone("└─")
        self.leave(shown)
