"""Export lists of drivers whose library nobody has examined, from what the published headers declare.

A function is in the list of a release when the release is not older than its first known one and lies in none
of its holes, and when no examined library of that time shows that it is declared but not there.  Checked
against the examined libraries from 340.108 to 550.163.01: the rule gives their lists but for what stands in
abi/README.md.  Private names are those that every examined library from 535 on exports.
"""

import re

RELEASES = ("535.54.03", "580.65.06", "610.43.02")
PRIVATE = ("nvmlInternalGetExportTable",)
FOLDER = "abi/exports/derived/"


def release(text):
    """A driver release as numbers that compare: "580.65.06" is (580, 65, 6)."""
    return tuple(int(part) for part in text.split("."))


def is_within(wanted, ranges):
    """Whether a release lies in one of the ranges "A..B", "A.." or "A", joined by ";"."""
    for part in filter(None, ranges.split(";")):
        first, dots, last = part.strip().partition("..")
        last = last if dots else first
        if release(first) <= wanted and (not last or wanted <= release(last)):
            return True
    return False


def is_declared_only(function):
    """In headers of releases that were examined, but exported by none of their libraries."""
    return function.first_driver == "none of those tested"


def exported(functions, driver):
    """The sorted names that the library of a driver release should export."""
    wanted = release(driver)
    names = list(PRIVATE)
    for function in functions:
        first = function.first_release
        if not re.fullmatch(r"[0-9.]+", first) or is_declared_only(function):
            continue
        if release(first) <= wanted and not is_within(wanted, function.row["absent_in_later_driver_headers"]):
            names.append(function.name)
    return sorted(names)


def outputs(facts):
    return {FOLDER + driver + ".txt": "".join(name + "\n" for name in exported(facts.functions, driver)) for driver in RELEASES}
