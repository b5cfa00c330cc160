"""Converts JSON-RPC messages between bodies of frames and requests, notifications and responses.

What a message carries stays undecoded until somebody knows its type. Text that is no Unicode (half a surrogate pair,
where a server cut a string; bytes that are not UTF-8) is replaced rather than refused.

Source: JSON-RPC 2.0; LSP 3.17, base protocol.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from codemap.lsp.errors import ProtocolViolation

T = TypeVar("T")

Id = int | str | float | None


class ResponseError(msgspec.Struct, frozen=True):
    code: int = 0
    message: str = ""


class Request(msgspec.Struct, frozen=True, tag=True):
    """The other side wants an answer."""

    id: Id
    method: str
    params: msgspec.Raw


class Notification(msgspec.Struct, frozen=True, tag=True):
    method: str
    params: msgspec.Raw


class Response(msgspec.Struct, frozen=True, tag=True):
    """An answer with a result."""

    id: Id
    result: msgspec.Raw


class Failure(msgspec.Struct, frozen=True, tag=True):
    """An answer that is an error."""

    id: Id
    error: ResponseError


Message = Request | Notification | Response | Failure


class _Envelope(msgspec.Struct):
    id: Id | msgspec.UnsetType = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: ResponseError | None = None


def read(body: bytes) -> Message:
    """The message in a body. Raises ProtocolViolation where it is none."""
    try:
        envelope = decode(body, _Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolViolation(f"not a message: {error}") from error
    match envelope:
        case _Envelope(id=msgspec.UNSET, method=str(method)):
            return Notification(method, envelope.params)
        case _Envelope(id=msgspec.UNSET):
            raise ProtocolViolation("a message without an id and a method")
        case _Envelope(id=None | int() | float() | str() as id_, method=str(method)):
            return Request(id_, method, envelope.params)
        case _Envelope(id=None | int() | float() | str() as id_, error=ResponseError() as failure):
            return Failure(id_, failure)
        case _Envelope(id=None | int() | float() | str() as id_):
            return Response(id_, envelope.result)
    raise AssertionError("an id is one of these")


def decode(raw: bytes | msgspec.Raw, type_: type[T]) -> T:
    """The value in a piece of JSON. Raises msgspec.DecodeError, and msgspec.ValidationError for another type."""
    try:
        return msgspec.json.decode(raw, type=type_)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(_mend(bytes(raw)), type=type_)


def request(number: int, method: str, params: Mapping[str, Any] | None = None) -> bytes:
    """`params`: None leaves them out; null is not allowed."""
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return _encode(message if params is None else message | {"params": params})


def notification(method: str, params: Mapping[str, Any] | None = None) -> bytes:
    message = {"jsonrpc": "2.0", "method": method}
    return _encode(message if params is None else message | {"params": params})


def response(id_: Id, result: Any) -> bytes:
    return _encode({"jsonrpc": "2.0", "id": id_, "result": result})


# Every escape is consumed whole, so that the second half of `\\` begins none.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def _encode(message: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:  # half a surrogate pair, or the escape of a byte that is not UTF-8
        return _mend(json.dumps(message).encode())


def _mend(body: bytes) -> bytes:
    text = body.decode("utf-8", "replace")
    return _ESCAPE.sub(lambda match: r"\ufffd" if match.group(1) else match.group(), text).encode()
