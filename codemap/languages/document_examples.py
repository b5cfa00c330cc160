"""Examples in documents, as data: what runs them, and how they are written."""

from __future__ import annotations

import msgspec


class DocumentExamples(msgspec.Struct, frozen=True, kw_only=True):
    runners: frozenset[str] = frozenset()
    """What may run them (`doctest`)."""
    runs: str = ""
    """A pattern of lines, the first of which names one of these, that have it run documents."""
    lines: str = ""
    """A pattern of what a line of an example begins with."""
    imports: str = ""
    """A pattern of such a line that imports packages; its group are these, with a comma between two."""
    block_runners: frozenset[str] = frozenset()
    """What runs the blocks of code in documents."""
    text_runners: frozenset[str] = frozenset()
    """Functions that run a text (`exec`)."""
