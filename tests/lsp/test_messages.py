"""Messages: what a body is, and what it may hold that is no Unicode."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.lsp.errors import ProtocolViolation
from codemap.lsp.messages import (
    Failure,
    Message,
    Notification,
    Request,
    Response,
    ResponseError,
    decode,
    notification,
    read,
    request,
    response,
)

NULL = msgspec.Raw(b"null")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"jsonrpc":"2.0","id":1,"result":null}', Response(1, NULL)),
        (b'{"id":1}', Response(1, NULL)),
        (b'{"id":1,"result":[1]}', Response(1, msgspec.Raw(b"[1]"))),
        (b'{"id":"x","result":{}}', Response("x", msgspec.Raw(b"{}"))),
        (b'{"id":1,"result":[1],"error":null}', Response(1, msgspec.Raw(b"[1]"))),
        (b'{"id":1,"error":{"code":-32601,"message":"no"}}', Failure(1, ResponseError(-32601, "no"))),
        (b'{"id":1,"result":null,"error":{"code":0,"message":"no"}}', Failure(1, ResponseError(0, "no"))),
        (b'{"id":1,"error":{}}', Failure(1, ResponseError())),
        (b'{"id":null,"error":{"code":-32700,"message":"bad"}}', Failure(None, ResponseError(-32700, "bad"))),
        (b'{"id":2,"method":"a/b","params":[]}', Request(2, "a/b", msgspec.Raw(b"[]"))),
        (b'{"method":"a/b","id":"q"}', Request("q", "a/b", NULL)),
        (b'{"method":"a/b","params":{"x":1}}', Notification("a/b", msgspec.Raw(b'{"x":1}'))),
        (b'{"method":"a/b","more":true}', Notification("a/b", NULL)),
        (b' \n{"method":"a/b"} ', Notification("a/b", NULL)),
    ],
)
def test_what_a_body_is(body: bytes, message: Message) -> None:
    assert read(body) == message


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"{}", b"[]", b"3", b'[{"id":1}]', b'{"id":[]}', b'{"id":true}', b'{"method":3}', b"\xff", b"{}{}"],
)
def test_what_is_no_message(body: bytes) -> None:
    with pytest.raises(ProtocolViolation):
        read(body)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (rb'"cut \ud83d"', "cut �"),
        (rb'"cut \ud83d here"', "cut � here"),
        (rb'"\ude00 tail"', "� tail"),
        (rb'"\ud83d\ud83d\ude00"', "�😀"),
        (rb'"whole \ud83d\ude00"', "whole 😀"),
        (rb'"a path \\ud83d and \ud83d"', r"a path \ud83d and �"),
        (b'"latin \xe9"', "latin �"),
        (b'"cesu \xed\xa0\xbd"', "cesu ���"),
    ],
)
def test_text_that_is_no_unicode_is_replaced(text: bytes, value: str) -> None:
    assert decode(text, str) == value
    read_back = read(b'{"id":1,"result":%b}' % text)
    assert isinstance(read_back, Response)
    assert decode(read_back.result, str) == value


def test_another_type_is_no_matter_of_unicode() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(b"3", str)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, st.dictionaries(st.text(), json_values, max_size=3))
def test_what_is_written_is_read(value: Any, params: dict[str, Any]) -> None:
    match read(request(5, "m", params)), read(notification("m", params)), read(response("r", value)):
        case Request(5, "m", asked), Notification("m", told), Response("r", result):
            assert decode(asked, object) == decode(told, object) == params
            assert decode(result, object) == value
        case other:
            raise AssertionError(other)


def test_no_parameters_are_left_out_rather_than_null() -> None:
    assert msgspec.json.decode(request(1, "shutdown")) == {"jsonrpc": "2.0", "id": 1, "method": "shutdown"}
    assert msgspec.json.decode(notification("exit")) == {"jsonrpc": "2.0", "method": "exit"}
