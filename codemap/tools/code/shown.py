"""The two forms of an answer with code: rows for models, objects for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TypedDict, cast

import msgspec

from codemap.envelope.answer import Answer, CutList, Dropped, Failure, Spare
from codemap.envelope.code_rows import CodeRow, write_code_row
from codemap.facts import Symbol
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import Confidence
from codemap.tools.code.excerpts import Excerpt
from codemap.tools.code.parts import PIECE_PARTS, ROW_PARTS, count_tokens
from codemap.tools.code.related import RELATIONS, Related, Relation, Surroundings, Unlisted
from codemap.tools.code.texts import UTF8, FileText
from codemap.tools.compact import GroupedRows, Row, group_by_file, lines_of, row_place
from codemap.tools.joined_answers import Missing, list_missing
from codemap.tools.partly_parsed import warn_of_errors
from codemap.tools.tool import World
from codemap.tools.view import (
    CONFIDENCE_NAMES,
    ConfidenceName,
    NodeView,
    Site,
    map_incomplete,
    map_warnings,
    node_view,
    stale_files,
)

SIGNATURE_MAX_CHARS = 120
DIGEST_CHARS = 16
"""Hexadecimal digits of a digest that are shown: enough to notice any edit."""
_USERS = frozenset(("callers", "tests"))


class Code(msgspec.Struct, frozen=True):
    """The excerpts that are shown of one definition, or of the imports of its file."""

    file: FileText
    row: int
    excerpts: tuple[Excerpt, ...]

    @property
    def id(self) -> str:
        return self.file.parsed.id_of(self.row)

    @property
    def cut_lines(self) -> tuple[int, int] | None:
        """All lines of a definition of which some are in no excerpt; None where it is shown whole, or the file is
        meant."""
        if not self.row or not self.excerpts:
            return None
        first, last = (self.file.parsed.cell(self.row, cell) for cell in (Symbol.START_LINE, Symbol.END_LINE))
        follow = all(after.first <= before.last + 1 for before, after in pairwise(self.excerpts))
        is_whole = follow and self.excerpts[0].first <= first and self.excerpts[-1].last >= last
        return None if is_whole else (first, last)


class Shown(msgspec.Struct, frozen=True):
    """All that an answer has."""

    world: World
    snapshot: Snapshot
    codes: tuple[Code, ...]
    around: Surroundings
    unlisted: Unlisted
    bodies: tuple[Code, ...]
    failures: Mapping[str, Failure]
    """By what was asked for, of what was not found."""


class Piece(TypedDict, total=False):
    id: str
    file: str
    line: int
    endLine: int
    code: str
    tokens: int
    digest: str
    related: bool


class RelatedView(NodeView, total=False):
    relation: Relation
    via: str
    depth: int
    confidence: ConfidenceName
    sites: list[Site]


class Payload(TypedDict, total=False):
    code: dict[str, list[str]]
    pieces: list[Piece]
    digests: dict[str, str]
    callees: GroupedRows
    types: GroupedRows
    callers: GroupedRows
    tests: GroupedRows
    related: list[RelatedView]
    packages: list[str]
    none: list[Relation]
    undecidedCalls: int
    undecidedUses: int
    bodies: dict[str, list[str]]
    missing: list[Missing]
    staleFiles: list[str]


_REST = "pass the cursor"
_ALL = "map_neighbors lists all"
_NARROW = "leave some of include out, or a smaller depth"
LISTS: tuple[CutList | Spare, ...] = (
    CutList(("bodies",), "further code", "map_code with their IDs", is_grouped=True),
    CutList(("staleFiles",), "stale files", "call map_rebuild"),
    CutList(("packages",), "packages", _NARROW),
    *(CutList((relation,), relation, _NARROW, is_grouped=True) for relation in reversed(RELATIONS)),
    CutList(("missing",), "missing definitions", "ask for fewer"),
    Spare(("digests",), "digests", "rows:full"),
    CutList(("code",), "pieces of code", _REST, is_grouped=True, parts=ROW_PARTS),
)
FULL_LISTS: tuple[CutList | Spare, ...] = (
    CutList(("staleFiles",), "stale files", "call map_rebuild"),
    CutList(("packages",), "packages", _NARROW),
    CutList(("related",), "related definitions", _NARROW),
    CutList(("missing",), "missing definitions", "ask for fewer"),
    CutList(("pieces",), "pieces of code", _REST, parts=PIECE_PARTS),
)


def compact_answer(shown: Shown) -> Answer:
    """Rows by definition or file."""
    data: Payload = {"code": code_texts(shown.codes), "digests": dict(_collect_digests(shown.codes))}
    for relation in shown.around.of:
        if rows := related_rows(shown.snapshot, shown.around, relation):
            data[relation] = rows
    if nothing := [relation for relation, some in shown.around.of.items() if not some]:
        data["none"] = nothing
    _add_common(shown, data)
    if shown.bodies:
        data["bodies"] = code_texts(shown.bodies)
    return _answer(shown, data, LISTS)


def full_answer(shown: Shown) -> Answer:
    """An object for each excerpt and each related definition."""
    data: Payload = {"pieces": code_pieces(shown.codes, shown.bodies)}
    if related := related_views(shown.world, shown.snapshot, shown.around):
        data["related"] = related
    _add_common(shown, data)
    return _answer(shown, data, FULL_LISTS)


def _add_common(shown: Shown, data: Payload) -> None:
    if shown.unlisted.packages:
        data["packages"] = list(shown.unlisted.packages)
    if shown.unlisted.undecided:
        data["undecidedCalls"] = shown.unlisted.undecided
    if shown.unlisted.undecided_uses:
        data["undecidedUses"] = shown.unlisted.undecided_uses
    if shown.failures:
        data["missing"] = list_missing(shown.failures)
    if any(shown.around.of.values()) and (stale := stale_files(shown.world)):
        data["staleFiles"] = stale


def _answer(shown: Shown, data: Payload, lists: tuple[CutList | Spare, ...]) -> Answer:
    around = any(shown.around.of.values())
    warnings = map_warnings(shown.world, shown.snapshot) if around else []
    warnings += [
        f"{file.path} is not UTF-8: its code is shown as {file.text.encoding} reads it."
        for file in {code.file.path: code.file for code in (*shown.codes, *shown.bodies)}.values()
        if file.text.encoding != UTF8
    ]
    for count, what in (
        (shown.unlisted.undecided, "call(s) in this code"),
        (shown.unlisted.undecided_uses, "use(s) that may mean it"),
    ):
        if count:
            warnings.append(f"{count} {what} could not be decided and are in no list: map_neighbors has them.")
    files = {code.file.path for code in (*shown.codes, *shown.bodies)}
    for path in sorted(files):
        warnings += warn_of_errors(shown.snapshot.by_path.get(path))
    files |= {shown.snapshot.row_of(one.node)[0].path for some in shown.around.of.values() for one in some}
    incomplete = map_incomplete(shown.world, shown.snapshot) if around else ""
    beyond = tuple(Dropped(relation, count, _ALL) for relation, count in shown.around.beyond.items() if count)
    return Answer(data, lists, tuple(warnings), beyond, incomplete=incomplete, rests_on=frozenset(files))


def code_texts(codes: Iterable[Code]) -> dict[str, list[str]]:
    """The excerpts by ID without the language, each after its lines; of a definition that is not whole, the first also
    says from where to where it goes."""
    found: dict[str, list[str]] = {}
    for code in codes:
        rows = found.setdefault(code.id.partition(":")[2], [])
        rows += [
            write_code_row(CodeRow((one.first, one.last), one.text, None if place else code.cut_lines))
            for place, one in enumerate(code.excerpts)
        ]
    return found


def code_pieces(codes: Iterable[Code], related: Iterable[Code] = ()) -> list[Piece]:
    """An object for each excerpt; those of related definitions last, and marked."""
    pieces = [_show_piece(code, one) for code in codes for one in code.excerpts]
    return pieces + [_show_piece(code, one) | {"related": True} for code in related for one in code.excerpts]


def related_rows(snapshot: Snapshot, around: Surroundings, relation: Relation) -> GroupedRows:
    """The rows of one relation, by file."""
    return group_by_file(_show_row(snapshot, one, relation) for one in around.of.get(relation, ()))


def related_views(world: World, snapshot: Snapshot, around: Surroundings) -> list[RelatedView]:
    """An object for each related definition."""
    return [_show_related(world, snapshot, one, relation) for relation, some in around.of.items() for one in some]


def _collect_digests(codes: Iterable[Code]) -> dict[str, str]:
    return {code.file.path: code.file.digest.hex()[:DIGEST_CHARS] for code in codes}


def _show_piece(code: Code, one: Excerpt) -> Piece:
    return {
        "id": code.id,
        "file": code.file.path,
        "line": one.first,
        "endLine": one.last,
        "code": one.text,
        "tokens": count_tokens(one.text),
        "digest": code.file.digest.hex()[:DIGEST_CHARS],
    }


def _show_row(snapshot: Snapshot, one: Related, relation: Relation) -> Row:
    """The row of a related definition: its line and signature where it is used, the lines of the uses where it is a
    user."""
    file, name = row_place(snapshot, one.node)
    words = [f"depth {one.depth}"] if one.depth > 1 else []
    words += [f"via {snapshot.qualified_name_of(one.via)}"] if one.via >= 0 else []
    words += [CONFIDENCE_NAMES[one.confidence]] if one.confidence >= Confidence.NAME else []
    if relation in _USERS:
        return Row(file, name, lines_of(one.sites, has_columns=False), words)
    signature = snapshot.text_of(one.node, Symbol.SIGNATURE)
    if len(signature) > SIGNATURE_MAX_CHARS:
        signature = f"{signature[:SIGNATURE_MAX_CHARS].rstrip()}…"
    return Row(file, name, [str(snapshot.cell(one.node, Symbol.LINE))], [*words, *([signature] if signature else [])])


def _show_related(world: World, snapshot: Snapshot, one: Related, relation: Relation) -> RelatedView:
    sites: list[Site] = [{"line": line, "col": col} for line, col in one.sites]
    own: RelatedView = {
        "relation": relation,
        "depth": one.depth,
        "confidence": CONFIDENCE_NAMES[one.confidence],
        "sites": sites,
    }
    if one.via >= 0:
        own["via"] = snapshot.id_of(one.via)
    return cast("RelatedView", {**node_view(world, snapshot, one.node), **own})
