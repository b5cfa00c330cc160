"""What is asked for: names that a corpus really has, picked in a way that is the same each time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_DEFINED = re.compile(rb"^[ \t]*(?:export )?(?:async )?(?:class|def|function|interface) ([A-Za-z]\w{3,})", re.MULTILINE)


def defined_names(root: Path, paths: Iterable[str]) -> list[str]:
    """Names that stand behind a defining keyword in these files, each once, sorted."""
    found = {name.decode() for path in paths for name in _DEFINED.findall((root / path).read_bytes())}
    return sorted(found)


def spread(values: Sequence[str], count: int) -> list[str]:
    """At most `count` of the values, evenly spaced."""
    if len(values) <= count:
        return list(values)
    return [values[place * len(values) // count] for place in range(count)]


def inexact(names: Sequence[str]) -> list[str]:
    """For each name in turn: its first half, two of its words, or the name with a letter left out."""
    return [_FORMS[place % len(_FORMS)](name) for place, name in enumerate(names)]


def questions(names: Sequence[str]) -> list[str]:
    """For each name a question of four words or so: those of two names, which no definition need have together."""
    others = [*names[len(names) // 2 :], *names[: len(names) // 2]]
    return [f"{_words(name)} {_words(other)}" for name, other in zip(names, others, strict=True)]


def _prefix(name: str) -> str:
    return name[: max(2, len(name) // 2)]


def _words(name: str) -> str:
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)
    return " ".join(words[:2]).lower() if len(words) > 1 else name


def _typo(name: str) -> str:
    middle = len(name) // 2
    return name[:middle] + name[middle + 1 :]


_FORMS = (_prefix, _words, _typo)
