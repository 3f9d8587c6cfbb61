"""Read the facts in abi/ and answer questions about them.

Nothing here writes a file or knows what the outputs look like.  What cannot be
derived by rule is read from abi/shapes.tsv, never decided in this code.
"""

import csv
import json
import re

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


# A name with such a word in it must be decided: writes or no_write.
CHANGING = re.compile(r"(Set|Clear|Reset|Create|Destroy|Modify|Remove|Register|Freeze|Discover|"
                      r"Activate|Update|Force|Write|Free|Alloc)(?![a-z])")


class FactError(Exception):
    """The facts contradict themselves or the hand-written tables."""


class Field:
    """One flattened member of a struct: absolute offset, element type, array length."""

    def __init__(self, name, ctype, offset, size, count, direction):
        self.name = name
        self.ctype = ctype
        self.offset = offset
        self.size = size
        self.count = count
        self.direction = direction


class Param:
    """One parameter of a function, with the role that it plays in a call."""

    def __init__(self, name, ctype, direction):
        self.name = name
        self.ctype = ctype
        self.direction = direction
        self.role = None
        self.link = -1
        self.flags = set()
        self.layout = None
        self.meaning = None

    @property
    def is_pointer(self):
        return self.ctype.endswith("*")

    @property
    def pointee(self):
        base = self.ctype[:-1].strip() if self.is_pointer else self.ctype
        return base[len("const "):] if base.startswith("const ") else base

    def declaration(self):
        if self.is_pointer:
            return "%s*%s" % (self.ctype[:-1].rstrip() + " ", self.name)
        return "%s %s" % (self.ctype, self.name)


class Function:
    """One exported NVML function."""

    def __init__(self, row):
        self.row = row
        self.name = row["name"]
        self.flags = set()
        self.params = []
        if row["params"] != "void":
            for text in row["params"].split("; "):
                ctype, name, direction = text.rsplit(" ", 2)
                self.params.append(Param(name, ctype, direction))

    @property
    def returns_text(self):
        return self.row["returns"] != "nvmlReturn_t"

    @property
    def group(self):
        return self.row["group"] or "nvmlDeviceQueries"

    @property
    def version(self):
        text = self.row["version"]
        return int(text) if text.isdigit() else 0

    @property
    def first_driver(self):
        return self.row["first_driver"]

    @property
    def first_release(self):
        return self.row["first_known_driver_release"]

    def parameter_list(self):
        if not self.params:
            return "(void)"
        return "(%s)" % ", ".join(p.declaration() for p in self.params)

    def argument_list(self):
        return "(%s)" % ", ".join(p.name for p in self.params)


class Shapes:
    """The decisions of abi/shapes.tsv: (subject, decision) -> value."""

    def __init__(self, path):
        self.values = {}
        self.used = set()
        with open(path, encoding="utf-8") as handle:
            for number, line in enumerate(handle, 1):
                line = line.rstrip("\n")
                if not line or line.startswith("#"):
                    continue
                cells = line.split("\t")
                if len(cells) != 4 or not all(cells):
                    raise FactError("%s:%d: want subject, decision, value, reason" % (path, number))
                if cells[0] == "subject":
                    continue
                key = (cells[0], cells[1])
                if key in self.values:
                    raise FactError("%s:%d: %s %s decided twice" % (path, number, *key))
                self.values[key] = cells[2]

    def get(self, subject, decision):
        value = self.values.get((subject, decision))
        if value is not None:
            self.used.add((subject, decision))
        return value

    def all(self, decision):
        for subject, name in sorted(self.values):
            if name == decision:
                yield subject, self.get(subject, decision)

    def unused(self):
        return sorted(set(self.values) - self.used)


