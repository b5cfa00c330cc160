"""What kind of step each one of a chain is, for those who read the chain."""

from __future__ import annotations

from enum import IntEnum

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.chain_steps import (
    CALLBACK,
    CONSTRUCTOR,
    DECLARES,
    DEFINES,
    HOLDS,
    MEMBER,
    NAMESAKE,
    OVERRIDE,
    UNDECIDED,
)


class Mark(IntEnum):
    """The kind of a step, beside a plain call."""

    CALL = 0
    CONSTRUCTOR = 1
    OVERRIDE = 2
    INHERITS = 3
    READS = 4  # a property that is computed
    PASSES = 5  # a function is named and not called: registered, bound, passed on
    DECORATED = 6
    USES = 7  # a variable or another property
    NAMES = 8  # a type
    IMPORTS = 9
    EXPORTS = 10
    HAS = 11  # the class of the end was reached, and not the end itself
    CALLBACK = 12  # a method that nothing calls, of a class with a base outside
    NAMESAKE = 13  # a guess: nothing is known to implement the method, and this has its name
    DEFINES = 14  # a function inside it, to be run by whatever it is given to
    HOLDS = 15  # a place that is called, and a function that is assigned to it
    DECLARES = 16  # a declaration, and what a build for some platform defines
    GIVES = 17  # what is outside, given an object, may call its method
    OUTSIDE = 18  # a method outside is called, which this one overrides
    MESSAGE = 19  # makes what the other reads
    RETURNS = 20  # is called by the other, which goes on
    SHARES = 21  # uses what the other uses, and few else
    SENDS = 22  # sends to what the other is registered with


def mark_of(snapshot: Snapshot, source: int, target: int, row: int) -> Mark:
    """The kind of a step."""
    if row < 0:
        return Mark.CALL if row <= UNDECIDED else _UNWRITTEN[row]
    kind = EdgeKind(int(snapshot.edges.kind[row]))
    if kind is not EdgeKind.REFERENCES:
        return _MARKS.get(kind, Mark.CALL)
    if snapshot.is_external(target):
        return Mark.NAMES
    line = int(snapshot.edges.sites[snapshot.edges.first[row]][0])
    if not snapshot.is_file(source) and line < snapshot.cell(source, Symbol.LINE):
        return Mark.DECORATED
    if snapshot.cell(target, Symbol.FLAGS) & SymbolFlag.ACCESSOR:
        return Mark.READS
    named = snapshot.kind_of(target)
    if named in (SymbolKind.FUNCTION, SymbolKind.METHOD):
        return Mark.PASSES
    return Mark.USES if named in (SymbolKind.VARIABLE, SymbolKind.PROPERTY) else Mark.NAMES


_UNWRITTEN = {
    CONSTRUCTOR: Mark.CONSTRUCTOR,
    OVERRIDE: Mark.OVERRIDE,
    MEMBER: Mark.HAS,
    CALLBACK: Mark.CALLBACK,
    NAMESAKE: Mark.NAMESAKE,
    DEFINES: Mark.DEFINES,
    HOLDS: Mark.HOLDS,
    DECLARES: Mark.DECLARES,
}
_MARKS = {
    EdgeKind.EXTENDS: Mark.INHERITS,
    EdgeKind.IMPLEMENTS: Mark.INHERITS,
    EdgeKind.IMPORTS: Mark.IMPORTS,
    EdgeKind.EXPORTS: Mark.EXPORTS,
}
