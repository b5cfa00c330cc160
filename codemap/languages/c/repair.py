"""Another spelling, of the same length, of source that the grammar cannot read: macros and conditionals cut through the
syntax as the compiler never sees it.

- What is under `__cplusplus` alone goes.
- A conditional whose branches open or close brackets or end in the head of a statement, or that is inside an
  expression, loses its directives and all branches but the first. Where two branches begin a function under different
  names, the last has the body, and the other declares one.
- A macro that is called at the top, alone on a line, ends with it.
- A word in capitals in front of a declaration, before the name of a function or behind its parameters goes, and so does
  what wraps the parameters of a prototype for compilers without any.

Source: ISO/IEC 9899:2018, 6.10.1 "Conditional inclusion".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_TOKEN = re.compile(
    rb"""/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    rb"""|(?:^|(?<=;))[ \t]*\#[ \t]*(?P<directive>\w+)(?:[^\n\\]|\\.)*"""
    rb"""|(?P<bracket>[][(){}])|(?P<other>[^\s\w"'/\#]|\w+|/)""",
    re.DOTALL | re.MULTILINE,
)
_NEAR_BYTES = 200
"""How far from the conditional that causes it an error may be found."""
_BLANK = re.compile(rb"[^\n]")
_CPP_ONLY = re.compile(rb"\A[ \t]*#[ \t]*if(?:def[ \t]+__cplusplus|[ \t]+defined[ \t(]+__cplusplus[ \t)]*)\s*\Z")
_HEAD = re.compile(rb"(?P<name>\w+)\s*\((?:[^(){};]|\([^(){};]*\))*\)\s*(?P<opens>\{)\s*\Z")
"""The head of a function, at the end of a branch."""
_STATEMENT_ENDS = frozenset({b";", b"{", b"}", b":", b""})
_INITIALIZERS = b"):"
"""What a constructor's initializers begin with: in the middle of its definition, unlike the `:` of a label."""
_HEADS = frozenset({b"if", b"for", b"while", b"switch", b"else"})
_FRONT = re.compile(
    rb"^(?P<keep>[ \t]*(?:(?:static|extern|inline|typedef)[ \t]+)*)"
    rb"(?P<macro>[A-Z_][A-Z0-9_]{2,}(?:\((?:[^()\n]|\([^()\n]*\))*\))?)"
    rb"(?=[ \t\n]+(?!return|case|goto|else|if)[a-z_]\w*[ \t]*[\s*][\s*]*\w+)",
    re.MULTILINE,
)
_NO_TYPE = rb"(?!(?:const|struct|union|enum|static|extern|volatile|register|return|else|typedef|inline|sizeof|case)\b)"
_MIDDLE = re.compile(
    rb"(?P<keep>\b"
    + _NO_TYPE
    + rb"[a-z_]\w*(?:[ \t]*\*+[ \t]*|[ \t]+))(?P<macro>[A-Z_][A-Z0-9_]{2,})(?=[ \t]+\w+[ \t]*\()"
)
_BEHIND = re.compile(
    rb"^(?P<keep>[A-Za-z_][^;{}=#\"]{0,1000}?\)\s*)(?P<macro>\b[A-Z_][A-Z0-9_]{2,}(?:\((?:[^()\n]|\([^()\n]*\))*\))?)(?=\s*[;{])",
    re.MULTILINE,
)
_ARGUED = re.compile(
    rb"(?P<keep>\b" + _NO_TYPE + rb"[a-z_]\w*[ \t]+)"
    rb"(?P<macro>[A-Z_][A-Z0-9_]{2,}\([ \t]*\"[^\"\n]*\"[ \t]*\))(?=[ \t]+\w+)"
)
_POINTED = re.compile(rb"(?P<keep>\b" + _NO_TYPE + rb"[a-z_]\w*[ \t]+)(?P<macro>[A-Z][A-Z0-9_]{2,})(?=[ \t]*\*)")
_WRAPPED = re.compile(rb"(?P<keep>[\w)][ \t]+)(?P<macro>[A-Z_]+[A-Z])(?P<open>\(\()(?P<inside>[^;{}]*?)\)\)(?=\s*;)")
_CALLED = re.compile(
    rb"(?P<keep>(?:\A|[;{}]|\*/|^[ \t]*(?:#|//)[^\n]*+(?<!\\))\s*"
    rb"^[A-Z_][A-Z0-9_]{2,}[ \t]?\((?:[^()\n]|\([^()\n]*\))*\)[ \t]*)\n"
    rb"(?=\s*(?:[A-Za-z_#]|/[/*]|\Z))",
    re.MULTILINE,
)


@dataclass(slots=True)
class _Group:
    """A conditional: its directives, and what it is in."""

    directives: list[tuple[int, int]]
    depths: list[int]
    """Brackets that are open at each directive."""
    least: int
    """The fewest that are open between two."""
    is_inside: bool
    """Whether it, or the end of a branch, is in the middle of a statement."""


def join(source: bytes, errors: Sequence[tuple[int, int]]) -> bytes:
    """The source without the conditionals that cut through the syntax at errors, spans of bytes in order."""
    return unconditional(source, _CPP_ONLY, errors) if b"#" in source else source