def read_tsv(path):
    with open(path, encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_words(path):
    """name -> text; lines that start with # are comments."""
    words = {}
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                name, text = line.split("\t")
                if name in words:
                    raise FactError("%s: %s described twice" % (path, name))
                words[name] = text
    return words


class Facts:
    """All facts of abi/, resolved."""

    def __init__(self, root):
        abi = root / "abi"
        self.shapes = Shapes(abi / "shapes.tsv")
        self.words = read_words(abi / "words.tsv")
        self.families = read_tsv(abi / "families.tsv")
        self.errors = read_tsv(abi / "errors.tsv")
        with open(abi / "structs.json", encoding="utf-8") as handle:
            data = json.load(handle)
        with open(abi / "enums.json", encoding="utf-8") as handle:
            constants = json.load(handle)
        self.labels = [entry["label"] for entry in data["headers_in_order"]]
        self.handles = [entry["name"] for entry in data["handles"]]
        self.handle_tags = {h["name"]: h["points_to"] for h in data["handles"]}
        self.scalar_typedefs = {n: t["type"] for n, t in data["scalar_typedefs"].items()}
        self.version_words = data["version_words"]
        self.aliases = {name: entry["target"] for name, entry in data["aliases"].items()}
        self.structs = data["structs"]
        self.macros = constants["macros"]
        self.enums = constants["enums"]
        self.unversioned = constants["unversioned_name_macros"]
        self._fold_renamed_types()
        self.historic = {}
        self._add_historic_layouts()
        self.functions = [Function(row) for row in read_tsv(abi / "functions.tsv")]
        self._resolve_functions()
        self._resolve_meanings()
        self.exports = sorted(abi.glob("exports/*.txt"))

    # -- types ---------------------------------------------------------------

    def _fold_renamed_types(self):
        """A typedef that newer headers keep only as another name of a newer one is an alias."""
        for name in list(self.structs) + list(self.enums):
            target = self.shapes.get(name, "alias")
            if target is None:
                continue
            self.aliases[name] = target
            self.structs.pop(name, None)
            self.enums.pop(name, None)

    def canonical(self, ctype):
        return self.aliases.get(ctype, ctype)

    def classify(self, ctype):
        """C type without pointer or array -> (kind, size, type constant)."""
        name = self.canonical(ctype)
        meaning = "NVP_TYPE_NONE"
        if name in self.scalar_typedefs:
            if name in self.pseudo_enum_names():
                meaning = "NVP_ENUM_" + name
            name = self.scalar_typedefs[name]
        if name in SCALARS:
            kind, size = SCALARS[name]
            return kind, size, meaning
        if name in self.enums:
            return "ENUM", 4, "NVP_ENUM_" + name
        if name in self.handles:
            return "HANDLE", 8, "NVP_HANDLE_" + name
        if name in self.structs:
            return "STRUCT", self.structs[name]["size"], "NVP_STRUCT_" + name
        if name in self.historic:
            return "STRUCT", self.historic[name]["size"], "NVP_STRUCT_" + name
        raise FactError("unknown type '%s'" % ctype)

    def fields(self, struct):
        """The flattened fields of a struct description."""
        return [f for raw in struct["fields"] for f in self._flatten(raw, "", 0, None)]

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
            shift = start + index * raw.get("elem_size", 0) if count else start
            for member in raw["nested"]:
                out += self._flatten(member, inner, shift, direction)
        return out

    def _add_historic_layouts(self):
        """Earlier layouts of a typedef whose newest form differs: nvp_<Name>_v<n>_t, oldest first."""
        found = self.historic
        for name, struct in self.structs.items():
            if struct["kind"] == "union":
                continue
            now = self._layout_key(struct["fields"])
            forms = self._merge_histories(struct)
            for number, form in enumerate(forms, 1):
                if self._layout_key(form["fields"]) == now:
                    continue
                made = "nvp_%s_v%d_t" % (name[len("nvml"):-len("_t")], number)
                found[made] = {
                    "kind": "struct", "tag": None, "size": form["size"], "align": struct["align"],
                    "of": name, "range": form["range"],
                    "fields": [self._plain_field(f) for f in form["fields"]],
                }
        for struct in found.values():
            self._bind_historic_elements(struct, found)
            struct["align"] = self._alignment(struct)

    @staticmethod
    def _layout_key(fields):
        return tuple((f["offset"], f["size"]) for f in fields if "." not in f["name"])

    def _merge_histories(self, struct):
        """One list of distinct layouts, oldest first, out of the toolkit and the driver history."""
        merged = []
        driver = list(struct.get("driver_history", []))
        toolkit = list(struct.get("history", []))

        def add(form):
            if self._layout_key(form["fields"]) not in [self._layout_key(m["fields"]) for m in merged]:
                merged.append(form)

        toolkit_keys = [self._layout_key(f["fields"]) for f in toolkit]
        while driver and self._layout_key(driver[0]["fields"]) not in toolkit_keys:
            add(driver.pop(0))
        for form in toolkit:
            add(form)
        for form in driver:
            add(form)
        return merged

    @staticmethod
    def _plain_field(raw):
        field = dict(raw)
        match = re.search(r"\[(\d+)\]$", field["type"])
        if match:
            field["array_len"] = int(match.group(1))
            field["elem_size"] = field["size"] // field["array_len"]
        return field

    def _bind_historic_elements(self, struct, found):
        """An old struct that embeds a struct embeds the form of the same age, told by its size."""
        for field in struct["fields"]:
            base = re.sub(r"\[\d+\]$", "", field["type"])
            if base not in self.structs:
                continue
            size = field["size"] // field.get("array_len", 1)
            if self.structs[base]["size"] == size:
                continue
            for name, other in found.items():
                if other["of"] == base and other["size"] == size:
                    field["type"] = field["type"].replace(base, name)
                    break
            else:
                raise FactError("no form of %s has %d bytes" % (base, size))

    def _alignment(self, struct):
        return max(self.alignment_of(f.ctype) for f in self.fields(struct))

    def alignment_of(self, ctype):
        if ctype.endswith("*"):
            return 8
        kind, size, _ = self.classify(ctype)
        if kind != "STRUCT":
            return size
        name = self.canonical(ctype)
        return self.structs[name]["align"] if name in self.structs else self.historic[name]["align"]

    def all_structs(self):
        """name -> description, historic layouts included."""
        return {**self.structs, **self.historic}

    def version_word(self, name):
        """The number that the struct's version field must hold, or 0."""
        struct = self.all_structs()[name]
        if not struct.get("has_version_field") or "version_word" not in struct:
            return 0
        return struct["version_word"]["value"]

    # -- constants -----------------------------------------------------------

    def pseudo_enum_names(self):
        if not hasattr(self, "_pseudo"):
            self._pseudo = {n: v for n, v in self.shapes.all("constants")}
        return self._pseudo

    def pseudo_enum(self, name):
        """The #define constants that belong to a pseudo enum: [(name, value)]."""
        include, exclude = [], []
        for pattern in self.pseudo_enum_names()[name].split(","):
            (exclude if pattern.startswith("!") else include).append(pattern.lstrip("!"))

        def matches(text, patterns):
            return any(re.fullmatch(p.replace("*", ".*"), text) for p in patterns)

        rows = [(m, e["value"]) for m, e in self.macros.items()
                if matches(m, include) and not matches(m, exclude)]
        if not rows:
            raise FactError("no constant matches pseudo enum %s" % name)
        return rows

    def enumerators(self, name):
        return [(c["name"], c["value"]) for c in self.enums[name]["constants"]
                if c["name"] not in self.macros]

    def is_field_id(self, name):
        return self.macros[name]["category"] == "field id" and name != "NVML_FI_MAX"

    # -- functions -----------------------------------------------------------

    def _resolve_functions(self):
        self.functions.sort(key=lambda f: f.name)
        for function in self.functions:
            for flag, decision in (("NVP_FN_WRITES", "writes"), ("NVP_FN_SESSION", "session"),
                                   ("NVP_FN_NO_BY_NAME", "no_by_name")):
                if self.shapes.get(function.name, decision):
                    function.flags.add(flag)
            harmless = self.shapes.get(function.name, "no_write")
            if CHANGING.search(function.name) and not harmless and "NVP_FN_WRITES" not in function.flags \
                    and "Get" not in function.name and "Wait" not in function.name:
                raise FactError("%s: writes or no_write?" % function.name)
            if function.row["deprecated"] == "yes":
                function.flags.add("NVP_FN_DEPRECATED")
            self._guess_roles(function)
            self._decide_roles(function)
            self._bind_layouts(function)
            self._check_links(function)

    def _guess_roles(self, function):
        params = function.params
        for index, param in enumerate(params):
            following = params[index + 1] if index + 1 < len(params) else None
            if param.role:
                continue
            if not param.is_pointer or param.direction == "in":
                param.role = "IN"
            elif param.ctype == "char *":
                param.role = "TEXT"
                if following is not None and following.pointee == "unsigned int":
                    param.link = index + 1
                    following.role = "LENGTH_INOUT" if following.is_pointer else "LENGTH"
            elif param.ctype == "unsigned int *" and param.direction == "inout":
                param.role = "COUNT_INOUT"
            elif param.direction == "inout":
                param.role = "INOUT"
            else:
                param.role = "OUT"
        counts = [i for i, p in enumerate(params) if p.role == "COUNT_INOUT"]
        if len(counts) == 1:
            for param in params:
                if param.role == "OUT":
                    param.role, param.link = "ITEMS", counts[0]
                    param.flags.add("NVP_PARAM_OPTIONAL")

    def _decide_roles(self, function):
        names = [p.name for p in function.params]
        for param in function.params:
            subject = "%s.%s" % (function.name, param.name)
            decision = self.shapes.get(subject, "role")
            if decision:
                role, _, link = decision.partition("=")
                param.role = role
                param.link = names.index(link) if link else -1
                param.flags.discard("NVP_PARAM_OPTIONAL")
            for flag in (self.shapes.get(subject, "flags") or "").split():
                param.flags.add("NVP_PARAM_" + flag)

    def _bind_layouts(self, function):
        """The struct that a symbol really reads or writes, where the prototype names a later one."""
        for param in function.params:
            layout = self.shapes.get("%s.%s" % (function.name, param.name), "layout")
            if layout is not None and layout not in self.historic:
                raise FactError("%s: no layout %s" % (function.name, layout))
            param.layout = layout

    def _check_links(self, function):
        wanted = {"TEXT": ("LENGTH", "LENGTH_INOUT"), "BLOB": ("LENGTH_INOUT",),
                  "ITEMS": ("COUNT_INOUT", "COUNT_OUT", "CAPACITY"), "VALUES": ("CAPACITY",)}
        for param in function.params:
            if param.role in wanted and param.link >= 0:
                target = function.params[param.link]
                if target.role not in wanted[param.role]:
                    raise FactError("%s: %s links to %s, a %s"
                                    % (function.name, param.name, target.name, target.role))
            elif param.role in wanted and not self.shapes.get(
                    "%s.%s" % (function.name, param.name), "capacity"):
                raise FactError("%s: %s needs a link" % (function.name, param.name))

    def _resolve_meanings(self):
        """Which constants a plain number takes: subject -> enum name."""
        self.meanings = dict(self.shapes.all("meaning"))
        for subject, enum in self.meanings.items():
            if enum not in self.enums and enum not in self.pseudo_enum_names():
                raise FactError("%s: no enum %s" % (subject, enum))

    def param_type(self, function, param):
        """(kind, type constant) of a parameter, or of an element of its array."""
        kind, _, meaning = self.classify(param.layout or param.pointee)
        enum = self.meanings.get("%s.%s" % (function.name, param.name))
        return kind, "NVP_ENUM_" + enum if enum else meaning

    def shape(self, function):
        """One letter for the C class of each parameter; V for none."""
        letters = []
        for param in function.params:
            if param.is_pointer:
                letters.append("P")
                continue
            kind, size, _ = self.classify(param.ctype)
            letters.append("P" if kind == "HANDLE" else "L" if size == 8 else "U")
        return "".join(letters) or "V"

    def family_latest(self, name, level):
        """Target of the unversioned name's macro in the header at that position, or None."""
        target = None
        for step in self.unversioned.get(name, []):
            if self.labels.index(step["from_header"]) <= level:
                target = step["to"]
        return target

    def in_header(self, function, level):
        """Does the toolkit header at that position declare the function?"""
        row = function.row
        if not row["first_header"]:
            return False
        first = self.labels.index(row["first_header"])
        last = self.labels.index(row["last_header"])
        if not first <= level <= last:
            return False
        for span in filter(None, row["absent_in_headers"].split(";")):
            low, _, high = span.strip().partition("..")
            if self.labels.index(low) <= level <= self.labels.index(high or low):
                return False
        return True
