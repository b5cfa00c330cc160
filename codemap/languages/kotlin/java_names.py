"""The names that Java has for what Kotlin defines.

Functions and properties beside classes are static members of a class that their file makes, named after the file or by
`@file:JvmName`. There they are bound as calls of Java spell them: a receiver is the first argument, and a function that
suspends takes a continuation as its last one. No Kotlin code asks for such a name.

Source: the Kotlin documentation, "Calling Kotlin from Java".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import SourceKind
from codemap.languages.jvm.modules import FILE_NAME
from codemap.languages.kotlin.walk import KotlinWalk, find_child, modifiers
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from codemap.languages.class_based.walk import Class

_SYMBOL = int(SourceKind.SYMBOL)
_BESIDE_CLASSES = ("function_declaration", "property_declaration")


def declare_file_class(w: KotlinWalk, root: Node) -> None:
    """Declares the class that a file makes of what stands beside its classes, if anything does."""
    if find_child(root, *_BESIDE_CLASSES) is None:
        return
    given = _given_name(w, [child for child in root.named_children if child.type == "file_annotation"])
    package = next(iter(w.b.packages), "")
    w.b.package(package)
    name = given or f"{FILE_NAME}Kt"
    w.b.package(f"{package}.{name}" if package else name)


def bind_function(w: KotlinWalk, node: Node, name: str, symbol: int, counts: Iterable[int]) -> None:
    """Binds a function beside classes as Java calls it, by the numbers of arguments that it takes in Kotlin."""
    words = modifiers(w, node)
    if "private" in words or w.b.scope is not w.b.module:
        return
    more = (find_child(node, "receiver_type") is not None) + ("suspend" in words)
    _bind(w, _name_in_java(w, node) or name, symbol, [count + more for count in counts], None)


def bind_method(w: KotlinWalk, node: Node, symbol: int, counts: Iterable[int], cls: Class) -> None:
    """Binds a method under the name that Java alone has for it, if it has one."""
    name = _name_in_java(w, node)
    if name:
        _bind(w, name, symbol, counts, cls)


def bind_accessors(w: KotlinWalk, node: Node, name: str, symbol: int, cls: Class | None, *, has_receiver: bool) -> None:
    """Binds a property as what Java calls to get or set it: a member of a class, or beside classes."""
    is_question = name[:2] == "is" and not name[2:3].islower()
    tail = name[2:] if is_question else name[:1].upper() + name[1:]
    getter = _name_in_java(w, node, "get") or (name if is_question else f"get{tail}")
    _bind(w, getter, symbol, [int(has_receiver)], cls)
    kind = find_child(node, "binding_pattern_kind")
    if kind is not None and w.text(kind) == "var":
        _bind(w, _name_in_java(w, node, "set") or f"set{tail}", symbol, [1 + has_receiver], cls)


def bind_accessor(w: KotlinWalk, node: Node, symbol: int, cls: Class | None, *, has_receiver: bool) -> None:
    """Binds a property under the name that Java has for one of its accessors, by the annotation of that."""
    name = _name_in_java(w, node)
    if name:
        _bind(w, name, symbol, [(node.type == "setter") + has_receiver], cls)


def _name_in_java(w: KotlinWalk, node: Node, target: str = "") -> str:
    """The name that a definition has by an annotation of it, or of its accessor `target`; empty without one."""
    holder = find_child(node, "modifiers")
    annotations = [child for child in getattr(holder, "named_children", ()) if child.type == "annotation"]
    return _given_name(w, [each for each in annotations if _target_of(w, each) == target])


def _target_of(w: KotlinWalk, annotation: Node) -> str:
    target = find_child(annotation, "use_site_target")
    return "" if target is None else w.text(target).rstrip(": ")


def _given_name(w: KotlinWalk, annotations: list[Node]) -> str:
    for annotation in annotations:
        for made in annotation.named_children:
            if made.type == "constructor_invocation" and w.text(made.named_children[0]).endswith("JvmName"):
                argument = find_child(find_child(made, "value_arguments"), "value_argument")
                literal = find_child(argument, "string_literal")
                return "" if literal is None else w.text(literal).strip('"')
    return ""


def _bind(w: KotlinWalk, name: str, symbol: int, counts: Iterable[int], cls: Class | None) -> None:
    """Binds a definition in a class, whose members that Kotlin names so come first, or beside classes."""
    for mangled in (*(mangle_method(name, count) for count in counts), mangle_method(name)):
        if cls is None or mangled not in cls.declared:
            w.b.bind(mangled, _SYMBOL, symbol, scope=w.b.module if cls is None else cls.members)
