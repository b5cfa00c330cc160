"""Namespaces, and what `using` brings into sight.

A file that declares one namespace around all that it holds belongs to it as to a package: its definitions are named
without it. In any other file namespaces are definitions, around those that they hold.

Names that no scope binds are looked for in the namespace around, in what it says to use, in the namespaces around it
from the inside out, and then in what the file says to use.

Source: the C# language specification, "Namespaces", "Using directives"; "Namespace and type names".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import ScopeKind, SourceKind, SymbolFlag, SymbolKind
from codemap.languages.csharp import definitions, types
from codemap.languages.csharp.project.modules import GLOBAL, OPENED, OPENS
from codemap.languages.csharp.walk import CSharpWalk, flatten, has_token
from codemap.mangled_names import mangle_type

if TYPE_CHECKING:
    from tree_sitter import Node

_SPACES = ("namespace_declaration", "file_scoped_namespace_declaration")
NAMESPACES_MAX = 32
"""Namespaces within one another; nobody nests more, and a file is not seen from further in."""
_TOPS = (*definitions.KINDS, "delegate_declaration", "global_statement")


def open_file(w: CSharpWalk, root: Node) -> None:
    """Says which namespaces the file belongs to, and which it sees."""
    b = w.b
    listed = list(flatten(root.named_children))
    spaces = [node for node in listed if node.type in _SPACES]
    names = {_name(w, node) for node in spaces}
    is_file_scoped = any(node.type == "file_scoped_namespace_declaration" for node in spaces)
    is_package = len(names) == 1 and (is_file_scoped or not any(node.type in _TOPS for node in listed))
    usings = [node for node in listed if node.type == "using_directive"]
    if is_package:
        b.package(*names)
        w.spaces[()] = (b.file, b.module)
    else:
        b.package("")
    for name in sorted(_declared(w, listed, "")):
        if not is_package or name not in names:
            b.package(name)
    for node in usings:
        if has_token(node, "global") and not has_token(node, "static") and _alias(node) is None:
            b.package(f"{OPENS}{_target_name(w, node)}")
    _see(w, listed, usings)


def _declared(w: CSharpWalk, listed: list[Node], outer: str) -> set[str]:
    """The namespaces that some nodes declare, those inside them included, in full."""
    found: set[str] = set()
    if outer.count(".") > NAMESPACES_MAX:
        return found
    for node in listed:
        if node.type in _SPACES:
            name = ".".join(part for part in (outer, _name(w, node)) if part)
            found |= {name, *_declared(w, _body(node), name)}
    return found


def _body(node: Node) -> list[Node]:
    body = node.child_by_field_name("body")
    return list(flatten(body.named_children)) if body is not None else []


def _name(w: CSharpWalk, node: Node) -> str:
    name = node.child_by_field_name("name")
    return "" if name is None else "".join(w.text(name).split())


def _see(w: CSharpWalk, listed: list[Node], usings: list[Node]) -> None:
    """Makes the star imports of a file, in the order in which names are looked for."""
    b = w.b
    seen: dict[str, None] = {}
    inner: list[tuple[str, list[Node]]] = []
    _nested(w, listed, "", inner)
    for name, own in inner:
        if name not in seen:
            seen[name] = None
            b.implicit_import(name)
        for node in own:
            using(w, node)
    for name, _ in inner:
        parts = name.split(".")
        for count in range(len(parts) - 1, 0, -1):
            above = ".".join(parts[:count])
            if above not in seen:
                seen[above] = None
                b.implicit_import(above)
    b.implicit_import(GLOBAL)
    for node in usings:
        using(w, node)
    for specifier in OPENED:
        b.implicit_import(specifier)


def _nested(w: CSharpWalk, listed: list[Node], outer: str, found: list[tuple[str, list[Node]]]) -> None:
    """The namespaces that some nodes declare, the inner first, each with its own `using`."""
    if outer.count(".") > NAMESPACES_MAX:
        return
    for node in listed:
        if node.type in _SPACES:
            name = ".".join(part for part in (outer, _name(w, node)) if part)
            body = _body(node)
            _nested(w, body, name, found)
            found.append((name, [child for child in body if child.type == "using_directive"]))


def _alias(node: Node) -> Node | None:
    return node.child_by_field_name("name") if has_token(node, "=") else None


def _target(node: Node) -> Node | None:
    alias = _alias(node)
    return next((child for child in node.named_children if child != alias and child.type != "comment"), None)


def _target_name(w: CSharpWalk, node: Node) -> str:
    target = _target(node)
    return "" if target is None else "".join(w.text(target).split()).removeprefix("global::")


def using(w: CSharpWalk, node: Node) -> None:
    """`using A.B;`, `using static A.B.C;`, `using X = A.B.C;`"""
    b = w.b
    target, alias = _target(node), _alias(node)
    if target is None:
        return
    if alias is not None:
        _bind_alias(w, w.text(alias), target)
    elif has_token(node, "static"):
        if target.type == "qualified_name":
            w.static_stars.append(_imported(w, target))
        else:
            w.static_stars.append(types.use_type(w, target, 1))
    else:
        b.star_import(_target_name(w, node), types.last_name(target).start_byte)


def _bind_alias(w: CSharpWalk, name: str, target: Node) -> None:
    """A name of the file for a type or a namespace."""
    b = w.b
    if target.type == "qualified_name" and types.last_name(target) == target.child_by_field_name("name"):
        sources = [(int(SourceKind.IMPORT), _row(w, target))]
    else:
        sources = [(int(SourceKind.VALUE), types.visit_type(w, target))]
    for kind, a in sources:
        for key in (name, mangle_type(name, 0)):
            if a != NONE:
                b.bind(key, kind, a, scope=b.module)


def _row(w: CSharpWalk, target: Node) -> int:
    """The import of what a qualified name means."""
    qualifier, name = target.child_by_field_name("qualifier"), target.child_by_field_name("name")
    assert qualifier is not None
    assert name is not None
    outer = "".join(w.text(qualifier).split()).removeprefix("global::")
    imported = mangle_type(w.text(types.name_of(name)), types.count_of(name))
    return w.b.import_(outer, imported, types.name_of(name).start_byte)


def _imported(w: CSharpWalk, target: Node) -> int:
    """A type that a `using` names, bound to a name that no program can spell."""
    name = f"using {w.text(target)}"
    if not w.b.is_bound_here(name):
        w.b.bind(name, SourceKind.IMPORT, _row(w, target), scope=w.b.module)
    return w.b.name(name)


def namespace(w: CSharpWalk, node: Node) -> int:
    """`namespace A.B {…}`."""
    b = w.b
    name_node = node.child_by_field_name("name")
    body = _body(node)
    owner, scope = b.owner, b.scope
    is_own = () in w.spaces and owner == b.file and _name(w, node) == next(iter(b.packages))
    if not is_own and name_node is not None:
        for part in _parts(name_node):
            _enter(w, node, part)
    members(w, body)
    b.owner, b.scope = owner, scope
    return NONE


def _parts(name: Node) -> list[Node]:
    """The identifiers of a dotted name."""
    found: list[Node] = []
    node: Node | None = name
    while node is not None and node.type == "qualified_name":
        last = node.child_by_field_name("name")
        found += [] if last is None else [last]
        node = node.child_by_field_name("qualifier")
    found += [] if node is None else [node]
    return found[::-1]


def _enter(w: CSharpWalk, node: Node, name_node: Node) -> None:
    b = w.b
    outer = next((path for path, (symbol, _) in reversed(w.spaces.items()) if path and symbol == b.owner), ())
    path = (*outer, w.text(name_node))
    known = w.spaces.get(path)
    if known is None:
        symbol = b.symbol(
            path[-1],
            SymbolKind.MODULE,
            parent=b.owner,
            at=name_node.start_byte,
            start=node.start_byte,
            end=node.end_byte,
            flags=int(SymbolFlag.EXPORTED),
            signature=f"namespace {w.b.text(node.start_byte, name_node.end_byte).split()[-1]}",
            doc=w.doc(node.start_byte),
        )
        known = w.spaces[path] = (symbol, b.open_scope(ScopeKind.MODULE, symbol))
    else:
        b.extend_span(known[0], node.end_byte)
    b.owner, b.scope = known


def members(w: CSharpWalk, listed: list[Node]) -> None:
    """Visits what a file or a namespace holds; its types are bound first."""
    definitions.declare(w, listed)
    for child in listed:
        w.value(child)
