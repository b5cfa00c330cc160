"""`map_code`: the source of definitions as it is on disk now, with what it depends on and who depends on it.

    {"code": {"app/store.py#Store.get": ["12-31\n    def get(self, key): …"]},
     "callees": {"app/keys.py": ["checked 8 def checked(key: str) -> str"]},
     "bodies": {"app/keys.py#checked": ["8-15\ndef checked(key: str) -> str: …"]}}

A text in compact rows is the range of lines, a line feed, and the lines themselves, verbatim; `8-15 of 8-90` where that
is not all of the definition. What was asked for comes first, then the signatures of what is related to it, then as
much of the code of that as there is room for.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from codemap.envelope.answer import Failure
from codemap.envelope.errors import ErrorCode
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import overloads_of
from codemap.ids import NodeId, parse_id
from codemap.tools.code.excerpts import (
    Excerpt,
    header,
    innermost_around,
    is_long,
    lines_of_definition,
    skeleton,
    split,
)
from codemap.tools.code.imported import import_excerpts
from codemap.tools.code.related import Surroundings, find_surroundings, find_unlisted
from codemap.tools.code.shown import Code, Payload, Shown, compact_answer, full_answer
from codemap.tools.code.texts import FileText, ask_definitions, ask_syntax, ask_texts
from codemap.tools.names.namesakes import few_namesakes
from codemap.tools.nav.target import locate
from codemap.tools.node_lookup import whole_id
from codemap.tools.params import DEPTH_MOST, MapParams, NodeIdText, Rows
from codemap.tools.tool import Asking, Replied, Spans, Tool, World
from codemap.tools.view import not_built

IDS_MAX = 20
NAMESAKES_MAX = 4
"""Of so many definitions that one name may mean the code of each is shown."""
BODIES_MAX = 12
"""Definitions beside those asked for, whose code is read: more than a reply holds."""

Detail = Literal["full", "body", "skeleton", "signature"]
Included = Literal["callees", "callers", "types", "imports", "tests"]


class Params(MapParams, frozen=True, kw_only=True):
    node_ids: Annotated[tuple[NodeIdText, ...], Meta(min_length=1, max_length=IDS_MAX)]
    detail: Annotated[Detail, Meta(description="body: without the comment above")] = "full"
    include: Annotated[tuple[Included, ...], Meta(max_length=len(get_args(Included)))] = ()
    depth: Annotated[int, Meta(ge=0, le=DEPTH_MOST)] = 1
    rows: Rows = "compact"


_RANGE = re.compile(r"(.+):(\d{1,7})-(\d{1,7})")
"""Some lines of a file: `app/store.py:12-31`."""


class _Wanted(msgspec.Struct, frozen=True):
    """A definition that was asked for, found in its file as it is now."""

    id: NodeId
    file: FileText
    row: int
    lines: tuple[int, int] | None = None
    """The lines of it that alone were asked for."""


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """The code of some definitions, then what is related to them."""
    if world.snapshot is None:
        return not_built(world)
    return _answer_found(world, world.snapshot, params)


def _answer_found(world: World, snapshot: Snapshot, params: Params) -> Asking[Replied]:
    wanted, failures = yield from _find(world, snapshot, params.node_ids)
    wanted = list({(one.id, one.lines): one for some in wanted for one in _add_overloads(snapshot, some)}.values())
    if not wanted:
        return next(iter(failures.values()))
    nodes = [node for one in wanted if (node := snapshot.node_of(one.id)) is not None]
    around = find_surroundings(snapshot, nodes, params.include, min(params.depth, world.limits.depth_max))
    unlisted = find_unlisted(snapshot, nodes, around.of)
    codes = yield from _read_code(wanted, params)
    bodies = yield from _read_bodies(snapshot, around)
    shown = Shown(world, snapshot, tuple(codes), around, unlisted, tuple(bodies), failures)
    return compact_answer(shown) if params.rows == "compact" else full_answer(shown)


def _find(world: World, snapshot: Snapshot, texts: tuple[str, ...]) -> Asking[tuple[list[_Wanted], dict[str, Failure]]]:
    """Finds what was asked for, each once, and why the rest is not there."""
    ids: dict[str, NodeId] = {}
    failures: dict[str, Failure] = {}
    ranges: dict[str, tuple[int, int]] = {}
    for text in texts:
        of_file = _RANGE.fullmatch(text)
        whole = whole_id(snapshot, text if of_file is None else of_file[1])
        if of_file is not None and not isinstance(whole, Failure) and not parse_id(whole).name:
            ranges[text] = int(of_file[2]), int(of_file[3])
        if not isinstance(whole, Failure):
            ids[text] = parse_id(whole)
        elif meant := few_namesakes(snapshot, text):
            ids.update((one, parse_id(one)) for one in map(snapshot.id_of, meant))
        else:
            failures[text] = whole
    files = yield from ask_texts(one.path for one in ids.values() if not one.is_external)
    found: dict[str, _Wanted] = {}
    for text, one in ids.items():
        if one.is_external:
            failures[text] = _refuse(text)
            continue
        file = files.get(one.path)
        row = None if file is None else _find_row(snapshot, file, one)
        if file is None or row is None or file.parsed.lang != one.lang:
            target = yield from locate(world, one)
            failures[text] = target if isinstance(target, Failure) else _refuse(text)
        else:
            found[text] = _find_lines(file, *ranges[text]) if text in ranges else _Wanted(one, file, row)
    return list(found.values()), failures


def _find_lines(file: FileText, first: int, last: int) -> _Wanted:
    """Lines of a file, as far as it has them, in the innermost definition around all of them."""
    last = max(1, min(last, len(file.text.lines)))
    first = max(1, min(first, last))
    row = innermost_around(file.parsed, first, last)
    return _Wanted(parse_id(file.parsed.id_of(row)), file, row, (first, last))


def _add_overloads(snapshot: Snapshot, one: _Wanted) -> list[_Wanted]:
    """The definitions that an ID without an ordinal means: all overloads of the name in the file as it is now."""
    node = snapshot.node_of(one.id)
    if one.lines is not None or one.id.ordinal > 1 or node is None or snapshot.is_file(node):
        return [one]
    ids = [parse_id(snapshot.id_of(other)) for other in overloads_of(snapshot, node)]
    rows = {other: _find_row(snapshot, one.file, other) for other in ids if other.path == one.file.path}
    return [one, *(_Wanted(other, one.file, row) for other, row in rows.items() if row)]


def _find_row(snapshot: Snapshot, file: FileText, one: NodeId) -> int | None:
    """The row of a definition in its file as it is now; the map has the names at hand where the file is as it was."""
    if not one.name:
        return 0
    indexed = snapshot.by_path.get(file.path)
    if indexed is None or indexed.stamp.digest != file.digest:
        indexed = file.parsed
    return indexed.rows_by_name.get((one.name, one.ordinal))


def _refuse(text: str) -> Failure:
    return Failure(ErrorCode.SYMBOL_NOT_FOUND, f"{text} has no code here: it lies outside, or cannot be parsed.")


def _read_code(wanted: list[_Wanted], params: Params) -> Asking[list[Code]]:
    """The excerpts of what was asked for, then the imports that they need. Where the parts of a definition lie is asked
    only where something is to be left out or split."""
    has_comment = params.detail == "full"
    lines = [
        one.lines or lines_of_definition(one.file.parsed, one.row, one.file.text, has_comment=has_comment)
        for one in wanted
    ]
    is_partial = params.detail in ("skeleton", "signature") or "imports" in params.include
    long = [one for one, its in zip(wanted, lines, strict=True) if is_long(one.file.text, its)]
    parted = [(one.file, one.row) for one in long if params.detail in ("full", "body")]
    if "imports" in params.include:
        parted += [(one.file, 0) for one in wanted]  # statements of the file
    syntax = yield from ask_syntax((one.file for one in (wanted if is_partial else long)), parted)
    codes: list[Code] = []
    for one, its in zip(wanted, lines, strict=True):
        known = syntax.get(one.file.path)
        if known is None or params.detail in ("full", "body") or one.lines is not None:
            borders = known.borders_of(one.row) if known is not None else ()
            excerpts = list(split(one.file.text, its, borders))
        elif params.detail == "skeleton" or not one.row:
            excerpts = skeleton(one.file.text, one.file.parsed, one.row, known)
        else:
            excerpts = [header(one.file.text, one.file.parsed, one.row, known.definitions[one.row])]
        codes.append(Code(one.file, one.row, tuple(excerpts)))
    if "imports" in params.include:
        codes += _read_imports(codes, {path: one.borders_of(0) for path, one in syntax.items()})
    return codes


def _read_imports(codes: list[Code], borders: dict[str, tuple[tuple[int, int], ...]]) -> list[Code]:
    by_file: dict[str, list[Code]] = {}
    for code in codes:
        by_file.setdefault(code.file.path, []).append(code)
    found = []
    for path, some in by_file.items():
        excerpts: list[Excerpt] = [one for code in some for one in code.excerpts]
        taken = [(one.first, one.last) for one in excerpts]
        needed = tuple(import_excerpts(some[0].file, (one.text for one in excerpts), taken, borders.get(path, ())))
        if needed:
            found.append(Code(some[0].file, 0, needed))
    return found


def _read_bodies(snapshot: Snapshot, around: Surroundings) -> Asking[list[Code]]:
    """The code of what is called and of the types that are named, nearest first, of those that are not too long."""
    nearest = sorted(
        (one for relation in ("callees", "types") for one in around.of.get(relation, ())), key=lambda one: one.depth
    )
    found = []
    for file, row in (yield from ask_definitions(snapshot, (one.node for one in nearest[:BODIES_MAX]))):
        lines = lines_of_definition(file.parsed, row, file.text, has_comment=False)
        if not is_long(file.text, lines):
            found.append(Code(file, row, (file.text.excerpt(*lines),)))
    return found


TOOL = Tool(
    name="map_code",
    command="code",
    title="Code of definitions",
    description=(
        "Source of definitions, or lines (a.py:12-31), verbatim, with what they call, name, import, and who calls or "
        "tests them. Use instead of reading files."
    ),
    params=Params,
    payload=Payload,
    answer=answer,
    spans_roots=Spans.ALWAYS,
)
