"""Requests of servers: each is answered, at once, with a result."""

from __future__ import annotations

from typing import Any

import pytest

from codemap.live_queries import At, Definition
from codemap.lsp.session import Session
from tests.lsp.peer import ROOT, answer, ask, frame, new_session, record, said, welcomed

FOLDER = [{"uri": "file:///project", "name": "project"}]


@pytest.mark.parametrize(
    ("method", "params", "result"),
    [
        ("client/registerCapability", {"registrations": [{"id": "1", "method": "x", "registerOptions": {}}]}, None),
        ("client/unregisterCapability", {"unregisterations": [{"id": "1", "method": "x"}]}, None),
        ("client/registerCapability", {"registrations": 3}, None),
        ("window/workDoneProgress/create", {"token": 1}, None),
        ("window/showMessageRequest", {"type": 1, "message": "?", "actions": [{"title": "Yes"}]}, None),
        ("window/showDocument", {"uri": "https://example.com", "external": True}, {"success": False}),
        ("workspace/applyEdit", {"edit": {}}, {"applied": False, "failureReason": "codemap changes no files"}),
        ("workspace/workspaceFolders", None, FOLDER),
        ("workspace/semanticTokens/refresh", None, None),
        ("workspace/codeLens/refresh", None, None),
        ("workspace/configuration", {"items": []}, []),
        ("workspace/configuration", {"items": [{"section": "nobody"}, {}]}, [None, {}]),
        ("workspace/configuration", None, []),
        ("_typescript.rename", {"position": {}}, None),
        ("nobody/hasHeardOfThis", [1, 2], None),
    ],
)
@pytest.mark.parametrize("id_", [0, 41, "ts1"])
def test_what_is_replied(method: str, params: Any, result: Any, id_: int | str) -> None:
    session = welcomed()
    assert session.receive(ask(id_, method, params)) == []
    assert said(session) == [{"jsonrpc": "2.0", "id": id_, "result": result}]


def test_in_every_state() -> None:
    session = new_session()
    number = session.initialize()
    session.data_to_send()
    asked = ask(1, "window/workDoneProgress/create", {"token": 1})
    reply = {"jsonrpc": "2.0", "id": 1, "result": None}
    session.receive(asked)
    assert said(session) == [reply]
    session.receive(answer(number, {"capabilities": {}}) + asked)
    assert said(session) == [{"jsonrpc": "2.0", "method": "initialized", "params": {}}, reply]
    session.shutdown()
    session.data_to_send()
    session.receive(asked)
    assert said(session) == [reply]
    session.exit()
    session.data_to_send()
    session.receive(asked)
    assert said(session) == [reply]


def test_a_request_in_the_middle_of_ours_is_replied_to_first() -> None:
    session = welcomed()
    session.ask(Definition(At("a.xx", 1, 1)))
    session.data_to_send()
    session.receive(
        ask(1, "workspace/configuration", {"items": [{"section": "a"}, {"section": "b"}, {"section": "a"}]})
    )
    assert said(session) == [{"jsonrpc": "2.0", "id": 1, "result": [None, None, None]}]


def configured(**configuration: Any) -> Session:
    server = record(
        configuration={
            "xx.analysis": {"mode": "open", "paths": ["a"]},
            "xx": {"trace": "off"},
            "js/ts": {"acquire": False},
        }
    )
    session = Session(server, root=ROOT, process_id=7, version="1", configuration=configuration)
    session.receive(answer(session.initialize(), {"capabilities": {}}))
    session.data_to_send()
    return session


@pytest.mark.parametrize(
    ("section", "value"),
    [
        ("xx.analysis", {"mode": "open", "paths": ["a"]}),
        ("xx.analysis.mode", "open"),
        ("xx", {"trace": "off", "analysis": {"mode": "open", "paths": ["a"]}}),
        ("xx.trace", "off"),
        ("js/ts", {"acquire": False}),
        ("xx.analysis.mode.more", None),
        ("yy", None),
        (
            "",
            {"xx": {"trace": "off", "analysis": {"mode": "open", "paths": ["a"]}}, "js/ts": {"acquire": False}},
        ),
    ],
)
def test_the_configuration_of_a_section(section: str, value: Any) -> None:
    session = configured()
    session.receive(ask(1, "workspace/configuration", {"items": [{"scopeUri": "file:///x", "section": section}]}))
    assert said(session)[0]["result"] == [value]


def test_what_is_given_goes_over_the_record() -> None:
    session = configured(**{"xx.analysis.paths": ["b"], "xx": {"more": {"deep": 1}}, "zz": 3})
    session.receive(ask(1, "workspace/configuration", {"items": [{"section": "xx"}, {"section": "zz"}]}))
    assert said(session)[0]["result"] == [
        {"trace": "off", "analysis": {"mode": "open", "paths": ["b"]}, "more": {"deep": 1}},
        3,
    ]


def test_a_request_that_comes_byte_by_byte() -> None:
    session = welcomed()
    for byte in ask("a", "workspace/workspaceFolders") + frame(b'{"id":"b","method":"x"}'):
        session.receive(bytes([byte]))
    assert [(reply["id"], reply["result"]) for reply in said(session)] == [("a", FOLDER), ("b", None)]
