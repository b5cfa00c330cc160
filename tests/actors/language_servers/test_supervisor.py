"""The supervisor of language servers against a server that misbehaves in every way, in virtual time.

Whoever asks gets an answer that is right, or is told why there is none; the next question works; nothing is left.
"""

from __future__ import annotations

import msgspec
import pytest
import trio
from trio.testing import MockClock

from actors.language_servers.life.crash_blame import FORGIVEN_MAX
from actors.language_servers.life.running_servers import RunningServers
from actors.language_servers.programs.program import Absent, Candidate, Program
from actors.messaging.messages import Lane
from codemap.live_queries import (
    At,
    Because,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Found,
    Hover,
    Implementations,
    Missed,
    Outline,
    References,
    Rename,
    Renaming,
    WorkspaceSymbols,
)
from codemap.lsp.server import Cancel, Server
from tests.actors.language_world import (
    DEFINITION,
    FILES,
    LOADING,
    REFERENCES,
    SERVER,
    WHERE_CALLED,
    because,
    open_world,
    where,
)
from tests.language_server.script import Scenario

RIGHT = ["a.py:1:5"]
ALL_REFERENCES = ["a.py:1:5", "b.py:1:15", "b.py:5:12", "c.py:1:15", "c.py:5:13", "c.py:5:25"]
DEFINE, REFER = "textDocument/definition", "textDocument/references"
WHOLE = msgspec.structs.replace(REFERENCES, with_declaration=True)

GOOD = Scenario()


async def test_a_server_is_started_by_the_first_question(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        assert world.processes.started == []
        assert await world.places(DEFINITION) == RIGHT
        assert await world.places(WHOLE) == ALL_REFERENCES
        assert len(world.processes.started) == 1
        launch = world.processes.launches[0]
        assert (launch.argv, launch.folder) == (("/bin/scripted", "--stdio"), "/repository")


# -- what it does in its first life, once; when the caller has the right answer all the same, and what became of it ----

MISBEHAVIOURS = {
    "half a frame": ("half", 8, "no word and no work in 8 s"),
    "exits": ("exit:7", 0, "it ended with exit code 7"),
    "stops itself": ("stop", 8, "no word and no work in 8 s"),
    "no protocol": ("noise", 0, "what it writes is no protocol: a content length of b'many'"),
    "a huge frame": ("huge", 0, "what it writes is no protocol: a message of 268435456 bytes, more than 67108864"),
    "never answers": ("never", 8, "no word and no work in 8 s"),
    "works for ever": ("burn:1000", 30, "no answer in 30 s"),
    "answers twice": ("twice", 0, ""),
    "byte by byte": ("drip", 0, ""),
    "floods notifications": ("flood", 0, ""),
    "floods stderr": ("stderr", 0, ""),
    "asks for configuration": ("configuration", 0, ""),
    "refuses for the moment": ("error:-32801", 0.2, ""),
    "gives up by itself": ("error:-32800", 0, ""),
    "takes long": ("slow:6", 6, ""),
    "works long": ("burn:10", 10, ""),
}


@pytest.mark.parametrize(("deed", "after_s", "reason"), MISBEHAVIOURS.values(), ids=MISBEHAVIOURS.keys())
async def test_what_it_does_once(autojump_clock: MockClock, deed: str, after_s: float, reason: str) -> None:
    async with open_world(Scenario(requests={DEFINE: [deed]}), GOOD) as world:
        began = trio.current_time()
        assert await world.places(DEFINITION) == RIGHT
        assert trio.current_time() - began == pytest.approx(after_s, abs=1.01)
        assert await world.places(DEFINITION) == RIGHT
        status = world.standing.status("py")
        assert status.get("reason", "") == reason
        assert status["restarts"] == (1 if reason else 0)


@pytest.mark.parametrize(("deed", "after_s", "reason"), MISBEHAVIOURS.values(), ids=MISBEHAVIOURS.keys())
async def test_whoever_has_no_time_leaves_by_the_deadline(
    autojump_clock: MockClock, deed: str, after_s: float, reason: str
) -> None:
    async with open_world(Scenario(requests={DEFINE: [deed]}), GOOD) as world:
        began = trio.current_time()
        fact = await world.ask_within(2, DEFINITION)
        assert trio.current_time() - began <= 2
        assert (fact is None) == (after_s > 2)
        assert fact is None or where(fact) == RIGHT
        with trio.fail_after(60):
            assert await world.places(WHOLE) == ALL_REFERENCES


ERRORS = {
    "-32603": (Because.REFUSED, "scripted 1.0: as the scenario says"),
    "-32601": (Because.UNSUPPORTED, "scripted 1.0 cannot do this: as the scenario says"),
    "-32602": (Because.REFUSED, "scripted 1.0: as the scenario says"),
}


@pytest.mark.parametrize(("code", "expected"), ERRORS.items(), ids=ERRORS)
async def test_errors_are_reported(autojump_clock: MockClock, code: str, expected: tuple[Because, str]) -> None:
    async with open_world(Scenario(requests={DEFINE: [f"error:{code}"]})) as world:
        fact = await world.ask(DEFINITION)
        assert isinstance(fact, Missed)
        assert (fact.because, fact.message) == expected
        assert await world.places(WHOLE) == ALL_REFERENCES


async def test_refused_for_the_moment_again_and_again(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={DEFINE: ["error:-32801"] * 9})) as world:
        began = trio.current_time()
        assert because(await world.ask(DEFINITION)) is Because.NOT_READY
        assert trio.current_time() - began == pytest.approx(1.7, abs=0.1)


