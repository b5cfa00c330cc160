"""Decides what a word is by the facts of its file, where no definition, edge or undecided use of the map is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

import numpy as np

from codemap.facts import (
    AROUND,
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
    rows,
)
from codemap.graph.model.edges import distinct
from codemap.graph.model.indexed_file import IndexedFile, read_facts
from codemap.graph.model.ranges import expand_ranges
from codemap.languages import by_name
from codemap.mangled_names import demangle
from codemap.mentions.account import Account
from codemap.mentions.map_accounts import Keys, Place, columns, is_in, keys
from codemap.occurrences.words import Nature


class FileAccounts:
    """The accounts of the words of one name in a file, by what its facts say."""

    def __init__(self, file: IndexedFile, name: str, words: list[int], in_map: Mapping[Place, Account]) -> None:
        """`in_map`: what the map says of places, in whatever files."""
        self._facts = facts = read_facts(file.held)
        numbers = {number for number, known in enumerate(facts.names) if known == name or demangle(known) == name}
        language = by_name()[facts.lang]
        self._is_built_in = name in language.scopes.builtins or name in language.scopes.library
        self._imports = set(_read_imports(facts, numbers))
        uses = list(_read_uses(facts, distinct(keys(0, *columns(words)))))
        self._uses = {site: _judge_expression(facts, op, a) for site, op, a in uses}
        told = {a for site, op, a in uses if op == Op.NAME and (file.number, *site) in in_map}
        self._scopes = list(_find_scopes(facts, numbers, told))
        self._members = set(_find_members(facts, numbers))

    def account(self, line: int, col: int, nature: Nature) -> Account:
        """The account of a word at which the map has no definition, edge or undecided use."""
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
            return Account.OTHER_DEFINITIONS if nature is Nature.LABEL and line in self._members else Account.NAMES
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


def _read_imports(facts: FileFacts, numbers: set[int]) -> Iterator[tuple[int, int]]:
    table = rows(facts.imports).tolist()
    for at in range(0, len(table), Import.WIDTH):
        if table[at + Import.IMPORTED] in numbers or table[at + Import.SPECIFIER] in numbers:
            yield table[at + Import.LINE], table[at + Import.COL]


def _read_uses(facts: FileFacts, wanted: Keys) -> Iterator[tuple[tuple[int, int], int, int]]:
    """The uses at the wanted places: the place, the operation of the expression, and what it is about."""
    uses, sites = np.frombuffer(facts.uses, "<i4").reshape(-1, Use.WIDTH), np.frombuffer(facts.sites, "<i4")
    lines, cols = sites.reshape(-1, SITE_WIDTH)[:, :2].T
    places, owner = expand_ranges(uses[:, Use.FIRST], uses[:, Use.COUNT])
    is_wanted = is_in(keys(0, lines[places], cols[places]), wanted)
    exprs = rows(facts.exprs)
    found = uses[owner[is_wanted], Use.EXPR].tolist(), places[is_wanted].tolist()
    for use, place in zip(*found, strict=True):
        expr = use * EXPR_WIDTH
        while exprs[expr] in AROUND:
            expr = exprs[expr + 1] * EXPR_WIDTH
        yield (int(lines[place]), int(cols[place])), int(exprs[expr]), int(exprs[expr + 1])


def _find_members(facts: FileFacts, numbers: set[int]) -> Iterator[int]:
    """The lines at which something of the name has its members defined: outside of it, they begin with its name
    (`void Edge::dump()`)."""
    symbols = rows(facts.symbols)
    for at in range(Symbol.WIDTH, len(symbols), Symbol.WIDTH):
        if symbols[symbols[at + Symbol.PARENT] * Symbol.WIDTH + Symbol.NAME] in numbers:
            yield symbols[at + Symbol.LINE]


def _judge_expression(facts: FileFacts, op: int, a: int) -> Account:
    if op == Op.NAME:
        return _judge_binding(facts, a * Binding.WIDTH)
    return Account.UNKNOWN


def _judge_binding(facts: FileFacts, at: int) -> Account:
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


def _find_scopes(facts: FileFacts, numbers: set[int], told: Set[int]) -> Iterator[tuple[int, int, Account]]:
    """First and last line of each scope that binds the name, and what it is there: what an import binds is a local of
    whose uses the map tells (`told`, rows of bindings), or unknown."""
    bindings, symbols = rows(facts.bindings), rows(facts.symbols)
    for at in range(0, len(bindings), Binding.WIDTH):
        if bindings[at + Binding.NAME] in numbers:
            space = bindings[at + Binding.SPACE] * Symbol.WIDTH
            whole = symbols[space + Symbol.START_LINE], symbols[space + Symbol.END_LINE]
            first, last = whole if space else (1, max(1, facts.lines + 1))
            account = _judge_binding(facts, at)
            is_told = account is Account.UNKNOWN and at // Binding.WIDTH in told
            yield first, last, Account.LOCALS if is_told else account
