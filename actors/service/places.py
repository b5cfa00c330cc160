"""The files behind a map, which may be those of several roots: each is read where it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from actors.files.reading import digest_of
from actors.indexing.staleness import compared
from actors.messaging.messages import FileJob, Scanned
from actors.ports import Content
from actors.service.joined_maps import Joined, Member
from actors.service.service import Service
from actors.service.unindexed_mentions import Unindexed
from codemap.graph.model.snapshot import Snapshot
from codemap.root_paths import OWN, split_path
from codemap.tools import Disk

T = TypeVar("T")


class Places:
    """Reads the files of a map of one root, or of several."""

    def __init__(self, service: Service[Snapshot], joined: Joined) -> None:
        self._own = service
        self._others = joined.members if joined.snapshot is not None else {}

    def is_own(self, path: str) -> bool:
        """Whether a file is of the root that is asked."""
        return split_path(path, self._others)[0] == OWN

    def service_of(self, path: str) -> tuple[Service[Snapshot], str]:
        """The service of the root that holds a file, and its path there."""
        prefix, rest = split_path(path, self._others)
        return (self._own if prefix == OWN else self._others[prefix].service), rest

    @property
    def pending(self) -> set[str]:
        """Paths of files that are known to be changing."""
        found = set(self._own.watching.pending.paths)
        for prefix, member in self._others.items():
            found.update(prefix + path for path in member.service.watching.pending.paths)
        return found

    async def read_files(self, paths: Iterable[str]) -> dict[str, Content]:
        """Reads files; those that cannot be read are left out."""
        found: dict[str, Content] = {}
        for prefix, (service, mine) in self._by_root(paths, lambda path: path).items():
            contents = await service.ports.read_files([path for path, _ in mine])
            found |= {prefix + path: content for path, content in contents.items()}
        return found

    def digest_of(self, path: str, content: Content) -> bytes:
        """The digest of the content of a file: that of its record, where its stat says that it is the same."""
        prefix, rest = split_path(path, self._others)
        published = self._own.latest.get() if prefix == OWN else self._others[prefix].published
        record = None if published is None else published.files.get(rest)
        is_same = record is not None and record.is_settled and content.is_settled and record.stat == content.stat
        if record is not None and is_same and record.digest:
            return record.digest
        return digest_of(content.content)

    async def scan(self, word: str, files: Sequence[FileJob], by: float) -> Scanned:
        """Searches files for a word until a deadline; see `Service.scan`."""
        found: list[Scanned] = []
        for prefix, (service, mine) in self._by_root(files, lambda job: job.path).items():
            jobs = [msgspec.structs.replace(job, path=path) for path, job in mine]
            one = await service.scan(word, jobs, by)
            sighted = (msgspec.structs.replace(file, path=prefix + file.path) for file in one.files)
            found.append(Scanned(tuple(sighted), tuple(prefix + path for path in one.unseen)))
        files_in_order = sorted((file for one in found for file in one.files), key=lambda file: file.path)
        return Scanned(tuple(files_in_order), tuple(path for one in found for path in one.unseen))

    async def count_unindexed(self, name: str, by: float, why: str = "") -> Unindexed:
        """Finds the occurrences of a name in files that are not in the map; with `why`, for that reason alone."""
        published = self._own.latest.get()
        found = Unindexed() if published is None else await self._own.unindexed.count(name, published, by, why)
        for prefix, member in self._others.items():
            more = await member.service.unindexed.count(name, member.published, by, why)
            files = (msgspec.structs.replace(file, path=prefix + file.path) for file in more.files)
            found = Unindexed((*found.files, *files), found.unseen + more.unseen)
        return found

    async def compare(self, paths: Iterable[str]) -> Disk:
        """Compares files of other roots with the map: those among some paths, and those that are changing."""
        if not self._others:
            return Disk()
        wanted = self._by_root(paths, lambda path: path)
        stale: set[str] = set()
        deleted: set[str] = set()
        for prefix, member in self._others.items():
            named = {path for path, _ in wanted.get(prefix, (member.service, []))[1]}
            known = named & member.published.files.keys() | member.service.watching.pending.files
            seen = await _compared(member, frozenset(known))
            stale.update(prefix + path for path in seen.stale)
            deleted.update(prefix + path for path in seen.deleted)
        return Disk(frozenset(stale), frozenset(deleted))

    async def notice(self, paths: Iterable[str]) -> None:
        """Reports files that were seen to differ from the map to the roots that hold them."""
        for service, mine in self._by_root(paths, lambda path: path).values():
            await service.notice([path for path, _ in mine])

    def _by_root(
        self, items: Iterable[T], path_of: Callable[[T], str]
    ) -> Mapping[str, tuple[Service[Snapshot], list[tuple[str, T]]]]:
        """Prefix -> the service of the root, and what is in it with the path there."""
        found: dict[str, tuple[Service[Snapshot], list[tuple[str, T]]]] = {}
        for item in items:
            prefix, path = split_path(path_of(item), self._others)
            service = self._own if prefix == OWN else self._others[prefix].service
            found.setdefault(prefix, (service, []))[1].append((path, item))
        return found


async def _compared(member: Member, paths: frozenset[str]) -> Disk:
    if not paths:
        return Disk()
    ports = member.service.ports
    return await compared(ports, member.published, paths, await ports.stat_files(paths))
