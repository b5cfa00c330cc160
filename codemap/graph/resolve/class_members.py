"""Member lookup in classes, in their instances, and in other namespaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import dropwhile, takewhile

from codemap.facts import Symbol, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator, Space, StatedMetaclass
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    BEHIND,
    CLASS_KINDS,
    NOTHING,
    PART,
    Confidence,
    Definition,
    Instance,
    Meaning,
    ReceiverMark,
    Value,
    join_all,
    one,
)
from codemap.graph.resolve import generics, import_resolution, method_resolution_order, partial_definitions
from codemap.graph.resolve.outside import ambient_definitions
from codemap.graph.resolve.outside.function_members import is_of_every_function, select_for
from codemap.languages.language import Language
from codemap.mangled_names import demangle, mangle_method

SUPER = "super"
"""In the key of a member of an instance whose class is passed over."""
_KIND = Symbol.KIND
ONE_OUTSIDE = one(Confidence.EXACT, method_resolution_order.OUTSIDE)
"""A member that a base which is not known may have."""
_NO_NAMES: Mapping[str, int] = {}


def find_language(ev: Evaluator, value: Instance) -> Language:
    """The language of the class of a value."""
    return ev.file_of_node(value.node).language


def has_members(file: GraphFile, row: int) -> bool:
    """Whether a symbol is a namespace: a class, an object literal, a function with members or bases."""
    return row in file.members or row in file.children or method_resolution_order.inherits(file, row)


def find_member(ev: Evaluator, of: Definition | Instance, name: str) -> Meaning:
    """The member `name` of a class, of an instance of it, or of another namespace."""
    node = of.node
    key: tuple[object, object, bool, str]
    if isinstance(of, Instance):
        if of.arguments is not None:
            found = find_member(ev, Instance(node), name)
            of_base = None if found.values and found is not ONE_OUTSIDE else _find_in_arguments(ev, of, name)
            return generics.attach_receiver(ev, of, found) if of_base is None else of_base
        key = (node, SUPER if of.is_super else None, False, name)
    else:
        through = of.receiver
        if through is not None and (
            isinstance(through, Instance) or (isinstance(through, int) and ev.kind_of_node(node) in CLASS_KINDS)
        ):
            of = Definition(node)  # whose class, or what namespace, it was reached through changes nothing
            through = None
        key = (node, through, True, name)
    solver = ev.solver
    frame = solver.frame
    frame.asked[key] = None
    known = ev.members.get(key)
    if known is not None:
        return known
    outer_low = solver.begin()
    solver.frame = ev.file_of_node(node)
    found = _find_member(ev, of, name)
    if len(found.values) > 1 and (kept := select_for(ev, of, found)).values:
        found = kept
    is_apart = isinstance(of, Definition) and solver.frame.language.binds_own_apart
    if isinstance(of, Definition) and is_of_every_function(ev, of, name, found):
        found = ONE_OUTSIDE
    if is_apart and demangle(name) == name and not _is_of_class(ev, found):
        found = find_member(ev, of, mangle_method(name))
    solver.frame = frame
    if solver.end(outer_low, found) is found:
        ev.members[key] = found
    return found


def _is_of_class(ev: Evaluator, found: Meaning) -> bool:
    """Whether something has been found, and no methods, which plain names mean of the instances."""
    nodes = (value.node for value in found.values if isinstance(value, Definition))
    return bool(found.values) and all(ev.kind_of_node(node) != SymbolKind.METHOD for node in nodes)


def find_constructors(ev: Evaluator, cls: Definition) -> Meaning:
    """The constructors that a class has by the first name under which it has any."""
    names = ev.file_of_node(cls.node).language.constructor_members
    return next((found for name in names if (found := find_member(ev, cls, name)).values), NOTHING)


def _find_in_arguments(ev: Evaluator, of: Instance, name: str) -> Meaning | None:
    """A member that a class has from a base that is one of its type parameters."""
    values: list[Value] = []
    for cls in method_resolution_order.compute_order(ev, of.node).values:
        if isinstance(cls, Definition) and (parameters := method_resolution_order.list_parameter_bases(ev, cls.node)):
            given = generics.map_arguments_above(ev, of, cls.node)
            for each in parameters:
                values += given.get((each.node, each.position), NOTHING).values
    found = [find_member(ev, value, name) for value in values if isinstance(value, Instance)]
    return join_all(found) if found else None


def _find_member(ev: Evaluator, of: Definition | Instance, name: str) -> Meaning:
    node = of.node
    through = of.receiver if isinstance(of, Definition) else None
    file = ev.file_of_node(node)
    if not method_resolution_order.inherits(file, node - file.base):
        behind = BEHIND if through is BEHIND else None
        own = _find_own(ev, file, node - file.base, name, behind) or NOTHING
        return own if own.values else import_resolution.resolve_starred_in(ev, file, node - file.base, name)
    receiver = through if isinstance(through, int) else node
    is_super = isinstance(of, Instance) and of.is_super
    if not is_super and ev.cells.get(("order", node)).__class__ is not Meaning:
        held = _find_in_parts(ev, node, name, receiver)
        if held is not None and select_for(ev, of, held).values:
            return held
    classes = method_resolution_order.compute_order(ev, node).values
    spaces, stated = _collect_spaces(ev, node, classes)
    if is_super:
        spaces = spaces[1 + sum(1 for _ in takewhile(_is_part, classes[1:])) :]
    of_other: Meaning | None = None
    for members, children, owner, row in spaces:
        if name in members or name in children:
            if row in owner.mixins and demangle(name) != name and not _is_part_of(classes, owner.base + row):
                continue  # of what the class has itself, nothing comes from a mixin
            found = _find_own(ev, owner, row, name, receiver)
            if found is not None and found.values and not select_for(ev, of, found).values:
                of_other = of_other or found
            elif found is not None and found.values:
                if owner.language.scopes.builds_choose_files or owner.language.scopes.is_loaded_at_run_time:
                    others = _find_in_next_parts(ev, classes, owner.base + row, name, receiver)
                    return partial_definitions.join_parts(ev, [(owner, found), *others])
                return found
    if of_other is not None:
        return of_other
    for _, _, owner, row in spaces if file.language.scopes.has_ambient else ():
        for other in ambient_definitions.find_continued(ev, owner, row):
            found = _find_continued(ev, other, name)
            if found.values:
                return found
    is_open = classes[-1:] == (method_resolution_order.OUTSIDE,)
    if not is_open and demangle(name) in file.language.outside.in_every_class:
        return ONE_OUTSIDE
    found = _find_in_metaclass(ev, stated, name, node) if stated and isinstance(of, Definition) else NOTHING
    if found.values or not is_open:
        return found
    if file.language.outside.inherited_members and name not in file.language.outside.inherited_members:
        return found
    may_be_given = any(
        isinstance(cls, Definition) and method_resolution_order.list_parameter_bases(ev, cls.node) for cls in classes
    )
    return found if may_be_given else ONE_OUTSIDE


def _find_continued(ev: Evaluator, cls: int, name: str) -> Meaning:
    """A member of a declaration that goes on with another, or of its bases."""
    for each in method_resolution_order.compute_order(ev, cls).values:
        if isinstance(each, Definition):
            file = ev.file_of_node(each.node)
            found = _find_own(ev, file, each.node - file.base, name, cls)
            if found is not None and found.values:
                return found
    return NOTHING


def _find_in_parts(ev: Evaluator, cls: int, name: str, receiver: int) -> Meaning | None:
    """A member of the class itself or of one of its parts, looked up before the order of bases is known: bases can be
    named by such members, and two classes that do so with each other's would wait for each other."""
    file = ev.file_of_node(cls)
    whole = partial_definitions.resolve_node(ev, file, cls - file.base)
    file = ev.file_of_node(whole)
    held: list[tuple[GraphFile, Meaning]] = []
    for each in (whole, *partial_definitions.find_parts(ev, file, whole - file.base)):
        owner = ev.file_of_node(each)
        found = _find_own(ev, owner, each - owner.base, name, receiver)
        if found is not None and found.values:
            held.append((owner, found))
            if not (file.language.scopes.builds_choose_files or file.language.scopes.is_loaded_at_run_time):
                break
    return partial_definitions.join_parts(ev, held) if held else None


