"""Write include/nvpulse/nvml.h: NVML's types, constants and calls in our own words.

Every name, number and layout comes from the facts; every comment from
abi/words.tsv or from this file.
"""

import re

from . import foreign
from .rows import MARK, literal

PREAMBLE = """\
/* %s
 *
 * NVML for programs that use nvpulse: NVML's types and constants, and every call under its own name
 * mapped to the safe entry point nvp_<call>. Same names and meanings as in NVIDIA's header; missing
 * functions answer NVML_ERROR_FUNCTION_NOT_FOUND. Newer functions than these: nvp_symbol().
 *
 * Macros that a program may set before including this file:
 *   NVML_NO_UNVERSIONED_FUNC_DEFS  nvmlInit means nvmlInit, not nvmlInit_v2; likewise for the others
 *   NVPULSE_NVML_TYPES_ONLY        types and constants, no calls; a later include can add the calls
 *
 * If NVIDIA's nvml.h was included before, its types and constants stay in force and only the calls
 * that it declares are mapped. If it is included after this file, it is skipped.
 *
 * "Since" names the first driver release known to have a function. Structs named nvp_<Name>_v<n>_t
 * are earlier layouts of a type that kept its name; old drivers read and write those. */
""" % MARK

FUNCTION_MACROS = """\
/* The word for a struct's version field: its size, and its version in the top byte. */
#define NVML_STRUCT_VERSION(data, ver)                                                                                 \\
    ((unsigned int)sizeof(nvml##data##_v##ver##_t) | ((unsigned int)(ver) << 24))

/* Parts of the number that nvmlSystemGetCudaDriverVersion gives. */
#define NVML_CUDA_DRIVER_VERSION_MAJOR(v) ((v) / 1000)
#define NVML_CUDA_DRIVER_VERSION_MINOR(v) (((v) % 1000) / 10)

/* printf arguments for NVML_DEVICE_PCI_BUS_ID_FMT, from a pointer to a struct with these fields. */
#define NVML_DEVICE_PCI_BUS_ID_FMT_ARGS(pciInfo) (pciInfo)->domain, (pciInfo)->bus, (pciInfo)->device

/* One part of nvmlGpuFabricInfo_v2_t.healthMask, and a test of it; type is as in the constants' names. */
#define NVML_GPU_FABRIC_HEALTH_GET(var, type)                                                                          \\
    (((var) >> NVML_GPU_FABRIC_HEALTH_MASK_SHIFT##type) & (NVML_GPU_FABRIC_HEALTH_MASK_WIDTH##type))
#define NVML_GPU_FABRIC_HEALTH_TEST(var, type, val)                                                                    \\
    (NVML_GPU_FABRIC_HEALTH_GET(var, type) == NVML_GPU_FABRIC_HEALTH_MASK##type##val)

/* Mantissa or exponent of an NVLink bit error rate. */
#define NVML_NVLINK_ERROR_COUNTER_BER_GET(var, type)                                                                   \\
    (((var) >> NVML_NVLINK_BER_##type##_SHIFT) & (NVML_NVLINK_BER_##type##_WIDTH))

/* Bits 0 to 254 of an nvmlMask255_t, by value and by pointer. */
#define NVML_255_MASK_BIT_SET(index, nvmlMask)                                                                         \\
    ((nvmlMask).mask[(index) / NVML_255_MASK_BITS_PER_ELEM] |= (1u << ((index) % NVML_255_MASK_BITS_PER_ELEM)))
#define NVML_255_MASK_BIT_GET(index, nvmlMask)                                                                         \\
    ((nvmlMask).mask[(index) / NVML_255_MASK_BITS_PER_ELEM] & (1u << ((index) % NVML_255_MASK_BITS_PER_ELEM)))
#define NVML_255_MASK_BIT_SET_PTR(index, nvmlMask) NVML_255_MASK_BIT_SET(index, *(nvmlMask))
#define NVML_255_MASK_BIT_GET_PTR(index, nvmlMask) NVML_255_MASK_BIT_GET(index, *(nvmlMask))
"""


def comment(text):
    return "/* %s */" % text


def with_word(facts, subject, line):
    word = facts.words.get(subject)
    return "%s %s" % (line, comment(word)) if word else line


def word_line(facts, subject):
    word = facts.words.get(subject)
    return [comment(word)] if word else []


def constants(facts):
    ids = [(macro["value"], name) for name, macro in facts.macros.items() if facts.is_field_id(name)]
    others = [name for name in facts.macros if not facts.is_field_id(name)]
    out = []
    for title, names in (("Field ids for nvmlDeviceGetFieldValues.", [name for _, name in sorted(ids)]),
                         ("Constants.", sorted(others))):
        out.append(comment(title))
        for name in names:
            value = facts.macros[name].get("alias_of") or literal(facts.macros[name])
            out.append(with_word(facts, name, "#define %s %s" % (name, value)))
        out.append("")
    return out


def scalar_typedefs(facts):
    out = [comment("Numbers with a name.")]
    out += ["typedef %s %s;" % (ctype, name) for name, ctype in facts.scalar_typedefs.items()]
    out += ["", comment("Opaque handles; none outlives the shutdown of NVML.")]
    out += ["typedef %s *%s;" % (points_to, name) for name, points_to in facts.handles.items()]
    return out + [""]


