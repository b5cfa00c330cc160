"""Reads the lines of code that compact rows name, from the files as they are on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Found, Source
from codemap.tools.tool import Asking

FILES_MAX = 60
"""Files that are read."""
CHARS_MAX = 120
"""Of a line of code that are shown."""
LINES_MAX = 4
"""Lines of one use that are shown as one."""


def ask_lines(snapshot: Snapshot, paths: Iterable[str]) -> Asking[Mapping[str, Sequence[str]]]:
    """The lines of the first files; without those that differ on disk from what the map was made from."""
    chosen = [path for path in paths if path in snapshot.by_path][:FILES_MAX]
    facts = (yield tuple(map(Source, chosen))) if chosen else ()
    return {
        path: fact.value.text.split("\n")
        for path, fact in zip(chosen, facts, strict=True)
        if isinstance(fact, Found) and fact.value.digest == snapshot.by_path[path].stamp.digest
    }


def code_at(lines: Sequence[str], number: int) -> str:
    """A line by its number from 1, with the next ones where it only begins a list of arguments."""
    code = ""
    for line in lines[number - 1 : number - 1 + LINES_MAX]:
        code += (" " if code.endswith(",") else "") + " ".join(line.split())
        if not code.endswith(("(", "[", ",")):
            break
    return code if len(code) <= CHARS_MAX else f"{code[: CHARS_MAX - 1]}…"
