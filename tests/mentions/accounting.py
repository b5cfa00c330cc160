"""Whether the accounts of a name sum to its occurrences, in a map made of some files."""

from __future__ import annotations

from collections.abc import Mapping

from codemap.graph.model.snapshot import Snapshot
from codemap.mentions.accounts import Ledger, ledger_of
from codemap.mentions.words import count
from tests.tools.live import sightings


def ledger(snapshot: Snapshot, files: Mapping[str, bytes], name: str, node: int = -1) -> Ledger:
    """All mentions of a name in the files of a map."""
    mapped = {file.path: files[file.path] for file in snapshot.files}
    return ledger_of(snapshot, node, name, sightings(mapped, name))


def checked(snapshot: Snapshot, files: Mapping[str, bytes], name: str, node: int = -1) -> Ledger:
    """The same, held against a count of the words, file by file."""
    found = ledger(snapshot, files, name, node)
    by_file: dict[str, set[tuple[int, int]]] = {}
    for mention in found.mentions:
        by_file.setdefault(mention.path, set()).add((mention.line, mention.col))
    for file in snapshot.files:
        words = count(files[file.path], name)
        assert len(by_file.get(file.path, ())) == words, f"{name} in {file.path}"
    assert sum(found.counts.values()) == len(found.mentions)
    return found
