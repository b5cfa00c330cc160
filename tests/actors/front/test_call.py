"""The pipeline of a call, over a fake disk: which snapshot it sees, what it stats, and how it ends."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Set
from contextlib import asynccontextmanager
from typing import Annotated, Any, cast

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.front.answering import FIRST_MAP_WAIT_S
from actors.front.call import Reply, call
from actors.messaging.messages import Parsed
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.envelope.answer import Answer, CutList, Failure
from codemap.envelope.errors import ErrorCode
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import Tool, World, status
from codemap.tools.params import MapParams
from codemap.tools.view import not_built
from tests.actors.fakes import Chaos, FakeBuilder, FakeDisk

SETTINGS = Settings(token_budget=300, watch="off")


WATCHED = msgspec.structs.replace(SETTINGS, watch="auto")


class Map(msgspec.Struct, frozen=True):
    """A snapshot as far as this pipeline looks into one."""

    contents: Mapping[str, str]
    token: str


def build(
    previous: Map | None,
    changed: Mapping[str, Parsed],
    removed: Set[str],
    configs: Mapping[str, bytes],
    *,
    built_ns: int,
) -> Generator[None, None, Map]:
    contents = dict(previous.contents) if previous else {}
    contents |= {path: parsed.facts.names[0] for path, parsed in changed.items()}
    yield
    return Map({path: text for path, text in contents.items() if path not in removed}, f"t{built_ns}")


class Params(MapParams, frozen=True, kw_only=True):
    file: str
    scope: str = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1


class Shown(msgspec.Struct):
    file: str
    content: str


def show(world: World, params: Params) -> Answer | Failure:
    """The content of a file, many times over, and what is known of it on disk."""
    if world.snapshot is None:
        return Failure(ErrorCode.MAP_NOT_BUILT, "none yet", extras={"building": world.progress is not None})
    content = cast(Map, world.snapshot).contents.get(params.file, "")
    data = {
        "file": params.file,
        "content": content,
        "stale": sorted(world.disk.stale),
        "deleted": sorted(world.disk.deleted),
        "lines": [f"{number:03} {content}" for number in range(300)],
        **({"rebuilt": dict(world.rebuilt)} if world.rebuilt else {}),
    }
    return Answer(data, (CutList(("lines",), "lines", "ask for less"),), world.warnings)


def tool_of(answer: Callable[[World, Any], Answer | Failure], **extra: Any) -> Tool:
    return Tool(
        name="show",
        command="show",
        title="Show",
        description="Shows.",
        params=Params,
        payload=Shown,
        answer=answer,
        **extra,
    )


SHOW = tool_of(show)
FIND = tool_of(lambda world, params: not_built(world) if world.snapshot is None else show(world, params))


def tell(world: World, params: Params) -> Answer | Failure:
    """What `map_status` says of a world without a snapshot."""
    assert world.snapshot is None
    return status.answer(world, status.Params(token_budget=params.token_budget))


STATUS = tool_of(tell, checks_all_files=True)


@asynccontextmanager
async def serve(disk: FakeDisk, settings: Settings = SETTINGS) -> AsyncIterator[Service[Snapshot]]:
    assert isinstance(trio.lowlevel.current_clock(), MockClock)
    with trio.fail_after(1000):
        disk.start()
        async with open_service(settings, disk, FakeBuilder(build), jitter=lambda: 0.0) as service:
            yield cast("Service[Snapshot]", service)


async def ask(service: Service[Snapshot], tool: Tool = SHOW, **arguments: Any) -> Reply:
    reply = await call(service, SETTINGS, tool, arguments)
    assert json.loads(reply.text) == reply.envelope
    assert reply.is_error is not reply.envelope["ok"]
    return reply


async def test_a_call_that_comes_at_once_waits_for_the_first_map(autojump_clock: MockClock) -> None:
    async with serve(FakeDisk({"a.py": b"one"})) as service:
        reply = await ask(service, file="a.py")
        assert reply.envelope["data"]["content"] == "one"
        assert set(reply.timings) == {"decode", "wait", "answer", "stat", "render"}


async def test_a_map_that_takes_long_is_said_to_be_missing(autojump_clock: MockClock) -> None:
    async with serve(FakeDisk({"a.py": b"slow"})) as service:
        start = trio.current_time()
        reply = await ask(service, file="a.py")
        assert trio.current_time() - start == pytest.approx(FIRST_MAP_WAIT_S)
        assert reply.envelope["error"]["code"] == "MAP_NOT_BUILT"
        assert reply.envelope["error"]["building"] is True
        assert reply.duration_ms == pytest.approx(1000 * FIRST_MAP_WAIT_S)


class Slow(Chaos):
    """Every effect takes a while."""

    def delay_s(self) -> float:
        return 0.15


def sketch(parsed: Mapping[str, Parsed], configs: Mapping[str, bytes], *, built_ns: int) -> Generator[None, None, Map]:
    yield
    return Map({path: one.facts.names[0] for path, one in parsed.items()}, f"p{built_ns}")


async def test_who_asks_for_edges_waits_for_the_whole_map(autojump_clock: MockClock) -> None:
    """A partial one has definitions, and answers whoever asks for them at once."""
    disk = FakeDisk({f"f{number:02}.py": f"{number} ".encode().ljust(300_000) for number in range(15)})
    disk.chaos = Slow()
    settings = msgspec.structs.replace(SETTINGS, workers=1)
    disk.start()
    with trio.fail_after(1000):
        async with open_service(settings, disk, FakeBuilder(build, sketch=sketch), jitter=lambda: 0.0) as opened:
            service = cast("Service[Snapshot]", opened)
            await service.wait_begun()
            await ask(service, file="f00.py")
            assert (published := service.latest.get()) is not None
            assert published.is_partial
            reply = await ask(service, tool_of(show, needs_edges=True), file="f14.py")
            assert reply.envelope["data"]["content"].startswith("14 ")
            assert reply.timings["wait"] > 0
            assert (published := service.latest.get()) is not None
            assert not published.is_partial


async def test_the_budget_of_the_settings_holds_where_the_call_names_none(autojump_clock: MockClock) -> None:
    async with serve(FakeDisk({"a.py": b"one"})) as service:
        assert (await ask(service, file="a.py")).envelope["tokenBudget"]["requested"] == 300
        assert (await ask(service, file="a.py", tokenBudget=500)).envelope["tokenBudget"]["requested"] == 500
        assert (await ask(service, file="a.py", tokenBudget=5)).envelope["tokenBudget"]["requested"] == 100


async def test_the_budget_holds_whatever_else_is_wrong(autojump_clock: MockClock) -> None:
    async with serve(FakeDisk({"a.py": b"one"})) as service:
        for wrong in ({"flie": "x" * 500}, {"file": "x" * 9999}, {}):
            reply = await ask(service, **wrong, tokenBudget=100)
            assert reply.envelope["error"]["code"] == "BAD_ARGS"
            assert reply.envelope["tokenBudget"]["requested"] == 100
            assert len(reply.text) <= 400


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({}, "file"), ({"file": 7}, "file"), ({"file": "a", "limit": 10}, "limit"), ({"file": "a", "flie": 1}, "flie")],
)
async def test_what_the_schema_refuses_is_an_envelope(
    autojump_clock: MockClock, arguments: dict[str, Any], said: str
) -> None:
    async with serve(FakeDisk()) as service:
        reply = await ask(service, **arguments)
        assert reply.envelope["error"]["code"] == "BAD_ARGS"
        assert reply.envelope["error"]["message"].startswith(said)


async def test_files_that_the_answer_mentions_are_looked_at(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one", "b.py": b"two", "c.py": b"three"})
    async with serve(disk) as service:
        await service.wait_built()
        disk.write("a.py", b"changed")
        disk.delete("b.py")
        assert (await ask(service, file="a.py")).envelope["data"]["stale"] == ["a.py"]
        assert (await ask(service, file="b.py")).envelope["data"]["deleted"] == ["b.py"]
        unchanged = (await ask(service, file="c.py")).envelope["data"]
        assert (unchanged["stale"], unchanged["deleted"]) == ([], [])
        everything = tool_of(show, checks_all_files=True)
        told = (await ask(service, everything, file="c.py")).envelope["data"]
        assert (told["stale"], told["deleted"]) == (["a.py"], ["b.py"])


async def test_edits_are_in_the_map_when_the_caller_waits_for_them(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    async with serve(disk) as service:
        await service.wait_built()
        disk.write("a.py", b"two")
        assert (await ask(service, file="a.py")).envelope["data"]["content"] == "one"
        data = (await ask(service, file="a.py", freshWaitMs=100)).envelope["data"]
        assert (data["content"], data["stale"]) == ("two", [])
        disk.write("a.py", b"slow")
        start = trio.current_time()
        data = (await ask(service, file="a.py", freshWaitMs=100)).envelope["data"]
        assert (data["content"], data["stale"]) == ("two", ["a.py"])
        assert trio.current_time() - start == pytest.approx(0.1)


async def test_a_change_that_no_stat_shows_is_seen_by_the_content(autojump_clock: MockClock) -> None:
    """Written, indexed and written again within one tick of the file system's clock."""
    disk = FakeDisk({"a.py": b"one"})
    async with serve(disk) as service:
        await service.wait_built()
        disk.write("a.py", b"two")
        await service.rebuild()
        stat = disk.files["a.py"].stat
        assert (await ask(service, file="a.py")).envelope["data"]["stale"] == []
        disk.write("a.py", b"six")
        assert disk.files["a.py"].stat == stat
        data = (await ask(service, file="a.py")).envelope["data"]
        assert (data["content"], data["stale"]) == ("two", ["a.py"])


