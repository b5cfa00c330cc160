"""Finds calls of a method's relatives that answer who calls it.

A call that names what the method overrides may run it; calls of abstract methods are among the undecided uses anyway.
What overrides it is named by callers that know more of a value: who asks about a declaration means these, too. Where
there are many, a sentence counts them, or those that are not of the product.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from codemap.facts import SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.edges import Edge
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.dispatch import calls_of_overridden, calls_of_overrides, is_abstract
from codemap.graph.query.neighborhood import Neighbor
from codemap.graph.query.override_family import is_constructor
from codemap.tools.compact import shortest_id
from codemap.tools.params import ListParams
from codemap.tools.row_selection import place_of, sift

NAMED_MAX = 3
"""Methods that a warning names."""
ABOVE_MAX = 24
"""Callers of what the method overrides that are listed."""
BELOW_MAX = 12
"""Callers of what overrides it, where it only declares what others do."""
FEW_BELOW_MAX = 3
"""The same of a method with a body: these do not run it."""


class RelativeCalls(msgspec.Struct, frozen=True):
    below: tuple[Neighbor, ...] = ()
    """Of what overrides the method."""
    above: Mapping[int, Sequence[Edge]] = {}
    """By the methods with a body that it overrides."""
    warnings: tuple[str, ...] = ()

    @property
    def edges(self) -> Iterator[Edge]:
        yield from (one.edge for one in self.below)
        for calls in self.above.values():
            yield from calls


def find_relative_calls(snapshot: Snapshot, node: int, params: ListParams, own: Role) -> RelativeCalls:
    """Those that are few enough to be listed, of a node of a role; of the others sentences that say how many there are.
    None of what is no method."""
    is_alone = len(snapshot.node_names.namesakes(node)) == 1
    if is_alone or columns_of(snapshot).kind[node] != SymbolKind.METHOD or is_constructor(snapshot, node):
        return RelativeCalls()

    def count_shown(calls: Sequence[Edge]) -> int:
        return len(sift(calls, lambda one: place_of(snapshot, one.source), params, own, is_alone=False).rows)

    warnings: list[str] = []
    above: dict[int, Sequence[Edge]] = {}
    for base, calls in calls_of_overridden(snapshot, node).items():
        if count_shown(calls) <= ABOVE_MAX:
            above[base] = calls
        else:
            count = sum(len(snapshot.sites(edge)) for edge in calls)
            named = shortest_id(snapshot, base)
            warnings.append(f"{count} call(s) of {named}, which it overrides, may run it: pass family:true.")
    below = tuple(calls_of_overrides(snapshot, node))
    most = BELOW_MAX if is_abstract(snapshot, node) else FEW_BELOW_MAX
    if count_shown(below) > most:
        roles = {one.source: role_of_node(snapshot, one.source) for one in below}
        of_product = tuple(one for one in below if roles[one.source] is Role.PRODUCT)
        listed = of_product if len(of_product) <= most else ()
        warnings.append(_count_below(snapshot, [one for one in below if one not in listed]))
        below = listed
    return RelativeCalls(tuple(Neighbor(one.source, one, "in", 1, one.target) for one in below), above, tuple(warnings))


def _count_below(snapshot: Snapshot, calls: Sequence[Edge]) -> str:
    called: dict[int, int] = {}
    for one in calls:
        called[one.target] = called.get(one.target, 0) + len(snapshot.sites(one))
    often = sorted(called, key=lambda one: -called[one])
    named = ", ".join(f"{shortest_id(snapshot, one)} {called[one]}" for one in often[:NAMED_MAX])
    more = f" and {len(often) - NAMED_MAX} more" if len(often) > NAMED_MAX else ""
    return f"Not listed: {sum(called.values())} call(s) of overrides: {named}{more}. Pass family:true."
