"""Readers of configuration files: what they give, and that nothing can make them fail, hang or grow."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from codemap.config import jsonc, toml, xml
from codemap.config.document import DEPTH_MAX, Reader, Unreadable, find, find_list, find_table, find_text, texts_of
from codemap.config.xml import Element
from tests import bombs
from tests.costs import is_within

BOMB_MAX_S = 2.0
"""Processor time for a megabyte: each takes a tenth, or hours."""


@pytest.mark.parametrize(
    ("read", "name"),
    [
        *((toml.read, name) for name in bombs.TOML),
        *((jsonc.read_table, name) for name in bombs.JSON),
        *((xml.read, name) for name in bombs.XML),
    ],
)
def test_what_would_kill_a_careless_reader_is_unreadable(read: Reader, name: str) -> None:
    of: Mapping[object, Mapping[str, bytes]] = {
        toml.read: bombs.TOML,
        jsonc.read_table: bombs.JSON,
        xml.read: bombs.XML,
    }
    began = time.process_time()
    found = read(of[read][name])
    assert is_within(time.process_time() - began, BOMB_MAX_S)
    assert isinstance(found, Unreadable)
    assert found.why.startswith(("is ", "has ", "declares "))


@pytest.mark.parametrize("name", ["tables", "elements", "lists"])
def test_what_is_large_and_harmless_is_read_in_time(name: str) -> None:
    began = time.process_time()
    match name:
        case "tables":
            found = toml.read(b"".join(b"[a%d]\n" % number for number in range(20_000)))
        case "elements":
            found = xml.read(b"<x>" + b"<a>y</a>" * 100_000 + b"</x>")
        case _:
            found = jsonc.read(b"[" + b"[]," * 300_000 + b"[]]")
    assert not isinstance(found, Unreadable)
    assert is_within(time.process_time() - began, 2)


def test_nesting_is_read_as_deep_as_it_may_be() -> None:
    deepest, beyond = ("x=" + "[" * depth + "]" * depth for depth in (DEPTH_MAX - 1, DEPTH_MAX))
    assert isinstance(toml.read(deepest.encode()), dict)
    assert toml.read(beyond.encode()) == Unreadable("is nested more than 64 levels deep")
    assert isinstance(jsonc.read(b'{"a":' * 64 + b"1" + b"}" * 64), dict)
    assert xml.read(b"<a>" * 65 + b"</a>" * 65) == Unreadable("is nested more than 64 levels deep")
    assert jsonc.read(b'{"a":' * 65 + b"1" + b"}" * 65) == Unreadable("is nested more than 64 levels deep")


def test_toml() -> None:
    assert toml.read(b"[a.b]\n'c.d'.e = [1, 2.5]  # x.y.z\nf = '''a.b'''") == {
        "a": {"b": {"c.d": {"e": [1, 2.5]}, "f": "a.b"}}
    }
    assert toml.read(b"x =") == Unreadable("is not valid TOML: Invalid value (at end of document)")


def test_json_with_comments() -> None:
    assert jsonc.read(b'\xef\xbb\xbf{"a": "// no \\" comment", /* one */ "b": [1, 2,], // two\n}') == {
        "a": '// no " comment',
        "b": [1, 2],
    }
    assert jsonc.read_table(b"[]") == Unreadable("is JSON, but no object")


def test_xml() -> None:
    source = b"<?xml version='1.0'?><P xmlns='u'><!-- <No/> --><Name> a &amp; b </Name><Using Include='x'/>tail</P>"
    assert xml.read(source) == [
        Element("P", {"xmlns": "u"}),
        Element("Name", {}, "a & b", 1),
        Element("Using", {"Include": "x"}, depth=1),
    ]
    assert xml.read(b"<a><b></a>") == Unreadable("is not valid XML: mismatched tag: line 1, column 8")


def test_looking_into_a_value_expects_nothing() -> None:
    value = {"a": {"b": ["x", 1, "y"], "c": "", "d": "text"}}
    assert (find(value, "a", "b", "c"), find(value, "x", "y"), find([], "a")) == (None, None, None)
    assert (find_table(value, "a", "b"), find_list(value, "a")) == ({}, [])
    assert (find_text(value, "a", "c"), find_text(value, "a", "d"), find_text(value, "a", "b")) == (None, "text", None)
    assert (texts_of(find(value, "a", "b")), texts_of("z"), texts_of(None)) == (["x", "y"], ["z"], [])
