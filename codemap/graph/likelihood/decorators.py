"""What the decorators of a finished snapshot are given, the definitions that stand behind them, and what they make."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial

from codemap.facts import Decorator, FileFacts, Symbol, rows
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.likelihood.called_values import list_called
from codemap.graph.likelihood.flow_files import followed, keep
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind, among, distinct
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Definition
from codemap.graph.resolve import calls

DECORATED_MAX = 40
"""Of a decorator that more definitions have, the first count."""
_ARE_USES = among((EdgeKind.CALLS, EdgeKind.REFERENCES))


def has_decorator(facts: FileFacts, symbol: int) -> bool:
    return symbol in rows(facts.decorators)[Decorator.SYMBOL :: Decorator.WIDTH].tolist()


def list_made(ev: Evaluator, snapshot: Snapshot, node: int, caller: int) -> list[int]:
    """What runs in the place of a definition that is called: what the first of its decorators makes that makes another
    function of the repository. A decorator that calls it itself is given what the decorators below it make."""
    around = list_around(snapshot, caller)
    file = followed(ev.file_of_node(node))
    for expr in file.decorators_of.get(node - file.base, ()):
        made = calls.evaluate_results(ev, ev.value_of(ev.expr(file, expr)))
        called = (one for one in list_called(ev, made) if one != node)
        if found := [one for one in called if around.isdisjoint((one, snapshot.parent_of(one)))]:
            return found
    return []


def list_around(snapshot: Snapshot, node: int) -> set[int]:
    """A definition and those that it is in."""
    found, at = {node}, snapshot.parent_of(node)
    while at is not None and not snapshot.is_file(at):
        found.add(at)
        at = snapshot.parent_of(at)
    return found


class Decorators:
    """Those of one snapshot, for one question."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def find_decorated(self, ev: Evaluator, file: GraphFile, function: int, called: Collection[int]) -> Iterator[int]:
        """The definitions that a function is called with as their decorator, or as what the call gives that is their
        decorator (`@outer(1)`). `called` are the nodes by which it is called."""
        around = file.cell(function, Symbol.PARENT)
        makers = [file.base + around] if file.cell(around, Symbol.KIND) in FUNCTION_KINDS else []
        for target in [*called, *makers]:
            for node, exprs in keep(_USERS.of(self._snapshot), target, partial(self._list_users, ev, target)):
                other = ev.file_of_node(node)
                for expr in exprs:
                    given = ev.value_of(ev.expr(other, expr))
                    if any(isinstance(value, Definition) and value.node in called for value in given.values):
                        yield node

    def _list_users(self, ev: Evaluator, target: int) -> tuple[tuple[int, Sequence[int]], ...]:
        """The definitions that use one and have decorators, with the expressions of these."""
        table = self._snapshot.edges
        uses = table.arriving(target)
        uses = uses[_ARE_USES[table.kind[uses]]]
        found = []
        for node in distinct(table.source[uses])[:DECORATED_MAX].tolist():
            other = followed(ev.file_of_node(node))
            if exprs := other.decorators_of.get(node - other.base, ()):
                found.append((node, exprs))
        return tuple(found)


_USERS = Slot[dict[int, tuple[tuple[int, Sequence[int]], ...]]](lambda _: {}, rescore=reuse)
"""Definition -> those that use it and have decorators, with the expressions of these."""
