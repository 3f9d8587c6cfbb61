"""The part of nvml.h that steps aside for NVIDIA's own header.

How new that header is shows in which constants it defines.  Every call that it
declares gets a safe twin of the same type before its name is mapped.
"""


def markers(facts):
    """[(position, constant)] newest first: the constant stands in that header and in no earlier one."""
    newest = facts.labels[-1]
    found = {}
    for name, macro in sorted(facts.macros.items()):
        if macro.get("last_header") in (None, newest) and name.startswith("NVML_"):
            found.setdefault(macro["first_header"], name)
    for name, word in sorted(facts.version_words.items()):
        found.setdefault(word["first_header"], name)
    return [(position, found[label]) for position, label in reversed(list(enumerate(facts.labels)))
            if label in found]


def groups(facts):
    """position of a marker -> positions of the headers that only it can tell."""
    known = sorted(position for position, _ in markers(facts))
    out = {position: [] for position in known}
    for position in range(known[0], len(facts.labels)):
        out[max(p for p in known if p <= position)].append(position)
    return out


def level_lines(facts):
    out = ["#define NVP__NVML_FOREIGN 1", ""]
    keyword = "#if"
    for position, name in markers(facts):
        out.append("%s defined(%s)" % (keyword, name))
        out.append("#define NVP__NVML_LEVEL %d /* %s */" % (position, facts.labels[position]))
        keyword = "#elif"
    return out + ["#else", "#define NVP__NVML_LEVEL 0", "#endif", ""]


def family_of(facts):
    """function -> the unversioned name whose macro hides it, once that points elsewhere"""
    out = {}
    for name, steps in facts.unversioned.items():
        for member in [name] + [step["to"] for step in steps]:
            out[member] = name
    return out


def spans(positions, known):
    """Positions as inclusive ranges over the known ones."""
    out = []
    for index, position in enumerate(known):
        if position not in positions:
            continue
        if out and index and out[-1][1] == known[index - 1]:
            out[-1][1] = position
        else:
            out.append([position, position])
    return out


def range_text(low, high, newest):
    if high == newest:
        return "NVP__NVML_LEVEL >= %d" % low
    if low == high:
        return "NVP__NVML_LEVEL == %d" % low
    return "(NVP__NVML_LEVEL >= %d && NVP__NVML_LEVEL <= %d)" % (low, high)


def condition(facts, function, grouped, families):
    """When NVIDIA's header declares the function: a preprocessor expression, or None for never."""
    always, versioned = set(), set()
    for position, members in grouped.items():
        if not all(facts.in_header(function, m) for m in members):
            continue
        family = families.get(function.name)
        hidden = family and any(facts.family_latest(family, m) not in (None, function.name) for m in members)
        (versioned if hidden else always).add(position)
    known = sorted(grouped)
    parts = [range_text(low, high, known[-1]) for low, high in spans(always, known)]
    for low, high in spans(versioned, known):
        text = range_text(low, high, known[-1])
        parts.append("(%s && defined(NVML_NO_UNVERSIONED_FUNC_DEFS))" % text)
    return " || ".join(parts) or None


def call_lines(facts):
    grouped, families = groups(facts), family_of(facts)
    blocks = {}
    for function in facts.functions:
        text = condition(facts, function, grouped, families)
        if text:
            blocks.setdefault(text, []).append(function.name)
    out = ["/* Asking a deprecated call for its type is not using it. */",
           "#pragma GCC diagnostic push",
           '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"', ""]
    for text, names in sorted(blocks.items()):
        out.append("#if " + text)
        out += ["NVP_API extern __typeof__(%s) nvp_%s;" % (name, name) for name in names]
        out += ["#define %s nvp_%s" % (name, name) for name in names]
        out += ["#endif", ""]
    return out + ["#pragma GCC diagnostic pop", ""]
