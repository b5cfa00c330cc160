"""What the parser could not place, and is still visited.

A definition whose end is missing has its head in the error: `class A {` or `function f(a) {`. What follows in the same
error belongs to it, as far as can be known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import ScopeKind, SourceKind, SymbolKind
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import members
from codemap.languages.ecmascript.definitions.parameters import bind_parameters
from codemap.languages.ecmascript.prefix import Prefix
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_HEADS = {
    "class": SymbolKind.CLASS,
    "interface": SymbolKind.INTERFACE,
    "function": SymbolKind.FUNCTION,
}
_NAMES = frozenset({"identifier", "type_identifier"})


def error(w: Walk, node: Node) -> int:
    b = w.b
    saved = (b.owner, b.scope, w.this, w.function)
    head = SymbolKind.FILE
    exported = NONE
    for child in node.children:
        kind = child.type
        if not child.is_named:
            if kind == "export":
                exported = child.start_byte
            elif kind not in ("async", "abstract", "default", "declare"):
                head = _HEADS.get(kind, SymbolKind.FILE)
                exported = exported if head != SymbolKind.FILE else NONE
        elif head != SymbolKind.FILE and kind in _NAMES:
            _open(w, node, child, head, exported)
            head, exported = SymbolKind.FILE, NONE
        elif kind == "formal_parameters" and b.kind_of(b.owner) == SymbolKind.FUNCTION and b.owner == w.function:
            bind_parameters(w, child, b.owner)
        elif kind in ("method_definition", "method_signature") and b.kind_of(b.owner) == SymbolKind.CLASS:
            members.method(w, child, b.owner, w.space(b.owner), w.instance(b.owner))
        else:
            w.values[child.kind_id](w, child)
    b.owner, b.scope, w.this, w.function = saved
    return NONE


def _open(w: Walk, node: Node, name: Node, kind: SymbolKind, exported: int) -> None:
    """Begins a definition that reaches to the end of the error."""
    b = w.b
    text = w.text(name)
    start = name.start_byte if exported == NONE else exported
    flags = 0 if exported == NONE else flag.EXPORTED
    prefix = Prefix(start, flags, "", (), name.start_byte)
    line_end = b.source.find(b"\n", name.start_byte, node.end_byte)
    signature = (name.start_byte, node.end_byte if line_end < 0 else line_end)
    symbol = w.add(text, kind, prefix, parent=b.owner, at=name.start_byte, end=node.end_byte, signature=signature)
    b.bind(text, SourceKind.SYMBOL, symbol, scope=w.block_scope())
    if exported != NONE and b.scope is b.module:
        w.is_module = True
        b.export(text, local=text, at=name.start_byte)
    b.owner = symbol
    b.open_scope(ScopeKind.FUNCTION, symbol)
    w.this = w.instance(symbol)
    w.function = symbol if kind == SymbolKind.FUNCTION else NONE
