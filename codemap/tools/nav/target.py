"""Finds what a call is about: the place of a name in a file as it is now, from a node ID or a rough position.

Rules of the file:
- Nothing is taken for granted: a node ID is looked up in the file as it is now, by name and ordinal, wherever that is.
- A position that is on no name moves to the nearest on its line, then to the symbol around it; the answer says so.
- A word that may be no name (a keyword, a comment) is asked about all the same; `other` is what to ask when that fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import msgspec

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.envelope.near_matches import near
from codemap.facts import Symbol
from codemap.ids import BadNodeId, NodeId, parse_id
from codemap.live_queries import At, Because, Fact, Found, LiveQuestion, Missed, Source, SourceNow
from codemap.tools.node_lookup import find_node, whole_id
from codemap.tools.params import PositionParams
from codemap.tools.places.current_file import FileNow, ask_file, file_now
from codemap.tools.places.paths import file_named, no_such_file
from codemap.tools.places.rows import enclosing_rows, name_place, rows_by_name_place
from codemap.tools.places.words import Chosen, Word, choose, words_of
from codemap.tools.tool import Asking, Disk, World

OTHERS_NAMED = 5
"""Names on the same line that a warning lists."""


class Position(TypedDict, total=False):
    line: int
    col: int


class TargetView(TypedDict, total=False):
    """The member `target` of an answer."""

    name: str
    file: str
    line: int
    col: int
    id: str
    relocated: bool
    snappedFrom: Position


class Target(msgspec.Struct, frozen=True):
    name: str
    at: At
    now: FileNow
    row: int | None = None
    """The definition whose name is there."""
    snapped_from: At | None = None
    """The position that was given, where that is another."""
    note: str = ""
    """What a warning says of that."""
    is_relocated: bool = False
    """Whether it is elsewhere than in the map."""
    other: Target | None = None
    """What may be meant instead."""

    @property
    def notes(self) -> tuple[str, ...]:
        return (self.note,) if self.note else ()


def find_target(world: World, params: PositionParams) -> Asking[Target | Failure]:
    """Finds what the call is about, or why that is unknown."""
    match params:
        case PositionParams(node_id=str() as text, file=msgspec.UNSET, line=msgspec.UNSET, col=1):
            return (yield from _find_by_id(world, text))
        case PositionParams(node_id=msgspec.UNSET, file=str() as file, line=int() as line):
            return (yield from _find_by_position(world, At(file, line, params.col)))
        case PositionParams(node_id=msgspec.UNSET, file=str()):
            return _refuse("line: missing; expected a whole number from 1, with file; or pass nodeId alone.")
        case PositionParams(node_id=str()):
            return _refuse("nodeId: expected either nodeId alone or file and line, got both; leave one of the two out.")
        case _:
            return _refuse("nodeId: missing; expected either nodeId, or file and line (col is optional).")


def shown_target(world: World, target: Target) -> TargetView:
    """The member `target` of an answer."""
    shown: TargetView = {
        "name": target.name,
        "file": target.at.file,
        "line": target.at.line,
        "col": target.at.col,
    }
    parsed = target.now.parsed
    if target.row is not None and parsed is not None and is_mapped(world, target.at.file):
        shown["id"] = parsed.id_of(target.row)
    if target.is_relocated:
        shown["relocated"] = True
    if target.snapped_from is not None:
        shown["snappedFrom"] = {"line": target.snapped_from.line, "col": target.snapped_from.col}
    return shown


def is_mapped(world: World, path: str) -> bool:
    return world.snapshot is not None and path in world.snapshot.by_path


def ask_at(target: Target, question: Callable[[At], LiveQuestion]) -> Asking[tuple[Target, Fact]]:
    """A question about a target, or about the other that it may be where there is nothing to say about the first."""
    target, (fact,) = yield from ask_all_at(target, question)
    return target, fact


def ask_all_at(target: Target, *questions: Callable[[At], LiveQuestion]) -> Asking[tuple[Target, tuple[Fact, ...]]]:
    """The same for several at once; the first decides whether there is something to say."""
    facts = yield tuple(question(target.at) for question in questions)
    if target.other is None or not _is_nothing(facts[0]):
        return target, facts
    other = target.other
    second = yield tuple(question(other.at) for question in questions)
    return (target, facts) if _is_nothing(second[0]) or isinstance(second[0], Missed) else (other, second)


def _is_nothing(fact: Fact) -> bool:
    return (isinstance(fact, Found) and not fact.value) or (
        isinstance(fact, Missed) and fact.because is Because.REFUSED
    )


# -- by node ID -----------------------------------------------------------------------------------------------------


def _find_by_id(world: World, text: str) -> Asking[Target | Failure]:
    whole = text if world.snapshot is None else whole_id(world.snapshot, text)
    if isinstance(whole, Failure):
        return whole
    try:
        wanted = parse_id(whole)
    except BadNodeId as error:
        return Failure(ErrorCode.BAD_NODE_ID, f"{error}.")
    if wanted.is_external:
        return Failure(
            ErrorCode.SYMBOL_NOT_FOUND,
            f"{text} is a package outside the repository: it has no place here.",
            hint=f'map_neighbors {{"nodeId":"{text}","direction":"in"}} lists what uses it.',
        )
    found = yield from locate(world, wanted)
    if isinstance(found, Failure) or found.row != 0:
        return found
    return _refuse(
        f'nodeId: {text} is a file; expected a symbol in it: nav_symbols {{"file":"{wanted.path}"}} lists them.'
    )


def locate(world: World, wanted: NodeId) -> Asking[Target | Failure]:
    """Where the definition of an ID that is not external is now; row 0 for a file."""
    (fact,) = yield (Source(wanted.path),)
    if not isinstance(fact, Found) or not isinstance(fact.value, SourceNow):
        return _refuse_file(world, wanted, fact)
    now = file_now(wanted.path, fact.value)
    parsed = now.parsed
    if parsed is None or parsed.lang != wanted.lang:
        return _refuse_unknown(world, wanted, now)
    row = parsed.rows_by_name.get((wanted.name, wanted.ordinal)) if wanted.name else 0
    if row is None:
        return _refuse_unknown(world, wanted, now)
    line, col = name_place(parsed, row)
    name = parsed.name_of(row) if row else wanted.path.rpartition("/")[2]
    return Target(name, At(wanted.path, line, col), now, row, is_relocated=_is_relocated(world, wanted, line))


def _is_relocated(world: World, wanted: NodeId, line: int) -> bool:
    snapshot = world.snapshot
    node = None if snapshot is None else snapshot.find(str(wanted))
    if snapshot is None or node is None or snapshot.is_file(node):
        return False
    return snapshot.cell(node, Symbol.LINE) != line


def _refuse_file(world: World, wanted: NodeId, fact: Fact) -> Failure:
    snapshot = world.snapshot
    if isinstance(fact, Missed) and fact.because is not Because.NO_FILE:
        return _refuse(f"nodeId: {fact.message}.")
    if snapshot is None:
        return no_such_file(world, wanted.path)
    is_known = wanted.path in snapshot.by_path
    gone = Disk(deleted=frozenset((wanted.path,))) if is_known else Disk()
    failure = find_node(msgspec.structs.replace(world, disk=gone), snapshot, str(wanted))
    assert isinstance(failure, Failure), "a node of a file that is gone, or that never was"
    return failure


def _refuse_unknown(world: World, wanted: NodeId, now: FileNow) -> Failure:
    """No such definition: gone from the file, where the map has it; else never there."""
    snapshot = world.snapshot
    if snapshot is not None:
        known = find_node(world, snapshot, str(wanted))
        if isinstance(known, Failure):
            return known
    parsed = now.parsed
    ids = () if parsed is None else (parsed.id_of(row) for row in range(1, parsed.symbol_count))
    matches = near(str(wanted), ids).matches
    why = "cannot be parsed as it is now" if parsed is None else f"does not define {wanted.name} any more"
    return Failure(
        ErrorCode.SYMBOL_NOT_FOUND,
        f"{wanted.path} {why}.",
        file=wanted.path,
        suggestion=f"Did you mean {matches[0]}?" if matches else None,
        recovery_options=matches,
    )


# -- by position ----------------------------------------------------------------------------------------------------


def _find_by_position(world: World, given: At) -> Asking[Target | Failure]:
    path = file_named(world, given.file)
    if isinstance(path, Failure):
        return path
    now = yield from ask_file(world, path)
    if isinstance(now, Failure):
        return now
    if not now.language:
        return Failure(ErrorCode.LSP_UNAVAILABLE, f"No language is known for {path}.", hint="Read the file instead.")
    if given.line > len(now.lines):
        return _refuse(f"line: {path} has {now.line_count} line(s), got {given.line}.", is_miss=True)
    return _snap(now, At(path, given.line, given.col))


def _snap(now: FileNow, given: At) -> Target | Failure:
    words = words_of(now.lines[given.line - 1])
    places = {} if now.parsed is None else rows_by_name_place(now.parsed)
    defined = {col for line, col in places if line == given.line}
    chosen = choose(words, given.col, now.names, defined)
    around = _find_enclosing(now, given)
    if chosen is None:
        return around or _refuse_position(now, given)

    def target(word: Word, **members: Any) -> Target:
        at = At(given.file, given.line, word.col)
        return Target(word.text, at, now, places.get((at.line, at.col)), **members)

    def moved(word: Word, **members: Any) -> Target:
        return target(word, snapped_from=given, note=_note_move(given, word, chosen), **members)

    if not chosen.is_exact:
        return moved(chosen.word, other=around)
    if not chosen.others:
        is_name = chosen.word.text in now.names or now.parsed is None
        return target(chosen.word, other=None if is_name else around)
    return target(chosen.word, other=moved(chosen.others[0]))


def _find_enclosing(now: FileNow, given: At) -> Target | None:
    rows = enclosing_rows(now.parsed, given.line) if now.parsed is not None else ()
    if not rows or now.parsed is None:
        return None
    line, col = name_place(now.parsed, rows[-1])
    name = now.parsed.name_of(rows[-1])
    note = f"Line {given.line} col {given.col} is on no name: taken as {name}, which is around it, at line {line}."
    return Target(name, At(given.file, line, col), now, rows[-1], snapped_from=given, note=note)


def _note_move(given: At, word: Word, chosen: Chosen) -> str:
    rest = [other for other in (chosen.word, *chosen.others) if other != word][:OTHERS_NAMED]
    names = ", ".join(f"{other.text} (col {other.col})" for other in rest)
    also = f" Also on that line: {names}; pass col to choose." if names else ""
    return f"Line {given.line} col {given.col} is on no known name: taken as {word.text} at col {word.col}.{also}"


def _refuse_position(now: FileNow, given: At) -> Failure:
    parsed = now.parsed
    rows = (
        []
        if parsed is None
        else sorted(range(1, parsed.symbol_count), key=lambda row: _measure_gap(now, row, given.line))
    )
    ids = tuple(parsed.id_of(row) for row in rows[:OTHERS_NAMED]) if parsed is not None else ()
    return Failure(
        ErrorCode.SYMBOL_NOT_FOUND,
        f"Line {given.line} of {given.file} has no name on it, and no symbol is around it.",
        hint=f'nav_symbols {{"file":"{given.file}"}} lists the symbols of the file.',
        file=given.file,
        line=given.line,
        suggestion=f"The nearest symbol is {ids[0]}." if ids else None,
        recovery_options=ids,
    )


def _measure_gap(now: FileNow, row: int, line: int) -> tuple[int, int]:
    assert now.parsed is not None, "rows are of a parsed file"
    return abs(name_place(now.parsed, row)[0] - line), row


def _refuse(message: str, *, is_miss: bool = False) -> Failure:
    return Failure(ErrorCode.BAD_ARGS, message, is_miss=is_miss)
