"""When a server counts as ready, for each way to tell; times are given, nothing waits."""

from __future__ import annotations

from codemap.lsp.events import BecameReady, BecameUnready, Event, Initialized, Logged, Progressed
from codemap.lsp.server import AfterMessage, AfterProgress, AfterStatus
from codemap.lsp.session import Session
from codemap.lsp.state import State
from tests.lsp.peer import CAPABILITIES, answer, begin, end, log, new_session, report, tell, welcome

FOUND = AfterMessage(r"Found \d+ source files?|No source files found", settles_s=3.0)
INDEXING = AfterProgress("[Ii]ndexing", begins_within_s=2.0)
STATUS = AfterStatus("experimental/serverStatus", "quiescent")


def status(**members: object) -> bytes:
    return tell("experimental/serverStatus", members)


def gate_events(session: Session, *chunks: bytes) -> list[Event]:
    """What happened to its readiness."""
    events = [event for chunk in chunks for event in session.receive(chunk)]
    return [event for event in events if isinstance(event, BecameReady | BecameUnready)]


def test_at_once() -> None:
    session, events = welcome()
    assert events == [Initialized(), BecameReady()]
    assert session.state is State.READY
    session.files_changed(["a.xx"], ["b.xx"], ["c.xx"])
    session.open("a.xx", "")
    assert gate_events(session, begin(1, "Indexing"), end(1)) == []
    assert session.tick(0) == []
    assert session.deadline is None
    assert session.state is State.READY


def test_after_a_message() -> None:
    session, events = welcome(readiness=FOUND)
    assert events == [Initialized()]
    assert session.state is State.LOADING
    assert gate_events(session, log("Found interpreter"), begin(1, "Found 3 source files"), end(1)) == []
    assert session.receive(log("Found 3 source files")) == [Logged("info", "Found 3 source files"), BecameReady()]
    assert session.state is State.READY
    assert gate_events(session, log("Found 4 source files")) == []


def test_no_time_makes_up_for_a_message() -> None:
    session, _ = welcome(readiness=FOUND)
    assert session.tick(0) == []
    assert session.deadline is None
    assert session.tick(1e9) == []
    assert session.state is State.LOADING


def test_a_message_before_initialize_is_answered_counts() -> None:
    session = new_session(readiness=FOUND)
    number = session.initialize()
    assert session.receive(log("No source files found")) == [Logged("info", "No source files found")]
    assert session.state is State.INITIALIZING
    assert session.receive(answer(number, {"capabilities": CAPABILITIES})) == [Initialized(), BecameReady()]


def test_files_that_came_or_went_are_looked_for_again() -> None:
    for created, deleted in (["a.xx"], []), ([], ["a.xx"]):
        session, _ = welcome(readiness=FOUND)
        session.receive(log("Found 3 source files"))
        session.files_changed(created, [], deleted)
        assert session.state is State.LOADING
        assert session.tick(10) == []
        assert session.deadline == 13
        assert session.receive(log("Found 4 source files"))[1:] == [BecameReady()]
        assert session.tick(10.5) == []
        assert session.deadline is None


def test_one_that_does_not_say_so_has_looked_after_a_while() -> None:
    session, _ = welcome(readiness=FOUND)
    session.receive(log("Found 3 source files"))
    session.files_changed(["a.xx"], [], [])
    assert session.tick(10) == []
    assert session.tick(12.9) == []
    assert session.state is State.LOADING
    session.files_changed(["b.xx"], [], [])  # begins the wait anew
    assert session.tick(12.9) == []
    assert session.deadline == 15.9
    assert session.tick(15.9) == [BecameReady()]
    assert session.state is State.READY
    assert session.deadline is None


def test_a_changed_file_is_not_looked_for() -> None:
    session, _ = welcome(readiness=FOUND)
    session.receive(log("Found 3 source files"))
    session.files_changed([], ["a.xx"], [])
    assert session.state is State.READY


def test_a_server_that_needs_no_settling_stays_ready() -> None:
    session, _ = welcome(readiness=AfterMessage("Found"))
    session.receive(log("Found 3"))
    session.files_changed(["a.xx"], [], [])
    assert session.state is State.READY


def test_files_that_come_while_it_loads_change_nothing() -> None:
    session, _ = welcome(readiness=FOUND)
    session.files_changed(["a.xx"], [], [])
    session.tick(0)
    assert session.deadline is None
    assert session.tick(100) == []
    assert session.state is State.LOADING


def test_after_progress() -> None:
    session, events = welcome(readiness=INDEXING)
    assert events == [Initialized()]
    assert session.tick(5) == []
    assert session.deadline == 7
    assert session.receive(begin("t", "indexing", percentage=0)) == [Progressed("indexing 0 %")]
    assert session.progress == "indexing 0 %"
    assert session.tick(6) == []
    assert session.deadline is None
    assert session.tick(100) == []
    assert session.receive(report("t", message="3/7", percentage=42.6)) == [Progressed("indexing 3/7 43 %")]
    assert session.receive(report("t", percentage=42.7)) == []
    assert session.receive(end("t")) == [Progressed(""), BecameReady()]
    assert session.state is State.READY


def test_progress_that_does_not_begin_is_not_waited_for() -> None:
    session, _ = welcome(readiness=INDEXING)
    session.tick(5)
    assert session.tick(6.9) == []
    assert session.tick(7) == [BecameReady()]


