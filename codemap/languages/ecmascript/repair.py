"""JavaScript and TypeScript that are right and that the grammars cannot read, in a spelling of the same length that
they can.

Offsets stay what they are, so the repaired source is only for the parser.
"""

from __future__ import annotations

import re

from codemap.languages.ecmascript.imports_exports.import_types import applied_as_names

_VARIANCE = re.compile(
    rb"([<,](?:\s|/\*(?:[^*]|\*(?!/)){0,300}\*/)*+)"
    rb"(in\s+out|in|out)(?=\s+(?!as\b|in\b|of\b|instanceof\b|satisfies\b)[A-Za-z_$])"
)
"""`in` and `out` before a type parameter."""
_CALL_SIGNATURE = re.compile(
    rb"""(?:(?<=[\w\])}"'?])|(?<=[^=]>))[ \t\r]*\n"""
    rb"""(?=(?:[ \t\r\n]|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*<[ \t\r\n]*[A-Za-z])"""
)
"""The end of a line whose next begins a call signature with type parameters: read on, it looks like type arguments."""
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
"""An escape; that of a backtick ends a template literal type too early."""
_CLAUSE = re.compile(rb"\b(import|export)\b[^;{}()'\"]{0,400}\{([^{}]*)\}")
"""What is imported or exported, in braces."""
_RESERVED = re.compile(
    rb"([{,]\s*|\bas\s+)"
    rb"(break|case|catch|class|const|continue|debugger|delete|do|else|enum|export|extends|false|finally|for|function"
    rb"|if|import|in|instanceof|let|new|null|return|super|switch|this|throw|true|try|typeof|var|void|while|with|yield)"
    rb"(?=\s*[,}]|\s+as\s)"
)
"""A word of the language as the name of what is imported or exported: `export { remove as delete }`."""
_IN = re.compile(rb"(?<=\n)([ \t]+)in(?=\d|\??:)")
"""A name that begins so, at the beginning of a line: the grammar reads on from the line before."""
_TYPE_STAR = re.compile(rb"\bexport\s+(type)(?=\s*\*)")
"""`export type *`: the grammar has only `export *`."""
_JSX_TEXT = re.compile(
    rb"(?<=[>}])[^<>{}]+(?=</)|(?<=[>}])[^<>{}()=;,]+(?=<[a-z])|(?<==\")[^\"\n]+(?=\")|(?<==')[^'\n]+(?=')"
)
"""Text of an element, or of an attribute, where `&` stands for itself, too."""
_ENTITY = re.compile(rb"&(?!#?\w+;)")


def repair(source: bytes) -> bytes:
    """The source without what the grammars misread, its call signatures separated from the line before."""
    source = _TYPE_STAR.sub(lambda match: match[0][:-4] + b"    ", applied_as_names(source))
    source = _IN.sub(rb"\1_n", source)
    if b"&" in source and (b"</" in source or b"/>" in source):  # looking for text takes longer than all the rest
        source = _JSX_TEXT.sub(lambda match: _ENTITY.sub(b"_", match[0]), source)
    source = _CLAUSE.sub(lambda clause: _RESERVED.sub(_underlined, clause[0]), source)
    source = _ESCAPE.sub(lambda match: b"  " if match[1] == b"`" else match[0], source)
    source = _CALL_SIGNATURE.sub(_semicolon, source)
    return _VARIANCE.sub(lambda match: match[1] + b" " * len(match[2]), source)


def _underlined(match: re.Match[bytes]) -> bytes:
    return match[1] + b"_" * len(match[2])


def _semicolon(match: re.Match[bytes]) -> bytes:
    gap = match[0]
    line = match.string[match.string.rfind(b"\n", 0, match.start()) + 1 : match.start()]
    if b"//" in line:
        return gap  # its end ends a comment, too
    return b";" if len(gap) == 1 else b";" + gap[1:]
