"""Which files mention a name in a way that another file can give a meaning to, and where in them.

Such mentions are the *leaves* of a file: the expressions and imports through which all that it depends on outside
itself comes in. What none of its leaves means differently, means in the whole file what it meant.

Rules of the file:
- `Mentions` may say too much, and never too little: files are added to it and not taken out.
- The specifier of an import counts as a name; so does a method that an operator runs without naming it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

import numpy as np

from codemap.facts import EXPR_WIDTH, Binding, FileFacts, Import, Op, Part, Shape, Symbol, plain_name, rows
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.indexed import IndexedFile, PackedFile
from codemap.graph.model.surface import run_by
from codemap.languages import by_name

_NAMED_FIRST = (int(Op.GLOBAL), int(Op.LITERAL))


class Mentions:
    """Name -> paths of files that have a leaf of it."""

    def __init__(self) -> None:
        self._paths: dict[str, list[str]] = {}
        self._known: dict[str, FileFacts | PackedFile] = {}
        """Path -> the facts that were read last."""

    @property
    def is_begun(self) -> bool:
        """Whether files were read at all."""
        return bool(self._known)

    def add(self, files: Iterable[IndexedFile]) -> Iterator[None]:
        """Reads the files whose contents are not known yet, a step each."""
        for file in files:
            known = self._known.get(file.path)
            if known is not file.held:
                names = leaf_names(_read(file.held))
                for name in names if known is None else names - leaf_names(_read(known)):
                    self._paths.setdefault(name, []).append(file.path)
                self._known[file.path] = file.held
                yield

    def paths(self, name: str) -> Iterable[str]:
        """Files that may mention a name."""
        return self._paths.get(name, ())


def _read(held: FileFacts | PackedFile) -> FileFacts:
    return held.read() if isinstance(held, PackedFile) else held


def leaf_names(facts: FileFacts) -> set[str]:
    """Names of all leaves of a file, but for what its operators run."""
    table = _expressions(facts)
    numbers = {*table[table[:, 0] == Op.ATTR, 2].tolist()}
    numbers.update(table[np.isin(table[:, 0], _NAMED_FIRST), 1].tolist())
    imports = rows(facts.imports)
    for at in range(0, len(imports), Import.WIDTH):
        numbers.update((imports[at + Import.SPECIFIER], imports[at + Import.IMPORTED]))
    parts = rows(facts.parts)
    shapes, symbols = rows(facts.shapes), rows(facts.symbols)
    numbers.update(symbols[shapes[at] * Symbol.WIDTH] for at in range(0, len(shapes), Shape.WIDTH))
    numbers.update(parts[at + Part.NAME] for at in range(0, len(parts), Part.WIDTH))
    names = {facts.names[number] for number in numbers if number >= 0}
    return names | {plain_name(name) for name in names} if by_name()[facts.lang].has_overloads else names


def leaf_expressions(facts: FileFacts, names: Set[str], run: Set[str]) -> list[int]:
    """Expressions that mention some of the names themselves, or whose operator may run a method that is in `run`."""
    table = _expressions(facts)
    op, wanted = table[:, 0], _numbers(facts, names)
    found = (op == Op.ATTR) & np.isin(table[:, 2], wanted)
    found |= (op == Op.GLOBAL) & np.isin(table[:, 1], wanted)
    found |= np.isin(op, [operator for operator, methods in run_by(facts.lang).items() if not methods.isdisjoint(run)])
    named = (op == Op.LITERAL) & np.isin(table[:, 1], [*wanted, *_numbers(facts, run)])
    if named.any():
        by_literals = np.flatnonzero((op == Op.EXTENSION) | (op == Op.SPECIAL))
        found[by_literals] = _listing(table, named)[table[by_literals, 2]]
    rows_found: list[int] = np.flatnonzero(found).tolist()
    return rows_found


def _listing(table: Ints, wanted: Mask) -> Mask:
    """Which expressions are wanted, or lists of arguments that hold some of those; the last one is where -1 leads."""
    found = np.append(wanted, False)
    lists = np.flatnonzero(table[:, 0] == Op.ARG)
    found[lists] = found[table[lists, 1]]
    while True:
        longer = lists[~found[lists] & found[table[lists, 2]]]
        if not len(longer):
            return found
        found[longer] = True


def runs(facts: FileFacts, run: Set[str]) -> bool:
    """Whether a file has operators that may run a method that is in `run`, without naming it."""
    present = set(_expressions(facts)[:, 0].tolist())
    return any(op in present and not methods.isdisjoint(run) for op, methods in run_by(facts.lang).items())


def is_mentioned(facts: FileFacts, names: Set[str]) -> bool:
    """Whether anything that a file says of its definitions can depend on some names: its own, or of others."""
    if runs(facts, names):
        return True
    wanted = _numbers(facts, names)
    if not wanted:
        return False
    table = _expressions(facts)
    op, first = table[:, 0], table[:, 1]
    bindings = np.frombuffer(facts.bindings, "<i4").reshape(-1, Binding.WIDTH)
    imports = np.frombuffer(facts.imports, "<i4").reshape(-1, Import.WIDTH)
    found = (
        first[(op == Op.GLOBAL) | (op == Op.LITERAL) | (op == Op.CONTAINER)],
        table[op == Op.ATTR, 2],
        bindings[first[op == Op.NAME], Binding.NAME],
        imports[:, Import.SPECIFIER],
        imports[:, Import.IMPORTED],
    )
    is_wanted = np.zeros(len(facts.names) + 2, dtype=np.bool_)  # what no name stands for is behind them
    is_wanted[wanted] = True
    return any(bool(is_wanted[numbers].any()) for numbers in found)


def leaf_imports(facts: FileFacts, names: Set[str]) -> list[int]:
    """Rows of `imports` that ask for some of the names, or for anything of some of the specifiers."""
    if not facts.imports:
        return []
    table = np.frombuffer(facts.imports, "<i4").reshape(-1, Import.WIDTH)
    wanted = _numbers(facts, names)
    found = np.isin(table[:, Import.SPECIFIER], wanted) | np.isin(table[:, Import.IMPORTED], wanted)
    rows_found: list[int] = np.flatnonzero(found).tolist()
    return rows_found


def leaf_parts(facts: FileFacts, names: Set[str]) -> list[int]:
    """Symbols that stand for definitions elsewhere of some of the names."""
    parts = rows(facts.parts)
    return [parts[at] for at in range(0, len(parts), Part.WIDTH) if facts.names[parts[at + Part.NAME]] in names]


def leaf_types(facts: FileFacts, names: Set[str]) -> set[int]:
    """Types and parts of types with methods of some of the names, which may be what makes them implement interfaces."""
    shapes, symbols = rows(facts.shapes), rows(facts.symbols)
    methods = [shapes[at] * Symbol.WIDTH for at in range(0, len(shapes), Shape.WIDTH)]
    return {symbols[at + Symbol.PARENT] for at in methods if facts.names[symbols[at]] in names}


def _numbers(facts: FileFacts, names: Set[str]) -> list[int]:
    if not names:
        return []
    if by_name()[facts.lang].has_overloads:
        listed = enumerate(facts.names)
        return [number for number, name in listed if name in names or plain_name(name) in names]
    return [number for number, name in enumerate(facts.names) if name in names]


def _expressions(facts: FileFacts) -> Ints:
    return np.frombuffer(facts.exprs, "<i4").reshape(-1, EXPR_WIDTH)
