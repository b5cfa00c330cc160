"""Names the roots of a server that has several: clients ask for each by its name.

A root is given as its path, and named after its folder, or as `NAME=PATH`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from actors.files.paths import RefusedRoot, check_root

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
"""Characters that need no escape in a URL."""


def named_roots(texts: Sequence[str]) -> dict[str, str]:
    """Reads the roots from settings: real paths by name, in the order given. Raises RefusedRoot."""
    found: dict[str, str] = {}
    for text in texts:
        name, path = _parts(text)
        if not _NAME.match(name):
            raise RefusedRoot(f"{name!r} is no name for a URL; give the root as NAME={path}.")
        if name in found:
            raise RefusedRoot(f"{found[name]} and {path} would both be called {name}; give one as NAME={path}.")
        if path in found.values():
            raise RefusedRoot(f"{path} is given twice.")
        found[name] = path
    return found


def _parts(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if equals and not os.path.lexists(text):
        return name, check_root(path)
    real = check_root(text)
    return os.path.basename(real), real
