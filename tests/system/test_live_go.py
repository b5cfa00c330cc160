"""Go's language server, gopls, over chi, as released: what it answers, and that it is of this moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

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
from tests.system.corpora import DEBIAN, debian_package
from tests.system.live import Asker, ask_in_one_life, callers, contents, live, only, places, root_of, tree
from tests.system.process import serving

PATIENCE_S = 240
CHI = "golang-github-go-chi-chi-dev"
SOURCES = "usr/share/gocode/src/github.com/go-chi/chi"
NEW_ROUTER, MOUNT = "go:chi.go#NewRouter", "go:mux.go#Mux.Mount"


@pytest.fixture
def chi(tmp_path: Path) -> Path:
    return debian_package(CHI, DEBIAN[CHI], SOURCES, tmp_path / "chi")


@pytest.fixture
async def asker(chi: Path) -> AsyncIterator[Asker]:
    async with live(chi, "gopls") as asker:
        yield asker


async def test_what_a_server_answers_of_chi(asker: Asker) -> None:
    await ask_in_one_life(
        asker,
        what_gopls_knows,
        files_that_come_and_go_show_in_the_next_answer,
        columns_count_utf_16_units,
    )


async def what_gopls_knows(asker: Asker) -> None:
    definition = asker.at("chi.go", "NewRouter", "func NewRouter() *Mux {")

    found = await asker.value(References(definition))  # the first question, so it waits until everything is loaded
    assert len(found) == 71  # as many as there are outside comments
    assert {place.snippet for place in found if "NewRouter()" not in place.snippet} == set()
    assert {("mux.go", 269), ("tree_test.go", 75), ("middleware/profiler.go", 22)} <= {
        (place.file, place.line) for place in found
    }

    found = await asker.value(Definition(asker.at("mux.go", "NewRouter", "subRouter := NewRouter()")))
    assert places(found) == ["chi.go:61 func NewRouter() *Mux {"]

    text = await asker.value(Hover(definition))
    assert "func NewRouter() *Mux" in text
    assert "NewRouter returns a new Mux object that implements the Router interface." in text

    router = asker.at("chi.go", "Router", "type Router interface {")
    assert places(await asker.value(Implementations(router))) == ["mux.go:21 type Mux struct {"]
    mount = asker.at("chi.go", "Mount", "Mount(pattern string, h http.Handler)")
    declared = "mux.go:282 func (mx *Mux) Mount(pattern string, handler http.Handler) {"
    assert places(await asker.value(Implementations(mount))) == [declared]

    item = await root_of(asker, CallRoots(asker.at("mux.go", "nextRoutePath", "func (mx *Mux) nextRoutePath(")))
    assert callers(await asker.value(CallsTo(item))) == {"mux.go Mount.func()": [306], "mux.go Match": [361]}
    called = callers(
        await asker.value(CallsFrom(await root_of(asker, CallRoots(asker.at("mux.go", "Mount", ") Mount(")))))
    )
    assert called["mux.go nextRoutePath"] == [306]
    assert called["tree.go findPattern"] == [289, 289]

    symbols = tree(await asker.value(Outline("chain.go")))
    assert list(symbols) == [
        "Chain",
        "(Middlewares).Handler",
        "(Middlewares).HandlerFunc",
        "ChainHandler",
        "(*ChainHandler).ServeHTTP",
        "chain",
    ]
    assert set(symbols["ChainHandler"]) == {"Endpoint", "chain", "Middlewares"}

    named = await asker.value(WorkspaceSymbols("go", "NewRouteContext"))
    assert [(one.name, one.place.file, one.place.line) for one in named] == [("NewRouteContext", "context.go", 33)]


async def test_an_edit_shows_in_the_next_answer(asker: Asker) -> None:
    use = "subRouter := NewRouter()"
    assert [place.line for place in await asker.value(Definition(asker.at("mux.go", "NewRouter", use)))] == [61]

    target = asker.root / "chi.go"  # was never asked about
    target.write_text("// one\n// two\n" + target.read_text())
    assert [place.line for place in await asker.value(Definition(asker.at("mux.go", "NewRouter", use)))] == [63]

    source = asker.root / "mux.go"  # was asked about
    source.write_text("// one\n" + source.read_text())
    question = Definition(asker.at("mux.go", "NewRouter", use))
    assert question.at.line == 270
    assert places(await asker.value(question)) == ["chi.go:63 func NewRouter() *Mux {"]


async def files_that_come_and_go_show_in_the_next_answer(asker: Asker) -> None:
    asked = References(asker.at("mux.go", "nextRoutePath", "func (mx *Mux) nextRoutePath("))
    old = [f"mux.go:{line} rctx.RoutePath = mx.nextRoutePath(rctx)" for line in (306, 361)]
    assert places(await asker.value(asked)) == old

    new = asker.root / "late.go"
    new.write_text("package chi\n\nfunc late(mx *Mux) string {\n\treturn mx.nextRoutePath(nil)\n}\n")
    assert places(await asker.value(asked)) == ["late.go:4 return mx.nextRoutePath(nil)", *old]
    assert [place.line for place in await asker.value(Definition(asker.at("late.go", "nextRoutePath")))] == [452]

    new.unlink()
    assert places(await asker.value(asked)) == old


async def columns_count_utf_16_units(asker: Asker) -> None:
    file = asker.root / "wide.go"
    file.write_text('package chi\n\nfunc größe() {}\n\nfunc w() { _ = "🦊"; größe() }\n')
    question = Definition(asker.at("wide.go", "größe", '"🦊"; größe()'))
    assert question.at.col == 22
    [place] = await asker.value(question)
    assert (place.line, place.col, place.end_col) == (3, 6, 11)
    file.unlink()


async def test_the_tools_join_gopls_and_the_map(chi: Path) -> None:
    programs = ",".join(only("gopls"))
    async with serving(chi, "--server-programs", programs, deadline_s=PATIENCE_S) as server:
        await server.initialize()
        await server.call("map_rebuild")

        reply = await server.call("resolve", nodeId=MOUNT)
        assert reply["data"]["verified"] is True
        assert reply["data"]["location"]["line"] == 282
        assert reply["data"]["symbol"]["signature"].startswith("func (mx *Mux) Mount(")
        use = {"file": "mux.go", "line": 269, "col": 17}
        reply = await server.call("resolve", **use)
        assert (reply["data"]["nodeId"], reply["data"]["verified"]) == (NEW_ROUTER, True)

        reply = await server.call("nav_callHierarchy", nodeId=MOUNT, direction="outgoing", tokenBudget=10_000)
        called = {one.get("id") for one in reply["data"]["root"]["children"]}
        assert {"go:mux.go#Mux.handle", "go:tree.go#node.findPattern", "go:context.go#RouteContext"} <= called

        around = {"nodeId": "go:mux.go#Mux.routeHTTP", "direction": "out", "edgeKinds": ["calls"]}
        plain = (await server.call("map_neighbors", **around))["data"]
        assert not [one for one in plain["neighbors"] if one["confidence"] == "verified"]
        data = (await server.call("map_neighbors", **around, verify=True))["data"]
        found = {one["id"]: one["confidence"] for one in data["neighbors"] if not one["id"].startswith("go:ext:")}
        assert found["go:tree.go#node.FindRoute"] == "verified"
        assert set(found.values()) == {"verified"}


MODULES = {
    "app/go.mod": "module example.com/app\n\ngo 1.19\n\nrequire example.com/dep v1.0.0\n",
    "app/main.go": 'package main\n\nimport "example.com/dep"\n\nfunc main() { dep.Alpha() }\n',
    "app/vendor/modules.txt": "# example.com/dep v1.0.0\n## explicit; go 1.19\nexample.com/dep\n",
    "app/vendor/example.com/dep/dep.go": "package dep\n\nfunc Alpha() {}\n",
    "work/go.work": "go 1.19\n\nuse (\n\t./a\n\t./b\n)\n",
    "work/a/go.mod": "module example.com/a\n\ngo 1.19\n",
    "work/a/a.go": "package a\n\nfunc Beta() {}\n",
    "work/b/go.mod": "module example.com/b\n\ngo 1.19\n",
    "work/a/more.go": "package a\n\nfunc more() {}\n",
    "work/b/b.go": 'package b\n\nimport "example.com/a"\n\nfunc b() { a.Beta() }\n',
    "private/go.mod": "module example.com/private\n\ngo 1.19\n\nrequire example.com/nowhere v1.0.0\n",
    "private/p.go": 'package p\n\nimport "example.com/nowhere"\n\nfunc p() { nowhere.Gamma(); q() }\n\nfunc q() {}\n',
    "none/a.go": "package none\n\nfunc Delta() {}\n",
    "none/b.go": "package none\n\nfunc use() { Delta() }\n",
}


async def test_modules_of_every_kind_in_one_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, sprung = tmp_path / "modules", tmp_path / "sprung"
    for name, text in MODULES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for name in ("git", "hg", "curl"):  # how Go would fetch what is private
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\ncase "$*" in *nowhere*) echo "$0 $*" >> {sprung};; esac\nexit 1\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    monkeypatch.setenv("GOPRIVATE", "example.com")
    monkeypatch.setenv("GOFLAGS", "-mod=mod")
    before = contents(root)
    async with live(root, "gopls") as asker:
        question = Definition(asker.at("app/main.go", "Alpha"))
        assert places(await asker.value(question)) == ["app/vendor/example.com/dep/dep.go:3 func Alpha() {}"]

        fact = await asker.found(References(asker.at("work/a/a.go", "Beta")))
        assert (places(fact.value), fact.incomplete) == (["work/b/b.go:5 func b() { a.Beta() }"], "")

        fact = await asker.found(WorkspaceSymbols("go", "beta"))
        assert [(one.name, one.place.file) for one in fact.value] == [("Beta", "work/a/a.go")]
        assert fact.incomplete == "5 files are in projects that were not searched"
        assert fact.is_lasting

        assert places(await asker.value(Definition(asker.at("private/p.go", "q", "q() }")))) == [
            "private/p.go:7 func q() {}"
        ]

        fact = await asker.found(References(asker.at("none/a.go", "Delta")))
        assert "there is no go.mod: each file is looked at alone" in fact.incomplete
        assert fact.is_lasting
    assert not sprung.exists(), sprung.read_text()
    assert contents(root) == before


async def test_uses_in_a_module_inside_the_module_are_not_passed_over(tmp_path: Path) -> None:
    root = tmp_path / "nested"
    (root / "tool").mkdir(parents=True)
    (root / "go.mod").write_text("module example.com/root\n\ngo 1.19\n")
    (root / "root.go").write_text("package root\n\nfunc Alpha() {}\n\nfunc b() { Alpha() }\n")
    (root / "tool/go.mod").write_text(
        "module example.com/tool\n\ngo 1.19\n\nrequire example.com/root v0.0.0\n\nreplace example.com/root => ../\n"
    )
    (root / "tool/main.go").write_text('package main\n\nimport "example.com/root"\n\nfunc main() { root.Alpha() }\n')
    async with live(root, "gopls") as asker:
        [place] = await asker.value(Definition(asker.at("tool/main.go", "Alpha")))
        assert place.file == "root.go"
        fact = await asker.found(References(place.at))
        assert places(fact.value) == ["root.go:5 func b() { Alpha() }"]
        assert fact.incomplete == "1 files that mention it are in projects that were not searched"
        assert fact.is_lasting
