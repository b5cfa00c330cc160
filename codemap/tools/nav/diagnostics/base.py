"""Finds what is new since a base: the diagnostics of now without those that the files had there.

A server of its own is shown the texts of the base as open documents, so that files that did not change are diagnosed
against the base as well; nothing is written. Only files with diagnostics are asked about again: in others nothing can
be new. Where the base cannot be shown exactly (files went, configuration changed), all count as new, and that is said;
so it is for a single file that the server does not check as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import msgspec

from codemap.changes.change_set import ChangeSet
from codemap.live_queries import BaseTexts, Diagnostic, Diagnostics, Found, Source, SourceNow, TextsAt
from codemap.tools.nav.diagnostics.compared import new_since
from codemap.tools.tool import Asking

Problems = Mapping[str, tuple[Diagnostic, ...]]


class Compared(msgspec.Struct, frozen=True):
    problems: Problems
    """The new ones, by file."""
    old: int = 0
    not_compared: str = ""
    """Why all are there, or all of some files, as a clause."""
    files_not_compared: frozenset[str] = frozenset()
    """These files; of the others, only the new ones are there."""


def subtract_base(change: ChangeSet, problems: Problems, users_of_added: Set[str]) -> Asking[Compared]:
    """What is new among the diagnostics of some files.

    A server cannot be shown that a file was not there yet: what an unchanged file that uses one says now is new.
    """
    if why := _obstacle(change):
        return _not(problems, why)
    if not problems:
        return Compared(problems)
    there = tuple(pair.path for pair in change.pairs if pair.before is not None)
    differing = {pair.path for pair in change.pairs}
    files = tuple(file for file in problems if file in differing or file not in users_of_added)
    asked = yield (TextsAt(change.base, there), *(Source(file) for file in files))
    fact, *sources = asked
    if not isinstance(fact, Found) or set(there) - set(fact.value):
        return _not(problems, "git does not give the files of the base")
    texts = dict.fromkeys((pair.path for pair in change.pairs), "") | fact.value
    base = BaseTexts(change.base, texts)
    facts = yield tuple(Diagnostics(file, base) for file in files)
    new = {file: found for file, found in problems.items() if file not in files}
    old = 0
    left: dict[str, str] = {}
    for file, then, source in zip(files, facts, sources, strict=True):
        if not isinstance(then, Found) or (then.incomplete and not then.is_lasting) or not isinstance(source, Found):
            why = then.incomplete if isinstance(then, Found) else then.message
            new[file] = problems[file]
            left[file] = f"{file} could not be checked as it was ({why})"
            continue
        assert isinstance(source.value, SourceNow)
        now = source.value.text
        found, excused = new_since(problems[file], then.value, now, texts.get(file, now))
        old += excused
        if found:
            new[file] = tuple(found)
    return Compared(new, old, next(iter(left.values()), ""), frozenset(left))


def _not(problems: Problems, why: str) -> Compared:
    return Compared(problems, not_compared=why, files_not_compared=frozenset(problems))


def _obstacle(change: ChangeSet) -> str:
    """Why the base cannot be shown to a server as it was."""
    if gone := [pair.path for pair in change.pairs if pair.after is None]:
        return f"{gone[0]} was there at the base and is gone"
    if change.configs_before:
        return f"{min(change.configs_before)} differs, which configures the language server"
    if change.omitted:
        return f"{min(change.omitted)} is not compared"
    return ""
