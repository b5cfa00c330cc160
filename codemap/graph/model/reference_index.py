"""Which files mention a name that another file may define, for language servers: which files to open for one.

Rules of the file:
- `ReferenceIndex` may say too much, and never too little, of the files that were added: none is taken out.
- The specifier of an import counts as a name; a method that an operator runs without naming it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from codemap.facts import EXPR_WIDTH, FileFacts, Import, Op, Part, Shape, Symbol, rows
from codemap.graph.model.edges import Ints
from codemap.graph.model.indexed_file import IndexedFile, PackedFile, read_facts
from codemap.languages import by_name
from codemap.mangled_names import demangle

_NAMED_FIRST = (int(Op.GLOBAL), int(Op.LITERAL))


class ReferenceIndex:
    """Name -> paths of files that mention it."""

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
                names = names_in(read_facts(file.held))
                for name in names if known is None else names - names_in(read_facts(known)):
                    self._paths.setdefault(name, []).append(file.path)
                self._known[file.path] = file.held
                yield

    def take_over(self, other: ReferenceIndex, before: Iterable[IndexedFile], now: Iterable[IndexedFile]) -> None:
        """Takes what another index read of files whose contents are the same now, in the same order. From then on what
        one reads both have: which says too much at most."""
        known = other._known
        self._known = {
            is_.path: is_.held for was, is_ in zip(before, now, strict=True) if known.get(was.path) is was.held
        }
        self._paths = other._paths

    def paths(self, name: str) -> Iterable[str]:
        """Of the files that were added, those that may mention a name."""
        return self._paths.get(name, ())


def names_in(facts: FileFacts) -> set[str]:
    """The names in a file that another may define."""
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
    return names | {demangle(name) for name in names} if by_name()[facts.lang].has_overloads else names


def _expressions(facts: FileFacts) -> Ints:
    return np.frombuffer(facts.exprs, "<i4").reshape(-1, EXPR_WIDTH)
