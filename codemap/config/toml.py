"""Reads TOML into plain values.

The standard library's parser recurses into what is nested, and takes the square of the parts of a dotted key. The parts
are counted before it runs; that it recursed too deep is caught.

Source: TOML 1.0.
"""

from __future__ import annotations

import re
import tomllib

from codemap.config.document import TOO_DEEP, Unreadable, is_shallow

BYTES_MAX = 256 * 1024
"""A parser in Python reads two megabytes a second; the largest manifests that people publish have 60 kB."""

PARTS_MAX = 64
"""Of one dotted key."""

_BASIC, _LITERAL = rb'"(?:\\.|[^"\\\n])*+"', rb"'[^'\n]*+'"
_PART = rb"(?:[A-Za-z0-9_-]++|%s|%s)" % (_BASIC, _LITERAL)
_DOT = rb"[ \t]*+\.[ \t]*+"
_LINES = rb'"""(?:\\.|[^\\])*?(?:"""|\Z)|' + rb"'''.*?(?:'''|\Z)"
_LONG = rb"%s(?:%s%s){%d,}+" % (_PART, _DOT, _PART, PARTS_MAX)
_OTHER = rb"%s|%s(?:%s%s)*+|%s?|%s?|#[^\n]*+|." % (_LINES, _PART, _DOT, _PART, _BASIC, _LITERAL)
_LONG_KEY = re.compile(rb"(?:%s|(?!%s)(?:%s))*+%s" % (_LINES, _LONG, _OTHER, _LONG), re.DOTALL)
"""Matches a source with a key that is too long. Takes each character once or twice: what is not closed reaches to the
end of its line, or of the source."""


def read(source: bytes) -> dict[str, object] | Unreadable:
    """The top table."""
    if len(source) > BYTES_MAX:
        return Unreadable(f"has more than {BYTES_MAX // 1024} KiB, which no TOML file of a project has")
    if _LONG_KEY.match(source):
        return Unreadable(f"has a key of more than {PARTS_MAX} parts")
    try:
        value = tomllib.loads(source.decode())
    except RecursionError:
        return TOO_DEEP
    except ValueError as error:  # UnicodeDecodeError, TOMLDecodeError, and int() of thousands of digits
        return Unreadable(f"is not valid TOML: {error}")
    return value if is_shallow(value) else TOO_DEEP
