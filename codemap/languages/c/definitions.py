"""Functions, prototypes, variables and type names.

A prototype or an `extern` stands for the definition of the same name that another file has, or a later line.

Source: ISO/IEC 9899:2018, 6.7 "Declarations", 6.9 "External definitions".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.c import declarators, test_macros
from codemap.languages.c.declarators import Declared
from codemap.languages.c.initializers import elements, initializer
from codemap.languages.c.records import forward, is_behind_macro, is_nameless
from codemap.languages.c.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node
_RECORDS = frozenset({"struct_specifier", "union_specifier", "enum_specifier"})


def function(w: Walk, node: Node, named: Node | None = None) -> int:
    """A function with its body; `named`: its own name, where others are before that."""
    b = w.b
    declared = declarators.read(w, node.child_by_field_name("declarator"))
    name_node, block = named or declared.name, node.child_by_field_name("body")
    if name_node is None or not declared.is_function or block is None:
        return visit_children(w, node)
    name = w.text(name_node)
    is_made = node.child_by_field_name("type") is None and name.isupper() and declared.parameters is not None
    flags = int(SymbolFlag.UNNAMED) | test_macros.flags_of(name) if is_made else w.linkage(node)
    if is_made and declared.parameters is not None:
        b.use(UseRole.CALL, b.name(name), name_node.start_byte)
        listed = [each for each in declared.parameters.named_children if each.type == "parameter_declaration"]
        name_node = _macro_argument(listed[-1]) if listed else name_node
        name = w.text(name_node)
        declared = declared._replace(parameters=None)
    symbol = w.define(
        name,
        SymbolKind.FUNCTION,
        node,
        name_node,
        flags=flags,
        body=block,
    )
    w.own_parameters(symbol)
    if is_made:
        w.use_fixture(symbol)
    else:
        w.declare_function(name, symbol)
        if w.is_top():
            w.defined.setdefault(w.key(name), symbol)
            w.note_function(name, symbol, declared.parameters)
    given = declarators.result(w, declared, result_type(w, node, symbol))
    if given != NONE:
        b.set_type(symbol, given)
    body(w, symbol, declared, _old_style(w, node), block.named_children)
    return NONE


def result_type(w: Walk, node: Node, symbol: int) -> int:
    """The type in front of a function's declarator, used by the function; one that it defines surrounds it."""
    type_node, owner = node.child_by_field_name("type"), w.b.owner
    if type_node is not None and type_node.child_by_field_name("body") is None:
        w.b.owner = symbol
    base = w.value(type_node)
    w.b.owner = owner
    return base


def _macro_argument(node: Node) -> Node:
    """The name in the last argument of a macro that makes a function of a block (`TEST(suite, name) {…}`): it shows
    what the block is, and is not what the function is called."""
    return node.child_by_field_name("type") or node


def body(
    w: Walk,
    symbol: int,
    declared: Declared,
    old: dict[str, int],
    block: list[Node],
    named: Sequence[Node] = (),
    types: Sequence[int] = (),
) -> None:
    """Visits the block of a function; `named` and `types` are parameters, and their types, that a macro makes."""
    b = w.b
    with w.function(symbol):
        if declarators.is_variadic(declared.parameters):
            b.add_flags(symbol, SymbolFlag.VARIADIC)
        for name_node, stated in declarators.parameters(w, declared.parameters):
            name = None if name_node is None else w.text(name_node)
            type_expr = old.get(name, stated) if name is not None else stated
            b.parameter(symbol, name, type_expr)
            if name is not None:
                b.bind_typed(name, type_expr)
        for each, type_expr in zip(named, types, strict=False):
            b.bind_typed(w.text(each), type_expr)
        if (given := w.visit_behind(declared.parameters)) != NONE:
            b.set_type(symbol, given)
        for child in block:
            w.value(child)


def _old_style(w: Walk, node: Node) -> dict[str, int]:
    """Types of parameters by name, where they are between the list and the body."""
    found: dict[str, int] = {}
    for child in node.named_children:
        if child.type == "declaration":
            base = w.field(child, "type")
            for each in child.children_by_field_name("declarator"):
                declared = declarators.read(w, each)
                if declared.name is not None:
                    found[w.text(declared.name)] = declarators.type_of(w, declared, base)
    return found


def declaration(w: Walk, node: Node) -> int:
    type_node = node.child_by_field_name("type")
    given = node.children_by_field_name("declarator")
    if type_node is not None and w.is_top() and is_behind_macro(w, node, type_node, given):
        w.value(type_node)
        return forward(w, node, given[0])
    nameless = type_node if given and w.is_top() and type_node is not None and is_nameless(type_node) else None
    base = w.value(type_node) if nameless is None else NONE
    for each in given:
        declared = declarators.read(w, each)
        if declared.parts is not None and not w.is_top():
            declarators.bind_parts(w, declared.parts, w.field(each, "value"))
        elif declared.name is None:
            visit_children(w, each)
        elif (
            type_node is not None and type_node.child_by_field_name("body") is not None and _is_packed(w, declared.name)
        ):
            continue
        elif declared.is_function:
            _prototype(w, node, declared.name, declared, base)
        else:
            value = (each if each.type == "init_declarator" else node).child_by_field_name("value")  # or a condition's
            made = None if declared.pointers or declared.parameters is not None else type_node
            _variable(w, node, declared, declarators.type_of(w, declared, base), value, nameless, made)
    return NONE


def _is_packed(w: Walk, node: Node) -> bool:
    """Whether what follows the body of a type is an attribute by its name, and not a variable."""
    name = w.text(node)
    return name.startswith("__") and name.islower()


