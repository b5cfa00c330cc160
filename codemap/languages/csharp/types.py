"""Types: what a stated type admits, and the uses inside it. A type that may be null is the type.

Delegates of the standard library that state what a function takes and gives are functions of that type.

Source: the C# language specification, "Types", "Type parameters", "Type parameter constraints".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of, visit_children
from codemap.facts import Op, ScopeKind, SourceKind, UseRole
from codemap.languages.csharp.builtins import ANY, ARRAY, CONVERTS, KEYWORDS, names
from codemap.languages.csharp.walk import CSharpWalk, find_child
from codemap.mangled_names import mangle_type

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_OF_SYSTEM = {name: keyword for keyword, name in KEYWORDS.items()}
_DELEGATES = frozenset({"Func", "Action", "Predicate", "Comparison", "Converter"})
_CONSTANTS = names("Empty Epsilon MaxValue MinValue NaN NegativeInfinity PositiveInfinity")


def visit_name(w: CSharpWalk, node: Node) -> int:
    """A bare name where a type is."""
    return use_type(w, node, _READ)


def count_of(node: Node) -> int:
    """How many type arguments a name has; `<,>` has two."""
    listed = find_child(node, "type_argument_list")
    return 0 if listed is None else max(len(children_of(listed)), sum(c.type == "," for c in listed.children) + 1)


def arguments(w: CSharpWalk, node: Node) -> list[int]:
    """Visits the type arguments of a name."""
    listed = find_child(node, "type_argument_list")
    return [
        w.value(type_node) if type_node.type != "identifier" else visit_name(w, type_node)
        for type_node in (children_of(listed) if listed is not None else ())
    ]


def is_implied(declaration: Node) -> bool:
    """Whether a variable is declared without its type: `var x`."""
    stated = declaration.child_by_field_name("type")
    return stated is not None and stated.type == "implicit_type"


def name_of(node: Node) -> Node:
    """The identifier of a name that may have type arguments."""
    return (find_child(node, "identifier") or node) if node.type == "generic_name" else node


def last_name(node: Node) -> Node:
    """The identifier that a type ends in, without what it is qualified by and its arguments."""
    while node.type in ("qualified_name", "alias_qualified_name"):
        inner = node.child_by_field_name("name")
        if inner is None:
            return node
        node = inner
    if node.type == "primary_constructor_base_type":
        return last_name(node.child_by_field_name("type") or node.named_children[0])
    return name_of(node)


def use_type(w: CSharpWalk, node: Node, role: int) -> int:
    """Visits a type whose name is used in a role: read, extended, or called by `new`."""
    value = visit_plain(w, node, role)
    return apply_arguments(w, node, value)


def visit_plain(w: CSharpWalk, node: Node, role: int | None) -> int:
    """Visits a type and reports its use, where there is a role; returns it without type arguments, which are visited by
    `applied`."""
    b = w.b
    match node.type:
        case "identifier":
            name = w.text(node)
            if name in _OF_SYSTEM and not _is_own(w, name):
                return b.literal(_OF_SYSTEM[name])
            return _told(w, w.type_(name), role, node.start_byte)
        case "generic_name":
            name_node = name_of(node)
            name = w.text(name_node)
            if name in _DELEGATES and not _is_own(w, mangle_type(name, count_of(node))):
                return NONE
            return _told(w, w.type_(name, count_of(node)), role, name_node.start_byte)
        case "qualified_name":
            qualifier, last = node.child_by_field_name("qualifier"), node.child_by_field_name("name")
            if qualifier is None or last is None:
                return visit_children(w, node)
            outer = space(w, qualifier)
            value = b.attribute(outer, mangle_type(w.text(name_of(last)), count_of(last)))
            return _told(w, value, role, name_of(last).start_byte)
        case "alias_qualified_name":
            last = node.child_by_field_name("name")
            if last is None:
                return NONE
            value = b.name(mangle_type(w.text(name_of(last)), count_of(last)))
            return _told(w, value, role, name_of(last).start_byte)
        case _:
            return w.value(node)


def _told(w: CSharpWalk, value: int, role: int | None, at: int) -> int:
    if role is not None:
        w.b.use(role, value, at)
    return value


def _is_own(w: CSharpWalk, name: str) -> bool:
    """Whether the file binds a name anywhere."""
    number = w.b.names.get(name)
    return number is not None and any(number in scope.sources for scope in w.b.scopes)


def apply_arguments(w: CSharpWalk, node: Node, value: int) -> int:
    """A type with the arguments that its last name has, which are visited."""
    while node.type in ("qualified_name", "alias_qualified_name"):
        inner = node.child_by_field_name("name")
        if inner is None:
            return value
        node = inner
    if node.type != "generic_name":
        return value
    given = arguments(w, node)
    name = w.text(name_of(node))
    if value == NONE and name in _DELEGATES and given:
        return _delegate(w, name, given)
    return w.b.apply_known(value, given)


def _delegate(w: CSharpWalk, name: str, given: list[int]) -> int:
    b = w.b
    match name:
        case "Func" | "Converter":
            return b.expr(Op.FUNCTION, b.args(given[:-1]), given[-1])
        case "Comparison":
            return b.expr(Op.FUNCTION, b.args(given * 2), NONE)
        case _:
            return b.expr(Op.FUNCTION, b.args(given), NONE)


def space(w: CSharpWalk, node: Node) -> int:
    """What comes before a dot in the name of a type: a namespace or a type, of which types are used."""
    b = w.b
    match node.type:
        case "identifier":
            name = w.text(node)
            value = b.either(w.type_(name), b.name(name))
            b.use(_READ, value, node.start_byte)
            return value
        case "qualified_name":
            qualifier, name_node = node.child_by_field_name("qualifier"), node.child_by_field_name("name")
            if qualifier is None or name_node is None:
                return NONE
            outer = space(w, qualifier)
            name, count = w.text(name_of(name_node)), count_of(name_node)
            value = b.attribute(outer, mangle_type(name, count))
            if count == 0:
                value = b.either(value, b.attribute(outer, name))
            b.use(_READ, value, name_of(name_node).start_byte)
            arguments(w, name_node)
            return value
        case "alias_qualified_name":
            name_node = node.child_by_field_name("name")
            if name_node is None:
                return NONE
            name = w.text(name_of(name_node))
            return b.either(b.name(mangle_type(name, 0)), b.name(name))
        case _:
            return use_type(w, node, _READ)


def generic(w: CSharpWalk, node: Node) -> int:
    return use_type(w, node, _READ)


def visit_inner(w: CSharpWalk, node: Node) -> int:
    """`T?`, `T*`, `ref T`, `scoped T`."""
    type_node = node.child_by_field_name("type") or (node.named_children[0] if node.named_children else None)
    if type_node is not None and node.type == "nullable_type" and f"{w.text(type_node)}?" in CONVERTS:
        return w.b.literal(f"{w.text(type_node)}?")
    return visit_type(w, type_node)


def visit_type(w: CSharpWalk, node: Node | None) -> int:
    """Visits a node that is a type whatever it looks like."""
    if node is None:
        return NONE
    return visit_name(w, node) if node.type == "identifier" else w.value(node)


def array(w: CSharpWalk, node: Node) -> int:
    element = visit_type(w, node.child_by_field_name("type"))
    rank = node.child_by_field_name("rank")
    if rank is not None:
        visit_children(w, rank)
    return array_of(w, element)


def array_of(w: CSharpWalk, element: int) -> int:
    return NONE if element == NONE else w.b.apply(w.b.name(ARRAY), [element])


def primitive(w: CSharpWalk, node: Node) -> int:
    return w.b.literal(w.text(node))


def is_constant(w: CSharpWalk, receiver: Node | None, name: Node) -> bool:
    """Whether a member is a constant of the type that a keyword means, which is of that type."""
    return receiver is not None and receiver.type == "predefined_type" and w.text(name) in _CONSTANTS


def tuple_(w: CSharpWalk, node: Node) -> int:
    found = [
        visit_type(w, child.child_by_field_name("type"))
        for child in node.named_children
        if child.type == "tuple_element"
    ]
    return w.b.tuple_of([w.b.wrap(Op.INSTANCE, part) for part in found]) if found else NONE


def open_parameters(w: CSharpWalk, node: Node, owner: int) -> list[int]:
    """Opens a scope for the type parameters of a declaration, with what bounds them; gives the bounds in order."""
    b = w.b
    b.open_scope(ScopeKind.BLOCK, owner)
    listed = node.child_by_field_name("type_parameters") or find_child(node, "type_parameter_list")
    named = type_parameters(w, listed)
    any_ = b.name(ANY)
    for position, name in enumerate(named):
        for key in (name, mangle_type(name, 0)):
            b.bind(key, SourceKind.TYPE_PARAMETER, owner, position)
            b.bind(key, SourceKind.VALUE, any_)
    bounds = dict.fromkeys(named, NONE)
    for clause in node.named_children:
        if clause.type != "type_parameter_constraints_clause" or not clause.named_children:
            continue
        name = w.text(clause.named_children[0])
        for constraint in clause.named_children[1:]:
            type_node = constraint.child_by_field_name("type")
            bound = visit_type(w, type_node)
            if bound != NONE and bounds.get(name, 0) == NONE:
                bounds[name] = bound
    for name, bound in bounds.items():
        if bound != NONE:
            for key in (name, mangle_type(name, 0)):
                b.scope.sources[b.intern(key)][1] = (int(SourceKind.VALUE), bound, NONE)
    return list(bounds.values())


def type_parameters(w: CSharpWalk, listed: Node | None) -> list[str]:
    """The names of type parameters."""
    found = []
    for child in listed.named_children if listed is not None else ():
        name = child.child_by_field_name("name")
        if child.type == "type_parameter" and name is not None:
            found.append(w.text(name))
    return found


def parameter_count(node: Node) -> int:
    """How many type parameters a declaration has."""
    listed = node.child_by_field_name("type_parameters") or find_child(node, "type_parameter_list")
    return sum(child.type == "type_parameter" for child in listed.named_children) if listed is not None else 0
