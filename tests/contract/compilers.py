"""Compile small programs with every C and C++ compiler that is installed, without making object files.

Knows nothing of what the programs test.
"""

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(SOURCE, "include")
SKIPPED = 77

C_FLAGS = ["-std=c11", "-x", "c"]
CXX_FLAGS = ["-std=c++11", "-x", "c++"]
STRICT = ["-pedantic-errors", "-Wall", "-Wextra", "-Werror"]


def installed():
    """[(command, language flags)] of the compilers that are there."""
    wanted = [("gcc", C_FLAGS), ("clang", C_FLAGS), ("g++", CXX_FLAGS), ("clang++", CXX_FLAGS)]
    found = [(name, flags) for name, flags in wanted if shutil.which(name)]
    return found or [("cc", C_FLAGS)]


def run(command, text):
    """(exit status, standard output, messages) of a compiler that reads a program from its input."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command + ["-"], input=text, capture_output=True, text=True, cwd=folder, check=False)
    return done.returncode, done.stdout, done.stderr


def check(program, flags, compilers=None):
    """Compiles a program with each compiler; the messages of those that refuse it."""
    problems = []
    for name, language in compilers or installed():
        status, _, messages = run([name, *language, *STRICT, "-I", INCLUDE, "-fsyntax-only", *flags], program)
        if status != 0:
            problems.append("%s:\n%s" % (name, messages))
    return problems


def preprocessed(program, flags):
    """A program without its directives."""
    status, out, messages = run([installed()[0][0], *C_FLAGS, "-I", INCLUDE, "-E", "-P", *flags], program)
    if status != 0:
        raise AssertionError(messages)
    return out


def macros(program, flags):
    """name -> replacement of every object-like macro at the end of a program."""
    status, out, messages = run([installed()[0][0], *C_FLAGS, "-I", INCLUDE, "-E", "-dM", *flags], program)
    if status != 0:
        raise AssertionError(messages)
    rows = (line.split(" ", 2) for line in out.splitlines())
    return {row[1]: row[2] if len(row) > 2 else "" for row in rows}


def in_parallel(function, items):
    """The results of function for each item; two at a time."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(function, items))
