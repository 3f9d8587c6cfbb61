"""Help, version, manual and the refusal of what is unknown. Needs no driver."""

import os
import re
import shutil
import subprocess
import unittest

import harness

COMMANDS = ("status", "top", "processes", "query", "select", "record", "report", "call", "doctor", "sim", "shim", "trace")
OPTION = re.compile(r"^  (?:-(\w), |    )--([\w-]+)(?: ([A-Z]+))?  ", re.MULTILINE)
MANUAL_OPTION = re.compile(r"^\.TP\n\.B[R]? ((?:\\-\w \", \" )?\\-\\-[^\n]*)$", re.MULTILINE)


def options_of_help(text):
    """(letter, name, argument) of each option that a help text lists."""
    return OPTION.findall(text)


def options_of_manual(text):
    """The same of a manual page, from the paragraphs of its section OPTIONS."""
    section = text[text.index(".SH OPTIONS") :]
    section = section[: section.index(".SH ", 4)]
    found = []
    for line in MANUAL_OPTION.findall(section):
        plain = line.replace('", "', "").replace("\\-", "-").replace('"', "").replace("\\fI", " ").replace("\\fP", "")
        match = re.match(r"(?:-(\w) ,? ?)?--([\w-]+)\s*([A-Z]+)?", re.sub(r"\s+", " ", plain))
        found.append(tuple(part or "" for part in match.groups()))
    return found


def manual(page):
    with open(os.path.join(harness.SOURCE, "man", page), encoding="utf-8") as file:
        return file.read()


class HelpTest(harness.CommandTest):
    def test_overview_names_every_command(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            result = self.assert_result(self.run_plain(*arguments), 0, ["Usage: nvpulse", "Exit status:"], "")
            for command in COMMANDS + ("help",):
                self.assertRegex(result.out, rf"(?m)^  {command} +[A-Z]")

    def test_version(self):
        for option in ("--version", "-V"):
            self.assertRegex(self.assert_result(self.run_plain(option), 0, err="").out, r"^nvpulse \d+\.\d+\.\d+\n$")

    def test_help_of_each_command(self):
        for command in COMMANDS:
            by_option = self.assert_result(self.run_plain(command, "--help"), 0, f"Usage: nvpulse {command} [OPTION...]", "")
            by_letter = self.run_plain(command, "-h")
            by_help = self.run_plain("help", command)
            self.assertEqual(by_option.out, by_letter.out)
            self.assertEqual(by_option.out, by_help.out)

    def test_help_of_help(self):
        self.assert_result(self.run_plain("help", "--help"), 0, "Usage: nvpulse help", "")
        self.assert_result(self.run_plain("help", "help"), 0, "Usage: nvpulse help", "")
        self.assert_result(self.run_plain("help", "status", "call"), 2, "", "one command at most")

    def test_help_fits_a_terminal(self):
        for command in COMMANDS:
            for line in self.run_plain(command, "--help").out.splitlines():
                self.assertLessEqual(len(line), 110, line)

    def test_no_command(self):
        result = self.assert_result(self.run_plain(), 2, "", "a command is missing: ")
        for command in COMMANDS + ("help",):
            self.assertRegex(result.err, rf"\b{command}\b")

    def test_unknown_command(self):
        self.assert_result(self.run_plain("statsu"), 2, "", "unknown command 'statsu'; did you mean 'status'?")
        result = self.assert_result(self.run_plain("frobnicate"), 2, "", "unknown command 'frobnicate'\n")
        self.assertNotIn("did you mean", result.err)
        self.assert_result(self.run_plain("help", "cal"), 2, "", "did you mean 'call'?")

    def test_unknown_option_before_the_command(self):
        self.assert_result(self.run_plain("--versoin"), 2, "", "did you mean '--version'?")
        self.assert_result(self.run_plain("-x"), 2, "", "unknown option '-x'")

    def test_unknown_option(self):
        self.assert_result(self.run_plain("status", "--verbos3"), 2, "", "unknown option '--verbos3'; did you mean '--verbose'?")
        self.assert_result(self.run_plain("status", "--zzz"), 2, "", ["unknown option '--zzz'\n", "Try 'nvpulse status --help'."])
        self.assert_result(self.run_plain("status", "-vx"), 2, "", "unknown option '-x'")
        self.assert_result(self.run_plain("call", "-1"), 2, "", "operands that begin with '-' go after '--'")

    def test_option_arguments(self):
        self.assert_result(self.run_plain("status", "--width"), 2, "", "option '--width' wants an argument: COLUMNS")
        self.assert_result(self.run_plain("status", "-w"), 2, "", "option '--width' wants an argument: COLUMNS")
        self.assert_result(self.run_plain("status", "--verbose=1"), 2, "", "option '--verbose' takes no argument")
        self.assert_result(self.run_plain("sim", "--"), 2, "", "a command is missing")

    def test_options_may_be_shortened(self):
        self.assert_result(self.run_plain("status", "--he"), 0, "Usage:", "")
        self.assert_result(self.run_plain("call", "--"), 2, "", "a function is missing")

    def test_strange_text_is_harmless_in_messages(self):
        result = self.run_plain("a\x1b[31mb")
        self.assert_result(result, 2, "", "'a\ufffd[31mb'")


class ManualTest(harness.CommandTest):
    def test_options_are_those_of_the_help(self):
        for command in COMMANDS:
            of_help = options_of_help(self.run_plain(command, "--help").out)
            self.assertGreaterEqual(len(of_help), 4)
            self.assertEqual(of_help, options_of_manual(manual(f"nvpulse-{command}.1")), command)

    def test_every_exit_status_is_documented(self):
        for code in ("0", "1", "2", "3", "4", "5", "126", "127"):
            self.assertRegex(manual("nvpulse.1"), rf"(?m)^\.B {code}$")

    def test_version_is_that_of_the_program(self):
        version = self.run_plain("--version").out.split()[1]
        for page in ["nvpulse.1"] + [f"nvpulse-{command}.1" for command in COMMANDS]:
            self.assertIn(f'"nvpulse {version}"', manual(page).splitlines()[1])

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_pages_format_without_a_warning(self):
        folder = os.path.join(harness.SOURCE, "man")
        for page in sorted(os.listdir(folder)):
            done = subprocess.run(
                ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", os.path.join(folder, page)],
                env=harness.environment(MANWIDTH="80", MANROFFSEQ=""),
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            self.assertGreater(len(done.stdout), 1000, page)

    def test_examples_name_options_that_exist(self):
        for command in COMMANDS:
            text = self.run_plain(command, "--help").out
            names = {"--" + name for _, name, _ in options_of_help(text)} | {
                "--" + name for other in COMMANDS for _, name, _ in options_of_help(self.run_plain(other, "--help").out)
            }
            for option in re.findall(r"(?<!\w)--[a-z][\w-]*", text):
                self.assertIn(option, names, command)
