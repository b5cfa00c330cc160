"""Finds the methods that others run by the beginning of their names: `getattr(self, f"visit_{kind}")`.

They may be of the class that asks, or of any that inherits from it. Those in the file of the class that asks are known
to the resolver, too, which reads a file at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from codemap.facts import EXPR_WIDTH, Binding, FileFacts, Op, Source, SourceKind, rows
from codemap.graph.index.overrides import LEVELS_MAX, inheritance
from codemap.graph.model.edges import distinct
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.injected_parameters import Users


def _find_askers(snapshot: Snapshot) -> dict[int, Users]:
    found: dict[int, list[int]] = {}
    for file in snapshot.files:
        for method, cls, prefix in _find_asked(file.facts):
            asker = file.base + method
            for heir in _find_heirs(snapshot, file.base + cls):
                for member in snapshot.children_of(heir):
                    if member != asker and snapshot.name_of(member).startswith(prefix):
                        found.setdefault(member, []).append(asker)
    return {member: Users(np.array(askers, dtype=np.int32), is_guess=False) for member, askers in found.items()}


ASKERS = Slot[Mapping[int, Users]](_find_askers)
"""Member -> the methods that ask for it by the beginning of its name."""


def _find_asked(facts: FileFacts) -> Iterator[tuple[int, int, str]]:
    """The rows of methods that ask their own object for a member, and of its class; how the member's name begins."""
    table = np.frombuffer(facts.exprs, dtype="<i4").reshape(-1, EXPR_WIDTH)
    for at in np.flatnonzero(table[:, 0] == int(Op.PREFIX)).tolist():
        bindings, sources = rows(facts.bindings), rows(facts.sources)
        _, asked, literal = table[at].tolist()
        op, binding, _ = table[asked].tolist()
        if op != Op.NAME:
            continue
        first = Binding.WIDTH * binding
        source = Source.WIDTH * bindings[first + Binding.FIRST]
        if sources[source + Source.KIND] == SourceKind.SELF:
            yield bindings[first + Binding.SPACE], sources[source + Source.A], facts.names[table[literal, 1]]


def _find_heirs(snapshot: Snapshot, cls: int) -> list[int]:
    """A class and those below it."""
    level = found = np.array([cls], dtype=np.int32)
    for _ in range(LEVELS_MAX):
        level = snapshot.edges.source[inheritance(snapshot, level, downwards=True)[0]]
        if not len(level):
            break
        found = np.concatenate((found, level))
    heirs: list[int] = distinct(found).tolist()
    return heirs
