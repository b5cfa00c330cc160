"""Files that a language server dies of, in virtual time: they are left out, and all others go on with live answers."""

from __future__ import annotations

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.language_servers.life.crash_blame import CHARGED_S, FORGIVEN_MAX
from codemap.live_queries import (
    At,
    BaseTexts,
    Because,
    Definition,
    Diagnostics,
    Fact,
    Found,
    Hover,
    Missed,
    Outline,
    References,
)
from codemap.lsp.server import Pulled
from tests.actors.language_world import FILES, SERVER, LanguageWorld, open_world, where
from tests.language_server.script import Scenario

POISON = "poison.py"
WORLD = {**FILES, POISON: b"from a import greet\n\n\ndef bad():\n    return greet('x')\n"}
OPENING = msgspec.structs.replace(SERVER, opens=True, open_max=4)
DYING = Scenario(dies_of=POISON)
RIGHT = ["a.py:1:5"]
GOOD = tuple(Definition(At("b.py", 5, col)) for col in range(12, 17))


async def good(world: LanguageWorld) -> None:
    """Other files have live answers, and the server is not given up."""
    for question in GOOD:
        assert await world.places(question) == RIGHT
    assert world.standing.status("py")["state"] == "ready"


def refused(fact: Fact) -> Missed:
    assert isinstance(fact, Missed)
    assert fact.because is Because.FAILED
    assert POISON in fact.message
    return fact


@pytest.mark.parametrize("opens", [False, True])
async def test_a_file_that_kills_twice_is_left_out_and_all_others_go_on(autojump_clock: MockClock, opens: bool) -> None:
    server = OPENING if opens else SERVER
    async with open_world(Scenario(opens=opens, dies_of=POISON), files=WORLD, servers=(server,)) as world:
        at = At(POISON, 5, 13)
        message = refused(await world.ask(Definition(at))).message
        assert message == "scripted 1.0 died twice when it was shown poison.py, which is left out for a while"
        started = len(world.processes.started)
        assert started == 2
        for question in (Definition(at), References(at), Hover(at), Outline(POISON)):
            refused(await world.ask(question))
        await good(world)
        assert len(world.processes.started) <= started + 1


@pytest.mark.parametrize("opens", [False, True])
async def test_a_file_that_kills_when_it_changes_is_left_out(autojump_clock: MockClock, opens: bool) -> None:
    """Nobody asks about it; it is named among others that changed."""
    server = OPENING if opens else SERVER
    async with open_world(Scenario(opens=opens, dies_of=POISON), files=WORLD, servers=(server,)) as world:
        for number in range(20):
            await good(world)
            world.disk.write(POISON, WORLD[POISON] + b"#" * number)
            world.disk.write("c.py", FILES["c.py"] + b"#" * number)
            await trio.sleep(3)
        await good(world)
        assert len(world.processes.started) <= 3


async def test_the_innocent_are_not_charged(autojump_clock: MockClock) -> None:
    """Files that were named together with the guilty one, before both deaths."""
    async with open_world(DYING, files=WORLD) as world:
        await good(world)
        for number in range(2):
            for file in ("a.py", "c.py", POISON):
                world.disk.write(file, WORLD[file] + b"\n#" * (number + 1))
            await trio.sleep(1)
            await good(world)
        for file in ("a.py", "b.py", "c.py"):
            assert isinstance(await world.ask(Outline(file)), Found)
        refused(await world.ask(Outline(POISON)))


async def test_a_file_that_hangs_it_is_left_out(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(dies_of=POISON, hangs=True), files=WORLD) as world:
        await good(world)
        assert await world.ask_within(15, Definition(At(POISON, 5, 13))) is None
        await trio.sleep(30)
        await good(world)
        assert await world.ask_within(15, Hover(At(POISON, 5, 13))) is not None
        await trio.sleep(30)
        await good(world)
        began = trio.current_time()
        for column in range(8, 14):
            await world.ask(Definition(At(POISON, 5, column)))
        assert trio.current_time() == began


async def test_one_kind_of_request_that_kills_leaves_the_others(autojump_clock: MockClock) -> None:
    scenario = Scenario(dies_of=POISON, dies_of_requests=("textDocument/definition",))
    async with open_world(scenario, files=WORLD) as world:
        at = At(POISON, 5, 13)
        fact = await world.ask(Definition(at))
        assert isinstance(fact, Missed)
        assert fact.message == "scripted 1.0 died twice of this request: it ended with exit code 101"
        assert isinstance(await world.ask(References(at, with_declaration=True)), Found)
        await good(world)


