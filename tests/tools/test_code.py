"""`map_code`: what it shows is in the file, byte for byte, in every language, whatever the file is like."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codemap.envelope.answer import Answer
from codemap.envelope.dialects import DIALECTS
from codemap.envelope.reply import Terms
from codemap.graph.build.build import build_snapshot
from codemap.languages import language_of
from codemap.tools import World
from codemap.tools.code.excerpts import WHOLE_MAX_CHARS
from tests.examples import examples
from tests.literate import cases
from tests.tools.calls import answered, reply, tool_named
from tests.tools.live import Script

LANGUAGES = Path(__file__).parent.parent / "languages"
DETAILS = ("full", "body", "skeleton", "signature")
details = st.sampled_from(DETAILS)


def pieces(files: dict[str, bytes], arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """All pieces of an answer, whatever its budget."""
    world = World(snapshot=build_snapshot(files), root="/repository")
    found = answered(world, tool_named("map_code"), {"rows": "full", **arguments}, Script({}, files))
    assert isinstance(found, Answer), found
    listed: list[dict[str, Any]] = found.data["pieces"]
    return listed


def text_of(content: bytes, encoding: str = "utf-8") -> str:
    return content.decode(encoding)


def check(files: dict[str, bytes], shown: list[dict[str, Any]], encoding: str = "utf-8") -> None:
    """Each piece is a part of its file that begins at its line and ends at its last."""
    for piece in shown:
        lines = [f"{line}\n" for line in text_of(files[piece["file"]], encoding).split("\n")]
        rest = "".join(lines[piece["line"] - 1 :])
        assert rest.startswith(piece["code"])
        assert piece["code"].count("\n") == piece["endLine"] - piece["line"]


@cache
def literate_files() -> tuple[tuple[str, bytes], ...]:
    """The files of all literate examples of all languages."""
    return tuple(dict.fromkeys(_literate_files()))


def _literate_files() -> Iterator[tuple[str, bytes]]:
    for document in sorted(LANGUAGES.glob("*/*.md")):
        for case in cases(document.read_text(encoding="utf-8")):
            yield from ((path, source) for path, source in case.files.items() if language_of(path) is not None)


def test_there_are_examples_of_all_languages() -> None:
    assert len({language.name for path, _ in literate_files() if (language := language_of(path)) is not None}) >= 12


@settings(deadline=None, max_examples=examples(300))
@given(data=st.data(), detail=details, changed=st.sampled_from(["as is", "crlf", "bom", "tabs", "wide"]))
def test_code_is_a_part_of_its_file_in_every_language(data: st.DataObject, detail: str, changed: str) -> None:
    path, source = data.draw(st.sampled_from(literate_files()))
    match changed:
        case "crlf":
            source = source.replace(b"\n", b"\r\n")
        case "bom":
            source = b"\xef\xbb\xbf" + source
        case "tabs":
            source = source.replace(b"    ", b"\t")
        case "wide":
            source = source.replace(b"save", "sävé😀".encode())
    files = {path: source}
    file = build_snapshot(files).by_path.get(path)
    assert file is not None
    row = data.draw(st.integers(0, file.symbol_count - 1))
    include = data.draw(st.lists(st.sampled_from(["callees", "types", "imports"]), unique=True))
    arguments = {"nodeIds": [file.id_of(row)], "detail": detail, "include": include}
    check(files, pieces(files, arguments))


def test_a_long_definition_is_split_where_statements_begin_and_nothing_is_lost() -> None:
    steps = (
        f"    if step == {n}:\n        # number {n}\n        total += {n}\n\n        print(n)\n" for n in range(200)
    )
    body = "".join(steps)
    source = f"def run(step):\n    total = 0\n{body}    return total\n".encode()
    shown = pieces({"a.py": source}, {"nodeIds": ["py:a.py#run"]})
    check({"a.py": source}, shown)
    assert len(shown) > 2
    assert "\n".join(piece["code"] for piece in shown) == source.decode().removesuffix("\n")
    for piece in shown[1:]:
        assert piece["code"].startswith("    if step"), "the outermost statements"
        assert len(piece["code"]) <= WHOLE_MAX_CHARS


@settings(deadline=None, max_examples=examples(100))
@given(budget=st.integers(200, 3000), rows=st.sampled_from(["compact", "full"]), widths=st.lists(st.integers(0, 80)))
@example(budget=200, rows="compact", widths=[80])
@example(budget=500, rows="full", widths=[2, 70])
def test_pages_bring_each_line_once(budget: int, rows: str, widths: list[int]) -> None:
    widths = widths or [20]
    body = "".join(f"{'    ' * (1 + n % 3)}total += {n}  # {'x' * widths[n % len(widths)]}\n" for n in range(120))
    files = {"a.py": f"def run(total):\n{body}    return total\n\n\n{'x = 1 +1' * 400}\n".encode()}
    shown = shown_lines(files, {"nodeIds": ["py:a.py#run"], "tokenBudget": budget, "rows": rows})
    assert shown == list(enumerate(f"def run(total):\n{body}    return total".split("\n"), 1))


def shown_lines(files: dict[str, bytes], arguments: dict[str, Any]) -> list[tuple[int, str]]:
    """The lines of all pages with their numbers."""
    world = World(snapshot=build_snapshot(files), root="/repository")
    cursors: set[str] = set()
    found: list[tuple[int, str]] = []
    while True:
        got = json.loads(reply(world, "map_code", arguments, Script({}, files)).text)
        assert got["tokenBudget"]["used"] <= got["tokenBudget"]["requested"]
        for piece in got["data"].get("pieces", []):
            found += enumerate(piece["code"].split("\n"), piece["line"])
        for row in (row for some in got["data"].get("code", {}).values() for row in some):
            head, *lines = row.split("\n")
            found += enumerate(lines, int(head.partition(" ")[0].partition("-")[0]))
        cursor = got.get("dropped", {}).get("cursor")
        if cursor is None:
            return found
        assert cursor not in cursors, "a page that brings nothing"
        cursors.add(cursor)
        arguments = {**arguments, "cursor": cursor}


def test_an_empty_file_has_no_code() -> None:
    files = {"app/__init__.py": b""}
    world = World(snapshot=build_snapshot(files), root="/repository")
    found = answered(world, tool_named("map_code"), {"nodeIds": ["app/__init__.py"]}, Script({}, files))
    assert isinstance(found, Answer), found
    assert found.data["code"] == {"app/__init__.py": []}


def test_a_skeleton_has_short_fields_whole() -> None:
    field = "    name = property(\n        lambda self: self._name\n    )\n"
    source = f"class A:\n{field}\n    def go(self):\n        return 1\n".encode()
    shown = pieces({"a.py": source}, {"nodeIds": ["py:a.py#A"], "detail": "skeleton"})
    assert shown[0]["code"] == f"class A:\n{field}\n    def go(self):"


def test_a_page_goes_on_into_the_next_excerpt_where_there_is_room() -> None:
    body = "".join(f"    total += {n}\n    if total:\n        total -= 1\n" for n in range(200))
    files = {"a.py": f"def run(total):\n{body}".encode()}
    world = World(snapshot=build_snapshot(files), root="/repository")
    arguments = {"nodeIds": ["py:a.py#run"], "tokenBudget": 1000}
    got = json.loads(reply(world, "map_code", arguments, Script({}, files)).text)
    assert got["tokenBudget"]["used"] > 900
    first, second = got["data"]["code"]["a.py#run"]
    assert second.split("\n")[-1].startswith("    "), "it ends before a statement of the least indentation"
    assert first.startswith("1-")


def test_what_fits_in_no_page_has_no_cursor() -> None:
    files = {"a.py": f"x = '{'a' * 3000}'\n".encode()}
    world = World(snapshot=build_snapshot(files), root="/repository")
    arguments = {"nodeIds": ["py:a.py#x"], "tokenBudget": 300}
    got = json.loads(reply(world, "map_code", arguments, Script({}, files)).text)
    assert got["data"] == {}
    assert "pass a bigger tokenBudget" in got["dropped"]["note"]
    assert "cursor" not in got["dropped"]


@pytest.mark.parametrize(
    ("head", "encoding", "named"),
    [
        ("", "latin-1", "latin-1"),
        ("# -*- coding: cp1252 -*-\n", "cp1252", "cp1252"),
        ("# -*- coding: utf-8 -*-\n", "utf-8", ""),
        ("# -*- coding: no-such -*-\n", "utf-8", ""),
    ],
)
def test_code_that_is_not_utf8_is_read_as_its_language_says_and_named(head: str, encoding: str, named: str) -> None:
    source = f'{head}def größe(é):\n    """Ä"""\n    return é\n'.encode(encoding)
    files = {"a.py": source}
    snapshot = build_snapshot(files)
    assert snapshot.files[0].symbol_count == 2
    world = World(snapshot=snapshot, root="/repository")
    for detail in DETAILS:
        arguments = {"nodeIds": [snapshot.files[0].id_of(1)], "detail": detail, "rows": "full"}
        found = answered(world, tool_named("map_code"), arguments, Script({}, files))
        assert isinstance(found, Answer)
        check(files, found.data["pieces"], encoding)
        assert "größe" in found.data["pieces"][0]["code"]
        assert [warning for warning in found.warnings if "not UTF-8" in warning] == (
            [f"a.py is not UTF-8: its code is shown as {named} reads it."] if named else []
        )


def test_what_nobody_sees_in_code_is_shown_as_it_is_and_named() -> None:
    files = {"a.py": 'def f():\n    return "a\u202eb"\n'.encode()}
    world = World(snapshot=build_snapshot(files), root="/repository")
    got = json.loads(reply(world, "map_code", {"nodeIds": ["py:a.py#f"]}, Script({}, files)).text)
    assert "\u202e" in got["data"]["code"]["a.py#f"][0]
    assert any("a.py:2" in warning for warning in got["warnings"])


def test_users_of_what_a_method_overrides_are_its_users() -> None:
    files = {
        "a.py": b"class Base:\n    def go(self): ...\n\n\nclass Sub(Base):\n    def go(self):\n        return 1\n",
        "b.py": b"from a import Base\n\n\ndef run(one: Base):\n    one.go()\n",
    }
    world = World(snapshot=build_snapshot(files), root="/repository")
    arguments = {"nodeIds": ["py:a.py#Sub.go"], "include": ["callers", "tests"]}
    got = json.loads(reply(world, "map_code", arguments, Script({}, files)).text)
    assert got["data"]["callers"] == {"b.py": ["run 5 via Base.go"]}
    assert got["data"]["none"] == ["tests"]


def test_many_users_are_counted_beyond_those_that_are_listed() -> None:
    callers = "".join(f"def use{n}():\n    f()\n\n\n" for n in range(50))
    files = {"a.py": f"def f(): ...\n\n\n{callers}".encode()}
    world = World(snapshot=build_snapshot(files), root="/repository")
    arguments = {"nodeIds": ["py:a.py#f"], "include": ["callers"]}
    got = json.loads(reply(world, "map_code", arguments, Script({}, files)).text)
    assert len(got["data"]["callers"]["a.py"]) == 30
    assert (got["dropped"]["kind"], got["dropped"]["count"]) == ("callers", 20)


def test_the_scalpel_dialect_has_one_text_and_what_it_is_made_of() -> None:
    files = {
        "a.py": b"from b import g\n\n\ndef f():\n    return g()\n\n\ndef h():\n    return 2\n",
        "b.py": b"def g(): ...\n",
    }
    world = World(snapshot=build_snapshot(files), root="/repository")
    arguments = {"nodeIds": ["py:a.py#f", "py:a.py#h"], "rows": "full", "include": ["callees"]}
    found = answered(world, tool_named("map_code"), arguments, Script({}, files))
    data = DIALECTS["scalpel"](found, Terms(duration_ms=1.0)).structured["data"]
    assert data["extracted_code"] == "def f():\n    return g()\n\ndef h():\n    return 2\n\ndef g(): ..."
    assert data["token_count"] == 15
    assert [view["id"] for view in data["dependencies"]["items"]] == ["py:b.py#g"]
    assert [piece["id"] for piece in data["context"]["items"]] == ["py:a.py#f", "py:a.py#h", "py:b.py#g"]
    assert not any("code" in piece for piece in data["context"]["items"])
