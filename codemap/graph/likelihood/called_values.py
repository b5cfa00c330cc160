"""What runs when values are called."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.model.edges import CALLABLE_KINDS
from codemap.graph.model.values import Definition, Instance, Meaning, Value
from codemap.graph.resolve import class_members


def list_called(ev: Evaluator, held: Meaning) -> Iterator[int]:
    """The definitions that run when values are called."""
    for value in held.values:
        if isinstance(value, Definition):
            called: tuple[Value, ...] = (value,)
        elif isinstance(value, Instance) and not value.is_super:
            method = ev.file_of_node(value.node).language.protocols.get("call")
            called = () if method is None else class_members.find_member(ev, value, method).values
        else:
            continue
        for one in called:
            if isinstance(one, Definition) and ev.kind_of_node(one.node) in CALLABLE_KINDS:
                yield one.node
