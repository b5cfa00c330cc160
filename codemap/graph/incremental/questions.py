"""The questions by which the binding of a file depends on other files.

Everything that evaluation reads of another file, it reads through one of these. The evaluator notes who asks
(`Evaluator.ask`, `Evaluator.note`); after an edit, a question is asked again of the states before and after it.

Rules of the file:
- A question of a definition or of a file is *owned* by that file: it is answered in the file's own terms, and what it
  asks of third files is noted there. One that belongs to no single file (all definitions of a name) has no owner, or,
  where it asks others in turn, is an owner itself.
- Whatever is read of a definition without a question is part of its number in answers: see `describe_shape`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from codemap.graph.evaluate import specializations, stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.evaluate.fixpoint import Nobody
from codemap.graph.incremental.answer_comparison import Answers, Numbers
from codemap.graph.model.records import GONE, LISTS, NO_NODE, Form
from codemap.graph.model.values import Definition, Instance, Meaning, ReceiverMark
from codemap.graph.resolve import (
    calls,
    class_members,
    extension_methods,
    generics,
    implicit_interfaces,
    import_resolution,
    method_resolution_order,
    partial_definitions,
    protocols,
    stored_values,
    type_expressions,
    unbound_names,
)
from codemap.graph.resolve.operations import nameless_functions, operator_functions
from codemap.graph.resolve.outside import added_members, ambient_definitions, inherited_containers, outside_bases
from codemap.languages import by_name
from codemap.project import Module


class Question(NamedTuple):
    """A recorded question in the numbers of one state; see `records`."""

    form: Form
    node: int
    name: str
    other: int


class Asker:
    """Asks recorded questions of one state."""

    def __init__(self, ev: Evaluator, numbers: Numbers) -> None:
        """Answers that are the same have the same number of `numbers`, of whichever state they are."""
        self.ev = ev
        self._answers = Answers(ev, numbers)
        self._numbers = numbers

    @property
    def nodes(self) -> Sequence[int]:
        """The definitions in the last answer; some may be listed several times."""
        return self._answers.nodes

    def answer(self, question: Question) -> int | None:
        """The number of the answer; None where none is found out."""
        ev = self.ev
        ev.solver.frame = Nobody()
        self._answers.nodes.clear()
        try:
            found = self._answer(question)
        except RecursionError:
            ev.solver.reset()
            return None
        return self._answers.number_meaning(found) if isinstance(found, Meaning) else found

    def _answer(self, question: Question) -> Meaning | int:
        kind, *how = question.form
        assert isinstance(kind, str)
        node, name = question.node, question.name
        if node == NO_NODE:
            return self._listed(kind, how[0], name) if kind in LISTS else self._elsewhere(kind, how, name)
        if node == GONE:
            return self._numbers.number("gone")
        if kind in _PLAIN:
            return _PLAIN[kind](self.ev, node)
        file = self.ev.file_of_node(node)
        if kind in _NAMED:
            return _NAMED[kind](self.ev, file, node - file.base, name)
        return self._other(kind, file, question, how)

    def _listed(self, kind: str, family: object, name: str) -> int:
        assert isinstance(family, str)
        if kind == "extensions":
            return self._answers.number_places(extension_methods.find_named(self.ev, family, name))
        return self._answers.number_places(getattr(self.ev.definitions, kind)(family, name))

    def _elsewhere(self, kind: str, how: Sequence[object], name: str) -> Meaning | int:
        ev = self.ev
        match kind, how:
            case "child", (str() as language, None | str() as directory):
                resolver = ev.resolvers.get(language)
                child = None if resolver is None else resolver.child(Module(None, directory), name)
                return self._answers.number_module(child)
            case "added", (str() as language, str() as outside):
                return added_members.find_added(ev, by_name()[language], outside, name)
            case "anywhere", (str() as language,):
                return unbound_names.find_anywhere(ev, by_name()[language], name)
            case "ambient", (str() as language,):
                return ambient_definitions.find_ambient(ev, by_name()[language], name)
            case "first", (str() as family, bool() as is_top, int() as length, int() as count):
                last = name[len(name) - length :]
                return partial_definitions.find_first(ev, family, last, name, count, is_top=is_top)
            case _:
                raise AssertionError(kind)

    def _other(self, kind: str, file: GraphFile, question: Question, how: Sequence[object]) -> Meaning | int:
        ev, node, name, row = self.ev, question.node, question.name, question.node - file.base
        match kind, how:
            case "member", (None | str() as mark, bool() as is_symbol):
                owner = _owner_of_member(question, mark, is_symbol=is_symbol)
                return class_members.find_member(ev, owner, name)
            case "arguments", ():
                return generics.evaluate_arguments(ev, node, question.other)
            case "wanted", (int() as position,):
                if position >= len(file.parameters_of.get(row, ())):
                    return self._numbers.number("gone")
                return stated_types.evaluate_parameter_type(ev, file, row, position)
            case "pointed", (int() as position,):
                if position >= len(file.parameters_of.get(row, ())):
                    return self._numbers.number("gone")
                return stated_types.evaluate_pointed_type(ev, file, row, position)
            case "offered", (None | str() as directory, str() as language):
                if language not in ev.resolvers:
                    return self._numbers.number("gone")
                return import_resolution.find_module_member(ev, Module(file.path, directory), name, language)
            case "stands for", (None | int() as which,):
                return generics.evaluate_stated_bound(ev, node, which)
            case "methods", ():
                found = implicit_interfaces.collect_methods(ev, node)
                said = (word for pair in sorted(found.shapes.items()) for word in pair)
                return self._answers.number_parts((*said, "", *sorted(found.hidden_in), found.is_open))
            case "space", ():
                return self._answers.number_parts(implicit_interfaces.collect_own_methods(file, row))
            case "seen", ():
                return self._answers.number_places(unbound_names.find_included(ev, file, name))
            case "packages", ():
                return self._answers.number_parts(file.facts.packages)
            case _:
                raise AssertionError(kind)


def _owner_of_member(question: Question, mark: str | None, *, is_symbol: bool) -> Definition | Instance:
    """What a question asks for a member, from the key that `class_members.find_member` made of it."""
    if not is_symbol:
        return Instance(question.node, is_super=mark == class_members.SUPER)
    if question.other != NO_NODE:
        return Definition(question.node, question.other)
    return Definition(question.node, None if mark is None else ReceiverMark(mark))


_PLAIN: Mapping[str, Callable[[Evaluator, int], Meaning]] = {
    "held": stored_values.evaluate_variable,
    "assigned": stored_values.evaluate_assigned,
    "nameless": nameless_functions.evaluate_nameless,
    "alias": stored_values.evaluate_alias,
    "aliased": stored_values.evaluate_aliased,
    "result": calls.evaluate_function,
    "order": method_resolution_order.compute_order,
    "bases": method_resolution_order.evaluate_bases,
    "bases of part": method_resolution_order.evaluate_bases_of_part,
    "parameter bases": method_resolution_order.find_parameter_bases_of_part,
    "metaclass": class_members.evaluate_metaclass,
    "stated": stated_types.evaluate_stated_type,
    "pointer": stated_types.evaluate_pointed,
    "specialized": specializations.evaluate_specialized,
    "shape": stated_types.evaluate_shape,
    "made": type_expressions.evaluate_made,
    "type parameters": generics.find_parameters_of_bases,
    "admitted": stated_types.evaluate_assigned_type,
    "meant": partial_definitions.resolve_symbol_of,
    "given": unbound_names.evaluate_given,
    "fields": protocols.find_fields,
    "elements": protocols.find_elements,
    "containers": inherited_containers.find_stated_containers,
    "own fields": protocols.find_own_fields,
    "module value": import_resolution.evaluate_module_value,
    "outside bases": outside_bases.find_outside_bases,
    "abstract": method_resolution_order.find_abstract_methods,
    "receiver": stated_types.evaluate_receiver,
    "generic receiver": stated_types.evaluate_generic_receiver,
    "augments": ambient_definitions.resolve_augmented,
}
_NAMED: Mapping[str, Callable[[Evaluator, GraphFile, int, str], Meaning]] = {
    "star": import_resolution.resolve_starred_in,
    "public": import_resolution.find_public,
    "bound": Evaluator.evaluate_name,
    "operators": lambda ev, file, row, name: operator_functions.find_operators(ev, file.base + row, name),
}
