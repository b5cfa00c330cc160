"""Operators: each runs the method of its name.

Which one is undecided, as of any call, where nothing is known of the value.

Source: the Ruby documentation, "Operators" of "Methods".
"""

from __future__ import annotations

from codemap.fact_building.builder import NONE
from codemap.facts import UseRole
from codemap.languages.ruby.walk import Walk

UNARY = {"-": "-@", "+": "+@", "~": "~", "!": "!"}
"""Operator before a value -> its method."""


def operate(w: Walk, of: int, sign: str, at: int) -> None:
    """An operator on a value; on a literal it runs what is built in."""
    if of == NONE or not w.b.is_display(of):
        w.use(UseRole.CALL, w.member(of, sign), at)
