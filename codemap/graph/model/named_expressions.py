"""Names by which source code says what an expression means, whatever is called, indexed or chosen around them."""

from __future__ import annotations

from codemap.facts import EXPR_WIDTH, Binding, FileFacts, Op, rows

_CHAIN_MAX = 100
"""Operators around a name."""


def last_name(facts: FileFacts, expr: int) -> str:
    """The last name of what an expression names, calls, indexes or applies; of one of several that it may be, which
    have one name; empty where it has none."""
    exprs = rows(facts.exprs)
    for _ in range(_CHAIN_MAX):
        if expr < 0:
            return ""
        op, first, second = exprs[EXPR_WIDTH * expr : EXPR_WIDTH * (expr + 1)].tolist()
        match op:
            case Op.CALL | Op.INSTANCE | Op.APPLY | Op.INDEX | Op.ELSE | Op.OVERLOAD:
                expr = first
            case Op.UNION:
                expr = second
            case Op.ATTR:
                return facts.names[second]
            case Op.GLOBAL | Op.LITERAL:
                return facts.names[first]
            case Op.NAME:
                return facts.names[rows(facts.bindings)[first * Binding.WIDTH + Binding.NAME]]
            case _:
                return ""
    return ""
