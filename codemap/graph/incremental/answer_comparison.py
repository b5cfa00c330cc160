"""Compares answers of two states: equal ones get the same number, whatever numbers their definitions have.

The number of a definition covers whatever is read of one without asking a question about it: its path, its kind and
flags, and which of its parts are stated (`describe_shape`). So an answer that names a definition covers that too.

Equal parts of answers share one number (hash consing), so that comparing takes time in proportion to the distinct
parts, however often they occur, and no two different answers are taken for equal.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import assert_never

from codemap.facts import EXPR_WIDTH, Symbol
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.places import Place
from codemap.graph.model.values import (
    ContainerInstance,
    ContainerMethod,
    Definition,
    FunctionInstance,
    Instance,
    Meaning,
    ModuleObject,
    Outside,
    OutsideInstance,
    ParameterInstance,
    Receiver,
    TupleInstance,
    TypeParameter,
    Value,
)
from codemap.graph.resolve import class_members
from codemap.project import External, Module, Resolution

Path = tuple[str | int, ...]
"""A definition by its names, from itself to the outermost, and its ordinal."""


def find_path(file: GraphFile, row: int) -> Path:
    """The path of a definition of a file; that of the file itself has no names."""
    ordinal = file.cell(row, Symbol.ORDINAL)
    chain: list[str] = []
    while row > 0:
        chain.append(file.name_of(row))
        row = file.cell(row, Symbol.PARENT)
    return (*chain, ordinal)


def describe_shape(file: GraphFile, row: int) -> tuple[int, ...]:
    """Whatever is read of a definition without a question, but for `read_spelling`."""
    found = _describe_own_shape(file, row)
    parent = file.cell(row, Symbol.PARENT)
    while parent > 0:
        found += (file.cell(parent, Symbol.KIND), file.cell(parent, Symbol.FLAGS))
        parent = file.cell(parent, Symbol.PARENT)
    return found


def _describe_own_shape(file: GraphFile, row: int) -> tuple[int, ...]:
    symbols, at = file.symbols, row * Symbol.WIDTH
    value = symbols[at + Symbol.VALUE]
    return (
        symbols[at + Symbol.KIND],
        symbols[at + Symbol.FLAGS],
        symbols[at + Symbol.TYPE] >= 0,
        file.exprs[value * EXPR_WIDTH] if value >= 0 else -1,
        len(file.parameters_of.get(row, ())),
        class_members.has_members(file, row),
        row in file.mixins,
        row in file.metaclasses,
        row in file.stand_ins,
        max(file.type_parameters.get(row, (-1,))),
        row in file.generic_bases,
        file.facts.is_script,
    )


def read_spelling(file: GraphFile, row: int) -> tuple[str, ...]:
    """What is read of a definition as text without a question: its shape as a method, the names of its parameters, the
    packages of its file."""
    facts = file.facts
    own: tuple[str, ...] = (file.shapes.get(row, ""),) if facts.shapes else ()
    if file.language.has_named_arguments:
        own += tuple(file.parameter_names_of.get(row, ()))
    return (*own, *facts.packages) if file.language.scopes.declares_packages else own


class Numbers:
    """Numbers for the parts of answers: equal parts have the same one, whichever state they are from."""

    def __init__(self) -> None:
        self._number: dict[Hashable, int] = {}

    def number(self, part: Hashable) -> int:
        return self._number.setdefault(part, len(self._number))


class Answers:
    """Numbers of the answers of one evaluator; each part of an answer is looked at once."""

    def __init__(self, ev: Evaluator, numbers: Numbers) -> None:
        self._ev = ev
        self._number = numbers.number
        self._nodes: dict[int, int] = {}
        self._parents: dict[int, int] = {}
        """Node -> the number of the place of the definitions in it."""
        self._meanings: dict[int, tuple[Meaning, int, tuple[int, ...]]] = {}
        """Identity of a meaning -> it, its number, and the nodes in it."""
        self.nodes: list[int] = []
        """Nodes in the answers since it was cleared; some may be listed several times."""

    def number_meaning(self, meaning: Meaning) -> int:
        known = self._meanings.get(id(meaning))
        if known is None:
            first = len(self.nodes)
            made = self._number(("meaning", int(meaning.confidence), *map(self._number_value, meaning.values)))
            known = self._meanings[id(meaning)] = meaning, made, tuple(dict.fromkeys(self.nodes[first:]))
        else:
            self.nodes += known[2]
        return known[1]

    def number_node(self, node: int) -> int:
        self.nodes.append(node)
        known = self._nodes.get(node)
        if known is None:
            file = self._ev.file_of_node(node)
            row = node - file.base
            at = row * Symbol.WIDTH
            parent = self._number_parent(file, file.symbols[at + Symbol.PARENT])
            name = file.names[file.symbols[at]] if row else file.path
            own = (*_describe_own_shape(file, row), file.symbols[at + Symbol.ORDINAL])
            known = self._nodes[node] = self._number(("node", parent, name, own, read_spelling(file, row)))
        return known

    def _number_parent(self, file: GraphFile, row: int) -> int:
        """The number of a place: its file, the names of the definitions around it, and what is read of these."""
        node = file.base + row
        known = self._parents.get(node)
        if known is None:
            if row <= 0:
                known = self._number(file.path)
            else:
                symbols, at = file.symbols, row * Symbol.WIDTH
                around = self._number_parent(file, symbols[at + Symbol.PARENT])
                said = (symbols[at + Symbol.KIND], symbols[at + Symbol.FLAGS])
                known = self._number(("in", around, file.names[symbols[at]], said))
            self._parents[node] = known
        return known

    def number_places(self, places: Iterable[Place]) -> int:
        node_of = self._ev.definitions.node_of
        return self._number(("places", *(self.number_node(node_of(place)) for place in places)))

    def number_module(self, module: Resolution | None) -> int:
        """The number covers no other file than the first, but of a union: whoever looks into others asks by name."""
        match module:
            case Module():
                files = tuple(sorted(module.files)) if module.is_union else bool(module.files)
                return self._number(("module", module.file, module.directory, module.within, files))
            case External():
                return self._number(("external", module.package))
            case _:
                return self._number(("no module", module is None))

    def number_parts(self, parts: Iterable[str | int]) -> int:
        return self._number(("parts", *parts))

    def _number_receiver(self, receiver: Receiver) -> Hashable:
        if isinstance(receiver, Instance):
            return self._number_value(receiver)
        return ("node", self.number_node(receiver)) if isinstance(receiver, int) else receiver

    def _number_value(self, value: Value) -> Hashable:
        match value:
            case Definition():
                return (Definition, self.number_node(value.node), self._number_receiver(value.receiver))
            case Instance():
                arguments = None if value.arguments is None else tuple(map(self.number_meaning, value.arguments))
                return (Instance, self.number_node(value.node), value.is_super, arguments)
            case TypeParameter() | ParameterInstance():
                return (type(value), self.number_node(value.node), value.position)
            case ModuleObject():
                return (ModuleObject, self.number_module(value.module), value.language)
            case ContainerInstance(held) | ContainerMethod(held):
                numbers = map(self.number_meaning, (held.element, held.value, held.result))
                return (type(value), *numbers, value.name)
            case TupleInstance():
                return (TupleInstance, value.names, *map(self.number_meaning, value.parts))
            case FunctionInstance():
                parameters = map(self.number_meaning, value.parameters)
                return (FunctionInstance, *parameters, self.number_meaning(value.result))
            case Outside():
                return (Outside, value.package, value.name, value.is_of_own)
            case OutsideInstance():
                return (OutsideInstance, value.package, value.name, value.text, value.is_of_own)
            case _:
                assert_never(value)
