"""Progress: what a waiting client is told, how often, and that its numbers rise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.front.call import Reply
from actors.front.progress import EVERY_S, Following, Progress, report
from actors.front.protocol.sdk import make_server
from actors.front.protocol.speaking import serve as speak
from actors.front.transports.connection import Connection
from actors.indexing.latest_snapshot import Building
from actors.service.wiring import open_service
from codemap.settings import Settings
from codemap.tools import Tool
from tests.actors.fakes import FakeBuilder, FakeDisk, fake_build
from tests.actors.front.protocol.test_sdk import LISTINGS, Frames, modern


class Scripted(Following):
    """A call whose stages follow one another, each for a time."""

    def __init__(self, *stages: tuple[float, Progress | None]) -> None:
        super().__init__()
        self._stages = stages
        self._begun = trio.current_time()

    def progress(self) -> Progress | None:
        at = trio.current_time() - self._begun
        for length, stage in self._stages:
            if at < length:
                return stage
            at -= length
        return None


async def told_by(following: Following, seconds: float) -> list[tuple[float, float | None, str]]:
    told: list[tuple[float, float | None, str]] = []

    async def tell(done: float, total: float | None, sentence: str) -> None:
        told.append((done, total, sentence))

    with trio.move_on_after(seconds):
        await report(following, tell)
    return told


async def test_what_is_new_is_reported_and_numbers_rise(autojump_clock: MockClock) -> None:
    following = Scripted(
        (0.5, Progress(0, None, "list")),
        (0.5, Progress(3, 10, "three")),
        (0.5, Progress(1, 4, "another stage")),
        (0.5, None),
        (0.5, Progress(4, 4, "done")),
    )
    told = await told_by(following, 5)
    assert [sentence for _, _, sentence in told] == ["list", "three", "another stage", "done"]
    numbers = [done for done, _, _ in told]
    assert numbers == sorted(set(numbers))
    assert told[1] == (3, 10, "three")
    assert told[2][1] is None, "a number that did not rise is part of no total"


async def test_ten_times_a_second_at_most(autojump_clock: MockClock) -> None:
    class Counting(Following):
        def progress(self) -> Progress:
            return Progress(trio.current_time(), None, "on")

    told = await told_by(Counting(), 2.05)
    assert len(told) == 20


async def test_a_quick_call_reports_nothing(autojump_clock: MockClock) -> None:
    assert await told_by(Scripted((1, Progress(1, 2, "x"))), EVERY_S * 0.9) == []


async def test_a_build_and_questions_are_followed(autojump_clock: MockClock) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with open_service(Settings(), disk, FakeBuilder(fake_build), jitter=lambda: 0.0) as service:
        disk.start()
        await service.wait_built()
        await trio.sleep(1)
        following = Following()
        assert following.progress() is None
        following.service = service
        assert following.progress() is None
        service.latest._building = Building("extract", 3, 10)
        assert following.progress() == Progress(15, 100, "Parsed 3 of 10 files")
        service.latest._building = Building("graph", 1, 4)
        assert following.progress() == Progress(62.5, 100, "Bound the names of 1 of 4 files")
        service.latest._building = Building("graph", 0, 0)
        assert following.progress() == Progress(50, 100, "Bound the names of 0 of 0 files")
        service.latest._building = None
        following.asked, following.answered = 5, 2
        assert following.progress() == Progress(2, 5, "2 of 5 questions to the language server are answered")
        following.answered = 5
        assert following.progress() is None


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ({"state": "cold"}, ": it is starting"),
        ({"state": "starting"}, ": it is starting"),
        ({"state": "backoff"}, ": it is starting"),
        ({"state": "loading"}, ": it loads the project"),
        ({"state": "loading", "progress": "indexing 40 %"}, ": indexing 40 %"),
        ({"state": "ready", "progress": "checking 3/7"}, ": checking 3/7"),
        ({"state": "ready"}, ""),
        ({}, ""),
    ],
)
async def test_what_a_server_does_meanwhile_is_reported(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, status: dict[str, str], words: str
) -> None:
    disk = FakeDisk({"a.py": b"1"})
    async with open_service(Settings(), disk, FakeBuilder(fake_build), jitter=lambda: 0.0) as service:
        disk.start()
        await service.wait_built()
        await trio.sleep(1)
        monkeypatch.setattr(service, "live_status", lambda: {"go": {"state": "ready"}, "py": status})
        following = Following()
        following.service = service
        following.asked, following.languages = 3, {"py"}
        said = "0 of 3 questions to the language server are answered"
        assert following.progress() == Progress(0, 3, f"{said}{words}")


@pytest.mark.parametrize("is_modern", [False, True])
async def test_a_client_that_asks_is_notified(is_modern: bool, autojump_clock: MockClock) -> None:
    async def slow(tool: Tool, arguments: Mapping[str, Any], following: Following) -> Reply:
        begun = trio.current_time()
        following.progress = lambda: Progress(int(trio.current_time() - begun), 3, "on")  # type: ignore[method-assign]
        await trio.sleep(2.5)
        return Reply("{}", {}, False, "ok", 1.0, {})

    frames = Frames()
    with trio.fail_after(100):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                speak, Connection(frames, requests_max=9), LISTINGS, slow, lambda: make_server(LISTINGS, slow)
            )
            if not is_modern:
                client = {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "t", "version": "1"},
                }
                await frames.ask(id=0, method="initialize", params=client)
            plain: dict[str, Any] = {"name": "map_rebuild", "arguments": {}}
            params = modern(plain) if is_modern else plain
            silent = await frames.ask(id=1, method="tools/call", params=params)
            assert silent["id"] == 1, "who does not ask is not told"
            params = params | {"_meta": {**params.get("_meta", {}), "progressToken": "p"}}
            told = [await frames.ask(id=2, method="tools/call", params=params)]
            while "id" not in told[-1]:
                told.append(msgspec.json.decode(await frames.sent.receive()))
            assert [one["params"] for one in told[:-1]] == [
                {"progressToken": "p", "progress": number, "total": 3, "message": "on"} for number in (0, 1, 2)
            ]
            nursery.cancel_scope.cancel()
