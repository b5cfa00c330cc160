"""Edges between repositories: those of roots apart, joined, beside those of the same sources in one root.

    python -m bench.joined_roots [GROUP ...] [--root DIR ... --language NAME] [--read] [--write]

A group of `joined_roots.toml`, or the folders given, is indexed twice: each repository as a root of its own, whose maps
are joined for the first of them, and all of them as folders of one root. Folders of one archive, or within the first,
are one repository that is split: they stay where they are, and what is in the inner is not in the outer. Of the edges
whose ends lie in different repositories, *recall* is the share of those of one root that the joined map has, with the
same ends and kind, and *precision* the share of those of the joined map that one root has. `--read` prints the edges
that differ; `--write` writes the rows into `bench/JOINED_ROOTS.md`, where those not measured now stay. The program ends
with 1 where an edge in both has another confidence.
"""

from __future__ import annotations

import sys
import tomllib
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import trio

from actors.listing.listing import list_tree
from bench.corpora import PROJECT, Corpus, CorpusError, fetch
from bench.mentions import write_row
from codemap.extract.skipped_files import skip_reason
from codemap.graph.build.build import build_snapshot
from codemap.graph.joined.join import join
from codemap.graph.joined.links import linked_roots, names_of
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.root_paths import prefix_of, split_path
from codemap.settings import Settings

PAGE = PROJECT / "bench" / "JOINED_ROOTS.md"
BUILT = ("dist",)
"""Folders that archives of packages have and repositories do not."""
APART = "-in-one"
"""Ends the name of a folder in one root, which must not be that of a package in it."""
_COLUMNS = (
    *("code base", "language", "files", "linked", "edges in one root", "joined", "in both", "recall", "precision"),
    "other confidence",
)
_HEAD = f"""# Edges between repositories

Each group of repositories twice: every one as a root of its own, their maps joined for the first; and all as folders of
one root. *Linked*: how many of the others the first is joined with, by the names of packages alone. Counted are edges
whose ends lie in different repositories. *Other confidence*: edges in both, with another confidence. Both sides are
maps of codemap's, and where imports name namespaces (C#, Java, Kotlin, PHP) both are resolved alike, over the files of
all: whether the edges of one root are right is measured in `bench/accuracy`. Where a row has a commit, its repositories
are those of GitHub, given as folders. `python -m bench.joined_roots --write` makes this page.

| {" | ".join(_COLUMNS)} |
|{"---|" * len(_COLUMNS)}
"""
Edge = tuple[str, str, str, str, str]
"""Path and name of both ends, with the repository before the path; the kind."""


class Outcome(msgspec.Struct, frozen=True):
    title: str
    language: str
    files: int
    linked: str
    one: Mapping[Edge, int]
    """Edges in one root, with their confidences."""
    joined: Mapping[Edge, int]

    @property
    def both(self) -> int:
        return len(self.one.keys() & self.joined.keys())

    @property
    def surer_or_not(self) -> int:
        """How many edges in both have another confidence."""
        return sum(self.one[edge] != self.joined[edge] for edge in self.one.keys() & self.joined.keys())

    def row(self) -> str:
        cells = (
            *(self.title, self.language, self.files, self.linked, len(self.one), len(self.joined), self.both),
            *(_share(self.both, len(self.one)), _share(self.both, len(self.joined)), self.surer_or_not),
        )
        return f"| {' | '.join(map(str, cells))} |"


def measure(
    title: str, language: str, roots: Mapping[str, Mapping[str, bytes]], places: Mapping[str, str] = {}
) -> Outcome:
    """Builds both maps of some repositories: name -> path -> content. `places` are their folders in one root."""
    folders = {name: places.get(name, name + APART) for name in roots}
    snapshots = {name: build_snapshot(files) for name, files in roots.items()}
    names = {name: names_of(snapshot) for name, snapshot in snapshots.items()}
    asked = next(iter(roots))
    linked = linked_roots(asked, names)
    joined = finish(join(asked, snapshots, names, None))
    one = build_snapshot(
        {f"{folders[name]}/{path}".lstrip("/"): text for name, files in roots.items() for path, text in files.items()}
    )
    prefixes = {prefix_of(name): name for name in roots}

    def place(path: str) -> tuple[str, str]:
        prefix, own = split_path(path, prefixes)
        return prefixes.get(prefix, asked), own

    def place_in_one(path: str) -> tuple[str, str]:
        inner = [name for name, folder in folders.items() if path.startswith(f"{folder}/" if folder else "")]
        name = max(inner, key=lambda name: len(folders[name]))
        return name, path[len(folders[name]) :].lstrip("/")

    return Outcome(
        title,
        language,
        sum(len(snapshot.files) for snapshot in snapshots.values()),
        f"{len(linked)} of {len(roots) - 1}",
        _edges_between(one, place_in_one),
        _edges_between(joined, place),
    )


