"""Runs what judges a package, a type checker or a test suite, and reduces what it prints to what can be compared."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

import msgspec

CHECK_S = 300

Outcome = tuple[tuple[str, int], ...]
"""What a check says: each complaint without its place and the names in it, and how often."""


class Check(msgspec.Struct, frozen=True):
    command: tuple[str, ...]
    inputs: frozenset[str] | None = None
    """Paths of the files that it reads; None: it may read all."""
    works: re.Pattern[str] | None = None
    """A complaint that it has of the package as it was, unless it cannot judge it."""


def difference(
    checks: Sequence[Check],
    root: Path,
    is_complaint: re.Pattern[str],
    environment: Mapping[str, str],
    changed: Set[str],
    before: Sequence[Outcome],
) -> str:
    """What the first check says that says something else than before; those that read no changed file do not run."""
    for check, said in zip(checks, before, strict=True):
        if check.inputs is None or not check.inputs.isdisjoint(changed):
            now = outcome(check, root, is_complaint, environment)
            if now != said:
                return str(sorted(set(said) ^ set(now)))
    return ""


def first_outcome(check: Check, root: Path, is_complaint: re.Pattern[str], environment: Mapping[str, str]) -> Outcome:
    """What a check says of the package as it was. Raises RuntimeError where it cannot judge it."""
    found = outcome(check, root, is_complaint, environment)
    if check.works is not None and not any(check.works.match(words) for words, _ in found):
        raise RuntimeError(f"{' '.join(check.command)} judges nothing: {found}")
    return found


def outcome(check: Check, root: Path, is_complaint: re.Pattern[str], environment: Mapping[str, str]) -> Outcome:
    complaints: Counter[str] = Counter()
    done = subprocess.run(
        check.command,
        cwd=root,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=CHECK_S,
        check=False,
    )
    for line in (done.stdout + done.stderr).splitlines():
        if match := is_complaint.match(line):
            complaints[" ".join(filter(None, match.groups()))] += 1
    complaints[f"exit {done.returncode}"] += 1
    return tuple(sorted(complaints.items()))
