"""A past written down as lines: who changed which lines of which files, the earliest first.

    a Ada: Add the store | app/store.py, app/api.py
    b Bob: Fix the lock | app/store.py 12-14 20, app/api.py 3

A commit is named by a hexadecimal digit. Without lines, the file is added; lines are those of today, which no commit
moves.
`old.py > new.py` is a rename. `uncommitted: app/store.py 12-14` as the last line is what no commit has yet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hypothesis import strategies as st

from codemap.history.past import Past
from tests.history.repository import Repository

_COMMIT = re.compile(r"(\w+) ([^:]+): (.+?) \| (.+)")


def past_of(text: str, files: Mapping[str, bytes]) -> Past:
    """The past of files with so many lines."""
    repository = Repository()
    now: dict[str, str] = {}
    uncommitted: dict[str, tuple[int, ...] | None] = {}
    for line in text.split("\n"):
        if line.startswith("uncommitted: "):
            for path, wanted in _changes(line.partition(": ")[2]):
                hunks = [(begin - 1, end - begin + 1, begin - 1, end - begin + 1) for begin, end in wanted]
                uncommitted[path] = tuple(number for hunk in hunks for number in hunk) or None
            continue
        found = _COMMIT.fullmatch(line)
        assert found, line
        name, author, message, changes = found.groups()
        renamed: dict[str, str] = {}
        for path, wanted in _changes(changes):
            old, is_rename, new = path.partition(" > ")
            if is_rename:
                now[new] = now.pop(old)
                renamed[new] = old
                continue
            lines = now.get(path, "".join(f"{number}\n" for number in range(files[path].count(b"\n")))).split("\n")
            for begin, end in wanted:
                lines[begin - 1 : end] = [f"{number} {name}" for number in range(begin, end + 1)]
            now[path] = "\n".join(lines)
        repository.commit(name, dict(now), message=message.replace("\\n", "\n"), author=author, renamed=renamed)
    return Past(repository.history(), uncommitted=uncommitted)


def _changes(text: str) -> list[tuple[str, list[tuple[int, int]]]]:
    """Path and ranges of lines, 1-based, the last included."""
    found = []
    for one in text.split(", "):
        if " > " in one:
            found.append((one, []))
            continue
        path, *ranges = one.split(" ")
        ends = [(each.partition("-")[0], each.rpartition("-")[2]) for each in ranges]
        found.append((path, [(int(begin), int(end)) for begin, end in ends]))
    return found


@st.composite
def pasts(draw: st.DrawFn, files: Mapping[str, int]) -> Past:
    """A past of files that have so many lines."""
    repository = Repository()
    now = {path: "x\n" * count for path, count in files.items()}
    for name in "0123456789"[: draw(st.integers(1, 8))]:
        for path in draw(st.sets(st.sampled_from(sorted(now)), max_size=3)) if now else ():
            lines = now[path].split("\n")
            lines[draw(st.integers(0, len(lines) - 1))] += name
            now[path] = "\n".join(lines)
        message = draw(st.sampled_from(["Add", "Fix a bug", "\u202e hidden", 'Revert "Add"']))
        repository.commit(name, dict(now), message=message, author=draw(st.sampled_from(["Ada", "b[bot]", "c\x1b"])))
    changed = {path: None for path in draw(st.sets(st.sampled_from(sorted(now)), max_size=1)) if now} if now else {}
    gaps = draw(st.sampled_from([(), ("The clone is shallow.",)]))
    return Past(repository.history(), uncommitted=changed, gaps=gaps)
