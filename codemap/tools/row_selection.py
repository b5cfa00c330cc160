"""Chooses which rows of a list are shown: those that `fileFilter` passes, product code first, the rest as `tests` says.

Rows of tests, examples, generated and vendored code are folded: they become counts by file, or by folder where the
files are many. What has the role of the symbol that was asked about is not folded, nor is anything where nothing else
is left: who asks about a test helper wants tests, and an answer that only counts would need a second call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET

from codemap.file_roles import ROLE_NAMES, Role, role_of
from codemap.graph.index.node_roles import role_of_row
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.ignore import Kind, Verdict, rules_of
from codemap.tools.params import ListParams, TestPolicy

T = TypeVar("T")

COUNTS_MAX = 6
"""Files or folders that the rows of one role are folded to."""

_CHARS_OF_LINE = 4
EVERYWHERE = "**"
"""Stands for all folders, where even those at the top are too many."""


class Place(msgspec.Struct, frozen=True):
    """The place of a row, as far as it decides whether it is shown."""

    path: str = ""
    """Empty for what has no file: it always passes."""
    role: Role = Role.PRODUCT
    """That of the definition, where it is known; else of the file, by its path."""
    count: int = 1
    """Uses that the row stands for."""


def place_of_path(path: str, count: int = 1) -> Place:
    """The place of a row of which nothing is known but its file; empty for none."""
    return Place(path, role_of(path) if path else Role.PRODUCT, count)


def place_of(snapshot: Snapshot, node: int, count: int = 1) -> Place:
    """The place of the row of a node; external packages have no place."""
    if snapshot.is_external(node):
        return Place(count=count)
    return place_in(*snapshot.row_of(node), count)


def place_in(file: IndexedFile, row: int, count: int = 1) -> Place:
    """The place of the row of a definition, or of its file."""
    return Place(file.path, role_of_row(file, row), count)


class Folded(msgspec.Struct, Generic[T], frozen=True):
    """A row that is counted and not shown."""

    role: Role
    place: Place
    row: T


class Sifted(msgspec.Struct, Generic[T], frozen=True):
    rows: tuple[T, ...]
    """Those that are shown, product code first, else in the order given."""
    folded: tuple[Folded[T], ...] = ()
    hidden: int = 0
    """Uses left out by the filter, or by `tests` where that does not count them."""
    only: tuple[str, ...] = ()
    """The roles of all there is, where that would be folded and is shown for want of anything else."""


def sift(
    rows: Iterable[T],
    place_of: Callable[[T], Place],
    params: ListParams,
    own: Role = Role.PRODUCT,
    *,
    is_alone: bool = True,
) -> Sifted[T]:
    """The rows to show, where the question is about something of a role: what has the same is not folded.

    Of a list that is not alone, the others of the answer show product code.
    """
    passes, policy = passes_filter(params.file_filter), policy_of(params)
    plain: list[T] = []
    others: list[Folded[T]] = []
    hidden = 0
    for row in rows:
        place = place_of(row)
        role = place.role
        if place.path and not passes(place.path):
            hidden += place.count
        elif role is Role.PRODUCT or (role is own and policy == "fold"):
            plain.append(row)
        else:
            others.append(Folded(role, place, row))
    others.sort(key=lambda other: other.role)
    rest = tuple(other.row for other in others)
    match policy:
        case "include":
            return Sifted((*plain, *rest), (), hidden)
        case "only":
            return Sifted(rest, (), hidden + sum(place_of(row).count for row in plain))
        case "exclude":
            return Sifted(tuple(plain), (), hidden + sum(other.place.count for other in others))
        case "fold" if plain or not is_alone:
            return Sifted(tuple(plain), tuple(others), hidden)
    return Sifted(rest, (), hidden, tuple(dict.fromkeys(ROLE_NAMES[other.role] for other in others)))


def filter_rows(rows: Sequence[T], place_of: Callable[[T], Place], params: ListParams) -> Sifted[T]:
    """Selects the rows that the filter passes, in the order given; nothing is folded."""
    passes = passes_filter(params.file_filter)
    kept = tuple(row for row in rows if passes(place_of(row).path))
    return Sifted(kept, hidden=len(rows) - len(kept))


def is_plain(params: ListParams) -> bool:
    """Whether full rows are to be as the tool orders them, as nothing is said of tests."""
    return params.rows == "full" and policy_of(params) == "include"


def sifted_hits(rows: Sequence[T], place_of: Callable[[T], Place], params: ListParams) -> Sifted[T]:
    """The same of rows in the order of their worth: what is better than any product code is not folded, as it is what
    was meant."""
    if policy_of(params) != "fold":
        return sift(rows, place_of, params)
    first = next((rank for rank, row in enumerate(rows) if place_of(row).role is Role.PRODUCT), 0)
    passes = passes_filter(params.file_filter)
    best = tuple(row for row in rows[:first] if passes(place_of(row).path))
    rest = sift(rows[first:], place_of, params)
    return Sifted((*best, *rest.rows), rest.folded, rest.hidden + first - len(best), () if best else rest.only)


def policy_of(params: ListParams) -> TestPolicy:
    """Decides what becomes of tests and the like."""
    if params.tests is not UNSET:
        return params.tests
    return "fold" if params.rows == "compact" else "include"


def say_hidden(count: int, noun: str, params: ListParams) -> str:
    """A sentence on rows that were left out, where none is shown."""
    if not params.file_filter and params.tests == "exclude":
        return f"Only tests, examples and the like have any: {count} {noun}(s), left out by tests:exclude."
    if not params.file_filter and params.tests == "only":
        return f"No test has any; {count} {noun}(s) of product code are left out by tests:only."
    return f"{count} {noun}(s) do not pass fileFilter or tests: drop them, or pass tests:include."


def not_passed(count: int, noun: str, files: int, params: ListParams) -> str:
    """A warning that all there is was left out, and by what."""
    given = [f"fileFilter {params.file_filter}"] if params.file_filter else []
    given += [f"tests:{params.tests}"] if params.tests in ("exclude", "only") else []
    return f"{count} {noun}(s) in {files} other file(s) do not pass {' or '.join(given)}."


def count_chars(folded: Iterable[Folded[T]], text_of: Callable[[T], str], most: int) -> int:
    """About the characters that rows with some texts would take if they were shown; of more than so many, more."""
    chars, paths = 0, set[str]()
    for one in folded:
        chars += len(text_of(one.row)) + _CHARS_OF_LINE * one.place.count
        chars += 0 if one.place.path in paths else len(one.place.path)
        paths.add(one.place.path)
        if chars > most:
            break
    return chars


def folded_counts(folded: Iterable[Folded[T]]) -> dict[str, dict[str, int]]:
    """Uses by role and file, or folder where the files are many."""
    counts: dict[Role, Counter[str]] = {}
    for one in folded:
        counts.setdefault(one.role, Counter())[one.place.path] += one.place.count
    return {ROLE_NAMES[role]: fold_by_folder(counts[role]) for role in sorted(counts)}


def fold_by_folder(counts: Counter[str]) -> dict[str, int]:
    """The counts of few enough entries: of the files, else of the deepest folders that are few enough."""
    if len(counts) <= COUNTS_MAX:
        return dict(counts.most_common())
    folders: Counter[str] = Counter()
    for path, count in counts.items():
        folders[path[: path.rfind("/") + 1]] += count
    return fold_folders(folders)


def fold_folders(folders: Counter[str]) -> dict[str, int]:
    """The same of folders, each with a slash at its end."""
    counts = dict(folders)
    first = {folder: place for place, folder in enumerate(counts)}  # the place of the first one that each counts
    at_depth: dict[int, list[str]] = {}
    for folder in counts:
        at_depth.setdefault(folder.count("/"), []).append(folder)
    for depth in range(max(at_depth), 0, -1):
        if len(counts) <= COUNTS_MAX:
            found = sorted(counts, key=lambda folder: (-counts[folder], first[folder]))
            return {folder or "./": counts[folder] for folder in found}
        for folder in at_depth.get(depth, ()):
            outer = folder[: folder.rfind("/", 0, -1) + 1]
            count, place = counts.pop(folder), first[folder]
            if outer in counts:
                counts[outer] += count
                first[outer] = min(first[outer], place)
            else:
                counts[outer], first[outer] = count, place
                at_depth.setdefault(depth - 1, []).append(outer)
    return {EVERYWHERE: sum(counts.values())}


def passes_filter(pattern: str) -> Callable[[str], bool]:
    """Whether a glob, as in ignore files, names a file or a folder around it; with `!` before it, whether not."""
    if not pattern:
        return _passes_all
    is_negated = pattern.startswith("!")
    rules = rules_of([pattern.removeprefix("!").encode("utf-8", "surrogateescape")])

    def is_named(path: str) -> bool:
        parts = path.encode("utf-8", "surrogateescape").split(b"/")
        return rules is not None and any(
            rules.verdict(b"/".join(parts[:end]), parts[end - 1], Kind.FILE if end == len(parts) else Kind.FOLDER)
            is Verdict.IGNORED
            for end in range(1, len(parts) + 1)
        )

    return lambda path: is_named(path) != is_negated


def _passes_all(_: str) -> bool:
    return True
