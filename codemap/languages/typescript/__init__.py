"""TypeScript, with the grammar that knows JSX for `.tsx` files."""

from __future__ import annotations

from msgspec.structs import replace

from codemap.languages.ecmascript.record import record
from codemap.languages.ecmascript.semantics import THIS_TYPE, TYPEOF
from codemap.languages.typescript.call_syntax import CALLS


def _grammar(path: str) -> str:
    return "tsx" if path.lower().endswith(".tsx") else "typescript"


_RECORD = record("ts", "TypeScript", (".ts", ".mts", ".cts", ".tsx"), _grammar)
LANGUAGE = replace(
    _RECORD,
    outside=replace(_RECORD.outside, type_of=frozenset({TYPEOF})),
    self_types=frozenset({THIS_TYPE}),
    calls=CALLS,
)