async def test_twice_modified_is_asked_again_in_time(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={DEFINE: ["error:-32801", "error:-32801"]})) as world:
        began = trio.current_time()
        assert await world.places(DEFINITION) == RIGHT
        assert trio.current_time() - began == pytest.approx(0.7, abs=0.1)


# -- starting and ending ----------------------------------------------------------------------------------------------

STARTS = {
    "never": (10, "it did not start up in 10 s"),
    "half": (10, "it did not start up in 10 s"),
    "exit": (0, "it ended with exit code 3"),
    "error": (0, "it refused to start up: not today"),
    "noise": (0, "what it writes is no protocol: a content length of b'many'"),
}


@pytest.mark.parametrize(("initialize", "expected"), STARTS.items(), ids=STARTS)
async def test_a_start_that_fails_is_tried_once_more(
    autojump_clock: MockClock, initialize: str, expected: tuple[float, str]
) -> None:
    after_s, reason = expected
    async with open_world(Scenario(initialize=initialize), GOOD) as world:
        began = trio.current_time()
        assert await world.places(DEFINITION) == RIGHT
        assert trio.current_time() - began == pytest.approx(after_s, abs=0.1)
        assert world.standing.status("py")["reason"] == reason


@pytest.mark.parametrize(("initialize", "expected"), STARTS.items(), ids=STARTS)
async def test_a_start_that_always_fails_is_given_up_for_a_minute(
    autojump_clock: MockClock, initialize: str, expected: tuple[float, str]
) -> None:
    async with open_world(Scenario(initialize=initialize)) as world:
        fact = await world.ask(DEFINITION)
        assert isinstance(fact, Missed)
        assert fact.because is Because.FAILED
        assert fact.language == "py"
        assert fact.message == f"scripted 1.0 failed too often; it is tried again in 60 s; last: {expected[1]}"
        assert fact.stderr_tail == ("cannot start: no such configuration" if initialize == "exit" else "")
        began = trio.current_time()
        assert because(await world.ask(DEFINITION)) is Because.FAILED
        assert trio.current_time() == began
        assert len(world.processes.started) == 2
        assert world.standing.status("py")["state"] == "tripped"
        world.processes.scenarios = [GOOD]
        await trio.sleep(61)
        assert await world.places(DEFINITION) == RIGHT


async def test_what_a_server_says_before_it_speaks_the_protocol_is_skipped(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(initialize="garbage")) as world:
        assert await world.places(DEFINITION) == RIGHT


