"""Chooses the parts that an overview shows: the clusters of the map, or the areas of one folder a level down."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from codemap.file_roles import Role
from codemap.graph.areas.clusters import cluster_ids
from codemap.graph.areas.communities import Area
from codemap.graph.areas.file_graph import FileGraph, make_file_graph
from codemap.graph.areas.folder_partition import areas_of, folder_around, needs_graph
from codemap.graph.areas.hearts import hearts_of
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import role_of_file
from codemap.graph.model.edges import EdgeTable, Mask
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.tools.params import MapListParams, TestPolicy
from codemap.tools.row_selection import passes_filter, policy_of

_PARTS = Slot[dict[str, "Parts"]](lambda _: {})
"""Of the whole map, by policy."""


class Part(msgspec.Struct, frozen=True):
    id: str
    area: Area
    role: Role
    weight: int
    """Definitions in it."""


class Parts(msgspec.Struct, frozen=True):
    shown: tuple[Part, ...]
    """Product first, the heaviest first."""
    aside: tuple[int, ...]
    """Numbers of the files of tests, examples, generated and vendored code that are counted and not shown."""
    chosen: Sequence[int]
    """Numbers of the files that were asked about, shown or not, ascending."""
    whole: str = ""
    """Of the whole map: the policy, which identifies what is kept for it. Empty for the parts of some files."""


def parts_of(snapshot: Snapshot, focus: str, params: MapListParams) -> Parts:
    """The parts under a folder, or of a file; of everything where the focus is empty."""
    policy = policy_of(params)
    if focus or params.file_filter:
        passes = passes_filter(params.file_filter)
        chosen = tuple(
            file.number for file in snapshot.files if (not focus or is_under(file.path, focus)) and passes(file.path)
        )
        return _choose_by_policy(snapshot, _split_files(snapshot, chosen), chosen, policy)
    held = _PARTS.of(snapshot)
    if policy not in held:
        found = _choose_by_policy(snapshot, _list_clusters(snapshot), range(len(snapshot.files)), policy)
        held[policy] = msgspec.structs.replace(found, whole=policy)
    return held[policy]


def _choose_by_policy(snapshot: Snapshot, parts: Sequence[Part], chosen: Sequence[int], policy: TestPolicy) -> Parts:
    product = tuple(part for part in parts if part.role is Role.PRODUCT)
    others = _list_files([part for part in parts if part.role is not Role.PRODUCT])
    match policy:
        case "include":
            return Parts(tuple(parts), (), chosen)
        case "exclude":
            return Parts(product, (), chosen)
        case "fold" if product:
            return Parts(product, tuple(others), chosen)
    return Parts(tuple(_split_areas(snapshot, others, Role.TEST)), (), chosen)


def is_under(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def hearts_by_part(snapshot: Snapshot, parts: Sequence[Part], counts: Sequence[int]) -> list[list[tuple[int, float]]]:
    """The worthiest definitions of each part and their worth, so many of each."""
    hearts = hearts_of(snapshot)
    part_of_file = np.full(len(snapshot.files), -1, dtype=np.int32)
    for place, part in enumerate(parts):
        part_of_file[list(part.area.files)] = place
    places = part_of_file[columns_of(snapshot).file[hearts.nodes]]
    order = np.argsort(places, kind="stable")
    begins = np.searchsorted(places[order], np.arange(len(parts)))
    ends = np.searchsorted(places[order], np.arange(len(parts)), side="right")
    found = []
    for begin, end, count in zip(begins.tolist(), ends.tolist(), counts, strict=True):
        best = order[begin : min(begin + count, end)]
        found.append(list(zip(hearts.nodes[best].tolist(), hearts.worth[best].tolist(), strict=True)))
    return found


def _list_files(parts: Sequence[Part]) -> list[int]:
    return sorted(number for part in parts for number in part.area.files)


def _list_clusters(snapshot: Snapshot) -> list[Part]:
    """The clusters of the map."""
    members: list[list[int]] = [[] for _ in snapshot.cluster_ids]
    for number, cluster in enumerate(snapshot.clusters.tolist()):
        members[cluster].append(number)
    found = []
    for place, (name, label) in enumerate(zip(snapshot.cluster_ids, snapshot.cluster_labels, strict=True)):
        if files := members[place]:
            area = Area(folder_around([snapshot.files[number].path for number in files]), label, tuple(files))
            found.append(Part(name, area, role_of_file(snapshot.files[files[0]]), _weigh(snapshot, files)))
    return found


def _split_files(snapshot: Snapshot, chosen: Sequence[int]) -> list[Part]:
    """The parts of some files: areas of their own, and what is not product apart."""
    by_role: dict[Role, list[int]] = {}
    for number in chosen:
        by_role.setdefault(role_of_file(snapshot.files[number]), []).append(number)
    return [part for role in sorted(by_role) for part in _split_areas(snapshot, by_role[role], role)]


def _split_areas(snapshot: Snapshot, chosen: Sequence[int], role: Role) -> list[Part]:
    """The areas of some files, which have a role."""
    files = snapshot.files
    paths, weights = [file.path for file in files], [float(file.symbol_count) for file in files]
    graph = _cut_graph(snapshot, chosen) if needs_graph(paths, weights, chosen) else None
    areas = areas_of(paths, weights, chosen, graph)
    ids = cluster_ids(paths, [area.files for area in areas])
    return [Part(name, area, role, _weigh(snapshot, area.files)) for name, area in zip(ids, areas, strict=True)]


def _cut_graph(snapshot: Snapshot, chosen: Sequence[int]) -> FileGraph:
    """The graph of all files with the edges among some of them only."""
    is_chosen = np.zeros(len(snapshot.files), dtype=np.bool_)
    is_chosen[list(chosen)] = True
    inside: Mask = np.zeros(snapshot.node_count, dtype=np.bool_)
    inside[: snapshot.first_external] = is_chosen[columns_of(snapshot).file]
    edges = snapshot.edges
    rows = np.flatnonzero(inside[edges.source] & inside[edges.target])
    columns = {name: getattr(edges, name)[rows] for name in ("source", "target", "kind")}
    some = EdgeTable(**{name: columns.get(name, rows[:0]) for name in EdgeTable.COLUMNS})
    bases = np.array(snapshot.bases[:-1], dtype=np.int32)
    return finish(make_file_graph(bases, snapshot.first_external, some))


def _weigh(snapshot: Snapshot, files: Sequence[int]) -> int:
    return sum(snapshot.files[number].symbol_count - 1 for number in files)
