"""Language servers that start and say nothing, in virtual time: they cost a caller's deadline once, not with each call.

The first caller waits. Those after it are told why at once, while the server is tried in the background; it is asked
again as soon as it answered that.
"""

from __future__ import annotations

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.language_servers.programs.program import Absent, Program
from codemap.live_queries import At, Because, Definition, Fact, Found, Hover, Missed, Outline, References
from codemap.lsp.server import AfterMessage, Server
from tests.actors.language_world import DEFINITION, FILES, LOADING, SERVER, LanguageWorld, open_world
from tests.language_server.script import Scenario

DEADLINE_S = 15.0
CALLS = 10
HOVER = "textDocument/hover"
RIGHT = ["a.py:1:5"]
METHODS = ("textDocument/definition", "textDocument/references", HOVER, "textDocument/documentSymbol")


def silent(deed: str, **others: object) -> Scenario:
    """It starts up, and the same becomes of all that it is asked."""
    return Scenario(requests={method: [deed] * 1000 for method in METHODS}, **others)  # type: ignore[arg-type]


def silent_once(deed: str) -> Scenario:
    """The same, of what it is asked first of each kind."""
    return Scenario(requests={method: [deed] for method in METHODS[:3]})


SLOW_TO_START = msgspec.structs.replace(SERVER, start_s=60.0, ready_s=120.0)
COUNTING = msgspec.structs.replace(SERVER, readiness=AfterMessage("counted"))
COUNTING_LONG = msgspec.structs.replace(SLOW_TO_START, readiness=AfterMessage("counted"))
SILENCES: dict[str, tuple[Scenario, Server]] = {
    "never starts up": (Scenario(initialize="never"), SERVER),
    "never starts up, and has long to": (Scenario(initialize="never"), SLOW_TO_START),
    "starts up and answers nothing": (silent("never"), SERVER),
    "works on everything for ever": (silent("burn:1000"), SERVER),
    "stops itself": (silent("stop"), SERVER),
    "half of each answer": (silent("half"), SERVER),
    "never says that it loads": (silent("never"), LOADING),
    "never says that it is ready": (silent("never"), COUNTING),
    "never says that it is ready, and has long to": (silent("never"), COUNTING_LONG),
    "loads for ever": (silent("never", loads_s=100_000), LOADING),
}
QUESTIONS = (DEFINITION, References(At("c.py", 4, 6)), Outline("b.py"), Hover(At("a.py", 1, 5)), Outline("a.py"))


async def call(world: LanguageWorld, number: int) -> tuple[Fact | None, float]:
    """What a call is told, None at its deadline; and for how long it waited."""
    began = trio.current_time()
    fact = await world.ask_within(DEADLINE_S, QUESTIONS[number % len(QUESTIONS)])
    return fact, trio.current_time() - began


@pytest.mark.parametrize("pause_s", [0, 1, 20, 200])
@pytest.mark.parametrize(("scenario", "server"), SILENCES.values(), ids=SILENCES)
async def test_silence_costs_one_deadline(
    autojump_clock: MockClock, scenario: Scenario, server: Server, pause_s: float
) -> None:
    async with open_world(scenario, servers=(server,)) as world:
        waits, facts = [], []
        for number in range(CALLS):
            fact, waited_s = await call(world, number)
            waits.append(waited_s)
            facts.append(fact)
            await trio.sleep(pause_s)
        assert sum(waits) <= DEADLINE_S, waits
        assert [wait for wait in waits[1:] if wait] == []
        assert all(isinstance(fact, Missed) and fact.message and fact.language == "py" for fact in facts[1:]), facts
        assert len(world.processes.alive) <= 1


@pytest.mark.parametrize("silence", [name for name in SILENCES if "ready" not in name])
async def test_a_server_that_answers_again_is_asked_again(autojump_clock: MockClock, silence: str) -> None:
    scenario, server = SILENCES[silence]
    async with open_world(scenario, servers=(server,)) as world:
        for number in range(2):
            await call(world, number)
        world.processes.scenarios = [Scenario()]
        await trio.sleep(400)
        began = trio.current_time()
        assert await world.places(DEFINITION) == RIGHT
        assert trio.current_time() - began < 1


async def test_a_server_that_was_only_slow_is_asked_again_in_the_same_life(autojump_clock: MockClock) -> None:
    async with open_world(silent_once("burn:25")) as world:
        fact, waited_s = await call(world, 0)
        assert (fact, waited_s) == (None, DEADLINE_S)
        fact, waited_s = await call(world, 0)
        assert isinstance(fact, Missed)
        assert (fact.because, waited_s) == (Because.FAILED, 0)
        assert fact.message == "scripted 1.0 does not answer (no answer in 15 s); it is tried in the background"
        await trio.sleep(15)
        assert await world.places(DEFINITION) == RIGHT
        assert len(world.processes.started) == 1


async def test_one_that_answered_before_is_waited_for_once(autojump_clock: MockClock) -> None:
    first = Scenario(requests={method: ["answer", *["never"] * 1000] for method in METHODS})
    async with open_world(first, silent("never")) as world:
        assert await world.places(DEFINITION) == RIGHT
        waits = [(await call(world, 0))[1] for _ in range(CALLS)]
        assert waits == [DEADLINE_S, *[0.0] * (CALLS - 1)]


