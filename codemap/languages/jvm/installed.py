"""Which package a file outside the repository belongs to: the folders below the root of its sources or classes."""

from __future__ import annotations

import re

_PLACE = re.compile(
    r"(?:/src/(?:main|share)/(?:java|kotlin|classes)/|\.jar[!/]+|\.zip[!/]+|/modules/[\w.]+/|/contents/[\w.]+/)"
    r"(?:java\.base/|jdk\.\w+/|java\.\w+/)?(?P<package>[\w/$]+)/[^/]+\Z"
)


def package_of(path: str) -> str:
    """The dotted package of a file in an archive of sources or classes, or below a source root; else empty."""
    found = _PLACE.search(path)
    return "" if found is None else found["package"].replace("/", ".")
