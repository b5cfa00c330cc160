"""JavaScript; its grammar knows JSX in every file."""

from __future__ import annotations

from codemap.languages.ecmascript.record import record


def _grammar(_path: str) -> str:
    return "javascript"


LANGUAGE = record("js", "JavaScript", (".js", ".mjs", ".cjs", ".jsx"), _grammar)
