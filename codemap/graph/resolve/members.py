"""What `receiver.name` denotes, of a value of any kind."""

from __future__ import annotations

from codemap.facts import Symbol, SymbolKind
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    ContainerInstance,
    ContainerMethod,
    Definition,
    Instance,
    Meaning,
    ModuleObject,
    Outside,
    OutsideInstance,
    ParameterInstance,
    TupleInstance,
    TypeParameter,
    Value,
    join,
    join_all,
    make_container,
    one,
    weaken,
)
from codemap.graph.resolve import (
    class_members,
    extension_methods,
    generics,
    import_resolution,
    partial_definitions,
    protocols,
)
from codemap.graph.resolve.outside import (
    added_members,
    ambient_definitions,
    held_errors,
    inherited_containers,
    outside_bases,
    unknown_receivers,
)
from codemap.languages import by_name
from codemap.mangled_names import demangle

_PLACES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)
_DOTS_MAX = 5
"""Without a bound, what `node = node.next` may hold never ends where `node` comes from outside."""
IMPORT, TYPE = Confidence.IMPORT, Confidence.TYPE


def find_attribute(ev: Evaluator, receiver: Meaning, name: str, file: GraphFile | None = None) -> Meaning:
    """What `receiver.name` denotes. A member of a namespace itself hides those of what the namespace was made from.

    `file` holds the expression, where it is one.
    """
    result = _find_own(ev, receiver, name) if len(receiver.values) > 1 else NOTHING
    if result.values:
        return result
    is_class = name in ev.class_of
    for value in receiver.values:
        if value.__class__ is Instance:
            if is_class and name in class_members.find_language(ev, value).class_of:
                found = one(receiver.confidence, Definition(value.node))
            else:
                found = class_members.find_member(ev, value, name)
                if found is class_members.ONE_OUTSIDE:
                    found = _find_added_to_bases(ev, value, name) or _find_in_containers(ev, value, name) or found
                elif not found.values and class_members.find_language(ev, value).has_defined_types:
                    found = _find_in_underlying(ev, value, name, file)
                found = weaken(found, receiver.confidence)
        elif value.__class__ is Definition:
            found = weaken(class_members.find_member(ev, value, name), receiver.confidence)
        elif value.__class__ is Outside:
            member = Outside(value.package, _join_name(value.name, name), value.has_unknown_owner)
            found = one(receiver.confidence, member)
            if value.is_of_own:
                found = join(found, one(receiver.confidence, unknown_receivers.OF_UNKNOWN))
            if file is not None and value.name in file.language.scopes.global_objects and not value.package:
                declared = _find_global(ev, value, name, file)
                found = weaken(declared, receiver.confidence) if declared.values else found
            elif file is not None and file.language.binds_own_apart and value.name in file.language.scopes.builtins:
                added = added_members.find_added_above(ev, file.language, value.name, name)
                found = weaken(added, receiver.confidence) if added.values else found
        else:
            found = _find_attribute(ev, receiver.confidence, value, name, file)
        result = found if result is NOTHING else join(result, found)
    if file is not None and file.language.extends_any and not any(isinstance(v, Definition) for v in result.values):
        extension = extension_methods.find_in_scope(ev, file, receiver, name)
        result = extension if extension.values else result
    if len(result.values) < 2 or file is None or not file.language.bounds_meet:
        return result
    if any(isinstance(value, Instance) for value in receiver.values):
        known = tuple(value for value in result.values if not isinstance(value, Outside))
        return Meaning(result.confidence, known) if known else result
    return result


def _find_in_underlying(ev: Evaluator, of: Instance, name: str, file: GraphFile | None) -> Meaning:
    """The member that a class has from the type that it is defined as: of a class its fields and what it embeds, but
    not its own methods."""
    made_of = stated_types.evaluate_stated_type(ev, of.node)
    made_of = generics.substitute(made_of, generics.map_arguments(ev, of.node, of.arguments))
    named = tuple(each for each in made_of.values if isinstance(each, Instance) or _is_of_package(each))
    found = find_attribute(ev, Meaning(made_of.confidence, named), name, file) if named else NOTHING
    instances = (each.node for each in made_of.values if isinstance(each, Instance))
    hidden = {node for node in instances if ev.kind_of_node(node) == SymbolKind.CLASS}
    kept = tuple(each for each in found.values if not isinstance(each, Definition) or not _is_method(ev, each, hidden))
    return found if len(kept) == len(found.values) else Meaning(found.confidence, kept) if kept else NOTHING


def _is_of_package(value: Value) -> bool:
    """Whether it is of a type that an outside package names: others have no members."""
    return isinstance(value, OutsideInstance) and bool(value.package)


def _is_method(ev: Evaluator, of: Definition, owners: set[int]) -> bool:
    """Whether it is a method of one of some classes itself."""
    file = ev.file_of_node(of.node)
    row = of.node - file.base
    if file.cell(row, Symbol.KIND) != SymbolKind.METHOD:
        return False
    return partial_definitions.resolve_node(ev, file, file.cell(row, Symbol.PARENT)) in owners


def _find_global(ev: Evaluator, of: Outside, name: str, file: GraphFile) -> Meaning:
    """The definition that every file sees, as a member of a builtin value that has them all."""
    language = file.language
    if name in language.scopes.builtins:
        return NOTHING
    type_name = language.scopes.global_objects[of.name]
    found = ambient_definitions.find_ambient(ev, language, name)
    return found if found.values else ambient_definitions.find_added_outside(ev, language, "", type_name, name)


def _join_name(of: str, name: str) -> str:
    """The name of an outside member; of one that lies too deep, the name of what it is in."""
    if not of:
        return demangle(name)
    return of if of.count(".") > _DOTS_MAX else f"{of}.{demangle(name)}"


