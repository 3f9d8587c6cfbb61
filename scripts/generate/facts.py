"""The facts of abi/, resolved: types, constants, functions.

Nothing here writes a file or knows what the outputs look like.  What cannot be
derived by rule is read from abi/shapes.tsv, never decided in this code.
"""

import json
import re

from . import functions, layouts
from .tables import FactError, Shapes, Words, read_tsv

SCALARS = {
    "unsigned int": ("U32", 4),
    "int": ("I32", 4),
    "unsigned long long": ("U64", 8),
    "long long": ("I64", 8),
    "unsigned long": ("ULONG", 8),
    "double": ("F64", 8),
    "unsigned char": ("U8", 1),
    "unsigned short": ("U16", 2),
    "char": ("CHAR", 1),
}


class Field:
    """One flattened member of a struct: absolute offset, element type, array length."""

    def __init__(self, name, ctype, offset, size, count, direction):
        self.name = name
        self.ctype = ctype
        self.offset = offset
        self.size = size
        self.count = count
        self.direction = direction


class Facts:
    """All facts of abi/."""

    def __init__(self, root):
        abi = root / "abi"
        self.shapes = Shapes(abi / "shapes.tsv")
        self.words = Words(abi / "words.tsv")
        self.errors = read_tsv(abi / "errors.tsv")
        self._read_types(abi / "structs.json")
        self._read_constants(abi / "enums.json")
        self.historic = layouts.earlier_layouts(self.structs)
        self._fold_renamed_types()
        for struct in self.historic.values():
            struct["align"] = max(self.alignment_of(f.ctype) for f in self.fields(struct))
        self.pseudo_enums = dict(self.shapes.all("constants"))
        self.meanings = dict(self.shapes.all("meaning"))
        self.functions = [functions.Function(row) for row in read_tsv(abi / "functions.tsv")]
        self.functions.sort(key=lambda function: function.name)
        for function in self.functions:
            functions.resolve(function, self.shapes)
        self._check_names()

    def _read_types(self, path):
        with open(path, encoding="utf-8") as handle:
            data = json.load(handle)
        self.labels = [entry["label"] for entry in data["headers_in_order"]]
        self.handles = {h["name"]: h["points_to"] for h in data["handles"]}
        self.scalar_typedefs = {name: t["type"] for name, t in data["scalar_typedefs"].items()}
        self.version_words = data["version_words"]
        self.aliases = {name: entry["target"] for name, entry in data["aliases"].items()}
        self.structs = data["structs"]

    def _read_constants(self, path):
        with open(path, encoding="utf-8") as handle:
            data = json.load(handle)
        self.macros = data["macros"]
        self.enums = data["enums"]
        self.unversioned = data["unversioned_name_macros"]

    def _fold_renamed_types(self):
        """A typedef that newer headers keep only as another name of a newer one is an alias."""
        for name, target in self.shapes.all("alias"):
            self.aliases[name] = target
            self.structs.pop(name, None)
            self.enums.pop(name, None)

    def _check_names(self):
        for function in self.functions:
            if self.words.get(function.name) is None:
                raise FactError("%s has no line in abi/words.tsv" % function.name)
            for param in function.params:
                if param.layout is not None and param.layout not in self.historic:
                    raise FactError("%s: no layout %s" % (function.subject(param), param.layout))
        for subject, enum in self.meanings.items():
            if enum not in self.enums and enum not in self.pseudo_enums:
                raise FactError("%s: no enum %s" % (subject, enum))

    # Types

    def canonical(self, ctype):
        return self.aliases.get(ctype, ctype)

    def all_structs(self):
        """name -> description, earlier layouts included."""
        return {**self.structs, **self.historic}

    def classify(self, ctype):
        """C type without pointer or array -> (kind, size, type constant)."""
        name = self.canonical(ctype)
        meaning = "NVP_TYPE_NONE"
        if name in self.scalar_typedefs:
            if name in self.pseudo_enums:
                meaning = "NVP_ENUM_" + name
            name = self.scalar_typedefs[name]
        if name in SCALARS:
            return (*SCALARS[name], meaning)
        if name in self.enums:
            return "ENUM", 4, "NVP_ENUM_" + name
        if name in self.handles:
            return "HANDLE", 8, "NVP_HANDLE_" + name
        if name in self.all_structs():
            return "STRUCT", self.all_structs()[name]["size"], "NVP_STRUCT_" + name
        raise FactError("unknown type '%s'" % ctype)

    def alignment_of(self, ctype):
        if ctype.endswith("*"):
            return 8
        name = self.canonical(ctype)
        if name in self.structs:
            return self.structs[name]["align"]
        if name in self.historic:
            return max(self.alignment_of(f.ctype) for f in self.fields(self.historic[name]))
        name = self.scalar_typedefs.get(name, name)
        return SCALARS[name][1] if name in SCALARS else 8 if name in self.handles else 4

    def fields(self, struct):
        """The flattened fields of a struct description."""
        return [field for raw in struct["fields"] for field in self._flatten(raw, "", 0, None)]

    def _flatten(self, raw, prefix, base, direction):
        name = prefix + raw["name"]
        direction = raw.get("dir", direction)
        count = raw.get("array_len", 0)
        if "nested" not in raw:
            ctype = re.sub(r"\[\d+\]$", "", raw["type"])
            size = raw["size"] // count if count else raw["size"]
            return [Field(name, ctype, base + raw["offset"], size, count, direction)]
        relative = raw["nested_offsets"].startswith("relative")
        start = base + raw["offset"] if relative else base
        out = []
        for index in range(max(count, 1)):
            label = "%s[%d]" % (name, index) if count else name
            inner = label + "." if raw["name"] else prefix
            for member in raw["nested"]:
                out += self._flatten(member, inner, start + index * raw.get("elem_size", 0), direction)
        return out

    def version_word(self, name):
        """The number that the struct's version field must hold, or 0."""
        struct = self.all_structs()[name]
        if not struct.get("has_version_field") or "version_word" not in struct:
            return 0
        return struct["version_word"]["value"]

    # Constants

    def pseudo_enum(self, name):
        """The #define constants that belong to a pseudo enum: [(name, value)]."""
        patterns = self.pseudo_enums[name].split(",")

        def matches(text, pattern):
            return re.fullmatch(pattern.lstrip("!").replace("*", ".*"), text)

        def wanted(text):
            inside = any(matches(text, p) for p in patterns if not p.startswith("!"))
            return inside and not any(matches(text, p) for p in patterns if p.startswith("!"))

        rows = [(macro, entry["value"]) for macro, entry in self.macros.items() if wanted(macro)]
        if not rows:
            raise FactError("no constant matches pseudo enum %s" % name)
        return rows

    def enumerators(self, name):
        """[(name, value)] of an enum, without those that have become #define constants."""
        return [(c["name"], c["value"]) for c in self.enums[name]["constants"]
                if c["name"] not in self.macros]

    def is_field_id(self, name):
        return self.macros[name]["category"] == "field id" and name != "NVML_FI_MAX"

    # Functions

    def param_type(self, function, param):
        """(kind, type constant) of a parameter, or of what it points at."""
        kind, _, meaning = self.classify(param.layout or param.pointee)
        enum = self.meanings.get(function.subject(param))
        return kind, "NVP_ENUM_" + enum if enum else meaning

    def shape(self, function):
        """One letter for the C class of each parameter; V for none."""
        letters = []
        for param in function.params:
            kind, size, _ = ("HANDLE", 8, None) if param.is_pointer else self.classify(param.ctype)
            letters.append("P" if kind == "HANDLE" else "L" if size == 8 else "U")
        return "".join(letters) or "V"

    def unversioned_target(self, name, position):
        """What an unversioned name's macro means in the toolkit header at that position, or None."""
        target = None
        for step in self.unversioned.get(name, []):
            if self.labels.index(step["from_header"]) <= position:
                target = step["to"]
        return target

    def in_header(self, function, position):
        """Does the toolkit header at that position declare the function?"""
        row = function.row
        if not row["first_header"]:
            return False
        first, last = self.labels.index(row["first_header"]), self.labels.index(row["last_header"])
        absent = [span.strip().partition("..") for span in row["absent_in_headers"].split(";") if span]
        holes = [(self.labels.index(low), self.labels.index(high or low)) for low, _, high in absent]
        return first <= position <= last and not any(low <= position <= high for low, high in holes)
