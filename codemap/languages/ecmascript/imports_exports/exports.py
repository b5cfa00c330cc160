"""`export` statements of every form.

Exports of a namespace or an ambient module are its members, not the file's: they only mark the definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Handler
from codemap.facts import Import, ImportFlag, SourceKind
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.definitions import classes, functions, variables
from codemap.languages.ecmascript.imports_exports import commonjs
from codemap.languages.ecmascript.imports_exports.imports import DEFAULT, is_type_only, specifier_of
from codemap.languages.ecmascript.walk import READ, Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node


def export_statement(w: Walk, node: Node) -> int:
    is_file = w.b.scope is w.b.module
    if is_file:
        w.is_module = True
    if node.child_by_field_name("source") is not None:
        return _from(w, node)
    declaration = node.child_by_field_name("declaration")
    words = {child.type for child in node.children if not child.is_named}
    for child in node.named_children:
        if child.kind_id == w.kinds.DECORATOR:
            w.decorators.append(child)
    if "default" in words:
        value = node.child_by_field_name("value") or declaration
        if value is not None:
            _default(w, node, value)
        w.decorators = []
        return NONE
    if declaration is not None:
        _declaration(w, node, declaration, is_file=is_file)
        w.decorators = []
        return NONE
    for child in node.named_children:
        if child.type == "export_clause":
            _clause(w, child, is_file=is_file)
        elif "=" in words and child.kind_id != w.kinds.COMMENT:
            _assigned(w, child)
    return NONE


def _declaration(w: Walk, node: Node, declaration: Node, *, is_file: bool) -> None:
    if w.start == NONE:
        w.start = node.start_byte
    w.flags |= flag.EXPORTED
    w.value(declaration)
    w.start, w.flags = NONE, 0
    if is_file:
        for name in _declared(w, declaration):
            text = w.text(name)
            w.b.export(text, local=text, at=name.start_byte)


def _declared(w: Walk, node: Node) -> list[Node]:
    """The names that a declaration binds."""
    if node.type == "ambient_declaration":
        return [name for child in node.named_children for name in _declared(w, child)]
    if node.type in ("lexical_declaration", "variable_declaration"):
        found: list[Node] = []
        for child in node.named_children:
            target = name_of(child)
            if target is not None:
                _pattern_names(w, target, found)
        return found
    name = name_of(node)
    if name is None:
        return []
    while name.type == "nested_identifier" and name.named_children:
        name = name.named_children[0]
    return [] if name.kind_id == w.kinds.STRING else [name]


def _pattern_names(w: Walk, node: Node, found: list[Node]) -> None:
    k = w.kinds
    kind = node.kind_id
    if kind in (k.IDENTIFIER, k.SHORTHAND_PATTERN):
        found.append(node)
    elif kind in (k.ASSIGNMENT_PATTERN, k.OBJECT_ASSIGNMENT_PATTERN):
        left = node.child_by_field_name("left")
        if left is not None:
            _pattern_names(w, left, found)
    elif kind == k.PAIR_PATTERN:
        value = node.child_by_field_name("value")
        if value is not None:
            _pattern_names(w, value, found)
    elif kind in (k.OBJECT_PATTERN, k.ARRAY_PATTERN, k.REST_PATTERN):
        for child in node.named_children:
            _pattern_names(w, child, found)


def _clause(w: Walk, node: Node, *, is_file: bool) -> None:
    """`export { a, b as c }`."""
    for child in node.named_children:
        name, alias = name_of(child), child.child_by_field_name("alias")
        if name is None:
            continue
        text = w.text(name)
        w.b.use(READ, w.b.type_name(text), name.start_byte)
        if not is_file:
            if alias is not None:
                _offer_inside(w, w.key(alias) or text, text)
        else:
            offered = text if alias is None else w.key(alias) or text
            commonjs.offer_local(w, offered, text, (name if alias is None else alias).start_byte)


def _offer_inside(w: Walk, name: str, local: str) -> None:
    """Offers what a name means as a member of the namespace or declared module around."""
    found = w.bound(local)
    for kind, a, b in [] if found is None else found[1]:
        w.b.bind(name, kind, a, b)
    if found is None:
        w.b.bind(name, SourceKind.VALUE, w.b.type_name(local))


def _from(w: Walk, node: Node) -> int:
    """`export … from 'm'`."""
    found = specifier_of(w, node)
    if found is None:
        return NONE
    specifier, source = found
    b = w.b
    is_file = b.scope is b.module
    flags = ImportFlag.TYPE_ONLY if is_type_only(node) else ImportFlag(0)
    is_star = True
    for child in node.named_children:
        if child.type == "namespace_export":
            is_star = False
            for name in child.named_children:
                row = b.import_(specifier, NONE, source.start_byte, flags)
                _offer_import(w, w.key(name) or "", row, name, is_file=is_file)
        elif child.type == "export_clause":
            is_star = False
            for each in child.named_children:
                _specifier(w, each, specifier, flags, is_file=is_file)
    if is_star and not is_file:
        b.star_import(specifier, source.start_byte, flags)
    elif is_star:
        row = b.import_(specifier, Import.STAR, source.start_byte, flags)
        b.export(None, import_=row, at=source.start_byte)
    return NONE


def _offer_import(w: Walk, name: str, row: int, at: Node, *, is_file: bool) -> None:
    if is_file:
        w.b.export(name, import_=row, at=at.start_byte)
    else:
        w.b.bind(name, SourceKind.IMPORT, row)


def _specifier(w: Walk, node: Node, specifier: str, flags: ImportFlag, *, is_file: bool) -> None:
    name, alias = name_of(node), node.child_by_field_name("alias")
    if name is None:
        return
    own = flags | ImportFlag.TYPE_ONLY if is_type_only(node) else flags
    asked = w.key(name) or ""
    row = w.b.import_(specifier, asked, name.start_byte, own)
    offered = name if alias is None else alias
    _offer_import(w, w.key(offered) or asked, row, offered, is_file=is_file)


def _default(w: Walk, node: Node, value: Node) -> None:
    """`export default …`: a name, or a definition; one without a name of its own is called `default`."""
    b, k = w.b, w.kinds
    plain = w.unwrap(value)
    kind = plain.kind_id
    is_file = b.scope is b.module
    if kind == k.IDENTIFIER:
        b.use(READ, b.type_name(w.text(plain)), plain.start_byte)
        if is_file:
            commonjs.offer_local(w, DEFAULT, w.text(plain), plain.start_byte)
        else:
            _offer_inside(w, DEFAULT, w.text(plain))
        return
    name = name_of(plain)
    if w.start == NONE:
        w.start = node.start_byte
    w.flags = flag.EXPORTED | flag.DEFAULT
    is_function = kind in k.functions or "function" in plain.type
    is_class = kind == k.CLASS or plain.type in ("class_declaration", "abstract_class_declaration")
    if name is not None and plain.type in _DECLARATIONS:
        w.value(plain)
        if is_file:
            b.export(DEFAULT, local=w.text(name), at=name.start_byte)
        else:
            _offer_inside(w, DEFAULT, w.text(name))
        w.start, w.flags = NONE, 0
        return
    prefix = w.prefix(node)
    at = value.start_byte if name is None else name.start_byte
    text = DEFAULT if name is None else w.text(name)
    local = DEFAULT if name is None else text
    if is_class:
        symbol = classes.define(w, text, plain, prefix, at=at, parent=b.owner)
        b.bind(local, SourceKind.SYMBOL, symbol)
        classes.run(w, plain, symbol, prefix.decorators)
    elif is_function:
        symbol = functions.define(w, text, plain, prefix, at=at, signature_from=node.start_byte)
        b.bind(local, SourceKind.SYMBOL, symbol)
        this = w.this if plain.type == "arrow_function" else w.instance(symbol)
        functions.run(w, plain, symbol, this=this)
    elif (function := variables.kept_function(w, plain)) is not None:
        symbol = functions.define(
            w, DEFAULT, function, prefix, at=at, signature_from=node.start_byte, end=node.end_byte
        )
        local = DEFAULT
        b.bind(local, SourceKind.SYMBOL, symbol)
        with b.definition(symbol):
            w.kept = (function.id, symbol)
            w.value(plain)
    else:
        local = DEFAULT
        symbol = variables.default_symbol(w, DEFAULT, node, prefix, value, prefix.flags)
        b.bind(local, SourceKind.SYMBOL, symbol)
    if is_file:
        b.export(DEFAULT, local=local, at=at)


_DECLARATIONS = frozenset(
    {
        "function_declaration",
        "generator_function_declaration",
        "function_signature",
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "enum_declaration",
    }
)


def _assigned(w: Walk, value: Node) -> None:
    """`export = value`."""
    plain = w.unwrap(value)
    if w.b.scope is not w.b.module:
        _offer_inside(w, commonjs.ASSIGNED, w.text(plain))
        w.value(value)
    elif plain.kind_id == w.kinds.IDENTIFIER:
        w.value(plain)
        commonjs.offer_local(w, commonjs.ASSIGNED, w.text(plain), plain.start_byte)
    else:
        commonjs.offer_value(w, commonjs.ASSIGNED, w.value(value), value.start_byte)


HANDLERS: Mapping[str, Handler] = {"export_statement": export_statement}
