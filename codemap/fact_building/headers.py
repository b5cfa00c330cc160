"""The header of a definition as it shows in lists: without comments, without the lines that it was broken into.

Comments are found in the text and not in the tree: a grammar may hang them anywhere, and most headers have none.
"""

from __future__ import annotations

import re

_TEXTS = r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"""
_LINE, _BLOCK = r"//[^\n]*", r"/\*.*?(?:\*/|\Z)"
SLASHES = re.compile(rf"{_TEXTS}|[ \t]*(?:{_LINE}|{_BLOCK})", re.DOTALL)
"""A string, as the first group, or a comment of C's family."""
SLASHES_AND_HASHES = re.compile(rf"{_TEXTS}|[ \t]*(?:{_LINE}|{_BLOCK}|#(?!\[)[^\n]*)", re.DOTALL)
"""The same of PHP, where `#[` begins an attribute."""
SLASHES_AND_DIRECTIVES = re.compile(rf"{_TEXTS}|[ \t]*(?:{_LINE}|{_BLOCK})|(?m:^)[ \t]*#[^\n]*", re.DOTALL)
"""The same of C#, or a line of the preprocessor."""
HASHES = re.compile(
    r"""("{3}.*?"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[ \t]*#[^\n]*""",
    re.DOTALL,
)
"""The same of Python and Ruby."""
_OPENING, _CLOSING = ("(", "[", "<"), (")", "]", ">")


def clean_header(text: str, comments: re.Pattern[str]) -> str:
    """A header without its comments and without line breaks inside its brackets; as it is where it has neither.

    `comments` matches strings, as its first group, and comments. At the end of a single line there is none.
    """
    if "\n" not in text and "/*" not in text:
        return text
    if "#" in text or "//" in text or "/*" in text:
        text = comments.sub(r"\1", text)
    shown, *rest = text.split("\n")
    for line in rest:
        before, after = shown.rstrip(), line.lstrip()
        if before.endswith(_OPENING):
            shown = before + after
        elif after.startswith(_CLOSING):
            shown = before.removesuffix(",") + after
        else:
            shown = f"{shown}\n{line}"
    return shown
