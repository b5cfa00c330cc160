"""References to functions, members and classes (`::f`, `Type::f`, `Type::class`).

Source: the Kotlin language specification, "Callable references and class literals".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, UseRole
from codemap.languages.kotlin.walk import KotlinWalk, find_child
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_READ = int(UseRole.REFERENCE)
_CLASS_LITERAL = "KClass"


def reference(w: KotlinWalk, node: Node) -> int:
    """`::f`, `Type::f`, `Type::class`."""
    b = w.b
    name_node, type_node = find_child(node, "simple_identifier"), find_child(node, "type_identifier")
    receiver = NONE
    if type_node is not None:
        receiver = w.bare(w.text(type_node))
        b.use(_READ, receiver, type_node.start_byte)
    if name_node is None:
        is_type = type_node is not None and w.text(type_node)[:1].isupper()
        return b.wrap(Op.INSTANCE, b.apply(b.name(_CLASS_LITERAL), [receiver if is_type else NONE]))
    name = w.text(name_node)
    if type_node is None:
        value = b.either(w.bare(mangle_method(name)), w.bare(name))
    else:
        value = b.either(b.attribute(receiver, mangle_method(name)), b.attribute(receiver, name))
    b.use(_READ, value, name_node.start_byte)
    return value


def is_class(w: KotlinWalk, value: int) -> bool:
    """Whether an expression is `Type::class`."""
    b = w.b
    if value == NONE or b.exprs[value][0] != Op.INSTANCE:
        return False
    op, base, _ = b.exprs[b.exprs[value][1]]
    return op == Op.APPLY and base == b.name(_CLASS_LITERAL)


def java_class(w: KotlinWalk, value: int) -> int:
    """`Type::class.java`."""
    b = w.b
    arguments = b.exprs[b.exprs[value][1]][2]
    return b.wrap(Op.INSTANCE, b.expr(Op.APPLY, b.name("Class"), arguments))
