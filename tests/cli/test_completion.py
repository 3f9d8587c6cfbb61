"""`nvpulse completion`: what it offers, and that the shells show it."""

import os
import shutil
import subprocess
import tempfile
import unittest

import harness
from test_help import COMMANDS, options_of_help


class WordsTest(harness.CommandTest):
    def words(self, *words, **env):
        """The candidates for the last word, without their descriptions."""
        out = self.assert_result(self.run_plain("completion", "words", "--", *words, **env), 0, err="").out
        return [line.split("\t")[0] for line in out.splitlines()]

    def words_sim(self, *words, profile="h100x8"):
        out = self.assert_result(self.run_sim("completion", "words", "--", *words, profile=profile), 0, err="").out
        return [line.split("\t")[0] for line in out.splitlines()]

    def test_commands(self):
        self.assertEqual(set(self.words("")) - {"shim", "trace", "serve"}, set(COMMANDS) - {"shim", "trace", "serve"} | {"help"})
        self.assertEqual(self.words("stat"), ["status"])
        self.assertEqual(self.words("re"), ["record", "report"])
        self.assertEqual(self.words("--"), ["--help", "--version"])
        self.assertEqual(self.words("xyzzy"), [])
        self.assertEqual(self.words("xyzzy", ""), [])
        self.assertEqual(self.words("help", "qu"), ["query"])

    def test_options_of_every_command(self):
        for command in COMMANDS:
            names = ["--" + name for _, name, _ in options_of_help(self.run_plain(command, "--help").out)]
            self.assertEqual(self.words(command, "-"), names, command)
            self.assertEqual(self.words(command, "--"), names, command)
        self.assertEqual(self.words("status", "--ver"), ["--verbose"])
        self.assertIn("--verbose", self.words("status", ""))

    def test_every_argument_of_a_fixed_set_has_candidates(self):
        for command in COMMANDS:
            for _, name, argument in options_of_help(self.run_plain(command, "--help").out):
                if argument in ("WHEN", "WHICH", "METRICS", "LIST", "FORMAT", "FORM", "KIND", "NAME", "VERSION"):
                    self.assertGreater(len(self.words(command, "--" + name, "")), 1, (command, name))

    def test_descriptions_stand_behind_a_tab(self):
        out = self.run_plain("completion", "words", "--", "status", "--verb").out
        self.assertRegex(out, r"^--verbose\t[a-z].*\n$")

    def test_arguments(self):
        for words in (("--color", ""), ("-v", "--color", ""), ("-i", "0", "--color", "")):
            self.assertEqual(self.words("status", *words), ["auto", "always", "never"])
        self.assertEqual(self.words("status", "--color=al"), ["--color=always"])
        self.assertEqual(self.words("status", "-p", "n"), ["none"])
        self.assertEqual(self.words("status", "-vp", "n"), ["none"])
        self.assertEqual(self.words("status", "-pall", "--no"), [])
        self.assertEqual(self.words("status", "--width", ""), [], "any number can stand there")
        self.assertEqual(self.words("sim", "--clock", ""), ["real", "stepped"])

    def test_metrics(self):
        self.assertEqual(self.words("record", "--metrics", "power.dr"), ["power.draw_mw"])
        self.assertEqual(self.words("record", "-m", "fan.*,power.dr"), ["fan.*,power.draw_mw"])
        self.assertEqual(self.words("report", "--chart=power.draw_mw,temperature.gpu_c"), ["--chart=power.draw_mw,temperature.gpu_c"])
        self.assertIn("power.*", self.words("record", "--metrics", "pow"))
        self.assertGreater(len(self.words("record", "--metrics", "")), 150)
        self.assertEqual(self.words("query", "--query-gpu=name,power.max"), ["--query-gpu=name,power.max_limit"])

    def test_process_fields(self):
        self.assertEqual(self.words("processes", "--columns", "pid,gpu_m"), ["pid,gpu_memory_bytes"])
        self.assertEqual(len(self.words("processes", "--sort", "")), 28)

    def test_profiles_and_drivers(self):
        self.assertIn("rtx4090x2", self.words("sim", "--profile", ""))
        self.assertEqual(self.words("sim", "--profile", "gb"), ["gb10"])
        self.assertIn("550.163.01", self.words("sim", "--driver", "55"))

    def test_devices(self):
        self.assertEqual(self.words_sim("status", "--id", ""), [str(index) for index in range(8)])
        self.assertEqual(self.words_sim("status", "--id", "0,"), [f"0,{index}" for index in range(8)])
        self.assertIn("0:2", self.words_sim("status", "-i", "", profile="a100-mig"))
        uuids = self.words_sim("status", "-i", "GPU-")
        self.assertEqual(len(uuids), 8)
        self.assertTrue(all(uuid.startswith("GPU-") for uuid in uuids))
        self.assertEqual(self.words("status", "--id", ""), [], "without a driver there are none, and no message")

    def test_functions(self):
        self.assertIn("nvmlDeviceGetPowerUsage", self.words("call", "nvmlDeviceGetPower"))

    def test_files_and_commands_are_left_to_the_shell(self):
        self.assertEqual(self.words("report", ""), [":files"])
        self.assertEqual(self.words("record", "--output", ""), [":files"])
        self.assertEqual(self.words("sim", "--scenario", "x"), [":files"])
        self.assertEqual(self.words("sim", "-p", "h200", "--", "gre"), [":command 4"])
        self.assertEqual(self.words("record", "-o", "x", "--", "python3", "tra"), [":command 4"])
        self.assertEqual(self.words("select", "--count", "1", "python3", "tra"), [":command 3"])

    def test_strange_words_do_no_harm(self):
        for words in (("status", "--="), ("status", "--color="), ("status", "-"), ("status", "--", "-"), ("status", "-\u00e4", ""),
                      ("--help", ""), ("status", "%s%n"), ("report", "--chart", ",,,")):
            self.words(*words)

    def test_command_line(self):
        for arguments in ((), ("tcsh",), ("bash", "zsh"), ("words",), ("words", "--")):
            self.assert_result(self.run_plain("completion", *arguments), 2, "", "one of bash, zsh and fish")
        self.assertNotIn("completion", self.run_plain("--help").out)


