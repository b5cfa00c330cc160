"""`resolve`: across the bridge between the map and the code as it is now, in either direction.

A node ID becomes the place where its definition stands now; a position becomes the node ID of what is meant there.
The language server has the last word; without one, the map and a parse of the file answer, unverified. The file is long
because both directions and the shape of their answer stand in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

import msgspec
from msgspec import UnsetType

from codemap.envelope.answer import Answer, CutList, Failure
from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.indexed import IndexedFile
from codemap.ids import BadNodeId, parse_id
from codemap.live import Definition as DefinitionOf
from codemap.live import Fact, Found, Missed, Place
from codemap.tools.nav.counterpart import with_counterpart
from codemap.tools.nav.imports import Followed, follow, warning
from codemap.tools.nav.locations import incomplete, say_incomplete
from codemap.tools.nav.meaning import Meaning, map_meaning
from codemap.tools.nav.misses import failed_part, is_passing, search_call, write_down
from codemap.tools.nav.places.anchors import Anchor, Definition, anchor, clip, definitions_at, files_now
from codemap.tools.nav.places.rows import chain, enclosing_rows, name_place, utf16_length
from codemap.tools.nav.target import Target, TargetView, find_target, is_mapped, locate
from codemap.tools.params import PositionParams
from codemap.tools.tool import Asking, Replied, Tool, World
from codemap.tools.view import ConfidenceName, KindName, whole_id


class Params(PositionParams, frozen=True, kw_only=True):
    pass


class Range(TypedDict, total=False):
    line: int
    endLine: int


class SymbolView(TypedDict, total=False):
    name: str
    kind: KindName
    signature: str


class Payload(TypedDict, total=False):
    mapStale: bool
    mapRange: Range
    nodeId: str
    inMap: bool
    nearestNodeId: str
    verified: bool
    confidence: ConfidenceName
    location: Anchor
    relocated: bool
    symbol: SymbolView
    enclosingSymbols: list[str]
    qualifiedName: str
    target: TargetView
    source: str


LISTS = (CutList(("enclosingSymbols",), "enclosing symbols", "pass a larger tokenBudget"),)


def answer(world: World, params: Params) -> Asking[Replied]:
    """The definition of an ID, or what a position means."""
    whole: str | UnsetType | Failure = params.node_id
    if isinstance(whole, str) and world.snapshot is not None:
        whole = whole_id(world.snapshot, whole)
    if isinstance(whole, str) and _is_file(whole) and params.file is msgspec.UNSET:
        target = yield from locate(world, parse_id(whole))
    else:
        target = yield from find_target(world, params)
    if isinstance(target, Failure):
        return target
    if target.row == 0:
        return _whole_file(world, target)
    (fact,) = yield (DefinitionOf(target.at),)
    fact = yield from with_counterpart(target, fact)
    if isinstance(params.node_id, str):
        return (yield from _to_place(world, target, fact))
    return (yield from _to_node(world, target, (yield from follow(target.now, target.at, fact))))


def _is_file(text: str) -> bool:
    try:
        node_id = parse_id(text)
    except BadNodeId:
        return False
    return not node_id.name and not node_id.is_external


# -- node ID -> place -----------------------------------------------------------------------------------------------


def _whole_file(world: World, target: Target) -> Answer:
    """A file is where it is: there is nothing to verify but that it is there."""
    parsed = target.now.parsed
    assert parsed is not None, "files without a language have no ID"
    data: Payload = {
        "nodeId": parsed.id_of(0),
        "location": {"file": target.at.file, "line": 1, "col": 1, "endLine": max(1, parsed.cell(0, Symbol.END_LINE))},
        "verified": True,
        **_map_state(world, target),
        "inMap": is_mapped(world, target.at.file),
        "symbol": {"name": target.name, "kind": "file"},
    }
    return Answer(data, LISTS)


def _to_place(world: World, target: Target, fact: Fact) -> Asking[Answer]:
    parsed, row = target.now.parsed, target.row
    assert parsed is not None, "an ID is found by a parse"
    assert row is not None, "an ID is found by a parse"
    here = own_place(target, parsed, row)
    warnings: list[str] = []
    location, verified, source = anchor(here, Definition(parsed, row)), False, "parse"
    match fact:
        case Found(value=()):
            warnings.append("The language server knows no definition there: this place is from a parse of the file.")
            warnings += incomplete(fact)
        case Found(value=places) if any(_is_same(place, here) for place in places):
            verified, source = True, fact.server or "lsp"
        case Found(value=places):
            (definition,) = yield from definitions_at(world, places[:1], {target.at.file: parsed})
            location, source = anchor(places[0], definition), fact.server or "lsp"
            warnings.append(
                f"The layers disagree: the file as parsed defines it at line {here.line} col {here.col}, the language "
                f"server says {_spoken(places[0])}. The server's place is given."
            )
        case Missed():
            warnings.append(_unverified(fact, "the place is from a parse of the file as it is now"))
    node_id = parsed.id_of(row)
    if location.get("id") == node_id:
        del location["id"]
    data: Payload = {"nodeId": node_id, "location": location, "verified": verified, **_map_state(world, target)}
    if target.is_relocated:
        data["relocated"] = True
    data["inMap"] = _node_of(world, parsed, row) is not None
    data["symbol"] = _symbol(parsed, row)
    data["source"] = source
    return Answer(data, LISTS, (*target.notes, *warnings), incomplete=_late(fact))


def own_place(target: Target, parsed: IndexedFile, row: int) -> Place:
    """The place of a definition's name, by the parse."""
    line, col = name_place(parsed, row)
    lines = target.now.lines
    snippet = clip(lines[line - 1].strip()) if line <= len(lines) else ""
    return Place(target.at.file, line, col, line, col + utf16_length(target.name), snippet)


