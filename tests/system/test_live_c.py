"""C's language server, clangd, over a small library: a made-up language brings its record, and no more."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import codemap.languages as registry
from codemap.live import (
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Hover,
    Implementations,
    Outline,
    References,
    WorkspaceSymbols,
)
from tests.system.live import Asker, callers, contents, live, places, root_of, tree

PLUGIN = '''
"""C++ without facts: enough for its files to be listed and its server to be asked."""

from codemap.languages.c.server import LANGUAGE_IDS, SERVERS
from codemap.languages.language import Language, Missing


class Modules:
    def resolve(self, specifier, importer):
        return Missing()

    def child(self, module, name):
        return None


LANGUAGE = Language(
    name="cx", title="C++", family="cx", suffixes=tuple(LANGUAGE_IDS), grammar=lambda path: "cpp",
    extract=lambda root, b: None, modules=lambda project: Modules(), servers=SERVERS,
)
'''

FILES = {
    "include/shape.h": """\
#pragma once

/// Something with an area.
struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

struct Square : Shape {
    explicit Square(double side) : side(side) {}
    double area() const override;
    double side;
};

double total(const Shape *const *shapes, int count);
""",
    "src/square.cpp": '#include "shape.h"\n\ndouble Square::area() const { return side * side; }\n',
    "src/total.cpp": """\
#include "shape.h"

static double one(const Shape &shape) { return shape.area(); }

double total(const Shape *const *shapes, int count) {
    double sum = 0;
    for (int at = 0; at < count; at++)
        sum += one(*shapes[at]);
    return sum;
}
""",
    "app/main.cpp": """\
#include "shape.h"

int main() {
    Square square(2);
    const Shape *shapes[] = {&square};
    return total(shapes, 1) == 4 ? 0 : 1;
}
""",
}


@pytest.fixture
def language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "plugins" / "cx").mkdir(parents=True)
    (tmp_path / "plugins" / "cx" / "__init__.py").write_text(PLUGIN)
    monkeypatch.setattr(registry, "__path__", [*registry.__path__, str(tmp_path / "plugins")])
    caches = (registry.languages, registry._by_suffix, registry.by_name)
    for cache in caches:
        cache.cache_clear()
    yield
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shapes"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


def compile_commands(root: Path) -> None:
    """A compilation database as build tools write it."""
    entries = [
        {"directory": str(root), "file": str(root / name), "arguments": ["c++", f"-I{root}/include", "-c", name]}
        for name in FILES
        if name.endswith(".cpp")
    ]
    (root / "build").mkdir()
    (root / "build" / "compile_commands.json").write_text(json.dumps(entries))


@pytest.fixture
async def asker(language: None, root: Path) -> AsyncIterator[Asker]:
    compile_commands(root)
    async with live(root, "clangd") as asker:
        yield asker


async def test_what_clangd_knows_of_a_library(asker: Asker) -> None:
    before = contents(asker.root)
    use = asker.at("app/main.cpp", "total", "return total(shapes, 1)")

    assert await _lines(asker, Definition(use)) == {("src/total.cpp", 5)}
    area = asker.at("include/shape.h", "area", "virtual double area()")
    assert await _lines(asker, Implementations(area)) == {("include/shape.h", 11)}
    assert await _lines(asker, References(area)) >= {("src/total.cpp", 3)}
    assert await _lines(asker, References(asker.at("src/total.cpp", "total", "double total("))) >= {("app/main.cpp", 6)}

    text = await asker.value(Hover(asker.at("app/main.cpp", "Shape", "const Shape *shapes")))
    assert "Something with an area." in text

    item = await root_of(asker, CallRoots(asker.at("src/total.cpp", "total", "double total(")))
    assert callers(await asker.value(CallsTo(item))) == {"app/main.cpp main": [6]}
    assert callers(await asker.value(CallsFrom(item))) == {"src/total.cpp one": [8]}

    symbols = tree(await asker.value(Outline("include/shape.h")))
    assert list(symbols) == ["Shape", "Square", "total"]
    assert {"area", "side"} <= set(symbols["Square"])

    named = await asker.value(WorkspaceSymbols("cx", "Square"))
    assert ("include/shape.h", 9) in {(one.place.file, one.place.line) for one in named if one.name == "Square"}
    assert contents(asker.root) == before


async def _lines(asker: Asker, question: Definition | References | Implementations) -> set[tuple[str, int]]:
    return {(place.file, place.line) for place in await asker.value(question)}


async def test_an_edit_shows_in_the_next_answer(asker: Asker) -> None:
    within = "return total(shapes, 1)"
    assert await _lines(asker, Definition(asker.at("app/main.cpp", "total", within))) == {("src/total.cpp", 5)}

    header = asker.root / "include/shape.h"  # never opened
    header.write_text("// one\n" + header.read_text())
    square = Definition(asker.at("app/main.cpp", "Square", "Square square(2)"))
    assert await _lines(asker, square) == {("include/shape.h", 10)}

    main = asker.root / "app/main.cpp"  # opened
    main.write_text("// one\n// two\n" + main.read_text())
    question = Definition(asker.at("app/main.cpp", "total", within))
    assert question.at.line == 8
    assert await _lines(asker, question) == {("src/total.cpp", 5)}


async def test_without_a_database_one_is_made_and_the_answer_says_that_it_may_miss_something(
    language: None, root: Path
) -> None:
    before = contents(root)
    async with live(root, "clangd") as asker:
        fact = await asker.found(Definition(asker.at("src/total.cpp", "area", "return shape.area()")))
        assert places(fact.value) == ["include/shape.h:6 virtual double area() const = 0;"]
        assert "there is no compile_commands.json: how the files are compiled is guessed" in fact.incomplete
        uses = await asker.found(References(asker.at("src/total.cpp", "total", "double total(")))
        assert ("app/main.cpp", 6) in {(place.file, place.line) for place in uses.value}
    assert contents(root) == before
