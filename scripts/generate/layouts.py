"""Find the earlier layouts of structs that changed under the same name.

They become nvp_<Name>_v<n>_t, oldest first.  Two forms are one layout when all
members lie at the same offsets with the same sizes: renamed members, other
signs and new members of a union make no new layout.
"""

import re

from .tables import FactError


def layout_key(fields):
    """What makes a layout; members of nested structs follow from the outer one."""
    return tuple((f["offset"], f["size"]) for f in fields if "." not in f["name"])


def distinct_forms(struct):
    """The different layouts in the toolkit and driver histories, oldest first."""
    toolkit = [dict(form, where="headers") for form in struct.get("history", [])]
    driver = [dict(form, where="drivers") for form in struct.get("driver_history", [])]
    toolkit_keys = [layout_key(form["fields"]) for form in toolkit]
    ordered = []
    while driver and layout_key(driver[0]["fields"]) not in toolkit_keys:
        ordered.append(driver.pop(0))
    forms = {}
    for form in ordered + toolkit + driver:
        first = forms.setdefault(layout_key(form["fields"]), form)
        if first is not form and first["where"] == form["where"]:
            first["range"] += ", " + form["range"]
    return list(forms.values())


def plain_field(raw):
    """A member as the current structs have it: array length and element size apart."""
    field = dict(raw)
    match = re.search(r"\[(\d+)\]$", field["type"])
    if match:
        field["array_len"] = int(match.group(1))
        field["elem_size"] = field["size"] // field["array_len"]
    return field


def earlier_layouts(structs):
    """name -> struct description, alignment still to be computed."""
    found = {}
    for name, struct in structs.items():
        if struct["kind"] == "union":
            continue
        now = layout_key(struct["fields"])
        for number, form in enumerate(distinct_forms(struct), 1):
            if layout_key(form["fields"]) == now:
                continue
            made = "nvp_%s_v%d_t" % (name[len("nvml"):-len("_t")], number)
            found[made] = {"kind": "struct", "tag": None, "size": form["size"], "of": name,
                           "range": "%s %s" % (form["where"], form["range"]), "fields": [plain_field(f) for f in form["fields"]]}
    for struct in found.values():
        _bind_elements(struct, structs, found)
    return found


def _bind_elements(struct, structs, found):
    """An old struct that contains a struct contains the form of the same age, told by its size."""
    for field in struct["fields"]:
        base = re.sub(r"\[\d+\]$", "", field["type"])
        size = field["size"] // field.get("array_len", 1)
        if base not in structs or structs[base]["size"] == size:
            continue
        matches = [name for name, other in found.items() if other["of"] == base and other["size"] == size]
        if len(matches) != 1:
            raise FactError("%d forms of %s have %d bytes" % (len(matches), base, size))
        field["type"] = field["type"].replace(base, matches[0])
