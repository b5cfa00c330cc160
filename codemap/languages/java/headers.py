"""What precedes definitions: modifiers and annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import SymbolFlag, UseRole
from codemap.languages.java import types
from codemap.languages.java.walk import ANNOTATIONS, JavaWalk, modifiers_of
from codemap.languages.jvm.test_annotations import flags_of_annotation
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_FLAGS = {
    "public": SymbolFlag.EXPORTED,
    "protected": SymbolFlag.EXPORTED,
    "static": SymbolFlag.STATIC,
    "abstract": SymbolFlag.ABSTRACT,
}
_READ = int(UseRole.REFERENCE)


def flags_of(node: Node) -> int:
    """What the modifiers of a definition say: whether other packages see it, whether it is static or abstract."""
    modifiers = modifiers_of(node)
    flags = 0
    for word in modifiers.children if modifiers is not None else ():
        flags |= _FLAGS.get(word.type, 0)
    return flags


def annotate(w: JavaWalk, node: Node, symbol: int) -> None:
    """Visits the annotations of a definition, which is the current owner."""
    modifiers = modifiers_of(node)
    for child in modifiers.named_children if modifiers is not None else ():
        if child.type in ANNOTATIONS:
            w.b.decorator(symbol, annotation(w, child))
            name = child.child_by_field_name("name")
            if name is not None and (flags := flags_of_annotation(w.text(name))):
                w.b.add_flags(symbol, flags)


def annotation(w: JavaWalk, node: Node) -> int:
    """An annotation refers to its type and to the elements that it sets; gives the type."""
    b = w.b
    name = node.child_by_field_name("name")
    type_expr = types.use_type(w, name, _READ) if name is not None else -1
    arguments = node.child_by_field_name("arguments")
    for child in arguments.named_children if arguments is not None else ():
        key = child.child_by_field_name("key")
        if child.type == "element_value_pair" and key is not None:
            b.use(_READ, b.attribute(type_expr, mangle_method(w.text(key), 0)), key.start_byte)
            w.field(child, "value")
        else:
            w.value(child)
    return type_expr
