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

from codemap.graph.incremental.fingerprints import GONE, Fingerprints, Path, path_of
from codemap.graph.model.records import LISTS, OWNERS, Question
from codemap.graph.model.values import Meaning, Tag, Value
from codemap.graph.resolve import classes, extensions, generics, linkage, operate, shared, stand_ins, structural, typed
from codemap.graph.resolve.evaluate import Evaluator
from codemap.graph.resolve.files import GraphFile
from codemap.graph.resolve.solve import Nobody
from codemap.languages import by_name
from codemap.languages.project import Module


def question_of(ev: Evaluator, key: tuple[object, ...]) -> Question:
    """The question that a key of the evaluator stands for."""
    kind, about, *rest = key
    if isinstance(kind, int):  # a member: see `classes.member`
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


class Asker:
    """Asks recorded questions of one state."""

    def __init__(self, ev: Evaluator) -> None:
        self.ev = ev
        self._prints = Fingerprints(ev)
        self._rows: dict[str, dict[Path, int]] = {}

    def fingerprint(self, question: Question) -> int:
        """Of the answer to a question now."""
        ev = self.ev
        ev.solver.frame = Nobody()
        try:
            found = self._answer(question)
        except RecursionError:
            ev.solver.reset()
            return GONE
        return self._prints.of_meaning(found) if isinstance(found, Meaning) else found

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
        if kind == "guess":
            return self._prints.of_parts(self.ev.definitions.outcome(family, name))
        if kind == "extensions":
            return self._prints.of_places(extensions.named(self.ev, family, name))
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
            return operate.added_elsewhere(ev, by_name()[language], outside, name)
        family, is_top, full = how
        return stand_ins.first_of(ev, family, name, full, is_top=is_top)

    def _through(self, kind: str, node: int, name: str, how: tuple[object, ...]) -> Meaning | int:
        """What is asked of a class as seen from another."""
        other = how[0]
        if isinstance(other, tuple):
            other = self._node(other)
            if other is None:
                return GONE
        if kind == "arguments":
            assert isinstance(other, int)
            return generics.arguments(self.ev, node, other)
        return classes.member(self.ev, Value(Tag.SYMBOL if how[1] else Tag.INSTANCE, node, other), name)

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
                    typed.wanted(ev, file, row, position) if position < len(file.parameters_of.get(row, ())) else GONE
                )
            case "offered", (directory, language):
                return linkage.module_member(ev, Module(file.path, directory), name, str(language))  # type: ignore[arg-type]
            case "stands for", (which,):
                return generics.bound(ev, Value(Tag.ARGUMENT, node, which))
            case "methods", _:
                found = structural.methods(ev, node)
                said = (word for pair in sorted(found.shapes.items()) for word in pair)
                return self._prints.of_parts((*said, *sorted(found.hidden_in), found.is_open))
            case "space", _:
                return self._prints.of_parts(structural.own_methods(file, row))
            case "seen", _:
                return self._prints.of_places(shared.included(ev, file, name))
            case "packages", _:
                return self._prints.of_parts(file.facts.packages)
            case _:
                raise AssertionError(kind)


_PLAIN: Mapping[str, Callable[[Evaluator, int], Meaning]] = {
    "held": Evaluator.held_by_symbol,
    "alias": Evaluator.aliased,
    "result": operate.result_of,
    "order": classes.order,
    "bases": classes.stated_bases,
    "bases of part": classes.bases_of_part,
    "metaclass": classes.metaclass,
    "stated": typed.stated,
    "made": typed.type_made,
    "type parameters": generics.parameters_of_bases,
    "admitted": typed.admitted,
    "meant": stand_ins.meant_by,
    "given": shared.given,
    "module value": linkage.own_value,
}
_NAMED: Mapping[str, Callable[[Evaluator, GraphFile, int, str], Meaning]] = {
    "star": linkage.star_imported_by,
    "public": linkage.is_offered,
    "bound": Evaluator.bound,
}
