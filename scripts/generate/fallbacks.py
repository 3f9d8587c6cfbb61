"""Write what serves what: src/compat/fallbacks.def and docs/compat.md, out of abi/fallbacks.tsv and abi/families.tsv."""

from .rows import MARK, quote, row_file
from .tables import FactError, read_tsv, table_lines

COLUMNS = 5
STRICT = False


class Fallback:
    def __init__(self, number, cells):
        self.number = number
        self.family, self.wanted, self.served_by, self.how, self.lost = cells

    @property
    def left_out(self):
        return self.how == "left out"


def read(facts, abi):
    """The rows, checked: every name exists, rows of a function stand together, every family is served or left out."""
    known = {function.name for function in facts.functions}
    families = []
    for row in read_tsv(abi / "families.tsv"):
        if row["family"] not in families:
            families.append(row["family"])
    found = []
    for number, cells in table_lines(abi / "fallbacks.tsv"):
        if len(cells) != COLUMNS or not all(cells):
            raise FactError("fallbacks.tsv:%d: want family, wanted, served_by, how, lost" % number)
        if cells[0] != "family":
            found.append(Fallback(number, cells))
    for row in found:
        if row.family not in families:
            raise FactError("fallbacks.tsv:%d: no family %s" % (row.number, row.family))
        for name in () if row.left_out else (row.wanted, row.served_by):
            if name not in known:
                raise FactError("fallbacks.tsv:%d: no function %s" % (row.number, name))
    closed = set()
    for before, row in zip([None] + found, found):
        if before is not None and before.wanted != row.wanted and not before.left_out:
            closed.add(before.wanted)
        if row.wanted in closed:
            raise FactError("fallbacks.tsv:%d: the rows of %s do not stand together" % (row.number, row.wanted))
    missing = [family for family in families if family not in {row.family for row in found}]
    if missing and STRICT:
        raise FactError("fallbacks.tsv: neither served nor left out: %s" % "; ".join(missing))
    return families, found


def rows_file(found):
    rows = []
    for row in found:
        if row.left_out:
            continue
        if row.how == "alias":
            rows.append("NVP_FALLBACK_ALIAS(%s, %s, %s)" % (row.wanted, row.served_by, quote(row.lost)))
        else:
            rows.append("NVP_FALLBACK_ADAPTER(%s, %s, %s, %s)" % (row.wanted, row.served_by, row.how, quote(row.lost)))
    return row_file(
        ["What serves a function that the library lacks, in the order of preference."],
        {"NVP_FALLBACK_ALIAS": "wanted, served_by, lost", "NVP_FALLBACK_ADAPTER": "wanted, served_by, adapter, lost"}, rows)


def page(families, found):
    out = ["<!-- %s -->" % MARK, "# Compatibility", "",
           "A call that the driver lacks is served by another one where that can be done faithfully, in both directions: a new call",
           "on an old driver, and an old call on a driver that dropped it. The choice is made once, when the library is loaded, by what",
           "it exports. The same choice serves the calls under NVML's names and calls by name. `nvp_function_fallback()` tells it.", ""]
    for family in families:
        rows = [row for row in found if row.family == family]
        out += ["## " + family, ""]
        served = [row for row in rows if not row.left_out]
        if served:
            out += ["| wanted | served by | lost |", "|---|---|---|"]
            out += ["| `%s` | `%s` | %s |" % (row.wanted, row.served_by, row.lost) for row in served] + [""]
        for row in rows:
            if row.left_out:
                out += [("Left out: " if not served else "Not served%s: " % (
                    " (`%s`)" % row.wanted if row.wanted != "-" else "")) + row.lost + ".", ""]
    return "\n".join(out).rstrip("\n") + "\n"


def outputs(facts, abi):
    families, found = read(facts, abi)
    return {"src/compat/fallbacks.def": rows_file(found), "docs/compat.md": page(families, found)}
