"""URIs: paths of every kind there and back, and what servers make of them."""

from __future__ import annotations

import os
import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemap.lsp.uris import to_absolute, to_path, to_relative, to_uri


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/a/b.py", "file:///a/b.py"),
        ("/a b/c#d?e%f.py", "file:///a%20b/c%23d%3Fe%25f.py"),
        ("/é/😀", "file:///%C3%A9/%F0%9F%98%80"),
        ("/a:b@c+d[1].ts", "file:///a%3Ab%40c%2Bd%5B1%5D.ts"),
        ("/" + os.fsdecode(b"\xff.py"), "file:///%FF.py"),
        ("/", "file:///"),
    ],
)
def test_there_and_back(path: str, uri: str) -> None:
    assert to_uri(path) == uri
    assert to_path(uri) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a:b@c+d[1].ts", "/a:b@c+d[1].ts"),
        ("file:///%c3%a9", "/é"),
        ("FILE:///a", "/a"),
        ("file:/a", "/a"),
        ("file://localhost/a", "/a"),
        ("file:///a/./b/../c", "/a/c"),
        ("file:////a//b", "/a/b"),
        ("file:///a#L3", "/a"),
        ("file:///a/é b", "/a/é b"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
        ("jdt://contents/rt.jar/java.lang/String.class", "jdt://contents/rt.jar/java.lang/String.class"),
        ("git:///a/b", "git:///a/b"),
        ("file:a", "file:a"),
        ("/plain/path", "/plain/path"),
        ("", ""),
    ],
)
def test_what_servers_send(uri: str, path: str) -> None:
    assert to_path(uri) == path


segments = st.binary(min_size=1, max_size=8).filter(
    lambda name: not set(name) & {0, 0x2F} and name not in {b".", b".."}
)


@given(st.lists(segments, min_size=1, max_size=4))
def test_any_file_name_survives(names: list[bytes]) -> None:
    path = os.fsdecode(b"/" + b"/".join(names))
    uri = to_uri(path)
    assert uri.isascii()
    assert uri.startswith("file:///")
    assert to_path(uri) == path


@pytest.mark.parametrize(
    ("path", "root", "relative"),
    [
        ("/a/b/c.py", "/a/b", "c.py"),
        ("/a/b/c.py", "/a/b/", "c.py"),
        ("/a/bc/d.py", "/a/b", "/a/bc/d.py"),
        ("/x.py", "/", "x.py"),
        ("jdt://x", "/", "jdt://x"),
    ],
)
def test_relative_to_a_root(path: str, root: str, relative: str) -> None:
    assert to_relative(path, root) == relative
    assert to_absolute(relative, root) == path


def test_a_uri_stays_one() -> None:
    assert to_uri(to_absolute("jdt://contents/String.class", "/a")) == "jdt://contents/String.class"
    assert to_uri(to_absolute("/outside/x.py", "/a")) == "file:///outside/x.py"


@given(st.lists(segments, min_size=1, max_size=3))
def test_relative_and_back(names: list[bytes]) -> None:
    file = os.fsdecode(b"/".join(names))
    assert to_relative(to_absolute(file, "/root dir"), "/root dir") == file
    assert posixpath.isabs(to_absolute(file, "/root dir"))
