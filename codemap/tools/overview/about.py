"""Says what a repository is: its languages, and where tests, examples and other non-product files are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from codemap.file_roles import ROLE_NAMES, Role
from codemap.graph.index.node_roles import role_of_file
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

PLACES_MAX = 4
"""Folders named of those that hold files of one role."""


def languages_of(snapshot: Snapshot, chosen: Sequence[int]) -> dict[str, str]:
    """Title of a language -> its files and their size, that with the most bytes first."""
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    chosen_files = [snapshot.files[number] for number in chosen]
    sure = {file.lang for file in chosen_files if not _is_shared(file)}
    for file in chosen_files:
        lang = _choose_language(file, sure)
        files[lang] += 1
        sizes[lang] += file.size
    known = by_name()
    return {
        known[lang].title: f"{files_text(files[lang])}, {_say_size(sizes[lang])}"
        for lang in sorted(sizes, key=lambda lang: (-sizes[lang], lang))
    }


def _is_shared(file: IndexedFile) -> bool:
    return file.path.endswith(by_name()[file.lang].shared_suffixes)


def _choose_language(file: IndexedFile, sure: Collection[str]) -> str:
    """The language that a file counts with: a header with the only one of its family that has files of its own."""
    if not _is_shared(file):
        return file.lang
    known = by_name()
    family = [lang for lang in sure if known[lang].family == known[file.lang].family]
    return family[0] if len(family) == 1 else file.lang


def _say_size(count: int) -> str:
    """Bytes, as people say them."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"


def aside_texts(snapshot: Snapshot, numbers: Sequence[int]) -> dict[str, str]:
    """Role -> how many files have it and where they are, of those that are not the product."""
    folders: dict[Role, Counter[str]] = {}
    for number in numbers:
        file = snapshot.files[number]
        top, slash, _ = file.path.partition("/")
        folders.setdefault(role_of_file(file), Counter())[top + slash] += 1
    return {ROLE_NAMES[role]: _say_places(folders[role]) for role in sorted(folders)}


def _say_places(counts: Counter[str]) -> str:
    named = [f"{place} {count}" for place, count in counts.most_common(PLACES_MAX)]
    further = len(counts) - len(named)
    where = ", ".join(named) if len(counts) > 1 else next(iter(counts))
    return f"{files_text(counts.total())}: {where}{f', {further} more places' if further else ''}"


def files_text(count: int) -> str:
    return f"{count} files" if count != 1 else "1 file"
