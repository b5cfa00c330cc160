"""Whether a header is C++: by words and signs that mean nothing in C."""

from __future__ import annotations

import re

_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_GUARDED = re.compile(rb"^[ \t]*#[ \t]*if[^\n]*__cplusplus.*?^[ \t]*#[ \t]*(?:endif|else)", re.DOTALL | re.MULTILINE)
_WORDS = re.compile(
    rb"^[ \t]*(?:(?:inline[ \t]+)?namespace\b[^;=\n]*?(?:\{|$)|class[ \t]+(?:[^;{=]*[{:]|\w+[ \t]*;)|template[ \t]*<"
    rb"|using[ \t]+\w|(?:public|private|protected)[ \t]*:)|\b(?:constexpr|noexcept|nullptr|static_cast|virtual)\b"
    rb"|^[ \t]*struct[ \t]+(?P<name>\w+)\s*(?::[ \t]*[A-Za-z_]|\{(?:[^{}()]*;)?\s*~?(?P=name)[ \t]*\((?!\s*\*))"
    rb"|(?<!\[)\b[A-Za-z_]\w*::~?\w|\bconst[ \t]+\w+[ \t]*&[ \t]*\w",  # but for attributes, `[[gnu::packed]]`
    re.MULTILINE,
)


def language_of_text(source: bytes) -> str:
    """The language that a header is written in; what is under `__cplusplus` alone says nothing."""
    bare = _GUARDED.sub(b"", _COMMENT.sub(b"", source))
    return "cpp" if _WORDS.search(bare) else "c"
