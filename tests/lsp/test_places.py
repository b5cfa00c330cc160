"""Results of every form, from the bytes of an answer to codemap's own places."""

from __future__ import annotations

from typing import Any

import pytest

from codemap.live_queries import (
    At,
    CallItem,
    CallLink,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Hover,
    Implementations,
    Kind,
    LiveQuestion,
    Named,
    Outline,
    Place,
    References,
    WorkspaceSymbols,
)
from codemap.lsp.events import Answered
from codemap.lsp.kinds import kind_of
from codemap.lsp.places import covers, files_of, place
from codemap.lsp.positions import Encoding, Lines
from codemap.lsp.results import Unplaced
from tests.lsp.peer import CAPABILITIES, answer, said, welcomed

AT = At("a.xx", 2, 3)
TEXTS = {
    "a.xx": Lines("first\n  é😀 second\nthird\n"),
    "dir/b c.xx": Lines("\tdef make(): pass\r\n"),
}


def span(line: int, start: int, end: int, end_line: int | None = None) -> dict[str, Any]:
    last = line if end_line is None else end_line
    return {"start": {"line": line, "character": start}, "end": {"line": last, "character": end}}


def result_of(question: LiveQuestion, result: Any, encoding: Encoding = Encoding.UTF_16) -> Unplaced:
    session = welcomed(CAPABILITIES | {"positionEncoding": encoding.value})
    (event,) = session.receive(answer(session.ask(question, "  é😀 second"), result))
    assert isinstance(event, Answered)
    assert isinstance(event.result, Unplaced), event
    return event.result


def placed(question: LiveQuestion, result: Any, encoding: Encoding = Encoding.UTF_16) -> Any:
    unplaced = result_of(question, result, encoding)
    return place(unplaced, {file: TEXTS[file] for file in files_of(unplaced) & TEXTS.keys()})


A = "file:///project/a.xx"
B = "file:///project/dir/b%20c.xx"
SECOND = Place("a.xx", 2, 7, 2, 13, "é😀 second")
MAKE = Place("dir/b c.xx", 1, 6, 1, 10, "def make(): pass")


# -- questions in the server's units --------------------------------------------------------------------------------


@pytest.mark.parametrize(("encoding", "character"), [(Encoding.UTF_8, 9), (Encoding.UTF_16, 6), (Encoding.UTF_32, 5)])
def test_positions_go_out_in_the_units_of_the_server(encoding: Encoding, character: int) -> None:
    session = welcomed(CAPABILITIES | {"positionEncoding": encoding.value})
    session.ask(Definition(At("dir/a b.xx", 2, 7)), "  é😀 second")
    assert said(session)[0]["params"] == {
        "textDocument": {"uri": "file:///project/dir/a%20b.xx"},
        "position": {"line": 1, "character": character},
    }


@pytest.mark.parametrize(
    ("at", "position"),
    [
        (At("a.xx", 2, 100), {"line": 1, "character": 12}),
        (At("a.xx", 2, 0), {"line": 1, "character": 0}),
        (At("a.xx", 0, -3), {"line": 0, "character": 0}),
    ],
)
def test_positions_outside_are_moved(at: At, position: dict[str, int]) -> None:
    session = welcomed()
    session.ask(Hover(at), "  é😀 second")
    assert said(session)[0]["params"]["position"] == position


@pytest.mark.parametrize(
    ("question", "method", "rest"),
    [
        (Definition(AT), "textDocument/definition", {}),
        (Implementations(AT), "textDocument/implementation", {}),
        (Hover(AT), "textDocument/hover", {}),
        (CallRoots(AT), "textDocument/prepareCallHierarchy", {}),
        (References(AT), "textDocument/references", {"context": {"includeDeclaration": False}}),
        (References(AT, True), "textDocument/references", {"context": {"includeDeclaration": True}}),
    ],
)
def test_questions_about_a_position(question: LiveQuestion, method: str, rest: dict[str, Any]) -> None:
    session = welcomed()
    number = session.ask(question, "  é😀 second")
    at = {"textDocument": {"uri": A}, "position": {"line": 1, "character": 2}}
    assert said(session) == [{"jsonrpc": "2.0", "id": number, "method": method, "params": at | rest}]


