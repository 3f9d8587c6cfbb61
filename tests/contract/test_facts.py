"""The facts of abi/ against each other and against the rows made from them; nothing generated is stale."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Exported by real libraries, in no header: not part of the API.
PRIVATE = {"nvmlInternalGetExportTable", "nvmlRetry_NvRmControl"}
# Tested libraries, oldest first; where two export the same, the older one counts as the first.
DRIVERS = ["340.108", "390.157", "418.226.00", "450.248.02", "460.106.00", "470.256.02", "525.147.05",
           "535.216.03", "535.309.01", "550.54.15", "550.163.01"]
SIZES = {"U8": 1, "CHAR": 1, "U16": 2, "U32": 4, "I32": 4, "ENUM": 4, "U64": 8, "I64": 8, "ULONG": 8, "F64": 8,
         "HANDLE": 8, "POINTER": 8}


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def table(name):
    return list(csv.DictReader(read("abi", name).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def exports(driver):
    return read("abi", "exports", driver + ".txt").split()


class ExportsTest(unittest.TestCase):
    def test_exports__every_list_is_sorted_and_known(self):
        known = {row["name"] for row in table("functions.tsv")} | PRIVATE
        folder = os.path.join(SOURCE, "abi", "exports")
        self.assertEqual(sorted(d + ".txt" for d in DRIVERS), sorted(d for d in os.listdir(folder) if d != "derived"))
        derived = ["derived/" + name[:-len(".txt")] for name in os.listdir(os.path.join(folder, "derived"))]
        self.assertNotEqual([], derived)
        for driver in DRIVERS + derived:
            names = exports(driver)
            self.assertEqual(sorted(set(names)), names, driver)
            self.assertEqual(set(), set(names) - known, driver)

    def test_exports__the_first_driver_is_the_first_list_with_the_name(self):
        for row in table("functions.tsv"):
            having = [driver for driver in DRIVERS if row["name"] in exports(driver)]
            if having:
                self.assertEqual(having[0], row["first_driver"], row["name"])
            else:
                self.assertIn(row["first_driver"], ("> 550.163", "none of those tested"), row["name"])


class DerivedExportsTest(unittest.TestCase):
    def test_derived_exports__the_rule_gives_the_measured_lists(self):
        """What is derived for drivers without a library is right where there is one, but for what no header shows."""
        sys.path.insert(0, os.path.join(SOURCE, "scripts"))
        self.addCleanup(sys.path.remove, os.path.join(SOURCE, "scripts"))
        from generate import exports as rule, functions

        rows = [functions.Function(row) for row in table("functions.tsv")]
        for driver in DRIVERS:
            surplus = set(exports(driver)) - set(rule.exported(rows, driver))
            self.assertEqual(set(), set(rule.exported(rows, driver)) - set(exports(driver)), driver)
            self.assertLessEqual(surplus, {"nvmlRetry_NvRmControl", "nvmlDeviceGetPciInfo_v2"}, driver)


class TablesTest(unittest.TestCase):
    def test_functions__422_without_doubles(self):
        names = [row["name"] for row in table("functions.tsv")]
        self.assertEqual(422, len(names))
        self.assertEqual(len(names), len(set(names)))

    def test_families__name_known_functions(self):
        known = {row["name"] for row in table("functions.tsv")}
        self.assertEqual(set(), {row["function"] for row in table("families.tsv")} - known)

    def test_superseded_by__names_known_functions(self):
        rows = table("functions.tsv")
        named = {name for row in rows for name in row["superseded_by"].split(",") if name}
        self.assertEqual(set(), named - {row["name"] for row in rows})

    def test_unversioned_names__all_lead_to_known_things(self):
        data = json.loads(read("abi", "enums.json"))
        known = {row["name"] for row in table("functions.tsv")} | set(json.loads(read("abi", "structs.json"))["structs"])
        targets = {step["to"] for steps in data["unversioned_name_macros"].values() for step in steps}
        self.assertEqual(set(), targets - known - set(data["enums"]))

    def test_hand_written_tables__are_sorted_and_give_reasons(self):
        rows = [line.split("\t") for line in read("abi", "shapes.tsv").splitlines() if not line.startswith("#")][1:]
        self.assertEqual([], [row for row in rows if len(row) != 4 or len(row[3]) < 5])
        decisions = list(dict.fromkeys(row[1] for row in rows))
        self.assertEqual(sorted(rows, key=lambda row: (decisions.index(row[1]), row[0])), rows)
        words = [line.split("\t")[0] for line in read("abi", "words.tsv").splitlines() if not line.startswith("#")]
        self.assertEqual(sorted(words), words)

    def test_layouts__follow_families(self):
        """Where families.tsv says that a symbol takes an older struct, its parameter has that size in the rows."""
        sizes = dict(re.findall(r"^NVP_STRUCT\((\w+), (\d+),", read("src", "abi", "structs.def"), re.M))
        params = re.findall(r'^NVP_PARAM\((\w+), \d+, .*NVP_STRUCT_(\w+), ', read("src", "abi", "params.def"), re.M)
        for row in table("families.tsv"):
            first_of_symbol = row["selector"] == "symbol" and row["struct"].startswith(("nvml", "as of"))
            if not first_of_symbol or row["struct_size"] in ("", "4"):
                continue
            found = [sizes[struct] for function, struct in params if function == row["function"]]
            self.assertIn(row["struct_size"], found, row["function"])


class FieldsTest(unittest.TestCase):
    """The rows of structs.def against structs.json, read without the generator."""

    @staticmethod
    def flat(fields, prefix="", base=0):
        for raw in fields:
            name = prefix + raw["name"]
            if "nested" not in raw:
                yield name, base + raw["offset"], raw["size"]
            elif raw["nested_offsets"].startswith("relative"):
                for index in range(raw["array_len"]):
                    start = base + raw["offset"] + index * raw["elem_size"]
                    yield from FieldsTest.flat(raw["nested"], "%s[%d]." % (name, index), start)
            else:
                yield from FieldsTest.flat(raw["nested"], name + "." if raw["name"] else prefix, base)

    @staticmethod
    def rows():
        """(struct, (member, offset, size)) of each row."""
        text = read("src", "abi", "structs.def")
        pattern = r'^NVP_FIELD\((\w+), "([^"]+)", (\d+), NVP_TYPE_(\w+), (\d+), (\d+), \w+, (.*)\)$'
        for owner, name, offset, kind, element, count, flags in re.findall(pattern, text, re.M):
            wanted = SIZES.get(kind)
            if wanted is not None and int(element) != wanted:
                raise AssertionError("%s.%s: element of %s bytes" % (owner, name, element))
            size = 8 if "NVP_FIELD_ITEMS" in flags else int(element) * max(int(count), 1)
            yield owner, (name, int(offset), size)

    def test_fields__are_those_of_the_facts(self):
        found = {}
        for owner, row in self.rows():
            found.setdefault(owner, []).append(row)
        aliases = {"nvmlBlacklistDeviceInfo_t": "nvmlExcludedDeviceInfo_t", "nvmlProcessInfo_t": "nvmlProcessInfo_v2_t"}
        for name, struct in json.loads(read("abi", "structs.json"))["structs"].items():
            self.assertEqual(list(self.flat(struct["fields"])), found[aliases.get(name, name)], name)


class FallbacksTest(unittest.TestCase):
    """What serves what, against the facts that its conditions rest on."""

    @staticmethod
    def rows():
        lines = [line.split("\t") for line in read("abi", "fallbacks.tsv").splitlines() if not line.startswith("#")]
        return [dict(zip(lines[0], line)) for line in lines[1:]]

    @staticmethod
    def release(text):
        return [int(part) for part in text.split(".")]

    def test_adapters__all_are_used(self):
        declared = set(re.findall(r"nvp__compat_(\w+)\(", read("src", "compat", "adapters.h")))
        used = {row["how"] for row in self.rows()} - {"alias", "session", "left out", "as it is", "limit"}
        lists = {name for name in used if re.match(r"(compute|graphics|mps)_v", name)}  # declared by a macro
        self.assertEqual(used - lists, declared)
        self.assertEqual(3 * 11, len(lists))

    def test_renumbered_fields__signs_are_those_of_the_releases(self):
        first = {row["name"]: row["first_known_driver_release"] for row in table("functions.tsv")}
        signs = {"get_fields_199": "555.42.02..565.77", "get_fields_251": "575.51.02..580.76.05"}
        renumbered = set()
        for field in json.loads(read("abi", "enums.json"))["field_ids_reused_with_another_meaning"]:
            newest = field["meanings"][-1]["names"]
            renumbered |= {meaning["drivers"] for meaning in field["meanings"] if meaning["names"] != newest}
        self.assertEqual({"384.47"} | set(signs.values()), renumbered)  # 384.47 is older than any driver that is served
        for row in self.rows():
            if row["how"] in signs:
                _, having, lacking = re.match(r"(itself) with (\w+) without (\w+)$", row["served_by"]).groups()
                begin, end = signs[row["how"]].split("..")
                self.assertEqual(begin, first[having])
                self.assertGreater(self.release(first[lacking]), self.release(end))

    def test_left_out__all_say_why(self):
        for row in self.rows():
            if row["how"] in ("left out", "as it is", "limit"):
                self.assertGreater(len(row["lost"].split()), 5, row)
                self.assertFalse(row["lost"].endswith("."), row)


class FreshnessTest(unittest.TestCase):
    @staticmethod
    def generate(root, *arguments):
        command = [sys.executable, "-B", os.path.join(root, "scripts", "generate.py"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def copy(self):
        root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, root)
        for part in ("abi", "scripts", "src/abi", "include/nvpulse", "docs/reference", "sim/driver", "src/model"):
            shutil.copytree(os.path.join(SOURCE, part), os.path.join(root, part))
        for path in ("src/compat/fallbacks.def", "docs/compat.md", "docs/snapshot.schema.json", "src/base/status.c"):
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            shutil.copy(os.path.join(SOURCE, path), os.path.join(root, path))
        return root

    def test_generated_files__are_fresh(self):
        self.assertEqual((0, ""), self.generate(SOURCE, "--check"))

    def test_generate__names_what_is_stale_and_mends_it(self):
        root = self.copy()
        with open(os.path.join(root, "include", "nvpulse", "nvml.h"), "a", encoding="utf-8") as file:
            file.write("\n")
        os.remove(os.path.join(root, "src", "abi", "errors.def"))
        status, output = self.generate(root, "--check")
        self.assertEqual(1, status)
        self.assertEqual(["include/nvpulse/nvml.h", "src/abi/errors.def"], re.findall(r"(\S+) is stale", output))
        self.assertEqual(0, self.generate(root)[0])
        self.assertEqual((0, ""), self.generate(root, "--check"))

    def assert_refused(self, path, old, new, message):
        root = self.copy()
        whole = os.path.join(root, "abi", path)
        with open(whole, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        status, output = self.generate(root, "--check")
        self.assertEqual(1, status)
        self.assertIn(message, output)

    def test_generate__refuses_a_family_without_a_decision(self):
        self.assert_refused("fallbacks.tsv", "\nPlatformInfo\t-", "\nC2cModeInfo\t-",
                            "nvmlDeviceGetPlatformInfo of PlatformInfo is neither served nor left out")

    def test_generate__refuses_an_alias_of_another_form(self):
        self.assert_refused("fallbacks.tsv", "nvmlDeviceGetMemoryInfo_v2\tmemory_v1_from_v2", "nvmlDeviceGetMemoryInfo_v2\talias",
                            "nvmlDeviceGetMemoryInfo and nvmlDeviceGetMemoryInfo_v2 take different parameters")

    def test_generate__refuses_a_fallback_of_no_function(self):
        self.assert_refused("fallbacks.tsv", "\tnvmlEventSetWait_v2\tevent_v1", "\tnvmlEventSetWait_v9\tevent_v1",
                            "no function nvmlEventSetWait_v9")

    def test_generate__refuses_rows_that_do_not_stand_together(self):
        self.assert_refused("fallbacks.tsv", "\nPciInfo\tnvmlDeviceGetPciInfo_v2\tnvmlDeviceGetPciInfoExt",
                            "\nPciInfo\tnvmlDeviceGetPciInfo\tnvmlDeviceGetPciInfoExt", "do not stand together")

    def test_generate__refuses_a_decision_about_nothing(self):
        self.assert_refused("shapes.tsv", "nvmlDeviceSetEccMode\t", "nvmlDeviceSetEccMood\t", "nvmlDeviceSetEccMode: writes")

    def test_generate__refuses_a_word_about_nothing(self):
        self.assert_refused("words.tsv", "nvmlMemory_t.used\t", "nvmlMemory_t.gone\t", "no such thing: nvmlMemory_t.gone")

    def test_generate__refuses_a_function_without_a_word(self):
        self.assert_refused("words.tsv", "nvmlShutdown\t", "# \t", "nvmlShutdown has no line")

    def test_generate__refuses_a_broken_link(self):
        self.assert_refused("shapes.tsv", "ITEMS=cpuSetSize", "ITEMS=device", "nvmlDeviceGetCpuAffinity.cpuSet links to a IN")


if __name__ == "__main__":
    unittest.main()
