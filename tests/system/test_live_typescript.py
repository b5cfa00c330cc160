"""TypeScript's language servers over RxJS, as released: what they answer, and that it is of this moment."""

from __future__ import annotations

import json
import shutil
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
from tests.system.live import Asker, ask_in_one_life, callers, live, places, root_of, tree

SERVERS = ("typescript", "typescript-language-server")
SCHEDULED, ARRAY = "internal/scheduled/scheduled.ts", "internal/scheduled/scheduleArray.ts"
TYPES, SUBSCRIPTION = "internal/types.ts", "internal/Subscription.ts"


@pytest.fixture(params=SERVERS)
async def asker(rxjs: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Asker]:
    root = tmp_path / "rxjs"
    shutil.copytree(rxjs, root)
    options = {"strict": True, "module": "esnext", "moduleResolution": "bundler", "noEmit": True}
    (root / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["."]}))
    async with live(root, request.param) as asker:
        yield asker


async def test_what_a_server_answers_of_rxjs(asker: Asker) -> None:
    await ask_in_one_life(
        asker,
        an_edit_shows_in_the_next_answer,
        files_that_come_and_go_show_in_the_next_answer,
        columns_count_utf_16_units,
        what_a_server_knows,
    )


async def what_a_server_knows(asker: Asker) -> None:
    use = asker.at(SCHEDULED, "scheduleArray", "return scheduleArray(input, scheduler);")
    definition = asker.at(ARRAY, "scheduleArray", "export function scheduleArray")

    found = await asker.value(Definition(use))
    assert places(found) == [
        f"{ARRAY}:4 export function scheduleArray<T>(input: ArrayLike<T>, scheduler: SchedulerLike) {{"
    ]

    found = await asker.value(References(definition))
    assert f"{SCHEDULED}:34 return scheduleArray(input, scheduler);" in places(found)
    assert {(place.file, place.line) for place in found} <= {(SCHEDULED, 3), (SCHEDULED, 34)}

    text = await asker.value(Hover(use))
    assert "scheduleArray" in text
    assert "input: ArrayLike" in text

    implemented = await asker.value(
        Implementations(asker.at(TYPES, "SubscriptionLike", "export interface SubscriptionLike"))
    )
    assert {place.file for place in implemented} >= {SUBSCRIPTION, "internal/Subject.ts"}

    item = await root_of(asker, CallRoots(definition))
    assert (item.name, item.place.file, item.place.line) == ("scheduleArray", ARRAY, 4)
    assert callers(await asker.value(CallsTo(item))) == {f"{SCHEDULED} scheduled": [34]}
    called = callers(
        await asker.value(
            CallsFrom(await root_of(asker, CallRoots(asker.at(SCHEDULED, "scheduled", "export function scheduled"))))
        )
    )
    assert called[f"{ARRAY} scheduleArray"] == [34]
    assert called["internal/util/isPromise.ts isPromise"] == [36]

    symbols = tree(await asker.value(Outline(SUBSCRIPTION)))
    assert {"unsubscribe", "add", "remove", "_parentage"} <= set(symbols["Subscription"])

    named = await asker.value(WorkspaceSymbols("ts", "scheduleReadableStreamLike"))
    assert "internal/scheduled/scheduleReadableStreamLike.ts" in {
        one.place.file for one in named if one.name == "scheduleReadableStreamLike"
    }


async def an_edit_shows_in_the_next_answer(asker: Asker) -> None:
    within = "return scheduleArray(input, scheduler);"
    assert [place.line for place in await asker.value(Definition(asker.at(SCHEDULED, "scheduleArray", within)))] == [4]

    target = asker.root / ARRAY
    old_target = target.read_text()
    target.write_text("// one\n// two\n" + old_target)
    assert [place.line for place in await asker.value(Definition(asker.at(SCHEDULED, "scheduleArray", within)))] == [6]

    source = asker.root / SCHEDULED
    old_source = source.read_text()
    source.write_text("// one\n" + old_source)
    question = Definition(asker.at(SCHEDULED, "scheduleArray", within))
    assert question.at.line == 35
    assert [(place.file, place.line) for place in await asker.value(question)] == [(ARRAY, 6)]
    target.write_text(old_target)
    source.write_text(old_source)


