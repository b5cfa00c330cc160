"""`import("m")` in a type. The grammar takes it for a call, and none that type arguments or brackets follow.

Where that matters the parser is given underscores of the same length instead: a name, whose text in the source says
what it is.
"""

from __future__ import annotations

import re

_IMPORT = re.compile(rb"""\bimport\([ \t]*(['"])([^'"\n]+)\1[ \t]*\)""")
_APPLIED = re.compile(_IMPORT.pattern + rb"(?=(?:\s*\.\s*(?!then\b)[A-Za-z_$][\w$]*)+\s*[<\[])")
"""One that type arguments or brackets follow; no value, of which only `then` is asked."""


def specifier_of(text: bytes) -> str | None:
    """The m of `import("m")`; None for any other text."""
    match = _IMPORT.fullmatch(text)
    return None if match is None else match[2].decode("utf-8", "replace")


def as_names(text: bytes) -> bytes:
    """A type with names in place of modules, of the same length."""
    return _IMPORT.sub(_underlined, text)


def applied_as_names(source: bytes) -> bytes:
    """A source with names in place of modules where the grammar knows no types of modules, of the same length."""
    return _APPLIED.sub(_underlined, source)


def _underlined(match: re.Match[bytes]) -> bytes:
    return b"_" * len(match[0])
