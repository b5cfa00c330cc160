"""Whether the accounts of a name sum to its occurrences, in a map made of some files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.word_files import files_with
from codemap.mentions.account import Account, Ledger
from codemap.mentions.accounts import Accounting
from codemap.mentions.word_counts import count_words
from codemap.occurrences.words import Sighted, Sightings, count, glance
from tests.tools.live import sightings


def ledger(snapshot: Snapshot, files: Mapping[str, bytes], name: str, node: int | None = None) -> Ledger:
    """All mentions of a name in the files of a map."""
    mapped = {file.path: files[file.path] for file in snapshot.files}
    return Accounting(snapshot, node, name, sightings(mapped, name)).ledger()


def checked(snapshot: Snapshot, files: Mapping[str, bytes], name: str, node: int | None = None) -> Ledger:
    """The same, held against a count of the words, file by file."""
    found = ledger(snapshot, files, name, node)
    by_file: dict[str, set[tuple[int, int]]] = {}
    for mention in found.mentions:
        by_file.setdefault(mention.path, set()).add((mention.line, mention.col))
    for file in snapshot.files:
        words = count(files[file.path], name)
        assert len(by_file.get(file.path, ())) == words, f"{name} in {file.path}"
    assert sum(found.counts.values()) == len(found.mentions)
    assert glanced(snapshot, files, name, node) == found
    counts = found.counts
    explained = counts.get(Account.DEFINITION, 0) + counts.get(Account.RESOLVED, 0)
    for one in count_words(snapshot, name, Sightings(tuple(look_through(snapshot, files, name)))).files:
        assert one.total == len(by_file[one.path]) >= one.explained
        explained -= one.explained
    assert explained <= 0, f"a count explains less of {name} than its accounts do"
    return found


def glanced(snapshot: Snapshot, files: Mapping[str, bytes], name: str, node: int | None) -> Ledger:
    """The same as a question finds them: only files are parsed of which the map does not tell what all words are."""
    accounting = Accounting(snapshot, node, name, Sightings(tuple(look_through(snapshot, files, name))))
    return accounting.ledger(sightings({path: files[path] for path in accounting.unsettled}, name).files)


def look_through(snapshot: Snapshot, files: Mapping[str, bytes], name: str) -> Iterator[Sighted]:
    """The files that have a name, by path, as a question finds them."""
    for file in sorted(files_with(snapshot, name), key=lambda file: file.path):
        if words := glance(files[file.path], name):
            yield Sighted(file.path, file.stamp.digest, words)
