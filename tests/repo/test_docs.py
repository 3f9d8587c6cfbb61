"""What the documents say is true of the tree: names exist, links lead somewhere, snippets compile, tables agree."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from trees import SOURCE

DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/from-nvitop.md",
    "docs/hardware.md",
    "docs/shim.md",
    "docs/simulator.md",
    "docs/testing.md",
    "examples/README.md",
)
# Patterns, names of nvitop's, and a name that stands for one that nobody knows yet.
NOT_NAMES = re.compile(r"_$|noun|NOUN|^nvmlQuery|^nvmlBrandNew$|^nvmlDeviceGet$")
CODE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def files_under(folder, suffixes):
    for place, _, names in os.walk(os.path.join(SOURCE, folder)):
        for name in names:
            if name.endswith(suffixes):
                yield os.path.relpath(os.path.join(place, name), SOURCE)


def names_in(paths):
    return {name for path in paths for name in re.findall(r"\b(?:nvp|nvml|NVP|NVML|nvpsim)_?\w+", read(path))}


class DocsTest(unittest.TestCase):
    def test_docs__every_name_of_the_interface_exists(self):
        known = names_in(files_under("include", (".h",)))
        known |= names_in(files_under("src", (".c", ".h", ".def")))
        known |= names_in(files_under("tests", (".c",)))
        known |= {variable for variable in re.findall(r"NVPULSE_\w+|NVPSIM_\w+|NVP_[A-Z]+", read("CMakeLists.txt"))}
        strange = []
        for document in DOCUMENTS:
            # Names of the other side, in Python, are not ours.
            text = CODE.sub(lambda block: "" if block.group(1) == "python" else block.group(), read(document))
            text = re.sub(r"^\| `[^|]*\|", "|", text, flags=re.MULTILINE) if "nvitop" in document else text
            names = set(re.findall(r"\b(?:nvp|NVP|NVML)_\w+|\bnvml[A-Z]\w+", text))
            strange += [f"{document}: {name}" for name in sorted(names - known) if not NOT_NAMES.search(name)]
        self.assertEqual(strange, [])

    def test_docs__every_relative_link_leads_somewhere(self):
        dead = []
        for document in DOCUMENTS:
            folder = os.path.dirname(os.path.join(SOURCE, document))
            targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", read(document))
            paths = [target for target in targets if "://" not in target]
            dead += [f"{document}: {path}" for path in paths if not os.path.exists(os.path.join(folder, path))]
        self.assertEqual(dead, [])

    def test_docs__every_heading_that_is_linked_to_exists(self):
        dead = []
        for document in DOCUMENTS:
            folder = os.path.dirname(document)
            for path, heading in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", read(document)):
                text = read(os.path.normpath(os.path.join(folder, path)) if path else document)
                titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
                known = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
                dead += [] if heading in known else [f"{document}: {path}#{heading}"]
        self.assertEqual(dead, [])

    def test_docs__readme_lists_nothing_twice(self):
        text = read("README.md")
        documents = re.findall(r"\]\(([^)]+)\)", text.split("## Documents")[1].split("Apache")[0])
        self.assertEqual(len(documents), len(set(documents)), documents)
        rows = re.findall(r"^\|([^|]*)\|", text.split("## Environment")[1], re.MULTILINE)
        names = [name for row in rows for name in re.findall(r"`([A-Z_]+)", row)]
        self.assertEqual(len(names), len(set(names)), names)

    def test_docs__every_path_of_the_tree_exists(self):
        dead = []
        for document in DOCUMENTS:
            paths = re.findall(r"`((?:src|apps|sim|abi|scripts|tests|include|docs|bench|fuzz)/[\w./-]*)`", read(document))
            dead += [f"{document}: {path}" for path in paths if not os.path.exists(os.path.join(SOURCE, path))]
        self.assertEqual(dead, [])

    def test_docs__every_dev_command_exists(self):
        usage = subprocess.run([os.path.join(SOURCE, "dev")], capture_output=True, text=True).stdout
        known = set(re.findall(r"^  (\w+) ", usage, re.MULTILINE))
        used = {command for document in DOCUMENTS for command in re.findall(r"\./dev (\w+)", read(document))}
        self.assertEqual(sorted(used - known), [])

    def test_docs__every_folder_of_tests_is_described(self):
        tests = os.path.join(SOURCE, "tests")
        folders = [name for name in os.listdir(tests) if os.path.exists(os.path.join(tests, name, "CMakeLists.txt"))]
        missing = [name for name in sorted(folders) if f"`tests/{name}/`" not in read("docs/testing.md")]
        self.assertEqual(missing, [])

    def test_docs__snippets_of_from_nvitop_compile(self):
        snippets = [body for language, body in CODE.findall(read("docs/from-nvitop.md")) if language == "c"]
        self.assertGreaterEqual(len(snippets), 7)
        for number, snippet in enumerate(snippets):
            with self.subTest(snippet=number), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "snippet.c")
                with open(path, "w", encoding="utf-8") as file:
                    file.write("#include <stdio.h>\n#include <nvpulse/nvpulse.h>\nvoid snippet(nvmlDevice_t device);\n")
                    file.write(f"void snippet(nvmlDevice_t device)\n{{\n(void)device;\n{snippet}}}\n")
                command = [shutil.which("gcc") or "cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
                command += ["-Wno-unused-variable", "-Wno-unused-but-set-variable", "-I" + os.path.join(SOURCE, "include"), path]
                done = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_docs__reasons_of_from_nvitop_are_those_of_the_table(self):
        rows = re.findall(r"^\| `NVMLError_\w+` \| `(\w+)` \| `(\w+)` \|$", read("docs/from-nvitop.md"), re.MULTILINE)
        self.assertGreaterEqual(len(rows), 10)
        checks = "".join(f'    if (nvp_status_reason({status}) != {reason}) puts("{status}");\n' for status, reason in rows)
        program = f"#include <stdio.h>\n#include <nvpulse/nvpulse.h>\nint main(void)\n{{\n{checks}    return 0;\n}}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "reasons.c")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            command = ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-Iinclude", "-Isrc", path, "src/base/status.c", "-o", path + ".out"]
            subprocess.run(command, check=True, cwd=SOURCE)
            wrong = subprocess.run([path + ".out"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(wrong, "")

    def test_docs__readme_lists_the_environment(self):
        table = re.findall(r"^\|([^|]*)\|", read("README.md").split("## Environment")[1], re.MULTILINE)
        listed = {name for cell in table for name in re.findall(r"`([A-Z_]+)", cell)}
        used = set()
        for folder in ("src", "apps", "sim", "shim"):
            for path in files_under(folder, (".c", ".h")):
                used |= set(re.findall(r'"((?:NVPULSE|NVPSIM)_[A-Z_]+)"', read(path)))
        self.assertEqual({name for name in listed if name.startswith(("NVPULSE", "NVPSIM"))}, used)
        self.assertIn("LOGLEVEL", listed)
        self.assertIn("NO_COLOR", listed)


if __name__ == "__main__":
    unittest.main()
