"""Imports: what name each one binds.

The first part with a capital is a class of the package before it, and what follows are its members; without one, the
last part is a function, property or class of the package.

Source: the Kotlin specification, "Packages and imports".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import SourceKind, UseRole
from codemap.languages.kotlin.walk import KotlinWalk, find_child
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)


def header(w: KotlinWalk, node: Node) -> int:
    path = find_child(node, "identifier")
    if path is None or not path.named_children:
        return NONE
    b = w.b
    names = path.named_children
    parts = [w.text(name).strip("`") for name in names]
    last = len(parts) - 1
    at = next((at for at, part in enumerate(parts[:last]) if part[:1].isupper()), last)
    alias = find_child(node, "import_alias")
    bound = w.text(alias.named_children[0]) if alias is not None and alias.named_children else parts[last]
    if find_child(node, "wildcard_import") is not None:
        if at < last or parts[last][:1].isupper():
            w.static_stars.append(_class(w, parts, names, at))
        else:
            b.star_import(f"{'.'.join(parts)}.*", names[0].start_byte)
    elif at == last:
        row = b.import_(".".join(parts), parts[last], names[last].start_byte)
        b.bind(bound, SourceKind.IMPORT, row)
    else:
        owner = _class(w, parts[:last], names, at)
        w.static_names.setdefault(bound, []).append((owner, parts[last]))
        member = b.either(b.attribute(owner, parts[last]), b.attribute(owner, mangle_method(parts[last])))
        b.use(_READ, member, names[last].start_byte)
    return NONE


def _class(w: KotlinWalk, parts: list[str], names: list[Node], at: int) -> int:
    """The class that the first parts name, whose import binds a name that no program can spell."""
    b = w.b
    name = f"import {'.'.join(parts[: at + 1])}"
    if not b.is_bound_here(name):
        row = b.import_(".".join(parts[: at + 1]), parts[at], names[at].start_byte)
        b.bind(name, SourceKind.IMPORT, row)
    value = b.name(name)
    for part, node in zip(parts[at + 1 :], names[at + 1 :], strict=False):
        value = b.attribute(value, part)
        b.use(_READ, value, node.start_byte)
    return value


def package(w: KotlinWalk, node: Node) -> int:
    path = find_child(node, "identifier")
    if path is not None:
        w.b.package(".".join(w.text(name).strip("`") for name in path.named_children))
    return NONE