def _prototype(w: Walk, node: Node, name_node: Node, declared: Declared, base: int) -> None:
    if w.is_top():
        w.defer(lambda: _declare_function(w, node, name_node, declared, base))
    elif w.constructs(declared.parameters):
        w.make(node.child_by_field_name("type"), base)
        declarators.bind(w, w.text(name_node), base, NONE)
    else:
        declarators.parameters(w, declared.parameters)


def _declare_function(w: Walk, node: Node, name_node: Node, declared: Declared, base: int) -> None:
    """One prototype stands for a function that the file does not define, each overload a function; others, like those
    of one that it does define, only name types."""
    b = w.b
    name = w.text(name_node)
    known = w.find_function(name, declared.parameters)
    symbol = _declaration(w, node, name_node, SymbolKind.FUNCTION) if known is None else known
    if known is None:
        w.note_function(name, symbol, declared.parameters)
    if known is None and declarators.is_variadic(declared.parameters):
        b.add_flags(symbol, SymbolFlag.VARIADIC)
    if known is None:
        w.own_parameters(symbol)
    with b.definition(symbol):
        found = declarators.parameters(w, declared.parameters)
    given = declarators.result(w, declared, base)
    if known is None:
        for parameter, type_expr in found:
            b.parameter(symbol, None if parameter is None else w.text(parameter), type_expr)
        if given != NONE:
            b.set_type(symbol, given)
        w.declare_behind(symbol, declared.parameters, found)


def _declaration(w: Walk, node: Node, name_node: Node, kind: SymbolKind) -> int:
    """A symbol that stands for what another file defines."""
    b = w.b
    name = w.text(name_node)
    symbol = w.define(name, kind, node, name_node, flags=w.linkage(node))
    b.declaration(symbol)
    if kind == SymbolKind.FUNCTION:
        w.declare_function(name, symbol)
    else:
        b.bind(name, SourceKind.SYMBOL, symbol)
    w.defined[w.key(name)] = symbol
    return symbol


def _declare_variable(w: Walk, node: Node, name_node: Node, type_expr: int) -> None:
    if w.key(w.text(name_node)) not in w.defined:
        symbol = _declaration(w, node, name_node, SymbolKind.VARIABLE)
        if type_expr != NONE:
            w.b.set_type(symbol, type_expr)


def _variable(
    w: Walk,
    node: Node,
    declared: Declared,
    type_expr: int,
    value_node: Node | None,
    nameless: Node | None,
    made: Node | None,
) -> None:
    """A variable, perhaps of a struct without a name; `made`: the type whose constructor may make it."""
    b, name_node = w.b, declared.name
    assert name_node is not None, "a variable has a name"
    name = w.text(name_node)
    if not w.is_top():
        w.make(made, type_expr, value_node)
        value = initializer(w, value_node, type_expr, declared.pointers)
        declarators.bind(w, name, type_expr, value)
        return
    if value_node is None and nameless is None and _is_extern(w, node):
        w.defer(lambda: _declare_variable(w, node, name_node, type_expr))
        return
    symbol = w.define(name, SymbolKind.VARIABLE, node, name_node, flags=w.linkage(node), body=value_node)
    w.defined.setdefault(w.key(name), symbol)
    b.bind(name, SourceKind.SYMBOL, symbol)
    if type_expr != NONE:
        b.set_type(symbol, type_expr)
    with b.definition(symbol):
        if nameless is not None:
            w.holder = symbol
            w.value(nameless)
        w.make(made, type_expr, value_node)
        if nameless is not None and value_node is not None and value_node.type == "initializer_list":
            elements(w, value_node, b.name(name), declared.pointers)
            value = NONE
        else:
            value = initializer(w, value_node, type_expr, declared.pointers)
    if type_expr == NONE and value != NONE:
        b.add_value(symbol, value)


def _is_extern(w: Walk, node: Node) -> bool:
    return any(child.type == "storage_class_specifier" and w.text(child) == "extern" for child in node.children)


def type_definition(w: Walk, node: Node) -> int:
    """`typedef`: a name for a type; one that repeats the tag of its struct adds nothing to it."""
    type_node = node.child_by_field_name("type")
    given = [declarators.read(w, each) for each in node.children_by_field_name("declarator")]
    names = [declared.name for declared in given if declared.name is not None and declared.parameters is None]
    tag = type_node.child_by_field_name("name") if type_node is not None else None
    is_record = type_node is not None and type_node.type in _RECORDS
    has_body = type_node is not None and type_node.child_by_field_name("body") is not None
    own: str | None = None
    if is_record and type_node is not None:
        if tag is not None:
            own = w.text(tag)
        elif has_body and names:
            own = w.text(names[0])
            w.nameless[type_node.id] = names[0]
    if (
        type_node is not None
        and tag is not None
        and not has_body
        and w.is_top()
        and own in {w.text(name) for name in names}
    ):
        base = forward(w, type_node, tag)
    else:
        base = w.value(type_node)
    for declared in given:
        if declared.name is None or w.text(declared.name) == own:
            continue
        _alias(w, node, declared.name, declarators.type_of(w, declared, base))
    return NONE


def _alias(w: Walk, node: Node, name_node: Node, type_expr: int) -> None:
    b = w.b
    name = w.text(name_node)
    symbol = w.define(name, SymbolKind.TYPE_ALIAS, node, name_node, flags=w.shared())
    if not w.is_top():
        w.local_types.add(name)
    w.declare(name, SourceKind.SYMBOL, symbol)
    if type_expr != NONE:
        b.set_type(symbol, type_expr)
