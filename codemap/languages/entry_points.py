"""Where programs begin, and what registers definitions with frameworks, as data."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class EntryPoints(msgspec.Struct, frozen=True, kw_only=True):
    functions: frozenset[str] = frozenset()
    """Names of functions, or static methods, that a program begins with."""
    files: frozenset[str] = frozenset()
    """Base names of files that are programs."""
    registrars: Mapping[str, str] = {}
    """Decorator that registers a definition with a framework -> what that is then: `routes`, `commands`, `tasks` or
    `handlers`. With a dot first, only as a member of something (`.get`: `@app.get`)."""
