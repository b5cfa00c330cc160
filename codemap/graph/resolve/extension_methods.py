"""Extension methods: functions that are called as members of the type of their first parameter.

A file sees those of the namespaces that it is in and of those that it opens. One that states a type that the value has
is meant; where it is not known whether the value has it, the only one is a guess by name, and of several each may be.
Nothing is known of the type of what is read of a type outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codemap.facts import Binding, Op, SourceKind, Symbol, SymbolFlag
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.places import Place
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    Confidence,
    ContainerInstance,
    ContainerMethod,
    Definition,
    FunctionInstance,
    Instance,
    Meaning,
    Outside,
    OutsideInstance,
    ParameterInstance,
    TupleInstance,
    Value,
    join,
)
from codemap.graph.resolve import (
    bindings,
    import_resolution,
    method_resolution_order,
    namespaces,
    overloads,
    partial_definitions,
)
from codemap.mangled_names import demangle
from codemap.project import Module

_EXTENSION, _EXPORTED = int(SymbolFlag.EXTENSION), int(SymbolFlag.EXPORTED)
_SYMBOL = int(SourceKind.SYMBOL)
_OBJECTS = (Instance, OutsideInstance, ContainerInstance, FunctionInstance, TupleInstance, ParameterInstance)
_OF_ANY_TYPE = OutsideInstance("", "")


def find_extensions(ev: Evaluator, file: GraphFile, receiver: Meaning, name: str) -> Meaning:
    """The extensions that a file sees under a name, as its calls spell it, for one of some values."""
    objects = Meaning(receiver.confidence, tuple(filter(None, map(_as_object, receiver.values))))
    if not objects.values:
        return NOTHING
    ranks: dict[Place, int] = {}
    is_read_outside = all(isinstance(value, Outside) and not value.has_unknown_owner for value in receiver.values)
    may_be_other = any(isinstance(value, Outside) and value.name for value in receiver.values)
    for place in _find_visible(ev, file, name):
        owner = ev.files.numbered(place[0])
        has_any = bool(owner.parameters_of.get(place[1]))
        stated = stated_types.evaluate_parameter_type(ev, owner, place[1], 0) if has_any else NOTHING
        rank = overloads.rank_match(ev, file.language, objects, stated)
        if rank != overloads.NEVER:
            ranks[place] = rank
            may_be_other |= is_read_outside and any(isinstance(value, Instance) for value in stated.values)
    best = max(ranks.values(), default=overloads.NEVER)
    values = tuple(Definition(ev.definitions.node_of(place)) for place, rank in sorted(ranks.items()) if rank == best)
    is_outside = all(not isinstance(value, Instance) for value in objects.values)
    may_be_own = is_outside and demangle(name) in file.language.outside.builtin_members
    if best > overloads.MAYBE:
        return Meaning(max(Confidence.NAME if may_be_own else Confidence.TYPE, receiver.confidence), values)
    if may_be_own and not all(_is_of_outside_type(value) for value in receiver.values):
        return NOTHING
    is_open = len(values) > 1 or may_be_other or may_be_own
    return Meaning(Confidence.CANDIDATE if is_open else Confidence.NAME, values)


def _as_object(value: Value) -> Value | None:
    """A value that an extension may be called on; one of unknown type for what is read of a type outside."""
    if isinstance(value, _OBJECTS):
        return value
    is_type = isinstance(value, Outside) and value.name and "." not in value.name
    return _OF_ANY_TYPE if isinstance(value, ContainerMethod | Outside) and not is_type else None


def _is_of_outside_type(value: Value) -> bool:
    """Whether a value's type, or that it is a container, is known."""
    return isinstance(value, ContainerInstance) or (isinstance(value, OutsideInstance) and bool(value.name))


def _find_visible(ev: Evaluator, file: GraphFile, name: str) -> list[Place]:
    """The extensions of a name in the namespaces that a file opens."""
    ev.note("extensions", file.language.family, name)
    places = find_named(ev, file.language.family, name)
    if not places:
        return []
    modules = _find_opened(ev, file)
    return [place for place in places if _is_in(ev, modules, place)]


def find_in_scope(ev: Evaluator, file: GraphFile, receiver: Meaning, name: str) -> Meaning:
    """The extensions that a file sees under a name, as its calls spell it, and that may be called on some values: those
    that it imports, that its package has, and that its classes have or inherit. A value of a known class has no member
    that comes first."""
    return _find_in_scope(ev, file, receiver, name)[0]