async def test_it_is_tried_with_another_file_than_the_one_that_silenced_it(autojump_clock: MockClock) -> None:
    """One question alone is never answered: the others go on."""
    async with open_world(Scenario(requests={HOVER: ["never"] * 1000})) as world:
        poison = Hover(At("a.py", 1, 5))
        assert await world.ask_within(DEADLINE_S, poison) is None
        await trio.sleep(5)
        assert await world.places(DEFINITION) == RIGHT


async def test_nobody_tries_it_once_nobody_asks(autojump_clock: MockClock) -> None:
    async with open_world(silent("never")) as world:
        await call(world, 0)
        await trio.sleep(5400)
        started = len(world.processes.started)
        await trio.sleep(3600)
        assert len(world.processes.started) == started
        assert (await call(world, 0))[1] == 0
        await trio.sleep(30)
        assert len(world.processes.started) > started


async def test_a_server_that_does_not_start_up_keeps_no_other_from_starting(autojump_clock: MockClock) -> None:
    async def find(server: object, folder: str) -> Program:
        await trio.lowlevel.checkpoint()
        return Program(("/bin/x",), "1.0", "/bin/x", project=folder)

    files = {f"p{number}/a.py": b"def f(): pass\n" for number in range(2)}
    async with open_world(
        Scenario(initialize="never"), Scenario(), files=files, find=find, servers=(SLOW_TO_START,)
    ) as world:
        assert await world.ask_within(1, Definition(At("p0/a.py", 1, 5))) is None
        began = trio.current_time()
        fact = await world.ask(Definition(At("p1/a.py", 1, 5)))
        assert isinstance(fact, Found)
        assert trio.current_time() - began < 10


# -- programs that do not tell their version -------------------------------------------------------------------------

SEVERAL = tuple(msgspec.structs.replace(SERVER, name=name) for name in ("first", "second", "third", "fourth"))


@pytest.mark.parametrize("hangs_s", [4.0, 5.0, 40.0, 100_000.0])
@pytest.mark.parametrize("pause_s", [0, 1, 20, 200])
async def test_programs_that_do_not_tell_their_version_cost_one_deadline(
    autojump_clock: MockClock, hangs_s: float, pause_s: float
) -> None:
    async def find(_server: object, _folder: str) -> Program | Absent:
        await trio.sleep(hangs_s)
        return Absent("the program took long to report its version")

    async with open_world(servers=SEVERAL, find=find) as world:
        waits = []
        for number in range(CALLS):
            fact, waited_s = await call(world, number)
            assert isinstance(fact, Missed)
            assert fact.because is Because.UNAVAILABLE
            assert "version" in fact.message
            waits.append(waited_s)
            await trio.sleep(pause_s)
        assert waits == [pytest.approx(10, abs=0.01), *[0.0] * (CALLS - 1)]


async def test_the_next_program_is_used_and_the_one_that_hangs_is_not_waited_for_again(
    autojump_clock: MockClock,
) -> None:
    async def find(server: Server, _folder: str) -> Program | Absent:
        if server.name == "first":
            await trio.sleep(5)
            return Absent("the program took more than 5 s to report its version")
        await trio.lowlevel.checkpoint()
        return Program(("/bin/second",), "2.0", "/bin/second")

    async with open_world(servers=SEVERAL, find=find) as world:
        for number in range(CALLS):
            fact, waited_s = await call(world, 0)
            assert isinstance(fact, Found)
            assert fact.server == "second 2.0"
            assert waited_s == pytest.approx(0 if number else 5, abs=0.01)
            await trio.sleep(1)


async def test_a_search_from_before_the_user_said_otherwise_counts_no_more(autojump_clock: MockClock) -> None:
    trusted = True

    async def find(_server: Server, _folder: str) -> Program | Absent:
        was_trusted = trusted
        await trio.sleep(3)
        return Program(("/bin/x",), "1.0", "/bin/x") if was_trusted else Absent("it is not to be run")

    async with open_world(find=find) as world, trio.open_nursery() as nursery:
        nursery.start_soon(world.ask_within, 1.0, DEFINITION)
        await trio.sleep(2)
        trusted, world.trust = False, 1
        fact = await world.ask(DEFINITION)
        assert isinstance(fact, Missed)
        assert fact.message == "it is not to be run"


async def test_a_trial_that_comes_to_nothing_is_followed_by_another(autojump_clock: MockClock) -> None:
    """What is tried is gone for a while, so that the next life is asked nothing, and does not die either."""
    async with open_world(Scenario(initialize="never"), Scenario(), files={"b.py": FILES["b.py"]}) as world:
        assert await world.ask_within(9, Outline("b.py")) is None
        world.disk.delete("b.py")
        await trio.sleep(60)
        world.disk.write("b.py", FILES["b.py"])
        await trio.sleep(600)
        assert isinstance(await world.ask(Outline("b.py")), Found)
