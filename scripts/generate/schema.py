"""docs/snapshot.schema.json: the JSON form of a snapshot, with every metric and field of the tables of src/model/."""

import json
import pathlib
import re

from . import metrics
from .tables import FactError

PATH = "docs/snapshot.schema.json"
KINDS = {"UINT": "count", "REAL": "number", "TEXT": "text"}
STATES = ["ok", "stalled", "lost", "asleep", "failed"]
WIDTH = 140


def field_rows(root, path, macro):
    """(name, kind, unit, help) of each row of a table of fields."""
    text = (root / path).read_text(encoding="utf-8")
    rows = re.findall(r'^%s\(\w+, ("\w+"), (\w+|"[^"]*"), (\w+|"[^"]*"), "([^"]*)"\)$' % macro, text, re.M)
    if len(rows) != len(re.findall(r"^%s\(" % macro, text, re.M)):
        raise FactError(path + ": a row is not of the usual form")
    for name, one, other, help_text in rows:
        kind, unit = (other, one) if one.startswith('"') else (one, other)
        yield name.strip('"'), kind, unit.strip('"'), help_text


def words_of(root):
    sets = {}
    text = (root / "src/model/words.def").read_text(encoding="utf-8")
    for name, word in re.findall(r'^NVP_WORD\((\w+), \d+, "(\w+)"', text, re.M):
        sets.setdefault(name, []).append(word)
    return sets


def reasons(root):
    text = (root / "src/base/status.c").read_text(encoding="utf-8")
    return [word for name, word in re.findall(r'\[NVP_REASON_(\w+)\] = \{ "[^"]*", "(\w+)" \}', text) if name != "NONE"]


def described(schema, help_text, unit=""):
    return {**schema, "description": help_text, **({"unit": unit} if unit else {})}


def metric_schema(row, words, is_list):
    """What one item of a metric may be, and then a list of these."""
    _, _, kind, _, unit, word_set = row[:6]
    if kind in ("GAUGE", "COUNTER"):
        item = {"type": ["number", "null"]}
    elif word_set in words:
        item = {"type": ["string", "integer", "null"], "examples": words[word_set]}
    else:
        item = {"type": ["string", "number", "null"]}
    if is_list:
        item = {"type": ["array", "null"], "items": item}
    return described(item, row[13], unit)


def metric_properties(root):
    words = words_of(root)
    text = metrics.text_of(root)
    lists = set(re.findall(r'NVP_METRIC\((\w+),(?:(?!NVP_METRIC\().)*?\bLIST\(', text, re.S))
    return {row[1]: metric_schema(row, words, row[0] in lists) for row in metrics.read(root)}


def process_properties(root):
    made = {}
    for name, kind, unit, help_text in field_rows(root, "src/model/process_fields.def", "NVP_PROCESS_FIELD"):
        made[name] = described({"$ref": "#/$defs/" + KINDS[kind]}, help_text, unit)
    made["foreign"] = described({"type": ["boolean", "null"]}, "Of another pid namespace or unknown here: it must not be signalled")
    types = {"anyOf": [{"enum": ["compute", "graphics", "mps"]}, {"type": "integer", "minimum": 8}]}
    made["type"] = described({"type": ["array", "null"], "items": types},
                             "What it does on the GPU; a number is the sum of what has no word")
    return made


def host_properties(root):
    rows = field_rows(root, "src/model/host_fields.def", "NVP_HOST_FIELD")
    return {name: described({"$ref": "#/$defs/" + KINDS[kind]}, help_text, unit) for name, kind, unit, help_text in rows}


