"""Marks the methods that tests name in strings and comments to be given their arguments: they run for tests of the
class, and no code names them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.facts import SymbolFlag

if TYPE_CHECKING:
    from codemap.fact_building.builder import Builder

_NAME = re.compile(r"\w+(?=[\"']|\Z)")


def mark_providers(b: Builder, pattern: re.Pattern[str]) -> None:
    """Marks those that a pattern finds in the text of the file; its group is one name, or quoted ones."""
    found = pattern.findall(b.chars)
    if found:
        b.flag_methods({name for text in found for name in _NAME.findall(text)}, SymbolFlag.HOOK)
