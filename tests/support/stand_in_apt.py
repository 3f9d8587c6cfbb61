"""Stand-ins for apt-get and dpkg, and what holds for every scripts/fetch-*. Needs no network.

A test case derives from FetchCase and names its SCRIPT and the shell text PAYLOAD that fills $tree as $package does.
"""

import os
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "scripts")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TOOLS = "sh cat cut tr sort mkdir rm ln mv find head tail basename touch env readlink sed".split()
# Notes each call; knows an archive and one for security; lacks whatever the file `absent` names.
APT_GET = """
echo "apt-get $*" >>CALLS
case "$*" in
*indextargets*) printf '%s\\n' 'bookworm-updates http://a/' 'bookworm http://a/' 'bookworm-security http://s/' ;;
*" download "*)
    while [ "$1" != download ]; do shift; done
    shift
    for wanted; do
        case " $(cat ABSENT) " in *" ${wanted%/*} "* | *" $wanted "*) echo "E: no ${wanted%/*}"; exit 100 ;; esac
        touch "${wanted%/*}_1.5-1_amd64.deb"
    done ;;
*update*) cat "$(echo "$*" | tr ' ' '\\n' | sed -n 's/Dir::Etc::sourcelist=//p')" >>CALLS ;;
esac
"""
DPKG = """
package=$(basename "$2" | cut -d _ -f 1) tree=$3
"""


@unittest.skipUnless(os.path.exists(KEYRING), "this machine has no keyring of Debian's")
class FetchCase(unittest.TestCase):
    SCRIPT = PAYLOAD = ""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = os.path.join(self.folder, "out")
        self.script = os.path.join(SCRIPTS, self.SCRIPT)
        path = os.path.join(self.folder, "path")
        os.mkdir(path)
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(path, tool))
        self.write("calls", "")
        self.absent()
        for name, text in (("apt-get", APT_GET), ("dpkg", DPKG + self.PAYLOAD)):
            text = text.replace("CALLS", os.path.join(self.folder, "calls")).replace("ABSENT", os.path.join(self.folder, "absent"))
            self.write(os.path.join("path", name), "#!/bin/sh\n" + text)
            os.chmod(os.path.join(path, name), 0o755)
        self.environment = {"PATH": path}
        self.names = subprocess.run([self.script, "--list"], check=True, capture_output=True, text=True).stdout.split()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, *name):
        with open(os.path.join(self.folder, *name), encoding="utf-8") as file:
            return file.read()

    def absent(self, *packages):
        """What cannot be had from now on: PACKAGE, or PACKAGE/SUITE for one suite alone."""
        self.write("absent", " ".join(packages))

    def calls(self):
        return self.read("calls").splitlines()

    def fetch(self):
        done = subprocess.run([self.script, self.out], env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_fetch__what_is_there_is_not_fetched_again(self):
        first = self.fetch()
        self.assertEqual([line.split()[0] for line in first.stdout.splitlines()], self.names)
        self.assertEqual([name for name in os.listdir(self.out) if name.startswith(".")], [])
        self.write("calls", "")
        self.assertEqual(self.fetch().stdout, first.stdout)
        self.assertEqual(self.calls(), [])

    def test_fetch__apts_own_state_is_left_alone(self):
        self.fetch()
        calls = [call for call in self.calls() if call.startswith("apt-get") and "indextargets" not in call]
        self.assertTrue(any(call.endswith(" update") for call in calls))
        for call in calls:
            for place in ("Dir::Etc::sourcelist", "Dir::Etc::sourceparts", "Dir::State::lists", "Dir::Cache"):
                self.assertIn(f"{place}={self.out}/", call)
            self.assertNotIn("install", call)

    def test_fetch__without_apt_everything_is_skipped(self):
        os.remove(os.path.join(self.folder, "path", "apt-get"))
        done = self.fetch()
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("skipped "), len(self.names))

    def test_fetch__wrong_usage(self):
        for arguments in ([], ["a", "b"], ["--help"]):
            self.assertEqual(subprocess.run([self.script, *arguments], capture_output=True, check=False).returncode, 2)
