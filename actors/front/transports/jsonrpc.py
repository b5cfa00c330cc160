"""Encodes and decodes JSON-RPC messages. No I/O.

Half a surrogate pair, which JSON can escape though no text has it, is read as the six characters of its escape: the
request is answered like any other, and a path that is shown so is found.

Source: JSON-RPC 2.0; RFC 8259, section 8.2; MCP 2025-11-25 and 2026-07-28, which leave out the `id` of an error where
JSON-RPC has null, and have params that are objects.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import msgspec

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602

RequestId = int | str


class Request(msgspec.Struct, frozen=True):
    id: RequestId
    method: str
    params: dict[str, Any] | None


class Notification(msgspec.Struct, frozen=True):
    method: str
    params: dict[str, Any] | None


class Malformed(msgspec.Struct, frozen=True):
    """A frame that is no valid message, and the error to answer with."""

    id: RequestId | None
    code: int
    message: str


class _Message(msgspec.Struct):
    jsonrpc: Literal["2.0"]
    method: str
    id: RequestId | msgspec.UnsetType = msgspec.UNSET
    params: dict[str, Any] | None = None


_decoder = msgspec.json.Decoder(_Message)
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escape of JSON, which has a backslash only there; the group is half a surrogate pair without the other."""


def decode(frame: bytes) -> Request | Notification | Malformed | None:
    """Decodes the message of a frame; None for a response, which is never expected."""
    try:
        message = _decoder.decode(frame)
    except (ValueError, RecursionError):
        whole = paired(frame)
        return _diagnose(frame) if whole is frame else _with_own_id(decode(whole), frame)
    if message.id is msgspec.UNSET:
        return Notification(message.method, message.params)
    return Request(message.id, message.method, message.params)


def paired(frame: bytes) -> bytes:
    """Escapes each half of a surrogate pair in JSON as the six characters of its escape; the frame itself where there
    is none."""
    if b"\\u" not in frame:
        return frame
    found = _ESCAPE.sub(_spelled, frame)
    return frame if found == frame else found


def encode(message: dict[str, Any]) -> bytes:
    """Encodes a message as JSON on one line."""
    try:
        return msgspec.json.encode(message)
    except (UnicodeEncodeError, OverflowError):  # a file name that is not UTF-8; an id beyond 64 bits
        return json.dumps(message, separators=(",", ":"), default=_said).encode()


def error_of(request_id: RequestId | None, code: int, message: str) -> dict[str, Any]:
    """Makes an error message; without an id for what is no request."""
    error: dict[str, Any] = {"jsonrpc": "2.0", "error": {"code": code, "message": message}}
    return error if request_id is None else {**error, "id": request_id}


def _said(raw: msgspec.Raw) -> Any:
    """Decodes a member that is JSON already."""
    return json.loads(bytes(raw))


def _spelled(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape[1] is None else b"\\\\u" + escape[1].lower()


def _with_own_id(
    message: Request | Notification | Malformed | None, frame: bytes
) -> Request | Notification | Malformed | None:
    """Refuses a message whose id has half a surrogate pair: it could not be returned over HTTP."""
    if not isinstance(message, Request | Malformed) or not isinstance(message.id, str):
        return message
    try:
        request_id = json.loads(frame)["id"]
    except RecursionError:
        return Malformed(None, PARSE_ERROR, "Parse error: nested too deeply")
    if request_id == message.id:
        return message
    return Malformed(request_id, INVALID_REQUEST, 'Invalid request: "id" has half a surrogate pair')


def _diagnose(frame: bytes) -> Malformed | None:
    try:
        message = msgspec.json.decode(frame)
    except RecursionError:
        return Malformed(None, PARSE_ERROR, "Parse error: nested too deeply")
    except ValueError as error:
        return Malformed(None, PARSE_ERROR, f"Parse error: {_reason(error)}")
    if isinstance(message, list):
        return Malformed(None, INVALID_REQUEST, "Invalid request: MCP has no batches; send one message at a time")
    if not isinstance(message, dict):
        return Malformed(None, INVALID_REQUEST, "Invalid request: a message is a JSON object")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    given = message.get("id")
    request_id = given if isinstance(given, (int, str)) and not isinstance(given, bool) else None
    if message.get("jsonrpc") != "2.0":
        return Malformed(request_id, INVALID_REQUEST, 'Invalid request: "jsonrpc" must be "2.0"')
    if not isinstance(message.get("method"), str):
        return Malformed(request_id, INVALID_REQUEST, 'Invalid request: "method" must be a string')
    if "id" in message and request_id is None:
        return Malformed(None, INVALID_REQUEST, 'Invalid request: "id" must be a string or a whole number')
    return Malformed(request_id, INVALID_PARAMS, 'Invalid params: "params" must be an object')


def _reason(error: ValueError) -> str:
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