def _find_in_next_parts(
    ev: Evaluator, classes: tuple[Value, ...], node: int, name: str, receiver: int | ReceiverMark | None
) -> Iterator[tuple[GraphFile, Meaning]]:
    """The same member in the parts of a class that follow one of them in its order."""
    following = dropwhile(lambda each: not (isinstance(each, Definition) and each.node == node), classes)
    next(following, None)
    for part in takewhile(_is_part, following):
        if isinstance(part, Definition):
            owner = ev.file_of_node(part.node)
            found = _find_own(ev, owner, part.node - owner.base, name, receiver)
            if found is not None and found.values:
                yield owner, found


def _is_part_of(classes: tuple[Value, ...], node: int) -> bool:
    """Whether a node is the class, or a part of the class, whose order this is."""
    whole, *others = classes
    parts = takewhile(_is_part, others)
    return any(isinstance(each, Definition) and each.node == node for each in (whole, *parts))


def _is_part(value: Value) -> bool:
    """Whether a value of an order is a part of the class."""
    return isinstance(value, Definition) and value.receiver is PART


def _collect_spaces(ev: Evaluator, cls: int, classes: tuple[Value, ...]) -> tuple[list[Space], list[StatedMetaclass]]:
    """The namespaces of the classes in an order, which is that of one of them, and the metaclasses that these state.
    They are kept as long as the order does not change: most names are looked for in each class, and are in none."""
    known = ev.spaces.get(cls)
    if known is None or known[0] is not classes:
        spaces: list[Space] = []
        stated: list[StatedMetaclass] = []
        for each in classes:
            if isinstance(each, Definition):
                file = ev.file_of_node(each.node)
                row = each.node - file.base
                spaces.append((file.members.get(row, _NO_NAMES), file.children.get(row, _NO_NAMES), file, row))
                if row in file.metaclasses and (row not in file.mixins or _is_part_of(classes, each.node)):
                    stated.append((file, row))
        known = ev.spaces[cls] = (classes, spaces, stated)
    return known[1:]


