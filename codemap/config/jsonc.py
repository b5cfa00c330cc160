"""Reads JSON as configuration files have it: with comments and trailing commas.

Both expressions take each character once: a string or comment that is not closed reaches to the end.
"""

from __future__ import annotations

import re

import msgspec

from codemap.config.document import TOO_DEEP, Unreadable, is_shallow

_STRING = r'("(?:\\.|[^"\\])*+(?:"|\Z))'
_COMMENT = re.compile(_STRING + r"|//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*+[}\]])", re.DOTALL)


def read(source: bytes) -> object:
    """The value, or Unreadable."""
    try:
        value = msgspec.json.decode(source)
    except RecursionError:
        return TOO_DEEP
    except ValueError:
        value = _read_leniently(source)
    return value if is_shallow(value) else TOO_DEEP


def read_table(source: bytes) -> dict[str, object] | Unreadable:
    """The value, which must be a table."""
    value = read(source)
    if isinstance(value, dict | Unreadable):
        return value
    return Unreadable("is JSON, but no object")


def _read_leniently(source: bytes) -> object:
    """The value of JSON with comments."""
    plain = source.decode("utf-8", "replace").removeprefix("\ufeff")
    plain = _COMMENT.sub(lambda match: match.group(1) or " ", plain)
    plain = _TRAILING_COMMA.sub(lambda match: match.group(1) or "", plain)
    try:
        return msgspec.json.decode(plain)
    except RecursionError:
        return TOO_DEEP
    except ValueError as error:
        return Unreadable(f"is not valid JSON, even with comments: {error}")
