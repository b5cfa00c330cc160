"""The session: what it says, what it understands, and what it makes of a server that misbehaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.live_queries import (
    At,
    CallItem,
    CallRoots,
    CallsTo,
    Definition,
    Hover,
    Implementations,
    Kind,
    Place,
    References,
)
from codemap.lsp.errors import Fault, ProtocolViolation, ServerError, Unsupported
from codemap.lsp.events import (
    Alive,
    Answered,
    BecameReady,
    Buried,
    ConfigurationComplained,
    Event,
    Initialized,
    InitializeFailed,
    Logged,
    ShutDown,
    Stray,
)
from codemap.lsp.frames import frame
from codemap.lsp.positions import Encoding
from codemap.lsp.results import Unplaced
from codemap.lsp.server import AfterMessage, Cancel
from codemap.lsp.session import FILES_BATCH_MAX, PROBE, Session
from codemap.lsp.state import State, WrongState
from tests.lsp.peer import (
    CAPABILITIES,
    ROOT,
    answer,
    ask,
    begin,
    cuts,
    end,
    failure,
    log,
    new_session,
    record,
    said,
    tell,
    welcome,
    welcomed,
)

HERE = Definition(At("a.xx", 1, 1))
SPAN = {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 9}}
THERE = {"uri": "file:///project/b.xx", "range": SPAN}
PLACE = Place("/project/b.xx", 3, 5, 3, 10)


def found(question: Any = HERE, *places: Place) -> Unplaced:
    return Unplaced(question, places, Encoding.UTF_16, ROOT)


# -- its life -------------------------------------------------------------------------------------------------------


def test_a_life() -> None:
    session = new_session()
    assert session.state is State.NEW
    assert session.data_to_send() == b""
    first = session.initialize()
    assert session.state is State.INITIALIZING
    assert [(message["id"], message["method"]) for message in said(session)] == [(first, "initialize")]
    assert session.receive(answer(first, {"capabilities": CAPABILITIES})) == [Initialized(), BecameReady()]
    assert said(session) == [{"jsonrpc": "2.0", "method": "initialized", "params": {}}]
    number = session.ask(HERE)
    assert session.pending == {number: HERE}
    said(session)
    assert session.receive(answer(number, [THERE])) == [Answered(number, found(HERE, PLACE))]
    assert session.pending == {}
    last = session.shutdown()
    assert session.state is State.CLOSING
    assert said(session) == [{"jsonrpc": "2.0", "id": last, "method": "shutdown"}]
    assert session.receive(answer(last, None)) == [ShutDown()]
    session.exit()
    assert session.state is State.CLOSED
    assert said(session) == [{"jsonrpc": "2.0", "method": "exit"}]


def test_initialize_says_who_and_where() -> None:
    session = Session(
        record(initialization_options={"x": {"y": 1}}), root="/a b/é", process_id=41, version="9.8", repository="/a b"
    )
    session.initialize()
    params = said(session)[0]["params"]
    capabilities = params.pop("capabilities")
    assert params == {
        "processId": 41,
        "clientInfo": {"name": "codemap", "version": "9.8"},
        "locale": "en",
        "rootPath": "/a b/é",
        "rootUri": "file:///a%20b/%C3%A9",
        "workspaceFolders": [{"uri": "file:///a%20b/%C3%A9", "name": "é"}],
        "initializationOptions": {"x": {"y": 1}},
        "trace": "off",
    }
    assert capabilities["general"]["positionEncodings"] == ["utf-8", "utf-16"]
    assert capabilities["window"]["workDoneProgress"] is True
    assert capabilities["workspace"]["configuration"] is True
    assert capabilities["workspace"]["workspaceFolders"] is True
    assert capabilities["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"] is True
    assert capabilities["textDocument"]["definition"]["linkSupport"] is True
    assert capabilities["textDocument"]["documentSymbol"]["hierarchicalDocumentSymbolSupport"] is True
    assert capabilities["textDocument"]["hover"]["contentFormat"] == ["markdown", "plaintext"]


def test_what_the_server_calls_itself() -> None:
    session = welcomed()
    assert (session.server_name, session.server_version) == ("xxls", "")
    session = new_session()
    server = {"name": "The XX Server", "version": "4.5"}
    session.receive(answer(session.initialize(), {"capabilities": CAPABILITIES, "serverInfo": server}))
    assert (session.server_name, session.server_version) == ("The XX Server", "4.5")
    assert session.capabilities == CAPABILITIES


@pytest.mark.parametrize("encoding", Encoding)
def test_the_encoding_that_the_server_chose(encoding: Encoding) -> None:
    session, _ = welcome(CAPABILITIES | {"positionEncoding": encoding.value})
    assert session.encoding is encoding


def test_no_encoding_is_utf_16() -> None:
    assert welcomed().encoding is Encoding.UTF_16
    assert welcomed(CAPABILITIES | {"positionEncoding": None}).encoding is Encoding.UTF_16


@pytest.mark.parametrize(
    "reply",
    [
        lambda number: failure(number, -32603, "no licence\nat x"),
        lambda number: answer(number, None),
        lambda number: answer(number, {"capabilities": 3}),
        lambda number: answer(number, {"capabilities": {"positionEncoding": "ebcdic"}}),
        lambda number: answer(number, {"capabilities": {"positionEncoding": [1]}}),
    ],
)
def test_initialize_refused(reply: Callable[[int], bytes]) -> None:
    session = new_session()
    (event,) = session.receive(reply(session.initialize()))
    assert isinstance(event, InitializeFailed)
    assert event.error.message
    assert session.state is State.CLOSED


ACTIONS: dict[str, Callable[[Session], object]] = {
    "initialize": lambda session: session.initialize(),
    "ask": lambda session: session.ask(HERE),
    "open": lambda session: session.open("a.xx", ""),
    "change": lambda session: session.change("a.xx", ""),
    "close": lambda session: session.close("a.xx"),
    "files_changed": lambda session: session.files_changed(["a.xx"], [], []),
    "shutdown": lambda session: session.shutdown(),
    "exit": lambda session: session.exit(),
}


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        (State.NEW, {"initialize"}),
        (State.INITIALIZING, {"exit"}),
        (State.LOADING, ACTIONS.keys() - {"initialize"}),
        (State.READY, ACTIONS.keys() - {"initialize"}),
        (State.CLOSING, {"exit"}),
        (State.CLOSED, {"exit"}),
    ],
)
@pytest.mark.parametrize("action", ACTIONS)
def test_what_may_be_done_when(state: State, allowed: set[str], action: str) -> None:
    session = in_state(state)
    if action in allowed:
        ACTIONS[action](session)
        assert session.data_to_send()
    else:
        with pytest.raises(WrongState):
            ACTIONS[action](session)
        assert session.data_to_send() == b""
        assert session.state is state


def in_state(state: State) -> Session:
    """A session with an open document, if it ever came so far; nothing is left to send."""
    session = new_session(readiness=AfterMessage("done"))
    if state is not State.NEW:
        number = session.initialize()
        if state is not State.INITIALIZING:
            session.receive(answer(number, {"capabilities": CAPABILITIES}))
            session.open("a.xx", "")
            if state is State.READY:
                session.receive(log("done"))
            if state in {State.CLOSING, State.CLOSED}:
                session.shutdown()
            if state is State.CLOSED:
                session.exit()
    session.data_to_send()
    assert session.state is state
    return session


# -- questions ------------------------------------------------------------------------------------------------------


def test_answers_in_any_order_and_form() -> None:
    session = welcomed()
    numbers = [session.ask(Definition(At("a.xx", line, 1))) for line in (1, 2, 3)]
    assert len(set(numbers)) == 3
    assert list(session.pending) == numbers
    first, second, third = numbers
    stream = answer(third, None) + failure(first, -32801, "content modified") + answer(second, THERE)
    assert session.receive(stream) == [
        Answered(third, found(Definition(At("a.xx", 3, 1)))),
        Answered(first, ServerError(Fault.CONTENT_MODIFIED, "content modified", -32801)),
        Answered(second, found(Definition(At("a.xx", 2, 1)), PLACE)),
    ]


def test_a_conversation_however_it_is_cut() -> None:
    """All that a server may say, in one stream."""

    def stream(first: int, second: int) -> bytes:
        return (
            b"Debugger attached.\n"
            + log("hello")
            + begin("t", "indexing")
            + answer(first, [THERE])
            + ask(1, "workspace/configuration", {"items": [{"section": "xx"}]})
            + end("t")
            + failure(second, -32803, "no identifier found")
            + tell("telemetry/event", {"x": 1})
        )

    def replay(chunks: Callable[[bytes], list[bytes]]) -> tuple[list[Event], bytes]:
        session = welcomed()
        sent = stream(session.ask(HERE), session.ask(Hover(At("a.xx", 1, 1))))
        return [event for chunk in chunks(sent) for event in session.receive(chunk)], session.data_to_send()

    whole = replay(lambda sent: [sent])
    assert [type(event).__name__ for event in whole[0]] == [
        "Logged",
        "Progressed",
        "Answered",
        "Progressed",
        "Answered",
    ]
    assert replay(lambda sent: [sent[i : i + 1] for i in range(len(sent))]) == whole
    assert all(replay(lambda sent, i=i: [sent[:i], sent[i:]]) == whole for i in range(1, len(stream(2, 3))))


def test_unsupported_requests_are_not_sent() -> None:
    for capabilities in ({}, {"implementationProvider": False}, {"implementationProvider": None}):
        session = welcomed(capabilities)
        question = Implementations(At("a.xx", 1, 1))
        assert not session.supports(question)
        with pytest.raises(Unsupported, match="xxls has no textDocument/implementation"):
            session.ask(question)
        assert session.data_to_send() == b""
        assert session.pending == {}
    assert not new_session().supports(HERE)


def test_what_turned_out_to_be_missing_is_not_asked_again() -> None:
    session = welcomed()
    question = CallRoots(At("a.xx", 1, 1))
    number = session.ask(question)
    (event,) = session.receive(failure(number, -32601, "Unhandled method"))
    assert event == Answered(number, ServerError(Fault.UNSUPPORTED, "Unhandled method", -32601))
    with pytest.raises(Unsupported):
        session.ask(question)
    assert session.supports(HERE)


def test_what_is_registered_later_is_asked() -> None:
    session = welcomed({})
    registration = {"id": "r", "method": "textDocument/definition"}
    session.receive(ask(1, "client/registerCapability", {"registrations": [registration]}))
    assert session.supports(HERE)
    session.receive(ask(2, "client/unregisterCapability", {"unregisterations": [registration]}))
    assert not session.supports(HERE)


def test_files_of_others_are_not_asked_about() -> None:
    session = welcomed()
    for file in ("Makefile", "a.yy", "xx"):
        with pytest.raises(Unsupported, match="not asked about"):
            session.ask(Definition(At(file, 1, 1)))
        with pytest.raises(Unsupported):
            session.open(file, "")
    assert session.data_to_send() == b""


def test_a_function_of_a_server_is_asked_about_wherever_it_is() -> None:
    session = welcomed()
    place = Place("jdt://contents/String.class", 1, 1, 1, 2, is_external=True)
    session.ask(CallsTo(CallItem("f", Kind.FUNCTION, place, b'{"name":"f"}')))
    assert said(session)[0]["params"] == {"item": {"name": "f"}}


@pytest.mark.parametrize(
    "result", ["text", 3, [3], [{}], {"uri": "file:///a"}, [{"uri": 1, "range": SPAN}], [{"targetUri": "file:///a"}]]
)
def test_an_answer_that_is_none(result: Any) -> None:
    session = welcomed()
    number = session.ask(HERE)
    (event,) = session.receive(answer(number, result))
    assert isinstance(event, Answered)
    assert isinstance(event.result, ServerError)
    assert event.result.fault is Fault.MALFORMED
    assert event.result.message
    assert session.pending == {}


def test_an_answer_that_is_nested_too_deeply() -> None:
    session = welcomed()
    number = session.ask(HERE)
    deep = b"[" * 100_000 + b"]" * 100_000
    with pytest.raises(ProtocolViolation):
        session.receive(frame(b'{"id":%d,"result":%b}' % (number, deep)))


def test_answers_that_nobody_waits_for() -> None:
    session = welcomed()
    number = session.ask(HERE)
    stream = answer(999, None) + answer("x", None) + failure(None, -32700, "Parse error") + answer(1, None)
    assert session.receive(stream) == [Stray("999"), Stray("x"), Stray("None"), Stray("1")]
    assert session.receive(answer(number, None) * 2) == [Answered(number, found()), Stray(str(number))]
    assert session.receive(answer(str(number), None)) == [Stray(str(number))]
    assert session.receive(answer(0, None) + answer(-1, None) + frame(b'{"id":1.5}')) == [
        Stray("0"),
        Stray("-1"),
        Stray("1.5"),
    ]


@pytest.mark.parametrize("garbage", [frame(b"{"), frame(b"[]"), frame(b"{}"), b"Content-Length: x\r\n\r\n"])
def test_what_is_no_protocol(garbage: bytes) -> None:
    with pytest.raises(ProtocolViolation):
        welcomed().receive(garbage)


# -- cancelling -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", Cancel)
def test_a_cancelled_question_is_buried_whatever_comes(strategy: Cancel) -> None:
    for reply in (
        lambda number: answer(number, []),
        lambda number: answer(number, "nonsense"),
        lambda number: failure(number, -32800, "cancelled"),
        lambda number: failure(number, -32601, "Unhandled method"),
    ):
        session = welcomed(cancel=strategy)
        number = session.ask(HERE)
        session.data_to_send()
        session.cancel(number)
        assert (session.pending, session.tombstones) == ({}, 1)
        by_message = [{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}]
        assert said(session) == (by_message if strategy is Cancel.MESSAGE else [])
        assert session.receive(reply(number)) == [Buried(number)]
        assert session.tombstones == 0
        assert session.receive(reply(number)) == [Stray(str(number))]
        assert session.supports(HERE)


def test_cancelling_what_is_over() -> None:
    session = welcomed()
    number = session.ask(HERE)
    session.receive(answer(number, None))
    session.data_to_send()
    session.cancel(number)
    session.cancel(12345)
    assert (session.data_to_send(), session.tombstones) == (b"", 0)
    number = session.ask(HERE)
    session.cancel(number)
    session.data_to_send()
    session.cancel(number)
    assert (session.data_to_send(), session.tombstones) == (b"", 1)


def test_cancelling_while_it_closes() -> None:
    session = welcomed()
    number = session.ask(HERE)
    last = session.shutdown()
    session.data_to_send()
    session.cancel(number)
    assert session.data_to_send() == b""
    assert session.receive(answer(number, None) + answer(last, None)) == [Buried(number), ShutDown()]


# -- documents and files --------------------------------------------------------------------------------------------


def test_documents_are_opened_changed_and_closed() -> None:
    session = welcomed()
    session.open("dir/a b.xx", "one\n")
    session.change("dir/a b.xx", "two\n")
    session.open("dir/a b.xx", "three\n")
    assert session.opened == {"dir/a b.xx"}
    session.close("dir/a b.xx")
    assert session.opened == frozenset()
    session.open("dir/a b.xx", "four\n")
    uri = "file:///project/dir/a%20b.xx"
    assert [(message["method"], message["params"]) for message in said(session)] == [
        (
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "xx", "version": 1, "text": "one\n"}},
        ),
        (
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "two\n"}]},
        ),
        (
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [{"text": "three\n"}]},
        ),
        ("textDocument/didClose", {"textDocument": {"uri": uri}}),
        (
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "xx", "version": 4, "text": "four\n"}},
        ),
    ]


def test_the_longest_ending_says_the_language() -> None:
    session = welcomed()
    session.open("a.d.xx", "")
    assert said(session)[0]["params"]["textDocument"]["languageId"] == "xx-declaration"


def test_what_is_not_open() -> None:
    session = welcomed()
    with pytest.raises(KeyError):
        session.change("a.xx", "")
    with pytest.raises(KeyError):
        session.close("a.xx")
    assert session.data_to_send() == b""


def test_text_that_is_no_unicode_can_be_sent() -> None:
    session = welcomed()
    session.open("caf\udce9.xx", "caf\udce9 😀 \\udce9")
    document = said(session)[0]["params"]["textDocument"]
    assert document["text"] == "caf� 😀 \\udce9"
    assert document["uri"] == "file:///project/caf%E9.xx"


def test_a_function_goes_back_to_its_server_as_it_came() -> None:
    session = welcomed()
    handle = b'{"name":"f", "more": "\\udce9"}'
    session.ask(CallsTo(CallItem("f", Kind.FUNCTION, Place("a.xx", 1, 1, 1, 2), handle)))
    assert handle in session.data_to_send()


def test_a_root_whose_name_is_no_unicode() -> None:
    session = Session(record(), root="/caf\udce9", process_id=1, version="1")
    session.initialize()
    params = said(session)[0]["params"]
    assert params["rootUri"] == "file:///caf%E9"
    assert params["workspaceFolders"] == [{"uri": "file:///caf%E9", "name": "caf�"}]


def test_changes_on_disk() -> None:
    session = welcomed()
    session.files_changed(["new.xx"], ["a b.xx", "/elsewhere/c.xx"], ["old.xx"])
    (message,) = said(session)
    assert message["method"] == "workspace/didChangeWatchedFiles"
    assert message["params"]["changes"] == [
        {"uri": "file:///project/new.xx", "type": 1},
        {"uri": "file:///project/old.xx", "type": 3},
        {"uri": "file:///project/a%20b.xx", "type": 2},
        {"uri": "file:///elsewhere/c.xx", "type": 2},
    ]
    session.files_changed([], [], [])
    assert session.data_to_send() == b""


@pytest.mark.parametrize(("files", "batches"), [(FILES_BATCH_MAX, [500]), (FILES_BATCH_MAX * 2 + 1, [500, 500, 1])])
def test_many_changes_go_in_batches(files: int, batches: list[int]) -> None:
    session = welcomed()
    session.files_changed([], (f"{i}.xx" for i in range(files)), [])
    sent = [message["params"]["changes"] for message in said(session)]
    assert [len(changes) for changes in sent] == batches
    assert [change["uri"] for changes in sent for change in changes] == [
        f"file:///project/{i}.xx" for i in range(files)
    ]


# -- everything else ------------------------------------------------------------------------------------------------


def test_a_probe_is_answered_by_anything() -> None:
    for reply in (lambda number: answer(number, None), lambda number: failure(number, -32601, "no such method")):
        session = welcomed()
        number = session.probe()
        assert number is not None
        assert said(session) == [{"jsonrpc": "2.0", "id": number, "method": PROBE}]
        assert session.pending == {}
        assert session.receive(reply(number) * 2) == [Alive(number), Stray(str(number))]


@pytest.mark.parametrize("state", [State.NEW, State.INITIALIZING, State.CLOSING, State.CLOSED])
def test_no_probe_where_nothing_may_be_asked(state: State) -> None:
    session = in_state(state)
    assert session.probe() is None
    assert session.data_to_send() == b""


@pytest.mark.parametrize(
    ("type_", "level"), [(1, "error"), (2, "warning"), (3, "info"), (4, "log"), (5, "debug"), (9, "log")]
)
def test_what_it_logs(type_: int, level: str) -> None:
    for method in ("window/logMessage", "window/showMessage"):
        assert welcomed().receive(tell(method, {"type": type_, "message": "m"})) == [Logged(level, "m")]


@pytest.mark.parametrize("method", ["window/logMessage", "$/progress", "textDocument/publishDiagnostics", "$/logTrace"])
@pytest.mark.parametrize("params", [None, 3, [], {}, {"message": 3}, {"uri": 3}, "x"])
def test_notifications_that_say_nothing(method: str, params: Any) -> None:
    assert welcomed().receive(tell(method, params)) == []


def diagnostics(uri: str, *messages: tuple[int, str]) -> bytes:
    found = [{"severity": severity, "message": message, "range": SPAN} for severity, message in messages]
    return tell("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": found})


def test_errors_in_configuration_files_are_reported() -> None:
    session = welcomed()
    uri = "file:///project/app/xx.json"
    assert session.receive(diagnostics("file:///project/a.xx", (1, "bad source"))) == []
    assert session.receive(diagnostics(uri)) == []
    assert session.receive(diagnostics(uri, (1, "no such option"), (2, "old"), (1, "removed"))) == [
        ConfigurationComplained("app/xx.json", "no such option\nremoved")
    ]
    assert session.receive(diagnostics(uri, (2, "old"))) == [ConfigurationComplained("app/xx.json", "")]
    assert session.receive(diagnostics(uri, (2, "old"))) == []
    assert session.receive(diagnostics("file:///elsewhere/xx.base.json", (1, "m"))) == [
        ConfigurationComplained("/elsewhere/xx.base.json", "m")
    ]


def test_files_are_named_relative_to_the_repository_not_to_the_project() -> None:
    session = Session(record(), root="/repo/packages/app", process_id=1, version="1", repository="/repo")
    session.receive(answer(session.initialize(), {"capabilities": CAPABILITIES}))
    assert said(session)[0]["params"]["rootUri"] == "file:///repo/packages/app"
    session.ask(References(At("packages/app/a.xx", 1, 1)))
    session.open("packages/lib/b.xx", "")
    session.files_changed([], ["packages/app/c.xx"], [])
    asked, opened, changed = said(session)
    assert asked["params"]["textDocument"]["uri"] == "file:///repo/packages/app/a.xx"
    assert opened["params"]["textDocument"]["uri"] == "file:///repo/packages/lib/b.xx"
    assert changed["params"]["changes"][0]["uri"] == "file:///repo/packages/app/c.xx"


pieces = st.sampled_from(
    [
        log("x"),
        begin(1, "t"),
        end(1),
        answer(2, None),
        answer(3, [THERE]),
        failure(4, 0, "no identifier found"),
        ask(1, "workspace/configuration", {"items": [{}]}),
        ask("q", "x/y"),
        tell("x/y", [1]),
        diagnostics("file:///project/xx.json", (1, "m")),
        b"garbage\n",
        b"\r\n",
    ]
)


@given(st.lists(pieces | st.binary(max_size=20), max_size=12), st.integers(1, 40))
def test_any_server_is_survived_or_refused(stream: list[bytes], size: int) -> None:
    """The chunks make no difference, every request is replied to, and no question is answered twice."""
    whole = b"".join(stream)
    outcomes = []
    for chunks in ([whole], [whole[i : i + size] for i in range(0, len(whole), size)]):
        session = welcomed()
        numbers = [session.ask(HERE) for _ in range(3)]
        session.cancel(numbers[2])
        session.data_to_send()
        events: list[Event] = []
        refused = False
        try:
            for chunk in chunks:
                events += session.receive(chunk)
        except ProtocolViolation:
            refused = True
        answered = [event.number for event in events if isinstance(event, Answered | Buried)]
        assert len(answered) == len(set(answered))
        assert set(answered) | set(session.pending) | set(numbers[2:]) == set(numbers) or refused
        outcomes.append((refused, None if refused else events, None if refused else session.data_to_send()))
    assert outcomes[0] == outcomes[1]


def test_every_cut_of_an_initialize_answer() -> None:
    stream = answer(1, {"capabilities": CAPABILITIES, "serverInfo": {"name": "é"}})
    for chunks in cuts(stream):
        session = new_session()
        assert session.initialize() == 1
        assert [event for chunk in chunks for event in session.receive(chunk)] == [Initialized(), BecameReady()]
        assert session.server_name == "é"


def test_what_is_sent_is_whole_frames() -> None:
    session = welcomed()
    session.ask(HERE)
    session.probe()
    sent = session.data_to_send()
    assert sent.count(b"Content-Length: ") == 2
    assert msgspec.json.decode(sent.rpartition(b"\r\n\r\n")[2])["method"] == PROBE
    assert session.data_to_send() == b""
