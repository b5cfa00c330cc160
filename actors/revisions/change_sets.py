"""Finds what differs between the commit where a branch began and the work tree, the index or another commit.

What the work tree holds is never asked of git, which would run the filters that the repository names: the map knows the
files that there are, and a file is as the index has it where its size and time are those that git noted, before the
index was written; else its content is read and its object ID made.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import msgspec

from actors.files.reading import digest_of
from actors.messaging.messages import SourceText
from actors.ports import NoGit, Ports
from actors.revisions.blobs import contents_of
from actors.revisions.commits import Refused, commit_of, is_shallow, merge_base
from actors.revisions.submodules import moved_submodules
from actors.revisions.trees import Index, Tree, tree_and_index, tree_of
from actors.revisions.work_tree import ids_on_disk, submodule_of
from codemap.changes.change_set import INDEX, WORK_TREE, ChangeSet, Omitted
from codemap.changes.changed_definitions import Pair
from codemap.changes.version import Version
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import is_config_file, language_of

ReadVersions = Callable[[Sequence[SourceText]], Awaitable[Sequence[Version | None]]]
"""Reads versions of contents, in order; None for what cannot be read."""


class Wanted(msgspec.Struct, frozen=True):
    base: str
    head: str = ""
    """The later revision; empty: the work tree, or the index."""
    is_staged: bool = False


async def change_set(
    ports: Ports, read_versions: ReadVersions, snapshot: Snapshot, max_bytes: int, wanted: Wanted
) -> ChangeSet | Refused:
    """Reads a change. When cancelled, git is killed."""
    head = await commit_of(ports, wanted.head or "HEAD")
    if isinstance(head, Refused):
        return _naming("head", head)
    tip = await commit_of(ports, wanted.base)
    if isinstance(tip, Refused):
        return _naming("base", tip)
    base = await merge_base(ports, tip, head)
    if isinstance(base, Refused):
        return base
    listed = await tree_and_index(ports, base)
    if isinstance(listed, NoGit):
        return Refused(f"git cannot say what changed: {listed.why}.", is_argument=False)
    before, index = listed
    after: Tree | None = None
    moved: frozenset[str] = frozenset()
    if wanted.head:
        there = await tree_of(ports, head)
        if isinstance(there, NoGit):
            return Refused(f"git cannot say what changed: {there.why}.", is_argument=False)
        after = there
    elif wanted.is_staged:
        after = index.tree
    else:
        moved = await moved_submodules(ports, index)
    conflicts = frozenset() if wanted.head else index.conflicts
    reading = _Reading(ports, read_versions, snapshot, max_bytes, before, index, after, conflicts, moved)
    found = await reading.read()
    if isinstance(found, Refused):
        return found
    kind = head if wanted.head else INDEX if wanted.is_staged else WORK_TREE
    return msgspec.structs.replace(found, base=base, head=kind, is_shallow=await is_shallow(ports))


def _naming(argument: str, refused: Refused) -> Refused:
    """The same, with the argument that it is about."""
    return msgspec.structs.replace(refused, why=f"{argument}: {refused.why}") if refused.is_argument else refused


class _Reading:
    """One change that is being read."""

    def __init__(
        self,
        ports: Ports,
        read_versions: ReadVersions,
        snapshot: Snapshot,
        max_bytes: int,
        before: Tree,
        index: Index,
        after: Tree | None,
        conflicts: frozenset[str],
        moved: frozenset[str],
    ) -> None:
        self._ports = ports
        self._read_versions = read_versions
        self._snapshot = snapshot
        self._max_bytes = max_bytes
        self._before = before
        self._index = index
        self._after = after
        self._conflicts = conflicts
        self._moved = moved
        """Submodules that stand at another commit than the index names."""
        self._omitted: dict[str, Omitted] = {}
        self._others = 0

    async def read(self) -> ChangeSet | Refused:
        """Reads the change, without the names of its ends."""
        present = await ids_on_disk(self._ports, self._snapshot, self._before, self._index)
        before, after = self._before.files, present if self._after is None else self._after.files
        differing = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        self._note_submodules()
        self._omitted |= dict.fromkeys(sorted(filter(language_of, self._conflicts)), Omitted.CONFLICT)
        chosen = [path for path in differing if self._is_compared(path)]
        beside: list[str] = []
        if self._after is not None:  # what the map has instead of the head
            known = {file.path for file in self._snapshot.files}
            apart = {path for path in known | after.keys() if present.get(path) != after.get(path)}
            beside = sorted(path for path in apart.difference(chosen) if language_of(path) is not None)
        configs = sorted(path for path in before.keys() | after.keys() | present.keys() if is_config_file(path))
        ids = {side[path] for side in (before, after) for path in (*chosen, *beside) if path in side}
        ids |= {
            side[path]
            for side in (before, after)
            for path in configs
            if side.get(path) != present.get(path) and path in side
        }
        disk = await self._ports.read_files([path for path in chosen if self._after is None and path in after])
        blobs = await contents_of(self._ports, ids, self._max_bytes)
        if isinstance(blobs, NoGit):
            return Refused(f"git cannot say what changed: {blobs.why}.", is_argument=False)

        def content(path: str, side: Mapping[str, str], *, is_before: bool) -> bytes | None:
            if not is_before and self._after is None:
                return disk[path].content if path in disk else None
            return blobs.get(side[path]) if path in side else None

        sides = [
            (path, is_before, content(path, side, is_before=is_before))
            for path in (*chosen, *beside)
            for side, is_before in ((before, True), (after, False))
            if path in side
        ]
        read = await self._versions([SourceText(path, text) for path, _, text in sides if text is not None])
        versions: dict[tuple[str, bool], Version] = {}
        for path, is_before, text in sides:
            version = None if text is None else read.get((path, digest_of(text)))
            if version is None:
                is_missing = text is None and (is_before or self._after is not None)
                self._omitted.setdefault(path, Omitted.NOT_FETCHED if is_missing else Omitted.NOT_INDEXED)
            else:
                versions[path, is_before] = version
        self._note_changing(chosen, versions)

        def pair(path: str) -> Pair:
            return Pair(path, versions.get((path, True)), versions.get((path, False)))

        return ChangeSet(
            "",
            "",
            tuple(pair(path) for path in chosen if path not in self._omitted),
            dict(sorted(self._omitted.items())),
            self._others,
            {path: blobs.get(before.get(path, "")) for path in configs if before.get(path) != present.get(path)},
            {path: blobs.get(after.get(path, "")) for path in configs if after.get(path) != present.get(path)},
            {path: pair(path) for path in beside if path not in self._omitted},
            tuple(sorted(self._inside_submodules())) if self._after is None else (),
        )

    def _inside_submodules(self) -> set[str]:
        return {submodule_of(file.path, self._index) for file in self._snapshot.files} - {""} - self._omitted.keys()

    def _note_submodules(self) -> None:
        after = self._index.tree if self._after is None else self._after
        for path in self._before.submodules.keys() | after.submodules.keys():
            if self._before.submodules.get(path) != after.submodules.get(path) or path in self._moved:
                self._omitted[path] = Omitted.SUBMODULE

    def _is_compared(self, path: str) -> bool:
        """Whether a file that differs can be compared; others are noted."""
        if path in self._omitted:
            return False
        if language_of(path) is None:
            self._others += 1
            return False
        return True

    async def _versions(self, sources: Sequence[SourceText]) -> Mapping[tuple[str, bytes], Version]:
        distinct = list({(source.path, source.content): source for source in sources}.values())
        read = await self._read_versions(distinct)
        pairs: Iterable[tuple[SourceText, Version | None]] = zip(distinct, read, strict=True)
        return {(source.path, version.digest): version for source, version in pairs if version is not None}

    def _note_changing(self, chosen: Sequence[str], versions: Mapping[tuple[str, bool], Version]) -> None:
        """Notes files of the work tree that have changed since the map was made."""
        for path in chosen if self._after is None else ():
            version, file = versions.get((path, False)), self._snapshot.by_path.get(path)
            if version is not None and (file is None or file.stamp.digest != version.digest):
                self._omitted[path] = Omitted.CHANGING
