"""Imports: what name each one binds.

Capitals distinguish types from packages, as everybody writes them: the first part with a capital is a class of
the package before it, and what follows are its members. Without one, the last part is the class.

Source: The Java Language Specification, "Import Declarations", "Package Declarations".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import SourceKind, UseRole
from codemap.languages.java.walk import JavaWalk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)


def declaration(w: JavaWalk, node: Node) -> int:
    path = next((child for child in node.named_children if child.type in ("scoped_identifier", "identifier")), None)
    if path is None:
        return NONE
    is_star = any(child.type == "asterisk" for child in node.named_children)
    is_static = any(child.type == "static" for child in node.children)
    names = _names(path)
    parts, offsets = [w.text(name) for name in names], [name.start_byte for name in names]
    if is_star:
        _star(w, parts, offsets, is_static)
    else:
        _single(w, parts, offsets, is_static)
    return NONE


def _names(path: Node) -> list[Node]:
    """The parts of a dotted name."""
    found: list[Node] = []
    node: Node | None = path
    while node is not None and node.type == "scoped_identifier":
        name = node.child_by_field_name("name")
        found += [] if name is None else [name]
        node = node.child_by_field_name("scope")
    found += [] if node is None else [node]
    return found[::-1]


def _class_at(parts: list[str], last: int) -> int:
    """Which part names the class of the package, `last` where no part before it looks like one."""
    return next((at for at, part in enumerate(parts[:last]) if part[:1].isupper()), last)


def _star(w: JavaWalk, parts: list[str], offsets: list[int], is_static: bool) -> None:
    b = w.b
    last = len(parts) - 1
    at = _class_at(parts, last)
    if is_static or at < last or parts[-1][:1].isupper():
        w.static_stars.append(_class(w, parts, offsets, at))
    else:
        b.star_import(f"{'.'.join(parts)}.*", offsets[0])


def _single(w: JavaWalk, parts: list[str], offsets: list[int], is_static: bool) -> None:
    b = w.b
    last = len(parts) - 1
    at = _class_at(parts, last - 1 if is_static and last > 0 else last)
    if at == last:
        row = b.import_(".".join(parts), parts[-1], offsets[last])
        b.bind(parts[-1], SourceKind.IMPORT, row)
        return
    owner = _class(w, parts[:last], offsets, at)
    w.static_names.setdefault(parts[last], []).append((owner, parts[last]))
    meant = b.either(b.attribute(owner, parts[last]), b.attribute(owner, mangle_method(parts[last])))
    b.use(_READ, meant, offsets[last])


def _class(w: JavaWalk, parts: list[str], offsets: list[int], at: int) -> int:
    """The class that the first parts name, whose import binds a name that no program can spell."""
    b = w.b
    name = f"import {'.'.join(parts[: at + 1])}"
    if not b.is_bound_here(name):
        row = b.import_(".".join(parts[: at + 1]), parts[at], offsets[at])
        b.bind(name, SourceKind.IMPORT, row)
    value = b.name(name)
    for part, offset in zip(parts[at + 1 :], offsets[at + 1 :], strict=False):
        value = b.attribute(value, part)
        b.use(_READ, value, offset)
    return value


def package(w: JavaWalk, node: Node) -> int:
    path = next((child for child in node.named_children if child.type in ("scoped_identifier", "identifier")), None)
    if path is not None:
        w.b.package("".join(w.text(path).split()))
    for child in node.named_children:
        if child is not path:
            w.value(child)
    return NONE
