"""./dev: every command is described, mistakes are told, and deps installs what is missing and nothing else.

No test here installs anything: apt-get, sudo and id are stand-ins in a folder that is the whole PATH.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

from trees import SOURCE

DEV = os.path.join(SOURCE, "dev")
COMMANDS = ("help", "deps", "build", "run", "test", "bench", "lint", "fuzz", "compat", "valgrind", "clean")
# What the script itself uses.
PLAIN_TOOLS = ("sh", "cat", "dirname", "find", "printf", "sort", "tr", "env")
# Stand-ins that only have to be there. gcc must answer as the real one does when asked for a header.
PRESENT = ("cmake", "ninja", "pkg-config", "python3", "g++", "clang", "man", "tmux", "valgrind")


class DevTest(unittest.TestCase):
    def setUp(self):
        self.path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.path)
        for tool in PLAIN_TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.path, tool))
        self.calls = os.path.join(self.path, "calls")
        open(self.calls, "w", encoding="utf-8").close()
        for tool in PRESENT + ("gcc",):
            self.stand_in(tool, "exit 0")
        self.stand_in("id", "echo 0")

    def stand_in(self, name, script):
        """Puts a program into the folder that is the PATH."""
        whole = os.path.join(self.path, name)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(whole, 0o755)

    def apt_get(self, *provides):
        """An apt-get that notes how it was called and makes programs appear."""
        makes = "".join(f'; printf "#!/bin/sh\\n" >{self.path}/{name}; /bin/chmod +x {self.path}/{name}' for name in provides)
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.calls}; case "$*" in *install*) :{makes} ;; esac')

    def dev(self, *arguments):
        environment = {**os.environ, "PATH": self.path}
        return subprocess.run([DEV, *arguments], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)

    def called(self):
        with open(self.calls, encoding="utf-8") as file:
            return file.read()

    def test_dev__help_describes_every_command(self):
        done = self.dev("help")
        self.assertEqual(done.returncode, 0)
        for command in COMMANDS:
            self.assertRegex(done.stdout, rf"(?m)^  {command} .*\w")

    def test_dev__every_command_that_exists_is_described(self):
        with open(DEV, encoding="utf-8") as file:
            listed = file.read().split("\ncase $command in\n")[1]
        for line in listed.splitlines():
            if line and not line.startswith((" ", "*", "esac")):
                name = line.split(")")[0].split(" | ")[0]
                self.assertIn(name, COMMANDS)

    def test_dev__an_unknown_command_is_a_usage_error(self):
        done = self.dev("frobnicate")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown command 'frobnicate'", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_dev__unknown_presets_groups_and_numbers_are_usage_errors(self):
        for arguments in (("build", "nope"), ("deps", "nope"), ("fuzz", "soon")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.dev(*arguments).returncode, 2)

    def test_dev__deps_asks_nobody_when_all_is_there(self):
        self.apt_get()
        done = self.dev("deps", "build", "test")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.called(), "")

    def test_dev__deps_installs_only_what_is_missing(self):
        os.remove(os.path.join(self.path, "ninja"))
        self.apt_get("ninja")
        done = self.dev("deps", "build", "test")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.called().splitlines()
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].endswith(" update"), lines[0])
        self.assertTrue(lines[1].endswith(" install ninja-build"), lines[1])

    def test_dev__deps_uses_sudo_when_not_root(self):
        os.remove(os.path.join(self.path, "ninja"))
        self.apt_get("ninja")
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", f'echo "sudo $1" >>{self.calls}; exec "$@"')
        done = self.dev("deps", "build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.called().count("sudo "), 2)

    def test_dev__deps_tells_when_an_installation_did_not_help(self):
        os.remove(os.path.join(self.path, "ninja"))
        self.apt_get()
        done = self.dev("deps", "build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("still missing", done.stderr)

    def test_dev__deps_prints_the_list_where_there_is_no_apt(self):
        os.remove(os.path.join(self.path, "ninja"))
        os.remove(os.path.join(self.path, "cmake"))
        done = self.dev("deps", "build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cmake ninja-build", done.stderr)

    def test_dev__deps_prints_the_list_where_there_is_no_way_to_root(self):
        os.remove(os.path.join(self.path, "cmake"))
        self.apt_get()
        self.stand_in("id", "echo 1000")
        done = self.dev("deps", "build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cmake", done.stderr)
        self.assertEqual(self.called(), "")


if __name__ == "__main__":
    unittest.main()
