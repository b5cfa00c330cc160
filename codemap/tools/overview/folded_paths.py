"""Folds entries whose paths differ in one folder or name: `crates/*/src/lib.rs: core, cli and 30 more`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

FEW = 8
"""Entries that are listed one by one."""
ALIKE_MIN = 4
"""With paths alike; fewer are listed one by one."""


class Listed(NamedTuple):
    text: str
    """The whole of an entry, where it is listed by itself."""
    path: str
    name: str


def fold(entries: Sequence[Listed], most: int) -> list[str]:
    """The texts of entries; of more than a few, those with paths alike as one, with the first `most` names of these."""
    if len(entries) <= FEW:
        return [entry.text for entry in entries]
    alike: dict[str, list[Listed]] = {}
    for entry in entries:
        for pattern in _list_patterns(entry.path):
            alike.setdefault(pattern, []).append(entry)
    text_of = {entry: entry.text for entry in entries}
    left = set(entries)
    for pattern, all_of_it in sorted(alike.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        its = [entry for entry in all_of_it if entry in left]
        if len(its) >= ALIKE_MIN:
            left.difference_update(its)
            text_of |= dict.fromkeys(its, f"{pattern}: {_say_names([entry.name for entry in its], most)}")
    return list(dict.fromkeys(text_of.values()))


def _list_patterns(path: str) -> Iterator[str]:
    """The path with a `*` for one of its folders, or for the name of its file without the suffix."""
    *folders, file = path.split("/")
    for at in range(len(folders)):
        yield "/".join((*folders[:at], "*", *folders[at + 1 :], file))
    stem, dot, suffix = file.partition(".")
    if stem:
        yield "/".join((*folders, f"*{dot}{suffix}"))


def _say_names(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
