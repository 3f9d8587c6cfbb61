"""Read the tab-separated tables of abi/.  Knows their form, not their meaning."""

import csv


class FactError(Exception):
    """The facts contradict themselves or the hand-written tables."""


def read_tsv(path):
    """The rows of a table with a header line, as dicts."""
    with open(path, encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE))


def table_lines(path):
    """Number and cells of each line that is neither empty nor a comment."""
    with open(path, encoding="utf-8") as handle:
        for number, line in enumerate(handle, 1):
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                yield number, line.split("\t")


class Shapes:
    """The decisions of abi/shapes.tsv: (subject, decision) -> value."""

    def __init__(self, path):
        self.values = {}
        self.used = set()
        for number, cells in table_lines(path):
            if len(cells) != 4 or not all(cells):
                raise FactError("%s:%d: want subject, decision, value, reason" % (path.name, number))
            key = (cells[0], cells[1])
            if key in self.values:
                raise FactError("%s:%d: %s is decided twice (%s)" % (path.name, number, *key))
            if cells[0] != "subject":
                self.values[key] = cells[2]

    def get(self, subject, decision):
        value = self.values.get((subject, decision))
        if value is not None:
            self.used.add((subject, decision))
        return value

    def all(self, decision):
        """Sorted (subject, value) pairs of one kind of decision."""
        subjects = sorted(subject for subject, name in self.values if name == decision)
        return [(subject, self.get(subject, decision)) for subject in subjects]

    def unused(self):
        return ["%s (%s)" % key for key in sorted(set(self.values) - self.used)]


class Words:
    """The texts of abi/words.tsv: name -> text."""

    def __init__(self, path):
        self.texts = {}
        self.used = set()
        for number, cells in table_lines(path):
            if len(cells) != 2 or not all(cells):
                raise FactError("%s:%d: want name, text" % (path.name, number))
            if cells[0] in self.texts:
                raise FactError("%s:%d: %s is described twice" % (path.name, number, cells[0]))
            self.texts[cells[0]] = cells[1]

    def get(self, name):
        text = self.texts.get(name)
        if text is not None:
            self.used.add(name)
        return text

    def unused(self):
        return sorted(set(self.texts) - self.used)
