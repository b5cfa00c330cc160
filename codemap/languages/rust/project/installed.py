"""Which crate a file outside the repository belongs to, by where Cargo and rustup keep them."""

from __future__ import annotations

import re

_REGISTRY = re.compile(r"/registry/src/[^/]+/(?P<name>.+?)-\d+\.\d+[^/]*/")
_STANDARD = re.compile(r"/(?:library|rustlib/src/rust/library)/(?P<name>std|core|alloc|proc_macro|test)/")
_DEBIAN = re.compile(r"/cargo/registry/(?P<name>.+?)-\d+\.\d+[^/]*/")


def package_of(path: str) -> str:
    """The package of a file among those that Cargo has fetched, or one of the compiler's own; else empty.

    `…/registry/src/index-1/serde-1.0.2/src/lib.rs` is of `serde`.
    """
    found = _STANDARD.search(path) or _REGISTRY.search(path) or _DEBIAN.search(path)
    return "" if found is None else found["name"]
