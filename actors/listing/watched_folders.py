"""Lists the folders of a root to watch: those that contain files to index, or could.

They are the folders that ignore files do not name, and those above a file that is tracked although they do.

Rules of the file:
- A folder is yielded before it is scanned: whoever watches each as it comes misses nothing that is made in it later.
- Nested repositories go by their own rules; a second checkout of the root's repository is left out, as its files are.
- Paths are bytes relative to the root.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator

import lz4.block
import msgspec

from actors.files.repository import IGNORE_FILE, Chapter, Repository, Rulebook, repository_at, rulebook_of
from actors.listing.exclusions import DERIVED_FOLDERS, Selection, is_environment
from actors.listing.ignored import Ignored, own_rules
from actors.listing.walk import is_folder_entry
from codemap.ignore import Kind

_GIT_FOLDER = frozenset([b".git"])


class Ground(msgspec.Struct, frozen=True):
    """What decides which folders of a root are watched."""

    root: bytes
    """Real path of the root."""
    around: Repository
    """The repository around the root; one without files where there is none."""
    derived: frozenset[bytes]
    """Names of folders that are never watched, outside nested repositories."""
    exclude: Selection
    excludes: Chapter | None
    """The user's own ignore file."""
    kept: frozenset[bytes]
    """Ignored folders that have tracked files below them."""
    tracked: bytes
    """All tracked files, packed into bytes."""


def ground_of(
    root: bytes, around: Repository | None, exclude: Iterable[str], excludes: Chapter | None, tracked: Collection[bytes]
) -> Ground:
    """Collects what decides, for a root with the user's patterns. Reads the disk."""
    selection = Selection(exclude)
    if around is None or rulebook_of(root, b"", around, excludes) is None:
        nowhere = os.fsencode(os.devnull)
        nothing = Repository(root, nowhere, False, nowhere, is_real=False)
        return Ground(root, nothing, DERIVED_FOLDERS, selection, None, frozenset(), _packed(()))
    ground = Ground(root, around, _GIT_FOLDER, selection, excludes, frozenset(), _packed(tracked))
    kept = frozenset(Ignored(root, around, excludes).folders_above(tracked))
    return msgspec.structs.replace(ground, kept=kept)


def tracks_others(before: Ground, now: Ground) -> bool:
    """Whether git tracks other ignored files now than before; files that are not ignored are listed anyway. Reads the
    disk."""
    if before.tracked == now.tracked:
        return False
    ignored = Ignored(now.root, now.around, now.excludes)
    return any(ignored.is_ignored(path) for path in _unpacked(before.tracked) ^ _unpacked(now.tracked))


def _packed(paths: Iterable[bytes]) -> bytes:
    """Packs paths into bytes; the same bytes for the same paths."""
    packed: bytes = lz4.block.compress(b"\0".join(sorted(paths)))
    return packed


def _unpacked(packed: bytes) -> set[bytes]:
    return set(lz4.block.decompress(packed).split(b"\0")) - {b""}


def folders_under(ground: Ground, start: bytes) -> Iterator[bytes]:
    """Lists a folder and those below it that are watched; none where the folder itself is not. Reads the disk."""
    rules = _rules_at(ground, start)
    if rules is None:
        return
    pending: list[tuple[bytes, Rulebook | None, frozenset[bytes]]] = [(start, *rules)]
    while pending:
        folder, rulebook, derived = pending.pop()
        yield folder
        try:
            with os.scandir(ground.root + b"/" + folder) as scan:
                entries = list(scan)
        except OSError:
            continue
        if derived is DERIVED_FOLDERS and folder and is_environment(entries):
            continue
        before = folder + b"/" if folder else b""
        if any(entry.name == IGNORE_FILE for entry in entries):
            rulebook = rulebook and rulebook.within(before, own_rules(ground.root, folder, ground.around))
        for entry in entries:
            if entry.name in derived or not is_folder_entry(entry):
                continue
            path = before + entry.name
            if rulebook is None or rulebook.ignores(path, entry.name, Kind.FOLDER):
                if path in ground.kept:
                    pending.append((path, None, derived))
                continue
            if ground.exclude.covers_whole(path):
                continue
            repository = repository_at(ground.root + b"/" + path)
            if repository is None:
                pending.append((path, rulebook, derived))
            elif repository.store != ground.around.store:
                rules_there = rulebook_of(ground.root, path, repository, ground.excludes)
                pending.append((path, rules_there or Rulebook(), _GIT_FOLDER))


def _rules_at(ground: Ground, folder: bytes) -> tuple[Rulebook | None, frozenset[bytes]] | None:
    """Finds the rules and derived folders that apply in a folder; None where it is not watched."""
    repository, derived = ground.around, ground.derived
    above = folder
    while above:
        nested = repository_at(ground.root + b"/" + above)
        if nested is not None:
            if nested.store == ground.around.store:
                return None
            repository, derived = nested, _GIT_FOLDER
            break
        above = above.rpartition(b"/")[0]
    parts = folder[len(above) :].split(b"/")
    if any(part in derived for part in parts) or (folder and ground.exclude.covers_whole(folder)):
        return None
    rulebook = rulebook_of(ground.root, folder, repository, ground.excludes)
    if rulebook is None and folder not in ground.kept:
        return None
    return rulebook, derived
