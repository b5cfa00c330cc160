"""Seeded worlds of language servers: misbehaviour, kills, edits and impatient callers at random.

Whatever happens, an answer that calls itself complete is true of the disk at some moment between the question and the
answer; every caller has an answer or left; when it is over, nothing runs, and the next question is answered.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec
import pytest
import trio
from trio.testing import MockClock

from codemap.live_queries import At, Definition, Found, LiveQuestion, Missed, References
from codemap.lsp.server import Cancel
from tests.actors.language_world import FILES, SERVER, LanguageWorld, open_world
from tests.language_server.script import Scenario
from tests.language_server.sources import Code, to_path

SEEDS = range(60)
CALLERS, CALLS = 4, 12
CALLS_MAX = 200
"""Where none was answered completely before: the order in which tasks run is no part of the seed."""
DEEDS = {
    "answer": 30,
    "slow:1": 4,
    "slow:20": 1,
    "error:-32801": 3,
    "error:-32800": 2,
    "error:-32603": 1,
    "twice": 2,
    "drip": 1,
    "configuration": 2,
    "after": 2,
    "burn:2": 1,
    "never": 1,
    "half": 1,
    "exit": 2,
    "stop": 1,
    "noise": 1,
    "deaf": 1,
}
ROOT = "/repository/"


class Past:
    """Every state of the disk, in order: several may begin at one moment of virtual time."""

    def __init__(self, world: LanguageWorld) -> None:
        self._world = world
        self._states: list[Mapping[str, str]] = []
        self.note()

    def note(self) -> None:
        self._states.append({path: file.content.decode() for path, file in self._world.disk.files.items()})

    @property
    def now(self) -> int:
        """The number of the present state, from 0."""
        return len(self._states) - 1

    def truths(self, question: LiveQuestion, since: int) -> list[set[str]]:
        """What was right in a state or in one after it."""
        return [truth(question, files) for files in self._states[since:]]


def truth(question: LiveQuestion, files: Mapping[str, str]) -> set[str]:
    code = Code("/repository", lambda path: files.get(path.removeprefix(ROOT)), lambda: [ROOT + path for path in files])
    assert isinstance(question, Definition | References)
    position = {"line": question.at.line - 1, "character": question.at.col - 1}
    file = ROOT + question.at.file
    if isinstance(question, Definition):
        found = code.definition(file, position)
    else:
        found = code.references(file, position, question.with_declaration)
    return {
        f"{to_path(one['uri']).removeprefix(ROOT)}:{one['range']['start']['line'] + 1}"  # type: ignore[index]
        for one in found
    }


def scenario(chance: random.Random) -> Scenario:
    deeds, weights = list(DEEDS), list(DEEDS.values())
    return Scenario(
        initialize=chance.choices(["answer", "garbage", "never", "exit"], [20, 2, 1, 1])[0],
        encoding=chance.choice(["utf-8", "utf-16"]),
        requests={
            method: chance.choices(deeds, weights, k=30)
            for method in ("textDocument/definition", "textDocument/references")
        },
        on_cancel=chance.choice(["honour", "ignore", "empty"]),
        shutdown=chance.choice(["answer", "ignore", "exit"]),
        on_exit=chance.choice(["exit", "ignore"]),
        forks=chance.choice(["", "child", "holder", "session"]),
    )


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_world(autojump_clock: MockClock, seed: int) -> None:
    chance = random.Random(seed)
    server = msgspec.structs.replace(
        SERVER, in_flight_max=chance.choice([1, 4]), cancel=chance.choice([Cancel.MESSAGE, Cancel.NONE, Cancel.FILE])
    )
    complete = 0
    async with open_world(*(scenario(chance) for _ in range(40)), servers=(server,)) as world:
        world.sees_events = chance.random() < 0.8
        past = Past(world)

        async def call() -> None:
            nonlocal complete
            for number in range(CALLS_MAX):
                if complete and number >= CALLS:
                    break
                at = chance.choice([At("b.py", 5, 12), At("b.py", 1, 17), At("b.py", 4, 5)])
                question = chance.choice([Definition(at), References(at, chance.random() < 0.5)])
                asked_in, asked_at, seconds = past.now, trio.current_time(), chance.choice([0.05, 0.5, 3, 15])
                fact = await world.ask_within(seconds, question)
                assert fact is None or isinstance(fact, Found | Missed)
                assert trio.current_time() <= asked_at + seconds
                if isinstance(fact, Found) and not fact.incomplete:
                    complete += 1
                    said = {f"{place.file}:{place.line}" for place in fact.value}
                    assert said in past.truths(question, asked_in)
                    name = "main" if at.line == 4 else "greet"
                    assert all(name in place.snippet for place in fact.value), fact
                await trio.sleep(chance.choice([0, 0.01, 0.3, 5]))

        async def edit() -> None:
            while True:
                await trio.sleep(chance.choice([0.02, 0.5, 4]))
                match chance.randrange(3):
                    case 0:
                        world.disk.write("a.py", b"\n" * chance.randrange(9) + FILES["a.py"])
                    case 1:
                        world.disk.write(f"x{chance.randrange(5)}.py", b"from a import greet\n")
                    case 2:
                        world.disk.delete(f"x{chance.randrange(5)}.py")
                past.note()

        async def kill() -> None:
            while True:
                await trio.sleep(chance.uniform(3, 20))
                running = [process for process in world.processes.started if process.status is None]
                if running:
                    if chance.random() < 0.7:
                        running[-1].end(-9)
                    else:
                        running[-1].is_stopped = True

        async with trio.open_nursery() as nursery:
            nursery.start_soon(edit)
            nursery.start_soon(kill)
            async with trio.open_nursery() as callers:
                for _ in range(CALLERS):
                    callers.start_soon(call)
            nursery.cancel_scope.cancel()
        world.processes.scenarios = [Scenario()]
        await trio.sleep(2000)
        definition = Definition(At("b.py", 5, 12))
        fact = await world.ask(definition)
        assert isinstance(fact, Found)
        assert {f"{place.file}:{place.line}" for place in fact.value} in past.truths(definition, past.now)
        assert world.standing.status("py")["inFlight"] == 0
    assert complete > 0
