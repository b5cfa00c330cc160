"""Formats unused definitions for reviews: a Markdown comment, SARIF, and an exit code.

Source: SARIF 2.1.0 (OASIS).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from actors.command_line.reviews.formats import folded, notes_of, plain, quoted, refusal, result, sarif_log

FAILURES = ("certain", "likely", "possible")
"""What `--fail-on` can name: the least sure that there is none of."""

_LISTS = {
    "unusedFiles": ("unused-file", "Nothing imports or starts it"),
    "unused": ("unused-definition", "Nothing uses it"),
    "unusedExports": ("unused-export", "Only its own file uses it"),
    "onlyTests": ("only-tests", "Nothing but tests uses it"),
}
"""Member of a reply -> the rule that it is of, and what that says."""
_TITLES = {
    "unusedFiles": "Files",
    "unused": "Definitions",
    "unusedExports": "Exports",
    "onlyTests": "Used by tests alone",
}
_LEVELS = {"certain": "warning", "likely": "note", "possible": "note"}


def failures(data: Mapping[str, Any], named: Iterable[str]) -> list[str]:
    """Says in sentences which of the named conditions hold."""
    counts = data.get("counts", {})
    found = []
    for name in dict.fromkeys(named):
        tiers = FAILURES[: FAILURES.index(name) + 1]
        if count := sum(counts.get(tier, 0) for tier in tiers):
            found.append(f"{count} definition(s) are unused ({' or '.join(tiers)})")
    return found


def markdown(envelope: Mapping[str, Any]) -> str:
    """Formats a comment, from compact rows."""
    if not envelope["ok"]:
        return refusal(envelope)
    data = envelope["data"]
    counts = ", ".join(f"{count} {plain(tier)}" for tier, count in data.get("counts", {}).items())
    lines = [f"### Unused code: {counts or 'none'}"]
    for name, title in _TITLES.items():
        lines += folded(title, [(one.get("tier", ""), one.get("rows", {})) for one in data.get(name, ())])
    return "\n".join([*lines, *quoted(notes_of(envelope))]) + "\n"


def sarif(envelope: Mapping[str, Any], version: str) -> str:
    """Formats a SARIF log, from full rows: a warning for what is certain, a note for the rest, with the reasons to
    doubt it."""
    data = envelope["data"] if envelope["ok"] else {}
    results = []
    for name, (rule, about) in _LISTS.items():
        for one in data.get(name, ()):
            doubts = ", ".join(dict.fromkeys(reason["why"] for reason in one.get("reasons", ())))
            doubt = f" ({one['tier']}: {doubts})" if doubts and name == "unused" else f" ({one['tier']})"
            text = f"{one['name']}: {about[0].lower()}{about[1:]}{doubt}."
            results.append(result(rule, _LEVELS[one["tier"]], text, one["file"], one["line"]))
    rules = [{"id": rule, "shortDescription": {"text": about}} for rule, about in _LISTS.values()]
    return sarif_log(envelope, version, rules, results)
