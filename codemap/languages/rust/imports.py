"""`use`, `extern crate` and `mod name;`: what name each one binds, and what it asks for.

Source: the Rust Reference, "Use declarations", "Extern crate declarations", "Modules".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.builder import NONE
from codemap.fact_building.spelling import decoded
from codemap.facts import ImportFlag, SourceKind, UseRole
from codemap.languages.rust import paths
from codemap.languages.rust.project.specifiers import MACROS_OF, MACROS_USED, MODULE, PATH, SELF, SUPER
from codemap.languages.rust.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_PATH = re.compile(r'#\[\s*path\s*=\s*"([^"]+)"')


class Leaf(NamedTuple):
    """One name that a `use` brings."""

    names: list[Node]
    """The path to it, from the outermost in."""
    bound: str
    """What it is called here; empty where it is not called anything."""
    is_star: bool
    is_global: bool
    at: int


def leaves(w: Walk, node: Node) -> Iterator[Leaf]:
    argument = node.child_by_field_name("argument")
    if argument is not None:
        yield from _leaves(w, argument, [], is_global=False)


def _leaves(w: Walk, node: Node, before: list[Node], *, is_global: bool) -> Iterator[Leaf]:
    match node.type:
        case "use_list":
            for child in node.named_children:
                yield from _leaves(w, child, before, is_global=is_global)
        case "scoped_use_list":
            path, listed = node.child_by_field_name("path"), node.child_by_field_name("list")
            names = before
            if path is not None:
                taken = paths.split_path(path)
                names, is_global = [*before, *taken.names], is_global or taken.is_global
            else:
                is_global = not before
            if listed is not None:
                yield from _leaves(w, listed, names, is_global=is_global)
        case "use_wildcard":
            path = node.named_children[0] if node.named_children else None
            taken = paths.Parts(None, [], False, []) if path is None else paths.split_path(path)
            at = node.end_byte - 1 if path is None else taken.names[-1].start_byte if taken.names else node.start_byte
            yield Leaf([*before, *taken.names], "", is_star=True, is_global=is_global or taken.is_global, at=at)
        case "use_as_clause":
            path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            if path is not None:
                name = "" if alias is None else w.text(alias)
                yield _leaf(w, path, before, "" if name == "_" else name, is_global=is_global)
        case "identifier" | "scoped_identifier" | "self" | "crate" | "super":
            yield _leaf(w, node, before, None, is_global=is_global)
        case _:
            return


def _leaf(w: Walk, node: Node, before: list[Node], bound: str | None, *, is_global: bool) -> Leaf:
    taken = paths.split_path(node)
    names = [*before, *taken.names]
    at = taken.names[-1].start_byte if taken.names else node.start_byte
    if before and len(taken.names) == 1 and w.text(taken.names[0]) == SELF:
        names = before
    if bound is None:
        bound = w.text(names[-1]) if names else ""
    return Leaf(names, bound, is_star=False, is_global=is_global or taken.is_global, at=at)


def declare(w: Walk, node: Node) -> None:
    """Notes the names that a `use` binds, and whether it brings all of something."""
    space = w.space
    for leaf in leaves(w, node):
        first = w.text(leaf.names[0]) if leaf.names else ""
        if leaf.is_star:
            space.has_stars = True
            if space.scope is not w.b.module and not _is_parent(w, leaf):
                space.stars.append(paths.resolve_path(w, _parts(leaf, leaf.names), paths.QUIET, is_prefix=True))
        elif leaf.bound and leaf.bound != first:
            space.declared.add(leaf.bound)
            space.aliases[leaf.bound] = w.text(leaf.names[-1])


def asks_for_parent(w: Walk, body: Node) -> bool:
    """Whether a module inside a file asks for all names around it."""
    nodes = [child for child in body.named_children if child.type == "use_declaration"]
    return any(_is_parent(w, leaf) for node in nodes for leaf in leaves(w, node))


def _is_parent(w: Walk, leaf: Leaf) -> bool:
    return leaf.is_star and len(leaf.names) == 1 and w.text(leaf.names[0]) == SUPER


def use(w: Walk, node: Node) -> int:
    space, b = w.space, w.b
    is_public = any(child.type == "visibility_modifier" for child in node.children)
    is_top = space.scope is b.module
    for leaf in leaves(w, node):
        if not leaf.names:
            continue
        if leaf.is_star:
            if not is_top and space.is_module and _is_parent(w, leaf):
                continue  # its names are looked up around it
            scope, b.scope = b.scope, space.scope
            path = paths.resolve_path(w, _parts(leaf, leaf.names), paths.QUIET, is_prefix=True)
            row = b.star_import(_specifier(w, leaf), leaf.at, path=path)
            b.scope = scope
            if is_public and is_top:
                b.export(None, import_=row, at=leaf.at)
            continue
        if len(leaf.names) == 1 and w.text(leaf.names[0]) in w.macros and not leaf.is_global:
            b.bind(leaf.bound, SourceKind.SYMBOL, w.macros[w.text(leaf.names[0])], scope=space.scope)
            continue  # `pub(crate) use name;` behind a macro of that name
        row = _import(w, leaf)
        if leaf.bound:
            b.bind(leaf.bound, SourceKind.IMPORT, row, scope=space.scope)
            if is_public and is_top:
                b.export(leaf.bound, local=leaf.bound, at=leaf.at)
    return NONE


def _import(w: Walk, leaf: Leaf) -> int:
    b = w.b
    if len(leaf.names) == 1:
        path = (
            paths.resolve_path(w, _parts(leaf, leaf.names), paths.QUIET, is_prefix=True) if not leaf.is_global else NONE
        )
        first = w.text(leaf.names[0])
        if leaf.is_global or (path != NONE and leaf.bound == first):
            path = w.crate(first)
        return b.import_(_specifier(w, leaf), NONE, leaf.at, path=path)
    path = paths.resolve_path(w, _parts(leaf, leaf.names[:-1]), paths.QUIET, is_prefix=True)
    if w.text(leaf.names[-2])[:1].isupper():  # an enum, of which a variant is brought
        b.use(_READ, path, leaf.names[-2].start_byte)
    name = w.text(leaf.names[-1])
    if name == SELF:
        return b.import_(_specifier(w, leaf), NONE, leaf.at, path=path)
    if leaf.bound:
        w.macro_paths.setdefault(leaf.bound, path)
        if len(leaf.names) == 2:
            w.macro_crates.setdefault(leaf.bound, w.text(leaf.names[0]))
    return b.import_(_specifier(w, leaf), name, leaf.at, path=path)


def _parts(leaf: Leaf, names: list[Node]) -> paths.Parts:
    return paths.Parts(None, names, leaf.is_global, [])


def _specifier(w: Walk, leaf: Leaf) -> str:
    """What the path begins with, as modules are resolved."""
    first = w.text(leaf.names[0])
    if first == SUPER:
        count = next((at for at, node in enumerate(leaf.names) if w.text(node) != SUPER), len(leaf.names))
        above = count - len(w.space.within)
        return "::".join([SUPER] * above) if above > 0 else SELF
    if first not in (SELF, "crate") and not leaf.is_global and w.is_declared(first):
        return SELF
    return first


def extern_crate(w: Walk, node: Node) -> int:
    """`extern crate a as b;`"""
    b = w.b
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return NONE
    name = w.text(name_node)
    row = b.import_("crate" if name == SELF else name, NONE, name_node.start_byte)
    bound = extern_name(w, node)
    if bound not in ("", "_", SELF):
        b.bind(bound, SourceKind.IMPORT, row, scope=w.space.scope)
    before = node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        if "macro_use" in w.text(before):
            row = b.import_(f"{MACROS_OF}{name}", NONE, name_node.start_byte, ImportFlag.HEAD)
            b.bind(MACROS_USED, SourceKind.IMPORT, row, scope=w.space.scope)
        before = before.prev_named_sibling
    return NONE


def extern_name(w: Walk, node: Node) -> str:
    given = node.child_by_field_name("alias") or node.child_by_field_name("name")
    return "" if given is None else w.text(given)


def file_of(w: Walk, node: Node, start: int, name: str) -> str:
    """The specifier of a module that is another file."""
    stated = _PATH.search(w.chars[start : node.start_byte])
    if stated is None:
        return MODULE + name
    folder = name.rpartition("/")[0]
    return PATH + (f"{folder}/" if folder else "") + decoded(stated[1])
