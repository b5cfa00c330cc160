"""Another spelling, of the same length, of source that the grammar cannot read.

Conditionals cut through the syntax as the compiler never sees it:
- Around whole statements and declarations they stay: the grammar reads them.
- Between the sections of a `switch`, around accessors, in front of `else`, `catch` and `finally`, and between the items
  of a list, the directives go, and all branches stay.
- Where branches open or close brackets, or are inside a statement, all branches but the first go with them.

What a cast pointer leads to (`*(int*)p`) is read as the pointer; where it is assigned to, without the cast.

Source: the C# language specification, "Pre-processing directives", "Pointer indirection".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_TOKEN = re.compile(
    rb"""/\*.*?\*/|//[^\n]*"""
    rb'''|\$*"{3,}.*?"{3,}|(?:\$@|@\$|@)"(?:[^"]|"")*"|\$?"(?:[^"\\\n]|\\.)*"'''
    rb"""|'(?:[^'\\\n]|\\.)*'"""
    rb"""|^[ \t]*\#[ \t]*(?P<directive>if|elif|else|endif)\b[^\n]*|^[ \t]*\#[^\n]*"""
    rb"""|(?P<bracket>[][(){}])|(?P<other>\w+|[^\s\w])""",
    re.DOTALL | re.MULTILINE,
)
_BLANK = re.compile(rb"[^\n]")
_LED_TO = re.compile(rb"(?<!/)\*[ \t]*(?:\([ \t]*)?(?P<cast>\([ \t]*[\w.]+[ \t]*\*+[ \t]*\))")
_BEGIN = re.compile(rb"(?:[;{}:)]|\belse)\s*\Z")
_CONTINUES = (b"else", b"catch", b"finally")
_ACCESSORS = frozenset({b"get", b"set", b"init", b"add", b"remove"})
_ENDS = frozenset({b";", b"{", b"}", b"]", b""})
_SWITCH, _BLOCK, _LIST = b"switch", b"{", b"("


class _Group(msgspec.Struct):
    """A conditional: its directives, and what surrounds each."""

    bracket: bytes
    """What it is in: a block, a `switch`, a list, or nothing."""
    directives: list[tuple[int, int]]
    depths: list[int]
    """Brackets that are open at each directive."""
    before: list[bytes]
    """The last token in front of each."""
    after: list[bytes]
    """The first token behind each."""


def repair(source: bytes) -> bytes:
    """The source as the parser can read more of it; the same where nothing is to be done."""
    spans = list(_indirections(source))
    if b"#" in source:
        spans += [span for group in _groups(source) for span in _dropped(group)]
    if not spans:
        return source
    text = bytearray(source)
    for start, end in spans:
        text[start:end] = _BLANK.sub(b" ", source[start:end])
    return bytes(text)


def _indirections(source: bytes) -> Iterator[tuple[int, int]]:
    """The stars in front of casts to pointers, and those casts that begin a statement."""
    for found in _LED_TO.finditer(source):
        yield found.start(), found.start() + 1
        if _BEGIN.search(source, max(0, found.start() - 80), found.start()):
            yield found.span("cast")


def _groups(source: bytes) -> list[_Group]:
    """The conditionals that are closed, the inner before the outer."""
    found: list[_Group] = []
    stack: list[_Group] = []
    waiting: list[_Group] = []  # whose last directive has nothing behind it yet
    brackets: list[bytes] = []
    last, is_switch = b"", False
    for token in _TOKEN.finditer(source):
        kind = token.lastgroup
        if kind == "directive":
            word = token["directive"]
            if word == b"if":
                stack.append(_Group(brackets[-1] if brackets else b"", [], [], [], []))
            if stack:
                group = stack[-1]
                group.directives.append(token.span())
                group.depths.append(len(brackets))
                group.before.append(last)
                waiting.append(group)
                if word == b"endif":
                    found.append(stack.pop())
            continue
        if kind is not None:
            text = token[kind]
        else:
            if source[token.start() : token.start() + 1] not in b"\"'$@":
                continue  # a comment, or another directive
            text = b'"'
        if waiting:
            for group in waiting:
                group.after.append(text)
            waiting.clear()
        if kind == "bracket" and text in b"([{":
            if text == b"{":
                is_items = last in (b"=", b",", b"(", b"]") or (brackets[-1:] == [_LIST] and last == b"{")
                text = _SWITCH if is_switch else _LIST if is_items else _BLOCK
                brackets.append(text)
                is_switch, text = False, b"{"
            else:
                brackets.append(_LIST)
        elif kind == "bracket":
            del brackets[-1:]
        elif text == b"switch":
            is_switch = True
        elif text == b";":
            is_switch = False
        last = text
    return found


def _dropped(group: _Group) -> list[tuple[int, int]]:
    """What goes of a conditional."""
    is_balanced = len(set(group.depths)) == 1
    branches = group.after[: len(group.directives) - 1]
    if is_balanced and (any(word in branches for word in _CONTINUES) or _ACCESSORS.issuperset(branches)):
        return group.directives
    if is_balanced and group.bracket in (b"", _BLOCK) and all(token in _ENDS for token in group.before):
        return []
    is_list = all(token == b"," for token in branches)
    is_list |= all(token in (b",", b"{", b"(") for token in group.before)
    if is_balanced and (group.bracket == _SWITCH or is_list):
        return group.directives
    spans = [group.directives[0], group.directives[-1]]
    if len(group.directives) > 2:
        spans.append((group.directives[1][0], group.directives[-1][0]))
    return spans
