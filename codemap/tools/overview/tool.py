"""`map_overview`: what the repository is made of, for a reader with two minutes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from msgspec import UNSET, Meta, UnsetType

from codemap.envelope.answer import Answer, CutList, Spare
from codemap.envelope.near_matches import near
from codemap.facts import SymbolKind
from codemap.graph.model.snapshot import Snapshot
from codemap.tools import diagram
from codemap.tools.other_code import show_unread
from codemap.tools.overview.areas import AreaView, area_views
from codemap.tools.overview.clusters import Cluster, cluster_views
from codemap.tools.overview.digest import Digest, digest_of, part_uses
from codemap.tools.overview.entries import KINDS, Entries, packages_of
from codemap.tools.overview.most_used import Top, most_imported, most_used, top_texts, top_views
from codemap.tools.overview.parts import Parts, is_under, parts_of
from codemap.tools.overview.readme import ask_sentence
from codemap.tools.params import KindFilter, MapListParams
from codemap.tools.row_selection import policy_of
from codemap.tools.tool import Asking, Replied, Spans, Tool, World
from codemap.tools.view import EmptyBecause, empty_because, map_incomplete, map_warnings, not_built, stale_files


class Params(MapListParams, frozen=True, kw_only=True):
    focus: Annotated[str, Meta(description="Only this folder or file, one level down")] = ""
    hubs_per_cluster: Annotated[int, Meta(description="Hearts an area", ge=1, le=20)] | UnsetType = UNSET
    top: Annotated[
        int, Meta(description="Instead: so many of the most imported modules and most used symbols", ge=0, le=100)
    ] = 0
    kind: Annotated[KindFilter, Meta(description="Of those symbols")] = "any"
    diagram: diagram.Wanted = False


class Payload(TypedDict, total=False):
    builtAt: str
    files: int
    symbols: int
    staleFiles: list[str]
    languages: Mapping[str, str]
    packages: Mapping[str, str]
    entries: Entries
    aside: Mapping[str, str]
    notRead: str
    areas: list[AreaView]
    others: Mapping[str, int]
    circles: Sequence[str]
    clusters: list[Cluster]
    top: Top
    diagram: str
    emptyBecause: EmptyBecause
    suggestion: str
    recoveryOptions: list[str]


HUBS_DEFAULT = 5
"""Of a cluster, in the full form."""
NARROW = "pass focus with a folder"
FEWER = "pass kind, focus or a smaller top"
LISTS: tuple[CutList | Spare, ...] = (
    diagram.SPARE,
    Spare(("clusters", "*", "uses"), "uses of areas", NARROW),
    CutList(("staleFiles",), "stale files", "call map_rebuild"),
    Spare(("areas", "*", "words"), "words", NARROW),
    CutList(("areas", "*", "hearts"), "hearts", NARROW, keep=3, key=("area",)),
    Spare(("areas", "*", "about"), "sentences", NARROW),
    CutList(("circles",), "circles", NARROW),
    *(CutList(("entries", kind), kind, NARROW) for kind in reversed(KINDS)),
    CutList(("areas",), "areas", NARROW, key=("area",)),
    CutList(("clusters", "*", "hubs"), "hubs", NARROW, keep=1, key=("id",)),
    CutList(("clusters",), "clusters", NARROW, key=("id",)),
    CutList(("top", "imported"), "modules", FEWER),
    CutList(("top", "used"), "symbols", FEWER),
)


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """The areas of the product with their hearts, the heaviest first; or what is imported and used most."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    made = _answer(world, snapshot, params)
    packages = packages_of(snapshot)
    is_described = any(package.about for package in packages if not package.folder)
    if is_described or params.rows == "full" or params.top or params.focus or params.file_filter:
        return made
    return _add_about(made, [*(one.name.rpartition("/")[2] for one in packages[:1]), world.root.rpartition("/")[2]])


def _add_about(made: Answer, names: list[str]) -> Asking[Replied]:
    """Adds what the README says, where no manifest says what the repository is."""
    about = yield from ask_sentence(names)
    assert isinstance(made.data, dict), "the payload of this tool"
    if about:
        packages: Mapping[str, str] = made.data.get("packages", {})
        whole = {".": f"{packages['.']}: {about}" if "." in packages else about}
        made.data["packages"] = whole | {folder: text for folder, text in packages.items() if folder != "."}
    return made