def _find_in_scope(ev: Evaluator, file: GraphFile, receiver: Meaning, name: str) -> tuple[Meaning, bool]:
    """The same, and whether the values surely are of the type that these extend."""
    plain = demangle(name)
    if plain == name:
        return NOTHING, False
    family = file.language.family
    tops, members = ev.look_up("tops", family, plain), ev.look_up("members", family, plain)
    is_extended = any(ev.definitions.flags_of(place) & _EXTENSION for place in (*tops, *members))
    if not is_extended and (tops or members or plain not in file.module_names):  # an import may give another name
        return NOTHING, False
    count = _count(name)
    ranks = {
        node: overloads.rank_match(ev, file.language, receiver, stated_types.evaluate_receiver(ev, node))
        for node in _find_named_here(ev, file, plain, members)
        if _accepts(ev, node, count)
    }
    best = max(ranks.values(), default=overloads.NEVER)
    found = sorted(node for node, rank in ranks.items() if rank == best != overloads.NEVER)
    is_known = bool(receiver.values) and all(isinstance(value, Instance) for value in receiver.values)
    confidence = Confidence.TYPE if is_known or best > overloads.MAYBE else Confidence.NAME
    if not found or (confidence == Confidence.NAME and _imports_outside(ev, file, plain)):
        return NOTHING, False
    is_builtin = plain in file.language.outside.builtin_members
    may_be_own = is_builtin and not any(_has_type(value) for value in receiver.values)
    if len({_owner(ev, node) for node in found}) > 1 or (confidence == Confidence.NAME and may_be_own):
        confidence = Confidence.CANDIDATE
    return Meaning(max(receiver.confidence, confidence), tuple(map(Definition, found))), best > overloads.MAYBE


def _imports_outside(ev: Evaluator, file: GraphFile, name: str) -> bool:
    """Whether a file imports a function of that name from outside, which is meant unless another is known to be."""
    binding = file.module_names.get(name)
    return binding is not None and any(isinstance(value, Outside) for value in ev.binding(file, binding).values)


def _has_type(value: Value) -> bool:
    return not isinstance(value, OutsideInstance) or bool(value.name)


def select_overloads(ev: Evaluator, file: GraphFile, callee: int, arguments: int) -> Meaning:
    """The definitions among what `callee` means that take these arguments. A member that takes others makes way for an
    extension of its name, and for what has the name around; what surely takes its receiver comes first."""
    found = overloads.select_overloads(ev, file, callee, arguments)
    if not file.language.extends_any or not _are_definitions(found):
        return found
    exprs = file.exprs
    at, around = callee, list[int]()
    while exprs[at * 3] == Op.ELSE:
        around.append(exprs[at * 3 + 2])
        at = exprs[at * 3 + 1]
    if exprs[at * 3] != Op.ATTR:
        return found
    receiver, name = exprs[at * 3 + 1], file.names[exprs[at * 3 + 2]]
    if exprs[receiver * 3] == Op.THIS:
        around = []  # a class is left for what is around it by the name alone
    around = [other for other in around if exprs[other * 3] != Op.ATTR or exprs[other * 3 + 1] != receiver]
    around = [other for other in around if _means_others(ev.expr(file, other), found)]
    extensions, is_sure = NOTHING, False
    if not any(_is_extension(ev, value.node) for value in found.values if isinstance(value, Definition)):
        extensions, is_sure = _find_in_scope(ev, file, ev.value_of(ev.expr(file, receiver)), name)
    if not (extensions.values or around) or overloads.is_accepted(ev, file, found, callee, arguments):
        return found
    others = [overloads.select_overloads(ev, file, other, arguments) for other in reversed(around)]
    others.insert(0 if is_sure else len(others), extensions)
    inside = filter(_are_definitions, others)
    return next((other for other in inside if overloads.is_accepted(ev, file, other, callee, arguments)), found)


def _means_others(other: Meaning, found: Meaning) -> bool:
    return _are_definitions(other) and not {*_list_nodes(found)}.issuperset(_list_nodes(other))


def _list_nodes(meaning: Meaning) -> list[int]:
    return [value.node for value in meaning.values if isinstance(value, Definition)]


