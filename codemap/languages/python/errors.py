"""What the parser could not place, and is still visited.

A definition whose header is broken has it in an error: `def f(a` or `class C(`. What follows in the same error belongs
to the definition, as far as can be known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import ScopeKind, SourceKind, SymbolKind
from codemap.languages.python.definitions.headers import flags_of, function_kind
from codemap.languages.python.definitions.parameters import bind_parameters, visit_parameters
from codemap.languages.python.targets import SIGNATURE_MAX_BYTES
from codemap.languages.python.walk import Place, Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_KEYWORDS = frozenset({"def", "class"})
_CLASS_SCOPE = int(ScopeKind.CLASS)
_FUNCTION_SCOPE = int(ScopeKind.FUNCTION)
_SELF = int(SourceKind.SELF)
_SYMBOL = int(SourceKind.SYMBOL)


def error(w: Walk, node: Node) -> int:
    b = w.b
    saved = (b.owner, b.scope, w.place)
    _visit(w, node, node.end_byte, None)
    b.owner, b.scope, w.place = saved
    return NONE


def broken_header(w: Walk, node: Node) -> int:
    """Visits the errors in the header of a definition; returns where the definition that the parser saw begins.

    The keyword before an error may be that of another definition, whose name is the first in the error.
    """
    b = w.b
    start = node.start_byte
    keyword: Node | None = None
    for child in node.children:
        if child.is_error:
            saved = (b.owner, b.scope, w.place)
            own = _last_keyword(w, child)
            end = child.end_byte if own is None else own.start_byte
            _visit(w, child, end, None if own is None else keyword)
            b.owner, b.scope, w.place = saved
            start = start if own is None else own.start_byte
        keyword = child if child.type in _KEYWORDS else None
    return start


def _last_keyword(w: Walk, node: Node) -> Node | None:
    """The keyword, read as a name or not, that ends an error: that of the definition behind it."""
    children = node.children
    return children[-1] if len(children) > 1 and w.text(children[-1]) in _KEYWORDS else None


def _visit(w: Walk, node: Node, end: int, keyword: Node | None) -> None:
    """Visits an error and the errors in it; a definition that begins in one reaches to `end`."""
    function = NONE
    for child in node.children:
        kind = child.type
        if kind in _KEYWORDS or (kind == "identifier" and w.text(child) in _KEYWORDS):
            keyword = child
        elif keyword is not None and kind == "identifier":
            symbol = _open(w, keyword, child, end)
            function = symbol if keyword.type == "def" else NONE
            keyword = None
        elif kind == "ERROR":
            _visit(w, child, end, None)
        elif kind == "parameters" and function != NONE:
            is_method = w.b.kind_of(function) == SymbolKind.METHOD
            bind_parameters(w, visit_parameters(w, child), function, _SELF if is_method else None)
            function = NONE
        else:
            w.statements[child.kind_id](w, child)


def _open(w: Walk, keyword: Node, name_node: Node, end: int) -> int:
    """Begins a definition; the walk goes on inside it."""
    b = w.b
    name = w.text(name_node)
    namespace = b.function_scope()
    start = keyword.start_byte
    line_end = b.source.find(b"\n", start, end)
    signature_end = min(end if line_end < 0 else line_end, start + SIGNATURE_MAX_BYTES)
    is_class = keyword.type == "class"
    symbol = b.symbol(
        name,
        SymbolKind.CLASS if is_class else function_kind(namespace, is_accessor=False),
        parent=namespace.owner,
        at=name_node.start_byte,
        start=start,
        end=end,
        flags=flags_of(name, set(), namespace),
        signature=b.text(start, signature_end).rstrip().removesuffix(":"),
    )
    b.bind(name, _SYMBOL, symbol, scope=namespace)
    outer = w.place
    place = w.place = Place()
    place.class_symbol = symbol if is_class else outer.class_symbol
    if not is_class:
        place.members = outer.members
    b.owner = symbol
    b.open_scope(_CLASS_SCOPE if is_class else _FUNCTION_SCOPE, symbol)
    return symbol
