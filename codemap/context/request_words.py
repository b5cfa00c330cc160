"""Leaves out the words by which a task asks for something: of "add a new converter for dates" the converter is what is
looked for, and what is called `add` is not.

Source: Conventional Commits 1.0.0 for `feat(scope)!: …`.
"""

from __future__ import annotations

import re

_VERBS = """
add allow change create enable ensure fix handle implement improve introduce make prevent provide refactor simplify
support update use write
"""
_VERB = "|".join(_VERBS.split())
_TYPE = "build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|tests?"
_ASKED = re.compile(
    rf"\s*(?:(?:{_TYPE})(?:\((?P<scope>[^()\n]*)\))?!?: *)?"
    rf"(?:(?:please|we should|should|let's) +)?(?:(?:{_VERB})(?:e?s|e?d|ing)?\b *)?"
    r"(?:(?:an?|the|some|more|new|support for|option to|ability to)\b *)*",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
WORDS_MIN = 2
"""A request with fewer other words is about its verb, too."""


def leave_out_request(task: str) -> str:
    """The task without its first words where they only say that something is wanted; the scope of a commit stays."""
    asked = _ASKED.match(task)
    if asked is None or not asked[0].strip():
        return task
    rest = task[asked.end() :]
    return f"{asked['scope'] or ''} {rest}" if len(_WORD.findall(rest)) >= WORDS_MIN else task
