"""Decides what each occurrence of a name is: each belongs to exactly one account.

A word that could belong to two accounts belongs to the first of: not understood, string or comment, definition,
resolved, undecided, other. So the accounts of a name sum to what a text search finds, whatever a language's rules miss.

Rules of the file:
- What nothing explains is `NOT_UNDERSTOOD`, never left out, and never taken for something harmless.
- A file that is no longer as it was indexed is an account of its own: its sites may have moved.
- Cost: the sites of the files that have the word; the syntax and facts of those few where the sites do not explain
  every word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codemap.facts import rows
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.mentions.account import Account, Ledger, Mention
from codemap.mentions.file_accounts import FileAccounts
from codemap.mentions.map_accounts import Known, MapAccounts
from codemap.occurrences.words import WORD_WIDTH, Nature, Sighted, Sightings


class Accounting:
    """The occurrences of a name, of which some need not be read: what the map says of a place is enough."""

    def __init__(self, snapshot: Snapshot, node: int | None, name: str, sightings: Sightings) -> None:
        """`node` has the name; None for all definitions that have it."""
        self._name = name
        self._sightings = sightings
        self._known = {
            file.path: Known(file, rows(sighted.words).tolist())
            for sighted in sightings.files
            for file in (snapshot.by_path.get(sighted.path),)
            if file is not None and file.stamp.digest == sighted.digest
        }
        self._in_map = MapAccounts(snapshot, node, name, list(self._known.values()))

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Paths of files to parse: their words were only looked up, and the map does not explain all of them."""
        return tuple(path for path, known in self._known.items() if self._is_unsettled(known))

    def _is_unsettled(self, known: Known) -> bool:
        is_doubtful = known.file.error_bytes > 0 or Nature.PERHAPS_TEXT in known.natures
        return is_doubtful or any(place not in self._in_map.places for place in known.places())

    def ledger(self, read: Iterable[Sighted] = ()) -> Ledger:
        """All of them, given the files that were read for those that are not settled."""
        by_path = {sighted.path: sighted for sighted in read}
        found: list[Mention] = []
        for glanced in self._sightings.files:
            sighted = by_path.get(glanced.path, glanced)
            words = rows(sighted.words).tolist()
            known = self._known.get(sighted.path)
            if known is None or known.file.stamp.digest != sighted.digest:
                accounts: Iterable[Account] = (Account.CHANGED for _ in range(0, len(words), WORD_WIDTH))
            else:
                accounts = _find_accounts(self._in_map, known.file, self._name, words)
            found += _make_mentions(sighted.path, words, accounts)
        return Ledger(tuple(sorted(found, key=lambda one: (one.path, one.line, one.col))), self._sightings.unseen)


def _make_mentions(path: str, words: list[int], accounts: Iterable[Account]) -> Iterator[Mention]:
    for at, account in zip(range(0, len(words), WORD_WIDTH), accounts, strict=True):
        yield Mention(path, words[at], words[at + 1], account)


def _find_accounts(in_map: MapAccounts, file: IndexedFile, name: str, words: list[int]) -> Iterator[Account]:
    in_file: FileAccounts | None = None
    for at in range(0, len(words), WORD_WIDTH):
        line, col, nature = words[at : at + WORD_WIDTH]
        of_map = in_map.places.get((file.number, line, col))
        is_meant = nature == _STRING and of_map is not None  # a string may define what it names
        account = of_map if is_meant else _TEXTS.get(nature) or of_map
        if account is None:
            in_file = in_file or FileAccounts(file, name, words, in_map.places)
            account = in_file.account(line, col, Nature(nature))
            if account is Account.NOT_UNDERSTOOD:  # a definition or site may begin with what marks a variable: `$name`
                account = in_map.places.get((file.number, line, col - 1), account)
        yield account


_STRING = int(Nature.STRING)
_TEXTS = {
    int(Nature.ERROR): Account.NOT_UNDERSTOOD,
    int(Nature.COMMENT): Account.COMMENTS,
    _STRING: Account.STRINGS,
}
