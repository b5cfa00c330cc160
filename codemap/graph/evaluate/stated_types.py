"""The types that definitions state, in the terms of the file that has the definition."""

from __future__ import annotations

import re

from codemap.facts import Base, Op, Symbol, SymbolFlag
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import NOTHING, Confidence, Meaning, OutsideInstance, one
from codemap.languages.language import Language

_CONSTANT = re.compile(r"\)[^()]*\bconst\b[^()]*\Z")


def evaluate_stated_type(ev: Evaluator, node: int) -> Meaning:
    """The values that the stated type of a symbol admits, which may be one of another file."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("stated", node), lambda: ev.evaluate_type(file, file.cell(node - file.base, Symbol.TYPE)))


def evaluate_assigned_type(ev: Evaluator, node: int) -> Meaning:
    """The values that what is assigned to a symbol admits, as a type."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("admitted", node), lambda: ev.evaluate_type(file, file.cell(node - file.base, Symbol.VALUE)))


def evaluate_shape(ev: Evaluator, node: int) -> Meaning:
    """How many parameters a function has, and whether it is for constant objects: a value named after both."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("shape", node), lambda: _evaluate_shape(file, node - file.base))


def _evaluate_shape(file: GraphFile, row: int) -> Meaning:
    text = file.cell(row, Symbol.SIGNATURE)
    signature = file.facts.texts[text] if text >= 0 else ""
    is_constant = _CONSTANT.search(signature) is not None
    count = len(file.parameters_of.get(row, ()))
    return one(Confidence.EXACT, OutsideInstance("", f"{count}{' const' if is_constant else ''}"))


def evaluate_parameter_type(ev: Evaluator, file: GraphFile, row: int, position: int) -> Meaning:
    """The values that the stated type of a parameter admits."""
    if ev.solver.frame is file:
        return ev.evaluate_type(file, file.parameters_of[row][position])
    key = ("wanted", file.base + row, position)
    return ev.ask(file, key, lambda: ev.evaluate_type(file, file.parameters_of[row][position]))


def evaluate_receiver(ev: Evaluator, node: int) -> Meaning:
    """The values that an extension is called on, where it states a type for them."""
    file = ev.file_of_node(node)
    stated = file.base_rows.get(node - file.base, ())
    expr = file.bases[stated[0] * Base.WIDTH + Base.EXPR] if stated else -1
    return ev.ask(file, ("receiver", node), lambda: ev.evaluate_type(file, expr))


def evaluate_generic_receiver(ev: Evaluator, node: int) -> Meaning:
    """The values that an extension is called on, in terms of its type parameters, where it has some."""
    file = ev.file_of_node(node)
    stated = file.base_rows.get(node - file.base, ())
    expr = file.bases[stated[-1] * Base.WIDTH + Base.EXPR] if stated else -1
    return ev.ask(file, ("generic receiver", node), lambda: ev.evaluate_type(file, expr))


def is_passed_receiver(caller: Language, owner: GraphFile, row: int) -> bool:
    """Whether calls in a language pass the receiver of an extension as its first argument, as those cannot be called
    on it there."""
    is_extension = owner.language.extends_any and owner.cell(row, Symbol.FLAGS) & SymbolFlag.EXTENSION
    return bool(is_extension) and not caller.extends_any


def evaluate_pointed(ev: Evaluator, node: int) -> Meaning:
    """What a symbol points to, or has elements of, that states a pointer or an array; nothing of other symbols."""
    file = ev.file_of_node(node)
    key = ("pointer", node)
    return ev.ask(file, key, lambda: _evaluate_pointed_type(ev, file, file.cell(node - file.base, Symbol.TYPE)))


def evaluate_pointed_type(ev: Evaluator, file: GraphFile, row: int, position: int) -> Meaning:
    """What a parameter points to that states a pointer or an array; nothing of other parameters."""
    key = ("pointed", file.base + row, position)
    return ev.ask(file, key, lambda: _evaluate_pointed_type(ev, file, file.parameters_of[row][position]))


def _evaluate_pointed_type(ev: Evaluator, file: GraphFile, expr: int) -> Meaning:
    return ev.evaluate_type(file, expr) if expr >= 0 and file.exprs[expr * 3] == Op.ADDRESS else NOTHING