def _find_in_metaclass(ev: Evaluator, stated: list[StatedMetaclass], name: str, receiver: int) -> Meaning:
    """The member that a class has by the class that it is an instance of, as itself and its bases state it.

    Where methods are bound apart from what else there is (`has_overloads`), it is one of those. What makes an instance
    is none: every class has that from the base of all, before its metaclass is asked.
    """
    plain, language = demangle(name), ev.file_of_node(receiver).language
    if (plain == name and language.has_overloads) or name in language.constructors or name in language.allocators:
        return NOTHING
    for file, row in stated:
        for meta in evaluate_metaclass(ev, file.base + row).values:
            if isinstance(meta, Definition) and meta.node != file.base + row:
                found = find_member(ev, Instance(meta.node), plain)
                known = tuple(Definition(v.node, receiver) for v in found.values if isinstance(v, Definition))
                if known:
                    return Meaning(found.confidence, known)
    return NOTHING


def evaluate_metaclass(ev: Evaluator, node: int) -> Meaning:
    """What a class itself states as its metaclass."""
    file = ev.file_of_node(node)
    expr = file.metaclasses.get(node - file.base, -1)
    return ev.ask(file, ("metaclass", node), lambda: ev.value_of(ev.expr(file, expr)))


def _find_own(
    ev: Evaluator, file: GraphFile, row: int, name: str, receiver: int | ReceiverMark | None
) -> Meaning | None:
    members = file.members.get(row)
    binding = None if members is None else members.get(name)
    if binding is not None:
        found = ev.binding(file, binding) if ev.solver.frame is file else ev.evaluate_name(file, row, name)
        if receiver is None:
            return found
        if len(found.values) == 1:
            only = found.values[0]
            return one(found.confidence, Definition(only.node, receiver)) if isinstance(only, Definition) else found
        bound = tuple(Definition(v.node, receiver) if isinstance(v, Definition) else v for v in found.values)
        return Meaning(found.confidence, bound)
    children = file.children.get(row)
    child = None if children is None else children.get(name)
    if child is None:
        return None
    return one(Confidence.EXACT, Definition(partial_definitions.resolve_node(ev, file, child), receiver))
