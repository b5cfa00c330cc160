"""The language server of C and C++, clangd, over hiredis and Box2D, as released: what it answers, and that it is of
this moment."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from codemap.live_queries import (
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
from tests.system.corpora import SDISTS, sdist
from tests.system.live import Asker, callers, contents, live, only, places, root_of, tree
from tests.system.process import serving

PATIENCE_S = 240
SOURCES = ("alloc.c", "async.c", "hiredis.c", "net.c", "read.c", "sds.c", "sockcompat.c", "test.c")
"""What its own build compiles, but for what needs OpenSSL."""
FEED = "c:read.c#redisReaderFeed"
SHAPES = "Box2D/Collision/Shapes"
NAMES = ("b2ChainShape", "b2CircleShape", "b2EdgeShape", "b2PolygonShape")


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of hiredis, which come with its Python binding."""
    return sdist("hiredis", SDISTS["hiredis"], tmp_path_factory.mktemp("hiredis")) / "vendor/hiredis"


@pytest.fixture
def hiredis(released: Path, tmp_path: Path) -> Path:
    root = tmp_path / "hiredis"
    shutil.copytree(released, root)
    return root


@pytest.fixture
def box2d(tmp_path: Path) -> Path:
    """The sources of Box2D, which comes with its Python binding."""
    root = tmp_path / "box2d"
    released = sdist("box2d-py", SDISTS["box2d-py"], tmp_path / "released")
    shutil.copytree(released / "Box2D", root / "Box2D")
    return root


def compile_commands(root: Path, names: Sequence[str], *arguments: str) -> None:
    """A compilation database where and as build tools write it."""
    (root / "build").mkdir()
    entries = [
        {"directory": f"{root}/build", "file": f"{root}/{name}", "arguments": [*arguments, "-c", f"{root}/{name}"]}
        for name in names
    ]
    (root / "build" / "compile_commands.json").write_text(json.dumps(entries))


@pytest.fixture
async def asker(hiredis: Path) -> AsyncIterator[Asker]:
    compile_commands(hiredis, SOURCES, "cc", "-std=c99")
    async with live(hiredis, "clangd") as asker:
        yield asker


async def test_what_clangd_knows_of_hiredis(asker: Asker) -> None:
    before = contents(asker.root)

    found = await asker.value(Definition(asker.at("hiredis.c", "redisReaderFeed", "redisReaderFeed(c->reader")))
    assert places(found) == ["read.c:789 int redisReaderFeed(redisReader *r, const char *buf, size_t len) {"]
    form = asker.at("hiredis.c", "redisvFormatCommand", "int redisvFormatCommand(char **target")
    uses = [
        "async.c:974 len = redisvFormatCommand(&cmd,format,ap);",
        "hiredis.c:576 len = redisvFormatCommand(target,format,ap);",
        "hiredis.c:1142 len = redisvFormatCommand(&cmd,format,ap);",
    ]
    assert places(await asker.value(References(form))) == uses
    declared = {(one.file, one.line) for one in await asker.value(References(form, with_declaration=True))}
    assert declared - {("async.c", 974), ("hiredis.c", 576), ("hiredis.c", 1142)} == {
        ("hiredis.c", 323),
        ("hiredis.h", 140),
    }

    text = await asker.value(Hover(asker.at("async.c", "redisBufferWrite")))
    assert "int redisBufferWrite(redisContext *c, int *done)" in text
    assert "Write the output buffer to the socket." in text

    item = await root_of(asker, CallRoots(asker.at("hiredis.c", "redisBufferWrite", "int redisBufferWrite(")))
    assert callers(await asker.value(CallsTo(item))) == {
        "async.c redisAsyncWrite": [745],
        "hiredis.c redisGetReply": [1085],
    }
    assert callers(await asker.value(CallsFrom(item))) == {
        "hiredis.c __redisSetError": [1036],
        "sds.c sdsempty": [1024],
        "sds.c sdsfree": [1023],
        "sds.c sdsrange": [1028],
        "sds.h sdslen": [1017, 1022, 1032],
    }

    assert list(tree(await asker.value(Outline("read.h")))) == [
        "redisReadTask",
        "redisReplyObjectFunctions",
        "redisReader",
        "redisReaderCreateWithFunctions",
        "redisReaderFree",
        "redisReaderFeed",
        "redisReaderGetReply",
    ]
    named = await asker.value(WorkspaceSymbols("c", "redisReaderFeed"))
    assert [(one.name, one.place.file, one.place.line) for one in named] == [("redisReaderFeed", "read.c", 789)]
    assert await asker.value(Implementations(form)) == ()  # an empty answer that counts: what is known is found
    assert contents(asker.root) == before


