"""Errors that tests wait for: `with raises(E) as info` binds what holds the error, `info.value` is it."""

from __future__ import annotations

from codemap.facts import EXPR_WIDTH, Binding, Op
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import NOTHING, Confidence, ContainerInstance, Meaning, make_container, one

TYPE = Confidence.TYPE


def is_awaiting(file: GraphFile, callee: int) -> bool:
    """Whether an expression, which means something outside, names a function that waits for an error."""
    held = file.language.outside.held_errors
    return bool(held) and _read_name(file, callee) in held


def make_holder(file: GraphFile, callee: int, error: Meaning) -> Meaning:
    """What such a function gives: to enter it gives what holds the error."""
    name = _read_name(file, callee)
    holder = one(TYPE, make_container(NOTHING, error, NOTHING, name))
    return one(TYPE, make_container(NOTHING, error, holder, name))


def is_error(file: GraphFile | None, holder: ContainerInstance, member: str) -> bool:
    """Whether a member is the error that is held."""
    return file is not None and file.language.outside.held_errors.get(holder.name or "") == member


def _read_name(file: GraphFile, expr: int) -> str:
    """The name that an expression is or ends with; empty for any other."""
    op, a, b = file.exprs[expr * EXPR_WIDTH : expr * EXPR_WIDTH + EXPR_WIDTH].tolist()
    if op == Op.ATTR:
        return file.names[b]
    return file.names[file.bindings[a * Binding.WIDTH + Binding.NAME]] if op == Op.NAME else ""
