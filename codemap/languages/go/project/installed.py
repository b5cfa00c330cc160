"""Which package a file outside the repository belongs to, by where the go command keeps them."""

from __future__ import annotations

import re

_MODULE = re.compile(r"/pkg/mod/(?P<path>(?:[^@]+))@[^/]+/")
_STANDARD = re.compile(r"/(?:go|go-[\d.]+|golang)(?:/[^/]+)?/src/(?P<path>.+)/[^/]+\.go\Z")
_CAPITAL = re.compile(r"!([a-z])")


def package_of(path: str) -> str:
    """The module of a file in the module cache, or the package of one in the standard library; else empty.

    `…/pkg/mod/github.com/!burnt!sushi/toml@v1.2.0/x.go` is of `github.com/BurntSushi/toml`.
    """
    found = _MODULE.search(path)
    if found is not None:
        return _CAPITAL.sub(lambda letter: letter[1].upper(), found["path"])
    found = _STANDARD.search(path)
    return "" if found is None else found["path"]