async def files_that_come_and_go_show_in_the_next_answer(asker: Asker) -> None:
    asked = References(asker.at(ARRAY, "scheduleArray", "export function scheduleArray"))
    old = f"{SCHEDULED}:34 return scheduleArray(input, scheduler);"
    assert places(await asker.value(asked))[-1] == old

    new = asker.root / "internal/late.ts"
    new.write_text("import { scheduleArray } from './scheduled/scheduleArray';\n\nexport const late = scheduleArray;\n")
    found = places(await asker.value(asked))
    assert "internal/late.ts:3 export const late = scheduleArray;" in found
    assert found[-1] == old
    [place] = await asker.value(Definition(asker.at("internal/late.ts", "scheduleArray", "export const late")))
    assert (place.file, place.line) == (ARRAY, 4)

    new.unlink()
    assert not [place for place in await asker.value(asked) if place.file == "internal/late.ts"]


async def columns_count_utf_16_units(asker: Asker) -> None:
    file = asker.root / "wide.ts"
    file.write_text("export function größe() {}\nexport const x = ['🦊', größe()];\n", encoding="utf-8")
    question = Definition(asker.at("wide.ts", "größe", "export const x"))
    assert question.at.col == 25
    [place] = await asker.value(question)
    assert (place.line, place.col, place.end_col) == (1, 17, 22)
    file.unlink()


@pytest.mark.parametrize("server", SERVERS)
async def test_uses_in_projects_that_were_not_asked_about_are_found(tmp_path: Path, server: str) -> None:
    """A server knows a project once one of its files was asked about, and says nothing of the others."""
    root = tmp_path / "monorepo"
    for name in ("a", "b"):
        folder = root / "packages" / name
        (folder / "src").mkdir(parents=True)
        (folder / "package.json").write_text(json.dumps({"name": f"@m/{name}", "types": "src/index.ts"}))
        options = {"strict": True, "module": "esnext", "moduleResolution": "bundler"}
        (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["src"]}))
    (root / "package.json").write_text('{"private": true, "workspaces": ["packages/*"]}')
    (root / "packages/a/src/index.ts").write_text("export function alpha() {}\n")
    (root / "packages/b/src/index.ts").write_text("import { alpha } from '@m/a';\n\nalpha();\n")
    (root / "node_modules/@m").mkdir(parents=True)
    (root / "node_modules/@m/a").symlink_to(root / "packages/a")
    async with live(root, server) as asker:
        uses = await asker.value(References(asker.at("packages/a/src/index.ts", "alpha")))
        assert places(uses)[-1] == "packages/b/src/index.ts:3 alpha();"
        named = await asker.value(WorkspaceSymbols("ts", "alpha"))
        assert next(one.place.file for one in named if one.name == "alpha") == "packages/a/src/index.ts"


@pytest.mark.parametrize("server", SERVERS)
async def test_uses_are_found_without_any_configuration(tmp_path: Path, server: str) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "one.js").write_text("export function alpha() {}\n")
    (root / "two.js").write_text("import { alpha } from './one.js';\n\nalpha();\n")
    async with live(root, server) as asker:
        assert [one.place.file for one in await asker.value(WorkspaceSymbols("js", "alpha"))][:1] == ["one.js"]
        item = await root_of(asker, CallRoots(asker.at("one.js", "alpha")))
        assert [link.sites[0].line for link in await asker.value(CallsTo(item))] == [3]
        uses = await asker.value(References(asker.at("one.js", "alpha")))
        assert places(uses)[-1] == "two.js:3 alpha();"


async def test_a_project_whose_options_typescript_7_has_dropped_gets_the_older_compiler(tmp_path: Path) -> None:
    root = tmp_path / "based"
    (root / "src/lib").mkdir(parents=True)
    (root / "src/lib/one.ts").write_text("export function alpha() {}\n")
    (root / "src/two.ts").write_text("import { alpha } from 'lib/one';\n\nalpha();\n")
    (root / "tsconfig.json").write_text('{"compilerOptions": {"baseUrl": "src", "ignoreDeprecations": "6.0"}}')
    async with live(root, *SERVERS) as asker:
        question = Definition(asker.at("src/two.ts", "alpha", "alpha();"))
        assert places(await asker.value(question)) == ["src/lib/one.ts:1 export function alpha() {}"]
        assert (await asker.found(question)).server.startswith("typescript-language-server ")
    async with live(root, "typescript") as asker:
        found = await asker.found(question)
        assert found.incomplete == "tsconfig.json states baseUrl, which TypeScript 7 does not have"
