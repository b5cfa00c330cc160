"""When a shared store is asked, and when not."""

from __future__ import annotations

import math

from codemap.shared_facts.circuit_breaker import (
    FAILURES_MAX,
    FRUITLESS_MAX,
    FRUITLESS_PAUSE_S,
    PAUSE_MAX_S,
    PAUSE_S,
    CircuitBreaker,
)


def answering() -> CircuitBreaker:
    breaker = CircuitBreaker()
    breaker.note_probe()
    return breaker


def test_nothing_is_asked_before_a_probe_was_answered() -> None:
    breaker = CircuitBreaker()
    assert not breaker.may_ask(0)
    assert breaker.probe_at == -math.inf
    breaker.note_probe()
    assert breaker.may_ask(0)
    assert breaker.probe_at == math.inf


def test_one_failure_is_forgiven_and_more_in_a_row_are_not() -> None:
    breaker = answering()
    for _ in range(FAILURES_MAX - 1):
        breaker.note_failure(10)
    assert breaker.may_ask(10)
    breaker.note_answer(1, 10)
    for _ in range(FAILURES_MAX):
        assert breaker.may_ask(10)
        breaker.note_failure(10)
    assert not breaker.may_ask(1_000)
    assert breaker.probe_at == 10 + PAUSE_S


def test_pauses_grow_until_an_answer_comes() -> None:
    breaker, now_s, pauses = CircuitBreaker(), 0.0, []
    for _ in range(10):
        breaker.note_failure(now_s)
        pauses.append(breaker.probe_at - now_s)
        now_s = breaker.probe_at
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[1], pauses[-1]) == (PAUSE_S, 2 * PAUSE_S, PAUSE_MAX_S)
    breaker.note_probe()
    breaker.note_answer(1, now_s)
    for _ in range(FAILURES_MAX):
        breaker.note_failure(now_s)
    assert breaker.probe_at == now_s + PAUSE_S


def test_failures_of_what_was_under_way_do_not_lengthen_the_pause() -> None:
    breaker = answering()
    for _ in range(FAILURES_MAX + 5):
        breaker.note_failure(10)
    assert breaker.probe_at == 10 + PAUSE_S


def test_a_store_that_has_nothing_rests() -> None:
    breaker = answering()
    for _ in range(FRUITLESS_MAX - 1):
        breaker.note_answer(0, 10)
    breaker.note_answer(3, 10)
    for _ in range(FRUITLESS_MAX):
        assert breaker.may_ask(10)
        breaker.note_answer(0, 10)
    assert not breaker.may_ask(10)
    assert breaker.may_ask(10 + FRUITLESS_PAUSE_S)
    assert breaker.probe_at == math.inf