class ShellTest(harness.CommandTest):
    """Each shell is asked what it would show."""

    def setUp(self):
        home = tempfile.TemporaryDirectory()  # some shells write into it
        self.addCleanup(home.cleanup)
        self.home = home.name
        self.path = os.path.dirname(harness.program()) + ":" + os.environ.get("PATH", "/usr/bin:/bin")

    def run_shell(self, *command, stdin=None):
        env = harness.environment(PATH=self.path, NVPULSE_NVML_PATH="/nonexistent/libnvidia-ml.so.1", HOME=self.home)
        return self.assert_result(harness.execute(command, env, stdin=stdin), 0).out

    BASH = r"""
        eval "$(nvpulse completion bash)"
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        _nvpulse nvpulse "${COMP_WORDS[COMP_CWORD]}" ""
        printf '%s\n' "${COMPREPLY[@]}"
    """

    def bash(self, *words):
        return self.run_shell("bash", "--norc", "-c", self.BASH, "bash", "nvpulse", *words).split()

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash(self):
        self.assertEqual(self.bash("sta"), ["status"])
        self.assertEqual(self.bash("status", "--ver"), ["--verbose"])
        self.assertEqual(self.bash("status", "--color", "=", "al"), ["always"], "bash takes words apart at =")
        self.assertEqual(self.bash("status", "--color", "="), ["auto", "always", "never"])
        self.assertEqual(self.bash("record", "--metrics", "fan.*,power.dr"), ["fan.*,power.draw_mw"])
        self.assertIn("/etc/passwd", self.bash("report", "/etc/pass"))
        self.assertIn("sleep", self.bash("record", "-o", "x", "--", "slee"))

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash_is_registered(self):
        out = self.run_shell("bash", "--norc", "-c", 'eval "$(nvpulse completion bash)"; complete -p nvpulse')
        self.assertEqual(out, "complete -F _nvpulse nvpulse\n")

    ZSH = r"""
        autoload -Uz compinit; compinit -D -u
        eval "$(nvpulse completion zsh)"
        # in place of the widget: what would be shown
        _describe() { local name=$2; print -rl -- "${(@P)name}" }
        _files() { print -r -- FILES $PREFIX }
        _normal() { print -r -- NORMAL $CURRENT $words }
        compset() { : }
        words=("$@"); CURRENT=$#; _nvpulse
    """

    def zsh(self, *words):
        return self.run_shell("zsh", "-f", "-c", self.ZSH, "zsh", "nvpulse", *words)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        self.assertRegex(self.zsh("sta"), r"^status:Show every GPU")
        self.assertRegex(self.zsh("status", "--ver"), r"^--verbose:list what is N/A")
        self.assertEqual(self.zsh("status", "--color=al"), "--color=always\n")
        self.assertEqual(self.zsh("report", "/etc/pass").split()[0], "FILES")
        self.assertEqual(self.zsh("record", "-o", "x", "--", "slee"), "NORMAL 1 slee\n")

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_is_registered(self):
        script = 'autoload -Uz compinit; compinit -D -u; eval "$(nvpulse completion zsh)"; print $_comps[nvpulse]'
        self.assertEqual(self.run_shell("zsh", "-f", "-c", script), "_nvpulse\n")

    def fish(self, line):
        script = f"nvpulse completion fish | source; complete -C '{line}'"
        return [part.split("\t")[0] for part in self.run_shell("fish", "--no-config", "-c", script).splitlines()]

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        self.assertEqual(self.fish("nvpulse sta"), ["status"])
        self.assertEqual(self.fish("nvpulse status --ver"), ["--verbose"])
        self.assertEqual(self.fish("nvpulse status --color=al"), ["--color=always"])
        self.assertIn("fan.*,power.draw_mw", self.fish("nvpulse record --metrics fan.*,power.dr"))
        self.assertIn("/etc/passwd", self.fish("nvpulse report /etc/pass"))
        self.assertIn("sleep", self.fish("nvpulse record -o x -- slee"))

    def test_installed_scripts_are_those_that_are_printed(self):
        folder = os.path.join(harness.build, "completion")
        for shell, name in (("bash", "nvpulse.bash"), ("zsh", "_nvpulse"), ("fish", "nvpulse.fish")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                self.assertEqual(file.read(), self.run_plain("completion", shell).out, shell)

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_bash_script_has_no_faults(self):
        script = self.run_plain("completion", "bash").out
        done = subprocess.run(["shellcheck", "--shell=bash", "-"], input=script, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
