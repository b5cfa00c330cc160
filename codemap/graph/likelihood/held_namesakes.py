"""Functions that a call of a variable may mean where not all that it is given is seen.

Rules of the file:
- Those that the repository keeps under the name of the variable: in attributes called so, as arguments that are passed
  by this name, and as those of parameters called so. So `field.widget(field)` may mean what classes assign to `widget`.
- Those of that name that are used as values: `def start_response(...)` that something is given, for a call of a
  parameter `start_response`.
- Those that are used as values and whose parameters are called like the arguments: `app(environ, start_response)`. At
  least `ALIKE_MIN` must be, or the only one; or all of what runs when an instance is called.
- Those whose names end with what the variable is called, in two words or more: `DefaultRootFactory` for a call of
  `root_factory`; and classes, where it is called like one: `BasicTransport` for `transport_cls`.
- For a use in the product only files of the product count, where all are too many.
- What comes of the name alone is worked out once a snapshot for each name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from codemap.facts import EXPR_WIDTH, TRIPLE, Binding, Op, SourceKind, Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.index.columns import columns_of
from codemap.graph.index.node_roles import role_of_file, role_of_node
from codemap.graph.likelihood.called_values import find_name, list_called
from codemap.graph.likelihood.data_flow import FlowEvaluator, OutOfSteps
from codemap.graph.likelihood.flow_files import FlowFiles, followed
from codemap.graph.likelihood.name_likeness import list_endings, words_of
from codemap.graph.likelihood.stored_elements import StoredElements
from codemap.graph.model.edges import ARE_FUNCTIONS, ARE_VARIABLES, FUNCTION_KINDS, EdgeKind, Ints, Mask
from codemap.graph.model.index_slots import Slot, reuse
from codemap.graph.model.indexed_file import IndexedFile, table
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import VALUES_MAX, ContainerInstance, Meaning
from codemap.graph.resolve import stored_values
from codemap.graph.words.word_files import files_with
from codemap.languages import by_name

STEPS_MAX = 800
"""Names that are looked at for one name."""
STEPS_OF_PLACE = 200
"""The same for one place that keeps something under it; where that is not enough, nothing is said of the place."""
FILES_MAX = 80
"""Files that are looked through for arguments of a name, or for parameters; where more have it, none is."""
PLACES_MAX = 40
ALIKE_MIN = 2
_ATTR, _NAME, _NAMED = int(Op.ATTR), int(Op.NAME), int(Op.NAMED)
_REFERENCES, _PARAMETER = int(EdgeKind.REFERENCES), int(SourceKind.PARAMETER)
_METHOD, _STATIC = int(SymbolKind.METHOD), int(SymbolFlag.STATIC)
_PARAMETERS = re.compile(r"\(([^()]*)\)")


Around = tuple[str, bool]
"""The language family of a use, and whether it is in a file of the product."""


def find_namesakes(snapshot: Snapshot, file: GraphFile, callees: Sequence[int]) -> set[int]:
    """The functions that the calls of some expressions in a file may mean by the names in them."""
    found = set[int]()
    around = file.language.family, role_of_file(snapshot.by_path[file.path]) is Role.PRODUCT
    for callee in callees:
        name, is_element = find_name(file, callee)
        if name:
            kept = _KEPT.of(snapshot)
            key = around, name, is_element
            if key not in kept:
                kept[key] = frozenset(_find_kept(snapshot, *key))
            found |= kept[key]
            found |= _find_ending(snapshot, around, name)
        for listed in followed(file).lists_of(callee):
            found |= _find_alike(snapshot, around, _name_arguments(file, listed))
    return found


def _find_ending(snapshot: Snapshot, around: Around, name: str) -> frozenset[int]:
    """The functions that are used as values, and classes, whose names end with what a variable is called."""
    known = _ENDING.of(snapshot)
    key = around, name
    if key not in known:
        found = {node for ending in list_endings(name) for node in _list_ending(snapshot, around, *ending)}
        known[key] = frozenset(found) if len(found) < VALUES_MAX else frozenset()
    return known[key]


def _list_ending(snapshot: Snapshot, around: Around, ending: tuple[str, ...], are_classes: bool) -> Iterator[int]:
    for name in _list_names(_NAMES.of(snapshot), ending[-1]):
        if tuple(words_of(name)[-len(ending) :]) != ending:
            continue
        for node in snapshot.node_names.named(name).tolist():
            place, kind = snapshot.file_of(node), snapshot.kind_of(node)
            if place is None or place.family != around[0]:
                continue
            is_meant = kind is SymbolKind.CLASS or (
                not are_classes and kind is SymbolKind.FUNCTION and _is_value(snapshot, node)
            )
            if is_meant and (not around[1] or role_of_node(snapshot, node) is Role.PRODUCT):
                yield node


def _list_names(names: str, word: str) -> Iterator[str]:
    """The names, among those in lines of their own, whose last word is this one in any of its usual forms."""
    for form in dict.fromkeys((word, word.capitalize(), word.upper())):
        at = names.find(f"{form}\n")
        while at >= 0:
            end = at + len(form)
            yield names[names.rfind("\n", 0, at) + 1 : end]
            at = names.find(f"{form}\n", end)


def _list_files(snapshot: Snapshot, around: Around, name: str) -> list[IndexedFile]:
    """The files of a language family that have a name: where they are many, for a use in the product those of it."""
    family, is_product = around
    found = [file for file in files_with(snapshot, name) if file.family == family]
    is_cut = is_product and len(found) > FILES_MAX
    return [file for file in found if role_of_file(file) is Role.PRODUCT] if is_cut else found


def _find_kept(snapshot: Snapshot, around: Around, name: str, is_element: bool) -> Iterator[int]:
    """The functions of a name that are used as values, and those that attributes of it hold, or arguments passed by it;
    or what these hold in containers."""
    if not is_element:
        yield from _list_values(snapshot, around, name)
    ev, left = FlowEvaluator(snapshot, StoredElements(snapshot)), STEPS_MAX
    for read in _list_kept(snapshot, around, name):
        ev.steps = steps = min(STEPS_OF_PLACE, left)
        try:
            meaning = read(ev)
        except (OutOfSteps, RecursionError):
            ev = FlowEvaluator(snapshot, StoredElements(snapshot))  # what it had begun to ask counts as not known in it
            left -= steps
            continue
        left -= steps - ev.steps
        for value in meaning.values:
            if isinstance(value, ContainerInstance):
                yield from list_called(ev, value.contents.value)
                yield from list_called(ev, value.contents.element)
        if not is_element:
            yield from list_called(ev, meaning)


def _list_values(snapshot: Snapshot, around: Around, name: str) -> Iterator[int]:
    """The functions of a name that are used as values; methods are used as members."""
    for node in snapshot.node_names.named(name)[:PLACES_MAX].tolist():
        place = snapshot.file_of(node)
        if place is None or place.family != around[0] or snapshot.kind_of(node) is not SymbolKind.FUNCTION:
            continue
        if (not around[1] or role_of_node(snapshot, node) is Role.PRODUCT) and _is_value(snapshot, node):
            yield node


def _list_kept(snapshot: Snapshot, around: Around, name: str) -> Iterator[Callable[[FlowEvaluator], Meaning]]:
    """What gives the values that the repository keeps under a name, place by place."""
    columns = columns_of(snapshot)
    nodes = snapshot.node_names.named(name)
    nodes = nodes[ARE_VARIABLES[columns.kind[nodes]] & (columns.flags[nodes] & int(SymbolFlag.ACCESSOR) == 0)]
    for node in nodes[:PLACES_MAX].tolist():
        place = snapshot.file_of(node)
        if place is not None and place.family == around[0] and columns.parent[columns.parent[node]] >= 0:
            yield partial(_read_held, node)
    numbers, files = [file.number for file in _list_files(snapshot, around, name)], FlowFiles(snapshot)
    for number in numbers if len(numbers) <= FILES_MAX else ():
        file = files.numbered(number)
        for index in _list_parameters(file, name):
            yield partial(_read_parameter, number, index)
        exprs = table(file.facts.exprs, EXPR_WIDTH)
        for given in exprs[(exprs[:, 0] == _NAMED) & _are_named(file, exprs[:, 2], name), 1].tolist():
            yield partial(_read_argument, number, given)


def _read_held(node: int, ev: FlowEvaluator) -> Meaning:
    return ev.value_of(stored_values.evaluate_variable(ev, node))


def _read_parameter(number: int, binding: int, ev: FlowEvaluator) -> Meaning:
    return ev.value_of(ev.binding(ev.files.numbered(number), binding))


def _read_argument(number: int, expr: int, ev: FlowEvaluator) -> Meaning:
    return ev.value_of(ev.expr(ev.files.numbered(number), expr))


def _list_parameters(file: GraphFile, name: str) -> Iterator[int]:
    """The bindings of parameters of a name."""
    bindings = table(file.facts.bindings, Binding.WIDTH)
    for index in np.flatnonzero(_are_named(file, bindings[:, Binding.NAME], name)).tolist():
        first = file.bindings[index * Binding.WIDTH + Binding.FIRST]
        if TRIPLE.unpack_from(file.facts.sources, first * TRIPLE.size)[0] == _PARAMETER:
            yield index


def _are_named(file: GraphFile, numbers: Ints, name: str) -> Mask:
    """Which of some names of a file, by number, are one name."""
    return np.isin(numbers, [number for number, other in enumerate(file.names) if other == name])


def _name_arguments(file: GraphFile, listed: int) -> tuple[str, ...]:
    """What the arguments of a call are called that are passed by position; "" where they are not."""
    found = []
    exprs = file.exprs
    while listed >= 0:
        given, listed = exprs[listed * EXPR_WIDTH + 1], exprs[listed * EXPR_WIDTH + 2]
        at = given * EXPR_WIDTH
        if given < 0 or exprs[at] != _NAMED:
            found.append("" if given < 0 else _name_argument(file, given))
    return tuple(found)


def _name_argument(file: GraphFile, expr: int) -> str:
    """What an argument is called: `self` like its class, anything else like its last name."""
    op, a, _ = file.exprs[expr * EXPR_WIDTH : (expr + 1) * EXPR_WIDTH].tolist()
    if op == _NAME:
        kind, symbol, _ = TRIPLE.unpack_from(
            file.facts.sources, file.bindings[a * Binding.WIDTH + Binding.FIRST] * TRIPLE.size
        )
        if kind == SourceKind.SELF:
            return "_".join(words_of(file.name_of(symbol)))
    return find_name(file, expr)[0] if op in (_ATTR, _NAME) else ""


def _find_alike(snapshot: Snapshot, around: Around, arguments: tuple[str, ...]) -> frozenset[int]:
    """The functions that are used as values and whose parameters are called like some arguments."""
    named = sorted({name for name in arguments if name}, key=len, reverse=True)
    if not named or (len(named) < ALIKE_MIN and len(arguments) > 1):
        return frozenset()
    known = _ALIKE.of(snapshot)
    key = around, arguments
    if key not in known:
        paths: set[str] | None = None
        numbers: dict[str, int] = {}
        for name in named[:ALIKE_MIN]:
            files = _list_files(snapshot, around, name)
            numbers |= {each.path: each.number for each in files}
            paths = {each.path for each in files} if paths is None else paths & {each.path for each in files}
        near = [numbers[path] for path in sorted(paths or ()) if path in numbers]
        found = [node for number in near for node in _list_alike(snapshot, number, arguments)]
        known[key] = frozenset(found) if len(near) <= FILES_MAX else frozenset()
    return known[key]


def _list_alike(snapshot: Snapshot, number: int, arguments: Sequence[str]) -> Iterator[int]:
    file = snapshot.files[number]
    call = by_name()[file.lang].protocols.get("call")
    symbols = table(file.symbols, Symbol.WIDTH)
    are_bound = ((symbols[:, Symbol.KIND] == _METHOD) & (symbols[:, Symbol.FLAGS] & _STATIC == 0)).tolist()
    named = tuple(filter(None, arguments))
    for row in np.flatnonzero(ARE_FUNCTIONS[symbols[:, Symbol.KIND]]).tolist():
        signature = file.text_of(row, Symbol.SIGNATURE)
        if not any(name in signature for name in named):
            continue
        parameters = _read_parameters(signature)[are_bound[row] :]
        alike = sum(name == other for name, other in zip(arguments, parameters, strict=False) if name)
        if alike and len(arguments) <= len(parameters):
            is_object = file.symbol_names[row - 1] == call
            node = file.base + row
            if (is_object and alike == len(parameters)) or (
                alike >= min(ALIKE_MIN, len(parameters)) and (is_object or _is_value(snapshot, node))
            ):
                yield node


def _read_parameters(signature: str) -> list[str]:
    """The names of the parameters of a signature, in order."""
    found = _PARAMETERS.search(signature)
    listed = found[1].split(",") if found else []
    return [one.partition(":")[0].partition("=")[0].strip(" *") for one in listed if one.strip()]


def _is_value(snapshot: Snapshot, node: int) -> bool:
    """Whether a function is used as a value somewhere, or is in another one."""
    parent = snapshot.parent_of(node)
    if parent is not None and snapshot.kind_of(parent) in FUNCTION_KINDS:
        return True
    return bool((snapshot.edges.kind[snapshot.edges.arriving(node)] == _REFERENCES).any())


_KEPT = Slot[dict[tuple[Around, str, bool], frozenset[int]]](lambda _: {}, rescore=reuse)
"""By where the use is, name, and whether elements are called. Threads may write to it at the same time: the same."""
_ALIKE = Slot[dict[tuple[Around, tuple[str, ...]], frozenset[int]]](lambda _: {}, rescore=reuse)
"""By where the use is and the names of arguments; likewise."""
_NAMES = Slot[str](lambda snapshot: "\n".join(("", *snapshot.node_names.names, "")), rescore=reuse)
"""All names, each in a line of its own."""
_ENDING = Slot[dict[tuple[Around, str], frozenset[int]]](lambda _: {}, rescore=reuse)
"""By where the use is and the name; likewise."""
