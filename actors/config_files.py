"""The files that configure the projects of a repository: every build is given all, and those that differ are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from actors.delta import compare
from actors.latest import FileRecord, Published
from actors.messages import FileStat
from actors.ports import Ports
from codemap.extract.skip import SkipReason
from codemap.persistent import PersistentMap

S = TypeVar("S")


async def read_config_files(
    previous: Published[S] | None, listed: Mapping[str, FileStat], extent: str | frozenset[str], ports: Ports
) -> tuple[Mapping[str, bytes], PersistentMap[str, FileRecord]]:
    """Contents of all, the same object as before where none changed, and their records.

    `extent` is what was listed: a scope (empty: everything), or some paths.
    """
    old: Mapping[str, bytes] = {}
    known: PersistentMap[str, FileRecord] = PersistentMap()
    if previous is not None:
        old, known = previous.configs, previous.config_files
    delta = await compare(known, listed, extent)
    kept = known.keys() - delta.changed.keys() - delta.removed
    read = await ports.read_files(delta.changed) if delta.changed else {}
    configs = {path: content for path, content in old.items() if path in kept}
    records: dict[str, FileRecord] = {}
    for path, stat in delta.changed.items():
        found = read.get(path)
        if found is None:
            records[path] = FileRecord(stat, b"", False, SkipReason.UNREADABLE)
        else:
            configs[path] = found.content
            records[path] = FileRecord(found.stat, b"", found.is_settled)
    return (old if configs == old else configs), known.updated(records, delta.removed)