def _is_same(place: Place, own: Place) -> bool:
    """Whether a server's place is the name, or holds it and begins with its definition."""
    if place.file != own.file or place.is_external:
        return False
    begin, end, name = (place.line, place.col), (place.end_line, place.end_col), (own.line, own.col)
    return begin == name or (begin <= name < end and place.end_line > place.line)


def _map_state(world: World, target: Target) -> Payload:
    """Whether the map is of another content of the file, and where it has the definition then."""
    snapshot, parsed = world.snapshot, target.now.parsed
    indexed = None if snapshot is None else snapshot.by_path.get(target.at.file)
    if indexed is None or snapshot is None:
        return {}
    is_stale = not target.now.is_as_in(world)
    state: Payload = {"mapStale": is_stale}
    node = None if parsed is None or not target.row else _node_of(world, parsed, target.row)
    if is_stale and node is not None:
        line, end = snapshot.cell(node, Symbol.LINE), snapshot.cell(node, Symbol.END_LINE)
        state["mapRange"] = {"line": line, "endLine": end}
    return state


def _node_of(world: World, file: IndexedFile, row: int) -> int | None:
    return None if world.snapshot is None else world.snapshot.find(file.id_of(row))


def _symbol(file: IndexedFile, row: int) -> SymbolView:
    symbol: SymbolView = {
        "name": file.name_of(row),
        "kind": SymbolKind(file.cell(row, Symbol.KIND)).name.lower(),
    }
    if signature := file.text_of(row, Symbol.SIGNATURE):
        symbol["signature"] = signature
    return symbol


# -- position -> node ID --------------------------------------------------------------------------------------------


def _to_node(world: World, target: Target, followed: Followed) -> Asking[Answer]:
    fact = followed.fact
    meaning = map_meaning(world, target.now, target.at)
    places: Sequence[Place] = fact.value if isinstance(fact, Found) and not followed.imports else ()
    if places:
        found = yield from _of_server(world, target, places[0], meaning)
    else:
        found = yield from _of_map(world, target, meaning)
    warnings: list[str] = found.pop("warnings", [])
    if len(places) > 1:
        warnings.append(
            f"The language server names {len(places)} definitions, this is the first: nav_definition has all."
        )
    if isinstance(fact, Missed):
        warnings.append(_unverified(fact, "this is from the map and a parse of the file as it is now"))
    elif followed.imports:
        warnings.append(warning(target.name, followed.imports, search_call(target.name)))
    elif not places:
        warnings.append("The language server knows no definition there: this is from the map and a parse of the file.")
        warnings += incomplete(fact)
    parsed = target.now.parsed
    around = _around(target)
    mapped = is_mapped(world, target.at.file)
    enclosing = [parsed.id_of(row) for row in around] if parsed is not None and mapped else []
    if "nodeId" not in found and enclosing:
        found.setdefault("nearestNodeId", enclosing[-1])
    state = _map_state(world, target)
    state.pop("mapRange", None)
    data: dict[str, Any] = {
        **{name: found[name] for name in _FIRST if name in found},
        **state,
        "enclosingSymbols": enclosing,
        "qualifiedName": found.get("qualifiedName") or target.name,
        "target": {"name": target.name, "line": target.at.line, "col": target.at.col},
        "source": fact.server or "lsp" if isinstance(fact, Found) and places else found.get("source", "map"),
    }
    return Answer(data, LISTS, (*target.notes, *warnings), incomplete=_late(fact))


_FIRST = ("nodeId", "inMap", "nearestNodeId", "verified", "confidence", "location")
"""Members in the order shown."""


