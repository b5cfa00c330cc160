"""Methods: declared and defined in their class, or defined outside it.

A method that a class declares stands for the definition elsewhere. There, a part of the class stands for it, so that
the method's name is `Class.method` in whichever file.

Source: ISO/IEC 14882:2020, 11.4.2 "Member functions", 11.4.8 "Conversions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import SourceKind, Symbol, SymbolFlag, SymbolKind, UseRole
from codemap.languages.c import declarators, definitions
from codemap.languages.c.declarators import Declared
from codemap.languages.c.standard import CONSTRUCTOR
from codemap.languages.c.walk import Walk
from codemap.languages.cpp import names, templates
from codemap.languages.cpp.fixtures import fixture
from codemap.languages.cpp.walk import Class, CppWalk

if TYPE_CHECKING:
    from tree_sitter import Node


_DEFINING = ("function_definition", "class_specifier", "struct_specifier", "declaration", "comment", "preproc_if")


def function(w: Walk, node: Node) -> int:
    """A function outside a class: of its own, or of the class that its name says."""
    assert isinstance(w, CppWalk)
    declared = declarators.read(w, node.child_by_field_name("declarator"))
    type_node = node.child_by_field_name("type")
    if type_node is None and declared.is_function and not w.is_top() and _is_statement(w, node, declared):
        return _loop(w, node, declared)
    if declared.is_function and type_node is not None and type_node.type == "qualified_identifier":
        *outer_nodes, last = names.split_name(type_node)
        if outer_nodes and w.text(last) == names.OPERATOR:
            _conversion(w, node, [*outer_nodes, last])
            return NONE
    if declared.name is None or declared.name.type != "qualified_identifier" or not declared.is_function:
        w.fixture = fixture(w, node, declared)
        definitions.function(w, node)
        w.fixture = None
        return NONE
    found = names.split_name(declared.name)
    outer = tuple(w.text(names.strip_arguments(part)) for part in found[:-1])
    if not outer:
        return definitions.function(w, node)
    if (*w.path, *outer) in w.spaces:
        return _within(w, node, (*w.path, *outer), found[-1])
    cls = part_of(w, outer, found)
    spelt = spell_path(w, found[:-1])
    for at, part in enumerate(found[:-1], 1):
        around = cls if at == len(outer) else w.parts.get((*w.path, *spelt[:at]))
        if around is not None:
            templates.own_specialized(w, around.symbol, part)
    outers, w.outers = w.outers, classes_around(w, outer[:-1])
    define(w, node, cls, int(SymbolFlag.EXPORTED))
    w.outers = outers
    return NONE


def _within(w: CppWalk, node: Node, path: tuple[str, ...], name_node: Node) -> int:
    """`a::f() {…}` where the file knows `a` as a namespace: a function of that."""
    b, space = w.b, w.spaces[path]
    owner, scope, top, around, has_scope = b.owner, b.scope, w.top, w.path, w.has_scope
    b.extend_span(space.symbol, node.end_byte)
    b.owner, b.scope = space
    w.top, w.path, w.has_scope = space.members, path, True
    definitions.function(w, node, name_node)
    b.owner, b.scope, w.top, w.path, w.has_scope = owner, scope, top, around, has_scope
    return NONE


def _is_statement(w: CppWalk, node: Node, declared: Declared) -> bool:
    """Whether a function without a type is where only statements are, and has a plain name. One that begins no further
    right than the function around it is in that by a brace misread (`TEST(…) {…}` behind conditions of the
    preprocessor)."""
    around = node.parent
    if declared.name is None or declared.name.type != "identifier" or around is None:
        return False
    if around.type not in ("compound_statement", "case_statement"):
        return False
    if w.text(declared.name).isupper() and _is_suite(around):
        return False
    while around is not None and around.type != "function_definition":
        around = around.parent
    return around is None or node.start_point.column > around.start_point.column


def _is_suite(block: Node) -> bool:
    """Whether a block is that of a macro and has nothing but definitions: `SUITE(Name) { TEST(One) {…} }`."""
    around = block.parent
    is_made = around is not None and around.type == "function_definition" and around.child_by_field_name("type") is None
    return is_made and all(child.type in _DEFINING for child in block.named_children)


def _loop(w: CppWalk, node: Node, declared: Declared) -> int:
    """`each(x, xs) {…}` in a function: a macro that begins a loop, with what it declares and names."""
    assert declared.name is not None
    w.b.use(UseRole.CALL, w.b.name(w.text(declared.name)), declared.name.start_byte)
    with w.block():
        for each in declared.parameters.named_children if declared.parameters is not None else ():
            variable = declarators.read(w, each.child_by_field_name("declarator"))
            if variable.name is None:
                w.value(each)
            else:
                declarators.bind(w, w.text(variable.name), w.field(each, "type"), NONE)
        for child in node.named_children:
            if child != node.child_by_field_name("declarator"):
                w.value(child)  # a block, or `try {…}` after a macro that is a statement of its own
    return NONE


def _conversion(w: CppWalk, node: Node, found: list[Node]) -> None:
    """`A::operator b::C() {…}`, which the grammar reads as a function `b::C` that gives `A::operator`."""
    outer = tuple(w.text(names.strip_arguments(part)) for part in found[:-1])
    outers, w.outers = w.outers, classes_around(w, outer[:-1])
    define(w, node, part_of(w, outer, found), int(SymbolFlag.EXPORTED), found[-1])
    w.outers = outers


def part_of(w: CppWalk, path: tuple[str, ...], found: list[Node]) -> Class:
    """The class of that path: one of this file, or a part of one that another file defines."""
    b = w.b
    spelt = spell_path(w, found[: len(path)])
    known = w.parts.get((*w.path, *spelt))
    if known is None and len(path) > 1:
        known = w.parts.get((*w.path, spelt[-1]))
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
        whole = NONE
        for name, part in zip(path, found, strict=False):
            whole = b.attribute(whole, name) if whole != NONE else b.name(name)
            if names.is_specialized(w, part):
                whole = b.apply_known(whole, names.arguments(w, part))
        b.part(symbol, path[-1], whole)
        w.outside.append((*w.path, *path))
        known = w.parts[(*w.path, *spelt)] = Class(symbol, w.b.namespace(symbol))
    return known


def spell_path(w: CppWalk, found: list[Node]) -> tuple[str, ...]:
    return tuple(names.spell_part(w, part) for part in found)


def classes_around(w: CppWalk, path: tuple[str, ...]) -> tuple[int, ...]:
    """What the names of a path mean, from the outermost in."""
    found: list[int] = []
    for name in path:
        found.append(w.b.attribute(found[-1], name) if found else w.b.name(name))
    return tuple(found)


def define(w: CppWalk, node: Node, cls: Class, access: int, operator: Node | None = None) -> None:
    """A method with its body, in the scope of its class; `operator`: the word, of a conversion to what looks like the
    name."""
    declared = declarators.read(w, node.child_by_field_name("declarator"))
    name_node, block = operator or declared.name, node.child_by_field_name("body")
    if name_node is None or not declared.is_function:
        visit_children(w, node)
        return
    if name_node.type == "qualified_identifier":
        name_node = names.strip_arguments(names.split_name(name_node)[-1])
    initializers = next((child for child in node.named_children if child.type == "field_initializer_list"), block)
    end = initializers.start_byte if initializers else node.end_byte
    symbol = declare(w, node, name_node, declared, cls, access, end)
    base = NONE if operator is not None else definitions.result_type(w, node, symbol)
    visit_body(w, node, symbol, declared, base, cls)


def visit_body(w: CppWalk, node: Node, symbol: int, declared: Declared, base: int, cls: Class) -> None:
    """Visits the parameters, the initializers and the block of a function in the scope of a class."""
    block = node.child_by_field_name("body")
    with w.function(symbol):
        w.classes.append(cls)
        for parameter, type_expr in sign(w, symbol, declared, base):
            w.b.bind_typed(w.text(parameter), type_expr)
        if (given := w.visit_behind(declared.parameters)) != NONE:
            w.b.set_type(symbol, given)
        for child in node.named_children:
            if child.type == "field_initializer_list":
                visit_children(w, child)
        for child in block.named_children if block is not None else ():
            w.value(child)
        w.classes.pop()


def declare(w: CppWalk, node: Node, name_node: Node, declared: Declared, cls: Class, access: int, end: int) -> int:
    b = w.b
    name = names.spell_name(w, name_node, declared.parameters)
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


def sign(w: CppWalk, symbol: int, declared: Declared, base: int) -> list[tuple[Node, int]]:
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
