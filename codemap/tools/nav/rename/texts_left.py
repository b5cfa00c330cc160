"""Finds texts that keep the old name and that a reader has to look at: they are shown with their lines.

Rules of the file:
- A string in which the name reads like code (`"self.{kind}.load()"`) may be run: it is shown. Prose is counted.
- Of a parameter or a local the map counts no mentions. Of those around its function, in its text, in the comment above
  it and in its class outside of other members, each that is no member or keyword of something else is shown: the
  documentation names parameters (`:param name:`), and so do messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from codemap.facts import Symbol
from codemap.graph.model.indexed_file import IndexedFile
from codemap.languages import by_name
from codemap.live_queries import At
from codemap.mentions.account import Account, Ledger
from codemap.tools.compact import GroupedRows
from codemap.tools.places.anchors import clip
from codemap.tools.places.rows import utf16_length
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking

_CALL = re.compile(r"\(")
_OF_EXPRESSION = re.compile(r"[\])}]\.\Z")
_MEMBER = re.compile(r"[\w\])]\s*(?:\.|->|::)\s*\Z")
_KEYWORD = re.compile(r"\s*=(?!=)")
_COMMENT = re.compile(r"\s*(?:/?\*|//|#)")


def show_code_strings(ledger: Ledger, name: str, named: Set[str]) -> Asking[GroupedRows]:
    """The strings that have the name where code has it. `named` are the words by which methods call their own value."""
    strings = [At(one.path, one.line, one.col) for one in ledger.mentions if one.account is Account.STRINGS]
    lines = yield from read_lines(at.file for at in strings)
    own = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(named)))})\.\Z") if named else _OF_EXPRESSION

    def reads_like_code(at: At) -> bool:
        before, after = split_line(lines.get(at.file, ()), at)
        is_called = _CALL.match(after, len(name))
        return bool(is_called or _OF_EXPRESSION.search(before) or own.search(before))

    found = [at for at in strings if reads_like_code(at)]
    return _rows([(at.file, at.line, lines[at.file][at.line - 1]) for at in found])


def own_values_of(language: str) -> Set[str]:
    return frozenset(by_name()[language].strings.own_values)


def show_around(file: IndexedFile, at: At, name: str, edited: Set[At], lines: Sequence[str]) -> GroupedRows:
    """The mentions of a parameter or a local that stay, around its function."""
    row = file.innermost_row(at.line)
    if row <= 0:
        return {}
    first, last = file.cell(row, Symbol.START_LINE), file.cell(row, Symbol.END_LINE)
    while first > 1 and _COMMENT.match(lines[first - 2]):
        first -= 1
    owner = file.cell(row, Symbol.PARENT)
    class_lines = range(file.cell(owner, Symbol.START_LINE), file.cell(owner, Symbol.END_LINE) + 1) if owner > 0 else ()
    around = file.innermost_rows(list(class_lines))
    wanted = [*(line for line in class_lines if around.get(line) == owner and line < first), *range(first, last + 1)]
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    found = []
    for line in wanted:
        text = lines[line - 1] if line <= len(lines) else ""
        for match in word.finditer(text):
            place = At(at.file, line, utf16_length(text[: match.start()]) + 1)
            other = _MEMBER.search(text[: match.start()]) or _KEYWORD.match(text, match.end())
            if place not in edited and not other:
                found.append((at.file, line, text))
    return _rows(found)


def _rows(found: Sequence[tuple[str, int, str]]) -> GroupedRows:
    """Files -> lines with their numbers, each once."""
    shown: GroupedRows = {}
    for path, line, text in dict.fromkeys(found):
        shown.setdefault(path, []).append(f"{line} {clip(text.strip())}")
    return shown
