"""TypeScript that is right and that the grammar cannot read, in a spelling of the same length that it can.

Offsets stay what they are, so the repaired source is only for the parser.
"""

from __future__ import annotations

import re

_VARIANCE = re.compile(rb"(?<=[<,])(\s*)(in\s+out|in|out)(?=\s+(?!as\b|in\b|of\b|instanceof\b|satisfies\b)[A-Za-z_$])")
"""`in` and `out` before a type parameter."""
_CALL_SIGNATURE = re.compile(
    rb"""(?:(?<=[\w\])}"'?])|(?<=[^=]>))[ \t\r]*\n"""
    rb"""(?=(?:[ \t\r\n]|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*<[ \t\r\n]*[A-Za-z])"""
)
"""The end of a line whose next begins a call signature with type parameters: read on, it looks like type arguments."""
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
"""An escape; that of a backtick ends a template literal type too early."""


def repair(source: bytes) -> bytes:
    """The source without variance marks and escaped backticks, its call signatures separated from the line before."""
    source = _ESCAPE.sub(lambda match: b"  " if match[1] == b"`" else match[0], source)
    source = _CALL_SIGNATURE.sub(_semicolon, source)
    return _VARIANCE.sub(lambda match: match[1] + b" " * len(match[2]), source)


def _semicolon(match: re.Match[bytes]) -> bytes:
    gap = match[0]
    line = match.string[match.string.rfind(b"\n", 0, match.start()) + 1 : match.start()]
    if b"//" in line:
        return gap  # its end ends a comment, too
    return b";" if len(gap) == 1 else b";" + gap[1:]