async def test_an_edit_shows_in_the_next_answer(asker: Asker) -> None:
    within = "redisReaderFeed(c->reader"

    async def line() -> int:
        [place] = await asker.value(Definition(asker.at("hiredis.c", "redisReaderFeed", within)))
        assert place.file == "read.c"
        return int(place.line)

    assert await line() == 789
    source = asker.root / "read.c"  # never opened
    source.write_text("/* one */\n" + source.read_text())
    assert await line() == 790

    user = asker.root / "hiredis.c"  # opened
    user.write_text("/* one */\n/* two */\n" + user.read_text())
    assert asker.at("hiredis.c", "redisReaderFeed", within).line == 997
    assert await line() == 790

    header = asker.root / "hiredis.h"  # never opened
    header.write_text("/* one */\n" + header.read_text())
    question = Definition(asker.at("hiredis.c", "redisContext", "redisContext *redisContextInit(void) {"))
    assert [(place.file, place.line) for place in await asker.value(question)] == [("hiredis.h", 298)]


async def test_the_tools_join_clangd_and_the_map(hiredis: Path) -> None:
    compile_commands(hiredis, SOURCES, "cc", "-std=c99")
    async with serving(hiredis, "--server-programs", ",".join(only("clangd")), deadline_s=PATIENCE_S) as server:
        await server.initialize()
        await server.call("map_rebuild")

        async def asked(tool: str, **arguments: Any) -> Any:
            reply = await server.call(tool, **arguments, tokenBudget=10_000)
            while not reply["ok"] or any("Repeat the call" in warning for warning in reply["warnings"]):
                reply = await server.call(tool, **arguments, tokenBudget=10_000)
            return reply["data"]

        uses = await asked("nav_references", nodeId=FEED)  # waits until all is indexed
        assert {one["file"] for one in uses["locations"]} == {"hiredis.c", "test.c"}
        there = await asked("resolve", nodeId=FEED)
        assert (there["verified"], there["inMap"], there["source"].split()[0]) == (True, True, "clangd")
        assert (there["location"]["file"], there["location"]["line"]) == ("read.c", 789)
        back = await asked("resolve", file="hiredis.c", line=995, col=25)
        assert (back["nodeId"], back["verified"], back["location"]["line"]) == (FEED, True, 789)
        declared = await asked("nav_definition", nodeId=FEED)
        assert [(one["file"], one["line"], one["id"]) for one in declared["locations"]] == [
            ("read.c", 789, FEED),
            ("read.h", 123, "c:read.h#redisReaderFeed"),
        ]
        tree_of = await asked("nav_callHierarchy", nodeId=FEED, direction="incoming")
        called_by = {one["id"] for one in tree_of["root"]["children"]}
        assert called_by == {"c:hiredis.c#redisBufferRead", "c:test.c#test_reply_reader"}


async def test_the_implementations_of_a_class_and_of_its_methods(box2d: Path) -> None:
    compile_commands(box2d, [f"{SHAPES}/{name}.cpp" for name in NAMES], "c++", f"-I{box2d}")
    async with live(box2d, "clangd") as asker:
        mass = asker.at(f"{SHAPES}/b2Shape.h", "ComputeMass", "virtual void ComputeMass(")
        found = await asker.value(Implementations(mass))
        said = {f"void {name}::ComputeMass(b2MassData* massData, float32 density) const" for name in NAMES}
        assert {place.snippet for place in found} == said
        assert {place.file for place in found} == {f"{SHAPES}/{name}.cpp" for name in NAMES}
        found = await asker.value(Implementations(asker.at(f"{SHAPES}/b2Shape.h", "b2Shape", "class b2Shape")))
        assert {place.snippet for place in found} == {f"class {name} : public b2Shape" for name in NAMES}


async def test_without_a_database_one_is_made_and_the_answer_says_that_it_may_miss_something(hiredis: Path) -> None:
    before = contents(hiredis)
    async with live(hiredis, "clangd") as asker:
        fact = await asker.found(Definition(asker.at("hiredis.c", "redisReaderFeed", "redisReaderFeed(c->reader")))
        while "still" in fact.incomplete:
            fact = await asker.found(Definition(asker.at("hiredis.c", "redisReaderFeed", "redisReaderFeed(c->reader")))
        assert places(fact.value) == ["read.c:789 int redisReaderFeed(redisReader *r, const char *buf, size_t len) {"]
        assert fact.incomplete == "there is no compile_commands.json: how the files are compiled is guessed"
        assert fact.is_lasting
    assert contents(hiredis) == before
