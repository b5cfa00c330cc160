"""What became of the files that were to be checked, and why it is not known of some."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from codemap.languages import by_name
from codemap.live_queries import Because, Doubt, Fact, Found, Missed
from codemap.tools.nav.no_answer import failed_part, is_passing

NAMED_MAX = 3
"""More files of one reason are not all named."""

_SECONDS = re.compile(r"\b\d+ s\b")
"""How long something took: reasons that differ in nothing else are one."""


class Checked(msgspec.Struct, frozen=True):
    """What servers said of the changed files, and of the files that depend on them."""

    changed: tuple[str, ...]
    dependents: tuple[str, ...]
    left: int
    """The number of dependents beyond the limit."""
    facts: Mapping[str, Fact]
    """By file, of both."""

    @property
    def unchecked(self) -> dict[str, str]:
        """Files that no server has checked -> why."""
        return {file: _why(fact) for file, fact in self.facts.items() if isinstance(fact, Missed)}

    @property
    def in_part(self) -> dict[str, str]:
        """Checked files of which the server may not have found all -> why."""
        return {
            file: fact.incomplete for file, fact in self.facts.items() if isinstance(fact, Found) and fact.incomplete
        }

    @property
    def is_whole(self) -> bool:
        """Whether all that was to be checked was, by servers that knew everything."""
        return not self.unchecked and not self.in_part and not self.left

    @property
    def doubt(self) -> Doubt:
        """Why something is not sure, first of what time mends; an empty, lasting one where all is sure."""
        for fact in self.facts.values():
            if isinstance(fact, Missed) and is_passing(fact):
                return Doubt(failed_part(fact))
            if isinstance(fact, Found) and fact.incomplete and not fact.is_lasting:
                return Doubt(fact.incomplete)
        return Doubt(next(iter((self.unchecked | self.in_part).values()), ""), is_lasting=True)


def by_reason(files: Mapping[str, str]) -> dict[str, list[str]]:
    """Why they are not surely checked -> files."""
    reasons: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for file, why in files.items():
        found.setdefault(reasons.setdefault(_SECONDS.sub("", why), why), []).append(file)
    return found


def shorten_unchecked(reasons: dict[str, list[str]], checked: Checked) -> dict[str, list[str]]:
    """The same without the list of files where a reason holds for every one of many."""
    return {why: [f"all {len(files)}"] if _is_all(files, checked) else files for why, files in reasons.items()}


def shorten_in_part(reasons: dict[str, list[str]], checked: Checked) -> dict[str, list[str]]:
    """The same with the first few of many files: they are checked all the same."""
    found = shorten_unchecked(reasons, checked)
    return {why: _first(files) for why, files in found.items()}


def _is_all(files: list[str], checked: Checked) -> bool:
    return NAMED_MAX < len(files) == len(checked.facts)


def _first(files: list[str]) -> list[str]:
    return files if len(files) <= NAMED_MAX + 1 else [*files[:NAMED_MAX], f"{len(files) - NAMED_MAX} more"]


def _why(fact: Missed) -> str:
    language = by_name().get(fact.language)
    title = language.title if language else "this language"
    hint = f" ({fact.hint.rstrip('.')})" if fact.hint else ""
    match fact.because:
        case Because.UNAVAILABLE:
            return f"no language server for {title}: {failed_part(fact)}{hint}"
        case Because.UNSUPPORTED:
            return f"the language server for {title} has no diagnostics of one version of a file"
        case Because.NOT_READY:
            return f"the language server for {title} is not ready"
        case Because.TIMEOUT:
            return f"the language server for {title} gave no answer in time"
        case Because.FAILED | Because.REFUSED | Because.NO_FILE:
            return failed_part(fact)