ITEM = {"name": "f", "kind": 12, "uri": A, "range": span(1, 0, 0, 9), "selectionRange": span(1, 6, 12), "x": {"own": 1}}
HANDLE = b'{"name":"f","kind":12,"uri":"file:///project/a.xx","x":{"own":1}}'
FUNCTION = CallItem("f", Kind.FUNCTION, SECOND, HANDLE)


@pytest.mark.parametrize(
    ("question", "method", "params"),
    [
        (Outline("dir/b c.xx"), "textDocument/documentSymbol", {"textDocument": {"uri": B}}),
        (WorkspaceSymbols("xx", "ma ke"), "workspace/symbol", {"query": "ma ke"}),
        (
            CallsTo(FUNCTION),
            "callHierarchy/incomingCalls",
            {"item": {"name": "f", "kind": 12, "uri": A, "x": {"own": 1}}},
        ),
        (
            CallsFrom(FUNCTION),
            "callHierarchy/outgoingCalls",
            {"item": {"name": "f", "kind": 12, "uri": A, "x": {"own": 1}}},
        ),
    ],
)
def test_other_questions(question: LiveQuestion, method: str, params: dict[str, Any]) -> None:
    session = welcomed()
    number = session.ask(question)
    assert said(session) == [{"jsonrpc": "2.0", "id": number, "method": method, "params": params}]


# -- places ---------------------------------------------------------------------------------------------------------

LINK = {"targetUri": B, "targetRange": span(0, 1, 17), "targetSelectionRange": span(0, 5, 9)}


@pytest.mark.parametrize(
    ("result", "places"),
    [
        (None, ()),
        ([], ()),
        ({"uri": A, "range": span(1, 6, 12)}, (SECOND,)),
        ([{"uri": A, "range": span(1, 6, 12)}, {"uri": B, "range": span(0, 5, 9)}], (SECOND, MAKE)),
        (LINK, (MAKE,)),
        ([LINK | {"originSelectionRange": span(0, 0, 1)}, {"uri": A, "range": span(1, 6, 12)}], (MAKE, SECOND)),
        ([LINK, LINK, {"uri": B, "range": span(0, 5, 9)}], (MAKE,)),
        ([{"uri": "file:/project/./dir/b%20c.xx", "range": span(0, 5, 9)}], (MAKE,)),
    ],
    ids=["null", "empty", "one", "list", "one link", "mixed", "twice", "odd uri"],
)
@pytest.mark.parametrize("ask", [Definition, References, Implementations])
def test_every_form_of_places(ask: Any, result: Any, places: tuple[Place, ...]) -> None:
    assert placed(ask(AT), result) == places


@pytest.mark.parametrize(("encoding", "start"), [(Encoding.UTF_8, 9), (Encoding.UTF_16, 6), (Encoding.UTF_32, 5)])
def test_places_come_in_from_the_units_of_the_server(encoding: Encoding, start: int) -> None:
    result = {"uri": A, "range": span(1, start, start + 6)}
    assert placed(Definition(AT), result, encoding) == (SECOND,)


def test_places_past_the_end_are_moved() -> None:
    result = [
        {"uri": A, "range": span(0, 2, 99)},
        {"uri": A, "range": span(0, 0, 7, 90)},
        {"uri": A, "range": span(80, 3, 4)},
    ]
    assert placed(References(AT), result) == (
        Place("a.xx", 1, 3, 1, 6, "first"),
        Place("a.xx", 1, 1, 91, 1, "first"),
        Place("a.xx", 81, 1, 81, 1, ""),
    )


def test_places_that_become_one_are_one() -> None:
    result = [{"uri": A, "range": span(0, 2, 5)}, {"uri": A, "range": span(0, 2, 99)}]
    assert placed(References(AT), result) == (Place("a.xx", 1, 3, 1, 6, "first"),)


