"""The part of nvml.h that steps aside for NVIDIA's own header.

How new that header is shows in which constants it defines.  Every call that it
declares gets a safe twin of the same type before its name is mapped.
"""

import re

VERSIONED_ONLY = "defined(NVML_NO_UNVERSIONED_FUNC_DEFS)"


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


def levels(facts):
    """position of a marker -> positions of all headers that it stands for; 0 without a marker."""
    known = sorted({0} | {position for position, _ in markers(facts)})
    out = {position: [] for position in known}
    for position in range(len(facts.labels)):
        out[max(p for p in known if p <= position)].append(position)
    return out


def level_lines(facts):
    out = ["#define NVP__NVML_FOREIGN 1", "",
           "/* How new NVIDIA's header is, told by a constant that came with it. */"]
    keyword = "#if"
    for position, name in markers(facts):
        out.append("%s defined(%s)" % (keyword, name))
        out.append("#define NVP__NVML_LEVEL %d /* %s */" % (position, facts.labels[position]))
        keyword = "#elif"
    return out + ["#else", "#define NVP__NVML_LEVEL 0", "#endif", ""]


def families(facts):
    """Each function that an unversioned name's macro has to do with -> that name."""
    return {member: name for name, steps in facts.unversioned.items()
            for member in [name] + [step["to"] for step in steps]}


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


def range_tests(low, high, newest):
    """The preprocessor's tests for a range of levels: none when it is all of them."""
    if low == high:
        return ["NVP__NVML_LEVEL == %d" % low]
    from_low = ["NVP__NVML_LEVEL >= %d" % low] if low > 0 else []
    return from_low + (["NVP__NVML_LEVEL <= %d" % high] if high < newest else [])


def guard_at(facts, function, members, family):
    """When the headers of one level declare the function: "" always, an expression, or None for never.

    A superseded version is declared only where unversioned names are switched off. An unversioned
    name is declared where it is no macro.
    """
    declaring = [m for m in members if facts.in_header(function, m)]
    targets = {m: facts.unversioned_target(family, m) for m in members} if family else {}
    unversioned = family == function.name
    if len(declaring) == len(members):
        if unversioned:
            return "!defined(%s)" % function.name
        superseded = any(target not in (None, function.name) for target in targets.values())
        return VERSIONED_ONLY if superseded else ""
    if declaring and unversioned and all(targets[m] for m in members if m not in declaring):
        return "!%s && !defined(%s)" % (VERSIONED_ONLY, function.name)
    return None


def condition(facts, function, by_level, family):
    """When NVIDIA's header declares the function: a preprocessor expression, or None for never."""
    known = sorted(by_level)
    guards = {}
    for position in known:
        guard = guard_at(facts, function, by_level[position], family)
        if guard is not None:
            guards.setdefault(guard, set()).add(position)
    parts = []
    for guard, positions in sorted(guards.items()):
        for low, high in spans(positions, known):
            tests = range_tests(low, high, known[-1]) + ([guard] if guard else [])
            parts.append(" && ".join(tests) or "1")
    if len(parts) > 1:
        parts = ["(%s)" % part if "&&" in part else part for part in parts]
    return " || ".join(parts) or None


def call_lines(facts):
    by_level, family = levels(facts), families(facts)
    blocks = {}
    for function in facts.functions:
        text = condition(facts, function, by_level, family.get(function.name))
        if text:
            blocks.setdefault(text, []).append(function.name)
    out = ["/* Asking a deprecated call for its type is not using it. */",
           "#pragma GCC diagnostic push",
           '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"', ""]
    for text, names in sorted(blocks.items(), key=lambda block: (int((re.findall(r"LEVEL .. (\d+)", block[0]) or [0])[0]), block)):
        out += ["#if " + text] if text != "1" else []
        out += ["NVP_API extern __typeof__(%s) nvp_%s;" % (name, name) for name in names]
        out += ["#define %s nvp_%s" % (name, name) for name in names]
        out += ["#endif", ""] if text != "1" else [""]
    return out + ["#pragma GCC diagnostic pop", ""]
