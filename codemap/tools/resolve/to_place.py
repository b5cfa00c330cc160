"""Answers `resolve` for a node ID: the place where its definition is now."""

from __future__ import annotations

from codemap.envelope.answer import Answer
from codemap.facts import Symbol
from codemap.live_queries import Fact, Found, Missed, Place
from codemap.tools.nav.locations import incomplete
from codemap.tools.nav.target import Target, is_mapped
from codemap.tools.places.anchors import Definition, anchor, definitions_at
from codemap.tools.resolve.shown import (
    LISTS,
    Payload,
    find_in_map,
    map_state,
    own_place,
    say_late,
    say_unverified,
    symbol_view,
)
from codemap.tools.tool import Asking, World


def answer_file(world: World, target: Target) -> Answer:
    """A file is where it is: there is nothing to verify but that it is there."""
    parsed = target.now.parsed
    assert parsed is not None, "files without a language have no ID"
    data: Payload = {
        "nodeId": parsed.id_of(0),
        "location": {"file": target.at.file, "line": 1, "col": 1, "endLine": max(1, parsed.cell(0, Symbol.END_LINE))},
        "verified": True,
        **map_state(world, target),
        "inMap": is_mapped(world, target.at.file),
        "symbol": {"name": target.name, "kind": "file"},
    }
    return Answer(data, LISTS)


def answer_place(world: World, target: Target, fact: Fact) -> Asking[Answer]:
    """The place of a definition, compared with what the language server says."""
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
                f"server says {_say_place(places[0])}. The server's place is given."
            )
        case Missed():
            warnings.append(say_unverified(fact, "the place is from a parse of the file as it is now"))
    node_id = parsed.id_of(row)
    if location.get("id") == node_id:
        del location["id"]
    data: Payload = {"nodeId": node_id, "location": location, "verified": verified, **map_state(world, target)}
    if target.is_relocated:
        data["relocated"] = True
    data["inMap"] = find_in_map(world, parsed, row) is not None
    data["symbol"] = symbol_view(parsed, row)
    data["source"] = source
    return Answer(data, LISTS, (*target.notes, *warnings), incomplete=say_late(fact))


def _is_same(place: Place, own: Place) -> bool:
    """Whether a server's place is the name, or holds it and begins with its definition."""
    if place.file != own.file or place.is_external:
        return False
    begin, end, name = (place.line, place.col), (place.end_line, place.end_col), (own.line, own.col)
    return begin == name or (begin <= name < end and place.end_line > place.line)


def _say_place(place: Place) -> str:
    return f"{place.file} line {place.line} col {place.col}"