def _of_server(world: World, target: Target, place: Place, meaning: Meaning | None) -> Asking[dict[str, Any]]:
    held = {target.at.file: target.now.parsed} if target.now.parsed is not None else {}
    (definition,) = yield from definitions_at(world, [place], held)
    snapshot = world.snapshot
    meant = "" if meaning is None or snapshot is None else snapshot.id_of(meaning.node)
    found: dict[str, Any] = {"inMap": False, "verified": True, "location": anchor(place, definition)}
    found["location"].pop("id", None)
    if definition is not None:
        found["nodeId"] = definition.id
        found["inMap"] = snapshot is not None and snapshot.find(definition.id) is not None
        found["qualifiedName"] = definition.file.qualified_name(definition.row)
    elif place.is_external and meaning is not None and snapshot is not None and snapshot.is_external(meaning.node):
        found |= {"nodeId": meant, "inMap": True}
    elif not place.is_external:
        found |= yield from _nearest(world, target.name, place, held)
    if meant and meaning is not None and found.get("nodeId") != meant:
        level = meaning.confidence.name.lower()
        found["warnings"] = [
            f"The layers disagree: the map takes it for {meant} ({level}). The server's word is given."
        ]
    return found


def _nearest(world: World, name: str, place: Place, held: dict[str, IndexedFile]) -> Asking[dict[str, Any]]:
    """The definition around a place that is none itself, and the name of what stands there."""
    files = yield from files_now(world, [place.file], held)
    file = files.get(place.file)
    rows = () if file is None else enclosing_rows(file, place.line)
    if file is None or not rows:
        return {}
    owner = file.qualified_name(rows[-1])
    return {"nearestNodeId": file.id_of(rows[-1]), "qualifiedName": f"{owner}.{name}"}


def _of_map(world: World, target: Target, meaning: Meaning | None) -> Asking[dict[str, Any]]:
    """What the parse of the file defines there, or what the map says that the name goes to."""
    parsed, snapshot = target.now.parsed, world.snapshot
    found: dict[str, Any] = {"inMap": False, "verified": False}
    if parsed is not None and target.row is not None:
        found["source"] = "parse"
        node_id = parsed.id_of(target.row)
        place = own_place(target, parsed, target.row)
        found["location"] = anchor(place, Definition(parsed, target.row))
        found["location"].pop("id")
        found |= {"nodeId": node_id, "qualifiedName": parsed.qualified_name(target.row)}
        found["inMap"] = snapshot is not None and snapshot.find(node_id) is not None
        return found
    if meaning is None or snapshot is None:
        return found
    file = snapshot.file_of(meaning.node)
    found |= {"nodeId": snapshot.id_of(meaning.node), "inMap": True, "confidence": meaning.confidence.name.lower()}
    found["qualifiedName"] = snapshot.qualified_name_of(meaning.node)
    if file is None:
        return found
    files = yield from files_now(world, [file.path])
    now = files.get(file.path)
    wanted = parse_id(found["nodeId"])
    row = None if now is None else now.rows_by_name.get((wanted.name, wanted.ordinal)) if wanted.name else 0
    if now is None or row is None:
        found["warnings"] = [f"{file.path} changed and does not define it any more: {_rebuild()} and repeat."]
        return found
    line, col = name_place(now, row)
    end = now.cell(row, Symbol.END_LINE)
    found["location"] = {"file": file.path, "line": line, "col": col, **({"endLine": end} if end > line else {})}
    return found


def _rebuild() -> str:
    return f"call {write_down('map_rebuild', {})}"


def _around(target: Target) -> tuple[int, ...]:
    """The definitions around the position, the outermost first; one that is defined there is not around itself."""
    parsed = target.now.parsed
    if parsed is None:
        return ()
    if target.row is not None:
        return chain(parsed, target.row)[:-1]
    return enclosing_rows(parsed, target.at.line)


def _unverified(fact: Missed, source: str) -> str:
    again = " Repeat the call in some seconds to have it verified." if is_passing(fact) else ""
    return f"Not verified ({failed_part(fact)}): {source}.{again}"


def _late(fact: Fact) -> str:
    """Why the server's word is still to come, as a sentence; empty where it is not."""
    if isinstance(fact, Found):
        return "" if fact.value else say_incomplete(fact.incomplete)
    return f"Not verified: {failed_part(fact)}." if is_passing(fact) else ""


def _spoken(place: Place) -> str:
    return f"{place.file} line {place.line} col {place.col}"


TOOL = Tool(
    name="resolve",
    command="resolve",
    title="Resolve",
    description="Node ID to its place now, or a place (of a diff, a stack trace) to its node ID.",
    params=Params,
    payload=Payload,
    answer=answer,
)
