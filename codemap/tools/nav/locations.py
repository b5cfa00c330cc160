"""The answer of tools that give places: target, locations, how many, from whom, and how complete that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from codemap.envelope.answer import Answer, CutList
from codemap.live import Doubt, Found, Place
from codemap.tools.nav.anchors import Anchor, anchor, by_worth, definitions_at
from codemap.tools.nav.target import Target, TargetView, shown_target
from codemap.tools.tool import Asking, World
from codemap.tools.view import EmptyBecause


class Source(TypedDict, total=False):
    """Who said it, whether that may be less than there is, and why there is nothing."""

    source: str
    language: str
    complete: bool
    emptyBecause: EmptyBecause


class Payload(Source, total=False):
    target: TargetView
    locations: list[Anchor]
    total: int


def locations(note: str) -> CutList:
    return CutList(("locations",), "locations", note)


def located(
    world: World,
    target: Target,
    fact: Found,
    places: Sequence[Place],
    note: str,
    warnings: Sequence[str] = (),
    further: str = "",
) -> Asking[Answer]:
    """The answer that shows these places; `note` says how a call can ask for fewer, `further` what the map has beside
    them."""
    ordered = by_worth(world, places, target.at.file)
    held = {target.at.file: target.now.parsed} if target.now.parsed is not None else {}
    definitions = yield from definitions_at(world, ordered, held)
    data: Payload = {
        "target": shown_target(world, target),
        "locations": [anchor(place, definition) for place, definition in zip(ordered, definitions, strict=True)],
        "total": len(ordered),
        **told_of(fact, target.now.language),
    }
    if further:
        data["complete"] = False
    if not ordered:
        data["emptyBecause"] = empty_because(fact, further)
    told = (*target.notes, *incomplete(fact), *warnings)
    return Answer(data, (locations(note),), told, incomplete=" ".join(filter(None, (more(fact.incomplete), further))))


def told_of(fact: Found, language: str) -> Source:
    told: Source = {"source": fact.server or "lsp", "language": language}
    if fact.incomplete:
        told["complete"] = False
    return told


def more(why: str) -> str:
    """That there may be more, as a sentence, where there is a reason for it."""
    return f"There may be more: {why.rstrip('.')}." if why else ""


def incomplete(told: Found | Doubt) -> tuple[str, ...]:
    """The same as a warning, with what to do."""
    way = "Repeating the call does not change that: map_* tools see all files."
    if not told.is_lasting:
        way = "Repeat the call in some seconds."
    return (f"{more(told.incomplete)} {way}",) if told.incomplete else ()


def empty_because(told: Found | Doubt, further: str = "") -> str:
    """Why a server's list is empty; `further` is what the map has nevertheless."""
    if told.incomplete:
        return "notIndexed" if told.is_lasting else "serverNotReady"
    return "unresolved" if further else "none"
