"""Runs a function of codemap: `python -I isolated.py COUNT FOLDER … MODULE:FUNCTION WORD …`.

It imports from COUNT folders besides the standard library, which comes first. See `actors.processes.isolation`.
"""

import sys


def main() -> object:
    """Runs the function with the words as arguments; returns its result as exit code."""
    count = int(sys.argv[1])
    folders, words = sys.argv[2 : 2 + count], sys.argv[3 + count :]
    module, _, function = sys.argv[2 + count].partition(":")
    sys.path += [folder for folder in folders if folder not in sys.path]
    sys.argv[1:] = words
    from importlib import import_module

    return getattr(import_module(module), function)()


if __name__ == "__main__":
    sys.exit(main())  # type: ignore[arg-type]  # what a program's `main` returns is its exit code
