"""CommonJS: `require`, `module.exports` and `exports`, and the literal `import()` that resembles `require`.

What a module offers as `exports.x` is bound in its top scope under the hidden name `exports.x`, which no identifier is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Import, ImportFlag, SourceKind
from codemap.languages.ecmascript import flags as flag
from codemap.languages.ecmascript.imports_exports.import_types import specifier_of
from codemap.languages.ecmascript.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

EXPORTS = "exports."
STAR = Import.STAR
ASSIGNED = "="
"""The export that is the module's own value."""


def match_require(w: Walk, node: Node) -> tuple[str, Node, ImportFlag] | None:
    """The specifier, its node and the flags of `require('m')`, `import('m')` or `await import('m')`."""
    k = w.kinds
    if node.kind_id == k.AWAIT:
        children = node.named_children
        if not children:
            return None
        node = w.unwrap(children[0])
        if node.kind_id != k.CALL or node.named_children[0].kind_id != k.IMPORT:
            return None
    if node.kind_id != k.CALL:
        return None
    children = node.named_children
    if len(children) < 2:
        return None
    function, arguments = children[0], children[-1]
    if function.kind_id == k.IMPORT:
        flags = ImportFlag.DYNAMIC
    elif function.kind_id == k.IDENTIFIER and function.text == b"require":
        flags = ImportFlag.REQUIRE if w.b.owner == w.b.file else ImportFlag.REQUIRE | ImportFlag.DYNAMIC
    else:
        return None
    if arguments.kind_id != k.ARGUMENTS:
        return None
    given = arguments.named_children
    specifier = w.string(given[0]) if given else None
    return None if not specifier else (specifier, given[0], flags)


def module_of(w: Walk, specifier: str, node: Node, flags: ImportFlag) -> int:
    """The module itself, where no name is bound to it."""
    b = w.b
    row = b.import_(specifier, NONE, node.start_byte, flags)
    name = f"import({specifier})"
    b.bind(name, SourceKind.IMPORT, row, scope=b.module)
    if b.lang != "ts" or not flags & ImportFlag.DYNAMIC:  # TypeScript's scripts have these to stay scripts
        w.is_module = True
    value = b.name(name)
    w.modules.add(value)
    return value


def type_module(w: Walk, node: Node) -> int:
    """The module that a name in a type stands for, which is `import("m")` in the source; NONE for any other name."""
    specifier = specifier_of(w.source[node.start_byte : node.end_byte])
    return NONE if specifier is None else module_of(w, specifier, node, ImportFlag.DYNAMIC | ImportFlag.TYPE_ONLY)


def bind_module(w: Walk, name: Node, found: tuple[str, Node, ImportFlag], *, imported: str | int = NONE) -> None:
    """`const m = require('m')`: binds the module, or a name that it exports."""
    specifier, at, flags = found
    row = w.b.import_(specifier, imported, (at if imported == NONE else name).start_byte, flags)
    bind_row(w, name, row)


def bind_row(w: Walk, name: Node, row: int) -> None:
    w.is_module = True
    w.b.bind(w.text(name), SourceKind.IMPORT, row, scope=w.block_scope())


def bind_parts(w: Walk, pattern: Node, found: tuple[str, Node, ImportFlag]) -> bool:
    """`const { a, b: c } = require('m')`: an import row for every name. False for patterns that are not so plain."""
    k = w.kinds
    parts: list[tuple[Node, Node]] = []
    for child in pattern.named_children:
        if child.kind_id == k.SHORTHAND_PATTERN:
            parts.append((child, child))
        elif child.kind_id == k.PAIR_PATTERN:
            key, target = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or target is None or target.kind_id != k.IDENTIFIER or key.kind_id == k.COMPUTED:
                return False
            parts.append((key, target))
        elif child.kind_id != k.COMMENT:
            return False
    specifier, _, flags = found
    for key, target in parts:
        row = w.b.import_(specifier, w.key(key) or "", key.start_byte, flags)
        bind_row(w, target, row)
    return True


def exported_member(w: Walk, node: Node) -> str | None:
    """`x` of `exports.x` and `module.exports.x`, "=" of `module.exports`; None for any other member expression."""
    children = node.named_children
    if len(children) < 2:
        return None
    head, last = children[0], children[-1]
    if head.kind_id == w.kinds.IDENTIFIER:
        if head.text == b"exports":
            return None if w.bound("exports") else w.text(last)
        if _is_module_exports(w, node):
            return ASSIGNED
    elif head.kind_id == w.kinds.MEMBER and _is_module_exports(w, head):
        return w.text(last)
    return None


def _is_module_exports(w: Walk, node: Node) -> bool:
    """Whether a member expression is `module.exports`. It looks no deeper: a chain of members asks at each of them."""
    children = node.named_children
    if len(children) < 2 or children[0].kind_id != w.kinds.IDENTIFIER:
        return False
    return children[0].text == b"module" and children[-1].text == b"exports" and not w.bound("module")


def offer(w: Walk, name: str, at: int, *, local: str | None = None) -> None:
    """Exports `name`: the local binding of that name, or what is bound under the hidden name."""
    w.is_module = True
    hidden = ASSIGNED if name == ASSIGNED else EXPORTS + name
    offer_local(w, name, hidden if local is None else local, at)


def offer_local(w: Walk, name: str, local: str, at: int) -> None:
    """Exports a binding of the module's top scope, which may follow."""
    flags = flag.EXPORTED
    if name in ("default", ASSIGNED):
        flags |= flag.DEFAULT
    w.exported[local] = w.exported.get(local, 0) | flags
    w.b.export(name, local=local, at=at)


def offer_value(w: Walk, name: str, value: int, at: int) -> None:
    """Exports `name` with the value of an expression."""
    hidden = ASSIGNED if name == ASSIGNED else EXPORTS + name
    w.b.bind(hidden, SourceKind.VALUE if value != NONE else SourceKind.OPAQUE, value, scope=w.b.module)
    offer(w, name, at)


def offer_module(w: Walk, found: tuple[str, Node, ImportFlag], at: int) -> None:
    """`module.exports = require('m')`: everything that `m` offers, and its own value."""
    specifier, node, flags = found
    w.is_module = True
    star = w.b.import_(specifier, Import.STAR, node.start_byte, flags)
    w.b.export(None, import_=star, at=at)
    row = w.b.import_(specifier, ASSIGNED, node.start_byte, flags)
    w.b.export(ASSIGNED, import_=row, at=at)
