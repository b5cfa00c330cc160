"""JavaScript; its grammar knows JSX in every file."""

from __future__ import annotations

from msgspec.structs import replace

from codemap.languages.ecmascript.record import record
from codemap.languages.ecmascript.semantics import BUILTIN_MEMBERS, INHERITED_MEMBERS
from codemap.languages.javascript.call_syntax import CALLS


def _grammar(_path: str) -> str:
    return "javascript"


_RECORD = record("js", "JavaScript", (".js", ".mjs", ".cjs", ".jsx"), _grammar)
LANGUAGE = replace(
    _RECORD,
    outside=replace(
        _RECORD.outside,
        builtin_members=BUILTIN_MEMBERS | {"length"},
        plain_types=frozenset({"Boolean", "Number", "Object", "RegExp", "String"}),
        inherited_members=INHERITED_MEMBERS,
    ),
    calls=CALLS,
)
