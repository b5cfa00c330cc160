"""Which files an edit makes the graph bind again.

A file must be bound again when it changed itself, or when one of its leaves (`mentions`) means something else now. The
search begins with the names of which the changed files' surfaces say something else, asks the leaves of those names in
both states, and goes on with the public names of the files where the answers differ, as far as those differ too.

Where that reasoning does not reach (what a call of an instance runs, a class that began or ceased to have a base
outside, scripts that became modules), everything is bound.

The file is long because the search is one fixpoint: what it knows of names, definitions and classes grows together.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Set
from functools import cached_property, partial

from codemap.depth import deep_recursion
from codemap.facts import EXPR_WIDTH, MODULE_VALUE, Binding, Op, Symbol, SymbolFlag, SymbolKind, plain_name
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.incremental.kept import Affected, are_apart
from codemap.graph.incremental.likeness import Likeness, likeness
from codemap.graph.incremental.lookups import (
    below,
    changed_lookups,
    indirect_classes,
    is_same_order,
    members_of,
    type_arguments,
)
from codemap.graph.incremental.states import State, apart_from_files, class_rows, path_stars, specifiers_of
from codemap.graph.incremental.surface_changes import reduced_surfaces
from codemap.graph.incremental.worlds import Worlds
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.indexed import IndexedFile
from codemap.graph.model.mentions import (
    Mentions,
    is_mentioned,
    leaf_expressions,
    leaf_imports,
    leaf_parts,
    leaf_types,
    runs,
)
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.surface import BINDING, CONSTRUCTOR, FLAGS, SYMBOL, Path, Surface, path_of
from codemap.graph.model.values import CLASS_KINDS, NOTHING, Meaning
from codemap.graph.resolve import implicit_interfaces, import_resolution, partial_definitions
from codemap.graph.resolve.unknown_receivers import is_undecided
from codemap.languages import by_name, languages
from codemap.languages.project import Module

_DIRTY_SHARE_MAX = 0.4
"""Beyond this share of the files, binding everything costs no more than finding out."""

_DIRTY_MIN = 8

_LEAVES_A_FILE_MAX = 2.0
"""Asking so many leaves, by the number of files, costs as much as binding everything."""

_LEAVES_MIN = 1_000


ROWS_SHOWN_MIN = 48
"""Definitions and names; what a smaller file shows is written out as quickly as compared."""


_Said = Set[Hashable]


class _Lost(Exception):
    """What the edit affects cannot be told: everything is to be bound again."""


def affected(
    previous: Snapshot, before: State, after: State, mentions: Mentions, changed: Set[str], removed: Set[str]
) -> Generator[None, None, Affected | None]:
    """What is to be bound again, None for everything; in steps.

    `changed` are new or have other contents. Cost: the changed files, and the leaves of what changed in their surfaces.
    """
    search = _Search(previous, before, after, changed, removed)
    try:
        yield from _deep(search.begin())
        if search.is_over():
            return search.found
        yield from mentions.add(after.files)
        while not search.is_over():
            turn = search.take_turn()
            paths = {path for name in turn.names | turn.methods for path in mentions.paths(name)} | turn.again
            if turn.run:
                paths |= {file.path for file in after.files if runs(file.facts, turn.run)}
            for path in sorted(paths):
                with deep_recursion():
                    search.visit(path, turn)
                yield
    except _Lost:
        return None
    return search.found


def _deep(steps: Iterator[None]) -> Iterator[None]:
    """The same steps, each of which may recurse deeply."""
    while True:
        with deep_recursion():
            try:
                next(steps)
            except StopIteration:
                return
        yield


class _Turn:
    """What one turn of the search looks for."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.run: set[str] = set()
        """Of these names, methods that operators may run."""
        self.methods: set[str] = set()
        """Methods by which types may have begun or ceased to implement interfaces; what they mean is as before."""
        self.again: set[str] = set()
        """Files some of whose public names turned out to mean something else: others of them may depend on those."""


