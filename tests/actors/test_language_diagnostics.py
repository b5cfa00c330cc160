"""Diagnostics from servers that are slow, mute, loading, restarting or broken: no file is falsely called clean.

Whatever happens, an answer that calls itself complete is what a server that works would have said of the disk at some
moment between the question and the answer.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec
import pytest
import trio
from trio.testing import MockClock

from codemap.live_queries import BaseTexts, Because, Diagnostics, Found, Missed
from codemap.lsp.server import AfterProgress, Cancel, Diagnosing, Pulled, Pushed, PushedOnRequest, Server
from tests.actors.language_world import FILES, SERVER, LanguageWorld, because, open_world
from tests.language_server.script import DIAGNOSE, Scenario
from tests.language_server.sources import Code

TRIALS, AT_ONCE = 200, 10
CALLERS, CALLS = 3, 6
HOW: Mapping[str, Diagnosing] = {"pull": Pulled(), "push": Pushed(), "request": PushedOnRequest(DIAGNOSE)}
METHODS = {"pull": "textDocument/diagnostic", "request": DIAGNOSE, "push": ""}
DEEDS = {
    "answer": 30,
    "slow:1": 4,
    "slow:20": 2,
    "error:-32801": 3,
    "error:-32800": 2,
    "error:-32603": 2,
    "twice": 2,
    "drip": 1,
    "burn:2": 1,
    "null": 2,
    "never": 2,
    "half": 1,
    "exit": 3,
    "stop": 1,
    "noise": 1,
    "deaf": 1,
}
BROKEN = FILES["a.py"].replace(b"greet", b"meet")
TEXTS = {path: content.decode() for path, content in FILES.items()}
ROOT = "/repository/"
VERSIONS = (
    None,
    None,
    BaseTexts("1" * 40, {"a.py": BROKEN.decode()}),
    BaseTexts("2" * 40, {"a.py": TEXTS["a.py"]}),
    BaseTexts("3" * 40, {"b.py": "gone()\n"}),
)
"""Some questions of the trials are about another version than that on disk."""

each_way = pytest.mark.parametrize("how", HOW)


def server_of(how: str, **others: object) -> Server:
    made: Server = msgspec.structs.replace(SERVER, diagnosing=HOW[how], reopens=how == "push", **others)
    return made


def truth(file: str, files: Mapping[str, str]) -> list[tuple[int, str]]:
    """Line and message of all that is wrong in a file."""
    code = Code("/repository", lambda path: files.get(path.removeprefix(ROOT)), lambda: [ROOT + path for path in files])
    return [(one["range"]["start"]["line"] + 1, one["message"]) for one in code.diagnostics(ROOT + file)]  # type: ignore[index]


def said(fact: Found) -> list[tuple[int, str]]:
    return [(one.place.line, one.message) for one in fact.value]


async def found(world: LanguageWorld, file: str, base: BaseTexts | None = None) -> list[tuple[int, str]]:
    """Of a complete answer."""
    fact = await world.ask(Diagnostics(file, base))
    assert isinstance(fact, Found), fact
    assert fact.incomplete == ""
    return said(fact)


@each_way
async def test_an_edit_shows_in_the_file_and_in_what_depends_on_it(autojump_clock: MockClock, how: str) -> None:
    async with open_world(Scenario(diagnosing=how, push_s=0.3), servers=(server_of(how),)) as world:
        assert await found(world, "b.py") == []
        assert await found(world, "b.py") == []  # the same version, once more
        world.disk.write("a.py", BROKEN)
        assert await found(world, "a.py") == []
        assert await found(world, "b.py") == [(1, "a has no greet")]
        world.disk.write("a.py", FILES["a.py"])
        assert await found(world, "b.py") == []
        world.disk.write("b.py", FILES["b.py"] + b"    return hello('y')\n")
        assert await found(world, "b.py") == [(6, "hello is not defined")]


@each_way
async def test_a_base_is_seen_by_a_server_apart(autojump_clock: MockClock, how: str) -> None:
    """The texts of the base are shown as open documents: nothing is written, and no other question sees them."""
    async with open_world(Scenario(diagnosing=how, push_s=0.3), servers=(server_of(how),)) as world:
        world.disk.write("a.py", BROKEN)
        before = {path: file.content for path, file in world.disk.files.items()}
        base = BaseTexts("b" * 40, {"a.py": FILES["a.py"].decode()})
        assert await found(world, "b.py", base) == []
        assert await found(world, "b.py") == [(1, "a has no greet")]
        assert await found(world, "c.py", base) == []
        grown = BaseTexts("b" * 40, {**base.texts, "c.py": "gone()\n"})
        assert await found(world, "c.py", grown) == [(1, "gone is not defined")]
        assert await found(world, "b.py", grown) == []
        assert await found(world, "b.py") == [(1, "a has no greet")]
        assert {path: file.content for path, file in world.disk.files.items()} == before
        assert len(world.processes.started) == 2
        for number in range(3):
            assert await found(world, "b.py", BaseTexts(f"{number}" * 40, base.texts)) == []
        assert len(world.processes.started) == 2, "the one of now, and one for bases"


@each_way
async def test_a_server_apart_is_shown_the_next_version(autojump_clock: MockClock, how: str) -> None:
    """What the version before had and the next has not is as on disk again."""
    async with open_world(Scenario(diagnosing=how, push_s=0.3), servers=(server_of(how),)) as world:
        fine, broken = FILES["a.py"].decode(), BROKEN.decode()
        one = BaseTexts("1" * 40, {"a.py": broken, "c.py": "gone()\n"})
        assert await found(world, "b.py", one) == [(1, "a has no greet")]
        assert await found(world, "c.py", one) == [(1, "gone is not defined")]
        two = BaseTexts("2" * 40, {"a.py": broken})
        assert await found(world, "b.py", two) == [(1, "a has no greet")]
        assert await found(world, "c.py", two) == truth("c.py", {**TEXTS, "a.py": broken})
        assert await found(world, "b.py", BaseTexts("3" * 40, {"a.py": fine})) == []
        assert await found(world, "b.py", BaseTexts("4" * 40, {"c.py": "gone()\n"})) == []
        assert len(world.processes.started) == 1
        world.disk.write("a.py", BROKEN)
        assert await found(world, "b.py", BaseTexts("5" * 40, {"c.py": "gone()\n"})) == [(1, "a has no greet")]


@each_way
async def test_versions_asked_about_at_once_are_kept_apart(autojump_clock: MockClock, how: str) -> None:
    async with open_world(Scenario(diagnosing=how, push_s=0.3), servers=(server_of(how),)) as world:
        heard: dict[str, list[tuple[int, str]]] = {}

        async def ask(name: str, text: bytes) -> None:
            heard[name] = await found(world, "b.py", BaseTexts(name * 40, {"a.py": text.decode()}))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, "1", BROKEN)
            nursery.start_soon(ask, "2", FILES["a.py"])
        assert heard == {"1": [(1, "a has no greet")], "2": []}
        assert len(world.processes.alive) == len(heard)


@each_way
async def test_while_it_loads_nothing_is_clean(autojump_clock: MockClock, how: str) -> None:
    server = server_of(how, readiness=AfterProgress("loading"), ready_s=5.0)
    async with open_world(Scenario(diagnosing=how, loads_s=60.0), servers=(server,)) as world:
        assert because(await world.ask(Diagnostics("b.py"))) is Because.NOT_READY


async def test_a_push_that_never_comes_is_no_answer(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(diagnosing="push", pushes_lost=1), servers=(server_of("push"),)) as world:
        assert because(await world.ask_within(30, Diagnostics("b.py"))) is Because.FAILED


async def test_a_push_for_an_earlier_version_is_no_answer(autojump_clock: MockClock) -> None:
    """The file changes while the server works on the version before."""
    async with open_world(Scenario(diagnosing="push", push_s=2.0), servers=(server_of("push"),)) as world:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.ask_within, 1.0, Diagnostics("b.py"))
            await trio.sleep(1.5)
        world.disk.write("b.py", b"hello()\n")
        assert await found(world, "b.py") == [(1, "hello is not defined")]


async def test_a_server_without_diagnostics_is_said_to_have_none(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(), servers=(SERVER,)) as world:
        assert because(await world.ask(Diagnostics("b.py"))) is Because.UNSUPPORTED


async def test_a_server_that_publishes_nothing_on_request_says_nothing(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(diagnosing="request", pushes_lost=9), servers=(server_of("request"),)) as world:
        assert because(await world.ask(Diagnostics("b.py"))) is Because.REFUSED


async def test_what_finds_less_says_so(autojump_clock: MockClock) -> None:
    server = server_of("pull", diagnoses_partly="it finds half")
    async with open_world(Scenario(diagnosing="pull"), servers=(server,)) as world:
        fact = await world.ask(Diagnostics("b.py"))
        assert isinstance(fact, Found)
        assert (fact.incomplete, fact.is_lasting) == ("it finds half", True)


@pytest.mark.parametrize("first", range(0, TRIALS, AT_ONCE))
async def test_no_false_clean(autojump_clock: MockClock, first: int) -> None:
    complete = [await trial(seed) for seed in range(first, first + AT_ONCE)]
    assert sum(complete) > AT_ONCE, "what never answers is never wrong"


async def trial(seed: int) -> int:
    """One world; how many complete answers there were, all of them true."""
    chance = random.Random(seed)
    how = chance.choice(list(HOW))
    loads_s = chance.choice([0.0, 0.0, 2.0, 40.0])
    server = server_of(
        how,
        in_flight_max=chance.choice([1, 4]),
        cancel=chance.choice([Cancel.MESSAGE, Cancel.NONE]),
        opens=how == "push" or chance.random() < 0.3,
        readiness=AfterProgress("loading"),
    )

    def scenario() -> Scenario:
        return Scenario(
            initialize=chance.choices(["answer", "garbage", "never", "exit"], [20, 2, 1, 1])[0],
            encoding=chance.choice(["utf-8", "utf-16"]),
            requests={METHODS[how]: chance.choices(list(DEEDS), list(DEEDS.values()), k=30)},
            diagnosing=how,
            push_s=chance.choice([0.0, 0.3, 3.0]),
            pushes_lost=chance.choice([0, 0, 0, 1, 3]),
            loads_s=loads_s,
            on_cancel=chance.choice(["honour", "ignore", "empty"]),
        )

    complete = 0
    async with open_world(*(scenario() for _ in range(40)), servers=(server,)) as world:
        world.sees_events = chance.random() < 0.8
        states: list[Mapping[str, str]] = []

        def note() -> None:
            states.append({path: file.content.decode() for path, file in world.disk.files.items()})

        note()

        async def call() -> None:
            nonlocal complete
            for _ in range(CALLS):
                file = chance.choice(["b.py", "c.py"])
                asked_in, seconds = len(states) - 1, chance.choice([0.5, 3, 15, 30])
                base = chance.choice(VERSIONS)
                fact = await world.ask_within(seconds, Diagnostics(file, base))
                assert fact is None or isinstance(fact, Found | Missed)
                if isinstance(fact, Found) and not fact.incomplete:
                    complete += 1
                    over = {} if base is None else base.texts
                    assert said(fact) in [truth(file, {**files, **over}) for files in states[asked_in:]]
                await trio.sleep(chance.choice([0, 0.01, 0.3, 5]))

        async def edit() -> None:
            while True:
                await trio.sleep(chance.choice([0.5, 4, 20]))
                world.disk.write("a.py", chance.choice([BROKEN, FILES["a.py"]]))
                if chance.random() < 0.3:
                    world.disk.write("b.py", b"\n" * chance.randrange(9) + FILES["b.py"])
                note()

        async def kill() -> None:
            while True:
                await trio.sleep(chance.uniform(3, 40))
                running = [process for process in world.processes.started if process.status is None]
                if running and chance.random() < 0.7:
                    running[-1].end(-9)
                elif running:
                    running[-1].is_stopped = True

        async with trio.open_nursery() as nursery:
            nursery.start_soon(edit)
            nursery.start_soon(kill)
            async with trio.open_nursery() as callers:
                for _ in range(CALLERS):
                    callers.start_soon(call)
            nursery.cancel_scope.cancel()
        world.processes.scenarios = [Scenario(diagnosing=how)]
        await trio.sleep(2000)
        world.disk.write("a.py", BROKEN)
        assert [message for _, message in await found(world, "c.py")] == ["a has no greet"]
    return complete
