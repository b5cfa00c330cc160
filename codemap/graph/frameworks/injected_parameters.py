"""Finds the functions that use a test fixture by naming it as a parameter.

A fixture is seen in its own file and in those that import it, and one of a shared file (`conftest.py`), or that such a
file imports, in the folder of that and below. One that a class has is for the methods of the class and of its bases,
which tests of the class inherit. Of several of one name, each may be meant. A function that nobody names may be
registered under another name, which mostly is its own without a mark of it (`_client`, `fixture_client`).

Source: pytest, "How to use fixtures", "API reference", `pytest.fixture`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from codemap.facts import Binding, Decorator, FileFacts, Op, Symbol, rows
from codemap.file_roles import Role, role_of
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind, Ints
from codemap.graph.model.index_slots import Slot, keep_unchanged, reuse
from codemap.graph.model.indexed_file import IndexedFile, read_facts
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name

_PARAMETER = re.compile(r"[(,]\s*(\w+)\s*(?=[,:=)]|\Z)")
"""A parameter in a signature; facts have those alone that what a call gives depends on."""
_EXTENDS = (EdgeKind.EXTENDS,)
_IMPORTS = (EdgeKind.IMPORTS,)
_MARK = re.compile(r"\A_*(?:fixture_)?|(?:_fixture)?_*\Z")
"""What a function has in its name and the fixture has not."""


class Users(msgspec.Struct, frozen=True):
    nodes: Ints
    is_guess: bool
    """Whether they name it otherwise than the function is called."""


class _Takers(msgspec.Struct, frozen=True):
    names: frozenset[str]
    """What was looked for."""
    found: tuple[tuple[str, int], ...]
    """A name, and the row of a function that has a parameter of that name."""


def _find_users(snapshot: Snapshot) -> dict[int, Users]:
    files = [file for file in snapshot.files if _is_read(file)]
    names: dict[int, tuple[str, ...]] = {}
    for file in files:
        for row, name in _fixtures_in(snapshot, file):
            names[file.base + row] = tuple(dict.fromkeys((name, _MARK.sub("", name))))
    takers = _find_takers(snapshot, files, frozenset[str]().union(*names.values())) if names else {}
    found: dict[int, Users] = {}
    for node, its in names.items():
        for one in its:
            seen_in = _find_files(snapshot, node)
            users = [user for user in takers.get(one, ()) if _is_seen(snapshot, user, node, seen_in)]
            if users:
                found[node] = Users(np.array(users, dtype=np.int32), one != its[0])
                break
    return found


INJECTED_USERS = Slot[Mapping[int, Users]](_find_users, rescore=reuse)
"""Fixture -> the functions that it is run for."""


def _is_read(file: IndexedFile) -> bool:
    """Whether there may be fixtures in a file, or functions that are given some."""
    return by_name()[file.lang].injection is not None and (role_of(file.path) is Role.TEST or _is_shared(file))


def _fixtures_in(snapshot: Snapshot, file: IndexedFile) -> tuple[tuple[int, str], ...]:
    known = _FIXTURES.of(snapshot)
    found = known.get(file.path)
    if found is None:
        found = known[file.path] = tuple(_find_fixtures(file))
    return found


def _find_fixtures(file: IndexedFile) -> Iterator[tuple[int, str]]:
    """The rows and names of those in a file."""
    injection, facts = by_name()[file.lang].injection, read_facts(file.held)
    for row in _find_decorated(facts, frozenset() if injection is None else injection.decorators):
        yield row, facts.names[rows(facts.symbols)[row * Symbol.WIDTH + Symbol.NAME]]


def _find_takers(snapshot: Snapshot, files: Iterable[IndexedFile], names: frozenset[str]) -> dict[str, list[int]]:
    """Name -> the functions that have a parameter of that name, of some names."""
    found: dict[str, list[int]] = {}
    known = _TAKERS.of(snapshot)
    for file in files:
        takers = known.get(file.path)
        if takers is None or takers.names != names:
            takers = known[file.path] = _Takers(names, tuple(_find_takers_in(read_facts(file.held), names)))
        for name, row in takers.found:
            found.setdefault(name, []).append(file.base + row)
    return found


def _find_takers_in(facts: FileFacts, names: frozenset[str]) -> Iterator[tuple[str, int]]:
    symbols, width = rows(facts.symbols), Symbol.WIDTH
    columns = (symbols[column::width].tolist() for column in (Symbol.KIND, Symbol.SIGNATURE))
    for row, (kind, signature) in enumerate(zip(*columns, strict=True)):
        if kind in FUNCTION_KINDS and signature >= 0:
            for name in _PARAMETER.findall(facts.texts[signature]):
                if name in names:
                    yield name, row


_FIXTURES = Slot[dict[str, tuple[tuple[int, str], ...]]](lambda _: {}, carry=keep_unchanged, rescore=reuse)
"""Path of a file that was read -> the fixtures in it."""
_TAKERS = Slot[dict[str, _Takers]](lambda _: {}, carry=keep_unchanged, rescore=reuse)
"""The same of functions that take fixtures."""


def _find_injected(snapshot: Snapshot) -> dict[tuple[int, str], list[int]]:
    found: dict[tuple[int, str], list[int]] = {}
    for fixture, users in INJECTED_USERS.of(snapshot).items():
        name = snapshot.name_of(fixture)
        name = _MARK.sub("", name) if users.is_guess else name
        for user in users.nodes.tolist():
            found.setdefault((user, name), []).append(fixture)
    return {taken: _find_nearest(snapshot, fixtures) for taken, fixtures in found.items()}


INJECTED = Slot[Mapping[tuple[int, str], list[int]]](_find_injected, rescore=reuse)
"""Function and the name of its parameter -> the fixtures that it gets: those of a class hide those of its file, and
these those of a folder, the nearer of a farther one."""


def _find_nearest(snapshot: Snapshot, fixtures: Sequence[int]) -> list[int]:
    def nearness(fixture: int) -> tuple[bool, bool, int]:
        owner, file = snapshot.parent_of(fixture), snapshot.row_of(fixture)[0]
        return owner is not None and not snapshot.is_file(owner), not _is_shared(file), file.path.count("/")

    nearest = max(map(nearness, fixtures))
    return [fixture for fixture in fixtures if nearness(fixture) == nearest]


def _is_shared(file: IndexedFile) -> bool:
    injection = by_name()[file.lang].injection
    return injection is not None and file.path.rpartition("/")[2] in injection.shared_files


def is_fixture(snapshot: Snapshot, node: int) -> bool:
    """Whether a framework runs a function for those that name it."""
    if snapshot.is_external(node) or snapshot.kind_of(node) not in FUNCTION_KINDS:
        return False
    file, row = snapshot.row_of(node)
    return _is_read(file) and any(row == other for other, _ in _fixtures_in(snapshot, file))


def sees(snapshot: Snapshot, user: int, fixture: int) -> bool:
    """Whether a definition, or a file, can name a fixture."""
    return _is_seen(snapshot, user, fixture, _find_files(snapshot, fixture))


def _find_files(snapshot: Snapshot, fixture: int) -> list[IndexedFile]:
    """The file of a fixture and those that import it, by its name or, if they are shared, by its module."""
    own = snapshot.row_of(fixture)[0]
    named = (snapshot.row_of(edge.source)[0] for edge in snapshot.edges_in(fixture, _IMPORTS))
    whole = (snapshot.row_of(edge.source)[0] for edge in snapshot.edges_in(own.base, _IMPORTS))
    return [own, *named, *filter(_is_shared, whole)]


def _is_seen(snapshot: Snapshot, user: int, fixture: int, seen_in: Iterable[IndexedFile]) -> bool:
    if user == fixture:
        return False
    owner = snapshot.parent_of(fixture)
    if owner is not None and not snapshot.is_file(owner):
        return snapshot.parent_of(user) in _find_bases(snapshot, owner)
    own = snapshot.row_of(user)[0]
    return any(
        own is one or (_is_shared(one) and own.path.startswith("".join(one.path.rpartition("/")[:2])))
        for one in seen_in
    )


def _find_bases(snapshot: Snapshot, cls: int) -> set[int]:
    """A class and all of its bases in the repository."""
    found = {cls}
    waiting = [cls]
    while waiting:
        for edge in snapshot.edges_out(waiting.pop(), _EXTENDS):
            if edge.target not in found and not snapshot.is_external(edge.target):
                found.add(edge.target)
                waiting.append(edge.target)
    return found


def _find_decorated(facts: FileFacts, wanted: frozenset[str]) -> Iterator[int]:
    """The rows of the definitions that a decorator of one of the names is at."""
    table = rows(facts.decorators)
    for at in range(0, len(table), Decorator.WIDTH):
        if _name_of(facts, table[at + Decorator.EXPR]) in wanted:
            yield table[at + Decorator.SYMBOL]


def _name_of(facts: FileFacts, expression: int) -> str:
    """The last name of an expression that is a name, a member or a call of one; empty for any other."""
    table, bindings = rows(facts.exprs), rows(facts.bindings)
    while expression >= 0:
        op, first, second = table[3 * expression : 3 * expression + 3].tolist()
        match op:
            case Op.CALL:
                expression = first
            case Op.ATTR:
                return facts.names[second]
            case Op.GLOBAL:
                return facts.names[first]
            case Op.NAME:
                return facts.names[bindings[first * Binding.WIDTH + Binding.NAME]]
            case _:
                return ""
    return ""
