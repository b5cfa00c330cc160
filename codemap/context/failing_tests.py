"""Finds the names of failing tests in the output of their runners, where it says them without a place.

Sources: what is printed by `go test`, `cargo test`, PHPUnit, Surefire, Gradle, `dotnet test`, GoogleTest,
unittest and Minitest.
"""

from __future__ import annotations

import re

TESTS_MAX = 20
_FORMS = (
    r"^\s*--- FAIL: (\w+)",
    r"^test ([\w:]+) \.\.\. FAILED$",
    r"^---- ([\w:]+) stdout ----$",
    r"^\d+\) (?:\w+\\)*(\w+::\w+)",
    r"^\[ERROR\] +(?:\w+\.)*?(\w+\.\w+)(?::\d+| -- Time elapsed|  Time elapsed)",
    r"^(\w+ > \w+)\(.*\) FAILED$",
    r"^ *Failed (?:\w+\.)*?(\w+\.\w+)(?:\(.*\))? \[",
    r"^\[  FAILED  \] (\w+\.\w+)",
    r"^(?:FAIL|ERROR): (\w+) \(",
    r"^(?:\w+::)*(\w+#test_\w+)",
)
_FAILED = re.compile("|".join(_FORMS), re.MULTILINE)
_BETWEEN = re.compile(r"::|#| > ")


def failing_tests(text: str) -> list[str]:
    """Their names with dots, at most two words of each: `StoreTest.takes`."""
    found = (next(filter(None, match.groups())) for match in _FAILED.finditer(text))
    return list(dict.fromkeys(".".join(_BETWEEN.sub(".", name).split(".")[-2:]) for name in found))[:TESTS_MAX]