class _Search:
    """What is known of an edit so far."""

    def __init__(self, previous: Snapshot, before: State, after: State, changed: Set[str], removed: Set[str]) -> None:
        self.dirty = set(changed)
        self._previous = previous
        self._before = before
        self._after = after
        self._touched = changed | removed
        self._worlds = Worlds(before, after, self._touched)
        self._whole: set[str] = set()
        """Of these, files that are dirty for another reason than that they mention a name."""
        self._likenesses: dict[str, Likeness] = {}
        self._names: set[str] = set()
        self._run_names: set[str] = set()
        self._next = _Turn()
        self._shown: set[tuple[str, str]] = set()
        """(file, public name) that are known to mean something else."""
        self._starred: set[str] = set()
        """Files of which it is known that stars on paths bring other names."""
        self._looked_up: set[int] = set()
        """Classes, by their node before, that have been compared."""
        self._given_otherwise: set[int] = set()
        """Classes, by their node before, whose bases have other type arguments now."""
        self._dirty_max = max(_DIRTY_MIN, int(len(after.files) * _DIRTY_SHARE_MAX))
        self._leaves = 0
        self._leaves_max = max(_LEAVES_MIN, int(len(after.files) * _LEAVES_A_FILE_MAX))
        unnamed = ((language.protocols, operation) for language in languages() for operation in ("call", "get"))
        self._calls = {protocols[operation] for protocols, operation in unnamed if operation in protocols}
        self._run = {method for language in languages() for method in language.protocols.values()}
        self._constructors = {
            name for language in languages() for name in (*language.constructors, *language.allocators)
        }

    def is_over(self) -> bool:
        return not self._next.names and not self._next.methods and not self._next.again

    def take_turn(self) -> _Turn:
        turn, self._next = self._next, _Turn()
        self._names |= turn.names | turn.methods | turn.run
        self._run_names |= turn.run
        return turn

    @property
    def found(self) -> Affected:
        return Affected(self.dirty, self._whole, self._names, self._run_names, self._likenesses)

    # -- the changed files ------------------------------------------------------------------------------------------

    def begin(self) -> Iterator[None]:
        """Takes in what the changed files say, in steps. Raises _Lost."""
        both = []
        again: set[str] = set()
        is_moved = False
        for path in sorted(self._touched):
            old, new = self._before.by_path.get(path), self._after.by_path.get(path)
            if old is not None and new is not None and old.is_script != new.is_script:
                raise _Lost
            is_elsewhere = self._take_packages(old, new)
            is_moved |= is_elsewhere
            left, right = self._surfaces(old, new) if not is_elsewhere else (_surface(old), _surface(new))
            if left is not None and right is not None:
                both.append((path, left, right))
                if left.shown != right.shown:
                    again.add(path)
            self._take_differences(path, (old, left), (new, right), operator.or_ if is_elsewhere else operator.xor)
            yield
        if is_moved or not self._after.by_path.has_keys_of(self._before.by_path):
            self._compare_layout()
        if not self.is_over():
            self._compare_wholes(self._touched)
            self._take_parts()
            self._compare_interfaces()
        if not self.is_over():
            self._next.again |= again
        is_any_rebased = any(left.bases != right.bases for _, left, right in both)
        if is_any_rebased or not self.is_over():
            for path, left, right in both:
                for cls in left.bases.keys() | right.bases.keys():
                    self._compare_class(path, cls)
                yield

    def _surfaces(self, old: IndexedFile | None, new: IndexedFile | None) -> tuple[Surface | None, Surface | None]:
        """What both versions of a file show, without what is the same in both where that can be told sooner."""
        if old is None or new is None or old.lang != new.lang or not are_apart(old.facts, new.facts):
            return _surface(old), _surface(new)
        if _rows_shown(old) + _rows_shown(new) < 2 * ROWS_SHOWN_MIN:
            return _surface(old), _surface(new)
        like = self._likenesses[new.path] = likeness(old.facts, new.facts)
        return reduced_surfaces(like)

    def _take_packages(self, old: IndexedFile | None, new: IndexedFile | None) -> bool:
        """Takes in packages that a file ceased to belong to or began to; whether it belongs to others now."""
        left, right = (frozenset() if file is None else frozenset(file.packages) for file in (old, new))
        for package in left ^ right:
            self._next.names |= {package, *package.split(".")}
        return old is not None and new is not None and old.packages != new.packages

    def _compare_wholes(self, paths: Iterable[str]) -> None:
        """Compares the classes of which some files hold parts. Raises _Lost."""
        for path in sorted(paths):
            for state in (self._before, self._after):
                if path in state.by_path and state.by_path[path].facts.parts:
                    file = state.evaluator.files[path]
                    for row in file.stand_ins:
                        self._compare_class(
                            *self._place(state, partial_definitions.resolve_node(state.evaluator, file, row))
                        )

    def _take_parts(self) -> None:
        """Takes in what parts of types outside bring that came or went."""
        for path in self._touched:
            files = [state.by_path.get(path) for state in (self._before, self._after)]
            parts = [set() if file is None or not file.facts.parts else file.surface.parts for file in files]
            for state, changed in ((self._before, parts[0] - parts[1]), (self._after, parts[1] - parts[0])):
                if changed:
                    file = state.evaluator.files[path]
                    for row in file.stand_ins:
                        if path_of(file.names, file.symbols, row) in changed:
                            self._next.names |= members_of(state.evaluator, file.base + row)

    def _compare_interfaces(self) -> None:
        """Compares what the interfaces in the changed files ask for, and those that embed them."""
        places: set[tuple[str, Path]] = set()
        for state in (self._before, self._after):
            for path in sorted(self._touched & state.by_path.keys()):
                if by_name()[state.by_path[path].lang].is_structural:
                    file = state.evaluator.files[path]
                    rows = (row for row in class_rows(file) if file.cell(row, Symbol.KIND) == SymbolKind.INTERFACE)
                    places |= {self._place(state, file.base + row) for row in rows}
        todo, seen = sorted(places, key=repr), set()
        while todo:
            place = todo.pop()
            if place not in seen and self._take_asked_for(place):
                before = self._before.node_of_class(*place)
                todo += [self._place(self._before, node) for node in self._below(before)] if before is not None else []
            seen.add(place)

    def _take_asked_for(self, place: tuple[str, Path]) -> bool:
        """Takes in the methods that a type has or an interface asks for; whether they are not what they were."""
        found = []
        for state in (self._before, self._after):
            node = state.node_of_class(*place)
            found.append({} if node is None else implicit_interfaces.collect_methods(state.evaluator, node).shapes)
        if found[0] != found[1]:
            self._next.methods |= found[0].keys() | found[1].keys()
        return found[0] != found[1]

    def _take_differences(
        self,
        path: str,
        before: tuple[IndexedFile | None, Surface | None],
        after: tuple[IndexedFile | None, Surface | None],
        differing: Callable[[_Said, _Said], _Said],
    ) -> None:
        """Takes in what a file says now and did not, or ceased to say; all that it says where that is `differing`."""
        (old, left), (new, right) = before, after
        shown_left = left.shown if left is not None else {}
        shown_right = right.shown if right is not None else {}
        for name in shown_left.keys() | shown_right.keys():
            for said in differing(shown_left.get(name, set()), shown_right.get(name, set())):
                assert isinstance(said, tuple)
                self._take_difference(path, name, said, left, right)
        for state, file, stars in ((self._before, old, left), (self._after, new, right)):
            if file is not None and stars is not None:
                other = right if stars is left else left
                self._next.names |= state.offered(file, stars.stars - (other.stars if other is not None else set()))

    def _take_difference(
        self, path: str, name: str, said: tuple[Hashable, ...], left: Surface | None, right: Surface | None
    ) -> None:
        """A changed file says something of a name that it did not say, or ceased to."""
        if said[0] in (SYMBOL, CONSTRUCTOR, BINDING):
            names = said[1]
            assert isinstance(names, tuple)
            owner = names[1:-1] if said[0] == SYMBOL else names[:-1]
            is_old = all(surface is not None and surface.has(owner) for surface in (left, right))
            if said[0] != BINDING:
                self._worlds.moved.add((path, names))
            if said[0] == SYMBOL and _is_extension(said):
                self._next.names.add(name)  # it is found without its class
            if said[0] == CONSTRUCTOR and is_old:
                self._take_callers(self._before.node_of_class(path, names))
            elif is_old:
                self._take_run(name)
            elif not self._is_shared(owner, left, right) and not self._is_guessed_otherwise(name):
                return  # whoever has such an object has it through a name that is new or gone itself
        if name == MODULE_VALUE:
            self._take_module(path)
        self._next.names.add(name)

    def _is_shared(self, owner: tuple[object, ...], left: Surface | None, right: Surface | None) -> bool:
        """Whether other files see what has this owner without naming its file: a namespace, or a part of a type."""
        return any(
            surface is not None and (owner in surface.shared or any(part[:-1] == owner for part in surface.parts))
            for surface in (left, right)
        )

    def _is_guessed_otherwise(self, name: str) -> bool:
        families = {language.family for language in languages()}
        return any(
            self._before.definitions.outcome(family, name) != self._after.definitions.outcome(family, name)
            for family in families
        )

    def _take_run(self, name: str) -> None:
        """A method of a class that there was before and is now means something else: operators may run it. Raises
        _Lost where that is any call."""
        if name in self._calls:
            raise _Lost
        if name in self._run:
            self._next.run.add(name)

    def _take_callers(self, cls: int | None) -> None:
        """Calling a class runs something else, and calling those below it may."""
        todo, seen = [] if cls is None else [cls], set()
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                self._worlds.moved.add(self._worlds.key(self._before.evaluator, node))
                self._next.names.add(self._previous.name_of(node))
                todo += self._below(node)

    def _take_module(self, path: str) -> None:
        """A module is another value: so is one that offers all of it, and what is imported from them."""
        todo = [path]
        while todo:
            path = todo.pop()
            file = self._previous.by_path.get(path)
            if path in self._worlds.moved or file is None:
                continue
            self._worlds.moved.add(path)
            for edge in self._previous.edges_in(file.base):
                importer = self._previous.file_of(edge.source)
                if edge.kind not in (EdgeKind.IMPORTS, EdgeKind.EXPORTS) or importer is None:
                    continue
                for specifier, is_star in specifiers_of(importer).items():
                    if self._before.file_meant(importer, specifier) is file:
                        self._next.names.add(specifier)
                        if is_star:
                            todo.append(importer.path)

    def _compare_layout(self) -> None:
        """Takes in what came and went: the modules' names, and the imports that lead elsewhere."""
        before, after = self._before.by_path.keys(), self._after.by_path.keys()
        folders = [{folder for path in paths for folder in _folders(path)} for paths in (before, after)]
        self._next.names |= {_module_name(path) for path in before ^ after}
        self._next.names |= {folder.rpartition("/")[2] for folder in folders[0] ^ folders[1]}
        moved: set[str] = set()
        for file in self._after.files:
            if file.path in self._touched:
                continue
            for specifier, is_star in specifiers_of(file).items():
                left, right = self._before.resolve(file, specifier), self._after.resolve(file, specifier)
                if isinstance(left, Module) and isinstance(right, Module) and left.files is not right.files:
                    others = (left.files ^ right.files) - self._touched
                    if others:
                        self._dirty_whole(file.path)
                        moved |= others
                if left is not right and apart_from_files(left) != apart_from_files(right):
                    self._dirty_whole(file.path)
                    self._next.names.add(specifier)
                    self._next.again.add(file.path)
                    if is_star:
                        for state in (self._before, self._after):
                            self._next.names |= state.offered(file, [(specifier, None)])
        for path in moved:  # others came or went, and it belongs to the module now, or ceased to
            self._next.names |= self._after.by_path[path].surface.shown.keys()

    # -- the others -------------------------------------------------------------------------------------------------

    def visit(self, path: str, turn: _Turn) -> None:
        """Looks for what a turn is about in one file. Raises _Lost."""
        file = self._after.by_path.get(path)
        if file is None or path not in self._before.by_path:
            return
        self._visit_types(path, turn)
        looked_for = turn.names | turn.run
        if path in self._touched and are_apart(file.facts) and not is_mentioned(file.facts, looked_for):
            return
        if path not in self.dirty:
            if not self._has_changed_leaf(file, turn):
                return
            self._dirty(path)
        if leaf_parts(file.facts, turn.names):
            self._compare_wholes([path])
        self._take_stars(file)
        surface = file.surface
        for name, mentioned in surface.mentions.items():
            if (path, name) in self._shown or mentioned.isdisjoint(looked_for):
                continue
            if path in self._touched or not self._worlds.shows_the_same(path, name):
                self._show(file, name)
        for cls, mentioned in surface.base_mentions.items():
            if not mentioned.isdisjoint(looked_for):
                self._compare_class(path, cls)

    def _take_stars(self, file: IndexedFile) -> None:
        """Takes in the names that a file brings by stars on paths, where these mean something else now."""
        stars = [star for star in file.surface.stars if star[1] is not None]
        if not stars or file.path in self._starred:
            return
        count = len(path_stars(self._after.evaluator.files[file.path]))
        if all(self._worlds.is_same(file.path, partial(_asked_of, number)) for number in range(count)):
            return
        self._starred.add(file.path)
        for state in (self._before, self._after):
            self._next.names |= state.offered(file, stars)

    def _visit_types(self, path: str, turn: _Turn) -> None:
        """Looks for types that implement other interfaces now: those with methods that a turn is about, and those below
        them. Raises _Lost."""
        rows = leaf_types(self._after.by_path[path].facts, turn.names | turn.methods)
        if not rows:
            return
        file = self._after.evaluator.files[path]
        todo = {
            self._place(self._after, partial_definitions.resolve_node(self._after.evaluator, file, row)) for row in rows
        }
        seen: set[tuple[str, Path]] = set()
        while todo:
            place = todo.pop()
            if place in seen:
                continue
            seen.add(place)
            before, after = self._before.node_of_class(*place), self._after.node_of_class(*place)
            if place[0] not in self.dirty and not (
                before is not None
                and after is not None
                and self._worlds.is_same(place[0], partial(_implemented, place[1]))
            ):
                self._dirty_whole(place[0])
            if before is not None:
                todo |= {self._place(self._before, node) for node in self._below(before)}

    def _place(self, state: State, node: int) -> tuple[str, Path]:
        """Path and name of a class, in either state."""
        file = state.evaluator.file_of_node(node)
        return file.path, path_of(file.names, file.symbols, node - file.base)

    def _has_changed_leaf(self, file: IndexedFile, turn: _Turn) -> bool:
        for row in leaf_imports(file.facts, turn.names):
            if not self._worlds.is_same(file.path, partial(_imported, row)):
                return True
        for row in leaf_parts(file.facts, turn.names):
            if not self._worlds.is_same(file.path, partial(_stood_for, row)):
                return True
        found = leaf_expressions(file.facts, turn.names, turn.run)
        self._leaves += len(found)
        if self._leaves > self._leaves_max:
            raise _Lost
        for row in found:
            if not self._worlds.is_same(file.path, partial(_denoted, row)):
                return True
            if self._is_other_guess(file, row):
                return True
        return False

    def _is_other_guess(self, file: IndexedFile, row: int) -> bool:
        """Whether an expression says nothing, and a guess by its name comes to something else than before."""
        graph_file = self._after.evaluator.files[file.path]
        op, a, b = graph_file.exprs[row * EXPR_WIDTH : (row + 1) * EXPR_WIDTH]
        if op not in (Op.ATTR, Op.GLOBAL):
            return False
        meaning = self._after.evaluator.expr(graph_file, row)
        if meaning.values and not is_undecided(graph_file, row, meaning):
            return False
        name = plain_name(graph_file.names[b if op == Op.ATTR else a])
        outcomes = (state.definitions.outcome(file.family, name) for state in (self._before, self._after))
        return next(outcomes) != next(outcomes)

    def _show(self, file: IndexedFile, name: str) -> None:
        """A public name of a file means something else."""
        self._shown.add((file.path, name))
        self._next.names.add(name)
        self._next.again.add(file.path)
        known = self._before.by_path[file.path].surface
        graph_file = self._after.evaluator.files[file.path]
        for row in range(1, graph_file.symbol_count):
            if graph_file.names[graph_file.cell(row, Symbol.NAME)] != name:
                continue
            self._worlds.moved.add(self._worlds.key(self._after.evaluator, file.base + row))
            path = path_of(graph_file.names, graph_file.symbols, row)
            if known.has(path[1:-1]):
                self._take_run(name)
            if graph_file.cell(row, Symbol.KIND) in CLASS_KINDS:
                self._take_callers(self._before.node_of_class(file.path, path))

    def _compare_class(self, path: str, cls: Path) -> None:
        """Compares where a class of both states, and all below it, have their members from. Raises _Lost."""
        before, after = self._before.node_of_class(path, cls), self._after.node_of_class(path, cls)
        if before is None or after is None:
            return
        self._compare_arguments(path, cls, before, after)
        if before in self._looked_up:
            return
        self._looked_up.add(before)
        if is_same_order(self._worlds, before, after):
            return
        names = changed_lookups(self._worlds, before, after)
        if names is None or self._after.evaluator.files[path].language.has_extensions:
            raise _Lost
        if self._after.evaluator.files[path].language.is_structural:
            self._take_asked_for((path, cls))
            self._dirty_whole(path)
        self._next.names |= names
        for name in names:
            self._take_run(name)
        if not names.isdisjoint(self._constructors):
            self._take_callers(before)
        for node in self._below(before):
            file, row = self._previous.row_of(node)
            graph_file = self._before.evaluator.files[file.path]
            self._compare_class(file.path, path_of(graph_file.names, graph_file.symbols, row))

    def _compare_arguments(self, path: str, cls: Path, before: int, after: int) -> None:
        """Compares the type arguments that a class states for its bases, which what it inherits is read by."""
        if before in self._given_otherwise or self._worlds.is_same(path, partial(type_arguments, cls)):
            return
        self._given_otherwise.add(before)
        self._next.names |= members_of(self._before.evaluator, before) | members_of(self._after.evaluator, after)
        self._take_callers(before)

    def _below(self, cls: int) -> Iterator[int]:
        return below(self._previous, self._before.evaluator, cls, self._indirect)

    @cached_property
    def _indirect(self) -> list[int]:
        return indirect_classes(self._previous)

    def _dirty_whole(self, path: str) -> None:
        self._whole.add(path)
        self._dirty(path)

    def _dirty(self, path: str) -> None:
        if path in self._after.by_path:
            self.dirty.add(path)
        if len(self.dirty) > self._dirty_max:
            raise _Lost


