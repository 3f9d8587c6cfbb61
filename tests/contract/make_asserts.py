#!/usr/bin/env python3
"""Write the table of everything that nvml.h must agree on with the facts, as C.

usage: make_asserts.py ABI_FOLDER OUTPUT_FILE

Reads abi/*.json and *.tsv by itself, without the generator that wrote nvml.h,
so that a mistake in either shows.  test_layout.c includes the output.
"""

import csv
import json
import pathlib
import sys

# Earlier layouts: our name -> (typedef, range of headers or drivers whose form it is).
EARLIER = {
    "nvp_AccountingStats_v1_t": ("nvmlAccountingStats_t", "api6"),
    "nvp_ComputeInstanceInfo_v1_t": ("nvmlComputeInstanceInfo_t", "11.0..11.1"),
    "nvp_DeviceAttributes_v1_t": ("nvmlDeviceAttributes_t", "11.0"),
    "nvp_EncoderSessionInfo_v1_t": ("nvmlEncoderSessionInfo_t", "375.66..375.82"),
    "nvp_EventData_v1_t": ("nvmlEventData_t", "api2..api4"),
    "nvp_GpmMetricsGet_v1_t": ("nvmlGpmMetricsGet_t", "11.8.86..12.8.90"),
    "nvp_GpmMetricsGet_v2_t": ("nvmlGpmMetricsGet_t", "12.9.40..13.1.115"),
    "nvp_GridLicensableFeature_v1_t": ("nvmlGridLicensableFeature_t", "375.82"),
    "nvp_GridLicensableFeature_v2_t": ("nvmlGridLicensableFeature_t", "api8..10.0"),
    "nvp_GridLicensableFeature_v3_t": ("nvmlGridLicensableFeature_t", "10.1"),
    "nvp_GridLicensableFeature_v4_t": ("nvmlGridLicensableFeature_t", "10.2..11.3.58"),
    "nvp_GridLicensableFeatures_v1_t": ("nvmlGridLicensableFeatures_t", "375.82"),
    "nvp_GridLicensableFeatures_v2_t": ("nvmlGridLicensableFeatures_t", "api8..10.0"),
    "nvp_GridLicensableFeatures_v3_t": ("nvmlGridLicensableFeatures_t", "10.1"),
    "nvp_GridLicensableFeatures_v4_t": ("nvmlGridLicensableFeatures_t", "10.2..11.3.58"),
    "nvp_PciInfo_v1_t": ("nvmlPciInfo_t", "api1"),
    "nvp_PciInfo_v2_t": ("nvmlPciInfo_t", "api2..api8"),
    "nvp_ProcessInfo_v1_t": ("nvmlProcessInfo_t", "api2..11.0u"),
    "nvp_ProcessInfo_v3_t": ("nvmlProcessInfo_t", "12.2.81..12.2.128"),
    "nvp_VgpuLicenseInfo_v1_t": ("nvmlVgpuLicenseInfo_t", "11.5.50"),
    "nvp_VgpuMetadata_v1_t": ("nvmlVgpuMetadata_t", "api9..10.0"),
    "nvp_VgpuMetadata_v2_t": ("nvmlVgpuMetadata_t", "10.1"),
    "nvp_VgpuPgpuMetadata_v1_t": ("nvmlVgpuPgpuMetadata_t", "api9..10.0"),
}

C_TYPES = {"int": "int", "unsigned": "unsigned int", "long long": "long long",
           "unsigned long": "unsigned long", "unsigned long long": "unsigned long long"}


def number(text, expression, value):
    return '    {"%s", (long long)(%s), (long long)%dull},' % (text, expression, value % 2**64)


def same(what, left, right):
    """A row that holds when two types are the same."""
    return '    {"%s", __builtin_types_compatible_p(%s, %s), 1},' % (what, left, right)


def text(what, expression, value):
    return '    {"%s", %s, "%s"},' % (what, expression, value)


def member_rows(struct, raw, path, base):
    """Rows for one member, and for the members of a nested struct or union."""
    name = ".".join(filter(None, (path, raw["name"])))
    rows = []
    if raw["name"]:
        place = "offsetof(%s, %s)" % (struct, name)
        rows.append(number(place, place, base + raw["offset"]))
        value = "((%s *)0)->%s" % (struct, name)
        rows.append(number("sizeof %s.%s" % (struct, name), "sizeof(%s)" % value, raw["size"]))
        if "anonymous" not in raw["type"]:
            rows.append(same("type of %s.%s" % (struct, name), "__typeof__(%s)" % value, raw["type"]))
    if raw.get("nested_offsets", "").startswith("relative"):
        for index in (0, raw["array_len"] - 1):
            for inner in raw["nested"]:
                rows += member_rows(struct, inner, "%s[%d]" % (name, index),
                                    base + raw["offset"] + index * raw["elem_size"])
    else:
        for inner in raw.get("nested", []):
            rows += member_rows(struct, inner, name, base)
    return rows


