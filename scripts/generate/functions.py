"""The functions of abi/functions.tsv: what each parameter does in a call.

Roles follow from type and direction; abi/shapes.tsv decides the rest.
"""

import re

from .tables import FactError

# A name with such a word in it must be decided: writes or no_write.
CHANGING = re.compile(r"(Set|Clear|Reset|Create|Destroy|Modify|Remove|Register|Freeze|Discover|"
                      r"Activate|Update|Force|Write|Free|Alloc)(?![a-z])")
READING = re.compile(r"Get|Wait")

# Which role a parameter's link must lead to.
LINKS = {"TEXT": ("LENGTH", "LENGTH_INOUT"), "BLOB": ("LENGTH_INOUT",),
         "ITEMS": ("COUNT_INOUT", "COUNT_OUT", "CAPACITY"), "VALUES": ("CAPACITY",)}


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

    @property
    def is_pointer(self):
        return self.ctype.endswith("*")

    @property
    def pointee(self):
        """The type that a pointer points at, or the type itself, without const."""
        base = self.ctype[:-1].strip() if self.is_pointer else self.ctype
        return base[len("const "):] if base.startswith("const ") else base

    def declaration(self):
        if self.is_pointer:
            return "%s *%s" % (self.ctype[:-1].rstrip(), self.name)
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
        """The header's group; the few functions without one all ask a device."""
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

    def subject(self, param):
        """The parameter's name in abi/shapes.tsv."""
        return "%s.%s" % (self.name, param.name)

    def parameter_list(self):
        return "(%s)" % (", ".join(p.declaration() for p in self.params) or "void")

    def argument_list(self):
        return "(%s)" % ", ".join(p.name for p in self.params)


def resolve(function, shapes):
    """Gives the function its flags and each parameter its role, link and flags."""
    _decide_flags(function, shapes)
    _guess_roles(function)
    _decide_roles(function, shapes)
    _check_links(function, shapes)
    if any(param.role in ("OUT", "ITEMS") and param.ctype.startswith("nvmlDevice_t") for param in function.params):
        function.flags.add("NVP_FN_DEVICES")


def _decide_flags(function, shapes):
    for flag, decision in (("NVP_FN_WRITES", "writes"), ("NVP_FN_SESSION", "session"),
                           ("NVP_FN_NO_BY_NAME", "no_by_name")):
        if shapes.get(function.name, decision):
            function.flags.add(flag)
    if function.row["deprecated"] == "yes":
        function.flags.add("NVP_FN_DEPRECATED")
    decided = shapes.get(function.name, "no_write") or "NVP_FN_WRITES" in function.flags
    if CHANGING.search(function.name) and not READING.search(function.name) and not decided:
        raise FactError("%s: writes or no_write?" % function.name)


def _guess_roles(function):
    params = function.params
    for index, param in enumerate(params):
        if param.role is None:
            param.role = _role_of(param)
        following = params[index + 1] if index + 1 < len(params) else None
        if param.role == "TEXT" and following is not None and following.pointee == "unsigned int":
            param.link = index + 1
            following.role = "LENGTH_INOUT" if following.is_pointer else "LENGTH"
    counts = [i for i, p in enumerate(params) if p.role == "COUNT_INOUT"]
    if len(counts) == 1:
        for param in params:
            if param.role == "OUT":
                param.role, param.link = "ITEMS", counts[0]
                param.flags.add("NVP_PARAM_OPTIONAL")


def _role_of(param):
    if not param.is_pointer or param.direction == "in":
        return "IN"
    if param.ctype == "char *":
        return "TEXT"
    if param.direction == "inout":
        return "COUNT_INOUT" if param.ctype == "unsigned int *" else "INOUT"
    return "OUT"


def _decide_roles(function, shapes):
    names = [p.name for p in function.params]
    for param in function.params:
        decision = shapes.get(function.subject(param), "role")
        if decision:
            param.role, _, link = decision.partition("=")
            param.link = names.index(link) if link else -1
            param.flags.discard("NVP_PARAM_OPTIONAL")
        for flag in (shapes.get(function.subject(param), "flags") or "").split():
            param.flags.add("NVP_PARAM_" + flag)
        param.layout = shapes.get(function.subject(param), "layout")


def _check_links(function, shapes):
    for param in function.params:
        wanted = LINKS.get(param.role)
        if wanted is None:
            if param.link >= 0:
                raise FactError("%s: a link from a %s" % (function.subject(param), param.role))
        elif param.link >= 0:
            target = function.params[param.link]
            if target.role not in wanted:
                raise FactError("%s links to a %s" % (function.subject(param), target.role))
        elif not shapes.get(function.subject(param), "capacity"):
            raise FactError("%s needs a link" % function.subject(param))
