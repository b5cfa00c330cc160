"""JSON as configuration files have it: with comments and trailing commas."""

from __future__ import annotations

import re
from typing import TypeGuard

import msgspec

_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def parse(text: bytes) -> object:
    """The value, or None where the text is not JSON even so."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    plain = text.decode("utf-8", "replace").removeprefix("\ufeff")
    plain = _COMMENT.sub(_string_or_space, plain)
    plain = _TRAILING_COMMA.sub(lambda match: match.group(1) or "", plain)
    try:
        return msgspec.json.decode(plain)
    except (msgspec.DecodeError, RecursionError):
        return None


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def text_of(value: object, key: str) -> str | None:
    """A member that is a non-empty string."""
    found = value.get(key) if is_object(value) else None
    return found if isinstance(found, str) and found else None


def texts_of(value: object) -> list[str]:
    """The strings of a list, or a string on its own."""
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _string_or_space(match: re.Match[str]) -> str:
    return match.group(1) or " "