def _edges_between(snapshot: Snapshot, place: Callable[[str], tuple[str, str]]) -> dict[Edge, int]:
    """The edges whose ends lie in different repositories."""
    table, found = snapshot.edges, dict[Edge, int]()
    rows = zip(*(column.tolist() for column in (table.source, table.target, table.kind, table.confidence)), strict=True)
    for source, target, kind, confidence in rows:
        if not snapshot.is_external(target):
            (left, row), (right, target_row) = snapshot.row_of(source), snapshot.row_of(target)
            (left_root, left_path), (right_root, right_path) = place(left.path), place(right.path)
            if left_root != right_root:
                ends = f"{left_root}/{left_path}", left.name_in_id(row), f"{right_root}/{right_path}"
                found[*ends, right.name_in_id(target_row), EdgeKind(kind).name.lower()] = confidence
    return found


def split(roots: Mapping[str, Path], top: Path) -> tuple[dict[str, dict[str, bytes]], dict[str, str]]:
    """The files of repositories that are folders of one, some within others, and where they are in it."""
    places = {name: "" if root == top else root.relative_to(top).as_posix() for name, root in roots.items()}
    found: dict[str, dict[str, bytes]] = {}
    for name, root in roots.items():
        inner = tuple(
            f"{other.relative_to(root)}/" for other in roots.values() if other != root and root in other.parents
        )
        found[name] = {path: text for path, text in indexed(root).items() if not path.startswith(inner)}
    return found, places


def indexed(root: Path) -> dict[str, bytes]:
    """The files that codemap would index, with those that configure."""
    listing = trio.run(list_tree, str(root), Settings(exclude=BUILT))
    found = {path: (root / path).read_bytes() for path in (*listing.files, *listing.configs)}
    most = Settings().file_max_bytes
    return {
        path: text
        for path, text in found.items()
        if path in listing.configs or not skip_reason(path, text, len(text), max_bytes=most)
    }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _read(outcome: Outcome) -> None:
    for mark, left, right in (("-", outcome.one, outcome.joined), ("+", outcome.joined, outcome.one)):
        for edge in sorted(left.keys() - right.keys()):
            print(mark, *edge)
    for edge in sorted(outcome.one.keys() & outcome.joined.keys()):
        if outcome.one[edge] != outcome.joined[edge]:
            print("~", *edge, outcome.one[edge], outcome.joined[edge])


def main() -> None:
    parser = ArgumentParser(prog="python -m bench.joined_roots", description=__doc__.splitlines()[0])
    groups = msgspec.convert(
        tomllib.loads((PROJECT / "bench" / "joined_roots.toml").read_text()), dict[str, dict[str, Corpus]]
    )
    parser.add_argument("groups", nargs="*", metavar="GROUP", choices=[[], *groups])
    parser.add_argument("--root", action="append", default=[], type=Path, metavar="DIR")
    parser.add_argument("--language", default="", metavar="NAME", help="of the folders, for their row")
    parser.add_argument("--read", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    outcomes = []
    if given.root:
        paths = {root.resolve().name: root.resolve() for root in given.root}
        top = min(paths.values(), key=lambda path: len(path.parts))
        is_split = len(paths) > 1 and all(top in (path, *path.parents) for path in paths.values())
        roots, places = split(paths, top) if is_split else ({name: indexed(path) for name, path in paths.items()}, {})
        outcomes.append(measure(", ".join(roots), given.language, roots, places))
    for name in given.groups or ([] if given.root else groups):
        corpora = groups[name]
        try:
            paths = {key: fetch(corpus) for key, corpus in corpora.items()}
        except CorpusError as error:
            print(error, file=sys.stderr)
            continue
        first = next(iter(corpora.values()))
        if all(corpus.title == first.title for corpus in corpora.values()):
            roots, places = split(paths, fetch(msgspec.structs.replace(first, root=".")))
        else:
            roots, places = {key: indexed(path) for key, path in paths.items()}, {}
        title = ", ".join(f"{key} {one.version}" for key, one in corpora.items())
        outcomes.append(measure(title, first.language, roots, places))
    for outcome in outcomes:
        print(outcome.row())
        if given.read:
            _read(outcome)
        if given.write and outcome.language:
            write_row(PAGE, _HEAD, outcome.title, outcome.language, outcome.row())
    sys.exit(any(outcome.surer_or_not for outcome in outcomes))


if __name__ == "__main__":
    main()
