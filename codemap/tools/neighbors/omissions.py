"""What an answer about the users of a node leaves out, and says so: others of the name, further heirs."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np
from msgspec.structs import replace

from codemap.envelope.answer import Answer
from codemap.facts import SymbolKind
from codemap.file_roles import Role
from codemap.graph.frameworks.event_handlers import senders_of
from codemap.graph.index.inheritance import inheritance
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.index.part_nodes import PARTS
from codemap.graph.likelihood.candidates import undecided_uses_of
from codemap.graph.model.edges import BARE, FUNCTION_KINDS, EdgeKind, among, are_among, distinct
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import Kin, family_of, find_wholes, not_of_constructor
from codemap.impact.arrivals import CANDIDATES_MAX
from codemap.languages import by_name
from codemap.tools.compact import short_id
from codemap.tools.names.namesakes import NAMESAKES_MAX
from codemap.tools.neighbors.asked import WHOLE_DEPTH, Asked, Params, goes_deep

_SEPARATORS = ("\\", ".", "/", ":")
"""What may follow the name of a package in the name of one inside it."""
NAMED_MAX = 3
"""Others of the name that are named."""
_USES = frozenset((EdgeKind.CALLS, EdgeKind.REFERENCES))
_HELD = frozenset((*FUNCTION_KINDS, SymbolKind.PROPERTY))
USERS_MAX = 40
"""Users of others of the name that are listed beside those of the one that is meant."""


def say_omissions(asked: Asked, found: Answer) -> Answer:
    """The answer, with what it leaves out; full rows say it themselves."""
    if asked.params.rows != "compact":
        return found
    if asked.snapshot.is_external(asked.node):
        return _name_below(asked, found)
    return _name_others(asked, _say_namings(asked, _say_unfollowed(asked, say_further(asked, found))))


def _name_below(asked: Asked, found: Answer) -> Answer:
    """The answer about a package or namespace outside, with those inside it that are used by their own names."""
    snapshot = asked.snapshot
    lang, package = snapshot.externals[asked.node - snapshot.first_external]
    begins = tuple(package + separator for separator in _SEPARATORS)
    below = [name for of, name in snapshot.externals if of == lang and name.startswith(begins)]
    if not below or "in" not in asked.sides:
        return found
    return _say_omitted(found, f"users of what is inside it: {_join_some(below)}.")


def _name_others(asked: Asked, found: Answer) -> Answer:
    """The answer, with what else of the product has the bare name that was given, a member of a class say.

    In a language that marks variables (`$name`), that includes the property that has a method's name.
    """
    if asked.kinds.isdisjoint(_USES):
        return found
    snapshot, node, text = asked.snapshot, asked.node, asked.params.node_id
    name, parent = snapshot.name_of(node), snapshot.parent_of(node)
    others: list[int] = []
    if parent is not None and (marks := by_name()[snapshot.row_of(node)[0].lang].sigils):
        marked = {mark + name for mark in marks}
        others = [one for one in snapshot.children_of(parent) if snapshot.name_of(one) in marked]
    if name == text:
        others += _find_others(snapshot, node, {node, *asked.relatives})
    if not others:
        return found
    return _say_omitted(found, f"users of what else has the name: {_list_some(snapshot, others)}.")


def find_few_others(snapshot: Snapshot, node: int, params: Params) -> tuple[int, ...]:
    """What else of the product has the bare name by which the users of a function are asked for, fields that hold one
    too, where all are few enough to be answered at once."""
    is_plain = params.direction == "in" and params.depth == 1 and params.rows == "compact" and not params.verify
    kinds = frozenset(EdgeKind[name.upper()] for name in params.edge_kinds) or _USES
    if not is_plain or kinds.isdisjoint(_USES) or snapshot.is_external(node):
        return ()
    if snapshot.name_of(node) != params.node_id or not _is_product(snapshot, node):
        return ()
    own = {node, *family_of(snapshot, node)}
    others = [one for one in _find_others(snapshot, node, own, _HELD) if not _is_inside_namesake(snapshot, one)]
    users = sum(1 for one in others for _ in snapshot.edges_in(one, kinds))
    return tuple(others) if len(others) < NAMESAKES_MAX and users <= USERS_MAX else ()


def _find_others(
    snapshot: Snapshot, node: int, own: Container[int], kinds: Container[SymbolKind] = FUNCTION_KINDS
) -> list[int]:
    """Other definitions of some kinds in the product that have the name of a node."""
    named = snapshot.named(snapshot.name_of(node))
    same = [one for one in named if _is_product(snapshot, one, kinds)]
    return [one for one in dict.fromkeys(find_wholes(snapshot, same)) if one not in own]


def _is_inside_namesake(snapshot: Snapshot, node: int) -> bool:
    parent = snapshot.parent_of(node)
    return parent is not None and snapshot.name_of(parent) == snapshot.name_of(node)


def say_further(asked: Asked, found: Answer) -> Answer:
    """The answer about direct heirs or bases, with how many of them have their own that are not among them."""
    snapshot, params = asked.snapshot, asked.params
    if params.depth > 1 or not (goes_deep(params) and asked.is_about_heirs):
        return found
    is_in, edges = params.direction == "in", snapshot.edges
    direct = np.array(sorted({one.node for one in asked.around.neighbors}), dtype=np.int32)
    direct = direct[direct < snapshot.first_external]
    types, of = PARTS.of(snapshot).unite(direct)
    rows, at = inheritance(snapshot, types, downwards=is_in)
    are_known = are_among((edges.source if is_in else edges.target)[rows], direct)
    count = len(distinct(of[at[among(asked.kinds)[edges.kind[rows]] & ~are_known]]))
    if not count:
        return found
    text = f"{count} of these have {'heirs' if is_in else 'bases'} of their own: pass depth:{WHOLE_DEPTH} for all."
    return replace(found, warnings=(*found.warnings, text))


def _say_unfollowed(asked: Asked, found: Answer) -> Answer:
    """The answer about callers of callers, with those of which not all callers are looked for."""
    snapshot, depth = asked.snapshot, asked.params.depth
    if depth == 1 or "in" not in asked.sides or EdgeKind.CALLS not in asked.kinds:
        return found
    passed = {one.node for one in asked.around.neighbors if one.side == "in" and one.depth < depth}
    nodes = np.array(sorted(passed), dtype=np.int32)
    nodes = nodes[nodes < snapshot.first_external]
    rows, meant = undecided_uses_of(snapshot, nodes, CANDIDATES_MAX)
    undecided = distinct(meant[snapshot.unresolved.kind[rows] & ~BARE == int(EdgeKind.CALLS)]).tolist()
    senders = senders_of(snapshot, nodes)
    sent = [node for node in nodes.tolist() if node in senders]
    those = [f"undecided calls of {_list_some(snapshot, undecided)}"] if undecided else []
    those += [f"events that run {_list_some(snapshot, sent)}"] if sent else []
    return _say_omitted(found, f"{'; '.join(those)}: map_impact follows them.") if those else found


def _say_namings(asked: Asked, found: Answer) -> Answer:
    """The answer about a constructor, with how often its class is only named."""
    classes = [one for one, how in asked.family.items() if how is Kin.CLASS]
    omits = EdgeKind.REFERENCES in not_of_constructor(asked.snapshot, asked.node) and not asked.params.edge_kinds
    if not classes or not omits:
        return found
    named = sum(1 for one in classes for _ in asked.snapshot.edges_in(one, (EdgeKind.REFERENCES,)))
    return (
        _say_omitted(found, f"{named} that name {_list_some(asked.snapshot, classes)} as a type.") if named else found
    )


def _list_some(snapshot: Snapshot, nodes: Sequence[int]) -> str:
    return _join_some([short_id(snapshot, one) for one in nodes])


def _join_some(names: Sequence[str]) -> str:
    named = ", ".join(names[:NAMED_MAX])
    return f"{named} and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else named


def _say_omitted(found: Answer, what: str) -> Answer:
    return replace(found, warnings=(*found.warnings, f"Not listed: {what}"))


def _is_product(snapshot: Snapshot, node: int, kinds: Container[SymbolKind] = FUNCTION_KINDS) -> bool:
    return snapshot.kind_of(node) in kinds and role_of_node(snapshot, node) is Role.PRODUCT