def _answer(world: World, snapshot: Snapshot, params: Params) -> Answer:
    focus = params.focus.strip().removeprefix("./").strip("/")
    focus = "" if focus == "." else focus
    parts, digest = parts_of(snapshot, focus, params), None
    data: Payload = {
        "builtAt": snapshot.built_at,
        "files": len(parts.chosen),
        "symbols": _count_symbols(snapshot, parts),
    }
    if (stale := stale_files(world)) or params.rows == "full":
        data["staleFiles"] = stale
    if params.top:
        data["top"] = _find_top(world, snapshot, parts, params)
    elif params.rows == "full":
        each = HUBS_DEFAULT if isinstance(params.hubs_per_cluster, UnsetType) else params.hubs_per_cluster
        data["clusters"] = cluster_views(world, snapshot, parts.shown, part_uses(snapshot, parts), each)
    else:
        digest = digest_of(snapshot, parts, focus)
        data |= _show_compact(world, snapshot, digest, params)
    if world.unread and not focus and not params.file_filter:
        data["notRead"] = show_unread(world.unread)
    if params.diagram and not params.top:
        boxes = [(part.id, f"{part.area.label} ({len(part.area.files)} files)") for part in parts.shown]
        data["diagram"] = diagram.of_uses(boxes, part_uses(snapshot, parts))
    if not parts.shown:
        data |= _explain_nothing(world, snapshot, params, focus)
    return Answer(
        data,
        LISTS,
        tuple(map_warnings(world, snapshot)),
        incomplete=map_incomplete(world, snapshot),
        rests_on=_find_mentioned(digest, data),
    )


def _count_symbols(snapshot: Snapshot, parts: Parts) -> int:
    if len(parts.chosen) == len(snapshot.files):
        return snapshot.symbol_count
    return sum(snapshot.files[number].symbol_count - 1 for number in parts.chosen)


def _show_compact(world: World, snapshot: Snapshot, digest: Digest, params: Params) -> Payload:
    each = None if isinstance(params.hubs_per_cluster, UnsetType) else params.hubs_per_cluster
    data: Payload = {
        "languages": digest.languages,
        "packages": digest.packages,
        "entries": digest.entries,
        "aside": digest.aside,
    }
    data = {name: value for name, value in data.items() if value}  # type: ignore[assignment]
    data["areas"] = area_views(world, snapshot, digest.areas, each)
    if digest.others:
        data["others"] = digest.others
    if digest.circles:
        data["circles"] = digest.circles
    return data


def _find_top(world: World, snapshot: Snapshot, parts: Parts, params: Params) -> Top:
    kinds = frozenset[SymbolKind]() if params.kind == "any" else frozenset((SymbolKind[params.kind.upper()],))
    policy = policy_of(params)
    imported = most_imported(snapshot, parts.chosen, policy, params.top)
    used = most_used(snapshot, parts.chosen, policy, kinds, params.top)
    if params.rows == "full":
        return top_views(world, snapshot, imported, used)
    return top_texts(world, snapshot, imported, used)


def _find_mentioned(digest: Digest | None, data: Payload) -> frozenset[str]:
    """Paths of the files that texts name."""
    areas = zip(digest.areas, data["areas"], strict=True) if digest is not None else ()
    found = {area.texts[node][0] for area, view in areas for node, _ in area.hearts[: len(view["hearts"])]}
    if top := data.get("top"):
        found.update(re.split("[#:]", text)[0] for text in (*top["imported"], *top["used"]) if isinstance(text, str))
    return frozenset(found)


def _explain_nothing(world: World, snapshot: Snapshot, params: Params, focus: str) -> Payload:
    """Why there is nothing to show, and the folders that the focus may have meant."""
    because = empty_because(world, snapshot)
    is_there = any(not focus or is_under(file.path, focus) for file in snapshot.files)
    if because != "building" and not world.behind:
        because = "filtered" if is_there else "notIndexed"
    if not snapshot.files:
        return {
            "emptyBecause": because,
            "suggestion": "No file of a known language was found: map_status says what was skipped and why.",
        }
    if is_there and params.file_filter:
        return {"emptyBecause": because, "suggestion": f"No indexed file passes {params.file_filter}: pass another."}
    if is_there:
        return {"emptyBecause": because, "suggestion": f"tests:{policy_of(params)} leaves all files out: pass another."}
    innermost = {file.path.rpartition("/")[0] for file in snapshot.files}
    folders = {folder for path in innermost for folder in _list_folders(path)}
    matches = near(focus, sorted(folders, key=lambda folder: (folder.count("/"), folder))).matches
    hint = f"Did you mean {matches[0]}?" if matches else "Leave focus out to see the folders there are."
    found: Payload = {"emptyBecause": because, "suggestion": f"No indexed file is under {focus}. {hint}"}
    if matches:
        found["recoveryOptions"] = list(matches)
    return found


def _list_folders(path: str) -> list[str]:
    """A folder and those around it."""
    parts = path.split("/")
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))] if path else []


TOOL = Tool(
    name="map_overview",
    command="overview",
    title="Overview",
    description=(
        "Start here on unfamiliar code: languages, packages, entry points, areas, what they use, and their hearts."
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    needs_edges=True,
    spans_roots=Spans.MISSED,
)
