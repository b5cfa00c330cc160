"""Another spelling, of the same length, of source that the grammar cannot read: what the repair of C does, and macros
go that are between `class` and a name, alone on a line, in front of a declaration, behind qualifiers, between the type
and the name of a function, or behind the name or the parameters of what is declared with a type, as annotations for the
analysis of threads are. Types that macros wrap stay alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from codemap.languages.c.repair import respell

_C_ONLY = re.compile(rb"\A[ \t]*#[ \t]*if(?:ndef[ \t]+__cplusplus|[ \t]+![ \t]*defined[ \t(]+__cplusplus[ \t)]*)\s*\Z")
_ONE = rb"[A-Z_][A-Z0-9_]{2,}\b(?:\((?:[^()\n]|\([^()\n]*\))*\))?"
_MACRO = rb"(?P<macro>" + _ONE + rb")"
_MACROS = rb"(?P<macro>" + _ONE + rb"(?:[ \t]+" + _ONE + rb")*)"
_TEMPLATE = rb"(?:template[ \t]*<[^;{}\n]*>[ \t]*)?"
_SPECIFIERS = _TEMPLATE + rb"(?:(?:static|extern|inline|constexpr|friend|virtual|explicit|typedef|template)[ \t]+)*"
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
_OPERATOR = rb"operator[ \t]*(?:\(\)|\[\]|[^\s\w()]{1,3})"
_NO_NAME = rb"int|char|short|long|float|double|bool|void|unsigned|signed|auto|const|if|for|while|switch|catch|operator"
_CONSTRUCTOR = rb"(?:[A-Za-z_]\w*(?:<[^;{}()\n]*>)?::)*(?P<owner>[A-Za-z_]\w*)(?:<[^;{}()\n]*>)?::~?(?P=owner)[ \t]*\("
_DECLARED_TYPE = (
    rb"[ \t]*(?:\[\[[^]\n]*\]\][ \t]*)*"
    rb"(?:(?:static|extern|inline|constexpr|virtual|explicit|mutable|thread_local|const|volatile|struct|class"
    rb"|enum|typename)[ \t]+)*(?!(?:"
    + _NO_TYPE_ALONE
    + rb")\b)(?:(?:unsigned|signed|long|short)[ \t]+(?=int\b|long\b|short\b|char\b))*"
    rb"(?:::)?[A-Za-z_]\w*(?:<[^;{}\n]*>)?(?:::[A-Za-z_]\w*(?:<[^;{}\n]*>)?)*"
    rb"(?:[ \t]*[*&]+[ \t]*(?:const[ \t]+)?|[ \t]+)"
)
_DECLARED = _DECLARED_TYPE + rb"(?!(?:" + _NO_NAME + rb")\b)"
"""The type of a declaration."""
_PATTERNS = (
    re.compile(rb"(?P<keep>\busing[ \t]+\w+[ \t]*=[ \t]*)" + _MACRO + rb"(?=[ \t]+\w)"),
    re.compile(  # what makes the type of a parameter of another (`CONST(T) *first`)
        rb"(?P<keep>[(,]\s*[A-Z_][A-Z0-9_]{2,})(?P<macro>\((?:[A-Z]\w*|int|char|void|bool|float|double)\))"
        rb"(?=[ \t]*(?:[*&]+[ \t]*\w+[ \t]*[,)]|\(&))"
    ),
    re.compile(rb"(?P<keep>\b(?:class|struct|union)[ \t]+)" + _MACRO + rb"(?=[ \t]+\w)"),
    re.compile(rb"(?P<keep>\b(?:class|struct)[ \t]+(?=\w*[a-z])\w+[ \t]+)" + _MACRO + rb"(?=\s*(?:\{|:[^:]))"),
    re.compile(
        rb"^(?P<keep>[ \t]*)"
        + _MACRO
        + rb"(?=[ \t]*\n?[ \t]*(?:class|virtual|explicit|~\w+[ \t]*\(|[A-Z]\w*[a-z]\w*[ \t]*\())",
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
    re.compile(
        rb"^(?P<keep>[ \t]*"
        + _TEMPLATE
        + rb"(?=\w*[a-z])[A-Z]\w*[ \t]*\((?:[^(){};]|\([^(){};]*\))*\)\s*)"
        + _MACRO
        + rb"(?=\s*(?:[;{]|:[^:]|=[ \t]*(?:default|delete)\b))",
        re.MULTILINE,
    ),
    re.compile(  # behind the head of a member that is defined apart from its class, below the type that it gives
        rb"^(?P<keep>(?:(?:[A-Za-z_]\w*(?:<[^;{}()\n]*>)?::)+~?[A-Za-z_]\w*|(?:[A-Za-z_]\w*(?:<[^;{}()\n]*>)?::)*"
        + _OPERATOR
        + rb")[ \t]*\((?:[^(){};]|\([^(){};]*\))*\)\s*(?:const\s+)?)"
        + _MACRO
        + rb"(?=\s*(?:\{|:[^:]))",
        re.MULTILINE,
    ),
    re.compile(rb"(?P<keep>\)[ \t]*(?:const|noexcept|override|final)[ \t]+)" + _MACRO + rb"(?=[ \t]*(?:[;{]|->))"),
    re.compile(rb"(?P<keep>\)[ \t]+)" + _MACRO + rb"(?=[ \t]*\n?[ \t]*(?:->|override\b|const\b|noexcept\b))"),
    re.compile(
        rb"^(?P<keep>" + _DECLARED + rb"(?=\w*[a-z])\w+(?:\[[^];\n]*\])*\s+)" + _MACROS + rb"(?=\s*(?:[;{]|=[^=]))",
        re.MULTILINE,
    ),
    re.compile(  # between the type and the name of a function
        rb"^(?P<keep>"
        + _DECLARED
        + rb")"
        + _MACROS
        + rb"(?=(?:[ \t]+|[ \t]*\n[ \t]*)(?:::)?[A-Za-z_]\w*(?:<[^;{}()\n]*>)?"
        + rb"(?:::~?[A-Za-z_]\w*(?:<[^;{}()\n]*>)?)*[ \t]*\()",
        re.MULTILINE,
    ),
    re.compile(
        rb"^(?P<keep>(?:[ \t]*template[ \t]*<[^;{}\n]*>)?(?:"
        + _DECLARED_TYPE
        + rb"(?:(?!(?:"
        + _NO_NAME
        + rb")\b)[\w:~]+|(?:\w+::)*"
        + _OPERATOR
        + rb")|[ \t]*(?:virtual[ \t]+)?~\w+|[ \t]*explicit[ \t]+\w+)[ \t]*\((?:[^(){};]|\([^(){};]*\))*\)"
        + rb"\s*(?:(?:const|noexcept|override|final)\s+)*)"
        + _MACROS
        + rb"(?=\s*(?:[;{]|override\b|final\b|:[^:]|=[ \t]*(?:0|default|delete)\b))",
        re.MULTILINE,
    ),
)
_CALLED = rb"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\))*+\)"
"""Parentheses in which there are at most three more around one another."""
_INITIALIZED = re.compile(
    rb"^(?P<keep>[ \t]*(?:(?:explicit|inline)[ \t]+)?)"
    + _MACROS
    + rb"(?=[ \t]+(?:explicit[ \t]+)?[a-z]\w*"
    + _CALLED
    + rb"\s*(?:noexcept\s*)?:[^:])",
    re.MULTILINE,
)
"""In front of a constructor: it has initializers, and no type."""
_OPTION = re.compile(
    rb"(?P<before>\btemplate\s*<(?:[^;{}]{0,400}?,)?\s*)(?P<macro>[A-Z_][A-Z0-9_]{2,}"
    + _CALLED
    + rb")(?=\s*(?:,|>\s*[\w~#/:\[]))"
)
"""A parameter of a template: one that is `int` or `typename`, or none."""
_BUILTIN = rb"(?:unsigned|signed|long|short|int|char|double|float|bool|void)\b"
_BUILTINS = re.compile(_BUILTIN + rb"(?:[ \t]+" + _BUILTIN + rb")*")
_AROUND_TYPE = re.compile(rb"\b(?:const|volatile|struct|class|enum|union)\b|[*&]")
_GIVEN = (
    rb"(?P<type>(?:const[ \t]+)?(?:"
    + _BUILTINS.pattern
    + rb"[ \t]*[*&]*|(?:struct|class|enum|union)[ \t]+[\w:]+[ \t]*[*&]*|[A-Za-z_][\w:]*[ \t]*[*&]+))"
)
_RETURNED = re.compile(
    rb"^(?P<keep>[ \t]*"
    + _SPECIFIERS
    + rb")(?P<macro>[A-Z_][A-Z0-9_]{2,}\([ \t]*)(?P<type>"
    + _BUILTINS.pattern
    + rb"[ \t]*[*&]*|(?:const[ \t]+)?[A-Za-z_][\w:]*[ \t]*[*&]*(?=[ \t]*\)[ \t]+[a-z_]))"
    + rb"[ \t]*\)(?=[ \t]+[A-Za-z_]\w*[ \t]*\()",
    re.MULTILINE,
)
"""The type that a function gives, wrapped by a macro (`METHOD_(int) size();`)."""
_GIVEN_TYPES = (
    re.compile(rb"^(?P<before>[ \t]+[A-Z_][A-Z0-9_]{2,}\(\s*)" + _GIVEN + rb"(?=\s*,)", re.MULTILINE),
    re.compile(rb"^(?P<before>[ \t]+[A-Z_][A-Z0-9_]{2,}\([^();{}]*,\s*)" + _GIVEN + rb"(?=\s*[,)])", re.MULTILINE),
)
"""A type that a macro in a function is given beside something else: one that cannot be read as a value."""
_TITLED = re.compile(
    rb"^(?P<keep>[ \t]*\w*(?:TEMPLATE_\w*TEST_CASE|TEST_CASE_TEMPLATE)\w*[ \t]*\("
    rb"(?:[^\"(){};,]*,)?\s*\"(?:[^\"\\\n]|\\.)*\")(?P<macro>[^\"{};]*(?:\"(?:[^\"\\\n]|\\.)*\"[^\"{};]*)?)(?=\)\s*\{)",
    re.MULTILINE,
)
"""A test with a title that is made for several types, which follow it."""
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(?:el)?if\b(?P<text>(?:[^\n\\]|\\\n|\\.)*+)", re.MULTILINE)
_NO_EXPRESSION = re.compile(rb"\w[ \t]*\([ \t]*(?:<|\w+::)")
"""`HAS_INCLUDE(<bit>)`, `HAS_ATTRIBUTE(clang::lifetimebound)`."""
_ELSEWHERE = (
    re.compile(rb"(?P<keep>\bif[ \t]+)" + _MACRO + rb"(?=[ \t]+\()"),
    re.compile(  # `TRY {`, `CATCH(...) {`
        rb"^(?P<keep>[ \t]+)(?P<macro>[A-Z_][A-Z0-9_]{2,}(?:\([ \t]*\.\.\.[ \t]*\))?)(?=[ \t]*\{)", re.MULTILINE
    ),
    re.compile(  # behind the name of a parameter
        rb"(?P<keep>[(,]\s*(?:const\s+)?[A-Za-z_][\w:]*(?:[ \t]+(?:char|int|long|short))*(?:[ \t]*[*&]+[ \t]*|[ \t]+)"
        rb"(?!(?:" + _NO_NAME + rb")\b)[a-z_]\w*[ \t]+)" + _MACRO + rb"(?=[ \t]*[,)])"
    ),
    re.compile(  # between `*` and a name
        rb"(?P<keep>\*[ \t]*)(?P<macro>(?!(?:const|volatile|restrict|__restrict|sizeof|new|and|or|final|override)\b)"
        rb"[A-Za-z_]\w*)(?=[ \t]+(?!(?:and|or|const)\b)[a-z_]\w*[ \t]*[,)=;\[(])"
    ),
    re.compile(  # at the end of a namespace; an enumerator has no `;` or `}` before it
        rb"(?P<keep>[;}][ \t]*(?://[^\n]*)?\n(?:[ \t]*(?://[^\n]*)?\n)*+[ \t]*)"
        rb"(?P<macro>(?:[A-Z0-9]+_)*+END(?:_[A-Z0-9]+)*+)(?=[ \t]*(?:\n|\Z))"
    ),
    re.compile(  # as an access specifier
        rb"^(?P<keep>[ \t]*)(?P<macro>(?:[A-Z_][A-Z0-9_]{2,}|signals)[ \t]*:)(?=[ \t]*(?://[^\n]*)?\n)", re.MULTILINE
    ),
    re.compile(  # a constraint behind the parameters of a template
        rb"(?P<keep>\btemplate\s*<(?:[^<>;{}]|<(?:[^<>;{}]|<[^<>;{}]*+>)*+>)*+>\s*)(?P<macro>(?:[A-Z_][A-Z0-9_]{2,}|__\w+)"
        + _CALLED
        + rb")(?=\s+(?!(?:noexcept|override|final)\b)(?:::)?[A-Za-z_])"
    ),
    re.compile(rb"(?P<keep>(?:[^=!<>]=|\breturn\b)\s*)(?P<macro>typename)(?=\s+[A-Za-z_:][\w:]*\()"),
    re.compile(rb"^(?P<keep>[ \t]*(?:public|protected|private)[ \t]+)(?P<macro>(?:Q_SLOTS|slots)\b)", re.MULTILINE),
    re.compile(  # called, alone on a line in front of what only a declaration begins with
        rb"^(?P<keep>[ \t]+)(?P<macro>[A-Z_][A-Z0-9_]{2,}"
        + _CALLED
        + rb")(?=[ \t]*\n\s*(?:virtual|static|inline|explicit|friend|class|struct|template|using|typedef)\b)",
        re.MULTILINE,
    ),
    re.compile(rb"(?P<keep>[;}][ \t]*\n\s*)(?P<macro>[A-Z_][A-Z0-9_]{2,})(?=[ \t]*\n\s*\};)"),
    re.compile(rb"(?P<keep>\b(?:class|struct)\s+)(?P<macro>[A-Z_][A-Z0-9_]{2,}" + _CALLED + rb")(?=\s+\w+\s*[:{])"),
    re.compile(  # between a specifier and the type of a function
        rb"(?P<keep>\b(?:inline|virtual)[ \t]+)(?P<macro>[A-Z_][A-Z0-9_]{2,})"
        rb"(?=[ \t]+(?!const\b)[A-Za-z_][\w:<>]*[ \t*&]+[A-Za-z_][\w:~]*[ \t]*\()"
    ),
)
"""Macros in other places; and `typename` in front of a value, which the grammar does not know."""
_AT_MARGIN = re.compile(
    rb"^(?P<keep>)(?P<macro>[A-Z_][A-Z0-9_]{2,}"
    rb"(?:\((?:[^()\n;]*[ ,(])?(?:int|unsigned|long|char|bool|float|double|void|const)\b[^()\n]*\);|"
    + _CALLED
    + rb"(?=[ \t]*(?:\n\s*[^{\s]|\Z))))",
    re.MULTILINE,
)
"""Where no function is: one that is given types, or that no semicolon and no block follows."""
_MEMBER = re.compile(
    rb"(?<!\\\n)(?<!\\\r\n)^(?P<keep>[ \t]+[A-Z_][A-Z0-9_]{2,}[ \t]?"
    + _CALLED
    + rb"[ \t]*)\n(?P<next>[ \t\n]?)(?=\s*(?:\}|(?:public|protected|private)\b))",
    re.MULTILINE,
)
"""A macro that is called at the end of a block or of a part of a class, alone on a line, without a semicolon; in front
of a declaration it may be an annotation of that."""
_BLANKED = re.compile(rb"(?!\\\n)[^\n]")
_MADE = re.compile(rb"(?P<keep>(?:[(,!<>+*/%&|?:^-]|[^=]=|\breturn\b)\s*)(?P<word>unsigned|signed|long|short)(?=\()")
"""A value of a builtin type (`unsigned(x) < 2`) whose name the grammar takes for one in front of another."""
_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\\\n]|\\\r?\n|\\.)*", re.MULTILINE)
_COMMENT = re.compile(rb"/\*(?:[^*]|\*(?!/))*+\*/(?=[^\n]*\\\r?\n|[ \t]*[^\s/])")
"""A comment in a macro that its text goes on behind."""
_UNCOMMENTED = re.compile(rb"[^\n\\]")
_ALONE = re.compile(
    rb"(?P<keep>(?:\A|[;{}]|\*/|^[ \t]*(?:#|//)[^\n]*+(?<!\\))\s*^[ \t]*)(?P<macro>[A-Z_][A-Z0-9_]{2,})(?=[ \t]*(?://[^\n]*)?\n\s*"
    rb"(?:[A-Za-z_~#]|/[/*]|\Z))",
    re.MULTILINE,
)
"""A macro that is the whole line, between declarations: it may open or close a namespace."""


def repair(source: bytes) -> bytes:
    """The source as a parser of C++ can read more of it; the same where nothing is to be done."""
    found = respell(source, _C_ONLY)
    found = _RETURNED.sub(lambda at: (at["keep"] + b" " * len(at["macro"]) + at["type"]).ljust(len(at[0])), found)
    for pattern in (*_PATTERNS, _ALONE, _ALONE):  # one may stand behind another
        found = pattern.sub(_without_macro, found)
    return found


def without_calls(source: bytes, _errors: Sequence[tuple[int, int]]) -> bytes:
    """The source without macros that are called as templates' parameters, at the margin or in conditions of the
    preprocessor, without `_ELSEWHERE`, comments in macros and the types of tests with a title, with names for the types
    that macros are given, or that make a value, and with semicolons behind those that have none."""
    found = _CONDITION.sub(_without_calls, source)
    found = _DEFINED.sub(_without_comments, found)
    found = _MADE.sub(lambda at: at["keep"] + b"_" * len(at["word"]), found)
    for _ in range(2):  # a template may have several
        found = _OPTION.sub(lambda at: at["before"] + b"int".ljust(len(at["macro"])), found)
    for pattern in (_TITLED, *_ELSEWHERE, _AT_MARGIN):
        found = pattern.sub(_without_macro, found)
    for pattern in _GIVEN_TYPES:
        found = pattern.sub(_as_name, found)
    return _MEMBER.sub(lambda at: at["keep"] + (b";\n" if at["next"] else b";"), found)


def without_specifiers(source: bytes, _errors: Sequence[tuple[int, int]]) -> bytes:
    """The source without macros in front of constructors with initializers."""
    return _INITIALIZED.sub(_without_macro, source)


def _without_comments(macro: re.Match[bytes]) -> bytes:
    if b"/*" not in macro[0]:
        return macro[0]
    return _COMMENT.sub(lambda at: _UNCOMMENTED.sub(b" ", at[0]), macro[0])


def _without_calls(condition: re.Match[bytes]) -> bytes:
    """A condition of the preprocessor with `1` for what is no expression."""
    text = condition["text"]
    if not _NO_EXPRESSION.search(text):
        return condition[0]
    blank = _BLANKED.sub(b" ", text)
    return condition[0][: -len(text)] + blank[:1] + b"1" + blank[2:]


def _as_name(at: re.Match[bytes]) -> bytes:
    """A type as its name, a builtin one as some other."""
    named = _AROUND_TYPE.sub(_blank, at["type"])
    return at["before"] + _BUILTINS.sub(lambda word: b"_" * len(word[0]), named)


def _blank(at: re.Match[bytes]) -> bytes:
    return b" " * len(at[0])


def _without_macro(at: re.Match[bytes]) -> bytes:
    return at["keep"] + _BLANKED.sub(b" ", at["macro"])
