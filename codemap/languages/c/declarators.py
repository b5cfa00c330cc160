"""Declarators: the name that one declares, and whether as a function, a function pointer or an object.

Source: ISO/IEC 9899:2018, 6.7.6 "Declarators".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SourceKind, UseRole
from codemap.languages.c.keywords import KEYWORDS
from codemap.languages.c.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

NAMES = frozenset(
    {
        "identifier",
        "field_identifier",
        "type_identifier",
        "qualified_identifier",
        "destructor_name",
        "operator_name",
        "operator_cast",
    }
)
_POINTERS = frozenset(
    {
        "pointer_declarator",
        "array_declarator",
        "block_pointer_declarator",
        "reference_declarator",
        "abstract_reference_declarator",
        "abstract_pointer_declarator",
        "abstract_array_declarator",
    }
)
_REFERENCES = frozenset({"reference_declarator", "abstract_reference_declarator"})
_FUNCTIONS = frozenset({"function_declarator", "abstract_function_declarator"})
_POINTER_PLACES = frozenset({"field_declaration", "type_definition", "parameter_declaration"})
_VARIADIC = frozenset({"...", "variadic_parameter", "variadic_parameter_declaration"})
_DECLARATORS = frozenset(
    {
        *_POINTERS,
        *_FUNCTIONS,
        "parenthesized_declarator",
        "abstract_parenthesized_declarator",
        "attributed_declarator",
        "structured_binding_declarator",
        "init_declarator",
    }
)


class Declared(NamedTuple):
    """What a declarator says."""

    name: Node | None
    parameters: Node | None
    """The parameters of a function or of what a pointer to one takes; None for other objects."""
    is_function: bool
    returns_function: bool
    """Whether the result is a pointer to a function."""
    pointers: int
    """How many pointers and arrays the object, or the result of the function, is of."""
    parts: Node | None = None
    """The names of the parts that are bound (`auto [a, b] = …`)."""


def read(w: Walk, node: Node | None) -> Declared:
    """Takes a declarator apart; visits the sizes of arrays, and not the parameters."""
    if node is not None and (called := _find_called(node)) is not None:
        macro, name, given = called
        w.b.use(UseRole.CALL, w.b.name(w.text(macro)), macro.start_byte)
        return Declared(name, given, is_function=w.members_are_functions, returns_function=False, pointers=0)
    function: Node | None = None
    parts: Node | None = None
    functions = pointers = 0
    is_pointer = False
    while node is not None and node.type not in NAMES:
        if node.type in _FUNCTIONS:
            function = node
            functions += 1
            is_pointer = False
        elif node.type in _POINTERS:
            is_pointer = True
            pointers += function is None and node.type not in _REFERENCES
            w.field(node, "size")
        elif node.type == "structured_binding_declarator":
            parts, node = node, None
            break
        elif node.type == "init_declarator":
            node = node.child_by_field_name("declarator")
            continue
        node = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type in _DECLARATORS or child.type in NAMES), None
        )
    if node is not None and (cast := _find_cast(node)) is not None:
        function, is_pointer = _find_function(cast), False
    if node is not None and (node.is_missing or w.text(node) in KEYWORDS):
        node = None
    if function is None:
        return Declared(node, None, is_function=False, returns_function=False, pointers=pointers, parts=parts)
    parameters = function.child_by_field_name("parameters")
    return Declared(node, parameters, is_function=not is_pointer, returns_function=functions > 1, pointers=pointers)


def _find_called(node: Node) -> tuple[Node, Node, Node] | None:
    """The macro, the name and the parameters of a member, type or parameter whose name is the argument of a macro, as
    that of a pointer to a function may be: `int CALLBACK(read)(int)`. No function gives a function."""
    if node.parent is None or node.parent.type not in _POINTER_PLACES:
        return None
    inner: Node | None = node
    while inner is not None and inner.type in _POINTERS:
        inner = inner.child_by_field_name("declarator")
    if inner is None or inner.type != "function_declarator":
        return None
    macro, parameters = inner.child_by_field_name("declarator"), inner.child_by_field_name("parameters")
    if macro is None or macro.type != "function_declarator" or parameters is None:
        return None
    listed = macro.child_by_field_name("parameters")
    given = [] if listed is None else listed.named_children
    if len(given) != 1 or given[0].child_by_field_name("declarator") is not None:
        return None
    name = given[0].child_by_field_name("type")
    return None if name is None or name.type != "type_identifier" else (macro.named_children[0], name, parameters)


def _find_cast(node: Node) -> Node | None:
    """The conversion `operator T` that a name is, with or without its class."""
    inner: Node | None = node
    while inner is not None and inner.type == "qualified_identifier":
        inner = inner.child_by_field_name("name")
    return inner if inner is not None and inner.type == "operator_cast" else None


def _find_function(node: Node) -> Node | None:
    """The function in `operator T*() const`, behind its pointers."""
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type not in _FUNCTIONS:
        inner = inner.child_by_field_name("declarator")
    return inner


def result(w: Walk, declared: Declared, base: int) -> int:
    """The type of what a function gives, by the type in front of its declarator."""
    base = w.pointer(base, declared.pointers)
    return w.b.expr(Op.FUNCTION, NONE, base) if declared.returns_function else base


def type_of(w: Walk, declared: Declared, base: int) -> int:
    """The type of an object; visits the parameters of a function pointer."""
    base = w.pointer(base, declared.pointers)
    if declared.parameters is None:
        return base
    listed = [type_ for _, type_ in parameters(w, declared.parameters)]
    return w.b.expr(Op.FUNCTION, w.b.args(listed), base)


def parameters(w: Walk, node: Node | None) -> list[tuple[Node | None, int]]:
    """Names (None where there is none) and types of a list of parameters, in order; visits the types."""
    found: list[tuple[Node | None, int]] = []
    for child in node.named_children if node is not None else ():
        if child.type == "identifier":
            found.append((child, NONE))
        elif child.type in (
            "parameter_declaration",
            "optional_parameter_declaration",
            "variadic_parameter_declaration",
        ):
            base = w.field(child, "type")
            declared = read(w, child.child_by_field_name("declarator"))
            w.field(child, "default_value")
            if declared.name is not None or child.child_by_field_name("declarator") is not None:
                found.append((declared.name, type_of(w, declared, base)))
            elif not _is_void(w, child):
                found.append((None, base))
    return found


def is_variadic(node: Node | None) -> bool:
    """Whether a list of parameters takes further arguments."""
    return node is not None and any(child.type in _VARIADIC for child in node.children)


def _is_void(w: Walk, node: Node) -> bool:
    return w.chars[node.start_byte : node.end_byte] == "void"


def bind(w: Walk, name: str, type_expr: int, value: int) -> None:
    """Binds a local variable by its stated type, else by its value."""
    if type_expr != NONE:
        w.declare(name, SourceKind.TYPED, type_expr)
    elif value != NONE:
        w.declare(name, SourceKind.VALUE, value)
    else:
        w.declare(name, SourceKind.OPAQUE)


def bind_parts(w: Walk, parts: Node, value: int) -> None:
    """Binds the names of `auto [a, b] = value`."""
    for position, name in enumerate(child for child in parts.named_children if child.type == "identifier"):
        bind(w, w.text(name), NONE, NONE if value == NONE else w.b.expr(Op.ITEM, value, position))