def definitions(root):
    return {
        "count": {"type": ["integer", "null"], "minimum": 0, "maximum": 2**64 - 1},
        "number": {"type": ["number", "null"]},
        "text": {"type": ["string", "null"]},
        "time_us": {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1, "unit": "us",
                    "description": "Microseconds since 1970; 0 for never"},
        "reason": {
            "type": "object",
            "description": "Why something is not there: a word for programs, and the status behind it",
            "required": ["reason", "status"],
            "properties": {
                "reason": {"type": "string", "examples": reasons(root)},
                "status": {"type": "integer", "not": {"const": 0},
                           "description": "Positive: an nvmlReturn_t; negative: a status of nvpulse's own (see reference/errors.md)"},
            },
        },
        "na": {
            "type": "object",
            "description": "For each null among the values, and as name[3] for those in lists, why it is null. "
                           "What stands nowhere has not been asked for",
            "additionalProperties": {"$ref": "#/$defs/reason"},
        },
        "ages_us": {
            "type": "object",
            "description": "How long before sampled_at_us of the device, or time_us of the snapshot, a value was read that was not "
                           "read at read_at_us; null for never",
            "additionalProperties": {"type": ["integer", "null"]},
        },
    }


def beside():
    return {
        "read_at_us": described({"$ref": "#/$defs/time_us"}, "When the values were read, those in ages_us excepted"),
        "na": {"$ref": "#/$defs/na"},
        "ages_us": {"$ref": "#/$defs/ages_us"},
    }


def device(root):
    properties = {
        "index": {"type": "integer", "minimum": 0, "description": "NVML's index of the GPU; of the parent for a MIG device"},
        "mig_index": {"type": ["integer", "null"], "minimum": 0, "description": "Of the MIG device below its GPU; null for a GPU"},
        "state": {"enum": STATES},
        "status": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/reason"}], "description": "Why the state is not ok"},
        "stalled_us": {"type": "integer", "minimum": 0, "unit": "us", "description": "For how long a call has not returned"},
        "sampled_at_us": described({"$ref": "#/$defs/time_us"}, "When its sample ended"),
        "metrics": {"type": "object", "properties": metric_properties(root)},
        **beside(),
    }
    return {"type": "object", "required": [name for name in properties if name != "ages_us"], "properties": properties}


def schema(root):
    properties = {
        "schema": {"const": "nvpulse.snapshot/1"},
        "sequence": {"type": "integer", "minimum": 0, "description": "1 for the first snapshot of a sampler"},
        "generation": {"type": "integer", "minimum": 0, "description": "Grows each time that NVML is opened"},
        "time_us": described({"$ref": "#/$defs/time_us"}, "When the snapshot was made"),
        "time": {"type": ["string", "null"], "description": "The same for people, in UTC; not read back",
                 "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$"},
        "simulated": {"type": "boolean", "description": "Whether host.simulation says what is simulated; not read back"},
        "host": {"type": "object", "required": ["read_at_us", "na"], "properties": {**host_properties(root), **beside()}},
        "devices": {"type": "array", "items": device(root),
                    "description": "In the order of their index, each followed by its MIG devices"},
        "process_status": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/reason"}],
                           "description": "Why the list of processes is not complete"},
        "processes": {
            "type": "array",
            "items": {"type": "object", "required": ["pid", "read_at_us", "na"],
                      "properties": {**process_properties(root), **beside()}},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "generated from src/model/*.def by scripts/generate.py: do not edit",
        "title": "A snapshot of nvpulse",
        "description": "What all GPUs, their processes and the host were like at one moment. Values that are not there are null, and "
                       "the object na beside them says why. A number of a state that has a word is written as that word. Versions "
                       "with the same number only ever add names: pass over those that you do not know.",
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "$defs": definitions(root),
    }


def dump(value, indent=0):
    """JSON in which whatever fits stands in one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(flat) + indent <= WIDTH:
        return flat
    inner = " " * (indent + 2)
    if isinstance(value, list):
        parts = [dump(item, indent + 2) for item in value]
    else:
        parts = ["%s: %s" % (json.dumps(key), dump(item, indent + 2)) for key, item in value.items()]
    ends = "[]" if isinstance(value, list) else "{}"
    return "%s\n%s%s\n%s%s" % (ends[0], inner, (",\n" + inner).join(parts), " " * indent, ends[1])


def outputs(root):
    root = pathlib.Path(root)
    return {PATH: dump(schema(root)) + "\n"}