def struct_rows(structs):
    rows = []
    for name, struct in structs.items():
        rows.append(number("sizeof(%s)" % name, "sizeof(%s)" % name, struct["size"]))
        rows.append(number("_Alignof(%s)" % name, "_Alignof(%s)" % name, struct["align"]))
        if struct["tag"]:
            tagged = "%s %s" % (struct["kind"], struct["tag"])
            if name != "nvmlBlacklistDeviceInfo_t":  # lives on as another name of nvmlExcludedDeviceInfo_t
                rows.append(same("tag of " + name, name, tagged))
        for raw in struct["fields"]:
            rows += member_rows(name, raw, "", 0)
    return rows


def layout_of(form):
    return [(f["offset"], f["size"]) for f in form["fields"] if "." not in f["name"]]


def earlier_rows(structs):
    """The earlier layouts, and that none is missing."""
    rows = []
    for name, struct in structs.items():
        forms = struct.get("history", []) + struct.get("driver_history", [])
        covered = [layout_of(struct)]
        for ours, (typedef, where) in EARLIER.items():
            if typedef != name:
                continue
            form = next(f for f in forms if f["range"] == where)
            covered.append(layout_of(form))
            rows.append(number("sizeof(%s)" % ours, "sizeof(%s)" % ours, form["size"]))
            for field in form["fields"]:
                place = "offsetof(%s, %s)" % (ours, field["name"])
                rows.append(number(place, place, field["offset"]))
                size = "sizeof(((%s *)0)->%s)" % (ours, field["name"])
                rows.append(number(size, size, field["size"]))
        if struct["kind"] == "struct":
            missing = [f["range"] for f in forms if layout_of(f) not in covered]
            if missing:
                raise SystemExit("make_asserts.py: no struct of ours for %s as of %s" % (name, ", ".join(missing)))
    return rows


def type_rows(data, enums):
    rows = []
    for name, alias in data["aliases"].items():
        rows.append(same("alias " + name, name, alias["target"]))
        rows.append(number("sizeof(%s)" % name, "sizeof(%s)" % name, alias["size"]))
    for handle in data["handles"]:
        rows.append(same("handle " + handle["name"], handle["name"], handle["points_to"] + " *"))
    for name, typedef in data["scalar_typedefs"].items():
        rows.append(same("typedef " + name, name, typedef["type"]))
    for name, enum in enums.items():
        rows.append(number("sizeof(%s)" % name, "sizeof(%s)" % name, enum["size"]))
        if enum["tag"] and name != "nvmlEccBitType_t":  # another name of nvmlMemoryErrorType_t
            rows.append(same("tag of " + name, name, "enum " + enum["tag"]))
    for name, word in data["version_words"].items():
        rows.append(number(name, name, word["value"]))
        rows.append(same("type of " + name, "__typeof__(%s)" % name, "unsigned int"))
    return rows


def constant_rows(enums, macros):
    numbers, texts = [], []
    for enum in enums.values():
        for constant in enum["constants"]:
            numbers.append(number(constant["name"], constant["name"], constant["value"]))
    for name, macro in macros.items():
        if macro["ctype"] == "s":
            texts.append(text(name, name, macro["value"]))
        elif macro["ctype"] == "bitrange":
            texts.append(text(name, "TEXT_OF(%s)" % name, macro["value"]))
        else:
            numbers.append(number(name, name, macro["value"]))
            if "alias_of" not in macro:
                numbers.append(same("type of " + name, "__typeof__(%s)" % name, C_TYPES[macro["ctype"]]))
    return numbers, texts


def function_rows(functions):
    rows = []
    for function in functions:
        types = [p.rsplit(" ", 2)[0] for p in function["params"].split("; ")]
        if function["params"] == "void":
            types = ["void"]
        signature = "%s(%s)" % (function["returns"], ", ".join(types))
        rows.append(same("prototype of " + function["name"],
                         "__typeof__(nvp_%s)" % function["name"], signature))
    return rows


def mapping_rows(functions, unversioned):
    """Which entry point each name of NVML stands for, without and with unversioned names switched off."""
    newest = {name: steps[-1]["to"] for name, steps in unversioned.items()}
    names = [function["name"] for function in functions]
    out = []
    for directive, target in (("#ifndef", lambda n: newest.get(n, n)), ("#else", lambda n: n)):
        out.append(directive + (" NVML_NO_UNVERSIONED_FUNC_DEFS" if directive == "#ifndef" else ""))
        out += [text(n, "TEXT_OF(%s)" % n, "nvp_" + target(n)) for n in names]
    return out + ["#endif"]


def main(folder, output):
    abi = pathlib.Path(folder)
    data = json.loads((abi / "structs.json").read_text(encoding="utf-8"))
    constants = json.loads((abi / "enums.json").read_text(encoding="utf-8"))
    with open(abi / "functions.tsv", encoding="utf-8", newline="") as handle:
        functions = list(csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE))
    numbers, texts = constant_rows(constants["enums"], constants["macros"])
    numbers += struct_rows(data["structs"]) + earlier_rows(data["structs"])
    numbers += type_rows(data, constants["enums"]) + function_rows(functions)
    texts += mapping_rows(functions, constants["unversioned_name_macros"])
    lines = ["/* Generated by tests/contract/make_asserts.py from abi/ - do not edit. */",
             "static const struct number_check number_checks[] = {"] + numbers + ["};", "",
             "static const struct text_check text_checks[] = {"] + texts + ["};"]
    pathlib.Path(output).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
