"""Classes and their members.

Source: ISO/IEC 14882:2020, 11 "Classes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.c import declarators, records
from codemap.languages.c.declarators import Declared
from codemap.languages.c.inactive_regions import compiled_children
from codemap.languages.c.walk import Walk
from codemap.languages.cpp import friends, methods, names, templates
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
            holder = w.classes[-1] if w.classes else Class(w.b.owner, w.b.scope)
            if w.holder != NONE:
                holder, w.holder = Class(w.holder, w.b.namespace(w.holder)), NONE
            _members(w, body, holder, int(SymbolFlag.EXPORTED))
        elif name_node is not None and records.stands_alone(node) and name_node.type == "type_identifier":
            return records.forward(w, node, name_node) if w.is_top() and not w.classes else NONE
        return w.value(name_node) if body is None else NONE
    b = w.b
    found = names.split_name(name_node)
    named = names.strip_arguments(found[-1])
    name = w.text(named)
    path = tuple(w.text(names.strip_arguments(part)) for part in found[:-1])
    outer = methods.part_of(w, path, found) if path and (*w.path, *path) not in w.spaces else None
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
    around = w.classes[-1] if outer is None and w.classes and b.owner == w.classes[-1].symbol else outer
    if around is not None:
        b.bind(name, SourceKind.SYMBOL, symbol, scope=around.members)
    elif name_node.type == "template_type":
        w.defer(lambda: _bind_specialization(w, name, symbol))
    else:
        if not w.is_top():
            w.local_types.add(name)
        w.declare(name, SourceKind.SYMBOL, symbol)
        w.defined.setdefault(w.key(f"struct {name}"), symbol)
    spelt = name
    if name_node.type == "template_type":
        spelt = names.spell_part(w, name_node)
        b.add_value(symbol, b.tuple_of(names.pattern(w, name_node)))
        templates.own_specialized(w, symbol, name_node)
    else:
        w.own_parameters(symbol)
    cls = Class(symbol, w.b.namespace(symbol))
    b.bind(name, SourceKind.SYMBOL, symbol, scope=cls.members)  # 11.1 "Preamble", 2: its name is one of its members
    w.parts.setdefault((*w.path, *methods.spell_path(w, found[:-1]), spelt), cls)
    outers, w.outers = w.outers, (*w.outers, *methods.classes_around(w, path)) if outer is not None else w.outers
    with b.definition(symbol):
        for child in node.named_children:
            if child.type == "base_class_clause":
                _bases(w, child, symbol)
        w.classes.append(cls)
        _members(w, body, cls, 0 if node.type == "class_specifier" else int(SymbolFlag.EXPORTED))
        w.classes.pop()
    w.outers = outers
    return b.expr(Op.SYMBOL, symbol)


def _bind_specialization(w: CppWalk, name: str, symbol: int) -> None:
    """A specialization may be what the name of a template of its file means; it must not hide one of another."""
    if w.key(f"struct {name}") in w.defined:
        w.b.bind(name, SourceKind.SYMBOL, symbol)


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
            methods.define(w, node, cls, access)
        case "field_declaration" | "declaration":
            _field(w, node, cls, access)
        case "template_declaration":
            with templates.opened(w, node) as inner:
                for child in inner:
                    _member(w, child, cls, access)
        case "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif":
            for child in compiled_children(node):
                _member(w, child, cls, access)
        case "alias_declaration" | "type_definition" | "using_declaration":
            with w.block():
                w.b.scope, w.has_scope = cls.members, True
                w.access = access
                w.value(node)
                w.access = 0
        case "friend_declaration":
            friends.friend(w, node, cls)
        case "identifier" | "comment":
            pass
        case _:
            w.value(node)


def _field(w: CppWalk, node: Node, cls: Class, access: int) -> None:
    b = w.b
    given = node.children_by_field_name("declarator")
    type_node = node.child_by_field_name("type")
    nameless = type_node if given and type_node is not None and records.is_nameless(type_node) else None
    is_macro = type_node is not None and type_node.type == "type_identifier" and w.text(type_node).isupper()
    is_macro = is_macro and any(each.type == "parenthesized_declarator" for each in given)
    base = w.value(type_node) if nameless is None and not is_macro else NONE
    if is_macro and type_node is not None:
        b.use(UseRole.CALL, b.name(w.text(type_node)), type_node.start_byte)  # `NO_COPIES(Class)`
    for each in given:
        declared = declarators.read(w, each)
        if declared.name is None:
            continue
        if is_macro:
            b.use(UseRole.REFERENCE, w.bare(w.text(declared.name)), declared.name.start_byte)
            continue
        if declared.is_function and _is_macro(w, node, declared, cls):
            b.use(UseRole.CALL, b.name(w.text(declared.name)), declared.name.start_byte)
            if declared.parameters is not None:
                visit_children(w, declared.parameters)
            continue
        if declared.is_function:
            symbol = methods.declare(w, node, declared.name, declared, cls, access, node.end_byte)
            b.declaration(symbol)
            if (default := node.child_by_field_name("default_value")) is not None and w.text(default) == "0":
                b.add_flags(symbol, SymbolFlag.ABSTRACT)
            w.declare_behind(symbol, declared.parameters, methods.sign(w, symbol, declared, base))
            continue
        name = w.text(declared.name)
        symbol = w.define(name, SymbolKind.PROPERTY, node, declared.name, parent=cls.symbol, flags=access)
        b.bind(name, SourceKind.SYMBOL, symbol, scope=cls.members)
        type_expr = declarators.type_of(w, declared, base)
        if type_expr != NONE:
            b.set_type(symbol, type_expr)
        if nameless is not None:
            w.holder = symbol
            w.value(nameless)
    w.field(node, "default_value")


def _is_macro(w: CppWalk, node: Node, declared: Declared, cls: Class) -> bool:
    """Whether what looks like the declaration of a constructor has another name than the class, as macros have."""
    if declared.name is None or declared.name.type != "identifier" or node.child_by_field_name("type") is not None:
        return False
    name = w.text(declared.name)
    return name.isupper() and w.b.intern(name) != w.b.symbols[cls.symbol][0]


def field_initializer(w: Walk, node: Node) -> int:
    """`: field(value)` in a constructor."""
    assert isinstance(w, CppWalk)
    for child in node.named_children:
        if child.type == "field_identifier":
            w.b.use(UseRole.REFERENCE, w.bare(w.text(child)), child.start_byte)
        else:
            w.value(child)
    return NONE
