"""The members, the state of the map and the warnings that both directions of `resolve` share."""

from __future__ import annotations

from typing import TypedDict

from codemap.envelope.answer import CutList
from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.live_queries import Fact, Found, Missed, Place
from codemap.tools.nav.locations import say_incomplete
from codemap.tools.nav.no_answer import failed_part, is_passing
from codemap.tools.nav.target import Target, TargetView
from codemap.tools.places.anchors import Anchor, clip
from codemap.tools.places.rows import name_place, utf16_length
from codemap.tools.tool import World
from codemap.tools.view import ConfidenceName, KindName


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


def own_place(target: Target, parsed: IndexedFile, row: int) -> Place:
    """The place of a definition's name, by the parse."""
    line, col = name_place(parsed, row)
    lines = target.now.lines
    snippet = clip(lines[line - 1].strip()) if line <= len(lines) else ""
    return Place(target.at.file, line, col, line, col + utf16_length(target.name), snippet)


def map_state(world: World, target: Target) -> Payload:
    """Whether the map is of another content of the file, and where it has the definition then."""
    snapshot, parsed = world.snapshot, target.now.parsed
    indexed = None if snapshot is None else snapshot.by_path.get(target.at.file)
    if indexed is None or snapshot is None:
        return {}
    is_stale = not target.now.is_as_in(world)
    state: Payload = {"mapStale": is_stale}
    node = None if parsed is None or not target.row else find_in_map(world, parsed, target.row)
    if is_stale and node is not None:
        line, end = snapshot.cell(node, Symbol.LINE), snapshot.cell(node, Symbol.END_LINE)
        state["mapRange"] = {"line": line, "endLine": end}
    return state


def find_in_map(world: World, file: IndexedFile, row: int) -> int | None:
    """The node of a definition of a file as it is now; None where the map does not have it."""
    return None if world.snapshot is None else world.snapshot.find(file.id_of(row))


def symbol_view(file: IndexedFile, row: int) -> SymbolView:
    """The member `symbol` of an answer; without a signature where the definition has none."""
    symbol: SymbolView = {
        "name": file.name_of(row),
        "kind": SymbolKind(file.cell(row, Symbol.KIND)).name.lower(),
    }
    if signature := file.text_of(row, Symbol.SIGNATURE):
        symbol["signature"] = signature
    return symbol


def say_unverified(fact: Missed, source: str) -> str:
    """Why no server confirms the answer, as sentences; `source` says where it comes from instead."""
    again = " Repeat the call in some seconds to have it verified." if is_passing(fact) else ""
    return f"Not verified ({failed_part(fact)}): {source}.{again}"


def say_late(fact: Fact) -> str:
    """Why the server's word is still to come, as a sentence; empty where it is not."""
    if isinstance(fact, Found):
        return "" if fact.value else say_incomplete(fact.incomplete)
    return f"Not verified: {failed_part(fact)}." if is_passing(fact) else ""
