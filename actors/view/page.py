"""The page as it ships: one file, made from `web/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PAGE = Path(__file__).with_name("page.html")


@cache
def page_text() -> str:
    """The whole page. Raises OSError."""
    return _PAGE.read_text(encoding="utf-8")
