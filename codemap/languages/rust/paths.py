"""Paths: what each of their names means, from the crate, module or type that they begin with.

A name behind a type is a function of it where it begins small (`Store::new`), else a variant, constant or type.

Source: the Rust Reference, "Paths".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.builder import NONE
from codemap.facts import Op, UseRole
from codemap.languages.rust.builtins import BUILTINS
from codemap.languages.rust.project.specifiers import CRATE, SELF, SUPER
from codemap.languages.rust.walk import Walk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_NAMED = frozenset(map(int, (Op.NAME, Op.GLOBAL, Op.ATTR, Op.ELSE)))
_SCOPED = frozenset({"scoped_identifier", "scoped_type_identifier", "scoped_type_identifier_in_expression_position"})
_GENERIC = frozenset({"generic_type", "generic_type_with_turbofish", "generic_function"})
NO_ARGUMENTS = frozenset({"lifetime", "line_comment", "block_comment"})
"""In a list of type arguments."""
QUIET, HELD = -1, -2
"""In place of a role: the names of the path are not used here; or all but the last are."""


class Parts(NamedTuple):
    """A path, taken apart."""

    base: Node | None
    """`<T as Trait>` at the beginning, where there is one."""
    names: list[Node]
    is_global: bool
    """Whether it begins with `::`."""
    arguments: list[Node]
    """Type arguments of any of its names."""


def split_path(node: Node) -> Parts:
    names: list[Node] = []
    arguments: list[Node] = []
    base: Node | None = None
    inner: Node | None = node
    is_global = False
    while inner is not None:
        kind = inner.type
        if kind in _SCOPED:
            name = inner.child_by_field_name("name")
            if name is not None:
                names.append(name)
            inner = inner.child_by_field_name("path")
            is_global = inner is None
        elif kind in _GENERIC:
            given = inner.child_by_field_name("type_arguments")
            if given is not None:
                arguments.append(given)
            inner = inner.child_by_field_name("type") or inner.child_by_field_name("function")
        elif kind == "bracketed_type":
            base = inner
            inner = None
        else:
            names.append(inner)
            inner = None
    return Parts(base, names[::-1], is_global, arguments)


def last_name(w: Walk, node: Node) -> str:
    """The last name of a path; empty where it has none."""
    names = split_path(node).names
    return w.text(names[-1]) if names else ""


def read(w: Walk, node: Node) -> int:
    """A path in the place of a type or value."""
    return use_path(w, node, _READ)


def use_path(w: Walk, node: Node, role: int) -> int:
    """What a path means; its last name is used as `role` says, the others are read."""
    kind = node.type
    if kind == "type_identifier" or kind == "identifier":
        name = w.text(node)
        value = w.item(name) if kind == "type_identifier" else w.name(name)
        if role >= 0:
            w.b.use(role, value, node.start_byte)
        return value
    taken = split_path(node)
    given = visit_arguments(w, taken)
    value = resolve_path(w, taken, role, is_value=not kind.endswith(("type_identifier", "type")))
    return w.b.apply_known(value, given[0]) if kind == "generic_function" else value


def visit_arguments(w: Walk, taken: Parts) -> list[list[int]]:
    """Visits the type arguments of a path: those of each name that has any, from the last name on."""
    return [
        [
            w.value(child.child_by_field_name("type") if child.type == "type_binding" else child)
            for child in arguments.named_children
            if child.type not in NO_ARGUMENTS
        ]
        for arguments in taken.arguments
    ]


def resolve_path(w: Walk, taken: Parts, role: int, *, is_value: bool = False, is_prefix: bool = False) -> int:
    """What a path means that was taken apart; `is_value`: a single name may mean a local; `is_prefix`: it begins a
    longer one."""
    b = w.b
    names = taken.names
    if taken.base is not None:
        value, rest, before = w.value(taken.base), names, "T"
    elif not names:
        return NONE
    else:
        is_alone = len(names) == 1 and not is_prefix
        value, count = _beginning(w, names, taken, is_value=is_value, is_alone=is_alone)
        before = w.text(names[count - 1])
        _use(w, role, value, names[count - 1], is_last=count == len(names))
        rest = names[count:]
    for at, node in enumerate(rest):
        name = w.text(node)
        is_last = at == len(rest) - 1
        value = b.attribute(
            value, mangle_method(name) if is_last and _is_method(before, name) and role != QUIET else name
        )
        _use(w, role, value, node, is_last=is_last)
        before = name
    if len(names) == 2 and taken.base is None:
        stated = f"{w.text(names[0])}::{w.text(names[1])}"
        if stated in b.names and w.is_bound(stated, w.space.scope):  # what a bound states of an item
            return b.either(w.item(stated), value)
    return value


def resolve_text(w: Walk, text: str) -> int:
    """What a path means that stands in a string; its uses are not reported."""
    first, *rest = text.split("::")
    if first == CRATE:
        value = w.head(CRATE)
    elif first in (SELF, SUPER):
        value = _up(w, int(first == SUPER))
    else:
        value = beginning(w, first) if rest else w.item(first)
    before = first
    for at, name in enumerate(rest):
        is_method = at == len(rest) - 1 and _is_method(before, name)
        value, before = w.b.attribute(value, mangle_method(name) if is_method else name), name
    return value


def _use(w: Walk, role: int, value: int, node: Node, *, is_last: bool) -> None:
    """Uses a name of a path; one before the last is a module or type (6.4.1 "Namespaces": the type namespace)."""
    if not is_last and role != QUIET:
        may_be_function = value != NONE and w.text(node)[:1].islower() and w.b.exprs[value][0] in _NAMED
        w.b.use(_READ, w.b.wrap(Op.SCOPE, value) if may_be_function else value, node.start_byte)
    elif role not in (QUIET, HELD):
        w.b.use(role, value, node.start_byte)


def _is_method(before: str, name: str) -> bool:
    return (before[:1].isupper() or before in BUILTINS) and not name[:1].isupper()


def _beginning(w: Walk, names: list[Node], taken: Parts, *, is_value: bool, is_alone: bool) -> tuple[int, int]:
    """What the first names of a path mean, and how many they are."""
    first = w.text(names[0])
    if first == CRATE:
        return w.head(CRATE), 1
    if first == SELF and not (is_alone and is_value):
        return _up(w, 0), 1
    if first == SUPER:
        count = next((at for at, node in enumerate(names) if w.text(node) != SUPER), len(names))
        return _up(w, count), count
    if first == "Self":
        return (w.b.expr(Op.SYMBOL, w.owner_type) if w.trait and not is_alone else w.item(first)), 1
    if taken.is_global:
        return w.crate(first), 1
    if is_alone:
        return (w.name(first) if is_value else w.item(first)), 1
    return beginning(w, first), 1


def beginning(w: Walk, name: str) -> int:
    """What the first name of a longer path means: an item that is seen, or a crate."""
    if name[:1].isupper() or name in BUILTINS or w.is_declared(name):
        return w.item(name)
    return w.b.either(w.item(name), w.crate(name)) if w.sees_stars() else w.crate(name)


def _up(w: Walk, count: int) -> int:
    """The module that is so many above the current one."""
    around = w.space.within
    if count < len(around):
        return w.b.expr(Op.SYMBOL, around[len(around) - 1 - count].symbol)
    above = count - len(around)
    return w.head("::".join([SUPER] * above) if above else SELF)
