"""Writes each complete C program of a Markdown file into a file of its own: example-1.c, example-2.c, ...

usage: extract.py FILE.md FOLDER
"""

import os
import re
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        blocks = re.findall(r"^```c\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    programs = [block for block in blocks if "int main(" in block]
    if not programs:
        sys.exit(f"{sys.argv[1]} has no complete C program")
    for number, program in enumerate(programs, 1):
        with open(os.path.join(sys.argv[2], f"example-{number}.c"), "w", encoding="utf-8") as file:
            file.write(program)


main()
