"""Which package a header outside the repository belongs to, by where compilers look for it."""

from __future__ import annotations

import re

_HEADER = re.compile(r"/include/(?:c\+\+/[^/]+/)?(?:[^/]+-linux-[^/]+/)?(?:c\+\+/[^/]+/)?(?P<path>.+)\Z")


def package_of(path: str) -> str:
    """The folder below `include` that a header is in, or the header; else empty.

    `/usr/include/openssl/ssl.h` is of `openssl`, `/usr/include/stdio.h` of `stdio.h`.
    """
    found = _HEADER.search(path)
    return "" if found is None else package(found["path"])


def package(specifier: str) -> str:
    """What an included header comes with, by its path there."""
    return specifier.strip("<>").lstrip("./").partition("/")[0]
