"""TypeScript's language servers over RxJS, as released: what they answer, and that it is of this moment."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

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


async def test_what_a_server_knows_of_rxjs(asker: Asker) -> None:
    before = contents(asker.root)
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
    assert contents(asker.root) == before


async def test_an_edit_shows_in_the_next_answer(asker: Asker) -> None:
    within = "return scheduleArray(input, scheduler);"
    assert [place.line for place in await asker.value(Definition(asker.at(SCHEDULED, "scheduleArray", within)))] == [4]

    target = asker.root / ARRAY
    target.write_text("// one\n// two\n" + target.read_text())
    assert [place.line for place in await asker.value(Definition(asker.at(SCHEDULED, "scheduleArray", within)))] == [6]

    source = asker.root / SCHEDULED
    source.write_text("// one\n" + source.read_text())
    question = Definition(asker.at(SCHEDULED, "scheduleArray", within))
    assert question.at.line == 35
    assert [(place.file, place.line) for place in await asker.value(question)] == [(ARRAY, 6)]


async def test_files_that_come_and_go_show_in_the_next_answer(asker: Asker) -> None:
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


async def test_columns_count_utf_16_units(asker: Asker) -> None:
    file = asker.root / "wide.ts"
    file.write_text("export function größe() {}\nexport const x = ['🦊', größe()];\n", encoding="utf-8")
    question = Definition(asker.at("wide.ts", "größe", "export const x"))
    assert question.at.col == 25
    [place] = await asker.value(question)
    assert (place.line, place.col, place.end_col) == (1, 17, 22)
