"""The tokens of a stretch of C, as the repair of syntax errors looks at them: without comments, each directive as one.

Source: ISO/IEC 9899:2018, 6.4 "Lexical elements".
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    rb"""/\*.*?\*/|//[^\n]*"""
    rb"""|(?P<directive>(?:^|(?<=;))[ \t]*\#(?:/\*.*?\*/|[^\n\\]|\\.)*)"""
    rb"""|(?P<token>[A-Za-z_]\w*|L?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\.?\d(?:[eEpP][+-]|[\w.])*|\.\.\.|->|\#\#?"""
    rb"""|[=!<>]=|&&|\|\||<<|>>|[^\s\w])""",
    re.DOTALL | re.MULTILINE,
)
_PAIRS = {b")": b"(", b"]": b"[", b"}": b"{"}
DIRECTIVE = b"#directive"
"""The text that stands for a directive among the tokens."""


class Tokens:
    """Tokens by number, and where they begin and end in the source. `partner` has, for a bracket, the one that belongs
    to it, where both are there."""

    __slots__ = ("ends", "partner", "starts", "texts")

    def __init__(self, source: bytes, start: int, end: int) -> None:
        self.texts: list[bytes] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.partner: dict[int, int] = {}
        open_: list[int] = []
        for at in _TOKEN.finditer(source, start, end):
            text = at["token"]
            if text is None:
                if at["directive"] is None:
                    continue
                text = DIRECTIVE
            elif text in b"([{":
                open_.append(len(self.texts))
            elif text in _PAIRS and open_ and self.texts[open_[-1]] == _PAIRS[text]:
                first = open_.pop()
                self.partner[first] = len(self.texts)
                self.partner[len(self.texts)] = first
            self.texts.append(text)
            self.starts.append(at.start())
            self.ends.append(at.end())

    def __len__(self) -> int:
        return len(self.texts)

    def text(self, number: int) -> bytes:
        """The token, or nothing past the end."""
        return self.texts[number] if 0 <= number < len(self.texts) else b""

    def is_word(self, number: int) -> bool:
        text = self.text(number)
        return text[:1].isalpha() or text[:1] == b"_"

    def past(self, number: int) -> int:
        """The number behind the bracket that closes the one at a number; behind all where none does."""
        return self.partner.get(number, len(self.texts) - 1) + 1
