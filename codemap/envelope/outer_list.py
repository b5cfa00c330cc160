"""A top-level list of a payload as one page shows it, with the entries that continue elements of earlier pages.

Where an element was shown with some rows of its inner lists, later pages bring the rest of these in continuation
entries: the members that identify the element, a mark, and the rows.
"""

from __future__ import annotations

from typing import Any

import msgspec

from codemap.envelope.answer import CutList
from codemap.envelope.cursor import Offset, Window
from codemap.envelope.lists import elements_of, rebuild_list

CONTINUED = "continued"
"""Member that marks a continuation entry."""


class OuterList(msgspec.Struct):
    cut: CutList
    inner: list[CutList]
    """Lists of its elements that the cursor continues."""
    parent: dict[str, Any]
    length: int
    """Elements on all pages."""
    begin: Offset
    rows: int = 0
    """Inner elements of the continuation entries of this page."""

    @property
    def beyond(self) -> int:
        """Elements after this page, whatever its budget."""
        shown = 0 if self.begin.window else self.cut.page or self.length
        return max(0, self.length - self.begin.shown - shown)

    def continue_window(self, elements: list[Any], window: Window) -> list[dict[str, Any]]:
        """Continuation entries for what is left of the window, one for each inner list of each element."""
        entries = []
        skip = window.rows
        for element in elements[window.start : self.begin.shown]:
            if not isinstance(element, dict):
                continue
            for cut, cap in zip(self.inner, window.caps, strict=True):
                if not isinstance(element.get(cut.path[-1]), dict if cut.is_grouped else list):
                    continue
                rows = elements_of(cut, element)
                left = rows[cap + skip :]
                skip = max(0, skip - len(rows[cap:]))
                if left:
                    key = {name: element[name] for name in self.cut.key if name in element}
                    entries.append({**key, CONTINUED: True, cut.path[-1]: rebuild_list(cut, left)})
        return entries


def row_member(entry: dict[str, Any]) -> str:
    """The member of a continuation entry that holds its rows: the last."""
    return next(reversed(entry))
