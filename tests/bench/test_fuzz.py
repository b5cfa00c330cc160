"""Some inputs of each target that needs no server; and the runner, which says how to make a failure again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from itertools import count
from pathlib import Path
from random import Random

import pytest

from actors.database.store_file import StoreFile
from bench.fuzz import __main__ as runner
from bench.fuzz import stored
from bench.fuzz.messages import Expected, some_messages
from bench.fuzz.mutation import ITEMS_MAX, SIZE_MAX, encoded, mutated, mutated_json
from bench.fuzz.target import Broken, Inputs, Target
from bench.fuzz.targets import TARGETS

FIRST = 20_000
INPUTS = {"sources": 10, "growth": 2, "configs": 20, "database": 12, "records": 150, "git": 12, "servers": 200}
"""Half a second each."""
ALONE = [target for target in TARGETS if target.is_alone]


@pytest.mark.parametrize("target", ALONE, ids=lambda target: target.name)
def test_some_inputs(target: Target) -> None:
    inputs = Inputs(target.name, range(FIRST, FIRST + INPUTS[target.name]))
    try:
        target.run(inputs)
    except Exception as error:
        assert inputs.number is not None
        error.add_note(f"again by: {runner.replay(target, inputs.number, 1)}")
        raise
    assert inputs.count == INPUTS[target.name]


# -- what breaks inputs ------------------------------------------------------------------------------------------------


def test_the_same_number_gives_the_same_input() -> None:
    def made() -> list[bytes]:
        found = []
        for random in Inputs("target", range(40)):
            value = mutated_json(random, {"a": [1, "x", {"b": None}], "c": 0.5})
            found += [mutated(random, b"def f(a):\n    return a\n" * 9), encoded(random, value)]
            found += some_messages(random, 7, 3)
        return found

    first = made()
    assert first == made()
    assert len(set(first)) > len(first) * 0.8
    assert max(map(len, first)) <= SIZE_MAX * 6


def test_values_stay_json() -> None:
    random = Random(1)
    for _ in range(300):
        json.loads(encoded(random, mutated_json(random, {"id": 1, "params": {"names": ["a", "b"]}})))


def test_a_list_in_a_list_does_not_grow_with_every_change() -> None:
    random = Random(3)
    for _ in range(500):
        pending, longest = [mutated_json(random, [list(range(300))] * 300)], 0
        while pending:
            part = pending.pop()
            if isinstance(part, list):
                longest = max(longest, len(part))
                pending += [each for each in part[:10] if isinstance(each, list)]
        assert longest <= ITEMS_MAX


# -- what is expected of answers ---------------------------------------------------------------------------------------


def asked(*messages: str) -> Expected:
    expected = Expected()
    for message in messages:
        expected.add(message.encode())
    return expected


@pytest.mark.parametrize(
    ("message", "missing"),
    [
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', [1]),
        ('{"id": "a"}', ["a"]),
        ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', []),
        ('{"id": 1, "result": {}}', []),
        ('{"id": true, "method": "ping"}', []),
        ('{"id": 1.5, "method": "ping"}', []),
        ('{"method": "ping"}', []),
        ('[{"id": 1}]', []),
        ('{"id": 1', []),
        ('{"id": 1, "method": "subscriptions/listen"}', []),
    ],
)
def test_what_must_be_answered(message: str, missing: list[int | str]) -> None:
    assert asked(message).missing == missing


def test_a_cancelled_request_may_stay_unanswered() -> None:
    cancel = '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}'
    expected = asked('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', cancel)
    assert expected.missing == []
    expected.answer({"jsonrpc": "2.0", "id": 1, "result": {}})


@pytest.mark.parametrize(
    "answer",
    [
        {"jsonrpc": "2.0", "id": 2, "result": {}},
        {"jsonrpc": "2.0", "id": "1", "result": {}},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"},
        {"id": 1, "result": {}},
        [],
    ],
)
def test_answers_that_nobody_asked_for(answer: object) -> None:
    expected = asked('{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    with pytest.raises(Broken):
        expected.answer(answer)


def test_an_answer_counts_once() -> None:
    expected = asked('{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    expected.answer({"jsonrpc": "2.0", "id": 1, "result": {}})
    assert expected.missing == []
    with pytest.raises(Broken, match="more often"):
        expected.answer({"jsonrpc": "2.0", "id": 1, "result": {}})


@pytest.mark.parametrize(
    "change",
    [{"tokenBudget": {"requested": 100, "used": 101, "max": 10_000}}, {"ok": False}, {"error": {"code": "INTERNAL"}}],
)
def test_a_reply_that_breaks_its_envelope(change: dict[str, object]) -> None:
    expected = asked('{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}')
    envelope = {"ok": True, "data": {}, "tokenBudget": {"requested": 100, "used": 9, "max": 10_000}, **change}
    with pytest.raises(Broken):
        expected.answer({"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": envelope, "isError": False}})


# -- the runner --------------------------------------------------------------------------------------------------------


def fails_at(*numbers: int, by: Callable[[], None]) -> Target:
    def run(inputs: Inputs) -> None:
        for _ in inputs:
            if inputs.number in numbers:
                by()

    return Target("made-up", "", run)


def fail() -> None:
    raise Broken("the invariant")


def ran(target: Target, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(runner, "TARGETS", (target,))
    return runner.main(words)


def test_a_run_without_failures(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(fails_at(by=fail), monkeypatch, "--first", "5", "--inputs", "10") == 0
    assert capsys.readouterr().out == "made-up: 10 inputs, 0 failures\n"


def test_failures_are_reported_with_their_number_and_the_run_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(fails_at(7, 9, by=fail), monkeypatch, "--first", "5", "--inputs", "10") == 1
    out = capsys.readouterr().out
    assert "FAILED made-up, input 7; again by:\n  python -m bench.fuzz --only made-up --first 7 --inputs 1\n" in out
    assert "--first 9 --inputs 1\n  the invariant\n" in out
    assert out.endswith("made-up: 10 inputs, 2 failures\n")


def work_for_ever() -> None:
    while True:
        pass


@pytest.mark.parametrize(("limit", "by"), [("WAIT_S", lambda: time.sleep(30)), ("INPUT_S", work_for_ever)])
def test_a_hang_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], limit: str, by: Callable[[], None]
) -> None:
    monkeypatch.setattr(runner, limit, 0.05)
    assert ran(fails_at(2, by=by), monkeypatch, "--first", "1", "--inputs", "3") == 1
    assert "made-up: 3 inputs, 1 failures" in capsys.readouterr().out


def test_waiting_for_a_processor_is_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "INPUT_S", 0.05)
    assert ran(fails_at(2, by=lambda: time.sleep(0.2)), monkeypatch, "--first", "1", "--inputs", "3") == 0


def test_growth_is_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    peaks = iter([100.0, 101.0, 5000.0, 5000.0, 5000.0, 5000.0])
    monkeypatch.setattr(runner, "_peak_mb", lambda: next(peaks))
    assert ran(fails_at(by=fail), monkeypatch, "--first", "1", "--inputs", "3") == 1
    assert "grew by 4899 MB" in capsys.readouterr().out


def test_minutes_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    start = time.monotonic()
    assert ran(fails_at(by=fail), monkeypatch, "0.002") == 0
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(("lost", "is_broken"), [(1, False), (2, True)])
def test_damage_costs_one_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int, is_broken: bool) -> None:
    path = tmp_path / "cache.sqlite"
    with closing(StoreFile(stored._place(path))) as file:
        saved = stored._save(file, stored._snapshots()[0])
    load, calls = StoreFile.load, count()
    monkeypatch.setattr(StoreFile, "load", lambda file: None if 1 <= next(calls) <= lost else load(file))
    with pytest.raises(Broken) if is_broken else nullcontext():
        stored._check_database(path, saved, "no damage")
