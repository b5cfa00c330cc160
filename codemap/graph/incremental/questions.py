"""The questions by which the binding of a file depends on other files.

Everything that evaluation reads of another file, it reads through one of these. The evaluator notes who asks
(`Evaluator.ask`, `Evaluator.note`), as a key that holds numbers of definitions; recorded, a question names its file and
its row there, so that it can be asked again of another state.

Rules of the file:
- A question of a definition or of a file is *owned* by that file: it is answered in the file's own terms, and what it
  asks of third files is noted there. One that belongs to no single file (all definitions of a name) has no owner, or,
  where it asks others in turn, is an owner itself.
- Whatever is read of a definition without a question is part of its fingerprint (`fingerprints.shape`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.evaluate.fixpoint import Nobody
from codemap.graph.incremental.fingerprints import GONE, Fingerprints, Path, path_of
from codemap.graph.model.records import LISTS, OWNERS, Question
from codemap.graph.model.values import Definition, Instance, Meaning, ParameterInstance, ReceiverMark
from codemap.graph.resolve import (
    calls,
    class_members,
    extension_methods,
    generics,
    implicit_interfaces,
    import_resolution,
    members,
    method_resolution_order,
    partial_definitions,
    protocols,
    stated_types,
    stored_values,
    type_expressions,
    unbound_names,
)
from codemap.languages import by_name
from codemap.languages.project import Module


def question_of(ev: Evaluator, key: tuple[object, ...]) -> Question:
    """The question that a key of the evaluator stands for."""
    kind, about, *rest = key
    if isinstance(kind, int):  # a member: see `class_members.find_member`
        through, is_symbol, name = key[1:]
        file = ev.file_of_node(kind)
        return Question("member", file.path, kind - file.base, str(name), (_steady(ev, through), is_symbol))
    assert isinstance(kind, str)
    if kind in LISTS:
        return Question(kind, None, -1, str(rest[0]), about)
    if kind == "child":
        return Question(kind, None, -1, str(rest[1]), (about, rest[0]))
    if kind in OWNERS:
        return Question(kind, key, -1, str(key[-1]), key[1:-1])
    node = about
    assert isinstance(node, int)
    if kind == "arguments":
        rest = [_steady(ev, rest[0])]
    file = ev.file_of_node(node)
    name = str(rest.pop(0)) if rest and isinstance(rest[0], str) else ""
    return Question(kind, file.path, node - file.base, name, tuple(rest))


def _steady(ev: Evaluator, node: object) -> object:
    """A node by path and names; what is none as it is."""
    if not isinstance(node, int):
        return node
    file = ev.file_of_node(node)
    return (file.path, *path_of(file, node - file.base))


class Answer(NamedTuple):
    fingerprint: int
    nodes: tuple[int, ...]
    """Of the definitions in it."""


class Asker:
    """Asks recorded questions of one state."""

    def __init__(self, ev: Evaluator) -> None:
        self.ev = ev
        self._prints = Fingerprints(ev)
        self._rows: dict[str, dict[Path, int]] = {}

    def answer_known(self, key: tuple[object, ...], question: Question) -> Answer:
        """The answer to a question that was asked of this state by a key of the evaluator."""
        ev = self.ev
        memo: Mapping[Any, object] = ev.members if isinstance(key[0], int) else ev.cells
        found = memo.get(key)
        if not isinstance(found, Meaning):
            return self.answer(question)
        nodes = self._prints.nodes
        nodes.clear()
        return Answer(self._prints.of_meaning(found), tuple(nodes))

    def answer(self, question: Question) -> Answer:
        """The answer to a question now."""
        ev = self.ev
        ev.solver.frame = Nobody()
        self._prints.nodes.clear()
        try:
            found = self._answer(question)
        except RecursionError:
            ev.solver.reset()
            return Answer(GONE, ())
        fingerprint = self._prints.of_meaning(found) if isinstance(found, Meaning) else found
        return Answer(fingerprint, tuple(self._prints.nodes))

    def _answer(self, question: Question) -> Meaning | int:
        kind, owner, row, name, how = question
        if kind in LISTS:
            return self._listed(kind, str(how), name)
        if kind in OWNERS or kind == "child":
            return self._elsewhere(kind, name, how)
        file = self.ev.files.get(owner) if isinstance(owner, str) else None
        if file is None or not 0 <= row < file.symbol_count:
            return GONE
        assert isinstance(how, tuple)
        if kind in _PLAIN:
            return _PLAIN[kind](self.ev, file.base + row)
        if kind in _NAMED:
            return _NAMED[kind](self.ev, file, row, name)
        if kind in ("member", "arguments"):
            return self._through(kind, file.base + row, name, how)
        return self._other(kind, file, row, name, how)

    def _listed(self, kind: str, family: str, name: str) -> int:
        if kind == "extensions":
            return self._prints.of_places(extension_methods.find_named(self.ev, family, name))
        return self._prints.of_places(getattr(self.ev.definitions, kind)(family, name))

    def _elsewhere(self, kind: str, name: str, how: object) -> Meaning | int:
        ev = self.ev
        assert isinstance(how, tuple)
        if kind == "child":
            language, directory = how
            resolver = ev.resolvers.get(language)
            return self._prints.of_module(None if resolver is None else resolver.child(Module(None, directory), name))
        if kind == "added":
            language, outside = how
            return members.find_added(ev, by_name()[language], outside, name)
        if kind == "anywhere":
            return unbound_names.find_anywhere(ev, by_name()[how[0]], name)
        family, is_top, full = how
        return partial_definitions.find_first(ev, family, name, full, is_top=is_top)

    def _through(self, kind: str, node: int, name: str, how: tuple[object, ...]) -> Meaning | int:
        """What is asked of a class as seen from another."""
        other = how[0]
        if isinstance(other, tuple):
            other = self._node(other)
            if other is None:
                return GONE
        if kind == "arguments":
            assert isinstance(other, int)
            return generics.evaluate_arguments(self.ev, node, other)
        return class_members.find_member(self.ev, _member_of(node, other, is_symbol=bool(how[1])), name)

    def _node(self, steady: tuple[object, ...]) -> int | None:
        path, *names = steady
        assert isinstance(path, str)
        file = self.ev.files.get(path)
        if file is None:
            return None
        rows = self._rows.get(path)
        if rows is None:
            rows = self._rows[path] = {path_of(file, row): row for row in range(file.symbol_count - 1, -1, -1)}
        row = rows.get(tuple(names))  # type: ignore[arg-type]
        return None if row is None else file.base + row

    def _other(self, kind: str, file: GraphFile, row: int, name: str, how: tuple[object, ...]) -> Meaning | int:
        ev, node = self.ev, file.base + row
        match kind, how:
            case "wanted", (int() as position,):
                return (
                    stated_types.evaluate_parameter_type(ev, file, row, position)
                    if position < len(file.parameters_of.get(row, ()))
                    else GONE
                )
            case "offered", (None | str() as directory, str() as language):
                if language not in ev.resolvers:
                    return GONE
                return import_resolution.find_module_member(ev, Module(file.path, directory), name, language)
            case "stands for", (None | int() as which,):
                return generics.evaluate_bound(ev, ParameterInstance(node, which))
            case "methods", _:
                found = implicit_interfaces.collect_methods(ev, node)
                said = (word for pair in sorted(found.shapes.items()) for word in pair)
                return self._prints.of_parts((*said, *sorted(found.hidden_in), found.is_open))
            case "space", _:
                return self._prints.of_parts(implicit_interfaces.collect_own_methods(file, row))
            case "seen", _:
                return self._prints.of_places(unbound_names.find_included(ev, file, name))
            case "packages", _:
                return self._prints.of_parts(file.facts.packages)
            case _:
                raise AssertionError(kind)


def _member_of(node: int, through: object, *, is_symbol: bool) -> Definition | Instance:
    """Of what a member was asked, by the key of the evaluator."""
    if not is_symbol:
        return Instance(node, is_super=through == class_members.SUPER)
    assert through is None or isinstance(through, int | ReceiverMark)
    return Definition(node, through)


_PLAIN: Mapping[str, Callable[[Evaluator, int], Meaning]] = {
    "held": stored_values.evaluate_held,
    "alias": stored_values.evaluate_alias,
    "result": calls.evaluate_function,
    "order": method_resolution_order.compute_order,
    "bases": method_resolution_order.evaluate_bases,
    "bases of part": method_resolution_order.evaluate_bases_of_part,
    "metaclass": class_members.evaluate_metaclass,
    "stated": stated_types.evaluate_stated_type,
    "made": type_expressions.evaluate_made,
    "type parameters": generics.find_parameters_of_bases,
    "admitted": stated_types.evaluate_assigned_type,
    "meant": partial_definitions.resolve_symbol_of,
    "given": unbound_names.evaluate_given,
    "fields": protocols.find_fields,
    "own fields": protocols.find_own_fields,
    "module value": import_resolution.evaluate_module_value,
}
_NAMED: Mapping[str, Callable[[Evaluator, GraphFile, int, str], Meaning]] = {
    "star": import_resolution.resolve_starred_in,
    "public": import_resolution.find_public,
    "bound": Evaluator.evaluate_name,
}
