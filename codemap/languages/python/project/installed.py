"""Which package a file outside the repository belongs to, by where Python environments and typeshed keep them."""

from __future__ import annotations

import re

_LIBRARIES = ("site-packages", "dist-packages", "stdlib")
_STUBS = "-stubs"
_VERSIONED = re.compile(r"python3(\.\d+)?$")


def package_of(path: str) -> str:
    """The top-level name that an import of it begins with; empty where the path does not show it.

    `…/site-packages/click/core.py` is of `click`, `…/typeshed/stubs/PyYAML/yaml/__init__.pyi` of `yaml`.
    """
    parts = path.split("/")
    for at in range(len(parts) - 2, -1, -1):
        if parts[at] in _LIBRARIES or (_VERSIONED.match(parts[at]) and parts[at - 1].startswith("lib")):
            return _name(parts[at + 1])
        if parts[at] == "stubs" and at + 2 < len(parts):
            return _name(parts[at + 2])
    return ""


def _name(part: str) -> str:
    return part.partition(".")[0].removesuffix(_STUBS)