@pytest.mark.parametrize(
    ("uri", "file"),
    [
        ("file:///usr/lib/x.xx", "/usr/lib/x.xx"),
        ("file:///project2/a.xx", "/project2/a.xx"),
        ("file:///project/../b.xx", "/b.xx"),
        ("jdt://contents/String.class", "jdt://contents/String.class"),
    ],
)
def test_places_outside_the_repository(uri: str, file: str) -> None:
    unplaced = result_of(Definition(AT), {"uri": uri, "range": span(4, 7, 9)}, Encoding.UTF_8)
    assert files_of(unplaced) == frozenset()
    assert place(unplaced, TEXTS) == (Place(file, 5, 8, 5, 10, "", is_external=True),)


def test_a_file_that_cannot_be_read_keeps_the_servers_columns() -> None:
    unplaced = result_of(Definition(AT), {"uri": A, "range": span(1, 9, 15)}, Encoding.UTF_8)
    assert place(unplaced, {}) == (Place("a.xx", 2, 10, 2, 16),)


def test_which_texts_are_needed() -> None:
    spots = [{"uri": A, "range": span(0, 0, 1)}, {"uri": B, "range": span(0, 0, 1)}, {"uri": A, "range": span(1, 0, 1)}]
    assert files_of(result_of(References(AT), spots)) == {"a.xx", "dir/b c.xx"}
    assert files_of(result_of(Hover(AT), {"contents": "x"})) == frozenset()
    assert files_of(result_of(Outline("a.xx"), [{"name": "f", "range": span(0, 0, 1)}])) == {"a.xx"}
    incoming = [{"from": ITEM | {"uri": B}, "fromRanges": [span(0, 0, 1)]}]
    assert files_of(result_of(CallsTo(FUNCTION), incoming)) == {"dir/b c.xx"}
    outgoing = [{"to": ITEM | {"uri": B}, "fromRanges": [span(0, 0, 1)]}]
    assert files_of(result_of(CallsFrom(FUNCTION), outgoing)) == {"a.xx", "dir/b c.xx"}


@pytest.mark.parametrize(("col", "is_in_it"), [(6, False), (7, True), (10, True), (13, True), (14, False)])
def test_whether_a_place_covers_a_position(col: int, is_in_it: bool) -> None:
    at = At("a.xx", 2, col)
    [found] = place(result_of(Definition(at), {"uri": A, "range": span(1, 9, 15)}, Encoding.UTF_8), TEXTS)
    assert covers(found, at) is is_in_it
    assert not covers(found, At("dir/b c.xx", 2, col))


# -- hover ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, ""),
        ({"contents": ""}, ""),
        ({"contents": []}, ""),
        ({"contents": "**bold**\n"}, "**bold**"),
        ({"contents": {"kind": "markdown", "value": "```xx\nf()\n```\n"}}, "```xx\nf()\n```"),
        ({"contents": {"kind": "plaintext", "value": "plain"}, "range": span(0, 0, 1)}, "plain"),
        ({"contents": {"language": "xx", "value": "f()"}}, "```xx\nf()\n```"),
        ({"contents": [{"language": "xx", "value": "f()"}, "", "says"]}, "```xx\nf()\n```\n\nsays"),
        ({"contents": {"language": "xx", "value": ""}}, ""),
    ],
)
def test_every_form_of_hover(result: Any, text: str) -> None:
    assert placed(Hover(AT), result) == text


# -- symbols --------------------------------------------------------------------------------------------------------


def test_nested_symbols() -> None:
    result = [
        {
            "name": "C",
            "kind": 5,
            "range": span(0, 0, 5, 2),
            "selectionRange": span(0, 2, 5),
            "detail": "x",
            "children": [
                {"name": "m", "kind": 6, "range": span(1, 2, 12), "selectionRange": span(1, 6, 12), "children": []},
                {"name": "m", "kind": 6, "range": span(1, 2, 12), "selectionRange": span(1, 6, 12)},
            ],
        }
    ]
    first = Place("a.xx", 1, 3, 1, 6, "first")
    method = Named("m", Kind.METHOD, SECOND, Place("a.xx", 2, 3, 2, 13, "é😀 second"))
    assert placed(Outline("a.xx"), result) == (
        Named("C", Kind.CLASS, first, Place("a.xx", 1, 1, 3, 6, "first"), (method,)),
    )


