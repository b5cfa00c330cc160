"""Spellings that the parser can read of right source that it cannot.

- `class A : I by b {`: the grammar takes `b {` for a call with a block; what follows `by` is left out.
- A constructor on the line below the name of its class is put on the same; so is an `as` of the expression above.
- `0b0101` becomes a decimal number.
- A line that begins with `in`, or `in1`: the grammar reads on from the line before. A semicolon, another name end that.
- A statement that begins with a word for modifiers (`open = true`): the word becomes another name.
- `class A { fun b() {} }`: the grammar wants something between the last two braces.
"""

from __future__ import annotations

import re

_DELEGATED = re.compile(
    rb"(?:\b(?:class|object|interface)\b|,|:)[^{}=;]{0,1000}?\s(?P<by>by\s+[\w.]+(?:\([^(){}]*\))?)(?=\s*\{)"
)
_OTHER = re.compile(rb"\b(?:val|var|fun)\b(?![^()]*\))")
_BELOW = re.compile(
    rb"(?P<name>\bclass\s+\w+(?:<[^<>{}()]*>)?)(?P<gap>\s*\n\s*)"
    rb"(?=(?:@[\w:.]+(?:\([^()]*\))?\s+|(?:private|protected|internal|public)\s+)*constructor\b)"
)
_BELOW_AS = re.compile(rb"(?<=[\w)\]}\"'])(?P<gap>[ \t]*\n\s*)(?=as\??\s)")
_BINARY = re.compile(rb"\b0[bB](?:_*[01])+")
_IN = re.compile(rb"(?<=[\w)\]}\"'])(?P<gap>[ \t]*\n[ \t]*)(?P<end>[ \t])(?=!?in\b)")
"""Where a condition of `when` begins, below a branch; one condition that goes on has a comma or an operator before."""
_IN_NAME = re.compile(rb"(?<=\n)(?P<gap>[ \t]+)in(?=\d)")
_MODIFIER = re.compile(
    rb"(?P<before>[\n{;][ \t]*)"
    rb"(?P<word>open|data|inner|value|annotation|sealed|enum|abstract|final|companion|infix|inline|external|operator|actual)"
    rb"(?=[ \t]*(?:=[^=]|\(|\[|\.\w|[-+*/]=))"
)
_ONE_LINE = re.compile(rb"\b(?:class|object|interface)\b[^\n\"{]{0,200}\{[^\n\"]{0,200}\}")
_CLOSING = re.compile(rb"(?<=[^\s{;]) (?=\})")


def repair(source: bytes) -> bytes:
    """The source in the spelling above, of the same length."""
    found = bytearray(source)
    for header in _DELEGATED.finditer(source):
        first, last = header.span("by")
        line = source.rfind(b"\n", 0, header.start()) + 1
        if _OTHER.search(source, line, first) is None:
            found[first:last] = b" " * (last - first)
    for pattern in (_BELOW, _BELOW_AS):
        for below in pattern.finditer(source):
            start, end = below.span("gap")
            found[start:end] = b" " * (end - start)
    for number in _BINARY.finditer(source):
        found[number.start() : number.end()] = b"1" * len(number[0])
    for condition in _IN.finditer(source):
        found[condition.start("end")] = ord(";")
    for word in (*_IN_NAME.finditer(source), *_MODIFIER.finditer(source)):
        found[word.end(1)] = ord("_")
    for body in _ONE_LINE.finditer(source):
        for brace in _CLOSING.finditer(source, body.start(), body.end()):
            found[brace.start()] = ord(";")
    return bytes(found)
