"""What a commit's message says of it: whether it mends something, what it takes back, and whether a program made it."""

from __future__ import annotations

import re

SUBJECT_MAX = 120
"""Characters of a subject that are kept."""
LINE_MAX = 500
"""Characters of a first line that are read."""

_FIX = re.compile(
    r"\b(?:fix(?:e[sd]|ing|up)?|bug(?:fix(?:es)?|s)?|hotfix|regressions?|defects?|crash(?:e[sd])?|faults?|"
    r"repair(?:s|ed)?|correct(?:s|ed)|resolve[sd]?\s+#\d+)\b",
    re.IGNORECASE,
)
_FIXED_ISSUE = re.compile(
    r"^[ \t]*(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)\b:?[ \t]{1,4}(?:[\w.-]{1,100}/[\w.-]{1,100})?#\d",
    re.IGNORECASE | re.MULTILINE,
)
_REVERTED = re.compile(
    r"\brevert(?:s|ed|ing)?\b[^\n.]{0,60}?\b([0-9a-f]{7,64})\b|\b([0-9a-f]{7,64})\b[^\n.]{0,20}\bis reverted\b",
    re.IGNORECASE,
)
_REVERT_SUBJECT = re.compile(r'\Arevert(?:ed)?:?\s+["“](.+)["”]\s*\Z', re.IGNORECASE)
_BOT = re.compile(
    r"\[bot\]|\b(?:dependabot|renovate|greenkeeper|pre-commit-ci|github-actions|semantic-release|mergify|"
    r"pyup|snyk|allcontributors|weblate|transifex|bors|homu|copybara)\b|(?:^|[\s_-])bot\b|\bbot@|-bot\b|"
    r"\b(?:autoroll|auto-?commit)\b",
    re.IGNORECASE,
)


def subject_of(message: str) -> str:
    """The first line that says something."""
    line = _first_line(message)
    return line if len(line) <= SUBJECT_MAX else line[: SUBJECT_MAX - 1] + "…"


def is_fix(message: str) -> bool:
    """Whether the subject speaks of a fault that is mended, or the message closes an issue by its number as fixed."""
    line = _first_line(message)
    if _REVERT_SUBJECT.match(line):
        return False
    return _FIX.search(line) is not None or ("#" in message and _FIXED_ISSUE.search(message) is not None)


def reverted_ids(message: str) -> list[str]:
    """The commits that the message says to take back: whole IDs or what they begin with, in lower case."""
    if "revert" not in message.lower():
        return []
    return [(one[1] or one[2]).lower() for one in _REVERTED.finditer(message)]


def reverted_subject(message: str) -> str:
    """The subject of the commit that is taken back, where only that is said; else empty."""
    found = _REVERT_SUBJECT.match(_first_line(message))
    return "" if found is None else found[1]


def is_bot(author: str, email: str) -> bool:
    """Whether a program makes commits by this name."""
    return _BOT.search(author) is not None or _BOT.search(email) is not None


def _first_line(message: str) -> str:
    return message.lstrip().partition("\n")[0][:LINE_MAX].strip()
