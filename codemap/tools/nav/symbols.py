"""`nav_symbols`: the outline of one file as it is now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

import msgspec

from codemap.envelope.answer import Answer, CutList, Failure
from codemap.envelope.errors import ErrorCode
from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.live_queries import Found, Missed, Named, Outline
from codemap.tools.compact import GroupedRows, Row, group_by_file, most_common
from codemap.tools.nav.compact import import_lines
from codemap.tools.nav.kinds import LiveKindName
from codemap.tools.nav.locations import Source, empty_because, incomplete, say_incomplete, source_members
from codemap.tools.nav.no_answer import fail_first, failed_part, search_call
from codemap.tools.nav.target import is_mapped
from codemap.tools.params import Rows, ToolParams
from codemap.tools.places.current_file import FileNow, ask_file
from codemap.tools.places.paths import file_named
from codemap.tools.places.rows import row_of_place, rows_by_name_place
from codemap.tools.tool import Asking, Replied, Tool, World

_FUNCTIONS = ("function", "method")
_LAST = re.compile(r"(?:\[[^\[\]]+\]|[^.]*)\Z")
"""The last part of a qualified name: `refresh`, `[Symbol.iterator]`."""

PARSE = "parse"
"""The source of an outline that no server gave."""


class Params(ToolParams, frozen=True, kw_only=True):
    file: str
    rows: Rows = "compact"


class SymbolView(TypedDict, total=False):
    name: str
    kind: LiveKindName
    id: str
    line: int
    endLine: int
    children: list[SymbolView]
    continued: bool


class Nested(Source, total=False):
    file: str
    symbols: list[SymbolView] | GroupedRows


class Omitted(TypedDict, total=False):
    """The number of symbols that compact rows leave out."""

    imports: int
    locals: int
    """What is inside functions, and is not in the map."""


class Payload(Nested, total=False):
    kind: LiveKindName
    """Of the rows that say none."""
    omitted: Omitted


KEY = ("name", "kind", "id", "line")
NOTE = "call nav_type or map_neighbors with the id of the one that matters"
LISTS = (
    CutList(("symbols", "*", "children", "*", "children", "*", "children"), "symbols of the fourth level", NOTE),
    CutList(("symbols", "*", "children", "*", "children"), "symbols of the third level", NOTE),
    CutList(("symbols", "*", "children"), "members", NOTE, key=KEY),
    CutList(("symbols",), "symbols", NOTE, key=KEY),
)
COMPACT_LISTS = (CutList(("symbols",), "symbols", NOTE, is_grouped=True),)


def answer(world: World, params: Params) -> Asking[Replied]:
    """The symbols that the server finds; without one, those that codemap itself parses out of the file."""
    path = file_named(world, params.file)
    if isinstance(path, Failure):
        return path
    now = yield from ask_file(world, path)
    if isinstance(now, Failure):
        return now
    if not now.language:
        return Failure(ErrorCode.LSP_UNAVAILABLE, f"No language is known for {path}.", hint="Read the file instead.")
    (fact,) = yield (Outline(path),)
    if isinstance(fact, Missed) and now.parsed is None:
        return fail_first(fact, search_call(path.rpartition("/")[2]))
    whole = (
        _show_server_symbols(world, now, fact) if isinstance(fact, Found) else _show_parsed_symbols(world, now, fact)
    )
    return whole if params.rows == "full" else _show_compact(now, whole)


def _show_compact(now: FileNow, whole: Answer) -> Answer:
    """The same in rows: what is in the file itself, then the members of each owner, by the beginning of their
    names. The kind of most is said once."""
    imported = frozenset() if now.parsed is None else import_lines(now.parsed)
    found = list(_flatten(whole.data["symbols"], ""))
    flat = [(owner, view) for owner, view, around in found if not _say_omitted(view, imported, in_function=around)]
    omitted = Counter(_say_omitted(view, imported, in_function=around) for _, view, around in found)
    del omitted[""]
    kind = most_common(view["kind"] for _, view in flat)
    symbols = group_by_file(_show_row_text(owner, view, kind) for owner, view in flat)
    head = {"file": whole.data["file"], **({"kind": kind} if kind else {}), "symbols": symbols}
    head |= {"omitted": dict(omitted)} if omitted else {}
    members = head | {name: value for name, value in whole.data.items() if name not in (*head, "language")}
    return msgspec.structs.replace(whole, data=members, lists=COMPACT_LISTS)


def _flatten(
    views: Iterable[SymbolView], owner: str, *, in_function: bool = False
) -> Iterator[tuple[str, SymbolView, bool]]:
    """Each symbol with the beginning of its qualified name and whether it is in a function, those of the file first."""
    below = list(views)
    yield from ((_name_owner(view, owner), view, in_function) for view in below)
    for view in below:
        inside = in_function or view["kind"] in _FUNCTIONS
        yield from _flatten(view.get("children", ()), f"{_name_owner(view, owner)}{view['name']}.", in_function=inside)


def _say_omitted(view: SymbolView, imported: Container[int], *, in_function: bool) -> str:
    """Names what compact rows leave it out as; empty where they show it, whatever the map knows."""
    if "id" in view:
        return ""
    return "locals" if in_function else "imports" if view["line"] in imported else ""


def _name_owner(view: SymbolView, owner: str) -> str:
    """The owner of a symbol by its ID, else by the outline: servers may list a method beside its class."""
    qualified = view.get("id", "").partition("#")[2]
    return _LAST.sub("", qualified) if qualified else owner


def _show_row_text(owner: str, view: SymbolView, kind: str) -> Row:
    last = _LAST.search(view.get("id", "").partition("#")[2])
    name = (last and last[0]) or view["name"]
    lines = f"{view['line']}-{view['endLine']}" if view["endLine"] > view["line"] else str(view["line"])
    return Row(owner, name, (lines,), () if view["kind"] == kind else (view["kind"],))


def _show_server_symbols(world: World, now: FileNow, fact: Found) -> Answer:
    file = now.parsed if is_mapped(world, now.path) else None
    names = {} if file is None else rows_by_name_place(file)
    data: Nested = {
        "file": now.path,
        "symbols": _show_all_named(file, names, fact.value),
        **source_members(fact, now.language),
    }
    if not data["symbols"]:
        data["emptyBecause"] = empty_because(fact)
    return Answer(data, LISTS, incomplete(fact), incomplete=say_incomplete(fact.incomplete))


def _show_all_named(
    file: IndexedFile | None, names: dict[tuple[int, int], int], found: Sequence[Named]
) -> list[SymbolView]:
    return [_show_named(file, names, named) for named in sorted(found, key=lambda one: (one.place.line, one.place.col))]


def _show_named(file: IndexedFile | None, names: dict[tuple[int, int], int], named: Named) -> SymbolView:
    shown: SymbolView = {"name": named.name, "kind": named.kind.value}
    row = None if file is None else row_of_place(file, names, named.place)
    if file is not None and row:
        shown["id"] = file.id_of(row)
    shown["line"] = named.place.line
    shown["endLine"] = max(named.place.end_line, named.whole.end_line)
    if named.children:
        shown["children"] = _show_all_named(file, names, named.children)
    return shown


def _show_parsed_symbols(world: World, now: FileNow, fact: Missed) -> Answer:
    assert now.parsed is not None, "without a parse there is nothing to show"
    children: dict[int, list[int]] = {}
    for row in range(1, now.parsed.symbol_count):
        children.setdefault(now.parsed.cell(row, Symbol.PARENT), []).append(row)
    symbols = _show_rows(now.parsed, children, children.get(0, ()), has_ids=is_mapped(world, now.path))
    data: Nested = {"file": now.path, "symbols": symbols, "source": PARSE, "language": now.language}
    if not symbols:
        data["emptyBecause"] = "none"
    why = f"The language server gave no outline ({failed_part(fact)}): this is codemap's own parse of the file now."
    return Answer(data, LISTS, (why,))


def _show_rows(
    file: IndexedFile, children: Mapping[int, Sequence[int]], rows: Sequence[int], *, has_ids: bool
) -> list[SymbolView]:
    return [_show_row(file, children, row, has_ids=has_ids) for row in rows]


def _show_row(file: IndexedFile, children: Mapping[int, Sequence[int]], row: int, *, has_ids: bool) -> SymbolView:
    shown: SymbolView = {
        "name": file.name_of(row),
        "kind": SymbolKind(file.cell(row, Symbol.KIND)).name.lower(),
    }
    if has_ids:
        shown["id"] = file.id_of(row)
    shown["line"] = file.cell(row, Symbol.LINE)
    shown["endLine"] = file.cell(row, Symbol.END_LINE)
    if row in children:
        shown["children"] = _show_rows(file, children, children[row], has_ids=has_ids)
    return shown


TOOL = Tool(
    name="nav_symbols",
    command="symbols",
    title="Outline of a file",
    description="Outline of one file, with lines. Before you read the file.",
    params=Params,
    payload=Payload,
    answer=answer,
)