async def test_a_program_that_cannot_be_started(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        world.processes.cannot_start = "/bin/scripted: Permission denied"
        fact = await world.ask(DEFINITION)
        assert because(fact) is Because.FAILED
        assert isinstance(fact, Missed)
        assert "Permission denied" in fact.message


ENDINGS = {
    "in order": (Scenario(), 0.0),
    "ignores shutdown": (Scenario(shutdown="ignore"), 0.3),
    "exits on shutdown": (Scenario(shutdown="exit"), 0.0),
    "ends on end of input only": (Scenario(on_exit="ignore"), 0.0),
    "ignores exit and end of input": (Scenario(on_exit="ignore", on_eof="ignore"), 0.3),
    "ignores all but a kill": (
        Scenario(shutdown="ignore", on_exit="ignore", on_eof="ignore", ignores_sigterm=True),
        0.9,
    ),
    "forks a child": (Scenario(forks="child"), 0.0),
    "forks a child that holds stdout": (Scenario(forks="holder"), 0.0),
    "forks a child with a session of its own": (Scenario(forks="session"), 0.0),
}


@pytest.mark.parametrize(("scenario", "within_s"), ENDINGS.values(), ids=ENDINGS)
async def test_nothing_is_left_when_codemap_ends(
    autojump_clock: MockClock, scenario: Scenario, within_s: float
) -> None:
    async with open_world(scenario) as world:
        assert await world.places(DEFINITION) == RIGHT
        ended = trio.current_time()
    assert world.processes.alive == []
    assert trio.current_time() - ended <= within_s + 0.01


@pytest.mark.parametrize(("scenario", "within_s"), ENDINGS.values(), ids=ENDINGS)
async def test_an_idle_server_ends_and_comes_back(
    autojump_clock: MockClock, scenario: Scenario, within_s: float
) -> None:
    async with open_world(scenario) as world:
        assert await world.places(DEFINITION) == RIGHT
        await trio.sleep(SERVER.idle_stop_s + 60)
        assert world.processes.alive == []
        assert world.standing.status("py")["state"] == "cold"
        assert await world.places(DEFINITION) == RIGHT
        assert len(world.processes.started) == 2


@pytest.mark.parametrize("deed", ["stop", "deaf", "burn:1000", "half"])
async def test_a_server_that_hangs_does_not_keep_codemap(autojump_clock: MockClock, deed: str) -> None:
    async with open_world(Scenario(requests={DEFINE: [deed]})) as world:
        await world.ask_within(1, DEFINITION)
        ended = trio.current_time()
    assert trio.current_time() - ended <= 1.0


async def test_a_child_that_holds_stdout_does_not_hide_that_the_server_ended(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(forks="holder", requests={DEFINE: ["exit:1"]}), GOOD) as world:
        began = trio.current_time()
        assert await world.places(DEFINITION) == RIGHT
        assert trio.current_time() - began < 1
        assert len(world.processes.alive) == 1  # of the second life


async def test_what_the_user_says_of_the_repository_counts_from_the_next_question_on(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        assert await world.places(DEFINITION) == RIGHT
        assert await world.places(WHOLE) == ALL_REFERENCES
        assert (len(world.finds), len(world.processes.started)) == (1, 1)
        world.trust += 1
        world.program = Absent("scripted is not to be used")
        assert because(await world.ask(DEFINITION)) is Because.UNAVAILABLE
        await trio.sleep(1)
        assert world.processes.alive == []
        world.trust += 1
        world.program = Program(("/bin/scripted",), "1.0", "/bin/scripted")
        assert await world.places(DEFINITION) == RIGHT


# -- dying again and again --------------------------------------------------------------------------------------------


async def test_a_request_that_kills_twice_is_not_asked_again_for_a_while(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={DEFINE: ["exit:9"]})) as world:
        fact = await world.ask(DEFINITION)
        assert isinstance(fact, Missed)
        assert fact.because is Because.FAILED
        assert fact.message == "scripted 1.0 died twice of this request: it ended with exit code 9"
        assert fact.stderr_tail == "Traceback: something went wrong"
        assert len(world.processes.started) == 2
        assert because(await world.ask(DEFINITION)) is Because.FAILED
        assert len(world.processes.started) == 2
        assert await world.places(WHOLE) == ALL_REFERENCES
        world.processes.scenarios = [GOOD]
        await trio.sleep(601)
        assert await world.places(DEFINITION) == RIGHT


async def test_only_the_guilty_request_is_blamed(autojump_clock: MockClock) -> None:
    """Four are under way when it dies; alone, three of them are answered."""
    async with open_world(Scenario(requests={DEFINE: ["exit"], REFER: ["slow:1"] * 9})) as world:
        facts: dict[str, object] = {}

        async def ask(name: str, question: References | Definition) -> None:
            facts[name] = await world.ask(question)

        async with trio.open_nursery() as nursery:
            for file in ("b.py", "c.py"):
                nursery.start_soon(ask, file, References(At(file, 1, 16)))
            nursery.start_soon(ask, "guilty", DEFINITION)
        assert because(facts["guilty"]) is Because.FAILED  # type: ignore[arg-type]
        assert isinstance(facts["b.py"], Found)
        assert isinstance(facts["c.py"], Found)


async def test_too_many_deaths_trip_it_and_time_heals(autojump_clock: MockClock) -> None:
    """A few files are blamed for two deaths each; then the server is."""
    files = {**FILES, **{f"f{number}.py": b"def f(): pass\n" for number in range(FORGIVEN_MAX + 3)}}
    async with open_world(Scenario(requests={DEFINE: ["exit"]}), files=files) as world:
        for number in range(FORGIVEN_MAX + 3):
            fact = await world.ask(Definition(At(f"f{number}.py", 1, 6)))
            assert because(fact) is Because.FAILED
        assert len(world.processes.started) == 2 * FORGIVEN_MAX + 5
        assert world.standing.status("py")["state"] == "tripped"
        assert because(await world.ask(WHOLE)) is Because.FAILED
        assert len(world.processes.started) == 2 * FORGIVEN_MAX + 5
        world.processes.scenarios = [GOOD]
        await trio.sleep(60)
        assert await world.places(WHOLE) == ALL_REFERENCES
        assert world.standing.status("py")["state"] == "ready"


async def test_a_killed_server_is_started_again(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        for _ in range(3):
            assert await world.places(DEFINITION) == RIGHT
            world.processes.started[-1].end(-9)
            await trio.sleep(1)
        assert await world.places(DEFINITION) == RIGHT
        status = world.standing.status("py")
        assert status["reason"] == "it was killed by signal 9"
        assert status["restarts"] == 3


# -- many at once -----------------------------------------------------------------------------------------------------


async def test_out_of_order_answers_reach_who_asked(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={DEFINE: ["after", "after", "answer"]})) as world:
        facts: list[str] = []

        async def ask(at: At, expected: str) -> None:
            facts.append(f"{(await world.places(Definition(at)))} {expected}")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, At("b.py", 5, 12), "a.py:1:5")
            nursery.start_soon(ask, At("b.py", 4, 5), "b.py:4:5")
            nursery.start_soon(ask, At("c.py", 4, 5), "c.py:4:5")
        assert sorted(facts) == [f"['{one}'] {one}" for one in ("a.py:1:5", "b.py:4:5", "c.py:4:5")]


async def test_who_asks_the_same_at_the_same_time_shares_a_request(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={REFER: ["slow:1"]})) as world:
        async with trio.open_nursery() as nursery:
            for _ in range(50):
                nursery.start_soon(world.places, WHOLE)
        assert world.processes.started[0].script.asked.count(REFER) == 1


async def test_nobody_shares_a_request_from_before_a_change(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={REFER: ["slow:1"] * 9})) as world, trio.open_nursery() as nursery:
        nursery.start_soon(world.ask, WHOLE)
        await trio.sleep(0.5)
        world.disk.write("d.py", b"from a import greet\n")
        await trio.sleep(0.1)
        began = trio.current_time()
        await world.places(WHOLE)
        assert trio.current_time() - began > 0.5, "it got the answer to the question from before"


