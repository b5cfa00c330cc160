"""When servers are killed, started again and left alone: tables of times."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.language_servers.life.restart_policy import (
    LONG,
    PROBE,
    QUICK,
    TRIPPED_MAX_S,
    Again,
    Death,
    Health,
    Outstanding,
    Patience,
    Quiet,
    Tripped,
    after_death,
    looks_again_at,
    memory_ceiling_bytes,
    patience_with,
    verdict_on,
    verdict_on_writing,
)
from codemap.live_queries import (
    At,
    CallItem,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Hover,
    Implementations,
    Kind,
    Outline,
    Place,
    References,
    WorkspaceSymbols,
)

AT = At("a.py", 1, 1)
ITEM = CallItem("f", Kind.FUNCTION, Place("a.py", 1, 1, 1, 2))


@pytest.mark.parametrize(
    ("question", "warm_s", "hard_s"),
    [
        (Definition(AT), 3, 30),
        (Hover(AT), 3, 30),
        (CallRoots(AT), 3, 30),
        (Outline("a.py"), 3, 30),
        (References(AT), 10, 90),
        (Implementations(AT), 10, 90),
        (CallsTo(ITEM), 10, 90),
        (CallsFrom(ITEM), 10, 90),
        (WorkspaceSymbols("x", "query"), 3, 60),
    ],
)
def test_patience(question: object, warm_s: float, hard_s: float) -> None:
    assert patience_with(question) == Patience(warm_s, hard_s)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("now", "patience", "quiet", "cpu_s", "verdict"),
    [
        (2.9, QUICK, Quiet(0, 1.0), 1.0, ""),  # not late
        (7.9, QUICK, Quiet(0, 1.0), 1.0, ""),  # late, and not long enough without a word
        (8.0, QUICK, Quiet(0, 1.0), 1.0, "no word and no work in 8 s"),
        (8.0, QUICK, Quiet(0, 1.0), 1.19, "no word and no work in 8 s"),
        (8.0, QUICK, Quiet(0, 1.0), 1.21, ""),  # it works
        (8.0, QUICK, Quiet(0, None), 1.0, ""),  # nobody knows whether it works
        (8.0, QUICK, Quiet(0, 1.0), None, ""),
        (12.0, QUICK, Quiet(5, 1.0), 1.0, ""),  # it said something meanwhile
        (13.0, QUICK, Quiet(5, 1.0), 1.0, "no word and no work in 8 s"),
        (9.0, LONG, Quiet(0, 1.0), 1.0, ""),
        (10.0, LONG, Quiet(0, 1.0), 1.0, "no word and no work in 10 s"),
        (29.9, QUICK, Quiet(29, 50.0), 51.0, ""),
        (30.0, QUICK, Quiet(29, 50.0), 51.0, "no answer in 30 s"),  # however busy
        (89.9, LONG, Quiet(89, 50.0), 51.0, ""),
        (90.0, LONG, Quiet(89, 50.0), 51.0, "no answer in 90 s"),
        (2.9, PROBE, Quiet(0, 1.0), 1.0, ""),
        (3.0, PROBE, Quiet(0, 1.0), 1.0, "no word and no work in 3 s"),
        (3.0, PROBE, Quiet(0, 1.0), 2.0, ""),
    ],
)
def test_when_a_server_is_wedged(
    now: float, patience: Patience, quiet: Quiet, cpu_s: float | None, verdict: str
) -> None:
    assert verdict_on(now, Outstanding(0.0, patience), quiet, cpu_s) == verdict


def test_quiet_before_it_was_asked_says_nothing() -> None:
    assert verdict_on(107.9, Outstanding(100.0, QUICK), Quiet(0, 1.0), 1.0) == ""
    assert verdict_on(108.0, Outstanding(100.0, QUICK), Quiet(0, 1.0), 1.0) != ""


@pytest.mark.parametrize(
    ("now", "cpu_s", "is_killed"),
    [(4.9, 1.0, False), (5.0, 1.0, True), (5.0, 1.5, False), (29.9, 9.0, False), (30.0, 9.0, True), (30.0, None, True)],
)
def test_when_a_server_does_not_read(now: float, cpu_s: float | None, is_killed: bool) -> None:
    assert bool(verdict_on_writing(now, 0.0, Quiet(0, 1.0), cpu_s)) == is_killed


def deaths(*at: float, answers: int = 1, lived_s: float = 10.0) -> list[Again | Tripped]:
    health, following = Health(), []
    for one in at:
        health, follows = after_death(health, Death(one, lived_s, answers), 0.5)
        following.append(follows)
    return following


def test_the_delays_before_the_next_starts() -> None:
    assert deaths(100, 101, 102, 103) == [Again(100), Again(101.5), Again(104), Again(111)]


def test_the_fifth_death_within_two_minutes_trips_it() -> None:
    assert deaths(100, 101, 102, 103, 104)[-1] == Tripped(164)
    assert deaths(100, 130, 160, 190, 219.9)[-1] == Tripped(279.9)
    assert isinstance(deaths(100, 130, 160, 190, 220.1)[-1], Again)


def test_jitter_spreads_the_starts_by_a_fifth() -> None:
    died = Health(deaths=(100.0,))
    starts = [after_death(died, Death(101, 10, 1), jitter)[1] for jitter in (0.0, 1.0)]
    assert starts == [Again(101.4), Again(101.6)]


def test_a_server_that_trips_again_before_it_answered_rests_twice_as_long() -> None:
    health, rests = Health(), []
    at = 100.0
    for _ in range(5):
        health, _follows = after_death(Health(deaths=(at,) * 4, trips=health.trips), Death(at, 1, 0), 0.5)
        assert isinstance(_follows, Tripped)
        rests.append(_follows.until - at)
        at = _follows.until + 1
    assert rests == [60, 120, 240, 480, TRIPPED_MAX_S]


def test_after_a_trip_one_death_is_enough_unless_it_answered() -> None:
    tripped = Health(trips=1)
    assert isinstance(after_death(tripped, Death(200, 1, 0), 0.5)[1], Tripped)
    assert isinstance(after_death(tripped, Death(200, 1, 3), 0.5)[1], Again)


def test_ten_minutes_of_health_make_all_forgotten() -> None:
    worn = Health(deaths=(95.0, 96.0, 97.0, 98.0), trips=3)
    assert after_death(worn, Death(100, 599, 9), 0.5)[1] == Tripped(100 + 480)
    assert after_death(worn, Death(100, 600, 9), 0.5) == (Health(deaths=(100,)), Again(100))


def test_two_starts_that_fail_in_a_row_trip_it() -> None:
    health, follows = after_death(Health(), Death(100, 1, 0, is_initialized=False), 0.5)
    assert follows == Again(100)
    assert after_death(health, Death(101, 1, 0, is_initialized=False), 0.5)[1] == Tripped(161)
    between, _ = after_death(health, Death(101, 1, 1), 0.5)
    assert isinstance(after_death(between, Death(102, 1, 0, is_initialized=False), 0.5)[1], Again)


def test_too_much_memory_twice_in_half_an_hour_ends_it_for_an_hour() -> None:
    health, follows = after_death(Health(), Death(100, 50, 1, is_by_memory=True), 0.5)
    assert isinstance(follows, Again)
    assert after_death(health, Death(1899, 50, 1, is_by_memory=True), 0.5)[1] == Tripped(1899 + 3600)
    assert isinstance(after_death(health, Death(1901, 50, 1, is_by_memory=True), 0.5)[1], Again)


@given(
    st.lists(
        st.tuples(st.floats(0, 100), st.floats(0, 1000), st.integers(0, 3), st.booleans(), st.floats(0, 1)), max_size=40
    )
)
def test_it_is_never_started_in_the_past_nor_left_alone_for_ever(
    lives: list[tuple[float, float, int, bool, float]],
) -> None:
    health, now = Health(), 0.0
    recent: list[float] = []
    for rest_s, lived_s, answers, is_initialized, jitter in lives:
        now += rest_s + lived_s
        health, follows = after_death(health, Death(now, lived_s, answers, is_initialized), jitter)
        starts_at = follows.at if isinstance(follows, Again) else follows.until
        assert now <= starts_at <= now + TRIPPED_MAX_S
        recent = [at for at in recent if at > now - 120] + [now]
        if isinstance(follows, Again):
            assert len(health.deaths) <= 4
        now = starts_at


@pytest.mark.parametrize(
    ("wanted_mb", "ram_bytes", "ceiling"),
    [(3000, None, 3_000_000_000), (3000, 64_000_000_000, 3_000_000_000), (3000, 4_000_000_000, 1_000_000_000)],
)
def test_the_memory_ceiling(wanted_mb: int, ram_bytes: int | None, ceiling: int) -> None:
    assert memory_ceiling_bytes(wanted_mb, ram_bytes) == ceiling


def test_a_missing_program_is_looked_for_less_and_less() -> None:
    waits = [looks_again_at(0.0, times) for times in range(1, 8)]
    assert waits == [60, 120, 240, 480, 900, 900, 900]
    assert all(math.isfinite(wait) for wait in waits)
