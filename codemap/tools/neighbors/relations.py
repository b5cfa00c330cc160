"""Compact rows of what is related to a node without being its neighbor: subclasses of subclasses, uses through others,
and the node's family.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from codemap.facts import Symbol
from codemap.graph.index.inheritance import ARE_TYPES, CLASSES_MAX
from codemap.graph.index.part_nodes import united, whole_of
from codemap.graph.model.edges import INHERITANCE, EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.neighborhood import Neighbor
from codemap.graph.query.override_family import Kin
from codemap.ids import without_ordinal
from codemap.tools.compact import GroupedRows, Row, group_by_file, lines_of, row_place
from codemap.tools.neighbors.asked import Asked, Params
from codemap.tools.row_selection import Folded, place_of, sift

_TO = "to "
RELATIVES_MAX = 24
"""Of so many at most those in tests are named, too: who asks for relatives wants to know which there are."""
OVERLOADS_MAX = 3
"""Of so many in a file each has a row."""
ALIKE_MIN = 3
"""Uses of one of a family that have a section of their own, which names it once."""


def with_few_named(params: Params, count: int) -> Params:
    """A copy by which those of few relatives that are in tests are named where nothing is said of tests."""
    return replace(params, tests="include") if params.tests is UNSET and count <= RELATIVES_MAX else params


def family_rows(asked: Asked) -> GroupedRows:
    """The others of the node's family, product code first; how many there are in each file whose rows are folded. Where
    heirs of a method are asked for, also the classes that have none of their own."""
    members = [(asked.node, None), *asked.family.items(), *((heir, Kin.INHERITS) for heir in _find_inheriting(asked))]
    params = with_few_named(asked.params, len(members))
    shown = sift(members, lambda member: place_of(asked.snapshot, member[0]), params, asked.role)
    rows = sorted(_show_kins(asked, [member for member in shown.rows if member[1]]), key=lambda row: row.file)
    counts = Counter(one.place.path for one in shown.folded)
    return group_by_file(rows) | {file: [f"{count} more"] for file, count in counts.items()}


def _find_inheriting(asked: Asked) -> list[int]:
    """The heirs of a method's class, as far as any are looked for, that have no method of its name."""
    snapshot, owner = asked.snapshot, asked.snapshot.parent_of(asked.node)
    if not asked.is_about_heirs or owner is None or not ARE_TYPES[snapshot.kind_of(owner)]:
        return []
    having = {whole_of(snapshot, cls) for one in asked.family if (cls := snapshot.parent_of(one)) is not None}
    seen, waiting = {owner: None}, [owner]
    while waiting and len(seen) <= CLASSES_MAX:
        edges = [edge for one in united(snapshot, waiting.pop()) for edge in snapshot.edges_in(one, INHERITANCE)]
        below = [edge.source for edge in edges if edge.source not in seen]
        seen.update(dict.fromkeys(below))
        waiting += below
    return sorted(cls for cls in seen if whole_of(snapshot, cls) not in having and cls != owner)


def _show_kins(asked: Asked, members: Sequence[tuple[int, Kin | None]]) -> Iterator[Row]:
    """A row for each, and one for more than a few overloads in a file; that all are of one name alone is not said. The
    part of a class that a constructor outside of it opens is none."""
    members = [one for one in members if one[1] is not Kin.CLASS or whole_of(asked.snapshot, one[0]) == one[0]]
    are_namesakes = all(kin is Kin.NAMESAKE for _, kin in members)
    places = {node: row_place(asked.snapshot, node) for node, _ in members}
    lines = {node: str(asked.snapshot.cell(node, Symbol.LINE)) for node, _ in members}
    overloads: dict[str, list[int]] = {}
    for node, kin in members:
        if kin is Kin.OVERLOAD:
            overloads.setdefault(places[node][0], []).append(node)
    many = {file: nodes for file, nodes in overloads.items() if len(nodes) > OVERLOADS_MAX}
    for node, kin in members:
        if kin is not Kin.OVERLOAD or places[node][0] not in many:
            yield Row(*places[node], [lines[node]], [kin.value] if kin and not are_namesakes else [])
    for file, nodes in many.items():
        yield Row(file, without_ordinal(places[nodes[0]][1]), [lines[node] for node in nodes], [f"{Kin.OVERLOAD}s"])


def via_words(asked: Asked, via: int, file: str) -> str:
    """Names what a neighbor was reached from; its name is enough unless another in a hierarchy, or the map, has it."""
    via_file, name = asked.row_place(via)
    is_known, is_of_family = asked.is_hierarchy or bool(asked.family), asked.params.depth == 1
    is_clear = bool(name) and (via_file == file or (is_known and name not in asked.namesakes))
    word = "of " if asked.is_hierarchy else _TO if is_of_family else "via "
    return word + (name if is_clear else asked.shortest_id(via))


def reached_words(asked: Asked, neighbor: Neighbor) -> list[str]:
    """From where a neighbor was reached, where that is not the node; of a direct heir, which other it has as a base:
    it states again what that says."""
    file = asked.row_place(neighbor.node)[0]
    if neighbor.via != asked.node:
        is_said = neighbor.depth > 1 or neighbor.side == "in"
        return [via_words(asked, neighbor.via, file)] if is_said else []
    if not asked.is_hierarchy or neighbor.side != "in":
        return []
    bases = (edge.target for edge in asked.snapshot.edges_out(neighbor.node, (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS)))
    return [f"also {via_words(asked, base, file)}" for base in bases if base in asked.listed][:1]


def is_of_override(asked: Asked, one: Neighbor) -> bool:
    """Whether it uses what overrides the node, where the family is not asked for."""
    return one.side == "in" and one.via != asked.node and asked.params.depth == 1 and not asked.family


def place_targets(asked: Asked, rows: Iterable[Neighbor]) -> dict[int, int]:
    """Those of a family that have sections of their own, the most used first; numbered from 1."""
    if asked.params.depth > 1:
        return {}
    counts = Counter[tuple[int, EdgeKind]]()
    for row in rows:
        if row.side == "in" and row.via != asked.node:
            counts[row.via, row.edge.kind] += len(asked.snapshot.sites(row.edge)) if asked.params.code else 1
    often = dict.fromkeys(target for (target, _), count in counts.most_common() if count >= ALIKE_MIN)
    return {target: place for place, target in enumerate(often, 1)}


def split_target(
    asked: Asked, rows: list[Row], neighbors: Sequence[Neighbor], folded: Sequence[Folded[Neighbor]]
) -> tuple[str, list[Row]]:
    """The one of a family that all rows and all that is folded use, and the rows without it; else nothing, and the
    rows."""
    used = {one.via for one in (*neighbors, *(each.row for each in folded))}
    is_said = bool(rows) and bool(rows[0].words) and rows[0].words[0].startswith(_TO)
    if len(used) > 1 or not is_said or len(rows) + bool(folded) < 2:
        return "", rows
    place = rows[0].file if len({row.file for row in rows}) == 1 else ""
    target = via_words(asked, used.pop(), place).removeprefix(_TO)
    return target, [replace(row, words=row.words[1:]) for row in rows]


def list_packages(snapshot: Snapshot, neighbors: Iterable[Neighbor]) -> list[str]:
    """The packages outside that are used, with the lines of all uses."""
    sites: dict[str, list[tuple[int, int]]] = {}
    for neighbor in neighbors:
        sites.setdefault(snapshot.name_of(neighbor.node), []).extend(snapshot.sites(neighbor.edge))
    return [f"{package} {','.join(lines_of(some, has_columns=False))}" for package, some in sites.items()]
