"""Items that a call of a `macro_rules!` of the same file makes, of names that the call gives.

What the items hold is the macro's: of a function only its name is known, and whether it is a method.

Source: the Rust Reference, "Macros By Example".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.facts import SourceKind, SymbolFlag, SymbolKind
from codemap.languages.rust import headers
from codemap.languages.rust.macros import macro_rules
from codemap.languages.rust.walk import Type, Walk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "fn": SymbolKind.FUNCTION,
    "struct": SymbolKind.CLASS,
    "union": SymbolKind.CLASS,
    "enum": SymbolKind.ENUM,
    "trait": SymbolKind.INTERFACE,
    "type": SymbolKind.TYPE_ALIAS,
    "const": SymbolKind.VARIABLE,
    "static": SymbolKind.VARIABLE,
}
_TYPES = frozenset({"struct", "union", "enum", "trait"})


def declare(w: Walk, node: Node, start: int, of: Type | None = None) -> None:
    """Makes the symbols of the items that the call of a macro makes, in a space or in a type."""
    call = node.named_children[0] if node.type == "expression_statement" and node.named_child_count == 1 else node
    name = call.child_by_field_name("macro") if call.type == "macro_invocation" else None
    definition = None if name is None else w.macro_nodes.get(w.text(name))
    tree = next((child for child in call.named_children if child.type == "token_tree"), None)
    if definition is None or tree is None:
        return
    made = [one for one in macro_rules.find_made(definition, tree) if one.word in _KINDS]
    for one in made:
        span = (start, node.end_byte) if len(made) == 1 else (one.name.start_byte, one.name.end_byte)
        _declare(w, one, span, headers.doc(w, node, start) if len(made) == 1 else "", of)


def _declare(w: Walk, one: macro_rules.Made, span: tuple[int, int], doc: str, of: Type | None) -> None:
    b = w.b
    name = w.text(one.name)
    kind = SymbolKind.METHOD if of is not None and one.word == "fn" else _KINDS[one.word]
    flags = headers.EXPORTED | headers.flags_of_tests(one.attributes)
    if of is not None and not (one.word == "fn" and one.has_self):
        flags |= SymbolFlag.STATIC
    symbol = b.symbol(
        name,
        kind,
        parent=b.owner if of is None else of.symbol,
        at=one.name.start_byte,
        start=span[0],
        end=span[1],
        flags=flags,
        signature=f"{one.word} {name}",
        doc=doc,
    )
    w.made.add(one.name.start_byte)
    if of is not None:
        bound = mangle_method(name) if one.word == "fn" else name
        b.bind(bound, SourceKind.SYMBOL, symbol, scope=of.members)
        return
    w.space.declared.add(name)
    b.bind(name, SourceKind.SYMBOL, symbol, scope=w.space.scope)
    if one.word in _TYPES:
        w.space.types.setdefault(name, Type(symbol, b.namespace(symbol)))
