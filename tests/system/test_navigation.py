"""Navigation through real language servers: what is a use, what is a declaration, and what is only an import."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.system.live import only
from tests.system.process import Server, serving

APP, DISPATCH = "src/flask/app.py", "py:src/flask/app.py#Flask.full_dispatch_request"
USE = {"file": APP, "line": 1511, "col": 33}
OWN = {(APP, 1511)}
OF_FIXTURES = {("tests/test_reqctx.py", 292), ("tests/test_reqctx.py", 312)}
"""Uses through a fixture, whose type only some servers know; the map does."""
UNNAMED = f"The map has {len(OF_FIXTURES)} use(s) that the server does not name: map_neighbors {{"
DECLARED = (APP, 904)
PATIENCE_S = 400
LATE = ("Repeat the call", "did not say where it is declared")


async def references(server: Server, **arguments: Any) -> dict[str, Any]:
    """The reply, asked for again as long as it advises that, or the server was too slow to say all."""
    while True:
        found = await server.call("nav_references", **arguments, tokenBudget=10_000)
        if found["ok"] and not any(word in warning for warning in found["warnings"] for word in LATE):
            return found


def placed(found: dict[str, Any]) -> set[tuple[str, int]]:
    return {(place["file"], place["line"]) for place in found["data"]["locations"]}


async def places(server: Server, **arguments: Any) -> set[tuple[str, int]]:
    return placed(await references(server, **arguments))


@pytest.mark.parametrize(("name", "uses"), [("ty", OWN | OF_FIXTURES), ("basedpyright", OWN), ("pyright", OWN)])
async def test_references_are_the_uses_wherever_they_are_asked_from(
    flask: Path, name: str, uses: set[tuple[str, int]]
) -> None:
    programs = ",".join(only(name))
    async with serving(flask, "--server-programs", programs, deadline_s=PATIENCE_S) as server:
        await server.initialize()
        await server.call("map_rebuild")
        for asked in (USE, {"nodeId": DISPATCH}):
            found = await references(server, **asked)
            assert placed(found) == uses
            said = [warning for warning in found["warnings"] if warning.startswith(UNNAMED)]
            assert (len(said), found["data"].get("complete", True)) == ((0, True) if uses > OWN else (1, False))
            assert await places(server, **asked, includeDeclaration=True) == uses | {DECLARED}
        lines = {("src/flask/sansio/app.py", 32), ("src/flask/sansio/app.py", 518)}
        assert await places(server, nodeId="py:src/flask/sansio/scaffold.py#find_package") == lines


async def test_what_a_server_names_and_what_it_does_not_are_all_that_there_is(flask: Path) -> None:
    """The text of the files has the last word: ty knows the type of some fixtures only."""
    decorated = sum(
        line.lstrip().startswith("@") and ".errorhandler(" in line
        for path in (flask / "tests").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    within = ("src/flask/sansio/blueprints.py", 605)  # in a function without types
    async with serving(flask, "--server-programs", ",".join(only("ty")), deadline_s=PATIENCE_S) as server:
        await server.initialize()
        await server.call("map_rebuild")
        found = await references(server, nodeId="py:src/flask/sansio/scaffold.py#Scaffold.errorhandler")
        [said] = found["warnings"]
        count = re.match(r"The map has (\d+) possible use\(s\) that the server does not name: map_neighbors \{", said)
        assert count
        assert 0 < int(count[1]) < decorated
        assert len(found["data"]["locations"]) + int(count[1]) == decorated + (within in placed(found))
        assert found["data"]["complete"] is False


async def test_what_a_server_said_is_in_the_map(flask: Path) -> None:
    async with serving(flask, "--server-programs", ",".join(only("ty")), deadline_s=PATIENCE_S) as server:
        await server.initialize()
        await server.call("map_rebuild")

        async def levels() -> set[str]:
            asked = {"nodeId": DISPATCH, "direction": "in", "edgeKinds": ["calls"], "freshWaitMs": 5000}
            neighbors = (await server.call("map_neighbors", **asked))["data"]["neighbors"]
            return {one["confidence"] for one in neighbors if one["file"] == APP}

        assert await levels() == {"exact"}
        await server.call("nav_definition", **USE)
        while await levels() != {"verified"}:
            pass


ARRAY = "internal/scheduled/scheduleArray.ts"
CROSSINGS = {
    "py": (DISPATCH, USE, (APP, 904), "def full_dispatch_request(self) -> Response"),
    "ts": (
        f"ts:{ARRAY}#scheduleArray",
        {"file": "internal/scheduled/scheduled.ts", "line": 34, "col": 14},
        (ARRAY, 4),
        "function scheduleArray<T>(input: ArrayLike<T>, scheduler: SchedulerLike)",
    ),
}
"""A node, a use of it, where it is defined, its signature."""


@pytest.mark.parametrize(
    ("name", "language"),
    [
        *((name, "py") for name in ("ty", "basedpyright", "pyright")),
        *((name, "ts") for name in ("typescript", "typescript-language-server")),
    ],
)
async def test_resolve_crosses_both_ways(
    flask: Path, rxjs: Path, tmp_path: Path, name: str, language: Literal["py", "ts"]
) -> None:
    node, use, (file, line), signature = CROSSINGS[language]
    root = flask
    if language == "ts":
        root = tmp_path / "rxjs"
        shutil.copytree(rxjs, root)
        (root / "tsconfig.json").write_text('{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler"}}')
    async with serving(root, "--server-programs", ",".join(only(name)), deadline_s=PATIENCE_S) as server:
        await server.initialize()
        await server.call("map_rebuild")

        there = await server.resolved(nodeId=node)
        assert (there["location"]["file"], there["location"]["line"]) == (file, line)
        assert (there["inMap"], there["mapStale"], there["source"].split()[0]) == (True, False, name)
        assert there["symbol"]["signature"] == signature
        back = await server.resolved(**use)
        assert (back["nodeId"], back["location"]["file"], back["location"]["line"]) == (node, file, line)


UNRESOLVED = {
    "a.py": ("from nosuch import other as o\n\n\ndef f():\n    o()\n", {"line": 5, "col": 5}, 1),
    "a.ts": ("import { other as o } from './nosuch';\nexport function f() { o(); }\n", {"line": 2, "col": 23}, 1),
}


@pytest.mark.parametrize(
    ("name", "file", "names_it"),
    [("ty", "a.py", True), ("basedpyright", "a.py", False), ("typescript", "a.ts", True)],
)
async def test_an_import_that_leads_nowhere_is_reported_as_such(
    tmp_path: Path, name: str, file: str, names_it: bool
) -> None:
    text, at, line = UNRESOLVED[file]
    (tmp_path / file).write_text(text)
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler"}}')
    async with serving(tmp_path, "--server-programs", ",".join(only(name)), deadline_s=PATIENCE_S) as server:
        await server.initialize()
        await server.call("map_rebuild")
        found = await server.call("nav_definition", file=file, **at)
        while not found["ok"] or found["data"].get("complete") is False:
            found = await server.call("nav_definition", file=file, **at)
        assert [place["line"] for place in found["data"]["locations"]] == ([line] if names_it else [])
        said = "leads only to the import of o at line 1" if names_it else "knows no definition of o"
        assert any(said in warning for warning in found["warnings"])
        resolved = await server.call("resolve", file=file, **at)
        assert resolved["data"]["verified"] is False