def unconditional(source: bytes, unseen: re.Pattern[bytes], errors: Sequence[tuple[int, int]] | None = None) -> bytes:
    """The source without the conditionals that cut through the syntax, at errors or anywhere; those that begin as
    `unseen` says are none that the compiler sees."""
    text = bytearray(source)
    for group in _groups(source):
        declared = _find_other_head(source, group)
        if declared < 0 and errors is not None and not _is_near(group, errors):
            continue
        for start, end in group.directives if declared >= 0 else _dropped(source, group, unseen):
            text[start:end] = _BLANK.sub(b" ", source[start:end])
        if declared >= 0:
            text[declared : declared + 1] = b";"
    return bytes(text)


def _find_other_head(source: bytes, group: _Group) -> int:
    """Where the first of two branches opens the body of a function that the other begins under another name; -1 where
    they do not."""
    if [after - before for before, after in pairwise(group.depths)] != [1, 1]:
        return -1
    opening, between, closing = group.directives
    first, other = _HEAD.search(source, opening[1], between[0]), _HEAD.search(source, between[1], closing[0])
    return first.start("opens") if first and other and first["name"] != other["name"] else -1


def respell(source: bytes, unseen: re.Pattern[bytes]) -> bytes:
    """The same, without macros that patterns recognize."""
    text = unconditional(source, unseen)
    found = _WRAPPED.sub(lambda at: at["keep"] + b" " * len(at["macro"]) + b" (" + at["inside"] + b") ", text)
    for pattern in (_FRONT, _MIDDLE, _ARGUED, _POINTED, _BEHIND):
        found = pattern.sub(_blanked, found)
    return _CALLED.sub(lambda at: at["keep"] + b";", found)


def _is_near(group: _Group, errors: Sequence[tuple[int, int]]) -> bool:
    """Whether an error overlaps a conditional, or is right before or after it."""
    start, end = group.directives[0][0] - _NEAR_BYTES, group.directives[-1][1] + _NEAR_BYTES
    at = bisect_left(errors, (start, 0))
    return (at < len(errors) and errors[at][0] <= end) or (at > 0 and errors[at - 1][1] >= start)


def _blanked(at: re.Match[bytes]) -> bytes:
    """What is kept, and spaces for the macro; all of it, where a directive says what the macro is."""
    line = at.string[at.string.rfind(b"\n", 0, at.start("macro")) + 1 : at.start("macro")]
    return at[0] if line.lstrip().startswith(b"#") else at["keep"] + _BLANK.sub(b" ", at["macro"])


def _groups(source: bytes) -> list[_Group]:
    """The conditionals that are closed, the inner before the outer."""
    found: list[_Group] = []
    stack: list[_Group] = []
    brackets: list[bytes] = []
    depth = 0
    last = begins = b""
    is_first = False
    for token in _TOKEN.finditer(source):
        kind = token["directive"]
        if kind is not None:
            at = token.span()
            is_kept = bool(stack) and stack[-1].is_inside
            if kind in (b"if", b"ifdef", b"ifndef"):
                is_inside = (bool(brackets) and brackets[-1] in (b"(", b"[", b"=")) or last not in _STATEMENT_ENDS
                stack.append(_Group([at], [depth], depth, is_inside))
            elif kind in (b"else", b"elif", b"elifdef", b"endif") and stack:
                stack[-1].directives.append(at)
                stack[-1].depths.append(depth)
                stack[-1].is_inside |= last == b"else" or (last == b")" and begins in _HEADS)
                if kind == b"endif":
                    found.append(stack.pop())
            is_first = True
            if kind != b"include":
                last = last if is_kept or (stack and stack[-1].is_inside) else b""
            continue
        bracket = token["bracket"]
        if bracket is not None:
            is_first = False
            depth += 1 if bracket in b"([{" else -1
            if bracket in b"([{":
                brackets.append(b"=" if bracket == b"{" and last in (b"=", b",", b"(") else bracket)
            elif brackets:
                brackets.pop()
            if stack and depth < stack[-1].least:
                stack[-1].least = depth
            last = bracket
        elif token["other"] is not None:
            if is_first and token["other"] == b"else" and stack:
                stack[-1].is_inside = True
            begins = token["other"] if last in _STATEMENT_ENDS else begins
            is_first = False
            is_initializing = token["other"] == b":" and last == b")" and begins != b"case"
            last = _INITIALIZERS if is_initializing else token["other"]
    return found


def _dropped(source: bytes, group: _Group, unseen: re.Pattern[bytes]) -> list[tuple[int, int]]:
    """What goes of a conditional."""
    (start, end), depths = group.directives[0], group.depths
    if unseen.match(source[start:end]):
        other = group.directives[1]
        return [(start, other[1]), *group.directives[2:]]
    is_cut = group.least < depths[0] or any(depth != following for depth, following in pairwise(depths))
    if not is_cut and not group.is_inside:
        return []
    spans = [group.directives[0], group.directives[-1]]
    if len(group.directives) > 2:
        spans.append((group.directives[1][0], group.directives[-1][0]))
    return spans
