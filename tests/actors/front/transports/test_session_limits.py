"""Places for HTTP sessions: who goes for whom, against a plain count of all of them."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from actors.front.transports.session_limits import Caller, Limits, Session, SessionPlaces, address_of
from tests.examples import examples

IDLE_S = 100.0
NOBODY = Caller()


class Room:
    """Places, and what becomes of the sessions."""

    def __init__(self, total: int = 3, per_token: int = 3, per_address: int = 3) -> None:
        self.gone: list[str] = []
        self.places = SessionPlaces(Limits(total, per_token, per_address), IDLE_S)

    def open(self, name: str, caller: Caller = NOBODY, now_s: float = 0.0) -> bool:
        """Opens a session, whose first request is over at once; whether there was a place."""
        session = self.places.take(caller, now_s)
        if session is None:
            return False
        self.places.opened(session, name, partial(self.gone.append, name))
        self.places.finish(session, now_s)
        return True

    def use(self, name: str, now_s: float) -> None:
        session = self.places.begin(name)
        assert session is not None
        self.places.finish(session, now_s)


def test_the_longest_idle_goes_for_one_more() -> None:
    room = Room()
    for now_s, name in enumerate("abc"):
        room.open(name, now_s=now_s)
        room.use(name, now_s)
    room.use("a", 4)
    assert room.open("d", now_s=5)
    assert room.open("e", now_s=6)
    assert room.gone == ["b", "d"], "d was never used"
    assert room.places.statistics().open == 3


def test_who_only_opens_sessions_loses_his_own() -> None:
    """A thousand of them leave alone who works, however long he thinks."""
    room = Room(total=10)
    for name in "abc":
        room.open(name)
        room.use(name, 0)
    assert all(room.open(f"x{number}", now_s=1 + number / 1000) for number in range(1000))
    assert room.gone == [f"x{number}" for number in range(993)]


def test_what_is_at_work_never_goes() -> None:
    room = Room()
    for name in "abc":
        room.open(name)
        assert room.places.begin(name)
    assert not room.open("d")
    assert room.places.statistics().refused == 1
    assert room.gone == []


def test_a_token_has_its_limit() -> None:
    room = Room(total=10, per_token=2)
    mine, yours = Caller("mine"), Caller("yours")
    for name, caller in (("a", mine), ("b", yours), ("c", mine), ("d", mine), ("e", yours)):
        assert room.open(name, caller)
    assert room.gone == ["a"]
    assert all(room.places.begin(name) for name in "cd")
    assert not room.open("f", mine)
    assert room.open("g", yours)
    assert room.open("h"), "who needs no token has no limit of his own"
    assert room.gone == ["a", "b"]


def test_an_address_has_its_limit_where_it_identifies_somebody() -> None:
    room = Room(total=10, per_address=1)
    assert room.open("a", Caller("t", "192.0.2.1"))
    assert room.open("b", Caller("t", "192.0.2.2"))
    assert room.open("c", Caller("t", "192.0.2.1"))
    assert room.gone == ["a"]
    assert all(room.open(f"x{number}", Caller("t")) for number in range(3)), "the token's limit"


@pytest.mark.parametrize(
    ("host", "is_forwarded", "wanted"),
    [
        ("192.0.2.1", False, "192.0.2.1"),
        ("::ffff:192.0.2.1", False, "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", False, "2001:db8:1:2::/64"),
        ("fe80::1%eth0", False, "fe80::/64"),
        ("127.0.0.1", False, ""),
        ("::1", False, ""),
        ("::ffff:127.0.0.2", False, ""),
        ("192.0.2.1", True, ""),
        ("", False, ""),
    ],
)
def test_addresses(host: str, is_forwarded: bool, wanted: str) -> None:
    assert address_of(host, is_forwarded=is_forwarded) == wanted


def test_one_that_does_not_come_to_be_gives_its_place_back() -> None:
    room = Room(total=1)
    session = room.places.take(NOBODY, 0)
    assert session is not None
    assert room.places.take(NOBODY, 0) is None, "it is under way"
    room.places.finish(session, 0)
    assert room.open("a")


def test_what_ended_by_itself_has_no_place() -> None:
    room = Room(total=1)
    room.open("a", now_s=0)
    room.open("b", now_s=IDLE_S)
    assert room.gone == []
    assert room.places.begin("a") is None


class Machine(RuleBasedStateMachine):
    """Any order of events, against a plain list of who has sessions: limits hold, no place is lost."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self.at_work: list[Session] = []
        self.live: dict[str, Caller] = {}
        self.idle_since_s: dict[str, float] = {}
        self.count = 0
        self.places = SessionPlaces(LIMITS, IDLE_S)

    def evicted(self, name: str) -> None:
        assert name not in [session.name for session in self.at_work]
        del self.live[name]

    @rule(token=st.sampled_from(["", "a", "b"]), address=st.sampled_from(["", "x", "y"]), has_come=st.booleans())
    def take(self, token: str, address: str, has_come: bool) -> None:
        over = [name for name, since_s in self.idle_since_s.items() if since_s + IDLE_S <= self.now_s]
        self.live = {name: caller for name, caller in self.live.items() if name not in over}
        session = self.places.take(Caller(token, address), self.now_s)
        if session is not None and has_come:
            self.count += 1
            self.live[f"s{self.count}"] = Caller(token, address)
            self.places.opened(session, f"s{self.count}", partial(self.evicted, f"s{self.count}"))
            self.at_work.append(session)
        elif session is not None:
            self.places.finish(session, self.now_s)

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.live)))
        session = self.places.begin(name)
        assert session is not None
        self.at_work.append(session)
        self.idle_since_s.pop(name, None)

    @precondition(lambda self: self.at_work)
    @rule(data=st.data(), ends=st.booleans())
    def finish(self, data: st.DataObject, ends: bool) -> None:
        session = data.draw(st.sampled_from(self.at_work))
        self.at_work.remove(session)
        if ends:
            self.places.end(session)
            self.live.pop(session.name, None)
        self.places.finish(session, self.now_s)
        if session not in self.at_work:
            self.idle_since_s[session.name] = self.now_s

    @rule(seconds=st.sampled_from([1.0, 60.0]))
    def wait(self, seconds: float) -> None:
        self.now_s += seconds

    @invariant()
    def limits_hold(self) -> None:
        callers = list(self.live.values())
        assert self.places.statistics().open == len(callers) <= LIMITS.total
        assert all(sum(one.token == token for one in callers) <= LIMITS.per_token for token in "ab")
        assert all(sum(one.address == address for one in callers) <= LIMITS.per_address for address in "xy")

    def teardown(self) -> None:
        for session in self.at_work:
            self.places.finish(session, self.now_s)
        assert self.places.take(NOBODY, self.now_s + IDLE_S) is not None
        assert self.places.statistics().open == 0
        assert self.places._held == {"all": 1}


LIMITS = Limits(4, 3, 2)
TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=examples(100), stateful_step_count=30, deadline=None)