async def test_a_shared_request_goes_on_until_the_last_has_left(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={DEFINE: ["slow:3"]})) as world:
        facts: list[object] = []

        async def ask(seconds: float) -> None:
            facts.append(await world.ask_within(seconds, DEFINITION))

        async with trio.open_nursery() as nursery:
            for seconds in (1, 2, 10):
                nursery.start_soon(ask, seconds)
        assert [fact is None for fact in facts] == [True, True, False]
        assert "$/cancelRequest" not in world.processes.started[0].script.asked


async def test_no_more_is_asked_at_once_than_the_record_says(autojump_clock: MockClock) -> None:
    server = msgspec.structs.replace(SERVER, in_flight_max=1)
    async with open_world(Scenario(requests={REFER: ["slow:1"] * 9}), servers=(server,)) as world:
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            for file in ("a.py", "b.py", "c.py"):
                nursery.start_soon(world.ask, References(At(file, 1, 6)))
            await trio.sleep(0.5)
            assert world.standing.status("py")["inFlight"] == 1
            assert world.standing.status("py")["queued"] == 2
        assert trio.current_time() - began == pytest.approx(3)


async def test_callers_come_before_the_background(autojump_clock: MockClock) -> None:
    server = msgspec.structs.replace(SERVER, in_flight_max=1)
    async with open_world(Scenario(requests={REFER: ["slow:1"] * 9}), servers=(server,)) as world:
        order: list[str] = []

        async def ask(file: str, lane: Lane) -> None:
            await world.ask(References(At(file, 1, 6)), lane)
            order.append(file)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, "a.py", Lane.BACKGROUND)
            await trio.sleep(0.1)
            nursery.start_soon(ask, "b.py", Lane.BACKGROUND)
            await trio.sleep(0.1)
            nursery.start_soon(ask, "c.py", Lane.FOREGROUND)
        assert order == ["a.py", "c.py", "b.py"]


async def test_a_caller_who_waits_for_a_background_question_brings_it_forward(autojump_clock: MockClock) -> None:
    server = msgspec.structs.replace(SERVER, in_flight_max=1)
    async with open_world(Scenario(requests={REFER: ["slow:1"] * 9}), servers=(server,)) as world:
        order: list[str] = []

        async def ask(file: str, lane: Lane) -> None:
            await world.ask(References(At(file, 1, 6)), lane)
            order.append(f"{file} {lane.value}")

        async with trio.open_nursery() as nursery:
            for file, lane in (
                ("a.py", Lane.FOREGROUND),
                ("b.py", Lane.BACKGROUND),
                ("c.py", Lane.BACKGROUND),
                ("c.py", Lane.FOREGROUND),
            ):
                nursery.start_soon(ask, file, lane)
                await trio.sleep(0.1)
        assert [order[0], *sorted(order[1:3]), order[3]] == [
            "a.py foreground",
            "c.py background",
            "c.py foreground",
            "b.py background",
        ]


@pytest.mark.parametrize("on_cancel", ["honour", "ignore", "empty"])
async def test_fifty_at_once_and_half_of_them_leave(autojump_clock: MockClock, on_cancel: str) -> None:
    """Their answers come all the same, late or empty, and are nobody's."""
    scenario = Scenario(on_cancel=on_cancel, requests={DEFINE: ["slow:1"] * 1000})
    async with open_world(scenario) as world:
        answers: list[tuple[str, list[str]]] = []

        async def ask(number: int) -> None:
            file = ("a.py", "b.py", "c.py")[number % 3]
            at, right = {
                "a.py": (At("a.py", 1, 5 + number % 5), "a.py:1:5"),
                "b.py": (At("b.py", 4, 5 + number % 4), "b.py:4:5"),
                "c.py": (At("c.py", 4, 5 + number % 5), "c.py:4:5"),
            }[file]
            with trio.move_on_after(0.5 + number / 25 if number % 2 else 1000):
                answers.append((right, await world.places(Definition(at))))

        for _ in range(3):
            answers.clear()
            async with trio.open_nursery() as nursery:
                for number in range(50):
                    nursery.start_soon(ask, number)
            assert len(answers) >= 25
            assert all(found == [right] for right, found in answers)
        await trio.sleep(10)
        status = world.standing.status("py")
        assert (status["inFlight"], status["queued"], status["restarts"]) == (0, 0, 0)


@pytest.mark.parametrize("cancel", [Cancel.MESSAGE, Cancel.FILE, Cancel.NONE])
async def test_a_request_that_nobody_waits_for_is_cancelled_as_the_server_likes(
    autojump_clock: MockClock, cancel: Cancel
) -> None:
    server = msgspec.structs.replace(SERVER, cancel=cancel, arguments=("--cancel=file:{nonce}",))
    async with open_world(Scenario(requests={DEFINE: ["slow:5"]}), servers=(server,)) as world:
        assert await world.ask_within(1, DEFINITION) is None
        await trio.sleep(0.1)
        process = world.processes.started[0]
        assert ("$/cancelRequest" in process.script.asked) == (cancel is Cancel.MESSAGE)
        assert bool(process.cancelled) == (cancel is Cancel.FILE)
        launch = world.processes.launches[0]
        assert launch.argv[1] == f"--cancel=file:{launch.cancellation}" if cancel is Cancel.FILE else True
        assert bool(launch.cancellation) == (cancel is Cancel.FILE)
        await trio.sleep(10)
        assert process.cancelled == set()
        assert len(world.processes.started) == 1


