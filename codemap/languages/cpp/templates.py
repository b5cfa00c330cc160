"""Templates: whose the parameters are that a template lists, and what its defaults and constraints use.

The parameters of a class template are those of its class, wherever its members are defined; a specialization has those
that its arguments name, at their positions. A definition begins where its template does.

Source: ISO/IEC 14882:2020, 13 "Templates".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import children_of
from codemap.facts import ScopeKind, SourceKind
from codemap.languages.c.walk import Walk
from codemap.languages.cpp.walk import CppWalk, Header

if TYPE_CHECKING:
    from tree_sitter import Node

_BEFORE = ("template_parameter_list", "requires_clause", "comment")
"""What is before the definition in a template."""
_NAMED = ("type_identifier", "type_parameter_declaration")
_BLOCK = int(ScopeKind.BLOCK)


def template(w: Walk, node: Node) -> int:
    assert isinstance(w, CppWalk)
    with opened(w, node) as inner:
        for child in inner:
            w.value(child)
    return NONE


@contextmanager
def opened(w: CppWalk, node: Node) -> Iterator[list[Node]]:
    """Within, with what a template makes one of: its parameters are known, and wait for the definition that they are
    of."""
    outer = w.parameters, w.headers
    inner = [child for child in node.named_children if child.type not in _BEFORE]
    if inner:
        w.begins[inner[-1].start_byte] = node.start_byte
    listed = node.child_by_field_name("parameters")
    if listed is not None:
        nodes = tuple(child for child in listed.named_children if child.type != "comment")
        clauses = tuple(child for child in node.named_children if child.type == "requires_clause")
        header = Header(nodes, tuple(_name(w, each) for each in nodes), clauses, w.b.namespace(w.b.owner, _BLOCK))
        for name in header.names:
            w.b.intern(name)
        w.headers = (*w.headers, header)
        w.parameters = {**w.parameters, **{name: w.b.name_in(header.space, name) for name in header.names if name}}
        w.templates.append(header)
    yield inner
    w.parameters, w.headers = outer


def own_specialized(w: CppWalk, symbol: int, name_node: Node) -> None:
    """Gives the first list of parameters that waits to the class `Box` of `Box<T>`, by what its arguments name."""
    if w.headers and name_node.type == "template_type":
        header, *others = w.headers
        w.headers = tuple(others)
        w.own_header(symbol, header, _positions(w, name_node))


def close(w: CppWalk) -> None:
    """At the end of a file: where templates begin, and that of parameters that are no definition's nothing is known."""
    for symbol, (_, start, _) in enumerate(w.b.spans):
        if start in w.begins:
            while start in w.begins:
                start = w.begins[start]
            w.b.begin_earlier(symbol, start)
            if doc := w.doc(w.b.chars.rfind("\n", 0, start) + 1):
                w.b.set_doc(symbol, doc)
    for header in w.templates:
        for name in header.names:
            if name and w.b.intern(name) not in header.space.sources:
                w.b.bind(name, SourceKind.OPAQUE, scope=header.space)


def _name(w: CppWalk, node: Node) -> str:
    """`T` of `class T`, `class T = int`, `class... T`, `template <class> class T`, `Concept T` or `int T`."""
    named = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    while named is not None and named.type in ("variadic_declarator", "type_parameter_declaration"):
        named = named.named_children[0] if named.named_children else None
    if named is None:
        named = next((child for child in reversed(node.named_children) if child.type in _NAMED), None)
        if named is not None and named.type != "type_identifier":
            return _name(w, named)
    return w.text(named) if named is not None and named.type in ("identifier", "type_identifier") else ""


def _positions(w: CppWalk, node: Node) -> dict[str, int]:
    """Which arguments of a class template, or pointers to what, some names are."""
    listed = node.child_by_field_name("arguments")
    found: dict[str, int] = {}
    nodes = [] if listed is None else children_of(listed)
    for position, child in enumerate(nodes):
        type_node = child.child_by_field_name("type")
        if type_node is not None and type_node.type == "type_identifier":
            found.setdefault(w.text(type_node), position)
    return found
