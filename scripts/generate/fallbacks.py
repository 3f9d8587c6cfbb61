"""Write what serves what: src/compat/fallbacks.def and docs/compat.md, out of abi/fallbacks.tsv and abi/families.tsv."""

import re

from .rows import MARK, quote, row_file
from .tables import FactError, read_tsv, table_lines

COLUMNS = 5
UNSERVED = ("left out", "as it is", "limit")
LABELS = {"left out": "Left out", "as it is": "Nothing to bridge", "limit": "What cannot be decided"}
ITSELF = re.compile(r"itself(?: with (\w+))?(?: without (\w+))?$")

INTRODUCTION = """\
NVML has changed many of its calls over the years: a new name, a larger struct under the old name, a version word in the struct.
nvpulse bridges that, in both directions: a new call on an old driver, and an old call on a driver that dropped it. The choice is
made once, when the library is loaded, by what it exports; where the same name can mean two things, by what the driver takes and
writes. The number of a driver version decides nothing. The same choice serves the calls under NVML's names and calls by name.

- **served by**: the first function of the list that the driver exports is called in place of the one that is wanted. "itself"
  means that the driver's own function is called by an adapter that knows what differs; once nothing can differ, it is called directly.
- **lost**: what the caller does not get. "Not available" is the mark that NVML itself uses (all bits set), which
  `nvp_query()` turns into N/A; text that nobody can tell is empty.
- A family that cannot be served without guessing is left out, and the page says why.
- `nvp_function_fallback()` tells what is in force for a function on the driver in use."""


class Fallback:
    def __init__(self, number, cells):
        self.number = number
        self.family, self.wanted, self.served_by, self.how, self.lost = cells
        self.itself = ITSELF.match(self.served_by)
        self.unserved = self.how in UNSERVED

    def fail(self, message):
        raise FactError("fallbacks.tsv:%d: %s" % (self.number, message))

    def names(self):
        """Every function that the row names."""
        served = [name for name in self.itself.groups() if name] if self.itself else [self.served_by]
        return [name for name in [self.wanted] + served if name != "-"]


def signature(facts, function):
    return [(parameter.role, facts.param_type(function, parameter)) for parameter in function.params]


def check_row(row, facts, functions, families):
    if row.family not in families:
        row.fail("no family %s" % row.family)
    for name in row.names():
        if name not in functions:
            row.fail("no function %s" % name)
    if row.unserved != (row.served_by == "-") or (row.wanted == "-" and not row.unserved):
        row.fail("a function that serves goes with a way to call it, and with nothing else")
    if row.how == "alias" and signature(facts, functions[row.wanted]) != signature(facts, functions[row.served_by]):
        row.fail("%s and %s take different parameters" % (row.wanted, row.served_by))


def check_together(found):
    closed = set()
    for before, row in zip([None] + found, found):
        if before is not None and before.wanted != row.wanted:
            closed.add((before.family, before.wanted))
        if (row.family, row.wanted) in closed:
            row.fail("the rows of %s do not stand together" % row.wanted)


def check_complete(families, found):
    """Every function of every family is served, or left out with a reason, alone or with its family."""
    settled = {(row.family, row.wanted) for row in found if row.how != "limit"}
    for family, members in families.items():
        for name in members:
            if (family, "-") not in settled and (family, name) not in settled:
                raise FactError("fallbacks.tsv: %s of %s is neither served nor left out" % (name, family))


def read(facts, abi):
    """The families with their members, and the rows, checked."""
    functions = {function.name: function for function in facts.functions}
    families = {}
    for row in read_tsv(abi / "families.tsv"):
        families.setdefault(row["family"], {}).setdefault(row["function"], []).append(row)
    found = []
    for number, cells in table_lines(abi / "fallbacks.tsv"):
        if len(cells) != COLUMNS or not all(cells):
            raise FactError("fallbacks.tsv:%d: want family, wanted, served_by, how, lost" % number)
        if cells[0] != "family":
            found.append(Fallback(number, cells))
    for row in found:
        check_row(row, facts, functions, families)
    check_together(found)
    check_complete(families, found)
    return families, found


def row_of(row):
    lost = quote(row.lost)
    if row.itself:
        having, lacking = (name and "NVP_FN_" + name for name in row.itself.groups())
        return "NVP_FALLBACK_ITSELF(%s, %s, %s, %s, %s)" % (
            row.wanted, row.how, having or "NVP_FN_COUNT", lacking or "NVP_FN_COUNT", lost)
    if row.how in ("alias", "session"):
        return "NVP_FALLBACK_%s(%s, %s, %s)" % (row.how.upper(), row.wanted, row.served_by, lost)
    return "NVP_FALLBACK_ADAPTER(%s, %s, %s, %s)" % (row.wanted, row.served_by, row.how, lost)


def rows_file(found):
    return row_file(
        ["What serves a function that the library lacks, in the order of preference.",
         "ALIAS: the other is called as it is. SESSION: the layer that opens the session chooses. ITSELF: the library's own,",
         "called by an adapter, when `having` is exported and `lacking` is not (NVP_FN_COUNT: no such condition)."],
        {"NVP_FALLBACK_ALIAS": "wanted, served_by, lost",
         "NVP_FALLBACK_SESSION": "wanted, served_by, lost",
         "NVP_FALLBACK_ADAPTER": "wanted, served_by, adapter, lost",
         "NVP_FALLBACK_ITSELF": "wanted, adapter, having, lacking, lost"},
        [row_of(row) for row in found if not row.unserved])


def candidates(members):
    out = ["| function | since | struct | what is different |", "|---|---|---|---|"]
    for name, rows in members.items():
        for row in rows:
            size = "%s bytes" % row["struct_size"] if row["struct_size"] else ""
            word = "`%s`" % row["version_word"] if row["version_word"].startswith("0x") else ""
            out.append("| `%s` | %s | %s | %s |" % (name, row["first_known_driver_release"], ", ".join(filter(None, (size, word))),
                                                     row["change_from_previous"] or "-"))
    return out


def server(row):
    if not row.itself:
        return "`%s`" % row.served_by
    conditions = ["where the driver %s `%s`" % (verb, name)
                  for verb, name in zip(("has", "lacks"), row.itself.groups()) if name]
    return ", ".join(["itself"] + conditions).replace(", where the driver lacks", " and lacks")


def page(families, found):
    served = len({row.family for row in found if not row.unserved})
    out = ["<!-- %s -->" % MARK, "# Compatibility", "", INTRODUCTION, "",
           "%d families of calls; %d of them are served." % (len(families), served), ""]
    for family, members in families.items():
        rows = [row for row in found if row.family == family]
        out += ["## " + family, ""] + candidates(members) + [""]
        table = ["| `%s` | %s | %s |" % (row.wanted, server(row), row.lost) for row in rows if not row.unserved]
        if table:
            out += ["| wanted | served by | lost |", "|---|---|---|"] + table + [""]
        for row in rows:
            if row.unserved:
                name = "" if row.wanted == "-" else " (`%s`)" % row.wanted
                out += ["%s%s: %s." % (LABELS[row.how], name, row.lost), ""]
    return "\n".join(out).rstrip("\n") + "\n"


def outputs(facts, abi):
    families, found = read(facts, abi)
    return {"src/compat/fallbacks.def": rows_file(found), "docs/compat.md": page(families, found)}
