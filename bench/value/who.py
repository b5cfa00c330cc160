"""`rg -n … | who`: each hit with the lines of the definitions around it, as an expert's one-liner would print them.

A definition is around a line when it begins above with less indentation. Each of its lines is printed once, before the
first hit in it. What is no hit of `rg -n` passes through.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

HIT = re.compile(r"^([^:\s][^:]*):(\d+):")
DEFINES = re.compile(
    r"^\s*(?:"
    r"(?:async\s+)?def\s|class\s|func\s|"
    r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function|class|interface|enum|namespace)\b|"
    r"(?:export\s+)?(?:const|let|type)\s+\w+\b.*(?:=>|=\s*$|[({<]\s*$)|"
    r"type\s+\w+\s+(?:struct|interface)|"
    r"(?:(?:public|protected|private|static|final|abstract|synchronized|default)\s+)+"
    r"[\w<>\[\], .?]*\w\s*(?:\(|$|\{|extends|implements)"
    r")"
)


def with_definitions(hits: Iterable[str], root: Path) -> Iterator[str]:
    """The lines to print, without their ends."""
    files: dict[str, list[str]] = {}
    printed: set[tuple[str, int]] = set()
    for hit in hits:
        found = HIT.match(hit)
        if found is None or not (root / found[1]).is_file():
            yield hit
            continue
        path, line = found[1], int(found[2])
        if path not in files:
            files[path] = (root / path).read_text("utf-8", "replace").split("\n")
        for number in around(files[path], line):
            if (path, number) not in printed:
                printed.add((path, number))
                yield f"{path}:{number}:{files[path][number - 1]}"
        if (path, line) not in printed:
            printed.add((path, line))
            yield hit


def around(lines: list[str], line: int) -> list[int]:
    """The 1-based lines on which the definitions around a line begin, outermost first."""
    found = []
    least = _indent(lines[line - 1])
    for number in range(line - 1, 0, -1):
        text = lines[number - 1]
        if text.strip() and _indent(text) < least and DEFINES.match(text):
            found.append(number)
            least = _indent(text)
    return found[::-1]


def _indent(text: str) -> int:
    return len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())


if __name__ == "__main__":
    for printed_line in with_definitions((line.rstrip("\n") for line in sys.stdin), Path()):
        print(printed_line)
