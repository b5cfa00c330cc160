"""TypeScript, with the grammar that knows JSX for `.tsx` files."""

from __future__ import annotations

import msgspec

from codemap.languages.ecmascript.record import record
from codemap.languages.ecmascript.semantics import THIS_TYPE, TYPEOF
from codemap.languages.typescript.call_syntax import CALLS


def _grammar(path: str) -> str:
    return "tsx" if path.lower().endswith(".tsx") else "typescript"


LANGUAGE = msgspec.structs.replace(
    record("ts", "TypeScript", (".ts", ".mts", ".cts", ".tsx"), _grammar),
    calls=CALLS,
    type_of=frozenset({TYPEOF}),
    self_types=frozenset({THIS_TYPE}),
)