def enums(facts):
    out = []
    for name, enum in facts.enums.items():
        rows = facts.enumerators(name)
        wide = any(not -0x80000000 <= value <= 0x7FFFFFFF for _, value in rows)
        out += word_line(facts, name)
        tag = " " + enum["tag"] if enum["tag"] else ""
        out.append("%stypedef enum%s {" % ("__extension__ " if wide else "", tag))
        for constant, value in rows:
            text = "0x%xu" % value if wide and value > 0xFF else "%d" % value
            out.append(with_word(facts, constant, "    %s = %s," % (constant, text)))
        out[-1] = re.sub(r",( /\*.*)?$", r"\1", out[-1])
        out += ["} %s;" % name] + alias_lines(facts, name) + [""]
    return out


def alias_lines(facts, target):
    return ["typedef %s %s;" % (target, name)
            for name, other in sorted(facts.aliases.items()) if other == target]


def ordered_structs(facts):
    """Struct names so that every struct stands after those that it contains."""
    done, order = set(), []
    everything = facts.all_structs()

    def visit(name):
        if name in done:
            return
        done.add(name)
        for field in facts.fields(everything[name]):
            base = facts.canonical(field.ctype.rstrip(" *"))
            if base in everything:
                visit(base)
        order.append(name)

    for name in everything:
        visit(name)
    return order


def member(facts, raw, indent, path):
    """The declaration lines of one member."""
    pad = "    " * indent
    path = "%s.%s" % (path, raw["name"]) if raw["name"] else path
    length = "[%s]" % (raw.get("array_len_expr") or raw["array_len"]) if "array_len" in raw else ""
    if "nested" in raw:
        word = "" if raw["name"] else "__extension__ " # before C11 a union without a name is an extension
        out = ["%s%s%s {" % (pad, word, raw["nested_kind"])]
        for inner in raw["nested"]:
            out += member(facts, inner, indent + 1, path)
        if not raw["name"]:
            return out + [pad + "};"]
        return out + [with_word(facts, path, "%s} %s%s;" % (pad, raw["name"], length))]
    ctype = re.sub(r"\[\d+\]$", "", raw["type"])
    space = "" if ctype.endswith("*") else " "
    return [with_word(facts, path, "%s%s%s%s%s;" % (pad, ctype, space, raw["name"], length))]


def structs(facts):
    out = []
    everything = facts.all_structs()
    for name in ordered_structs(facts):
        struct = everything[name]
        if "of" in struct:
            out.append(comment("%s in %s: %d bytes." % (struct["of"], struct["range"], struct["size"])))
        out += word_line(facts, name)
        tag = " " + struct["tag"] if struct["tag"] else ""
        out.append("typedef %s%s {" % (struct["kind"], tag))
        for raw in struct["fields"]:
            out += member(facts, raw, 1, name)
        out += ["} %s;" % name] + alias_lines(facts, name)
        out += version_word_lines(facts, name) + [""]
    return out


def version_word_lines(facts, struct_name):
    out = []
    for name, word in sorted(facts.version_words.items()):
        if word["struct"] == struct_name:
            data = re.fullmatch(r"nvml(\w+)_v\d+", name).group(1)
            out.append("#define %s NVML_STRUCT_VERSION(%s, %d)" % (name, data, word["version"]))
    return out


def since(function):
    return "Since %s." % function.first_release if function.first_release else "In no known driver."


def prototypes(facts):
    out = []
    for function in facts.functions:
        out.append(comment("%s %s" % (facts.words.get(function.name), since(function))))
        returns = function.row["returns"]
        space = "" if returns.endswith("*") else " "
        out.append("NVP_API %s%snvp_%s%s;" % (
            returns, space, function.name, function.parameter_list()))
    return out + [""]


def unversioned_targets(facts):
    """unversioned function name -> newest version, as NVIDIA's newest header maps them."""
    last = len(facts.labels) - 1
    names = {function.name for function in facts.functions}
    return {name: facts.unversioned_target(name, last) for name in sorted(facts.unversioned) if name in names}


def mapping(facts):
    targets = unversioned_targets(facts)
    out = [comment("An unversioned name means the newest version of the call.")]
    out.append("#ifdef NVML_NO_UNVERSIONED_FUNC_DEFS")
    out += ["#define %s nvp_%s" % (name, name) for name in targets]
    out.append("#else")
    out += ["#define %s %s" % item for item in targets.items()]
    out.append("#endif")
    out += ["#define %s nvp_%s" % (f.name, f.name) for f in facts.functions if f.name not in targets]
    return out + [""]


def nvml_h(facts):
    out = [PREAMBLE, "#include <nvpulse/base.h>", ""]
    out += ["#ifndef NVP__NVML_TYPES_H", "#define NVP__NVML_TYPES_H", ""]
    out += ["#ifdef __nvml_nvml_h__", ""]
    out += foreign.level_lines(facts)
    out += ["#else /* our own types */", "", "#define __nvml_nvml_h__", ""]
    out += ["NVP_BEGIN_DECLS", ""]
    out += constants(facts) + scalar_typedefs(facts) + enums(facts)
    out += [FUNCTION_MACROS] + structs(facts)
    out += ["NVP_END_DECLS", "", "#endif /* our own types */", "#endif /* NVP__NVML_TYPES_H */", ""]
    out += ["#if !defined(NVPULSE_NVML_TYPES_ONLY) && !defined(NVP__NVML_CALLS_H)"]
    out += ["#define NVP__NVML_CALLS_H", "", "NVP_BEGIN_DECLS", ""]
    out += ["#ifdef NVP__NVML_FOREIGN", ""] + foreign.call_lines(facts)
    out += ["#else /* our own declarations */", ""] + prototypes(facts) + mapping(facts)
    out += ["#endif /* NVP__NVML_FOREIGN */", "", "NVP_END_DECLS", "", "#endif /* calls */"]
    return "\n".join(out) + "\n"


def outputs(facts):
    return {"include/nvpulse/nvml.h": nvml_h(facts)}
