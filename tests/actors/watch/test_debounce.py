"""When changes are handed on, and what counts as pending."""

from __future__ import annotations

import math

from actors.watch.debounce import PATHS_MAX, Hints, Pace, Pending

PACE = Pace(0.05, 0.5)


def hints(*paths: str) -> Hints:
    return Hints(frozenset(paths))


def test_a_change_waits_until_it_is_quiet() -> None:
    pending = Pending(PACE)
    assert pending.due_at() == math.inf
    pending.add("a.py", 1.0)
    assert pending.due_at() == 1.05
    pending.add("b.py", 1.04)
    assert pending.due_at() == 1.09
    assert pending.hand_on() == hints("a.py", "b.py")
    assert pending.due_at() == math.inf


def test_changes_without_a_pause_wait_no_longer_than_the_first_may() -> None:
    pending = Pending(PACE)
    for number in range(100):
        pending.add(f"{number}.py", 1.0 + number * 0.01)
    assert pending.due_at() == 1.5


def test_what_is_under_way_is_pending_until_it_is_done() -> None:
    pending = Pending(PACE)
    pending.add("a.py", 1.0)
    pending.hand_on()
    pending.add("b.py", 2.0)
    assert pending.known() == hints("a.py", "b.py")
    pending.done()
    assert pending.known() == hints("b.py")


def test_a_file_that_changes_while_it_is_under_way_is_handed_on_again() -> None:
    pending = Pending(PACE)
    pending.add("a.py", 1.0)
    pending.hand_on()
    pending.add("a.py", 1.1)
    pending.done()
    assert pending.hand_on() == hints("a.py")


def test_many_changes_are_a_change_of_everything() -> None:
    pending = Pending(PACE)
    for number in range(PATHS_MAX + 1):
        pending.add(f"{number}.py", 1.0)
    pending.add("a.py", 1.0)
    assert pending.hand_on() == Hints(is_everything=True)
    assert pending.known() == Hints(is_everything=True)
    pending.done()
    assert pending.known() == Hints()


def test_ignored_files_are_looked_at_and_not_reported_until_the_rules_may_have_changed() -> None:
    pending = Pending(PACE)
    pending.add("a.py", 1.0)
    pending.hand_on()
    pending.done({"a.py"})
    pending.add("a.py", 2.0)
    assert pending.known() == Hints()
    assert pending.hand_on() == hints("a.py")
    pending.add_everything(3.0)
    pending.hand_on()
    pending.done()
    pending.add("a.py", 4.0)
    assert pending.known() == hints("a.py")
