"""What each occurrence of a name stands for: every one belongs to exactly one account.

A word that could stand in two accounts belongs to the first of: not understood, string or comment, definition,
resolved, undecided, other. So the accounts of a name sum to what a text search finds, whatever a language's rules miss.

The file is long because what the map says of a word and what its file's own facts say make one account.

Rules of the file:
- What nothing tells is `NOT_UNDERSTOOD`, never left out, and never taken for something harmless.
- A file that is no longer as it was indexed is an account of its own: its sites may have moved.
- Cost: the edges and undecided uses of the files that have the word; the facts of those where neither says what a word
  is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec
import numpy as np

from codemap.facts import (
    EXPR_WIDTH,
    SITE_WIDTH,
    Binding,
    FileFacts,
    Import,
    Op,
    ScopeKind,
    Source,
    SourceKind,
    Symbol,
    Use,
    plain_name,
    rows,
)
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind, EdgeTable, Ints, UnresolvedTable
from codemap.graph.model.indexed import IndexedFile, PackedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.graph.query.candidates import unresolved_rows_in
from codemap.graph.query.dispatch import dispatched
from codemap.graph.verified.judge import spread
from codemap.languages import by_name
from codemap.mentions.words import MARKED, WORD_WIDTH, Nature, Sightings


class Account(StrEnum):
    """In the order in which a reader wants to see them."""

    DEFINITION = "definition"
    """Of what was asked about."""
    RESOLVED = "resolved"
    """Site of an edge to it."""
    UNDECIDED = "undecided"
    """Site of an undecided use that may mean it."""
    NOT_UNDERSTOOD = "notUnderstood"
    """In a syntax error, in a macro, or told by nothing."""
    STRINGS = "strings"
    UNKNOWN = "unknown"
    """A use of which nothing is known: a member of a value of unknown type, a name that nothing seen binds, an
    undecided use of another form."""
    CHANGED = "changedFiles"
    """In files that are on disk otherwise than they were indexed."""
    NAMES = "names"
    """Names of arguments, fields, keys, labels, modules; keywords."""
    OUTSIDE = "outside"
    """Uses of what surely is outside the repository: through an import of it, or built in."""
    OTHER_USES = "otherUses"
    """Uses of other definitions."""
    OTHER_DEFINITIONS = "otherDefinitions"
    PARAMETERS = "parameters"
    LOCALS = "locals"
    COMMENTS = "comments"


ACCOUNTED = frozenset((Account.DEFINITION, Account.RESOLVED, Account.UNDECIDED))
"""What an answer about the definition shows."""

HARMLESS = frozenset(
    (
        Account.OTHER_USES,
        Account.OTHER_DEFINITIONS,
        Account.PARAMETERS,
        Account.LOCALS,
        Account.COMMENTS,
        Account.OUTSIDE,
    )
)
"""With these, there is surely no further use of it."""


class Mention(msgspec.Struct, frozen=True, gc=False):
    path: str
    line: int
    col: int
    account: Account


class Ledger(msgspec.Struct, frozen=True):
    """All occurrences of a name, in the order of their places."""

    mentions: tuple[Mention, ...]
    unseen: int = 0
    """Files that there was no time to look at."""

    @property
    def counts(self) -> dict[Account, int]:
        """Of the accounts that have any, in the order of `Account`."""
        found = dict.fromkeys(Account, 0)
        for mention in self.mentions:
            found[mention.account] += 1
        return {account: number for account, number in found.items() if number}

    @property
    def is_sure(self) -> bool:
        """Whether whatever is not shown is surely no use of the definition."""
        return not self.unseen and all(one.account in ACCOUNTED or one.account in HARMLESS for one in self.mentions)


def ledger_of(snapshot: Snapshot, node: int, name: str, sightings: Sightings) -> Ledger:
    """The account of each occurrence of the name of a node (-1: of no node)."""
    known: list[tuple[IndexedFile, list[int]]] = []
    found: list[Mention] = []
    for sighted in sightings.files:
        words = rows(sighted.words).tolist()
        file = snapshot.by_path.get(sighted.path)
        if file is None or file.stamp.digest != sighted.digest:
            found += _mentions(sighted.path, words, (Account.CHANGED for _ in range(0, len(words), WORD_WIDTH)))
        else:
            known.append((file, words))
    told = _Told(snapshot, node, name, [file for file, _ in known])
    for file, words in known:
        found += _mentions(file.path, words, _accounts(told, file, name, words))
    return Ledger(tuple(sorted(found, key=lambda one: (one.path, one.line, one.col))), sightings.unseen)


def _mentions(path: str, words: list[int], accounts: Iterable[Account]) -> Iterator[Mention]:
    for at, account in zip(range(0, len(words), WORD_WIDTH), accounts, strict=True):
        yield Mention(path, words[at], words[at + 1], account)


def _accounts(told: _Told, file: IndexedFile, name: str, words: list[int]) -> Iterator[Account]:
    said: _Said | None = None
    for at in range(0, len(words), WORD_WIDTH):
        line, col, nature = words[at : at + WORD_WIDTH]
        account = _TEXTS.get(nature) or told.places.get((file.number, line, col))
        if account is None:
            said = said or _Said(file, name)
            account = said.account(line, col, Nature(nature))
            if account is Account.NOT_UNDERSTOOD:  # a definition or site may begin with what marks a variable: `$name`
                account = told.places.get((file.number, line, col - 1), account)
        yield account


_TEXTS = {
    int(Nature.ERROR): Account.NOT_UNDERSTOOD,
    int(Nature.COMMENT): Account.COMMENTS,
    int(Nature.STRING): Account.STRINGS,
}

Place = tuple[int, int, int]
"""Number of the file, line, column."""


class _Told:
    """What definitions, edges and undecided uses say of places in some files."""

    def __init__(self, snapshot: Snapshot, node: int, name: str, files: list[IndexedFile]) -> None:
        self._snapshot = snapshot
        self._node = node
        self.places: dict[Place, Account] = {}
        """The first account of each."""
        if files:
            self._add_definitions(name, {file.number for file in files})
            self._add_edges(files)
            self._add_undecided(files)

    def _add(self, places: Iterable[tuple[Place, Account]]) -> None:
        """Of two accounts in one step, the one that is asked about counts."""
        found: dict[Place, Account] = {}
        for place, account in places:
            if place not in found or account in ACCOUNTED:
                found[place] = account
        for place, account in found.items():
            self.places.setdefault(place, account)

    def _add_definitions(self, name: str, files: set[int]) -> None:
        snapshot = self._snapshot
        marked = [(node, mark) for mark in ("", *MARKED) for node in snapshot.named(mark + name)]
        self._add(
            (
                (file.number, file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL) + len(mark)),
                Account.DEFINITION if node == self._node else Account.OTHER_DEFINITIONS,
            )
            for node, mark in marked
            for file, row in (snapshot.row_of(node),)
            if file.number in files
        )

    def _add_edges(self, files: list[IndexedFile]) -> None:
        """A use of a member in which the name of its owner stands (a constructor) is one of the owner, too."""
        snapshot, table = self._snapshot, self._snapshot.edges
        abstract = dispatched(snapshot, self._node, ("in",), (EdgeKind.CALLS,)) if self._node >= 0 else ()
        through = {call.edge.row for call in abstract}
        chosen = _rows_of(table, files)
        targets, sure = table.target[chosen], table.confidence[chosen] < Confidence.TYPE
        owners = np.append(columns_of(snapshot).parent, np.full(len(snapshot.externals), -1, dtype=np.int32))[targets]
        accounts = [
            Account.RESOLVED
            if self._node in (target, owner)
            else Account.UNDECIDED
            if row in through
            else Account.OTHER_USES
            if target < snapshot.first_external
            else Account.OUTSIDE
            if is_sure
            else Account.UNKNOWN
            for row, target, owner, is_sure in zip(
                chosen.tolist(), targets.tolist(), owners.tolist(), sure.tolist(), strict=True
            )
        ]
        self._add(self._sites(table, chosen, accounts))

    def _add_undecided(self, files: list[IndexedFile]) -> None:
        snapshot, table = self._snapshot, self._snapshot.unresolved
        chosen = _rows_of(table, files)
        own = set(unresolved_rows_in(snapshot, self._node).tolist()) if self._node >= 0 else set()
        accounts = [Account.UNDECIDED if row in own else Account.UNKNOWN for row in chosen.tolist()]
        self._add(self._sites(table, chosen, accounts))

    def _sites(
        self, table: EdgeTable | UnresolvedTable, chosen: Ints, accounts: list[Account]
    ) -> Iterator[tuple[Place, Account]]:
        places, owner = spread(table.first[chosen], table.count[chosen])
        numbers = columns_of(self._snapshot).file[table.source[chosen]][owner]
        lines, cols = table.sites[places].T
        for number, line, col, which in zip(
            numbers.tolist(), lines.tolist(), cols.tolist(), owner.tolist(), strict=True
        ):
            yield (number, line, col), accounts[which]


def _rows_of(table: EdgeTable | UnresolvedTable, files: list[IndexedFile]) -> Ints:
    """The rows of the uses in some files."""
    bases = np.array([file.base for file in files], dtype=np.int32)
    ends = np.array([file.base + file.symbol_count for file in files], dtype=np.int32)
    first = table.out_start[bases]
    return spread(first, table.out_start[ends] - first)[0]


class _Said:
    """What a file says itself of a name."""

    def __init__(self, file: IndexedFile, name: str) -> None:
        held = file.held
        self._facts = facts = held.read() if isinstance(held, PackedFile) else held
        numbers = {number for number, known in enumerate(facts.names) if known == name or plain_name(known) == name}
        language = by_name()[facts.lang]
        self._is_built_in = name in language.builtins or name in language.library
        self._imports = set(_imports(facts, numbers))
        self._uses = dict(_uses(facts))
        self._scopes = list(_scopes(facts, numbers))

    def account(self, line: int, col: int, nature: Nature) -> Account:
        """Of a word that no definition, edge or undecided use stands at."""
        if (line, col) in self._imports:
            return Account.UNKNOWN
        used = self._uses.get((line, col))
        if used is Account.LOCALS and nature is Nature.PARAMETER:
            return Account.PARAMETERS
        if used is not None:
            return Account.OUTSIDE if used is Account.UNKNOWN and self._is_plain_built_in(nature) else used
        if nature is Nature.PARAMETER:
            return Account.PARAMETERS
        if nature in (Nature.LABEL, Nature.KEYWORD):
            return Account.NAMES
        if nature is Nature.MEMBER:
            return Account.UNKNOWN
        if nature is Nature.SYMBOL:
            return Account.STRINGS
        if nature is Nature.LOCAL:
            return Account.LOCALS
        if nature is Nature.CODE:
            within = [(last - first, account) for first, last, account in self._scopes if first <= line <= last]
            if within:
                return min(within)[1]
        if self._is_plain_built_in(nature):
            return Account.OUTSIDE
        return Account.NOT_UNDERSTOOD

    def _is_plain_built_in(self, nature: Nature) -> bool:
        return self._is_built_in and nature is not Nature.MEMBER


def _imports(facts: FileFacts, numbers: set[int]) -> Iterator[tuple[int, int]]:
    table = rows(facts.imports).tolist()
    for at in range(0, len(table), Import.WIDTH):
        if table[at + Import.IMPORTED] in numbers or table[at + Import.SPECIFIER] in numbers:
            yield table[at + Import.LINE], table[at + Import.COL]


def _uses(facts: FileFacts) -> Iterator[tuple[tuple[int, int], Account]]:
    """The place of each use and what its expression says by itself."""
    uses, sites, exprs = rows(facts.uses).tolist(), rows(facts.sites).tolist(), rows(facts.exprs)
    for at in range(0, len(uses), Use.WIDTH):
        expr = uses[at + Use.EXPR] * EXPR_WIDTH
        while exprs[expr] in (Op.ELSE, Op.OVERLOAD, Op.APPLY):
            expr = exprs[expr + 1] * EXPR_WIDTH
        account = _of_expression(facts, exprs[expr], exprs[expr + 1])
        first = uses[at + Use.FIRST] * SITE_WIDTH
        for site in range(first, first + uses[at + Use.COUNT] * SITE_WIDTH, SITE_WIDTH):
            yield (sites[site], sites[site + 1]), account


def _of_expression(facts: FileFacts, op: int, a: int) -> Account:
    if op == Op.NAME:
        return _of_binding(facts, a * Binding.WIDTH)
    return Account.UNKNOWN


def _of_binding(facts: FileFacts, at: int) -> Account:
    bindings, sources = rows(facts.bindings), rows(facts.sources)
    kinds = {
        sources[source * Source.WIDTH + Source.KIND]
        for source in range(bindings[at + Binding.FIRST], bindings[at + Binding.FIRST] + bindings[at + Binding.COUNT])
    }
    if SourceKind.PARAMETER in kinds:
        return Account.PARAMETERS
    if bindings[at + Binding.SCOPE] in (ScopeKind.FUNCTION, ScopeKind.BLOCK):
        return Account.UNKNOWN if SourceKind.IMPORT in kinds else Account.LOCALS
    return Account.UNKNOWN if SourceKind.IMPORT in kinds else Account.OTHER_USES


def _scopes(facts: FileFacts, numbers: set[int]) -> Iterator[tuple[int, int, Account]]:
    """First and last line of each scope that binds the name, and what it is there."""
    bindings, symbols = rows(facts.bindings), rows(facts.symbols)
    for at in range(0, len(bindings), Binding.WIDTH):
        if bindings[at + Binding.NAME] in numbers:
            space = bindings[at + Binding.SPACE] * Symbol.WIDTH
            whole = symbols[space + Symbol.START_LINE], symbols[space + Symbol.END_LINE]
            first, last = whole if space else (1, max(1, facts.lines + 1))
            yield first, last, _of_binding(facts, at)