def _surface(file: IndexedFile | None) -> Surface | None:
    return None if file is None else file.surface


def _rows_shown(file: IndexedFile) -> int:
    return file.symbol_count + len(file.facts.bindings) // (4 * Binding.WIDTH)


def _denoted(row: int, world: Evaluator, file: GraphFile) -> Meaning:
    return world.expr(file, row)


def _imported(row: int, world: Evaluator, file: GraphFile) -> Meaning:
    return import_resolution.resolve_import(world, file, row)


def _asked_of(number: int, world: Evaluator, file: GraphFile) -> Meaning:
    stars = path_stars(file)
    return (import_resolution.evaluate_path(world, file, stars[number]) if number < len(stars) else None) or NOTHING


def _implemented(names: Path, world: Evaluator, file: GraphFile) -> Meaning:
    for row in implicit_interfaces.find_structural_types(file):
        if path_of(file.names, file.symbols, row) == names:
            return implicit_interfaces.evaluate_implemented(world, file, row)
    return NOTHING


def _stood_for(row: int, world: Evaluator, file: GraphFile) -> Meaning:
    return partial_definitions.resolve_symbol(world, file, row)


def _module_name(path: str) -> str:
    """The name by which a parent package knows a module."""
    parts = path.split("/")
    stem = parts[-1].partition(".")[0]
    return parts[-2] if stem.startswith("__") and len(parts) > 1 else stem


def _folders(path: str) -> Iterable[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _is_extension(said: tuple[Hashable, ...]) -> bool:
    """Whether what is said of a definition is that it is called on its first argument, too."""
    flags = said[FLAGS]
    return isinstance(flags, int) and bool(flags & SymbolFlag.EXTENSION)
