"""Explains why a language server has no answer: the error of the contract, and what to do instead.

`instead` is the call of a map tool that comes nearest to what was asked, written out.
"""

from __future__ import annotations

import json
from typing import Any, assert_never

import msgspec

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.facts import Symbol, SymbolKind
from codemap.languages import by_name
from codemap.live_queries import At, Because, Missed
from codemap.tools.nav.map_meaning import map_meaning
from codemap.tools.nav.target import Target, is_mapped
from codemap.tools.places.rows import name_place
from codemap.tools.tool import World

STDERR_MAX_CHARS = 600
"""Of the end of stderr; `map_status` has more."""


def fail_first(fact: Missed, instead: str, about: Target | None = None) -> Failure:
    """The failure of a call whose first question has no answer."""
    language = by_name().get(fact.language)
    code, message = _explain(fact, language.title if language else "this language")
    way = f"To have one: {fact.hint.rstrip('.')}. " if fact.hint else ""
    return Failure(
        code,
        message,
        hint=f"{way}{_suggest(fact.because)}: {instead}.",
        language=fact.language or None,
        file=None if about is None else about.at.file,
        line=None if about is None else about.at.line,
        extras={"stderrTail": fact.stderr_tail[-STDERR_MAX_CHARS:]} if fact.stderr_tail else {},
    )


def _explain(fact: Missed, title: str) -> tuple[ErrorCode, str]:
    why = f": {fact.message.rstrip('.')}." if fact.message else "."
    match fact.because:
        case Because.UNAVAILABLE:
            return ErrorCode.LSP_UNAVAILABLE, f"There is no language server for {title} here{why}"
        case Because.UNSUPPORTED:
            return ErrorCode.LSP_UNAVAILABLE, f"The language server for {title} cannot be asked this{why}"
        case Because.FAILED:
            return ErrorCode.LSP_FAILED, f"The language server for {title} failed{why}"
        case Because.REFUSED:
            return ErrorCode.LSP_FAILED, f"The language server for {title} refused to answer{why}"
        case Because.TIMEOUT:
            return ErrorCode.LSP_TIMEOUT, f"The language server for {title} is up and gave no answer in time{why}"
        case Because.NOT_READY:
            return ErrorCode.LSP_TIMEOUT, f"The language server for {title} is still loading the project{why}"
        case Because.NO_FILE:
            return ErrorCode.FILE_DELETED, f"The file cannot be read any more{why}"
        case _:
            assert_never(fact.because)


def _suggest(because: Because) -> str:
    match because:
        case Because.TIMEOUT | Because.NOT_READY:
            return "Repeat in some seconds, or take meanwhile, from the map"
        case Because.UNAVAILABLE:
            return "Until then, from the map"
        case _:
            return "From the map"


def failed_part(fact: Missed) -> str:
    """A warning that a part of the answer is missing, as a clause."""
    return fact.message.rstrip(".") or fact.because.value


def is_passing(fact: Missed) -> bool:
    """Whether the same call may have an answer in some seconds."""
    return fact.because in (Because.TIMEOUT, Because.NOT_READY)


# -- calls of map tools ---------------------------------------------------------------------------------------------


def neighbors_call(world: World, target: Target, direction: str, *kinds: str, **others: Any) -> str:
    """`map_neighbors` around what a target means, as the map has it; a search for its name where it has nothing."""
    node_id = mapped_id(world, target)
    if not node_id:
        return search_call(target.name)
    of_kinds = {"edgeKinds": list(kinds)} if kinds else {}
    return write_down("map_neighbors", {"nodeId": node_id, "direction": direction, **of_kinds, **others})


def owner_call(world: World, target: Target, direction: str, *kinds: str) -> str:
    """As `neighbors_call`, for a method of its class: the map has inheritance between classes only."""
    parsed, row = target.now.parsed, target.row
    if parsed is not None and row and parsed.cell(row, Symbol.KIND) == SymbolKind.METHOD:
        owner = parsed.cell(row, Symbol.PARENT)
        line, col = name_place(parsed, owner)
        at = At(target.at.file, line, col)
        target = msgspec.structs.replace(target, name=parsed.name_of(owner), at=at, row=owner)
    return neighbors_call(world, target, direction, *kinds)


def search_call(name: str) -> str:
    return write_down("map_search", {"query": name if len(name) > 1 else f"{name} "})


def write_down(tool: str, arguments: dict[str, Any]) -> str:
    return f"{tool} {json.dumps(arguments, separators=(',', ':'), ensure_ascii=False)}"


def mapped_id(world: World, target: Target) -> str:
    """The node that a target defines or, as far as the map knows, uses; empty where it does not know."""
    parsed = target.now.parsed
    if parsed is not None and target.row is not None and is_mapped(world, target.at.file):
        return parsed.id_of(target.row)
    meaning = map_meaning(world, target.now, target.at)
    return "" if meaning is None or world.snapshot is None else world.snapshot.id_of(meaning.node)
