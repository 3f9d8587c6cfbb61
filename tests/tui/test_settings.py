"""The setup and the file in which it is kept."""

import os
import signal
import stat

import case


class SettingsTest(case.ViewerTest):
    def environment(self, **changes):
        """Leaving waits for the settings, however slow the disk is."""
        return super().environment(**{"NVPULSE_EXIT_TIMEOUT_MS": "60000", **changes})

    def read(self):
        with open(self.config, encoding="utf-8") as file:
            return file.read()

    def write(self, text):
        return self.file("config/nvpulse/config.yaml", text)

    def test_setup_is_kept(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("F2")
        shown.wait("Interval    < 1 s >")
        shown.keys("Right")
        shown.wait("< 1.5 s >")
        shown.keys("Down", "Right")
        shown.wait("< light >")
        shown.keys("Down", "Left")
        shown.wait("Sort by     < DEC% >")
        shown.keys("Down", "Right")
        shown.wait("< ascending >")
        shown.keys("Down", "Down", "Down", "Down", "Right")  # USER behind TYPE
        shown.keys("Down", "Space")  # without SM%
        shown.wait("[ ] SM%")
        shown.keys("Escape")
        shown.wait("GPU     PID TYPE USER      GPU-MEM")
        self.leave(shown)
        kept = self.read()
        for line in ("interval_seconds: 1.5", "theme: light", "sort: dec", "descending: false", "tree: false"):
            self.assertIn(f"  {line}\n", kept)
        self.assertIn("  columns: [gpu, pid, type, user, mem, cpu, host, time, command]\n", kept)
        again = self.start()
        again.wait("GPU     PID TYPE USER      GPU-MEM")
        again.wait("1.5s")
        self.leave(again)
        self.assertEqual(self.read(), kept)

    def test_mouse_in_the_setup(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("F2")
        shown.wait("< dark >")
        def click(text):
            shown.mouse(0, next(i for i, line in enumerate(shown.lines()) if text in line), 10)
        click("Theme")
        shown.keys("Right")
        shown.wait("< light >")
        click("Theme")
        shown.wait("< mono >")
        click("Tree")
        click("Tree")
        shown.wait("Tree        < yes >")
        click("] TYPE")
        click("] TYPE")
        shown.wait("[ ] TYPE")
        for _ in range(30):
            shown.mouse(65, 10, 10)  # the wheel: down to the last column
        shown.wait("[ ] NAME")
        self.leave(shown)

    def test_space_takes_back_what_it_did(self):
        shown = self.start()
        shown.wait("vllm")
        shown.keys("F2", *["Down"] * 9)
        shown.keys("Space")
        shown.wait("[ ] SM%")
        shown.keys("Space")
        shown.wait("[x] SM%")
        self.leave(shown)

    def test_what_changed_is_kept_at_once(self):
        shown = self.start()
        for key, label, line in (("F5", "F5List", "  tree: true\n"), ("F5", "F5Tree", "  tree: false\n"), ("F5", "F5List", "  tree: true\n")):
            shown.keys(key)
            shown.wait(label)
            shown.wait(lambda _, line=line: os.path.exists(self.config) and line in self.read())
        os.kill(shown.pid(), signal.SIGKILL)
        shown.wait_end()  # tmux does not always know by which signal
        self.assertEqual(os.listdir(os.path.dirname(self.config)), ["config.yaml"])
        again = self.start()
        again.wait("F5List")
        self.leave(again)

    def test_nothing_is_written_unless_something_changed(self):
        self.leave(self.start())
        self.assertFalse(os.path.exists(self.config))

    def test_options_are_not_kept(self):
        shown = self.start("--interval", "3", "--theme", "light")
        shown.wait(" 3s")
        shown.keys("F5")
        shown.wait("F5List")
        self.leave(shown)
        self.assertIn("interval_seconds: 1\n", self.read())
        self.assertIn("theme: dark\n", self.read())

    def test_other_keys_are_kept(self):
        self.write("serve: {port: 9835}\ntop:\n  interval_seconds: 2\n  later: [a, {b: 'yes'}]\nlist:\n- 1\n")
        os.chmod(self.config, 0o600)
        shown = self.start()
        shown.wait(" 2s")
        shown.keys("+")
        shown.wait(" 3s")
        self.leave(shown)
        kept = self.read()
        for text in ("serve: {port: 9835}", "interval_seconds: 3", "later: [a, {b: 'yes'}]", "list:\n- 1"):
            self.assertIn(text, kept)
        self.assertEqual(stat.S_IMODE(os.stat(self.config).st_mode), 0o600)
        self.assertEqual(os.listdir(os.path.dirname(self.config)), ["config.yaml"])

    def test_link_stays_a_link(self):
        real = self.file("dotfiles/nvpulse.yaml", "top: {tree: true}\n")
        os.makedirs(os.path.dirname(self.config))
        os.symlink(real, self.config)
        shown = self.start()
        shown.wait("F5List")
        shown.keys("F5")
        shown.wait("F5Tree")
        self.leave(shown)
        self.assertTrue(os.path.islink(self.config))
        with open(real, encoding="utf-8") as file:
            self.assertIn("tree: false", file.read())

    def test_bad_files_are_named_and_left_alone(self):
        for text, said in (
            ("top:\n  theme: blue\n", "config.yaml:2: theme is none of dark, light, mono"),
            ("top:\n\n  interval_seconds: 0\n", "config.yaml:3: interval_seconds is no number from 0.1 to 3600"),
            ("top:\n  columns: [gpu, nosuch]\n", "config.yaml:2: there is no such column"),
            ("top: [1\n", "config.yaml:2: did not find expected ',' or ']'"),
            ("top:\n  columns: " + "[[]," * 25000, "config.yaml:2: nested deeper than 64 levels"),
            ("top: 5\n", "config.yaml:1: top is no mapping"),
            ("- 1\n", "config.yaml:1: is no mapping"),
            ("top:\n  tree: perhaps\n", "config.yaml:2: neither true nor false"),
        ):
            with self.subTest(text=text):
                self.write(text)
                shown = self.start(columns=120)
                shown.wait(said)
                shown.keys("F5")
                shown.wait("F5List")
                self.leave(shown)
                self.assertEqual(self.read(), text)

    def test_file_that_cannot_be_written_is_named(self):
        self.file("config", "a file where a folder should be\n")
        shown = self.shell(columns=150)
        shown.type(" ".join(self.command()) + "; echo status=$?")
        shown.keys("Enter")
        shown.wait("F5Tree")
        shown.keys("F5")
        shown.wait("F5List")
        shown.keys("q")
        self.assertIn("the settings are not kept: config.yaml: Not a directory", shown.wait("status=0"))
