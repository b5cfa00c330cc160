"""Classes that functions outside the repository make: `type(name, (Base,), members)`."""

from __future__ import annotations

from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import NOTHING, Definition, Meaning, TupleInstance, join_all


def find_made(ev: Evaluator, file: GraphFile, name: str, given: list[int]) -> Meaning:
    """The bases that a call states, as what is made of them has their members; nothing where it makes no class."""
    position = file.language.outside.class_makers.get(name, len(given))
    if position >= len(given) or given[position] < 0:
        return NOTHING
    tuples = [value for value in ev.expr(file, given[position]).values if isinstance(value, TupleInstance)]
    parts = [part for value in tuples for part in value.parts]
    return join_all([part for part in parts if any(isinstance(one, Definition) for one in part.values)])
