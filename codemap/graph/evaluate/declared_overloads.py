"""Which of several functions of a name a prototype declares: the one with the same parameters.

Source: ISO/IEC 14882:2020, 9.3.4.6 "Functions", 5; 12 "Overloading".
"""

from __future__ import annotations

from codemap.facts import Symbol
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import CLASS_KINDS, ParameterInstance, Value


def has_overloads(ev: Evaluator, file: GraphFile, row: int) -> bool:
    """Whether a file has several functions of the name of one beside each other: overloads."""
    name, parent = file.name_of(row), file.cell(row, Symbol.PARENT)
    if parent and file.cell(parent, Symbol.KIND) in CLASS_KINDS:
        return False
    number = ev.files.number_of(file)
    same = [at for other, at in ev.look_up("tops", file.language.family, name) if other == number]
    return sum(file.cell(at, Symbol.PARENT) == parent for at in same) > 1


def is_alike(ev: Evaluator, node: int, other: int) -> bool:
    """Whether two functions state the same parameters, as far as is known of their types."""
    if stated_types.evaluate_shape(ev, node) != stated_types.evaluate_shape(ev, other):
        return False
    file, file_of_other = ev.file_of_node(node), ev.file_of_node(other)
    for position in range(len(file.parameters_of.get(node - file.base, ()))):
        stated = stated_types.evaluate_parameter_type(ev, file, node - file.base, position).values
        wanted = stated_types.evaluate_parameter_type(ev, file_of_other, other - file_of_other.base, position).values
        if stated and wanted and [*map(_compared, stated)] != [*map(_compared, wanted)]:
            return False
    return True


def _compared(value: Value) -> object:
    """A value as it is held against that of another function: of its own type parameters, by their places."""
    return value.position if isinstance(value, ParameterInstance) else value
