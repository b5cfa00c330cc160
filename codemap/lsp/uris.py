"""Converts paths of files to `file:` URIs, and back.

A byte of a path that is not UTF-8 is a surrogate escape in a string and a percent-encoded octet in a URI. Servers
differ in what they encode (`:`, `@`, `+`, the case of the digits), so that URIs are never compared, only paths.

Source: RFC 3986, RFC 8089; LSP 3.17, URI.
"""

from __future__ import annotations

import posixpath
from urllib.parse import quote, unquote

SCHEME = "file://"


def to_uri(path: str) -> str:
    """The URI of an absolute path; a URI as it is."""
    return path if "://" in path else SCHEME + quote(path.encode("utf-8", "surrogateescape"), safe="/")


def to_path(uri: str) -> str:
    """The absolute, normalized path of a `file:` URI; any other URI as it is."""
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme.lower() != "file":
        return uri
    if rest.startswith("//"):  # an authority, empty or `localhost`
        rest = "/" + rest[2:].partition("/")[2]
    path = unquote(rest.partition("#")[0].partition("?")[0], errors="surrogateescape")
    # POSIX lets two leading slashes mean something else; nothing here does.
    return posixpath.normpath("/" + path.lstrip("/")) if path.startswith("/") else uri


def to_relative(path: str, root: str) -> str:
    """A path relative to an absolute folder; as it is where it lies outside."""
    prefix = root.rstrip("/") + "/"
    return path.removeprefix(prefix)


def to_absolute(file: str, root: str) -> str:
    """The path of a file that is named relative to an absolute folder, or absolutely; a URI as it is."""
    # A relative path holds no empty segment, so that it cannot be mistaken.
    return file if "://" in file else posixpath.join(root, file)
