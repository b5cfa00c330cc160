"""Fingerprints of answers, which do not depend on how definitions are numbered, nor on the process.

The fingerprint of a definition covers whatever is read of one without asking a question about it: where it stands, its
kind and flags, and which of its parts are stated (`shape`). So an answer that names a definition covers that too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from hashlib import blake2b
from typing import assert_never

from codemap.facts import EXPR_WIDTH, Symbol
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.model.definitions import Place
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
    ReceiverMark,
    TupleInstance,
    TypeParameter,
    Value,
)
from codemap.graph.resolve import class_members
from codemap.languages.project import External, Module, Resolution

GONE = 1
"""The fingerprint of a question that cannot be asked any more."""

Path = tuple[str | int, ...]
"""A definition by its names, from itself to the outermost, and its ordinal."""


def path_of(file: GraphFile, row: int) -> Path:
    """The path of a definition of a file; that of the file itself has no names."""
    ordinal = file.cell(row, Symbol.ORDINAL)
    chain: list[str] = []
    while row > 0:
        chain.append(file.names[file.cell(row, Symbol.NAME)])
        row = file.cell(row, Symbol.PARENT)
    return (*chain, ordinal)


def shape(file: GraphFile, row: int) -> tuple[int, ...]:
    """Whatever is read of a definition without a question, but for `spelled`."""
    found = _own_shape(file, row)
    parent = file.cell(row, Symbol.PARENT)
    while parent > 0:
        found += (file.cell(parent, Symbol.KIND), file.cell(parent, Symbol.FLAGS))
        parent = file.cell(parent, Symbol.PARENT)
    return found


def _own_shape(file: GraphFile, row: int) -> tuple[int, ...]:
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


def spelled(file: GraphFile, row: int) -> tuple[str, ...]:
    """What is read of a definition as text without a question: its shape as a method, the packages of its file."""
    facts = file.facts
    own = (file.shapes.get(row, ""),) if facts.shapes else ()
    return (*own, *facts.packages) if file.language.declares_packages else own


class Fingerprints:
    """Fingerprints of answers of one evaluator; each part of an answer is looked at once."""

    def __init__(self, ev: Evaluator) -> None:
        self._ev = ev
        self._words: dict[str, int] = {}
        self._nodes: dict[int, int] = {}
        self._parents: dict[int, int] = {}
        """Node -> the fingerprint of where what stands in it stands."""
        self._meanings: dict[int, tuple[Meaning, int, tuple[int, ...]]] = {}
        """Identity of a meaning -> it, its fingerprint, and the nodes in it."""
        self.nodes: list[int] = []
        """Nodes in the answers since it was cleared; some may stand there several times."""

    def of_meaning(self, meaning: Meaning) -> int:
        known = self._meanings.get(id(meaning))
        if known is None:
            first = len(self.nodes)
            made = hash((int(meaning.confidence), *map(self._of_value, meaning.values)))
            known = self._meanings[id(meaning)] = meaning, made, tuple(dict.fromkeys(self.nodes[first:]))
        else:
            self.nodes += known[2]
        return known[1]

    def of_node(self, node: int) -> int:
        self.nodes.append(node)
        known = self._nodes.get(node)
        if known is None:
            file = self._ev.file_of_node(node)
            row = node - file.base
            symbols, at = file.symbols, row * Symbol.WIDTH
            parent = self._of_parent(file, symbols[at + Symbol.PARENT])
            name = self._of_plain(file.names[symbols[at]]) if row else 0
            own = (*_own_shape(file, row), symbols[at + Symbol.ORDINAL])
            known = hash((parent, name, *own, *map(self._of_plain, spelled(file, row))))
            self._nodes[node] = known
        return known

    def _of_parent(self, file: GraphFile, row: int) -> int:
        """Of where a definition stands: of its file, the names of those around it, and what is read of these."""
        node = file.base + row
        known = self._parents.get(node)
        if known is None:
            if row <= 0:
                known = self._of_plain(file.path)
            else:
                symbols, at = file.symbols, row * Symbol.WIDTH
                around = self._of_parent(file, symbols[at + Symbol.PARENT])
                name = self._of_plain(file.names[symbols[at]])
                known = hash((around, name, symbols[at + Symbol.KIND], symbols[at + Symbol.FLAGS]))
            self._parents[node] = known
        return known

    def of_places(self, places: Iterable[Place]) -> int:
        node_of = self._ev.definitions.node_of
        return hash(tuple(self.of_node(node_of(place)) for place in places))

    def of_module(self, module: Resolution | None) -> int:
        """Of which files it has besides the first, nothing: who looks into it asks by name."""
        match module:
            case Module():
                return self.of_parts((module.file, module.directory, module.within, bool(module.files)))
            case External():
                return self.of_parts((module.package,))
            case _:
                return hash((module is None,))

    def of_parts(self, parts: Iterable[object]) -> int:
        """Of strings, numbers and None, in order."""
        return hash(tuple(map(self._of_plain, parts)))

    def _of_plain(self, plain: object) -> int:
        if isinstance(plain, str):
            known = self._words.get(plain)
            if known is None:
                digest = blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                known = self._words[plain] = int.from_bytes(digest, "little", signed=True)
            return known
        return int(plain) if isinstance(plain, int) else -7

    def _of_receiver(self, receiver: int | Instance | ReceiverMark | None) -> Hashable:
        """Of what a definition was reached through."""
        if isinstance(receiver, Instance):
            return self._of_value(receiver)
        return (
            self._of_plain(receiver)
            if receiver is None or isinstance(receiver, ReceiverMark)
            else self.of_node(receiver)
        )

    def _of_value(self, value: Value) -> Hashable:
        """The first number tells the kinds of values apart."""
        match value:
            case Definition():
                return (0, self.of_node(value.node), self._of_receiver(value.receiver))
            case Instance():
                arguments = tuple(map(self.of_meaning, value.arguments or ()))
                return (1, self.of_node(value.node), value.is_super, arguments)
            case ModuleObject():
                return (2, self.of_module(value.module), self._of_plain(value.language))
            case Outside():
                return (3, self._of_plain(value.package), self._of_plain(value.name))
            case OutsideInstance():
                return (4, self._of_plain(value.package), self._of_plain(value.name))
            case ContainerInstance(parts) | ContainerMethod(parts):
                held = map(self.of_meaning, (parts.element, parts.value, parts.result))
                return (5 if isinstance(value, ContainerInstance) else 7, *held, self._of_plain(value.name))
            case TupleInstance():
                return (6, *map(self.of_meaning, value.parts))
            case FunctionInstance():
                return (8, *map(self.of_meaning, value.parameters), self.of_meaning(value.result))
            case TypeParameter():
                return (9, self.of_node(value.node), self._of_plain(value.position))
            case ParameterInstance():
                return (10, self.of_node(value.node), self._of_plain(value.position))
            case _:
                assert_never(value)
