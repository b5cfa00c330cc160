"""Says what may call a method from outside the repository: bases of its type there, or code that asks any value for one
of its name (`toString`, `ServeHTTP`).
"""

from __future__ import annotations

import re

import numpy as np

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.graph.index.columns import columns_of
from codemap.graph.index.overrides import overrides
from codemap.graph.model.edges import INHERITANCE, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import is_constructor
from codemap.languages import by_name
from codemap.tools.neighbors.asked import Asked

_USES = frozenset((EdgeKind.CALLS, EdgeKind.REFERENCES))
_RUN = (SymbolKind.METHOD, SymbolKind.FUNCTION)
NAMED_MAX = 3
"""Packages that a warning names."""


def calls_from_outside(asked: Asked) -> list[str]:
    """A sentence where a base outside may call a method that nothing in the repository uses, nor what it overrides;
    empty where calls of the node are not asked for."""
    snapshot, node = asked.snapshot, asked.node
    if snapshot.is_external(node) or columns_of(snapshot).kind[node] != SymbolKind.METHOD:
        return []
    is_asked = "in" in asked.sides and EdgeKind.CALLS in asked.kinds and not asked.params.family
    if not is_asked or is_constructor(snapshot, node) or any(True for _ in snapshot.edges_in(node, _USES)):
        return []
    overridden = overrides(snapshot, np.array([node], dtype=np.int32), downwards=False)[1] if asked.relatives else ()
    return [] if len(overridden) else _say_outside(snapshot, node)


def _say_outside(snapshot: Snapshot, node: int) -> list[str]:
    """A sentence where the type of a method has a base outside, itself or by one above it."""
    owner = int(columns_of(snapshot).parent[node])
    above, packages = [owner], list[int]()
    for one in above:
        targets = [edge.target for edge in snapshot.edges_out(one, INHERITANCE)]
        packages += [each for each in targets if snapshot.is_external(each) and each not in packages]
        above += [each for each in targets if not snapshot.is_external(each) and each not in above]
    if not packages or not _may_be_asked_for(snapshot, node):
        return []
    named = ", ".join(snapshot.name_of(each) for each in packages[:NAMED_MAX])
    return [f"{snapshot.name_of(owner)} has a base outside ({named}), which may call it."]


def calls_by_name(asked: Asked) -> list[str]:
    """Says that code outside may call a method that nothing calls here, as it asks any value for one of that name."""
    snapshot, node = asked.snapshot, asked.node
    if snapshot.is_external(node) or columns_of(snapshot).kind[node] != SymbolKind.METHOD:
        return []
    if "in" not in asked.sides or EdgeKind.CALLS not in asked.kinds or not _may_be_asked_for(snapshot, node):
        return []
    name, owner = snapshot.name_of(node), int(columns_of(snapshot).parent[node])
    contracts = by_name()[snapshot.row_of(node)[0].lang].liveness.contract_names
    if not contracts or re.fullmatch(contracts, name) is None or _say_outside(snapshot, node):
        return []
    return [f"Code outside asks values for {name} by name: what is given a {snapshot.name_of(owner)} may call it."]


def calls_without_name(asked: Asked) -> list[str]:
    """Says that a method runs where its name does not stand, as operators and conversions do."""
    snapshot, node = asked.snapshot, asked.node
    if "in" not in asked.sides or EdgeKind.CALLS not in asked.kinds or snapshot.is_external(node):
        return []
    name, language = snapshot.name_of(node), by_name()[snapshot.row_of(node)[0].lang]
    pattern = language.liveness.unnamed_calls
    if not pattern or columns_of(snapshot).kind[node] not in _RUN or re.fullmatch(pattern, name) is None:
        return []
    return [f"{language.title} runs {name} where no name stands; such uses may not be listed."]


def _may_be_asked_for(snapshot: Snapshot, node: int) -> bool:
    """Whether interfaces outside can have the method, where types implement these by having methods."""
    file, row = snapshot.row_of(node)
    return not by_name()[file.lang].is_structural or bool(file.cell(row, Symbol.FLAGS) & SymbolFlag.EXPORTED)
