"""Extension methods: functions that are called as members of the type of their first parameter.

A file sees those of the namespaces that it is in and of those that it opens. One that states a type that the value has
is meant; where it is not known whether the value has it, the only one is a guess by name, and of several each may be.
"""

from __future__ import annotations

from codemap.facts import Base, Binding, SourceKind, Symbol, SymbolFlag
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.definitions import Place
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    ContainerInstance,
    Definition,
    Instance,
    Meaning,
    OutsideInstance,
)
from codemap.graph.resolve import bindings, import_resolution, namespaces, overloads
from codemap.languages.project import Module
from codemap.mangled_names import demangle

_EXTENSION = int(SymbolFlag.EXTENSION)
_SYMBOL = int(SourceKind.SYMBOL)
_OBJECTS = (Instance, OutsideInstance, ContainerInstance)


def find_extensions(ev: Evaluator, file: GraphFile, receiver: Meaning, name: str) -> Meaning:
    """The extensions that a file sees under a name, as its calls spell it, for one of some values."""
    objects = Meaning(receiver.confidence, tuple(value for value in receiver.values if isinstance(value, _OBJECTS)))
    if not objects.values:
        return NOTHING
    ranks: dict[Place, int] = {}
    for place in _find_visible(ev, file, name):
        owner = ev.files.numbered(place[0])
        has_any = bool(owner.parameters_of.get(place[1]))
        stated = stated_types.evaluate_parameter_type(ev, owner, place[1], 0) if has_any else NOTHING
        rank = overloads.rank_match(ev, file.language, objects, stated)
        if rank != overloads.NEVER:
            ranks[place] = rank
    best = max(ranks.values(), default=overloads.NEVER)
    values = tuple(Definition(ev.definitions.node_of(place)) for place, rank in sorted(ranks.items()) if rank == best)
    is_outside = all(not isinstance(value, Instance) for value in objects.values)
    may_be_own = is_outside and demangle(name) in file.language.builtin_members
    if best > overloads.MAYBE:
        return Meaning(max(Confidence.NAME if may_be_own else Confidence.TYPE, receiver.confidence), values)
    if may_be_own:
        return NOTHING
    return Meaning(Confidence.NAME if len(values) == 1 else Confidence.CANDIDATE, values)


def _find_visible(ev: Evaluator, file: GraphFile, name: str) -> list[Place]:
    """The extensions of a name in the namespaces that a file opens."""
    ev.note("extensions", file.language.family, name)
    places = find_named(ev, file.language.family, name)
    if not places:
        return []
    modules = _find_opened(ev, file)
    return [place for place in places if _is_in(ev, modules, place)]


def find_unbounded(ev: Evaluator, file: GraphFile, receiver: Meaning, name: str) -> Meaning:
    """The functions at the top level that a file sees under a name, as its calls spell it, and that are called on
    values of any type, or of any below one that they state. A value of a known class has no member that comes first."""
    plain = demangle(name)
    if plain == name:
        return NOTHING
    tops = ev.look_up("tops", file.language.family, plain)
    if not any(ev.definitions.flags_of(place) & _EXTENSION for place in tops):
        return NOTHING
    binding = file.module_names.get(plain)
    seen = bindings.evaluate_global(ev, file, plain) if binding is None else ev.binding(file, binding)
    found: dict[int, int] = {}
    for value in seen.values:
        if isinstance(value, Definition) and _is_extension(ev, value.node):
            rank = overloads.rank_match(ev, file.language, receiver, evaluate_receiver(ev, value.node))
            if rank != overloads.NEVER:
                found[value.node] = rank
    best = max(found.values(), default=0)
    values = tuple(Definition(node) for node, rank in found.items() if rank == best)
    is_known = bool(receiver.values) and all(isinstance(value, Instance) for value in receiver.values)
    return Meaning(max(seen.confidence, Confidence.TYPE if is_known else Confidence.NAME), values)


def _is_extension(ev: Evaluator, node: int) -> bool:
    file = ev.file_of_node(node)
    return bool(file.cell(node - file.base, Symbol.FLAGS) & _EXTENSION)


def evaluate_receiver(ev: Evaluator, node: int) -> Meaning:
    """The values that an extension is called on, where it states a type for them."""
    file = ev.file_of_node(node)
    stated = file.base_rows.get(node - file.base, ())
    expr = file.bases[stated[0] * Base.WIDTH + Base.EXPR] if stated else -1
    return ev.ask(file, ("receiver", node), lambda: ev.evaluate_type(file, expr))


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
