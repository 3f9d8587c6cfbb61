"""scripts/check-clean fails for each thing that it forbids."""

import unittest

from trees import GateTest

TODO = "TO" + "DO"


class CleanTest(GateTest):
    gate = "check-clean"

    def test_clean__a_sound_tree_passes(self):
        self.assert_passes(
            {
                "src/base/log.c": "void f(void)\n{\n    fputs(text, stderr);\n}\n",
                "src/query/q.c": '/* stderr, exit() and strcpy() in words */\nconst char *t = "abort()";\n',
                "apps/cli/main.c": "int main(void)\n{\n    perror(0);\n    exit(1);\n}\n",
                "abi/functions.tsv": "a\tb\t\n",
                "README.md": "Put it into /home/you/nvpulse, or example.org/wo" + "rk/.\n",
            }
        )

    def test_clean__unfinished_work_fails(self):
        for word in (TODO, "FIX" + "ME"):
            with self.subTest(word=word):
                self.assert_fails({"docs/a.md": f"{word}: later\n"}, "docs/a.md:1: unfinished")

    def test_clean__a_path_of_one_machine_fails(self):
        for path in ("/wo" + "rk/main/x", "/ro" + "ot/x", "/tmp/" + "nvp/x"):  # in two parts, as this file is looked at, too
            with self.subTest(path=path):
                self.assert_fails({"docs/a.md": f"see {path}\n"}, "a path of one machine")

    def test_clean__blanks_at_the_end_fail(self):
        self.assert_fails({"docs/a.md": "text \n"}, "blanks at the end")

    def test_clean__functions_that_overflow_fail(self):
        for name in ("strcpy", "strcat", "sprintf", "atoi", "strtok"):
            with self.subTest(name=name):
                self.assert_fails({"apps/cli/a.c": f"x = {name}(a, b);\n"}, f"{name}( is not used here")

    def test_clean__the_library_keeps_off_stderr(self):
        for line in ("fputs(t, stderr);", "perror(t);", "write(2, t, 1);", "write(STDERR_FILENO, t, 1);"):
            with self.subTest(line=line):
                self.assert_fails({"src/query/q.c": f"void f(void) {{ {line} }}\n"}, "only the log writes to stderr")

    def test_clean__the_library_neither_prints_nor_ends_the_process(self):
        self.assert_fails({"src/query/q.c": 'void f(void) { printf("x"); }\n'}, "does not print")
        self.assert_fails({"src/query/q.c": "void f(void) { abort(); }\n"}, "never ends the process")


if __name__ == "__main__":
    unittest.main()
