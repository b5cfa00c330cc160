"""Tables in Markdown, and the pages that they are committed in."""

from __future__ import annotations

from collections.abc import Iterable


def table_head(*columns: str) -> list[str]:
    """The first two lines of a table."""
    return [table_row(*columns), f"|{'---|' * len(columns)}"]


def table_row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def page(doc: str | None, lines: Iterable[str]) -> str:
    """A page under what the docstring of a program says: its first line is the heading."""
    title, _, text = (doc or "").partition("\n\n")
    return f"# {title.rstrip('.')}\n\n{text}\n" + "\n".join(lines) + "\n"
