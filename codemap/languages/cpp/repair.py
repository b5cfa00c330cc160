"""Another spelling, of the same length, of source that the grammar cannot read: what the repair of C does, and macros
go that are between `class` and a name, alone on a line, in front of a declaration, behind qualifiers, or behind the
name or the parameters of what is declared with a type, as annotations for the analysis of threads are.
"""

from __future__ import annotations

import re

from codemap.languages.c.repair import respell

_C_ONLY = re.compile(rb"\A[ \t]*#[ \t]*if(?:ndef[ \t]+__cplusplus|[ \t]+![ \t]*defined[ \t(]+__cplusplus[ \t)]*)\s*\Z")
_ONE = rb"[A-Z_][A-Z0-9_]{2,}\b(?:\((?:[^()\n]|\([^()\n]*\))*\))?"
_MACRO = rb"(?P<macro>" + _ONE + rb")"
_MACROS = rb"(?P<macro>" + _ONE + rb"(?:[ \t]+" + _ONE + rb")*)"
_SPECIFIERS = (
    rb"(?:template[ \t]*<[^;{}\n]*>[ \t]*)?"
    rb"(?:(?:static|extern|inline|constexpr|friend|virtual|explicit|typedef|template)[ \t]+)*"
)
_BEGINS_TYPE = (
    rb"(?:auto|void|bool|int|char|short|long|float|double|unsigned|signed|static|inline|virtual|explicit|constexpr"
    rb"|friend|struct|class|enum|union|typename|template|using|typedef)\b"
)
_NOT_TYPE = rb"(?!(?:return|case|goto|else|if|new|delete|throw|operator|namespace)\b)"
_TYPE_AND_NAME = (
    _NOT_TYPE + rb"(?:const[ \t]+)?(?:::)?[A-Za-z_]\w*(?:<[^;{}()\n]*>)?(?:::[A-Za-z_]\w*(?:<[^;{}()\n]*>)?)*"
    rb"(?:[ \t]*[*&]+[ \t]*\n?|[ \t]+|[ \t]*\n)[ \t]*"
    rb"(?:operator\b|[A-Za-z_][\w:]*(?:<[^;{}()\n]*>[\w:]*)?[ \t]*[(;={\[])"
)
_NO_TYPE_ALONE = (
    rb"const|volatile|static|extern|inline|constexpr|virtual|explicit|mutable|thread_local|struct|class|enum|union|typename"
    rb"|return|case|goto|else|if|new|delete|throw|operator|namespace|using|typedef|template|public|private|protected|friend"
)
_NO_NAME = rb"int|char|short|long|float|double|bool|void|unsigned|signed|auto|const|if|for|while|switch|catch|operator"
_CONSTRUCTOR = rb"(?P<owner>[A-Za-z_]\w*)(?:<[^;{}\n]*>)?::~?(?P=owner)[ \t]*\("
_DECLARED = (
    rb"[ \t]*(?:\[\[[^]\n]*\]\][ \t]*)*"
    rb"(?:(?:static|extern|inline|constexpr|virtual|explicit|mutable|thread_local|const|volatile|struct|class"
    rb"|enum|typename)[ \t]+)*(?!(?:"
    + _NO_TYPE_ALONE
    + rb")\b)(?:::)?[A-Za-z_]\w*(?:<[^;{}\n]*>)?(?:::[A-Za-z_]\w*(?:<[^;{}\n]*>)?)*"
    rb"(?:[ \t]*[*&]+[ \t]*(?:const[ \t]+)?|[ \t]+)(?!(?:" + _NO_NAME + rb")\b)"
)
"""The type of a declaration."""
_PATTERNS = (
    re.compile(rb"(?P<keep>\b(?:class|struct|union)[ \t]+)" + _MACRO + rb"(?=[ \t]+\w)"),
    re.compile(
        rb"^(?P<keep>[ \t]*)" + _MACRO + rb"(?=[ \t]*\n?[ \t]*(?:class|virtual|explicit|~?[A-Z]\w*[a-z]\w*[ \t]*\())",
        re.MULTILINE,
    ),
    re.compile(
        rb"^(?P<keep>[ \t]*"
        + _SPECIFIERS
        + rb")"
        + _MACROS
        + rb"(?=[ \t]*\n?[ \t]*(?:"
        + rb"|".join((_BEGINS_TYPE, _CONSTRUCTOR, _TYPE_AND_NAME))
        + rb"))",
        re.MULTILINE,
    ),
    re.compile(rb"(?P<keep>\)[ \t]*(?:const|noexcept|override|final)[ \t]+)" + _MACRO + rb"(?=[ \t]*(?:[;{]|->))"),
    re.compile(rb"(?P<keep>\)[ \t]+)" + _MACRO + rb"(?=[ \t]*\n?[ \t]*(?:->|override\b|const\b|noexcept\b))"),
    re.compile(
        rb"^(?P<keep>" + _DECLARED + rb"(?=\w*[a-z])\w+(?:\[[^];\n]*\])*\s+)" + _MACROS + rb"(?=\s*(?:[;{]|=[^=]))",
        re.MULTILINE,
    ),
    re.compile(
        rb"^(?P<keep>(?:"
        + _DECLARED
        + rb"[\w:~]+|[ \t]*(?:virtual[ \t]+)?~\w+|[ \t]*explicit[ \t]+\w+)[ \t]*\((?:[^(){};]|\([^(){};]*\))*\)"
        + rb"\s*(?:(?:const|noexcept|override|final)\s+)*)"
        + _MACROS
        + rb"(?=\s*(?:[;{]|override\b|final\b|:[^:]|=[ \t]*(?:0|default|delete)\b))",
        re.MULTILINE,
    ),
)
_ALONE = re.compile(
    rb"(?P<keep>(?:\A|[;{}]|\*/|^[ \t]*(?:#|//)[^\n]*(?<!\\))\s*^[ \t]*)(?P<macro>[A-Z_][A-Z0-9_]{2,})(?=[ \t]*(?://[^\n]*)?\n\s*"
    rb"(?:[A-Za-z_~#]|/[/*]|\Z))",
    re.MULTILINE,
)
"""A macro that is the whole line, between declarations: it may open or close a namespace."""


def repair(source: bytes) -> bytes:
    """The source as a parser of C++ can read more of it; the same where nothing is to be done."""
    found = respell(source, _C_ONLY)
    for pattern in (*_PATTERNS, _ALONE, _ALONE):  # one may stand behind another
        found = pattern.sub(lambda at: at["keep"] + b" " * len(at["macro"]), found)
    return found