def _are_definitions(found: Meaning) -> bool:
    return bool(found.values) and all(isinstance(value, Definition) for value in found.values)


def _count(name: str) -> int:
    """How many arguments a call passes; -1 where it does not say."""
    digits = name[name.rindex("(") + 1 : -1]
    return int(digits) if digits.isdecimal() else -1


def _accepts(ev: Evaluator, node: int, count: int) -> bool:
    file = ev.file_of_node(node)
    row = node - file.base
    return bool(file.cell(row, Symbol.FLAGS) & SymbolFlag.VARIADIC) or count <= len(file.parameters_of.get(row, ()))


def _owner(ev: Evaluator, node: int) -> tuple[int, int]:
    file = ev.file_of_node(node)
    return file.base, file.cell(node - file.base, Symbol.PARENT)


def _find_named_here(ev: Evaluator, file: GraphFile, name: str, members: Sequence[Place]) -> Iterator[int]:
    """The extensions of a name that a file sees."""
    binding = file.module_names.get(name)
    seen = bindings.evaluate_global(ev, file, name)
    if binding is not None:
        seen = join(ev.binding(file, binding), seen)
    for value in seen.values:
        if isinstance(value, Definition) and _is_extension(ev, value.node):
            other = ev.file_of_node(value.node)
            if other is file or other.cell(value.node - other.base, Symbol.FLAGS) & _EXPORTED:
                yield value.node
    for number, row in members:
        other = ev.files.numbered(number)
        if not other.cell(row, Symbol.FLAGS) & _EXTENSION:
            continue
        if other is file or (not namespaces.is_beside_parent(other, row) and _inherits(ev, file, other, row)):
            yield other.base + row


def _inherits(ev: Evaluator, file: GraphFile, other: GraphFile, row: int) -> bool:
    """Whether a class of a file inherits the member of another file's class."""
    if not other.cell(row, Symbol.FLAGS) & _EXPORTED:
        return False
    owner = partial_definitions.resolve_node(ev, other, other.cell(row, Symbol.PARENT))
    for at in range(1, file.symbol_count):
        if file.cell(at, Symbol.KIND) in CLASS_KINDS:
            order = method_resolution_order.compute_order(ev, file.base + at).values
            if any(isinstance(cls, Definition) and cls.node == owner for cls in order):
                return True
    return False


def _is_extension(ev: Evaluator, node: int) -> bool:
    file = ev.file_of_node(node)
    return bool(file.cell(node - file.base, Symbol.FLAGS) & _EXTENSION)


def find_named(ev: Evaluator, family: str, name: str) -> list[Place]:
    """The extensions of a name, as calls spell it, wherever they are."""
    key = (family, name)
    places = ev.extensions.get(key)
    if places is None:
        members = ev.definitions.members(family, demangle(name))
        places = [
            place for place in members if ev.definitions.flags_of(place) & _EXTENSION and _is_bound(ev, place, name)
        ]
        ev.extensions[key] = places
    return places


def _find_opened(ev: Evaluator, file: GraphFile) -> list[Module]:
    """The namespaces whose names a file sees, in the repository."""
    binding = file.module_names.get("*")
    rows = [] if binding is None else [row for _, row, _ in ev.sources(file, binding)]
    found = (import_resolution.resolve_module(ev, file, row) for row in rows)
    return [module for module in found if isinstance(module, Module)]


def _is_in(ev: Evaluator, modules: list[Module], place: Place) -> bool:
    owner = ev.files.numbered(place[0])
    cls = (place[0], owner.cell(place[1], Symbol.PARENT))
    return any(namespaces.is_member(ev, module, cls) for module in modules)


def _is_bound(ev: Evaluator, place: Place, name: str) -> bool:
    """Whether a method is bound under a name as calls spell it."""
    owner = ev.files.numbered(place[0])
    binding = owner.members.get(owner.cell(place[1], Symbol.PARENT), {}).get(name)
    if binding is None:
        return False
    first, count = (owner.bindings[binding * Binding.WIDTH + column] for column in (Binding.FIRST, Binding.COUNT))
    return any(
        owner.sources[at] == _SYMBOL and owner.sources[at + 1] == place[1]
        for at in range(first * 3, (first + count) * 3, 3)
    )
