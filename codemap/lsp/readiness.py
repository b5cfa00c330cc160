"""Decides when a server has loaded the project: a gate that opens, and closes again when it reloads.

Before that, servers give wrong empty or partial answers as successes. What opens the gate is in the server's record
(`codemap.lsp.server.Readiness`). The gate is given what happens and reads no clock: a wait is a number of seconds,
begun anew whenever its number changes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, assert_never

import msgspec

from codemap.lsp.server import AfterMessage, AfterProgress, AfterStatus, Immediate, Readiness


class Wait(msgspec.Struct, frozen=True):
    """The gate opens by itself when nothing new happened for so long."""

    seconds: float


class Gate(msgspec.Struct, frozen=True):
    """`is_open`: it has seen all files, as far as anybody knows."""

    readiness: Readiness
    is_open: bool = False
    wait: Wait | None = None
    """By identity: another object is another wait."""
    working: frozenset[int | str] = frozenset()
    """Tokens of the work whose end is awaited."""
    has_begun: bool = False
    """Whether it was ever seen to begin any work."""


def initialized(gate: Gate) -> Gate:
    """After the answer to `initialize`. What opened the gate before that stays true."""
    match gate.readiness:
        case Immediate():
            return _opened(gate)
        case AfterProgress(begins_within_s=seconds):
            return gate if gate.working or gate.is_open else _waiting(gate, seconds)
        case AfterMessage() | AfterStatus():
            return gate
    assert_never(gate.readiness)


def logged(gate: Gate, text: str) -> Gate:
    match gate.readiness:
        case AfterMessage(pattern=pattern) if re.search(pattern, text):
            return _opened(gate)
        case _:
            return gate


def began(gate: Gate, token: int | str, title: str) -> Gate:
    """After the begin of a work-done progress."""
    match gate.readiness:
        case AfterProgress(pattern=pattern) if re.search(pattern, title):
            return _replace(gate, is_open=False, wait=None, working=gate.working | {token}, has_begun=True)
        case _:
            return _replace(gate, has_begun=True)


def ended(gate: Gate, token: int | str) -> Gate:
    """After the end of a work-done progress."""
    if token not in gate.working:
        return gate
    rest = gate.working - {token}
    return _replace(gate, working=rest) if rest else _opened(_replace(gate, working=rest))


def stated(gate: Gate, method: str, members: Mapping[str, Any]) -> Gate:
    """After any other notification.

    Of a member that is yes or no, the no closes the gate again, and the yes is believed only after the server was seen
    to work: servers say that they are done before they have begun (measured). Of a word, other words mean nothing.
    """
    match gate.readiness:
        case AfterStatus(method=expected, member=member, value=value) if method == expected and member in members:
            said = members[member]
            if said is value if isinstance(value, bool) else said == value:
                return _opened(gate) if gate.has_begun or isinstance(value, str) else gate
            if isinstance(value, str) or not isinstance(said, bool):
                return gate
            return _replace(gate, is_open=False, wait=None, has_begun=True)
        case _:
            return gate


def files_moved(gate: Gate) -> Gate:
    """After it was notified of files that came or went: it looks again, and says so or not."""
    match gate.readiness:
        case AfterMessage(settles_s=seconds) if gate.is_open or gate.wait is not None:
            return _waiting(_replace(gate, is_open=False), seconds) if seconds > 0 else gate
        case _:
            return gate


def first_opened(gate: Gate) -> Gate:
    """After the first document was opened: what reads no disk begins its work only now."""
    match gate.readiness:
        case AfterProgress(begins_within_s=seconds) if not gate.working:
            return _waiting(_replace(gate, is_open=False), seconds)
        case _:
            return gate


def waited(gate: Gate) -> Gate:
    """After the wait."""
    return _opened(gate) if gate.wait is not None else gate


def _opened(gate: Gate) -> Gate:
    return _replace(gate, is_open=True, wait=None)


def _waiting(gate: Gate, seconds: float) -> Gate:
    return _replace(gate, wait=Wait(seconds))


def _replace(gate: Gate, **changes: object) -> Gate:
    return msgspec.structs.replace(gate, **changes)
