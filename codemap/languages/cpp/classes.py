"""Classes, their members, and functions that are defined outside their class.

A method that a class declares stands for the definition elsewhere. There, a part of the class stands for it, so that
the method's name is `Class.method` in whichever file.

Source: ISO/IEC 14882:2020, 11 "Classes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.extract.builder import NONE
from codemap.extract.walk import visit_children
from codemap.facts import Op, SourceKind, Symbol, SymbolFlag, SymbolKind, UseRole
from codemap.languages.c import declarators, definitions, records
from codemap.languages.c.declarators import Declared
from codemap.languages.c.standard import CONSTRUCTOR
from codemap.languages.c.walk import Walk
from codemap.languages.cpp import names, templates
from codemap.languages.cpp.fixtures import fixture
from codemap.languages.cpp.walk import Class, CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_EXTENDS = int(UseRole.EXTENDS)
_ACCESS = {"public": int(SymbolFlag.EXPORTED), "protected": 0, "private": 0}


def class_(w: Walk, node: Node) -> int:
    assert isinstance(w, CppWalk)
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None or name_node is None:
        if body is not None:
            _members(w, body, w.classes[-1] if w.classes else Class(w.b.owner, w.b.scope), int(SymbolFlag.EXPORTED))
        elif name_node is not None and _is_alone(node) and name_node.type == "type_identifier":
            return records.forward(w, node, name_node) if w.is_top() and not w.classes else NONE
        return w.value(name_node) if body is None else NONE
    b = w.b
    found = names.split_name(name_node)
    named = names.strip_arguments(found[-1])
    name = w.text(named)
    path = tuple(w.text(names.strip_arguments(part)) for part in found[:-1])
    outer = _part(w, path, found) if path and (*w.path, *path) not in w.spaces else None
    symbol = b.symbol(
        name,
        SymbolKind.CLASS,
        parent=b.owner if outer is None else outer.symbol,
        at=named.start_byte,
        start=node.start_byte,
        end=node.end_byte,
        flags=int(SymbolFlag.EXPORTED) if w.is_top() else 0,
        signature=w.header(node.start_byte, body.start_byte),
        doc=w.doc(b.chars.rfind("\n", 0, node.start_byte) + 1),
    )
    if outer is not None:
        b.bind(name, SourceKind.SYMBOL, symbol, scope=outer.members)
    elif name_node.type != "template_type" or w.key(f"struct {name}") in w.defined:
        # A specialization of a template of this file may be what its name means; one of another's must not hide it.
        if w.classes and b.owner == w.classes[-1].symbol:
            b.bind(name, SourceKind.SYMBOL, symbol, scope=w.classes[-1].members)
        else:
            if not w.is_top():
                w.local_types.add(name)
            w.declare(name, SourceKind.SYMBOL, symbol)
            w.defined.setdefault(w.key(f"struct {name}"), symbol)
    if name_node.type == "template_type":
        templates.own_specialized(w, symbol, name_node)
    else:
        w.own_parameters(symbol)
    cls = Class(symbol, w.b.namespace(symbol))
    b.bind(name, SourceKind.SYMBOL, symbol, scope=cls.members)  # 11.1 "Preamble", 2: its name is one of its members
    w.parts.setdefault((*w.path, *path, name), cls)
    outers, w.outers = w.outers, (*w.outers, *_around(w, path)) if outer is not None else w.outers
    with b.definition(symbol):
        for child in node.named_children:
            if child.type == "base_class_clause":
                _bases(w, child, symbol)
        w.classes.append(cls)
        _members(w, body, cls, 0 if node.type == "class_specifier" else int(SymbolFlag.EXPORTED))
        w.classes.pop()
    w.outers = outers
    return b.expr(Op.SYMBOL, symbol)


def _is_alone(node: Node) -> bool:
    return node.next_sibling is not None and node.next_sibling.type == ";"


def _bases(w: CppWalk, node: Node, symbol: int) -> None:
    for child in node.named_children:
        if child.type in ("type_identifier", "template_type", "qualified_identifier"):
            outer, w.classes = w.classes, w.classes[:]
            value = w.value(child)
            if w.text(child).startswith("std::") and child.named_children[-1].type != "template_type":
                value = NONE  # what it has is not known: a name in the class may still mean what is around it
            w.classes = outer
            last = names.strip_arguments(names.split_name(child)[-1])
            w.b.base(symbol, _EXTENDS, value, last.start_byte)


def _members(w: CppWalk, body: Node, cls: Class, access: int) -> None:
    for child in body.named_children:
        if child.type == "access_specifier":
            access = _ACCESS.get(w.text(child), access)
        else:
            _member(w, child, cls, access)


def _member(w: CppWalk, node: Node, cls: Class, access: int) -> None:
    match node.type:
        case "function_definition":
            _function(w, node, cls, access)
        case "field_declaration" | "declaration":
            _field(w, node, cls, access)
        case "template_declaration":
            with templates.opened(w, node):
                for child in node.named_children:
                    if child.type != "template_parameter_list":
                        _member(w, child, cls, access)
        case "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif":
            for child in node.named_children:
                _member(w, child, cls, access)
        case "alias_declaration" | "type_definition":
            with w.block():
                w.b.scope, w.has_scope = cls.members, True
                w.value(node)
        case "friend_declaration" | "identifier" | "comment":
            pass
        case _:
            w.value(node)


def _field(w: CppWalk, node: Node, cls: Class, access: int) -> None:
    b = w.b
    given = node.children_by_field_name("declarator")
    base = w.field(node, "type")
    for each in given:
        declared = declarators.read(w, each)
        if declared.name is None:
            continue
        if declared.is_function:
            symbol = _method(w, node, declared.name, cls, access, node.end_byte)
            b.declaration(symbol)
            if (default := node.child_by_field_name("default_value")) is not None and w.text(default) == "0":
                b.add_flags(symbol, SymbolFlag.ABSTRACT)
            _sign(w, symbol, declared, base)
            continue
        name = w.text(declared.name)
        symbol = w.define(name, SymbolKind.PROPERTY, node, declared.name, parent=cls.symbol, flags=access)
        b.bind(name, SourceKind.SYMBOL, symbol, scope=cls.members)
        type_expr = declarators.type_of(w, declared, base)
        if type_expr != NONE:
            b.set_type(symbol, type_expr)
    w.field(node, "default_value")


def _sign(w: CppWalk, symbol: int, declared: Declared, base: int) -> list[tuple[Node, int]]:
    b = w.b
    if declarators.is_variadic(declared.parameters):
        b.add_flags(symbol, SymbolFlag.VARIADIC)
    with b.definition(symbol):
        found = declarators.parameters(w, declared.parameters)
        for name_node, type_expr in found:
            b.parameter(symbol, None if name_node is None else w.text(name_node), type_expr)
    given = declarators.result(w, declared, base)
    if given != NONE:
        b.set_type(symbol, given)
        if declared.name is not None and given not in w.builtin and _points(w, declared):
            b.reaches(b.symbols[symbol][Symbol.PARENT], given, declared.name.start_byte)
    return [(name_node, type_expr) for name_node, type_expr in found if name_node is not None]


def _points(w: CppWalk, declared: Declared) -> bool:
    """Whether an operator gives what its object points to, whose members are called on the object: `->`, or `*` without
    an operand."""
    name = "" if declared.name is None else w.text(declared.name)
    if name == "operator->":
        return True
    return name == "operator*" and declared.parameters is not None and not declared.parameters.named_children


def _method(w: CppWalk, node: Node, name_node: Node, cls: Class, access: int, end: int) -> int:
    b = w.b
    name = w.text(name_node).replace(" ", "")
    is_static = any(child.type == "storage_class_specifier" and w.text(child) == "static" for child in node.children)
    symbol = w.define(
        name,
        SymbolKind.METHOD,
        node,
        name_node,
        parent=cls.symbol,
        flags=access | (int(SymbolFlag.STATIC) if is_static else 0),
        header_end=end,
    )
    w.own_parameters(symbol)
    is_constructor = b.intern(name) == b.symbols[cls.symbol][0]
    b.bind(CONSTRUCTOR if is_constructor else name, SourceKind.SYMBOL, symbol, scope=cls.members)
    return symbol


def function(w: Walk, node: Node) -> int:
    """A function outside a class: of its own, or of the class that its name says."""
    assert isinstance(w, CppWalk)
    declared = declarators.read(w, node.child_by_field_name("declarator"))
    if declared.name is None or declared.name.type != "qualified_identifier" or not declared.is_function:
        w.fixture = fixture(w, node, declared)
        definitions.function(w, node)
        w.fixture = None
        return NONE
    found = names.split_name(declared.name)
    outer = tuple(w.text(names.strip_arguments(part)) for part in found[:-1])
    if (*w.path, *outer) in w.spaces or not outer:
        return definitions.function(w, node)
    cls = _part(w, outer, found)
    for at, part in enumerate(found[:-1], 1):
        around = cls if at == len(outer) else w.parts.get((*w.path, *outer[:at]))
        if around is not None:
            templates.own_specialized(w, around.symbol, part)
    outers, w.outers = w.outers, _around(w, outer[:-1])
    _function(w, node, cls, int(SymbolFlag.EXPORTED))
    w.outers = outers
    return NONE


def _around(w: CppWalk, path: tuple[str, ...]) -> tuple[int, ...]:
    """What the names of a path mean, from the outermost in."""
    found: list[int] = []
    for name in path:
        found.append(w.b.attribute(found[-1], name) if found else w.b.name(name))
    return tuple(found)


def _part(w: CppWalk, path: tuple[str, ...], found: list[Node]) -> Class:
    """The class of that path: one of this file, or a part of one that another file defines."""
    b = w.b
    known = w.parts.get((*w.path, *path))
    if known is None and len(path) > 1:
        known = w.parts.get((*w.path, path[-1]))
    if known is None:
        name_node = names.strip_arguments(found[len(path) - 1])
        symbol = b.symbol(
            path[-1],
            SymbolKind.CLASS,
            parent=b.owner,
            at=name_node.start_byte,
            start=name_node.start_byte,
            end=name_node.end_byte,
            flags=int(SymbolFlag.EXPORTED),
        )
        whole = b.name(path[0])
        for name in path[1:]:
            whole = b.attribute(whole, name)
        b.part(symbol, path[-1], whole)
        known = w.parts[(*w.path, *path)] = Class(symbol, w.b.namespace(symbol))
    return known


def _function(w: CppWalk, node: Node, cls: Class, access: int) -> None:
    """A method with its body, in the scope of its class."""
    b = w.b
    declared = declarators.read(w, node.child_by_field_name("declarator"))
    name_node, block = declared.name, node.child_by_field_name("body")
    if name_node is None or not declared.is_function:
        visit_children(w, node)
        return
    if name_node.type == "qualified_identifier":
        name_node = names.strip_arguments(names.split_name(name_node)[-1])
    initializers = next((child for child in node.named_children if child.type == "field_initializer_list"), block)
    symbol = _method(w, node, name_node, cls, access, initializers.start_byte if initializers else node.end_byte)
    base = definitions.result_type(w, node, symbol)
    with w.function(symbol):
        w.classes.append(cls)
        for parameter, type_expr in _sign(w, symbol, declared, base):
            b.bind_typed(w.text(parameter), type_expr)
        for child in node.named_children:
            if child.type == "field_initializer_list":
                visit_children(w, child)
        for child in block.named_children if block is not None else ():
            w.value(child)
        w.classes.pop()


def field_initializer(w: Walk, node: Node) -> int:
    """`: field(value)` in a constructor."""
    assert isinstance(w, CppWalk)
    for child in node.named_children:
        if child.type == "field_identifier":
            w.b.use(UseRole.REFERENCE, w.bare(w.text(child)), child.start_byte)
        else:
            w.value(child)
    return NONE
