"""Checks single paths against the ignore files of a repository."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from actors.files.repository import IGNORE_FILE, Chapter, Repository, Rulebook, ignore_file, obeyed_outside, rulebook_of
from actors.listing.inherited import find_inherited
from codemap.ignore import Kind, Rules


class Ignored:
    """Checks paths, and caches the rules of each folder. Reads the disk."""

    def __init__(self, root: bytes, around: Repository, excludes: Chapter | None) -> None:
        """`around` is the repository around the root; paths in others are not to be asked about."""
        self._root = root
        self._around = around
        top = rulebook_of(root, b"", around, excludes)
        self._rulebooks: dict[bytes, Rulebook | None] = {b"": self._with_own(b"", top)}
        """Folder -> the rules in it; None: it is ignored."""

    def is_ignored(self, path: bytes) -> bool:
        """Whether a file, or a folder around it, is ignored."""
        folder, _, name = path.rpartition(b"/")
        rulebook = self._within(folder)
        return rulebook is None or rulebook.ignores(path, name, Kind.FILE)

    def folders_above(self, paths: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the ignored folders around some files, at any depth; some of them several times."""
        for folder in {path.rpartition(b"/")[0] for path in paths}:
            while folder and self._within(folder) is None:
                yield folder
                folder = folder.rpartition(b"/")[0]

    def _within(self, folder: bytes) -> Rulebook | None:
        return find_inherited(self._rulebooks, folder, self._enter)

    def _enter(self, folder: bytes, around: Rulebook | None) -> Rulebook | None:
        if around is None or around.ignores(folder, folder.rpartition(b"/")[2], Kind.FOLDER):
            return None
        return self._with_own(folder, around)

    def _with_own(self, folder: bytes, rulebook: Rulebook | None) -> Rulebook | None:
        if rulebook is None:
            return None
        return rulebook.within(folder + b"/" if folder else b"", own_rules(self._root, folder, self._around))


def own_rules(root: bytes, folder: bytes, around: Repository) -> Rules | None:
    """Reads the rules of the ignore file of a folder, as far as they are obeyed there."""
    rules = ignore_file(root + b"/" + (folder + b"/" if folder else b"") + IGNORE_FILE)
    return obeyed_outside(root, rules)[0] if not folder and not around.is_real else rules
