"""Answers `resolve` for a position: the node ID of what it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codemap.envelope.answer import Answer
from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile
from codemap.ids import parse_id
from codemap.live_queries import Found, Missed, Place
from codemap.tools.nav.imports import Followed, warning
from codemap.tools.nav.locations import incomplete
from codemap.tools.nav.map_meaning import Meaning, map_meaning
from codemap.tools.nav.no_answer import search_call, write_down
from codemap.tools.nav.target import Target, is_mapped
from codemap.tools.places.anchors import Definition, anchor, definitions_at, files_now
from codemap.tools.places.rows import chain, enclosing_rows, name_place
from codemap.tools.resolve.shown import LISTS, map_state, own_place, say_late, say_unverified
from codemap.tools.tool import Asking, World


def answer_node(world: World, target: Target, followed: Followed) -> Asking[Answer]:
    """The node ID of what the position means, by the language server or else by the map."""
    fact = followed.fact
    meaning = map_meaning(world, target.now, target.at)
    places: Sequence[Place] = fact.value if isinstance(fact, Found) and not followed.imports else ()
    if places:
        found = yield from _read_server(world, target, places[0], meaning)
    else:
        found = yield from _read_map(world, target, meaning)
    warnings: list[str] = found.pop("warnings", [])
    if len(places) > 1:
        warnings.append(
            f"The language server names {len(places)} definitions, this is the first: nav_definition has all."
        )
    if isinstance(fact, Missed):
        warnings.append(say_unverified(fact, "this is from the map and a parse of the file as it is now"))
    elif followed.imports:
        warnings.append(warning(target.name, followed.imports, search_call(target.name)))
    elif not places:
        warnings.append("The language server knows no definition there: this is from the map and a parse of the file.")
        warnings += incomplete(fact)
    parsed = target.now.parsed
    around = _find_around(target)
    mapped = is_mapped(world, target.at.file)
    enclosing = [parsed.id_of(row) for row in around] if parsed is not None and mapped else []
    if "nodeId" not in found and enclosing:
        found.setdefault("nearestNodeId", enclosing[-1])
    state = map_state(world, target)
    state.pop("mapRange", None)
    data: dict[str, Any] = {
        **{name: found[name] for name in _FIRST if name in found},
        **state,
        "enclosingSymbols": enclosing,
        "qualifiedName": found.get("qualifiedName") or target.name,
        "target": {"name": target.name, "line": target.at.line, "col": target.at.col},
        "source": fact.server or "lsp" if isinstance(fact, Found) and places else found.get("source", "map"),
    }
    return Answer(data, LISTS, (*target.notes, *warnings), incomplete=say_late(fact))


_FIRST = ("nodeId", "inMap", "nearestNodeId", "verified", "confidence", "location")
"""Members in the order shown."""


def _read_server(world: World, target: Target, place: Place, meaning: Meaning | None) -> Asking[dict[str, Any]]:
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
        found |= yield from _find_nearest(world, target.name, place, held)
    if meant and meaning is not None and found.get("nodeId") != meant:
        level = meaning.confidence.name.lower()
        found["warnings"] = [
            f"The layers disagree: the map takes it for {meant} ({level}). The server's word is given."
        ]
    return found


def _find_nearest(world: World, name: str, place: Place, held: dict[str, IndexedFile]) -> Asking[dict[str, Any]]:
    """The definition around a place that is none itself, and the name of what is there."""
    files = yield from files_now(world, [place.file], held)
    file = files.get(place.file)
    rows = () if file is None else enclosing_rows(file, place.line)
    if file is None or not rows:
        return {}
    owner = file.qualified_name(rows[-1])
    return {"nearestNodeId": file.id_of(rows[-1]), "qualifiedName": f"{owner}.{name}"}


def _read_map(world: World, target: Target, meaning: Meaning | None) -> Asking[dict[str, Any]]:
    """Looks up what the parse of the file defines there, or what the map resolves the name to."""
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


def _find_around(target: Target) -> tuple[int, ...]:
    """The definitions around the position, the outermost first; one that is defined there is not around itself."""
    parsed = target.now.parsed
    if parsed is None:
        return ()
    if target.row is not None:
        return chain(parsed, target.row)[:-1]
    return enclosing_rows(parsed, target.at.line)