async def test_cancelled_requests_without_an_end_have_it_replaced_when_idle(autojump_clock: MockClock) -> None:
    server = msgspec.structs.replace(SERVER, cancel=Cancel.NONE)
    async with open_world(Scenario(requests={REFER: ["never"] * 2}), GOOD, servers=(server,)) as world:
        assert await world.ask_within(1, WHOLE) is None
        assert await world.places(DEFINITION) == RIGHT
        await trio.sleep(100)
        assert world.processes.alive == []
        assert await world.places(WHOLE) == ALL_REFERENCES
        assert "reason" not in world.standing.status("py")


async def test_a_wedged_server_is_found_out_though_all_have_left(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={DEFINE: ["stop"]}), GOOD) as world:
        assert await world.ask_within(4, DEFINITION) is None
        await trio.sleep(5)
        assert world.standing.status("py")["reason"] == "no word and no work in 3 s"
        assert await world.places(DEFINITION) == RIGHT


# -- not ready, empty, broken -----------------------------------------------------------------------------------------


async def test_answers_wait_until_the_project_is_loaded(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(loads_s=4), servers=(LOADING,)) as world:
        began = trio.current_time()
        assert await world.places(WHOLE) == ALL_REFERENCES
        assert trio.current_time() - began == pytest.approx(4)


async def test_an_empty_answer_of_a_server_that_still_loads_is_none(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(loads_s=100), servers=(LOADING,)) as world:
        began = trio.current_time()
        fact = await world.ask(WHOLE)
        assert isinstance(fact, Missed)
        assert fact.because is Because.NOT_READY
        assert fact.message == "scripted 1.0 still loads the project (loading)"
        assert trio.current_time() - began == pytest.approx(LOADING.ready_s)
        assert world.standing.status("py")["state"] == "loading"
        await trio.sleep(100)
        assert await world.places(WHOLE) == ALL_REFERENCES


async def test_a_rename_that_changes_nothing_is_as_empty_as_other_answers(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(loads_s=100), servers=(LOADING,)) as world:
        rename = Rename(WHOLE.at, "welcome")
        assert because(await world.ask(rename)) is Because.NOT_READY
        await trio.sleep(100)
        fact = await world.ask(rename)
        assert isinstance(fact, Found)
        assert isinstance(fact.value, Renaming)
        assert [
            f"{at.file}:{at.line}:{at.col}" for at in (edit.place.at for edit in fact.value.edits)
        ] == ALL_REFERENCES


async def test_an_answer_of_a_server_that_still_loads_may_be_incomplete(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(loads_s=100, while_loading="partial"), servers=(LOADING,)) as world:
        fact = await world.ask(WHOLE)
        assert isinstance(fact, Found)
        assert where(fact) == ALL_REFERENCES[:1]
        assert fact.incomplete == "scripted 1.0 still loads the project (loading)"
        assert not fact.is_lasting


async def test_an_empty_answer_counts_when_a_known_definition_is_found(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        assert await world.places(DEFINITION) == RIGHT
        assert await world.places(Definition(At("b.py", 1, 1))) == []
        assert len(world.processes.started) == 1


async def test_a_server_whose_heart_died_is_found_out_by_what_it_found_before(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={"textDocument/hover": ["dead"]}), GOOD) as world:
        assert await world.places(DEFINITION) == RIGHT
        assert (await world.ask(Hover(At("b.py", 5, 12)))) is not None
        assert await world.places(WHOLE) == ALL_REFERENCES
        assert len(world.processes.started) == 2
        assert world.standing.status("py")["reason"] == "it no longer finds what it found before"


async def test_a_known_definition_that_is_put_off_is_asked_for_again(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={DEFINE: [*["answer"] * 3, "error:-32801"]})) as world:
        assert await world.places(DEFINITION) == RIGHT
        fact = await world.ask(Definition(At("b.py", 1, 1)))
        assert isinstance(fact, Found)
        assert (where(fact), fact.incomplete) == ([], "")
        assert len(world.processes.started) == 1
        assert world.processes.started[0].script.asked.count(DEFINE) == 5


async def test_a_known_definition_that_is_put_off_for_long_says_nothing(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={DEFINE: [*["answer"] * 3, *["error:-32801"] * 9]})) as world:
        assert await world.places(DEFINITION) == RIGHT
        fact = await world.ask(Definition(At("b.py", 1, 1)))
        assert isinstance(fact, Found)
        assert fact.incomplete == "scripted 1.0 was too busy to be checked"
        assert len(world.processes.started) == 1


