"""Finds the strings that may be a text in which a class shows its own name: such a text follows a rename of the class.

    def __repr__(self):
        return f"<{self.__class__.__name__} {self.size}>"       # a test expects "<Entry 3>"

Rules of the file:
- The class, or one above it, reads the name of its class, or has a text made that shows it (`Language.name_readers`).
  A variable whose own string has to be its name may have a class as well (`Entry = namedtuple("Entry", "size")`).
- Of strings that hold the name, those count that are like such a text: the name is all of it, is called (`Entry(3)`),
  or begins or ends what is in angle brackets. Strings of several lines are documentation far more often, and are left
  out, but in tests, which compare output with them: what is in angle brackets there, or called.
- A string of a test that shows the class with what it has (`"Entry(3)"`, `"<Entry 3>"`), or has that in it
  (`"Group(Entry(3))"`), surely is such a text, where no other class has the name.
- In the product, the name in quotes in a sentence is part of a message, which stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from codemap.facts import Symbol, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.languages import by_name
from codemap.live_queries import At
from codemap.mentions.account import Account, Ledger
from codemap.tools.nav.rename.uses.together import classes_from
from codemap.tools.places.texts import read_lines, split_line
from codemap.tools.tool import Asking

_STRING = re.compile(r"""(?<!["'])(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')(?!["'])""")
"""A string that ends on its line; none of three quotes."""
_TEXTS = (Account.STRINGS, Account.COMMENTS)
_WHOLE = re.compile(r"(?<![\w\"'])[rf]?[\"'](<?)\Z")
"""Before the name, where a string begins with it."""
_PART = re.compile(r"[\w.%}]\Z")
"""Before a name that goes on from something else."""
_CUT_OFF = "..."
"""In an output that is as long as a line may be: it is cut off elsewhere with a longer name."""
_COMMENT = re.compile(r"\s*#")
_OPENED = re.compile(r"</?\Z")
_AFTER = (">", "/", " ", "")
"""What may be behind the name in angle brackets."""


class ClassTexts(msgspec.Struct, frozen=True):
    certain: tuple[At, ...] = ()
    possible: tuple[At, ...] = ()


def find_class_texts(snapshot: Snapshot, node: int, ledger: Ledger | None, named: Sequence[At]) -> Asking[ClassTexts]:
    """Those of a class; none for anything else. `named` are the strings that surely name it."""
    home, row = snapshot.row_of(node)
    readers = by_name()[home.lang].strings.name_readers
    first, last = home.cell(row, Symbol.START_LINE), home.cell(row, Symbol.END_LINE)
    names_itself = any(at.file == home.path and first <= at.line <= last for at in named)
    kind = snapshot.kind_of(node)
    if ledger is None or not readers or not (kind in CLASS_KINDS or (kind is SymbolKind.VARIABLE and names_itself)):
        return ClassTexts()
    files = snapshot.by_path
    texts = [
        At(one.path, one.line, one.col)
        for one in ledger.mentions
        if one.account in _TEXTS and one.path in files and files[one.path].family == home.family
    ]
    prose = {At(one.path, one.line, one.col) for one in ledger.mentions if one.account is Account.COMMENTS}
    strings = [at for at in texts if at not in named and (at not in prose or role_of(at.file) is Role.TEST)]
    if not strings:
        return ClassTexts()
    if not (yield from shows_its_name(snapshot, node)):
        return ClassTexts()
    lines = yield from read_lines(at.file for at in strings)
    name = home.name_of(row)
    is_alone = all(one == node or snapshot.kind_of(one) not in CLASS_KINDS for one in snapshot.named(name))
    certain: list[At] = []
    possible: list[At] = []
    for at in strings:
        of_file, is_test = lines.get(at.file, ()), role_of(at.file) is Role.TEST
        if at in prose and _COMMENT.match(split_line(of_file, at)[0]):
            continue
        if is_test and is_alone and at not in prose and is_shown_whole(of_file, at, name):
            certain.append(at)
        elif (is_test and _is_in_output(of_file, at, name)) or (
            at not in prose and _is_shown(of_file, at, name, is_in_sentence=is_test)
        ):
            possible.append(at)
    return ClassTexts(tuple(certain), tuple(possible))


def shows_its_name(snapshot: Snapshot, cls: int) -> Asking[bool]:
    """Whether a class, or one above it, reads the name of its class or has a text made that shows it."""
    classes = [snapshot.row_of(one) for one in (cls, *classes_from(snapshot, cls, upwards=True))]
    lines = yield from read_lines(file.path for file, _ in classes)
    bodies = (
        lines.get(file.path, [])[file.cell(row, Symbol.START_LINE) - 1 : file.cell(row, Symbol.END_LINE)]
        for file, row in classes
    )
    readers = by_name()[classes[0][0].lang].strings.name_readers
    return bool(readers) and any(re.search(readers, "\n".join(body)) for body in bodies)


def _is_in_output(lines: Sequence[str], at: At, name: str) -> bool:
    """Whether the name begins or ends what is in angle brackets, or is called."""
    before, behind = split_line(lines, at)
    if behind[len(name) :][:1] == "(":
        return True
    return _OPENED.search(before) is not None and behind[len(name) :][:1] in _AFTER


def is_shown_whole(lines: Sequence[str], at: At, name: str) -> bool:
    """Whether a string is a text that shows a class and what an object of it has, or has one in it."""
    before, behind = split_line(lines, at)
    begin, next_ = _WHOLE.search(before), behind[len(name) :][:1]
    is_called = next_ == "(" and not _PART.search(before) and _CUT_OFF not in behind
    return is_called or (begin is not None and begin[1] == "<" and next_ in (" ", ":"))


def _is_shown(lines: Sequence[str], at: At, name: str, *, is_in_sentence: bool) -> bool:
    """Whether the name stands there as a text shows that of a class; in quotes it may be in a sentence."""
    before, behind = split_line(lines, at)
    line, begin = before + behind, len(before)
    end = begin + len(name)
    around = [one for one in _STRING.finditer(line) if one.start() < begin and end < one.end()]
    first, last = line[begin - 1 : begin], line[end : end + 1]
    is_quoted = first == last and first in ("'", '"')
    is_whole = any((one.start() + 1, one.end() - 1) == (begin, end) for one in around)
    return bool(around) and (last == "(" or first == "<" or (is_quoted and (is_whole or is_in_sentence)))
