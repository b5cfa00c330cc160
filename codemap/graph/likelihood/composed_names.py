"""Members whose names code puts together (`getattr(visitor, "visit_" + type(node).__name__)`), and what they are given.

Rules of the file:
- A method that is named after a class (`visit_Assign`, `visit_assign`) is given a value of that class, where the file
  that puts its name together reads the names of classes.
- Where nothing of a name is known (`getattr(self, token.type)`), it may be that of each method that nobody names.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from codemap.facts import EXPR_WIDTH, Op, SymbolKind
from codemap.facts import rows as rows_of
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.likelihood.name_likeness import words_of
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Definition
from codemap.graph.resolve import method_resolution_order
from codemap.graph.words.word_files import files_with
from codemap.languages import by_name

_USES = (int(EdgeKind.CALLS), int(EdgeKind.REFERENCES))


def list_prefixes(snapshot: Snapshot) -> tuple[str, ...]:
    """What the names of members begin with that code puts together."""
    return _PREFIXES.of(snapshot)


def find_named_classes(snapshot: Snapshot, family: str, function: str) -> Iterator[int]:
    """The classes of a language family after which a function is named that is found by its name."""
    for prefix in _OF_CLASSES.of(snapshot):
        rest = function.removeprefix(prefix).strip("_")
        if not function.startswith(prefix) or not rest:
            continue
        for name in dict.fromkeys((rest, "".join(word.title() for word in words_of(rest)))):
            nodes = snapshot.node_names.named(name)
            for node in nodes[ARE_TYPES[columns_of(snapshot).kind[nodes]]].tolist():
                file = snapshot.file_of(node)
                if file is not None and file.family == family:
                    yield node


def list_unnamed_methods(ev: Evaluator, snapshot: Snapshot, cls: int) -> Iterator[int]:
    """The methods of a class, inherited ones included, that nobody names."""
    table = snapshot.edges
    for each in method_resolution_order.compute_order(ev, cls).values:
        if not isinstance(each, Definition):
            continue
        for member in columns_of(snapshot).children_of(each.node).tolist():
            if snapshot.kind_of(member) is not SymbolKind.METHOD or snapshot.name_of(member).startswith("__"):
                continue
            if not np.isin(table.kind[table.arriving(member)], _USES).any():
                yield member


def _find_prefixes(snapshot: Snapshot) -> tuple[str, ...]:
    return tuple(sorted({prefix for _, prefix in _list_composed(snapshot)}))


def _find_prefixes_of_classes(snapshot: Snapshot) -> tuple[str, ...]:
    languages = by_name()
    found = {
        prefix
        for file, prefix in _list_composed(snapshot)
        if not languages[file.lang].strings.class_name_members.isdisjoint(file.facts.names)
    }
    return tuple(sorted(found))


def _list_composed(snapshot: Snapshot) -> Iterator[tuple[IndexedFile, str]]:
    """The files that put names of members together, and what these begin with."""
    lookups = {name for language in by_name().values() for name in language.strings.member_lookups}
    files = {file.path: file for name in sorted(lookups) for file in files_with(snapshot, name)}
    for file in files.values():
        table = rows_of(file.facts.exprs)
        at = np.flatnonzero(np.array(table[::EXPR_WIDTH]) == int(Op.PREFIX)) * EXPR_WIDTH
        for one in at.tolist():
            yield file, file.facts.names[table[table[one + 2] * EXPR_WIDTH + 1]]


_PREFIXES = Slot[tuple[str, ...]](_find_prefixes, rescore=reuse)
_OF_CLASSES = Slot[tuple[str, ...]](_find_prefixes_of_classes, rescore=reuse)
