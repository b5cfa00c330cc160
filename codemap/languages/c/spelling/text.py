"""A stretch of source that is spelt anew, token by token, in its own length."""

from __future__ import annotations

import re

from codemap.languages.c.spelling.tokens import Tokens

_BLANK = re.compile(rb"[^\n]")


class Spelling:
    """Tokens of a source, and the text that is to be written instead of it."""

    __slots__ = ("text", "tokens")

    def __init__(self, text: bytearray, tokens: Tokens) -> None:
        self.text = text
        self.tokens = tokens

    def blank(self, first: int, last: int) -> None:
        """Spaces instead of the tokens from one to another, both included."""
        start, end = self.tokens.starts[first], self.tokens.ends[last]
        self.text[start:end] = _BLANK.sub(b" ", self.text[start:end])

    def write(self, number: int, sign: bytes) -> None:
        """A sign of one byte, and spaces, instead of a token."""
        self.blank(number, number)
        start = self.tokens.starts[number]
        self.text[start : start + 1] = sign

    def insert(self, number: int, sign: bytes) -> bool:
        """A sign of one byte in front of a token, in a space or else the end of a line; whether there is one."""
        start = self.tokens.ends[number - 1]
        end = self.tokens.starts[number] if number < len(self.tokens) else min(len(self.text), start + 2)
        gap = bytes(self.text[start:end])
        if number == len(self.tokens) and gap.strip():
            return False
        if b"/" in gap:
            gap = gap[: gap.find(b"/")]
        at = max(gap.rfind(b" "), gap.rfind(b"\t"), gap.rfind(b"\r"))
        if at < 0:
            at = gap.find(b"\n")
        if at < 0:
            return False
        self.text[start + at : start + at + 1] = sign
        return True

    def column(self, number: int) -> int:
        """How far from the beginning of its line a token is, in bytes."""
        start = self.tokens.starts[number]
        return start - self.text.rfind(b"\n", 0, start) - 1

    def is_lined(self, number: int) -> bool:
        """Whether a line ends between a token and the one before."""
        return b"\n" in self.text[self.tokens.ends[number - 1] : self.tokens.starts[number]]


class Mending(Spelling):
    """One pass over the tokens, and what it is in.

    What is around is `p` for parameters, `a` for arguments, `e` for an expression, `i` for an initializer or the
    constants of an `enum`, `{` for another block.
    """

    __slots__ = ("around", "heads", "listed")

    def __init__(self, text: bytearray, tokens: Tokens) -> None:
        super().__init__(text, tokens)
        self.around: list[bytes] = []
        self.heads: set[int] = set()
        """Brackets that end the parameters of a function that is declared."""
        self.listed: set[int] = set()
        """Brackets that open the constants of an `enum`."""

    def context(self) -> bytes:
        return self.around[-1] if self.around else b"{"
