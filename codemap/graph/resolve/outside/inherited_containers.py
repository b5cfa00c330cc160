"""The containers outside that classes inherit from (`interface Names : IList<string>`)."""

from __future__ import annotations

from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import NOTHING, ContainerInstance, Definition, Instance, Meaning, join
from codemap.graph.resolve import generics, method_resolution_order


def find_containers(ev: Evaluator, value: Instance) -> Meaning:
    """An instance as the containers from outside that its class inherits from (`interface Names : IList<string>`)."""
    found = NOTHING
    for cls in method_resolution_order.compute_order(ev, value.node).values:
        if isinstance(cls, Definition) and (stated := find_stated_containers(ev, cls.node)).values:
            given = generics.map_arguments_above(ev, value, cls.node)
            found = join(found, generics.substitute(stated, given))
    return found


def find_stated_containers(ev: Evaluator, cls: int) -> Meaning:
    """The containers from outside that a class states as its bases, in terms of its own type parameters."""
    file = ev.file_of_node(cls)
    bases = file.generic_bases.get(cls - file.base)
    if not bases:
        return NOTHING
    return ev.ask(file, ("containers", cls), lambda: _join_containers(ev, file, [expr for expr, _ in bases]))


def _join_containers(ev: Evaluator, file: GraphFile, exprs: list[int]) -> Meaning:
    found = NOTHING
    for expr in exprs:
        stated = ev.evaluate_type(file, expr)
        held = tuple(value for value in stated.values if isinstance(value, ContainerInstance))
        found = join(found, Meaning(stated.confidence, held)) if held else found
    return found
