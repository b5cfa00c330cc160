"""A syntax tree of TypeScript or JavaScript becomes facts: the tables of handlers, and the stages around the walk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Handler, visit_children
from codemap.facts import SourceKind, SymbolFlag, SymbolKind
from codemap.languages.ecmascript import calls, errors, expressions, jsx, statements
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import contextual_types, declarations, members, prototypes
from codemap.languages.ecmascript.imports_exports import commonjs, exports, imports
from codemap.languages.ecmascript.jsdoc.types import GRAMMAR, read_types
from codemap.languages.ecmascript.kinds import Kinds
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.fact_building.builder import Builder

_HANDLERS: Mapping[str, Handler] = {
    **expressions.HANDLERS,
    **statements.HANDLERS,
    **declarations.HANDLERS,
    **imports.HANDLERS,
    **exports.HANDLERS,
    **jsx.HANDLERS,
}


_TYPE_KINDS = frozenset((int(SymbolKind.INTERFACE), int(SymbolKind.TYPE_ALIAS)))
_VALUE_KINDS = frozenset((int(SymbolKind.FUNCTION), int(SymbolKind.VARIABLE)))
"""What TypeScript takes for no type; in JavaScript a function that constructs is one."""


@cache
def _grammar(name: str) -> tuple[Kinds, dict[int, Handler]]:
    kinds = Kinds(name)
    return kinds, kinds.table(_HANDLERS, visit_children)


def extract(root: Node, b: Builder) -> None:
    """Tells the builder what one file says. Never raises on bad source."""
    kinds, table = _grammar(b.grammar)
    b.type_kinds = _TYPE_KINDS
    if b.lang == "ts":
        b.value_kinds = _VALUE_KINDS
    b.not_read = calls.NOT_READ
    b.not_called = calls.NOT_CALLED
    w = Walk(b, kinds, table)
    w.wanted = contextual_types.HANDLERS
    if b.lang == "js":
        _read_comments(w)
    if root.is_error:
        errors.error(w, root)
    else:
        w.body(root)
    prototypes.report_heirs(w)
    for constructor in list(w.deferred):
        members.assigned(w, constructor)
    _mark_exported(w)
    b.is_script = not w.is_module
    _mark_ambient(w)
    if _GIVES_TESTS.search(b.chars):
        b.add_flags(b.file, SymbolFlag.CASE)


_GIVES_TESTS = re.compile(
    r"^(?:await )?(?:it|test|describe|suite|specify|context|tap|tape|QUnit|Deno)(?:\.\w+)*[ \t]*[(<`]", re.MULTILINE
)
"""A call outside of functions that gives tests to what runs them."""


def _read_comments(w: Walk) -> None:
    """Takes the types that comments state, and binds the names that they give to types."""
    found = read_types(w.source)
    if found is None:
        return
    w.documented = found
    kinds, table = _grammar(GRAMMAR)
    named = {kind: _module_or(table[kind]) for kind, name in kinds.names.items() if name in _NAMES}
    w.type_walk = Walk(w.b, kinds, {**table, **named})
    for name, at in found.names():
        type_ = w.documented_type(at)
        w.b.bind(name, SourceKind.OPAQUE if type_ == NONE else SourceKind.VALUE, type_)


_NAMES = ("identifier", "type_identifier")


def _module_or(handler: Handler) -> Handler:
    """The handler of a name in a type, which may stand for `import('m')`."""

    def visit(w: Walk, node: Node) -> int:
        module = commonjs.type_module(w, node)
        return handler(w, node) if module == NONE else module

    return visit


def _mark_ambient(w: Walk) -> None:
    """Flags definitions that every file sees, and what modules declared by a specifier have."""
    b = w.b
    parents = w.ambient | {b.file} if b.is_script and b.lang == "ts" else w.ambient
    if parents:
        for symbol in range(1, len(b.symbols)):
            if b.parent_of(symbol) in parents and not (b.symbols[symbol][4] & flag.UNNAMED):
                b.add_flags(symbol, flag.AMBIENT)


def _mark_exported(w: Walk) -> None:
    """Flags definitions that a statement apart from them exports."""
    b = w.b
    for name, flags in w.exported.items():
        for kind, symbol, _ in b.module.sources.get(b.intern(name), ()):
            if kind == SourceKind.SYMBOL:
                b.add_flags(symbol, flags)