def test_flat_symbols() -> None:
    location = {"uri": B, "range": span(0, 1, 17)}
    result = [
        {"name": "make", "kind": 12, "location": location, "containerName": "b"},
        {"name": "make", "kind": 12, "location": location, "containerName": "b"},
        {"name": "no", "kind": 99, "location": {"uri": B}, "containerName": None},
    ]
    whole = Place("dir/b c.xx", 1, 2, 1, 18, "def make(): pass")
    nowhere = Place("dir/b c.xx", 1, 1, 1, 1, "def make(): pass")
    expected = (
        Named("make", Kind.FUNCTION, MAKE, whole, (), "b"),
        Named("no", Kind.OTHER, nowhere, nowhere),
    )
    assert placed(WorkspaceSymbols("xx", "m"), result) == expected
    assert placed(Outline("dir/b c.xx"), result) == expected


@pytest.mark.parametrize(
    ("line", "name", "cols"),
    [
        ("def make():", "make", (5, 9)),
        ("😀 make", "make", (4, 8)),
        ("remake make_all", "make", (1, 12)),  # no such word: the whole stays
        ("make = make", "make", (1, 12)),  # twice: the whole stays
        ("operator+ (a)", "operator+", (1, 10)),
        ("", "make", (1, 1)),
    ],
)
def test_the_name_of_a_flat_symbol_is_looked_for_on_its_first_line(line: str, name: str, cols: tuple[int, int]) -> None:
    result = [{"name": name, "kind": 12, "location": {"uri": A, "range": span(0, 0, 11)}}]
    (named,) = place(result_of(Outline("a.xx"), result), {"a.xx": Lines(line)})
    assert (named.place.line, named.place.col, named.place.end_col) == (1, *cols)
    assert named.whole.col == 1


def test_no_symbols() -> None:
    assert placed(Outline("a.xx"), None) == placed(WorkspaceSymbols("xx", "m"), None) == ()


def test_kinds() -> None:
    assert {number: kind_of(number).value for number in range(28) if kind_of(number) is not Kind.OTHER} == {
        1: "file", 2: "module", 3: "module", 4: "module", 5: "class", 6: "method", 7: "property", 8: "property",
        9: "method", 10: "enum", 11: "interface", 12: "function", 13: "variable", 14: "variable", 22: "property",
        23: "class", 24: "property", 25: "function", 26: "type_alias",
    }  # fmt: skip


# -- calls ----------------------------------------------------------------------------------------------------------


def test_the_functions_at_a_position_keep_what_the_server_said_of_them() -> None:
    (item,) = placed(CallRoots(AT), [ITEM])
    assert (item.name, item.kind, item.place) == ("f", Kind.FUNCTION, SECOND)
    session = welcomed()
    session.ask(CallsTo(item))
    assert said(session)[0]["params"] == {"item": ITEM}
    assert placed(CallRoots(AT), None) == ()


def test_who_calls_it() -> None:
    caller = ITEM | {"name": "make", "uri": B, "selectionRange": span(0, 5, 9)}
    result = [
        {"from": caller, "fromRanges": [span(0, 5, 9), span(0, 5, 9), span(0, 1, 4)]},
        {"from": caller, "fromRanges": [span(0, 13, 17)]},
    ]
    (link,) = placed(CallsTo(FUNCTION), result)
    assert (link.item.name, link.item.place) == ("make", MAKE)
    snippet = "def make(): pass"
    assert link.sites == (MAKE, Place("dir/b c.xx", 1, 2, 1, 5, snippet), Place("dir/b c.xx", 1, 14, 1, 18, snippet))


def test_whom_it_calls() -> None:
    callee = ITEM | {"name": "make", "uri": B, "selectionRange": span(0, 5, 9)}
    (link,) = placed(CallsFrom(FUNCTION), [{"to": callee, "fromRanges": [span(1, 6, 12)]}])
    assert isinstance(link, CallLink)
    assert link.item.place == MAKE
    assert link.sites == (SECOND,)  # in the file of the caller


def test_no_calls() -> None:
    assert placed(CallsTo(FUNCTION), None) == placed(CallsFrom(FUNCTION), []) == ()
