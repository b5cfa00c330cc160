"""What runs when values are called, whether a type says that, and what is called by its name."""

from __future__ import annotations

from collections.abc import Iterator

from codemap.facts import EXPR_WIDTH, TRIPLE, Binding, Op, SourceKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.edges import CALLABLE_KINDS
from codemap.graph.model.values import ContainerInstance, Definition, Instance, Meaning, TupleInstance, Value
from codemap.graph.resolve import class_members
from codemap.graph.resolve.generics import list_parts
from codemap.graph.resolve.outside.unknown_receivers import is_of_held
from codemap.mangled_names import demangle

_ATTR, _NAME = int(Op.ATTR), int(Op.NAME)
_CONTAINERS = (ContainerInstance, TupleInstance)


_DEPTH_MAX = 2
"""Containers in containers that are looked into."""


def says_only_callable(file: GraphFile, stated: Meaning, depth: int = 0) -> bool:
    """Whether a type says of some value, or of what a container or tuple has in it, no more than that it can be
    called."""
    for value in stated.values:
        if is_of_held(file, Meaning(stated.confidence, (value,))):
            return True
        if value.__class__ in _CONTAINERS and depth < _DEPTH_MAX:
            parts = list_parts(value)
            if any(part.values and says_only_callable(file, part, depth + 1) for part in parts):
                return True
    return False


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


def find_name(file: GraphFile, expr: int) -> tuple[str, bool]:
    """The name of what is called, and whether an element of that is."""
    exprs, at, is_element = file.exprs, expr * EXPR_WIDTH, False
    while exprs[at] in (int(Op.INDEX), int(Op.ITER), int(Op.ITEM), int(Op.CALL)):
        at, is_element = exprs[at + 1] * EXPR_WIDTH, True
    if exprs[at] == _ATTR:
        return demangle(file.names[exprs[at + 2]]), is_element
    if exprs[at] == _NAME and (member := _read_member(file, exprs[at + 1])):
        return member, is_element
    if exprs[at] == _NAME:
        return file.names[file.bindings[exprs[at + 1] * Binding.WIDTH + Binding.NAME]].rpartition(".")[2], is_element
    return "", False


def _read_member(file: GraphFile, binding: int) -> str:
    """The name of the member whose value is all that a variable is assigned; empty where there is none."""
    first, count = file.bindings[binding * Binding.WIDTH + Binding.FIRST :][: Binding.COUNT - Binding.FIRST + 1]
    kind, a, _ = TRIPLE.unpack_from(file.facts.sources, first * TRIPLE.size)
    is_member = count == 1 and kind == SourceKind.VALUE and a >= 0 and file.exprs[a * EXPR_WIDTH] == _ATTR
    return demangle(file.names[file.exprs[a * EXPR_WIDTH + 2]]) if is_member else ""
