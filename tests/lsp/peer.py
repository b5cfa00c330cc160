"""The server's side of a session, by hand: a record, frames to send, and what was said to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from codemap.lsp.events import Event
from codemap.lsp.frames import FrameReader, frame
from codemap.lsp.server import Entry, Server
from codemap.lsp.session import Session

ROOT = "/project"
CAPABILITIES = {
    "definitionProvider": True,
    "referencesProvider": {"workDoneProgress": True},
    "implementationProvider": True,
    "hoverProvider": {},
    "callHierarchyProvider": True,
    "documentSymbolProvider": True,
    "workspaceSymbolProvider": True,
}


def record(**changes: Any) -> Server:
    """A made-up server of `.xx` files."""
    plain = Server(
        name="xxls",
        entry=Entry(names=("xxls",)),
        arguments=(),
        install="install xxls",
        language_ids={".xx": "xx", ".d.xx": "xx-declaration"},
        config_files=("xx*.json",),
    )
    return msgspec.structs.replace(plain, **changes)


def new_session(**changes: Any) -> Session:
    return Session(record(**changes), root=ROOT, process_id=7, version="1.2.3")


def body(**members: Any) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", **members})


def answer(number: int | str | None, result: Any) -> bytes:
    return frame(body(id=number, result=result))


def failure(number: int | str | None, code: int, message: str) -> bytes:
    return frame(body(id=number, error={"code": code, "message": message}))


def ask(id_: int | str, method: str, params: Any = None) -> bytes:
    return frame(body(id=id_, method=method, params=params))


def tell(method: str, params: Any = None) -> bytes:
    return frame(body(method=method, params=params))


def begin(token: int | str, title: str, **members: Any) -> bytes:
    return tell("$/progress", {"token": token, "value": {"kind": "begin", "title": title, **members}})


def report(token: int | str, **members: Any) -> bytes:
    return tell("$/progress", {"token": token, "value": {"kind": "report", **members}})


def end(token: int | str) -> bytes:
    return tell("$/progress", {"token": token, "value": {"kind": "end"}})


def log(text: str, level: int = 3) -> bytes:
    return tell("window/logMessage", {"type": level, "message": text})


def said(session: Session) -> list[dict[str, Any]]:
    """The messages that the session wants sent, taken."""
    return [msgspec.json.decode(frame_body) for frame_body in FrameReader().feed(session.data_to_send())]


def welcomed(capabilities: dict[str, Any] = CAPABILITIES, **changes: Any) -> Session:
    """A session whose server accepted `initialize`; nothing is left to send."""
    session, _ = welcome(capabilities, **changes)
    return session


def welcome(capabilities: dict[str, Any] = CAPABILITIES, **changes: Any) -> tuple[Session, list[Event]]:
    session = new_session(**changes)
    events = session.receive(answer(session.initialize(), {"capabilities": capabilities}))
    session.data_to_send()
    return session, events


def cuts(stream: bytes) -> Iterator[list[bytes]]:
    """The ways in which a stream may arrive: whole, byte by byte, and in two parts at each offset."""
    yield [stream]
    yield [stream[i : i + 1] for i in range(len(stream))]
    for i in range(1, len(stream)):
        yield [stream[:i], stream[i:]]