def _find_attribute(ev: Evaluator, confidence: Confidence, value: Value, name: str, file: GraphFile | None) -> Meaning:
    """What an attribute of a module, or of a value of a type outside the repository, denotes."""
    match value:
        case ModuleObject(module, language):
            found = import_resolution.find_module_member(ev, module, name, language)
            spoken = by_name()[language]
            if not found.values and spoken.scopes.unbound_is_outside and spoken.scopes.declares_packages:
                found = one(IMPORT, Outside("", demangle(name)))
            return weaken(found, max(confidence, IMPORT))
        case OutsideInstance() | ContainerInstance() if (added := _find_added(ev, file, value, name)).values:
            return weaken(added, confidence)
        case OutsideInstance() if file is not None and _is_of_container(file, value, name):
            held = make_container(NOTHING, NOTHING, NOTHING)
            return one(confidence, ContainerMethod(held.contents, demangle(name), held.weight))
        case OutsideInstance():
            asker = file.language if file is not None else None
            return one(confidence, unknown_receivers.find_member(value, name, ev.containers, asker))
        case TupleInstance() if (
            file is not None and (at := file.language.containers.tuple_members.get(name)) is not None
        ):
            return weaken(value.parts[at], confidence) if at < len(value.parts) else NOTHING
        case TupleInstance() if value.names:
            return weaken(_find_in_object(ev, value, name, file), confidence)
        case TupleInstance() if file is not None and file.language.has_keyed_objects:
            element = protocols.apply_protocol(ev, one(confidence, value), "iter")
            array = make_container(element, element, NOTHING, "Array")
            return _find_attribute(ev, confidence, array, name, file)
        case TupleInstance():
            return one(confidence, unknown_receivers.OF_UNKNOWN)
        case ContainerInstance() if held_errors.is_error(file, value, name):
            return weaken(value.contents.value, confidence)
        case ContainerInstance() if _is_outside_member(file, value, name):
            return one(confidence, Outside("", ""))
        case ContainerInstance():
            return one(confidence, ContainerMethod(value.contents, demangle(name), value.weight))
        case TypeParameter() | ParameterInstance():
            return find_attribute(ev, generics.resolve_parameter(ev, value), name, file)
        case _:
            return one(confidence, Outside("", ""))


def _find_in_object(ev: Evaluator, value: TupleInstance, name: str, file: GraphFile | None) -> Meaning:
    """The member that an object literal has itself, or from what is spread into it."""
    found = protocols.select_named_part(value, name)
    if not found.values:
        for spelled, part in zip(value.names, value.parts, strict=True):
            if spelled.startswith("..."):
                found = join(found, ev.value_of(find_attribute(ev, part, name, file)))
    return found


def _is_of_container(file: GraphFile, value: OutsideInstance, name: str) -> bool:
    """Whether it is a method of a container that says nothing of what it holds: that may be anything."""
    is_container = bool(value.package) and value.name.rpartition(".")[2] in file.language.containers.types
    return is_container and demangle(name) in file.language.containers.methods


def _is_outside_member(file: GraphFile | None, value: ContainerInstance, name: str) -> bool:
    """Whether what a container holds does not matter to one of its members."""
    if file is None or value.name not in file.language.containers.closed:
        return False
    return demangle(name) not in file.language.containers.methods


def _find_added(
    ev: Evaluator, file: GraphFile | None, value: OutsideInstance | ContainerInstance, name: str
) -> Meaning:
    """The member that the repository adds to a type outside, or to one that its values are handed on as."""
    if file is None or demangle(name) in file.language.outside.builtin_members:
        return NOTHING
    type_name = (value.name or "").rpartition(".")[2]
    if file.language.scopes.has_ambient and type_name:
        package = value.package if isinstance(value, OutsideInstance) else ""
        return ambient_definitions.find_added_outside(ev, file.language, package, type_name, name)
    if not file.language.scopes.has_parts:
        return NOTHING
    return added_members.find_added_above(ev, file.language, type_name, name)


def _find_added_to_bases(ev: Evaluator, of: Instance, name: str) -> Meaning | None:
    """The member that the repository adds to a base outside of a class."""
    language = class_members.find_language(ev, of)
    if not language.scopes.has_parts:
        return None
    bases = outside_bases.find_outside_bases(ev, of.node).values
    names = {base.name.rpartition(".")[2] for base in bases if isinstance(base, Outside)}
    found = join_all([added_members.find_added(ev, language, base, name) for base in sorted(names - {""})])
    return found if found.values else None


def _find_in_containers(ev: Evaluator, of: Instance, name: str) -> Meaning | None:
    """The method that a class inherits from a container outside (`class Names extends ArrayList<Name>`)."""
    language, plain = class_members.find_language(ev, of), demangle(name)
    is_of_container = plain in language.containers.methods or plain in language.containers.callbacks
    if not is_of_container or plain in language.outside.in_every_class:
        return None
    held = inherited_containers.find_containers(ev, of)
    methods = [ContainerMethod(v.contents, plain, v.weight) for v in held.values if isinstance(v, ContainerInstance)]
    return Meaning(max(held.confidence, TYPE), tuple(methods)) if methods else None


def _find_own(ev: Evaluator, receiver: Meaning, name: str) -> Meaning:
    """The member that variables among some values have themselves: object literals, and what was assigned to them."""
    result = NOTHING
    for value in receiver.values:
        if isinstance(value, Definition) and value.receiver is None and ev.kind_of_node(value.node) in _PLACES:
            result = join(result, weaken(class_members.find_member(ev, value, name), receiver.confidence))
    return result
