"""What annotations make tests of methods, or run them with each test of their class.

Source: JUnit 4 and 5, TestNG, kotlin.test, jqwik.
"""

from __future__ import annotations

import re
from functools import lru_cache

from codemap.facts import SymbolFlag

_CASE = re.compile(r"\w*Tests?|Test(?:Factory|Template)|Theory|Property|Example")
_HOOK = re.compile(r"(?:Before|After)\w*|(?:Class)?Rule|RegisterExtension|Override")

PROVIDERS = re.compile(r"(?:@MethodSource\(|dataProvider *=)([^()\n]*)")
"""What names the methods that give arguments to tests."""


@lru_cache(maxsize=1024)
def flags_of_annotation(name: str) -> int:
    """The flags of what has an annotation, by its name as written."""
    last = name.rpartition(".")[2]
    if _CASE.fullmatch(last):
        return int(SymbolFlag.CASE)
    return int(SymbolFlag.HOOK) if _HOOK.fullmatch(last) else 0
