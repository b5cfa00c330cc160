"""Another spelling, of the same length, of source that the grammar cannot read: what the repair of C does, and macros
between `class` and a name, in front of constructors and behind qualifiers go.
"""

from __future__ import annotations

import re

from codemap.languages.c.repair import respell

_C_ONLY = re.compile(rb"\A[ \t]*#[ \t]*if(?:ndef[ \t]+__cplusplus|[ \t]+![ \t]*defined[ \t(]+__cplusplus[ \t)]*)\s*\Z")
_MACRO = rb"(?P<macro>[A-Z_][A-Z0-9_]{2,}(?:\((?:[^()\n]|\([^()\n]*\))*\))?)"
_PATTERNS = (
    re.compile(rb"(?P<keep>\b(?:class|struct|union)[ \t]+)" + _MACRO + rb"(?=[ \t]+\w)"),
    re.compile(
        rb"^(?P<keep>[ \t]*)" + _MACRO + rb"(?=[ \t]*\n?[ \t]*(?:class|virtual|explicit|~?[A-Z]\w*[a-z]\w*[ \t]*\())",
        re.MULTILINE,
    ),
    re.compile(rb"(?P<keep>\)[ \t]*(?:const|noexcept|override|final)[ \t]+)" + _MACRO + rb"(?=[ \t]*[;{])"),
)


def repair(source: bytes) -> bytes:
    """The source as a parser of C++ can read more of it; the same where nothing is to be done."""
    found = respell(source, _C_ONLY)
    for pattern in _PATTERNS:
        found = pattern.sub(lambda at: at["keep"] + b" " * len(at["macro"]), found)
    return found