async def test_a_known_definition_that_was_edited_away_says_nothing(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        assert await world.places(DEFINITION) == RIGHT
        world.disk.write("a.py", b"\n\n# greets nobody\n")
        await trio.sleep(1)
        assert await world.places(DEFINITION) == []
        assert len(world.processes.started) == 1


async def test_a_server_that_finds_nothing_from_the_start_is_doubted(autojump_clock: MockClock) -> None:
    dead = Scenario(requests={REFER: ["dead"]})
    async with open_world(dead) as world:
        world.definitions = [Candidate(At("a.py", 1, 5), "greet"), Candidate(At("c.py", 4, 5), "moved")]
        await world.ask(REFERENCES)
        fact = await world.ask(Hover(WHERE_CALLED))
        assert isinstance(fact, Found)
        assert (fact.value, fact.incomplete) == ("", "scripted 1.0 does not find definitions that the map knows")
        assert fact.is_lasting


async def test_a_definition_of_the_map_makes_an_empty_answer_count(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        world.definitions = [Candidate(At("a.py", 1, 5), "greet")]
        assert await world.places(Definition(At("b.py", 2, 1))) == []
        assert world.processes.started[0].script.asked.count(DEFINE) == 2


async def test_a_definition_whose_declaration_leads_back_to_it_is_found(autojump_clock: MockClock) -> None:
    files = {**FILES, "d.py": b"def greet(name): ...\n"}
    async with open_world(Scenario(toggles=True), files=files) as world:
        world.definitions = [Candidate(At("a.py", 1, 5), "greet")]
        assert await world.places(Definition(At("b.py", 2, 1))) == []
        assert world.processes.started[0].script.asked.count(DEFINE) == 3


async def test_a_new_life_that_does_not_find_what_the_last_one_found_is_doubted(autojump_clock: MockClock) -> None:
    dead = Scenario(requests={"textDocument/hover": ["dead"]})
    async with open_world(GOOD, dead) as world:
        assert await world.places(DEFINITION) == RIGHT
        await trio.sleep(1)
        world.processes.started[0].end(-9)
        await trio.sleep(1)
        await world.ask(Hover(WHERE_CALLED))
        fact = await world.ask(Definition(At("c.py", 4, 6)))
        assert isinstance(fact, Found)
        assert (fact.value, fact.incomplete) == ((), "scripted 1.0 does not find definitions that the map knows")
        assert fact.is_lasting


async def test_what_the_server_cannot_do_is_said(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(lacks=("implementation", "callHierarchy"))) as world:
        assert because(await world.ask(Implementations(At("a.py", 1, 5)))) is Because.UNSUPPORTED
        assert because(await world.ask(CallRoots(At("a.py", 1, 5)))) is Because.UNSUPPORTED
        assert await world.places(DEFINITION) == RIGHT


async def test_files_that_are_not_there_or_nobodys(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        assert because(await world.ask(Definition(At("nowhere.py", 1, 1)))) is Because.NO_FILE
        assert because(await world.ask(Outline("nowhere.py"))) is Because.NO_FILE
        assert because(await world.ask(Definition(At("page.html", 1, 1)))) is Because.UNAVAILABLE
        assert because(await world.ask(WorkspaceSymbols("xx", "greet"))) is Because.UNAVAILABLE


async def test_every_question(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        outline = await world.ask(Outline("b.py"))
        assert isinstance(outline, Found)
        assert [named.name for named in outline.value] == ["main"]
        hover = await world.ask(Hover(At("b.py", 5, 12)))
        assert isinstance(hover, Found)
        assert "def greet(name):" in hover.value
        symbols = await world.ask(WorkspaceSymbols("py", "oth"))
        assert isinstance(symbols, Found)
        assert [(named.name, named.place.file) for named in symbols.value] == [("other", "c.py")]
        roots = await world.ask(CallRoots(At("a.py", 1, 5)))
        assert isinstance(roots, Found)
        callers = await world.ask(CallsTo(roots.value[0]))
        assert isinstance(callers, Found)
        assert [(link.item.name, [str(site.col) for site in link.sites]) for link in callers.value] == [
            ("main", ["12"]),
            ("other", ["13", "25"]),
        ]
        callees = await world.ask(CallsFrom(callers.value[1].item))
        assert isinstance(callees, Found)
        assert [link.item.name for link in callees.value] == ["greet"]


# -- the disk ---------------------------------------------------------------------------------------------------------

OPENING = msgspec.structs.replace(SERVER, opens=True, open_max=2)


@pytest.mark.parametrize("server", [SERVER, OPENING], ids=["reads the disk", "answers about open documents"])
@pytest.mark.parametrize("sees_events", [True, False], ids=["events", "no events"])
async def test_every_change_on_disk_is_in_the_next_answer(
    autojump_clock: MockClock, server: object, sees_events: bool
) -> None:
    async with open_world(Scenario(opens=server is OPENING), servers=(server,)) as world:  # type: ignore[arg-type]
        world.sees_events = sees_events
        assert await world.places(WHOLE) == ALL_REFERENCES
        await trio.sleep(1)
        world.disk.write("a.py", b"\n\n\ndef greet(name):\n    return name\n")  # shown or not, it moved
        assert await world.places(DEFINITION) == ["a.py:4:5"]
        world.disk.write("d.py", b"from a import greet\n")
        assert [place for place in await world.places(WHOLE) if place.startswith("d")] == ["d.py:1:15"]
        world.disk.delete("c.py")
        assert [place[:4] for place in await world.places(WHOLE)] == ["a.py", "b.py", "b.py", "d.py"]
        world.disk.write("b.py", "s = 'äöü𝒳'; from a import greet\n".encode())
        assert await world.places(References(At("a.py", 4, 6))) == ["b.py:1:28", "d.py:1:15"]
        world.disk.write("pkg/e.py", b"from a import greet\n")
        assert await world.places(References(At("a.py", 4, 6))) == ["b.py:1:28", "d.py:1:15", "pkg/e.py:1:15"]
        assert len(world.processes.started) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_columns_are_counted_as_the_server_counts(autojump_clock: MockClock, encoding: str) -> None:
    files = {"a.py": "s = 'äöü𝒳'; grüße = 1\ndef greet(): pass\nt = 'ß𝒳', greet(), greet()\n".encode()}
    async with open_world(Scenario(encoding=encoding), files=files) as world:
        assert await world.places(Definition(At("a.py", 3, 13))) == ["a.py:2:5"]
        assert await world.places(References(At("a.py", 2, 5))) == ["a.py:3:12", "a.py:3:21"]


async def test_an_answer_about_files_that_changed_meanwhile_is_asked_for_again(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(requests={REFER: ["slow:1"]})) as world:
        world.disk.delete("c.py")
        assert await world.places(DEFINITION) == RIGHT

        async def ask() -> None:
            assert await world.places(REFERENCES) == ["b.py:1:15", "b.py:5:12", "d.py:3:1"]

        world.disk.write("d.py", b"from a import greet\ngreet()\n")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await trio.sleep(0.5)
            world.disk.write("d.py", b"\n\ngreet()\n")
        assert world.processes.started[0].script.asked.count(REFER) == 2


async def test_so_many_changes_that_a_new_server_is_quicker(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        assert await world.places(DEFINITION) == RIGHT
        for number in range(2100):
            world.disk.write(f"new/{number}.py", b"from a import greet\n")
        assert len(await world.places(WHOLE)) == len(ALL_REFERENCES) + 2100
        assert len(world.processes.started) == 2
        assert "reason" not in world.standing.status("py")


# -- programs ---------------------------------------------------------------------------------------------------------


async def test_a_missing_program_is_said_with_how_to_install_it_and_looked_for_again(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        program = world.program
        world.program = Absent("scripted is not installed", "pip install scripted")
        fact = await world.ask(DEFINITION)
        assert fact == Missed(Because.UNAVAILABLE, "scripted is not installed", "pip install scripted", "py")
        assert world.standing.status("py") == {
            "state": "absent",
            "reason": "scripted is not installed",
            "install": "pip install scripted",
        }
        world.program = program
        assert because(await world.ask(DEFINITION)) is Because.UNAVAILABLE
        assert len(world.finds) == 1
        await trio.sleep(5)
        assert await world.places(DEFINITION) == RIGHT
        assert len(world.finds) == 2


async def test_a_program_that_takes_long_to_be_found_is_not_said_to_be_missing(autojump_clock: MockClock) -> None:
    """Another server is missing for good; that is no reason to install it."""
    second = msgspec.structs.replace(SERVER, name="second")

    async def find(server: Server, folder: str) -> Program | Absent:
        if server.name != "second":
            return Absent("scripted is not installed", "pip install scripted")
        await trio.sleep(60)
        return Program(("/bin/second",), "1.0", "/bin/second")

    async with open_world(servers=(SERVER, second), find=find) as world:
        fact = await world.ask(DEFINITION)
        assert isinstance(fact, Missed)
        assert (fact.because, fact.hint) == (Because.UNAVAILABLE, "")
        assert fact.message.startswith("second is still looked for")
        await trio.sleep(60)
        assert await world.places(DEFINITION) == RIGHT


async def test_nobody_in_particular_has_it_looked_for_less_and_less(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        world.program = Absent("scripted is not installed")
        for _ in range(1000):
            await world.ask(DEFINITION, Lane.BACKGROUND)
            await trio.sleep(1)
        assert len(world.finds) == 5  # at 0, 60, 180, 420 and 900 s


async def test_the_next_server_is_asked_where_the_first_is_missing_or_given_up(autojump_clock: MockClock) -> None:
    second = msgspec.structs.replace(SERVER, name="second")
    async with open_world(
        Scenario(initialize="exit"), Scenario(initialize="exit"), GOOD, servers=(SERVER, second)
    ) as world:
        assert because(await world.ask(DEFINITION)) is Because.FAILED
        fact = await world.ask(DEFINITION)
        assert isinstance(fact, Found)
        assert fact.server == "second 1.0"


async def test_a_program_with_a_caveat_is_used_where_there_is_no_other(autojump_clock: MockClock) -> None:
    second = msgspec.structs.replace(SERVER, name="second")

    async def find(server: object, folder: str) -> Program | Absent:
        await trio.lowlevel.checkpoint()
        is_second = server is second
        if is_second and folder == "alone":
            return Absent("second is not installed")
        return Program(("/bin/x",), "1.0", "/bin/x", caveat="" if is_second else "it does not know the options")

    files = {**FILES, "alone/d.py": b"def lone(): pass\n"}
    async with open_world(servers=(SERVER, second), find=find, files=files) as world:
        fact = await world.ask(DEFINITION)
        assert isinstance(fact, Found)
        assert (fact.server, fact.incomplete) == ("second 1.0", "")
        fact = await world.ask(Definition(At("alone/d.py", 1, 5)))
        assert isinstance(fact, Found)
        assert (fact.server, fact.incomplete) == ("scripted 1.0", "it does not know the options")
        assert fact.is_lasting


async def test_a_doubt_lasts_only_when_the_server_has_seen_all_else(autojump_clock: MockClock) -> None:
    async def find(_server: object, _folder: str) -> Program | Absent:
        await trio.lowlevel.checkpoint()
        return Program(("/bin/x",), "1.0", "/bin/x", caveat="there is no build file")

    loading = Scenario(loads_s=100, while_loading="partial")
    async with open_world(loading, servers=(LOADING,), find=find) as world:
        fact = await world.ask(WHOLE)
        assert isinstance(fact, Found)
        said = "scripted 1.0 still loads the project (loading); there is no build file"
        assert (fact.incomplete, fact.is_lasting) == (said, False)
        await trio.sleep(100)
        fact = await world.ask(WHOLE)
        assert isinstance(fact, Found)
        assert (fact.incomplete, fact.is_lasting) == ("there is no build file", True)


OUTLINE = "textDocument/documentSymbol"
READING = msgspec.structs.replace(SERVER, opens=True, reads_later=True)


async def test_a_question_waits_until_a_document_with_a_new_text_was_read(autojump_clock: MockClock) -> None:
    slow = Scenario(opens=True, requests={OUTLINE: ["slow:2"]})
    async with open_world(slow, servers=(READING,)) as world:
        assert await world.places(DEFINITION) == RIGHT
        world.disk.write("a.py", b"\n" + FILES["a.py"])
        await trio.sleep(1)
        began = trio.current_time()
        assert await world.places(DEFINITION) == ["a.py:2:5"]
        assert trio.current_time() - began == pytest.approx(2)
        assert await world.places(DEFINITION) == ["a.py:2:5"]
        assert world.processes.started[0].script.asked.count(OUTLINE) == 1


async def test_an_answer_that_came_before_a_new_text_was_read_may_be_incomplete(autojump_clock: MockClock) -> None:
    slow = Scenario(opens=True, requests={OUTLINE: ["slow:4"]})
    async with open_world(slow, servers=(READING,)) as world:
        assert await world.places(DEFINITION) == RIGHT
        world.disk.write("a.py", b"\n" + FILES["a.py"])
        await trio.sleep(1)
        fact = await world.ask(DEFINITION)
        assert isinstance(fact, Found)
        assert (fact.incomplete, fact.is_lasting) == ("scripted 1.0 still reads what changed", False)
        assert await world.places(DEFINITION) == ["a.py:2:5"]


async def test_another_program_takes_over_when_the_configuration_changed(autojump_clock: MockClock) -> None:
    server = msgspec.structs.replace(SERVER, config_files=("scripted.toml",))
    async with open_world(servers=(server,)) as world:
        assert await world.places(DEFINITION) == RIGHT
        world.program = Program(("/bin/other",), "2.0", "/bin/other")
        world.disk.write("scripted.toml", b"x = 1\n")
        await world.places(DEFINITION)
        fact = await world.ask(DEFINITION)
        assert isinstance(fact, Found)
        assert fact.server == "scripted 2.0"
        assert world.processes.launches[-1].argv[0] == "/bin/other"


async def test_a_program_that_was_given_up_is_tried_when_it_was_replaced(autojump_clock: MockClock) -> None:
    async with open_world(Scenario(initialize="exit")) as world:
        assert because(await world.ask(DEFINITION)) is Because.FAILED
        world.processes.scenarios = [GOOD]
        await trio.sleep(1)
        world.program = Program(("/bin/scripted",), "1.1", "/bin/scripted")
        assert because(await world.ask(DEFINITION)) is Because.FAILED
        await trio.sleep(5)
        assert await world.places(DEFINITION) == RIGHT


async def test_four_servers_at_most_run_and_the_least_used_makes_room(autojump_clock: MockClock) -> None:
    async def find(server: object, folder: str) -> Program:
        await trio.lowlevel.checkpoint()
        return Program(("/bin/x",), "1.0", "/bin/x", project=folder)

    files = {f"p{number}/a.py": b"def f(): pass\n" for number in range(6)}
    async with open_world(files=files, find=find) as world:
        for number in range(6):
            assert await world.places(Definition(At(f"p{number}/a.py", 1, 5))) != []
            await trio.sleep(1)
            assert len(world.processes.alive) == min(4, number + 1)
        folders = [launch.folder for launch in world.processes.launches]
        assert folders == [f"/repository/p{number}" for number in range(6)]
        assert [process.status is None for process in world.processes.started] == [False, False, True, True, True, True]


async def test_a_busy_server_keeps_its_place(autojump_clock: MockClock) -> None:
    async def find(server: object, folder: str) -> Program:
        await trio.lowlevel.checkpoint()
        return Program(("/bin/x",), "1.0", "/bin/x", project=folder)

    files = {f"p{number}/a.py": b"def f(): pass\n" for number in range(2)}
    async with open_world(
        Scenario(requests={DEFINE: ["slow:5"]}),
        GOOD,
        files=files,
        find=find,
        running_servers=lambda processes: RunningServers(processes, servers_max=1),
    ) as world:
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.ask, Definition(At("p0/a.py", 1, 5)))
            await trio.sleep(1)
            assert await world.places(Definition(At("p1/a.py", 1, 5))) == ["p0/a.py:1:5", "p1/a.py:1:5"]
        assert trio.current_time() - began == pytest.approx(5, abs=0.5)


# -- memory -----------------------------------------------------------------------------------------------------------


async def test_a_server_above_its_ceiling_is_killed_and_twice_is_enough(autojump_clock: MockClock) -> None:
    async with open_world() as world:
        assert await world.places(DEFINITION) == RIGHT
        world.processes.resident_bytes = 3_100_000_000
        await world.ask(REFERENCES)
        await trio.sleep(31)
        assert world.processes.alive == []
        assert world.standing.status("py")["reason"] == "it took 3100 MB of memory"
        await world.ask_within(10, DEFINITION)
        await trio.sleep(31)
        assert because(await world.ask(DEFINITION)) is Because.FAILED
        world.processes.resident_bytes = 50_000_000
        await trio.sleep(3601)
        assert await world.places(DEFINITION) == RIGHT


async def test_a_large_server_is_replaced_when_idle_and_does_nothing_in_the_background(
    autojump_clock: MockClock,
) -> None:
    async with open_world() as world:
        world.processes.resident_bytes = 2_000_000_000
        assert await world.places(DEFINITION) == RIGHT
        await trio.sleep(31)
        assert world.processes.alive == []
        assert "reason" not in world.standing.status("py")
