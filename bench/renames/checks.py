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


def outcomes(
    checks: Sequence[Check],
    root: Path,
    is_complaint: re.Pattern[str],
    environment: Mapping[str, str],
    changed: Set[str] | None = None,
    before: Sequence[Outcome] = (),
) -> list[Outcome]:
    """The outcome of each check; those that read no changed file say what they said before. `changed` None: all run."""
    return [
        before[number]
        if changed is not None and check.inputs is not None and check.inputs.isdisjoint(changed)
        else _outcome(check, root, is_complaint, environment)
        for number, check in enumerate(checks)
    ]


def _outcome(check: Check, root: Path, is_complaint: re.Pattern[str], environment: Mapping[str, str]) -> Outcome:
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
