"""Reads the configuration files of the repository: every build gets all, only changed ones are read.

A file that its language cannot parse is left out as if it did not exist; its record says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TypeVar

from actors.indexing.disk_diff import compare
from actors.indexing.latest_snapshot import FileRecord, Published
from actors.messaging.log import Severity, log
from actors.messaging.messages import FileStat
from actors.ports import Content, Ports
from codemap.extract.skipped_files import SkipReason
from codemap.languages import why_unreadable
from codemap.persistent import PersistentMap

S = TypeVar("S")

NAMED_MAX = 5
"""Most files that a warning names."""


async def read_config_files(
    previous: Published[S] | None, listed: Mapping[str, FileStat], extent: str | frozenset[str], ports: Ports
) -> tuple[Mapping[str, bytes], PersistentMap[str, FileRecord]]:
    """Reads changed configuration files: contents of all (the same object where none changed), and their records.

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
    broken = await ports.run_in_thread(partial(_broken, read)) if read else {}
    for path, stat in delta.changed.items():
        found, why = read.get(path), broken.get(path)
        if found is None:
            records[path] = FileRecord(stat, b"", False, SkipReason.UNREADABLE)
        elif why is not None:
            log("config-unreadable", Severity.WARNING, path=path, why=why)
            records[path] = FileRecord(found.stat, b"", found.is_settled, SkipReason.UNPARSABLE, why)
        else:
            configs[path] = found.content
            records[path] = FileRecord(found.stat, b"", found.is_settled)
    return (old if configs == old else configs), known.updated(records, delta.removed)


def _broken(read: Mapping[str, Content]) -> dict[str, str]:
    """Finds the files that cannot be parsed, with the reason."""
    return {path: why for path, found in read.items() if (why := why_unreadable(path, found.content))}


def config_warnings(published: Published[S]) -> list[str]:
    """Says in sentences which configuration files are left out, and why."""
    left_out = [(path, record) for path, record in published.config_files.items() if record.skipped is not None]
    warnings = [
        f"The configuration file {path} is left out: it {record.detail or 'cannot be opened'}."
        for path, record in left_out[:NAMED_MAX]
    ]
    if len(left_out) > NAMED_MAX:
        warnings.append(f"So are {len(left_out) - NAMED_MAX} more configuration files.")
    return warnings