async def test_many_at_once_are_answered_but_for_those_about_the_file(autojump_clock: MockClock) -> None:
    async with open_world(DYING, files=WORLD) as world:
        facts: dict[object, Fact] = {}

        async def ask(question: Definition) -> None:
            facts[question] = await world.ask(question)

        poison = Definition(At(POISON, 5, 13))
        async with trio.open_nursery() as nursery:
            for question in (*GOOD, poison):
                nursery.start_soon(ask, question)
        refused(facts.pop(poison))
        assert [where(fact) for fact in facts.values() if isinstance(fact, Found)] == [RIGHT] * len(GOOD)


async def test_it_is_tried_again_after_a_while(autojump_clock: MockClock) -> None:
    async with open_world(DYING, files=WORLD) as world:
        refused(await world.ask(Outline(POISON)))
        world.processes.scenarios = [Scenario()]
        await trio.sleep(CHARGED_S + 1)
        assert isinstance(await world.ask(Outline(POISON)), Found)


async def test_one_that_dies_of_every_file_is_given_up(autojump_clock: MockClock) -> None:
    files = {f"f{number}.py": b"def f(): pass\n" for number in range(20)}
    async with open_world(Scenario(dies_of=".py"), files=files) as world:
        asked = 0
        while world.standing.status("py")["state"] != "tripped":
            assert isinstance(await world.ask(Outline(f"f{asked}.py")), Missed)
            asked += 1
        assert FORGIVEN_MAX < asked <= FORGIVEN_MAX + 3


BYTES = "odd\udcff.py"


async def test_a_name_that_is_not_utf8_is_never_named(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(dies_of="%FF"), files={**WORLD, BYTES: b"def f(): pass\n"}) as world:
        fact = await world.ask(Outline(BYTES))
        assert isinstance(fact, Missed)
        assert fact.because is Because.UNSUPPORTED
        assert fact.message == "the name of the file is not UTF-8, and scripted takes no other"
        await good(world)
        for number in range(3):
            world.disk.write(BYTES, b"#" * number)
            await trio.sleep(1)
            await good(world)
        assert len(world.processes.started) == 1


async def test_a_server_that_takes_any_name_is_asked(autojump_clock: MockClock) -> None:
    server = msgspec.structs.replace(SERVER, takes_any_name=True)
    async with open_world(files={BYTES: b"def f(): pass\n"}, servers=(server,)) as world:
        assert isinstance(await world.ask(Outline(BYTES)), Found)


async def test_answers_that_a_change_could_alter_of_which_it_is_not_notified_say_so(autojump_clock: MockClock) -> None:
    async with open_world(DYING, files=WORLD) as world:
        refused(await world.ask(Outline(POISON)))
        await good(world)
        refused(await world.ask(Outline(POISON)))
        await good(world)
        world.disk.write(POISON, b"from a import greet\n")
        await good(world)
        fact = await world.ask(References(GOOD[0].at))
        assert isinstance(fact, Found)
        assert (fact.incomplete, fact.is_lasting) == ("scripted 1.0 cannot be notified that poison.py changed", True)


async def test_answers_about_a_version_of_which_it_is_not_shown_a_file_say_so(autojump_clock: MockClock) -> None:
    """It sees the file on disk, where nothing is wrong."""
    server = msgspec.structs.replace(SERVER, diagnosing=Pulled())
    files = {**FILES, "d.py": b"from a import greet\n"}
    base = BaseTexts("1" * 40, {"a.py": "def meet(): pass\n"})
    async with open_world(Scenario(dies_of="a.py", diagnosing="pull"), files=files, servers=(server,)) as world:
        facts = [await world.ask(Diagnostics(file, base)) for file in ("b.py", "c.py", "d.py", "b.py")]
        answered = [fact for fact in facts if isinstance(fact, Found)]
        assert answered
        assert {fact.incomplete for fact in answered} == {"scripted 1.0 cannot be notified that a.py changed"}
        fact = await world.ask(Diagnostics("b.py", BaseTexts("2" * 40, {"c.py": "gone()\n"})))
        assert isinstance(fact, Found)
        assert fact.incomplete == ""
