"""What a repository is: its languages, and where what is not the product lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from codemap.file_roles import ROLE_NAMES, Role, role_of
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

PLACES_MAX = 4
"""Folders named of those that hold files of one role."""


def languages_of(snapshot: Snapshot, chosen: Sequence[int]) -> dict[str, str]:
    """Title of a language -> its files and their size, that with the most bytes first."""
    files: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for number in chosen:
        file = snapshot.files[number]
        files[file.lang] = files.get(file.lang, 0) + 1
        sizes[file.lang] = sizes.get(file.lang, 0) + file.size
    known = by_name()
    return {
        known[lang].title: f"{files_text(files[lang])}, {_size(sizes[lang])}"
        for lang in sorted(sizes, key=lambda lang: (-sizes[lang], lang))
    }


def _size(count: int) -> str:
    """Bytes, as people say them."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"


def aside_texts(snapshot: Snapshot, numbers: Sequence[int]) -> dict[str, str]:
    """Role -> how many files have it and where they are, of those that are not the product."""
    folders: dict[Role, Counter[str]] = {}
    for number in numbers:
        path = snapshot.files[number].path
        top, slash, _ = path.partition("/")
        folders.setdefault(role_of(path), Counter())[top + slash] += 1
    return {ROLE_NAMES[role]: _places(folders[role]) for role in sorted(folders)}


def _places(counts: Counter[str]) -> str:
    named = [f"{place} {count}" for place, count in counts.most_common(PLACES_MAX)]
    further = len(counts) - len(named)
    where = ", ".join(named) if len(counts) > 1 else next(iter(counts))
    return f"{files_text(counts.total())}: {where}{f', {further} more places' if further else ''}"


def files_text(count: int) -> str:
    return f"{count} files" if count != 1 else "1 file"
