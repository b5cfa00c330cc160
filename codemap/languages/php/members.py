"""Members of classes: methods, properties, cases of enums, what they take from traits; and bodies of functions.

Source: the PHP Manual, "Properties", "Constructors and Destructors", "Traits", "Enumerations".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.php import headers, phpdoc, types
from codemap.languages.php.builtins import ARRAY, CONSTRUCTOR
from codemap.languages.php.walk import Class, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_PROMOTED = "property_promotion_parameter"
_PARAMETERS = ("simple_parameter", "variadic_parameter", _PROMOTED)


def declared(w: Walk, listed: list[Node]) -> set[str]:
    """The names of the properties that a class declares, with `$`."""
    found: set[str] = set()
    for child in listed:
        if child.type == "property_declaration":
            elements = [part for part in child.named_children if part.type == "property_element"]
            names = [part.child_by_field_name("name") or part.named_children[0] for part in elements]
            found |= {w.text(name) for name in names}
        elif child.type == "method_declaration":
            found |= {w.text(name) for name in (_variable(part) for part in _parameters(child)) if name is not None}
    return found


def _parameters(node: Node) -> list[Node]:
    """The parameters of a constructor that are properties, too."""
    given = node.child_by_field_name("parameters")
    return [part for part in given.named_children if part.type == _PROMOTED] if given is not None else []


def _variable(parameter: Node) -> Node | None:
    name = parameter.child_by_field_name("name")
    if name is not None and name.type == "by_ref":
        return name.named_children[0] if name.named_children else None
    return name


def method(w: Walk, node: Node) -> int:
    b = w.b
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None or not w.classes or not w.text(name_node):
        return visit_children(w, node)
    cls = w.classes[-1]
    symbol = _member(w, node, name_node, SymbolKind.METHOD, node.end_byte if body is None else body.start_byte)
    b.add_flags(symbol, headers.case_flag(w, node))
    with b.definition(symbol):
        name = w.text(name_node)
        is_inherited = cls.has_bases and name != CONSTRUCTOR
        function_body(w, node, symbol, b.attribute(b.expr(Op.SUPER, cls.symbol), name) if is_inherited else NONE)
    return NONE


def function_body(w: Walk, node: Node, symbol: int, above: int = NONE) -> None:
    """Visits the parameters, stated result and body of a function, which is the current owner, or of a closure.

    What a method does not state is what the one `above`, that it takes the place of, states.
    """
    w.function_scope(symbol, lambda: _function_body(w, node, symbol, above))


def _function_body(w: Walk, node: Node, symbol: int, above: int) -> None:
    b = w.b
    doc = phpdoc.read_doc(w, node) if symbol != NONE else phpdoc.NO_DOC
    w.functions[-1].templates |= doc.templates
    w.functions[-1].globals = doc.globals
    if symbol != NONE:
        headers.annotate(w, node)
    given = node.child_by_field_name("parameters")
    position = 0
    for parameter in given.named_children if given is not None else ():
        if parameter.type in _PARAMETERS:
            _parameter(w, parameter, symbol, doc, b.wrap(Op.SLOT, above, position))
            position += 1
        else:
            w.value(parameter)
    stated = types.read_stated(
        w, node.child_by_field_name("return_type"), phpdoc.type_of(w, doc.result, node.start_byte)
    )
    if symbol != NONE and stated != NONE:
        b.set_type(symbol, stated)
    body = node.child_by_field_name("body")
    if body is not None and body.type == "compound_statement":
        visit_children(w, body)
    else:
        w.value(body)
    if symbol != NONE:
        nearer, farther = w.functions[-1].result, NONE if stated != NONE else b.call(above)
        if doc.is_inherited:
            nearer, farther = farther, nearer
        value = nearer if farther == NONE else b.either(nearer, farther)
        if value != NONE:
            b.add_value(symbol, value)


def _parameter(w: Walk, node: Node, symbol: int, doc: phpdoc.Doc, above: int) -> None:
    b = w.b
    name_node = _variable(node)
    name = "" if name_node is None else w.text(name_node)
    headers.annotate(w, node)
    documented = phpdoc.type_of(w, doc.parameters.get(name, ""), node.start_byte)
    is_promoted = node.type == _PROMOTED and w.classes and name_node is not None and symbol != NONE
    if is_promoted and name_node is not None and documented == NONE:
        documented = phpdoc.type_of(w, phpdoc.read_doc(w, node).variable, node.start_byte)
    stated = types.read_stated(w, node.child_by_field_name("type"), documented)
    default = w.field(node, "default_value")
    if symbol != NONE:
        b.parameter(symbol, name or None, stated)
    if is_promoted and name_node is not None:
        _promoted(w, node, name_node, stated)
    if node.type == "variadic_parameter":
        stated = NONE if stated == NONE else b.apply(b.name(ARRAY), [stated])
    if not name:
        return
    if stated != NONE:
        b.bind(name, SourceKind.TYPED, stated)
    elif above != NONE:
        b.bind(name, SourceKind.VALUE, above)
    elif default != NONE:
        b.bind(name, SourceKind.VALUE, default)
    else:
        b.bind(name, SourceKind.OPAQUE)


def _member(w: Walk, node: Node, name_node: Node, kind: SymbolKind, end: int) -> int:
    """The symbol of a member of the class around, bound there; it shows up to the offset `end`."""
    b, cls = w.b, w.classes[-1]
    name = w.text(name_node)
    symbol = w.define(name, kind, node, name_node, parent=cls.symbol, flags=headers.flags_of(node), header_end=end)
    b.bind(name, SourceKind.SYMBOL, symbol, scope=cls.members)
    return symbol


def _promoted(w: Walk, node: Node, name_node: Node, stated: int) -> None:
    symbol = _member(w, node, name_node, SymbolKind.PROPERTY, node.end_byte)
    if stated != NONE:
        w.b.set_type(symbol, stated)


def property_(w: Walk, node: Node) -> int:
    """A declaration of properties: the first owns what its type uses."""
    if not w.classes:
        return visit_children(w, node)
    doc = phpdoc.read_doc(w, node)
    documented = phpdoc.type_of(w, doc.variable or next(iter(doc.variables.values()), ""), node.start_byte)
    stated = NONE
    is_first = True
    for element in node.named_children:
        if element.type == "property_element" and element.named_children:
            symbol = _property(w, node, element)
            with w.b.definition(symbol):
                if is_first:
                    headers.annotate(w, node)
                    stated = types.read_stated(w, node.child_by_field_name("type"), documented)
                if stated != NONE:
                    w.b.set_type(symbol, stated)
                for value in element.named_children[1:]:
                    w.b.add_value(symbol, w.value(value))
            is_first = False
        elif element.type == "property_hook_list":
            visit_children(w, element)
    return NONE


def _property(w: Walk, node: Node, element: Node) -> int:
    name_node = element.child_by_field_name("name") or element.named_children[0]
    return _member(w, node, name_node, SymbolKind.PROPERTY, name_node.end_byte)


def hook(w: Walk, node: Node) -> int:
    """What runs when a property is read or set."""
    w.function_scope(NONE, lambda: visit_children(w, node))
    return NONE


def case(w: Walk, node: Node) -> int:
    name_node = node.child_by_field_name("name")
    if name_node is None or not w.classes:
        return visit_children(w, node)
    b = w.b
    symbol = _member(w, node, name_node, SymbolKind.PROPERTY, node.end_byte)
    b.add_flags(symbol, SymbolFlag.STATIC)
    b.set_type(symbol, b.expr(Op.SYMBOL, w.classes[-1].symbol))
    with b.definition(symbol):
        headers.annotate(w, node)
        w.field(node, "value")
    return NONE


def traits(w: Walk, cls: Class, node: Node) -> None:
    """`use A, B { A::f insteadof B; B::f as g; }`: members of traits, which are above the class."""
    b = w.b
    used = [child for child in node.named_children if child.type in types.NAMES]
    found = []
    for name in used:
        at = headers.name_at(name)
        value = w.class_(w.text(name), at)
        b.base(cls.symbol, int(UseRole.EXTENDS), value, at)
        found.append(value)
    for listed in node.named_children:
        for rule in listed.named_children if listed.type == "use_list" else ():
            _rule(w, cls, rule, found)


def _rule(w: Walk, cls: Class, rule: Node, used: list[int]) -> None:
    b = w.b
    parts = [child for child in rule.named_children if child.type != "visibility_modifier"]
    if not parts:
        return
    first = parts[0]
    if first.type == "class_constant_access_expression" and len(first.named_children) == 2:
        trait = types.use_class(w, first.named_children[0], UseRole.REFERENCE)
        name_node = first.named_children[1]
    else:
        trait, name_node = NONE, first
    name = w.text(name_node)
    meant = b.unions(b.attribute(each, name) for each in (used if trait == NONE else [trait]))
    b.use(int(UseRole.REFERENCE), meant, name_node.start_byte)
    if rule.type == "use_instead_of_clause":
        for other in parts[1:]:
            if other.type in types.NAMES:
                types.use_class(w, other, UseRole.REFERENCE)
        if meant != NONE:
            b.bind(name, SourceKind.VALUE, meant, scope=cls.members)
    elif rule.type == "use_as_clause" and len(parts) > 1 and meant != NONE:
        b.bind(w.text(parts[-1]), SourceKind.VALUE, meant, scope=cls.members)


def skip(_w: Walk, _node: Node) -> int:
    """What the class has visited before its other members."""
    return NONE
