"""The files of the next snapshot, and whether its definitions keep their numbers.

An edit inside functions leaves every definition its place: then what depends on numbers, names and paths alone is the
previous snapshot's, and the edit costs the same in a repository of any size but for copies of arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

import msgspec
import numpy as np

from codemap.graph.model.definitions import outline
from codemap.graph.model.index_slots import Reach
from codemap.graph.model.indexed_file import Extracted, IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.persistent import PersistentList, PersistentMap
from codemap.project import Project


class Inventory(msgspec.Struct, frozen=True):
    files: PersistentList[IndexedFile]
    """In path order; those that neither changed nor moved are the previous objects."""
    by_path: PersistentMap[str, IndexedFile]
    changed: tuple[int, ...]
    """Numbers of the files with other contents."""
    has_same_paths: bool
    is_aligned: bool
    """Whether each definition has the number that it had, and no other is in its place."""

    @property
    def reach(self) -> Reach:
        """What differs from the previous files."""
        if self.is_aligned:
            return Reach.CONTENTS
        return Reach.DEFINITIONS if self.has_same_paths else Reach.FILES


def inventory(previous: Snapshot | None, changed: Mapping[str, Extracted], removed: Set[str]) -> Inventory:
    """All files after an edit. Cost where no file came or went and none got other definitions: the changed files."""
    if previous is not None and not removed and changed.keys() <= previous.by_path.keys():
        found = {path: _indexed(path, new, previous.by_path[path]) for path, new in changed.items()}
        if all(_is_aligned(previous.by_path[path], file) for path, file in found.items()):
            numbers = tuple(sorted(file.number for file in found.values()))
            by_path = previous.by_path.updated(found)
            return Inventory(by_path.in_order, by_path, numbers, True, True)
        if all(previous.by_path[path].lang == file.lang for path, file in found.items()):
            return _shifted(previous, sorted(found.values(), key=_number))
    return _renumbered(previous.by_path if previous is not None else {}, changed, removed)


def _shifted(previous: Snapshot, changed: Sequence[IndexedFile]) -> Inventory:
    """All files, where some, in order, have other definitions: those behind one of them begin at another node."""
    before, bases = list(previous.files), previous.bases
    files: list[IndexedFile] = []
    shift = first = 0
    for file in changed:
        files += _moved(before[first : file.number], shift)
        files += _moved([file], shift)
        shift += file.symbol_count - (bases[file.number + 1] - bases[file.number])
        first = file.number + 1
    files += _moved(before[first:], shift)
    in_order = PersistentList(files)
    return Inventory(in_order, previous.by_path.holding(in_order), tuple(map(_number, changed)), True, False)


def _moved(files: Sequence[IndexedFile], shift: int) -> Iterable[IndexedFile]:
    return [msgspec.structs.replace(file, base=file.base + shift) for file in files] if shift else files


def _number(file: IndexedFile) -> int:
    return file.number


def _renumbered(kept: Mapping[str, IndexedFile], changed: Mapping[str, Extracted], removed: Set[str]) -> Inventory:
    paths = sorted((kept.keys() | changed.keys()) - removed)
    files = []
    base = 0
    for number, path in enumerate(paths):
        new = changed.get(path)
        file = kept.get(path)
        if new is not None:
            family = by_name()[new.facts.lang].family
            file = IndexedFile(path, new.facts.lang, family, new.facts, new.stamp, base, number)
        assert file is not None, "every path is kept or changed"
        if file.base != base or file.number != number:
            file = msgspec.structs.replace(file, base=base, number=number)
        files.append(file)
        base += file.symbol_count
    by_path = PersistentMap({file.path: file for file in files})
    numbers = tuple(file.number for file in files if file.path in changed)
    return Inventory(by_path.in_order, by_path, numbers, by_path.keys() == kept.keys(), False)


def _indexed(path: str, new: Extracted, old: IndexedFile) -> IndexedFile:
    return IndexedFile(path, new.facts.lang, old.family, new.facts, new.stamp, old.base, old.number)


def _is_aligned(old: IndexedFile, new: IndexedFile) -> bool:
    return old.lang == new.lang and old.symbol_count == new.symbol_count and outline(old) == outline(new)


def bases_after(previous: Snapshot, inventory: Inventory) -> tuple[int, ...]:
    """The same after an edit, from those of before where no file came or went."""
    if inventory.is_aligned:
        return previous.bases
    if not inventory.has_same_paths:
        return bases_of(inventory.files)
    counts = np.diff(np.array(previous.bases, np.int32))
    counts[list(inventory.changed)] = [inventory.files[number].symbol_count for number in inventory.changed]
    return (0, *np.cumsum(counts).tolist())


def bases_of(files: Sequence[IndexedFile]) -> tuple[int, ...]:
    """The node of each file, and the first after all of them."""
    last = files[-1].base + files[-1].symbol_count if files else 0
    return (*(file.base for file in files), last)


def project_of(files: Sequence[IndexedFile], configs: Mapping[str, bytes]) -> Project:
    """What module resolvers know of the files."""
    packages = {file.path: file.packages for file in files if file.packages}
    return Project(files=frozenset(file.path for file in files), configs=configs, packages=packages)


def has_same_packages(previous: Snapshot, inventory: Inventory) -> bool:
    """Whether each file belongs to the packages that it belonged to; the paths are the previous ones."""
    return all(previous.files[number].packages == inventory.files[number].packages for number in inventory.changed)
