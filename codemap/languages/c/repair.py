"""Another spelling, of the same length, of source that the grammar cannot read: macros and conditionals cut through the
syntax as the compiler never sees it.

- What stands under `__cplusplus` alone goes.
- A conditional whose branches open or close brackets or end in the head of a statement, or that stands inside an
  expression, loses its directives and all branches but the first.
- A macro that is called at the top, alone on a line, ends with it.
- A word in capitals in front of a declaration, before the name of a function or behind its parameters goes, and so does
  what wraps the parameters of a prototype for compilers without any.

Source: ISO/IEC 9899:2018, 6.10.1 "Conditional inclusion".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_TOKEN = re.compile(
    rb"""/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|^[ \t]*\#[ \t]*(?P<directive>\w+)(?:[^\n\\]|\\.)*"""
    rb"""|(?P<bracket>[][(){}])|(?P<other>[^\s\w"'/\#]|\w+|/)""",
    re.DOTALL | re.MULTILINE,
)
_BLANK = re.compile(rb"[^\n]")
_CPP_ONLY = re.compile(rb"\A[ \t]*#[ \t]*if(?:def[ \t]+__cplusplus|[ \t]+defined[ \t(]+__cplusplus[ \t)]*)\s*\Z")
_STATEMENT_ENDS = frozenset({b";", b"{", b"}", b":", b""})
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
    rb"^(?P<keep>[A-Za-z_][^;{}=#\"]*?\)\s*)(?P<macro>\b[A-Z_][A-Z0-9_]{2,}(?:\((?:[^()\n]|\([^()\n]*\))*\))?)(?=\s*[;{])",
    re.MULTILINE,
)
_ARGUED = re.compile(
    rb"(?P<keep>\b" + _NO_TYPE + rb"[a-z_]\w*[ \t]+)"
    rb"(?P<macro>[A-Z_][A-Z0-9_]{2,}\([ \t]*\"[^\"\n]*\"[ \t]*\))(?=[ \t]+\w+)"
)
_POINTED = re.compile(rb"(?P<keep>\b" + _NO_TYPE + rb"[a-z_]\w*[ \t]+)(?P<macro>[A-Z][A-Z0-9_]{2,})(?=[ \t]*\*)")
_WRAPPED = re.compile(rb"(?P<keep>[\w)][ \t]+)(?P<macro>[A-Z_]+[A-Z])(?P<open>\(\()(?P<inside>[^;{}]*?)\)\)(?=\s*;)")
_CALLED = re.compile(
    rb"(?P<keep>(?:\A|[;{}]|\*/|^[ \t]*(?:#|//)[^\n]*(?<!\\))\s*"
    rb"^[A-Z_][A-Z0-9_]{2,}[ \t]?\((?:[^()\n]|\([^()\n]*\))*\)[ \t]*)\n"
    rb"(?=\s*(?:[A-Za-z_#]|/[/*]|\Z))",
    re.MULTILINE,
)


@dataclass(slots=True)
class _Group:
    """A conditional: its directives, and what it stands in."""

    directives: list[tuple[int, int]]
    depths: list[int]
    """Brackets that are open at each directive."""
    is_inside: bool
    """Whether it, or the end of a branch, stands in the middle of a statement."""


def repair(source: bytes) -> bytes:
    """The source as a parser of C can read more of it; the same where nothing is to be done."""
    return respell(source, _CPP_ONLY)


def respell(source: bytes, unseen: re.Pattern[bytes]) -> bytes:
    """The same for any compiler; conditionals that begin as `unseen` says are none that it sees."""
    spans = [span for group in _groups(source) for span in _dropped(source, group, unseen)]
    text = bytearray(source)
    for start, end in spans:
        text[start:end] = _BLANK.sub(b" ", source[start:end])
    found = _WRAPPED.sub(lambda at: at["keep"] + b" " * len(at["macro"]) + b" (" + at["inside"] + b") ", bytes(text))
    for pattern in (_FRONT, _MIDDLE, _ARGUED, _POINTED, _BEHIND):
        found = pattern.sub(_blanked, found)
    return _CALLED.sub(lambda at: at["keep"] + b";", found)


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
    for token in _TOKEN.finditer(source):
        kind = token["directive"]
        if kind is not None:
            at = token.span()
            if kind in (b"if", b"ifdef", b"ifndef"):
                is_inside = (bool(brackets) and brackets[-1] in (b"(", b"[", b"=")) or last not in _STATEMENT_ENDS
                stack.append(_Group([at], [depth], is_inside))
            elif kind in (b"else", b"elif", b"elifdef", b"endif") and stack:
                stack[-1].directives.append(at)
                stack[-1].depths.append(depth)
                stack[-1].is_inside |= last == b"else" or (last == b")" and begins in _HEADS)
                if kind == b"endif":
                    found.append(stack.pop())
            if kind != b"include":
                last = b"" if not stack or not stack[-1].is_inside else last
            continue
        bracket = token["bracket"]
        if bracket is not None:
            depth += 1 if bracket in b"([{" else -1
            if bracket in b"([{":
                brackets.append(b"=" if bracket == b"{" and last in (b"=", b",", b"(") else bracket)
            elif brackets:
                brackets.pop()
            last = bracket
        elif token["other"] is not None:
            begins = token["other"] if last in _STATEMENT_ENDS else begins
            last = token["other"]
    return found


def _dropped(source: bytes, group: _Group, unseen: re.Pattern[bytes]) -> list[tuple[int, int]]:
    """What goes of a conditional."""
    (start, end), depths = group.directives[0], group.depths
    if unseen.match(source[start:end]):
        other = group.directives[1]
        return [(start, other[1]), *group.directives[2:]]
    is_cut = any(depth != following for depth, following in pairwise(depths))
    if not is_cut and not group.is_inside:
        return []
    spans = [group.directives[0], group.directives[-1]]
    if len(group.directives) > 2:
        spans.append((group.directives[1][0], group.directives[-1][0]))
    return spans
