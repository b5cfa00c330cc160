"""What a call means that names a question which few would ask: heirs by a word that the language has another one for,
users of an override that callers name the base of.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from codemap.facts import SymbolKind
from codemap.graph.query.counterparts import find_counterparts
from codemap.graph.query.override_family import Kin, is_constructor
from codemap.ids import has_ordinal
from codemap.tools.neighbors.asked import INHERITANCE, WHOLE_DEPTH, Asked, goes_deep
from codemap.tools.neighbors.sections import is_at_use
from codemap.tools.node_lookup import whole_id
from codemap.tools.params import EdgeKindName

_HEIRS: tuple[EdgeKindName, ...] = ("extends", "implements")
_MEMBERS = (SymbolKind.METHOD, SymbolKind.PROPERTY)
FEW_TYPES = 40
"""Of a hierarchy, or modules, that are shown whole unless asked for."""


def with_overrides(asked: Asked) -> Asked:
    """The call; where it asks who implements or extends a member, for what overrides that, and who calls these."""
    snapshot, node = asked.snapshot, asked.node
    is_member = not snapshot.is_external(node) and snapshot.kind_of(node) in _MEMBERS
    asks_heirs = not INHERITANCE.isdisjoint(asked.params.edge_kinds)
    if not is_member or not asks_heirs or asked.params.direction == "out" or asked.params.depth > 1:
        return asked
    return replace(asked, params=replace(asked.params, family=True))


def with_heirs(asked: Asked) -> Asked:
    """The call; where it asks for heirs by one word, for all of them: an interface is extended by interfaces and
    implemented by classes, and languages call it differently. Programs, which read full rows, mean what they say."""
    params = asked.params
    lacking = [kind for kind in _HEIRS if kind not in params.edge_kinds]
    if len(lacking) != 1 or "in" not in asked.sides or _is_of_family(asked):
        return asked
    if params.rows == "full" and not lacks_users(asked):
        return asked
    return replace(asked, params=replace(params, edge_kinds=(*params.edge_kinds, *lacking)))


def _is_of_family(asked: Asked) -> bool:
    """Whether a family is asked for, not all that a name may mean."""
    return asked.params.family and not asked.others


def with_whole(asked: Asked) -> Asked:
    """The call; where it asks for the next step of a hierarchy that has few types, or of few modules that pass on what
    is exported, for the whole of it."""
    params = asked.params
    is_chain = asked.is_about_heirs or params.edge_kinds == ("exports",)
    is_next = is_chain and goes_deep(params) and params.depth == 1 and not _is_of_family(asked)
    if not is_next or params.rows == "full" or params.max_nodes is not UNSET:
        return asked
    whole = replace(asked, params=replace(params, depth=WHOLE_DEPTH))
    found = whole.within(whole.kinds, FEW_TYPES + 1).neighbors
    is_deep = any(one.depth > 1 for one in found)
    return whole if is_deep and len(found) <= FEW_TYPES else asked


def with_users(asked: Asked) -> Asked:
    """The call; where it asks who uses a node that nobody names itself, for the users of what they name instead."""
    is_wide = asked.params.rows == "compact" and asked.params.direction != "out"
    is_wide = is_wide and (
        lacks_users(asked)
        or _means_overloads(asked)
        or _is_field(asked)
        or _constructs(asked)
        or _is_of_platform(asked)
    )
    wider = _widen(asked) if is_wide else None
    return asked if wider is None or not any(is_at_use(one) for one in wider.around.neighbors) else wider


def lacks_users(asked: Asked) -> bool:
    if "in" not in asked.sides or asked.params.depth > 1:
        return False
    if asked.is_about_heirs:
        return not any(map(is_at_use, asked.around.neighbors))
    edges = asked.snapshot.edges
    rows = edges.arriving(asked.node)
    return not len(rows) or (bool(asked.params.edge_kinds) and asked.kinds.isdisjoint(edges.kind[rows].tolist()))


def _means_overloads(asked: Asked) -> bool:
    """Whether the node was asked for by a name alone that overloads share, not by the number of one."""
    text = asked.params.node_id
    is_named = whole_id(asked.snapshot, text) != text and not has_ordinal(text)
    return is_named and asked.params.depth == 1 and Kin.OVERLOAD in asked.relatives.values()


def _is_field(asked: Asked) -> bool:
    """Whether it is a field: an heir that assigns it has the same one."""
    is_outside = asked.snapshot.is_external(asked.node)
    is_property = not is_outside and asked.snapshot.kind_of(asked.node) == SymbolKind.PROPERTY
    return is_property and "in" in asked.sides and asked.params.depth == 1


def _constructs(asked: Asked) -> bool:
    """Whether it is a constructor, which most calls name the class for."""
    is_outside = asked.snapshot.is_external(asked.node) or asked.snapshot.is_file(asked.node)
    return not is_outside and asked.params.depth == 1 and is_constructor(asked.snapshot, asked.node)


def _is_of_platform(asked: Asked) -> bool:
    """Whether it is one of those that each platform has, which others name what declares them for."""
    return "in" in asked.sides and asked.params.depth == 1 and len(find_counterparts(asked.snapshot, asked.node)) > 1


def _widen(asked: Asked) -> Asked | None:
    """The call that whoever asks for the users of a node without any wants: those of its family, as callers name the
    base of an override; of a variable, those that name the function which it holds. None where that is the same."""
    params = asked.params
    kind = SymbolKind.MODULE if asked.snapshot.is_external(asked.node) else asked.snapshot.kind_of(asked.node)
    if kind in (SymbolKind.VARIABLE, SymbolKind.PROPERTY) and "calls" in params.edge_kinds:
        params = replace(params, edge_kinds=tuple(dict.fromkeys((*params.edge_kinds, "references"))))
    wider = asked if params.family else replace(asked, params=replace(params, family=True))
    if wider.family and not params.family:
        return wider
    return None if params is asked.params else replace(asked, params=params)
