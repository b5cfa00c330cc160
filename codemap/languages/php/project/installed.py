"""Which package a file outside the repository belongs to, by where Composer keeps them."""

from __future__ import annotations

import re

_VENDOR = re.compile(r"/vendor/(?!composer/[^/]+\.php\Z)(?P<package>[\w.-]+/[\w.-]+)/")
_STUBS = re.compile(r"/(?:phpstorm-stubs|stubs?|stub)/(?:[\w-]+/)*[^/]+\.php\Z")


def package_of(path: str) -> str:
    """`vendor/package` of a file that Composer installed, `php` for a server's own stubs of PHP; else empty."""
    packages = _VENDOR.findall(path)
    if packages and not packages[-1].endswith("/phpstorm-stubs"):
        return str(packages[-1])
    return "php" if _STUBS.search(path) else ""
