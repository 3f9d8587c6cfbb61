"""The numbers of metrics for C programs and their reference page, from src/model/metrics.def."""

import pathlib
import re

from .tables import FactError

TABLE = "src/model/metrics.def"
ROW = re.compile(
    r'NVP_METRIC\((\w+), "\w+", "([^"]+)", (\w+), (\w+), "([^"]*)", (\w+),\s*SMI\("([^"]*)", "([^"]*)", ([^,]+), ([^)]+)\),\s*'
    r'PROMETHEUS\("([^"]*)", ([^)]+)\),\s*(?:SOURCES|LIST)\((.*?)\),\s*"([^"]*)"\)', re.S)
TIERS = {"STATIC": "once", "HOT": "each sample", "WARM": "2 s", "SLOW": "10 s", "COSTLY": "on request"}


def text_of(root):
    """The table with the files that it includes, one for each group."""
    text = (root / TABLE).read_text(encoding="utf-8")
    return re.sub(r'#include "([^"]+)"\n', lambda found: (root / "src" / found.group(1)).read_text(encoding="utf-8"), text)


def read(root):
    rows = ROW.findall(text_of(root))
    if len(rows) != text_of(root).count("NVP_METRIC(") - 1:  # the comment names the macro once
        raise FactError(TABLE + ": a row is not of the usual form")
    return rows


def header(rows):
    lines = [
        "/*",
        " * The numbers of all metrics. Generated from the table of metrics by scripts/generate.py: do not edit.",
        " * A number may change with the minor version of the library as long as that begins with 0; names never change.",
        " */",
        "#ifndef NVPULSE_METRIC_IDS_H",
        "#define NVPULSE_METRIC_IDS_H",
        "",
        "/** A metric; see nvp_metric_get(). */",
        "typedef enum nvp_metric {",
    ]
    entries = ["    NVP_METRIC_%s = %d," % (row[0], number) for number, row in enumerate(rows)]
    width = max(len(entry) for entry in entries)
    lines += ["%s /**< %s */" % (entry.ljust(width), row[1]) for entry, row in zip(entries, rows)]
    lines += ["    NVP_METRIC_COUNT = %d" % len(rows), "} nvp_metric;", "", "#endif", ""]
    return "\n".join(lines)


def source_text(sources):
    parts = []
    for kind, inside in re.findall(r"(\w+)\(([^)]*)\)", sources):
        first = inside.split(",")[0].strip()
        parts.append({
            "FIELD": "field `%s`", "EACH_LINK": "field `%s` of each link", "RATE": "growth of `%s`", "GPM": "GPM metric %s",
            "EVENT": "events (%s)", "DERIVE": "derived (%s)", "COSTLY": "`%s`, on request", "EACH_FAN": "`%s` for each fan",
            "EACH_LINK_CALL": "`%s` for each link",
        }.get(kind, "`%s`") % first)
    return ", else ".join(parts)


def calls(root):
    text = (root / "src/model/calls.def").read_text(encoding="utf-8")
    return dict(re.findall(r'^NVP_METRIC_CALL\((\w+), "(\w+)"', text, re.M))


def page(rows, functions):
    lines = [
        "# Metrics",
        "",
        "<!-- generated from src/model/metrics.def by scripts/generate.py: do not edit -->",
        "",
        "All metrics of a device. *Name* is what JSON, `nvpulse query` and C programs (`NVP_METRIC_...`) use, with the unit of the number as it",
        "is kept; *nvidia-smi* is the name of `--query-gpu`; *Prometheus* is the name in base units; *read* is how often a sampler asks;",
        "*source* is what is asked of NVML, in the order of trying.",
        "",
    ]
    group = None
    for row in rows:
        this = row[1].split(".")[0]
        if this != group:
            group = this
            lines += ["", "## " + group, "", "| name | kind | nvidia-smi | Prometheus | read | source | meaning |", "|---|---|---|---|---|---|---|"]
        source = re.sub(r"`([A-Z_0-9]+)`", lambda found: "`%s`" % functions.get(found.group(1), found.group(1)), source_text(row[12]))
        smi = ", ".join("`%s`" % name for name in row[6].split("|") if name)
        prometheus = "`%s`" % row[10] if row[10] else ""
        lines.append("| `%s` | %s | %s | %s | %s | %s | %s |" % (row[1], row[2].lower(), smi, prometheus, TIERS[row[3]], source, row[13]))
    lines.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def outputs(root):
    root = pathlib.Path(root)
    rows = read(root)
    return {"include/nvpulse/metric_ids.h": header(rows), "docs/reference/metrics.md": page(rows, calls(root))}