async def test_a_file_that_is_named_and_not_in_the_map_is_looked_for(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    async with serve(disk) as service:
        await service.wait_built()
        disk.write("new.py", b"new")
        disk.write("ignored.py", b"new")
        disk.ignored.add("ignored.py")
        for file, stale in (("new.py", ["new.py"]), ("ignored.py", []), ("missing.py", [])):
            assert (await ask(service, file=file)).envelope["data"]["stale"] == stale


async def test_files_that_are_changing_are_reported_whatever_the_answer_mentions(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one", "b.py": b"two", "pyproject.toml": b"1", "c.py": b"three"})
    async with serve(disk, WATCHED) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.write("b.py", b"2")
        disk.write("pyproject.toml", b"22")
        disk.write("new.py", b"new")
        disk.write("c.py", b"three", age_s=3600)
        await trio.sleep(0.01)
        data = (await ask(service, file="a.py")).envelope["data"]
        assert data["stale"] == ["b.py", "c.py", "new.py", "pyproject.toml"]
        await trio.sleep(1)
        assert (await ask(service, file="a.py")).envelope["data"]["stale"] == []


async def test_what_an_answer_found_stale_is_mended_without_an_event(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    async with serve(disk, WATCHED) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.is_silent = True
        disk.write("a.py", b"two")
        assert (await ask(service, file="a.py")).envelope["data"]["stale"] == ["a.py"]
        await trio.sleep(0.1)
        data = (await ask(service, file="a.py")).envelope["data"]
        assert (data["content"], data["stale"]) == ("two", [])
        disk.write("a.py", b"three")
        data = (await ask(service, file="a.py", freshWaitMs=1000)).envelope["data"]
        assert (data["content"], data["stale"]) == ("three", [])


async def test_a_wait_that_runs_out_is_said_to(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    async with serve(disk, WATCHED) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.write("a.py", b"slow")
        reply = await ask(service, file="a.py", freshWaitMs=100)
        assert reply.envelope["data"]["stale"] == ["a.py"]
        assert reply.envelope["warnings"] == [
            "freshWaitMs ran out before the last edits were in the map: repeat the call, with a larger one."
        ]


async def test_a_watch_that_cannot_be_had_is_in_every_answer(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    disk.unwatchable = "no more watches"
    async with serve(disk, WATCHED) as service:
        await service.wait_built()
        await trio.sleep(1)
        (warning,) = (await ask(service, file="a.py")).envelope["warnings"]
        assert "no more watches" in warning


async def test_folders_that_are_being_read_are_reported(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    async with serve(disk, WATCHED) as service:
        await service.wait_built()
        await trio.sleep(1)
        disk.write("x/b.py", b"two")
        await trio.sleep(0.01)
        (warning,) = (await ask(service, file="a.py")).envelope["warnings"]
        assert "missing here" in warning


async def test_a_tool_for_rebuilding_gets_what_was_rebuilt(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    async with serve(disk) as service:
        await service.wait_built()
        disk.write("a.py", b"two")
        data = (await ask(service, tool_of(show, needs_rebuild=True), file="a.py")).envelope["data"]
        assert data["content"] == "two"
        assert data["rebuilt"]["filesExtracted"] == 1
        assert data["rebuilt"]["cold"] is False


async def test_a_map_that_is_behind_says_why(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    behind: list[str] = []

    def note(world: World, params: Params) -> Answer | Failure:
        behind.append(world.behind)
        return show(world, params)

    async with serve(disk, WATCHED) as service:
        await ask(service, file="a.py")
        disk.go_away()
        await ask(service, tool_of(note), file="a.py")
        await trio.sleep(500)
        await ask(service, tool_of(note), file="a.py")
        assert set(behind) == {"the folder /repository is not there"}
        error = (await ask(service, tool_of(show, needs_rebuild=True), file="a.py")).envelope["error"]
        assert (error["code"], error["message"]) == (
            "MAP_NOT_BUILT",
            "The map cannot be brought up to date for now: the folder /repository is not there.",
        )


async def test_workers_that_cannot_start_are_no_empty_map(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    disk.unstartable = "ImportError: no module named msgspec"
    async with serve(disk) as service:
        for tool in (FIND, STATUS):
            reply = await ask(service, tool, file="a.py", tokenBudget=5000)
            assert "no parser process can be started: ImportError: no module named msgspec" in reply.text
            assert (reply.code, reply.envelope.get("data", {}).get("built")) in (("MAP_NOT_BUILT", None), ("ok", False))
        disk.unstartable = ""
        await trio.sleep(60)
        assert (await ask(service, file="a.py")).envelope["data"]["content"] == "one"


async def test_a_map_whose_every_file_was_given_up_is_no_empty_map(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"kill", "b.py": b"slow", "c.py": b"binary"})
    async with serve(disk) as service:
        assert await service.wait_built() is None
        reply = await ask(service, FIND, file="a.py")
        assert (reply.code, reply.envelope["error"]["message"]) == (
            "MAP_NOT_BUILT",
            "There is no map for now: every file was given up, 2 in all; a.py, the first of them: its parser ended: "
            "killed by a file.",
        )
        told = (await ask(service, STATUS, file="a.py", tokenBudget=5000)).envelope["data"]
        assert (told["built"], told["skipped"]) == (False, {"binary": 1, "timeout": 1, "unparsable": 1})
        assert told["skippedFiles"] == [
            {"file": "a.py", "reason": "unparsable", "detail": "its parser ended: killed by a file"},
            {"file": "b.py", "reason": "timeout", "detail": "no result in 10 s"},
        ]
        disk.write("a.py", b"one", age_s=60)
        await service.rebuild()
        assert (await ask(service, file="a.py")).envelope["data"]["content"] == "one"


async def test_a_map_of_no_files_at_all_is_one(autojump_clock: MockClock) -> None:
    async with serve(FakeDisk({"c.py": b"binary"})) as service:
        assert (await ask(service, file="a.py")).code == "ok"


async def test_pages_continue_until_the_map_moves_on(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"one"})
    async with serve(disk) as service:
        first = (await ask(service, file="a.py")).envelope
        second = (await ask(service, file="a.py", cursor=first["dropped"]["cursor"])).envelope
        shown = [*first["data"]["lines"], *second["data"]["lines"]]
        assert shown == [f"{number:03} one" for number in range(len(shown))]
        assert second["data"]["lines"]
        await trio.sleep(1)
        disk.write("a.py", b"two")
        await service.rebuild()
        refused = (await ask(service, file="a.py", cursor=first["dropped"]["cursor"])).envelope
        assert refused["error"]["code"] == "BAD_ARGS"
        assert "moved on" in refused["error"]["message"]


async def test_a_fault_is_an_incident_that_the_log_explains(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(world: World, params: Params) -> Answer:
        raise ZeroDivisionError("secret of the implementation")

    async with serve(FakeDisk({"a.py": b"one"})) as service:
        reply = await ask(service, tool_of(fail), file="a.py")
        error = reply.envelope["error"]
        assert error["code"] == "INTERNAL"
        assert "secret" not in reply.text
        logged = [line for line in capsys.readouterr().err.splitlines() if "event=incident" in line]
        assert len(logged) == 1
        assert f"incident={error['incident']}" in logged[0]
        assert "ZeroDivisionError: secret of the implementation" in logged[0]
        assert (await ask(service, file="a.py")).envelope["ok"]


async def test_an_answer_that_cannot_be_rendered_is_an_incident(autojump_clock: MockClock) -> None:
    def nonsense(world: World, params: Params) -> Answer:
        return Answer({"what": object()})

    async with serve(FakeDisk({"a.py": b"one"})) as service:
        assert (await ask(service, tool_of(nonsense), file="a.py")).envelope["error"]["code"] == "INTERNAL"


async def test_a_cancelled_call_is_cancelled(autojump_clock: MockClock) -> None:
    async with serve(FakeDisk({"a.py": b"slow"})) as service:
        with trio.move_on_after(0.5) as scope:
            await ask(service, file="a.py")
        assert scope.cancelled_caught