def test_other_work_opens_and_closes_nothing() -> None:
    session, _ = welcome(readiness=INDEXING)
    assert gate_events(session, begin(1, "Finding references"), end(1)) == []
    session.tick(0)
    session.tick(2)
    assert session.state is State.READY
    assert gate_events(session, begin(2, "Finding references")) == []
    assert session.state is State.READY


def test_all_pieces_of_its_work_must_end() -> None:
    session, _ = welcome(readiness=INDEXING)
    assert gate_events(session, begin(1, "Indexing a"), begin("1", "Indexing b"), end(1), end(1)) == []
    assert gate_events(session, end("1")) == [BecameReady()]


def test_work_that_begins_again_is_waited_for_again() -> None:
    session, _ = welcome(readiness=INDEXING)
    assert gate_events(session, begin(1, "indexing"), end(1)) == [BecameReady()]
    assert gate_events(session, begin(1, "indexing")) == [BecameUnready()]
    assert session.state is State.LOADING
    assert session.tick(1000) == []
    assert gate_events(session, end(1)) == [BecameReady()]


def test_progress_before_initialize_is_answered_counts() -> None:
    session = new_session(readiness=INDEXING)
    number = session.initialize()
    session.receive(begin(1, "indexing"))
    assert session.receive(answer(number, {"capabilities": {}})) == [Initialized()]
    session.tick(0)
    assert session.deadline is None
    assert gate_events(session, end(1)) == [BecameReady()]


def test_the_first_document_may_begin_the_work() -> None:
    session, _ = welcome(readiness=INDEXING, opens=True)
    session.tick(0)
    assert session.tick(2) == [BecameReady()]
    session.open("a.xx", "")
    assert session.state is State.LOADING
    session.tick(10)
    assert session.deadline == 12
    assert gate_events(session, begin(1, "indexing"), end(1)) == [BecameReady()]
    session.close("a.xx")
    session.open("a.xx", "")
    session.open("b.xx", "")
    assert session.state is State.READY


def test_after_a_status() -> None:
    session, events = welcome(readiness=STATUS)
    assert events == [Initialized()]
    assert gate_events(session, status(quiescent=False)) == []
    assert gate_events(session, tell("other/status", {"quiescent": True})) == []
    assert gate_events(session, status(health="ok", quiescent=True)) == [BecameReady()]
    assert gate_events(session, status(quiescent=False)) == [BecameUnready()]
    assert gate_events(session, status(quiescent=True), status(quiescent=True)) == [BecameReady()]


def test_a_status_before_any_work_is_not_believed() -> None:
    session, _ = welcome(readiness=STATUS)
    assert gate_events(session, status(quiescent=True)) == []
    assert gate_events(session, begin(1, "Fetching"), status(quiescent=True)) == [BecameReady()]


def test_a_status_that_is_a_word() -> None:
    session, _ = welcome(readiness=AfterStatus("language/status", "type", "ServiceReady"))
    for word in ("Starting", "Message"):
        assert gate_events(session, tell("language/status", {"type": word})) == []
    assert gate_events(session, tell("language/status", {"type": "ServiceReady"})) == [BecameReady()]
    assert gate_events(session, tell("language/status", {"type": "Message"})) == []
    assert session.state is State.READY


def test_a_status_that_is_no() -> None:
    session, _ = welcome(readiness=AfterStatus("x/busy", "busy", value=False))
    assert gate_events(session, tell("x/busy", {"busy": True}), tell("x/busy", {"busy": False})) == [BecameReady()]
    assert gate_events(session, tell("x/busy", {"busy": True})) == [BecameUnready()]


def test_a_status_that_is_none() -> None:
    session, _ = welcome(readiness=STATUS)
    session.receive(begin(1, "Fetching"))
    for params in (None, [], "quiescent", {}, {"quiescent": None}):
        assert gate_events(session, tell("experimental/serverStatus", params)) == []
    assert session.state is State.LOADING


def test_the_newest_work_is_what_it_says() -> None:
    session, _ = welcome()
    events = [
        *session.receive(begin(1, "Loading", message=" crates ")),
        *session.receive(begin(2, "Indexing")),
        *session.receive(report(1, message="more")),
        *session.receive(end(2)),
        *session.receive(report(2, message="late")),
        *session.receive(end(1)),
    ]
    assert events == [
        Progressed("Loading crates"),
        Progressed("Indexing"),
        Progressed("Loading more"),
        Progressed(""),
    ]


def test_progress_that_is_none_of_work() -> None:
    session, _ = welcome(readiness=INDEXING)
    for params in (
        {"token": 1, "value": [{"uri": "file:///x"}]},
        {"token": 1, "value": {"kind": "other", "title": "indexing"}},
        {"token": 1, "value": {}},
        {"token": None, "value": {"kind": "begin", "title": "indexing"}},
        {},
        None,
    ):
        assert session.receive(tell("$/progress", params)) == []
    assert session.progress == ""


def test_nothing_reopens_what_is_closing() -> None:
    session, _ = welcome(readiness=FOUND)
    session.shutdown()
    assert gate_events(session, log("Found 3 source files")) == []
    assert session.state is State.CLOSING
