"""Spellings that the parser can read of right source that it cannot.

- `class A : I by b {`: the grammar takes `b {` for a call with a block; what follows `by` is left out.
- A line that begins with `constructor`, `as` or `by` is joined to the line above, as is a comment between.
- `0b0101` becomes a decimal number, `0..<n` is read as `0.. n`.
- A line that begins with `in`, `in1` or, below a brace, `(`: the grammar reads on from the line before. A semicolon,
  another name end that.
- `context(scope: Scope)` in front of a function is left out, so is `actual` in front of a constructor's parameter.
- `is A if a.isOpen() ->` becomes two conditions.
- `$$"$id"`: each dollar sign that begins nothing becomes part of the text.
- A statement that begins with a word for modifiers (`open = true`): the word becomes another name.
- `class A { fun b() {} }`: the grammar wants something between the last two braces.
- `@Q @A(B) class C`, a line that is the whole class, and another declaration below: the grammar takes all of it for one
  expression, without an error. A semicolon ends the class.
"""

from __future__ import annotations

import re
import string

from codemap.languages.kotlin.whole_classes import WHOLE_CLASS

_DELEGATED = re.compile(
    rb"(?:(?P<word>\b(?:class|object|interface)\b)|,|:)[^{}=;]{0,1000}?"
    rb"\s(?P<by>by\s+[\w.]+(?:\([^(){}]*\))?(?:\s+as\s+[\w.]+)?)(?=\s*\{)"
)
_OTHER = re.compile(rb"\b(?:val|var|fun)\b(?![^()]*\))")
_BELOW = re.compile(
    rb"(?P<name>\bclass\s+\w+(?:<(?:[^<>{}()]|<[^<>{}()]{0,200}>){0,1000}>)?)(?P<gap>\s*\n\s*)"
    rb"(?:(?:/\*(?:[^*]|\*(?!/)){0,2000}+\*/)(?P<rest>\s*))?"
    rb"(?=(?:@[\w:.]+(?:\([^()]*\))?\s+|(?:private|protected|internal|public|actual|expect)\s+)*"
    rb"constructor\b)"
)
_GAPS = frozenset(("gap", "rest"))
_BELOW_AS = re.compile(rb"(?<=[\w)\]}\"'?>])(?P<gap>[ \t]*\n\s*)(?=(?:as\??|by)\s)")
_CONTEXT = re.compile(
    rb"(?:(?<![^\n])[ \t]*+|(?<=: ))(?P<gap>context\([\w\s.,:<>*?]{1,1000}\))"
    rb"(?=\s*(?:\(|(?:@[\w.:]+(?:\([^()]*\))?\s+|[a-z]+\s+){0,8}(?:fun|val|var|class)\b))"
)
_ACTUAL = re.compile(
    rb"\b(?P<gap>actual)(?=\s+(?:\w+\s+){0,3}va[lr]\s+\w+\s*:\s*[\w.]+(?:<[^=(){}\n]{0,200}>)?\??\s*[,)])"
)
_GUARD = re.compile(rb"\bis\s+[\w.]{1,200}+(?:<[\w.<>?*, ]{1,200}>)?\??(?P<gap> if )(?=[^\n]{1,300}->)")
_BINARY = re.compile(rb"\b0[bB](?:_*[01])+")
_UNTIL = re.compile(rb"\.\.<")
_BEGINS_IN = re.compile(rb"\n[ \t]*(?P<end>[ \t])(?=!?in\b)")
"""Where a condition of `when` begins, below a branch; one condition that goes on has a comma or an operator before."""
_ENDS = frozenset(b"_)]}\"'" + string.ascii_letters.encode() + string.digits.encode())
_BEGINS_IN_PARENTHESES = re.compile(rb"\n[ \t]*(?P<end>[ \t])(?=\()")
_COMMENTS_MAX = 20
"""Lines without code between two that are looked through."""
_IN_NAME = re.compile(rb"(?<=\n)(?P<gap>[ \t]+)in(?=\d)")
_MODIFIER = re.compile(
    rb"(?P<before>[\n{;][ \t]*)"
    rb"(?P<word>open|data|inner|value|annotation|sealed|enum|abstract|final|companion|infix|inline|external|operator|actual)"
    rb"(?=[ \t]*(?:=[^=]|\(|\[|\.\w|[-+*/]=))"
)
_DOLLARS = re.compile(rb"(?P<dollars>\${2,8})(?P<quotes>\"\"\"|\")")
_SIGNS = re.compile(rb"\$+")
_REST = {b'"': re.compile(rb'(?:[^"\\\n]|\\.)*+'), b'"""': re.compile(rb'(?:[^"]|"(?!""))*+')}
"""Up to the quotes that end a text."""
_ONE_LINE = re.compile(rb"\b(?:class|object|interface)\b[^\n\"{]{0,200}\{[^\n\"]{0,200}\}")
_CLOSING = re.compile(rb"(?<=[^\s{;]) (?=\})")


def repair(source: bytes) -> bytes:
    """The source in the spelling above, of the same length."""
    found = bytearray(source)
    for header in _DELEGATED.finditer(source):
        first, last = header.span("by")
        line = header.start() if header["word"] else source.rfind(b"\n", 0, header.start()) + 1
        if _OTHER.search(source, line, first) is None:
            found[first:last] = b" " * (last - first)
    for pattern in (_BELOW, _BELOW_AS, _CONTEXT, _ACTUAL):
        for below in pattern.finditer(source):
            for name in pattern.groupindex.keys() & _GAPS:
                start, end = below.span(name)
                found[start:end] = b" " * (end - start)
    for until in _UNTIL.finditer(source):
        found[until.end() - 1] = ord(" ")
    for guard in _GUARD.finditer(source):
        found[guard.start("gap") : guard.end("gap")] = b",   "
    for number in _BINARY.finditer(source):
        found[number.start() : number.end()] = b"1" * len(number[0])
    for begins, ends in ((_BEGINS_IN, _ENDS), (_BEGINS_IN_PARENTHESES, frozenset(b"}"))):
        for begin in begins.finditer(source):
            if _end_above(source, begin.start()) in ends:
                found[begin.start("end")] = ord(";")
    for word in (*_IN_NAME.finditer(source), *_MODIFIER.finditer(source)):
        found[word.end(1)] = ord("_")
    for body in _ONE_LINE.finditer(source):
        for brace in _CLOSING.finditer(source, body.start(), body.end()):
            found[brace.start()] = ord(";")
    for whole in re.finditer(WHOLE_CLASS, source):
        found[whole.start("end")] = ord(";")
    _respell_dollars(found)
    return bytes(found)


def _end_above(source: bytes, at: int) -> int | None:
    """The last byte of the line of code that ends at a place or above it."""
    for _ in range(_COMMENTS_MAX):
        first = source.rfind(b"\n", 0, at) + 1
        line = source[first:at].strip()
        if line and not line.startswith((b"//", b"/*", b"*")):
            return line[-1]
        at = max(first - 1, 0)
    return None


def _respell_dollars(source: bytearray) -> None:
    """Of texts that so many dollar signs stand in front of, those that are fewer."""
    end = 0
    while (begin := _DOLLARS.search(source, end)) is not None:
        first, last = begin.span("dollars")
        rest = _REST[begin["quotes"]].match(source, begin.end())
        assert rest is not None, "it may be empty"
        end = rest.end()
        source[first:last] = b" " * (last - first)
        for signs in _SIGNS.finditer(rest[0]):
            count = len(signs[0])
            at = begin.end() + signs.start()
            source[at : at + count] = b"_" * (count - 1) + (b"$" if count >= last - first else b"_")
