"""What expressions meant before an edit and mean after it, compared whatever the numbers of the definitions are.

Two answers are the same when they are of the same definitions, and nothing that these definitions say of themselves
has become different: those that did are in `Worlds.moved`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Set
from functools import partial

from codemap.facts import Binding, Decorator, Parameter, ScopeKind, Symbol, rows
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.incremental.states import State, apart_from_files
from codemap.graph.model.surface import path_of
from codemap.graph.model.values import CLASS_KINDS, Meaning, Parts, Tag, Value
from codemap.graph.resolve import bindings, import_resolution
from codemap.languages.project import Module

Question = Callable[[Evaluator, GraphFile], Meaning]

_PUBLIC = (ScopeKind.MODULE, ScopeKind.CLASS)


class _Moved(Exception):
    """An answer has a definition in it that is not what it was."""


class Worlds:
    """The state before an edit and the one after it."""

    def __init__(self, before: State, after: State, changed: Set[str]) -> None:
        """`changed` are the paths of files that have other contents, came or went."""
        self._before = before
        self._after = after
        self.moved: set[Hashable] = set()
        """Keys of definitions that say something else of themselves, and of modules that are another value."""
        self._changed = changed
        self._numbers: dict[Hashable, int] = {}
        """A number for each plain meaning, the same in both states."""
        self._plain_of: dict[tuple[bool, int], tuple[Meaning, int]] = {}
        """(whether before, identity of a meaning) -> it, and its number; as long as nothing more moves."""
        self._moved_count = 0

    @property
    def before(self) -> Evaluator:
        return self._before.evaluator

    @property
    def after(self) -> Evaluator:
        return self._after.evaluator

    def key(self, world: Evaluator, node: int) -> Hashable:
        """Stands for a definition in both states."""
        file = world.file_of_node(node)
        row = node - file.base
        if file.path in self._changed:
            return (file.path, path_of(file.names, file.symbols, row))
        return (file.path, row)

    def is_same(self, path: str, question: Question) -> bool:
        """Whether a question to an unchanged file has the answer that it had."""
        try:
            if len(self.moved) != self._moved_count:
                self._moved_count = len(self.moved)
                self._plain_of.clear()
            before = self._plain(self.before, question(self.before, self.before.files[path]))
            return before == self._plain(self.after, question(self.after, self.after.files[path]))
        except _Moved:
            return False
        except RecursionError:
            self.before.solver.reset()
            self.after.solver.reset()
            return False

    def shows_the_same(self, path: str, name: str) -> bool:
        """Whether all that an unchanged file says of a public name means what it meant."""
        return all(self.is_same(path, question) for question in _questions(self.after.files[path], name))

    def _plain(self, world: Evaluator, meaning: Meaning) -> int:
        """The number of a meaning without the numbers of definitions. Raises _Moved.

        Each part is looked at once: written out, what holds what holds itself doubles with each level.
        """
        key = (world is self.before, id(meaning))
        known = self._plain_of.get(key)
        if known is None:
            plain = (meaning.confidence, *(self._plain_value(world, value) for value in meaning.values))
            known = self._plain_of[key] = meaning, self._numbers.setdefault(plain, len(self._numbers))
        return known[1]

    def _plain_value(self, world: Evaluator, value: Value) -> Hashable:
        match value.tag:
            case Tag.SYMBOL | Tag.INSTANCE:
                return (value.tag, self._unmoved(world, value.a), self._through(world, value.b))
            case Tag.PARAMETER | Tag.ARGUMENT:
                return (value.tag, self._unmoved(world, value.a), value.b)
            case Tag.MODULE:
                assert isinstance(value.a, Module)
                if value.a.file in self.moved:
                    raise _Moved
                return Value(value.tag, apart_from_files(value.a), value.b)
            case Tag.CONTAINER | Tag.CONTAINER_METHOD:
                assert isinstance(value.a, Parts)
                held = (value.a.element, value.a.value, value.a.result)
                return (value.tag, *(self._plain(world, part) for part in held), value.b)
            case Tag.TUPLE | Tag.FUNCTION:
                assert isinstance(value.a, tuple)
                result = self._plain(world, value.b) if isinstance(value.b, Meaning) else value.b
                return (value.tag, *(self._plain(world, part) for part in value.a), result)
            case _:
                return value

    def _through(self, world: Evaluator, receiver: object) -> Hashable:
        """What stands for a receiver or for type arguments. Raises _Moved."""
        if isinstance(receiver, Value):
            return self._plain_value(world, receiver)
        if isinstance(receiver, tuple):
            return tuple(self._plain(world, part) for part in receiver)
        return self._unmoved(world, receiver)

    def _unmoved(self, world: Evaluator, node: object) -> Hashable:
        """The key of a node; what is none as it is. Raises _Moved."""
        if not isinstance(node, int):
            return node
        key = self.key(world, node)
        if key in self.moved:
            raise _Moved
        return key


def _questions(file: GraphFile, name: str) -> list[Question]:
    """Whatever others may come to ask of a public name."""
    asked: list[Question] = []
    for row in range(1, file.symbol_count):
        if file.names[file.cell(row, Symbol.NAME)] == name:
            asked += _of_symbol(file, row)
    for binding in range(len(file.bindings) // Binding.WIDTH):
        at = binding * Binding.WIDTH
        if file.names[file.bindings[at]] == name and file.bindings[at + Binding.SCOPE] in _PUBLIC:
            asked += [partial(_bound, binding), partial(_bound_value, binding), partial(_held, binding)]
    exported = file.export_rows.get(name)
    if exported is not None:
        asked.append(partial(_exported, exported))
    return asked


def _of_symbol(file: GraphFile, row: int) -> list[Question]:
    """What is asked of a definition; of a class, also what is asked of the methods that calling it runs."""
    asked = _of_row(file, row)
    if file.cell(row, Symbol.KIND) in CLASS_KINDS:
        run = (*file.language.constructors, *file.language.allocators)
        for child in range(row + 1, file.symbol_count):
            if file.cell(child, Symbol.PARENT) == row and file.names[file.cell(child, Symbol.NAME)] in run:
                asked += _of_row(file, child)
    return asked


def _of_row(file: GraphFile, row: int) -> list[Question]:
    exprs = [file.cell(row, Symbol.TYPE), file.cell(row, Symbol.VALUE)]
    for table, width, column in (
        (file.parameters, Parameter.WIDTH, Parameter.TYPE),
        (rows(file.facts.decorators), Decorator.WIDTH, Decorator.EXPR),
    ):
        exprs += [table[at + column] for at in range(0, len(table), width) if table[at] == row]
    asked: list[Question] = []
    for expr in exprs:
        if expr >= 0:
            asked += [partial(_denoted, expr), partial(_read, expr), partial(_admitted, expr)]
    return asked


def _denoted(expr: int, world: Evaluator, file: GraphFile) -> Meaning:
    return world.expr(file, expr)


def _read(expr: int, world: Evaluator, file: GraphFile) -> Meaning:
    return world.value_of(world.expr(file, expr))


def _admitted(expr: int, world: Evaluator, file: GraphFile) -> Meaning:
    return world.evaluate_type(file, expr)


def _bound(binding: int, world: Evaluator, file: GraphFile) -> Meaning:
    return world.binding(file, binding)


def _bound_value(binding: int, world: Evaluator, file: GraphFile) -> Meaning:
    return world.value_of(world.binding(file, binding))


def _held(binding: int, world: Evaluator, file: GraphFile) -> Meaning:
    return bindings.evaluate_sources(world, file, world.sources(file, binding))


def _exported(row: int, world: Evaluator, file: GraphFile) -> Meaning:
    return import_resolution.resolve_export(world, file, row)
