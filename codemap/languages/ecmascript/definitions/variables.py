"""Variables: declarations, and what a name is given by `=`. The file is long by a function for each form of value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE, Scope
from codemap.fact_building.walk import children_of
from codemap.facts import Op, ScopeKind, SourceKind, SymbolKind
from codemap.languages.ecmascript.definitions import classes, extending, functions, objects
from codemap.languages.ecmascript.definitions.ownership import owner_of
from codemap.languages.ecmascript.definitions.parameters import NOTHING_GIVEN, Given
from codemap.languages.ecmascript.definitions.patterns import Leaf, destructure, local
from codemap.languages.ecmascript.imports_exports import commonjs
from codemap.languages.ecmascript.jsdoc.types import Tags
from codemap.languages.ecmascript.kinds import FUNCTIONS
from codemap.languages.ecmascript.prefix import Prefix
from codemap.languages.ecmascript.walk import READ, Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

_WRAPPERS = """
memo forwardRef useCallback useEvent useEffectEvent useStableCallback observer debounce throttle once memoize memoizeOne
cache asyncHandler catchAsync wrapAsync defineComponent
"""
_KEEPS_FUNCTION = frozenset(_WRAPPERS.split())
"""Functions whose result is, for those who call it, the function that they are given."""
_VARIABLE_SIGNATURE_MAX_BYTES = 160


def declaration(w: Walk, node: Node) -> int:
    """`const`, `let`, `var`, `using`."""
    prefix = w.prefix(node)
    is_var = node.kind_id == w.kinds.VARIABLE_DECLARATION
    scope = w.b.function_scope() if is_var else w.block_scope()
    children = node.named_children
    before: Node | None = None
    for child in children:
        if child.type == "variable_declarator":
            own = prefix if len(children) == 1 else prefix._replace(start=child.start_byte, head=child.start_byte)
            if before is not None and w.documented is not None:
                own = own._replace(tags=w.documented.of(before))
            declarator(w, child, scope, own)
            before = child
        else:
            before = child
            w.value(child)
    return NONE


def declarator(w: Walk, node: Node, scope: Scope, prefix: Prefix) -> None:
    k = w.kinds
    target, value = name_of(node), node.child_by_field_name("value")
    type_node = node.child_by_field_name("type")
    if target is None:
        w.value(value)
        return
    if value is None:
        if target.kind_id == k.IDENTIFIER:
            _plain(w, node, target, type_node, None, scope, prefix)
        else:
            w.value(type_node)
        return
    found = commonjs.match_require(w, w.unwrap(value))
    if found is not None:
        if target.kind_id == k.IDENTIFIER:
            commonjs.bind_module(w, target, found)
            return
        if target.kind_id == k.OBJECT_PATTERN and commonjs.bind_parts(w, target, found):
            return
    if target.kind_id == k.IDENTIFIER:
        if value.kind_id == k.MEMBER and _binds_required_member(w, target, value):
            return
        _named(w, node, target, type_node, value, scope, prefix)
    else:
        stated = NONE if type_node is None else w.b.wrap(Op.INSTANCE, w.value(type_node))
        given = w.value(value)
        leaf = _parts(w, scope, prefix) if scope.kind == ScopeKind.MODULE else local(w, scope)
        destructure(w, target, given if stated == NONE else stated, leaf)


def _binds_required_member(w: Walk, target: Node, value: Node) -> bool:
    """`const f = require('m').f`."""
    children = value.named_children
    found = commonjs.match_require(w, children[0]) if len(children) == 2 else None
    if found is None:
        return False
    commonjs.bind_module(w, target, found, imported=w.text(children[1]))
    w.b.use(READ, w.b.name(w.text(target)), children[1].start_byte)
    return True


def _named(
    w: Walk, node: Node, target: Node, type_node: Node | None, value: Node, scope: Scope, prefix: Prefix
) -> None:
    """A variable with a value; a function or class that is its value has its name."""
    b, k = w.b, w.kinds
    text = w.text(target)
    value = _assigned(w, value, text)
    plain = w.unwrap(value)
    kind = plain.kind_id
    if kind in k.functions:
        named_function(w, text, target, plain, node, scope, prefix, type_node)
    elif kind == k.CLASS:
        symbol = classes.define(w, text, plain, prefix, at=target.start_byte, parent=b.owner)
        b.bind(text, SourceKind.SYMBOL, symbol, scope=scope)
        w.value(type_node)
        classes.run(w, plain, symbol)
    elif kind == k.CALL and extending.literal_of(w, plain) is not None:
        symbol = extending.define(w, text, target.start_byte, plain, node, prefix, parent=b.owner)
        b.bind(text, SourceKind.SYMBOL, symbol, scope=scope)
        w.value(type_node)
    elif kind == k.CALL and (function := kept_function(w, plain)) is not None:
        _wrapped(w, text, target, plain, function, node, scope, prefix, type_node)
    else:
        _plain(w, node, target, type_node, value, scope, prefix)


def _assigned(w: Walk, value: Node, name: str) -> Node:
    """What a variable is given by `exports = module.exports = root.a = …`, which names what is defined there, too."""
    k = w.kinds
    while value.kind_id == k.ASSIGNMENT:
        left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
        if left is None or right is None:
            break
        if left.kind_id == k.MEMBER and (exported := commonjs.exported_member(w, left)) is not None:
            commonjs.offer(w, exported, left.start_byte, local=name)
        elif left.kind_id == k.MEMBER and _defines(w, _last_assigned(right)):
            w.value(left)
            owner = owner_of(w, left.named_children[0]).symbol
            if owner != NONE:
                w.b.bind(w.text(left.named_children[-1]), SourceKind.VALUE, w.b.name(name), scope=w.space(owner))
        elif not (left.kind_id == k.IDENTIFIER and left.text == b"exports"):
            break
        value = right
    return value


_DEFINING = FUNCTIONS | {"class"}


def _defines(w: Walk, value: Node) -> bool:
    return value.type in _DEFINING or extending.literal_of(w, value) is not None


def _last_assigned(value: Node) -> Node:
    while value.type == "assignment_expression" and (right := value.child_by_field_name("right")) is not None:
        value = right
    return value


def named_function(
    w: Walk,
    name: str,
    target: Node,
    function: Node,
    node: Node,
    scope: Scope,
    prefix: Prefix,
    type_node: Node | None = None,
) -> int:
    """`const f = () => …`: the function is what the name stands for."""
    b = w.b
    symbol = functions.define(
        w, name, function, prefix, at=target.start_byte, signature_from=prefix.head, end=node.end_byte
    )
    b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
    given = NOTHING_GIVEN
    if type_node is not None:
        with b.definition(symbol):
            given = Given(wanted=b.wrap(Op.INSTANCE, w.value(type_node)))
    elif prefix.tags.type >= 0:
        given = Given(wanted=b.wrap(Op.INSTANCE, w.documented_type(prefix.tags.type)))
    is_arrow = function.type == "arrow_function"
    this = w.this if is_arrow else w.instance(symbol)
    own = name_of(function)
    if own is None:
        functions.run(w, function, symbol, this=this, given=given)
    else:
        inner = b.open_scope(ScopeKind.BLOCK, b.owner)
        b.bind(w.text(own), SourceKind.SYMBOL, symbol)
        functions.run(w, function, symbol, this=this, given=given)
        w.leave(inner)
    return symbol


def kept_function(w: Walk, call: Node) -> Node | None:
    """The function that a call is given first and passes on (`memo(() => …)`, `React.forwardRef(function …)`)."""
    k = w.kinds
    children = call.named_children
    if len(children) < 2 or children[-1].kind_id != k.ARGUMENTS:
        return None
    callee = children[0]
    if callee.kind_id == k.MEMBER and callee.named_children:
        callee = callee.named_children[-1]
    if w.text(callee) not in _KEEPS_FUNCTION:
        return None
    given = children[-1].named_children
    if not given:
        return None
    first = w.unwrap(given[0])
    if first.kind_id == k.CALL:
        return kept_function(w, first)
    return first if first.kind_id in k.functions else None


def _wrapped(
    w: Walk,
    name: str,
    target: Node,
    call: Node,
    function: Node,
    node: Node,
    scope: Scope,
    prefix: Prefix,
    type_node: Node | None,
) -> None:
    """`const f = memo(() => …)`: f is the function, and makes the call."""
    b = w.b
    symbol = functions.define(
        w, name, function, prefix, at=target.start_byte, signature_from=prefix.head, end=node.end_byte
    )
    b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
    with b.definition(symbol):
        w.value(type_node)
        w.kept = (function.id, symbol)
        w.value(call)


def _plain(
    w: Walk, node: Node, target: Node, type_node: Node | None, value: Node | None, scope: Scope, prefix: Prefix
) -> None:
    b, k = w.b, w.kinds
    name = w.text(target)
    plain = None if value is None else w.unwrap(value)
    cast = None
    if plain is not None and type_node is None and (inner := _cast_literal(w, plain)) is not None:
        plain, cast = inner, children_of(plain)[-1]
    is_object = plain is not None and plain.kind_id == k.OBJECT
    is_module = scope.kind == ScopeKind.MODULE
    is_stated = type_node is not None or cast is not None
    is_space = plain is not None and is_object and w.is_namespace(plain)
    is_space = is_space or (plain is not None and is_object and is_stated and _is_filled(w, node, name, plain))
    if not is_module and not is_space:
        _local(w, name, type_node, value, scope, prefix.tags)
        return
    symbol = _symbol(w, name, target, node, prefix, plain if is_object else None, scope)
    with b.definition(symbol):
        stated = _typed(w, symbol, type_node if cast is None else cast, prefix.tags)
        if is_object and plain is not None:
            objects.literal_members(w, plain, symbol, wanted=b.wrap(Op.INSTANCE, stated))
            if value is not None and value is not plain and cast is None:
                assert_types(w, value)
        elif value is not None:
            b.add_value(symbol, w.value_for(value, b.wrap(Op.INSTANCE, stated)))


_CASTS = ("as_expression", "satisfies_expression")
_NAMED_TYPES = ("type_identifier", "generic_type", "nested_type_identifier")


def _cast_literal(w: Walk, node: Node) -> Node | None:
    """The object literal that `{…} as T` says the type of by a name."""
    children = children_of(node) if node.type in _CASTS else []
    if len(children) != 2 or children[1].type not in _NAMED_TYPES:
        return None
    inner = w.unwrap(children[0])
    return inner if inner.kind_id == w.kinds.OBJECT else None


def _is_filled(w: Walk, node: Node, name: str, literal: Node) -> bool:
    """Whether an empty object is given functions as members behind its declaration."""
    around = node.parent.parent if node.parent is not None else None
    if children_of(literal) or around is None:
        return False
    given = rf"\b{re.escape(name)}\.\w+\s*=\s*(?:async\b|function\b|\()"
    return re.search(given, w.chars[node.end_byte : around.end_byte]) is not None


def assert_types(w: Walk, node: Node) -> None:
    """Visits the types that `as` and `satisfies` around an object literal name."""
    while node.kind_id in w.kinds.wrappers and node.named_children:
        for child in node.named_children[1:]:
            w.value(child)
        node = node.named_children[0]


def _typed(w: Walk, symbol: int, type_node: Node | None, tags: Tags) -> int:
    stated = w.stated(type_node, tags)
    if stated != NONE:
        w.b.set_type(symbol, stated)
    return stated


def _symbol(w: Walk, name: str, target: Node, node: Node, prefix: Prefix, literal: Node | None, scope: Scope) -> int:
    b = w.b
    end = min(node.end_byte, node.start_byte + _VARIABLE_SIGNATURE_MAX_BYTES) if literal is None else literal.start_byte
    newline = b.source.find(b"\n", target.start_byte, end)
    signature = (prefix.head, end if newline < 0 else newline)
    start, at = prefix.start, target.start_byte
    symbol = NONE
    for kind, known, _ in scope.sources.get(b.intern(name), []):
        if kind == SourceKind.SYMBOL and b.kind_of(known) == SymbolKind.VARIABLE:
            symbol = known  # `var x` again
            b.extend_span(symbol, node.end_byte)
    if symbol == NONE:
        own = prefix._replace(start=start)
        symbol = w.add(name, SymbolKind.VARIABLE, own, parent=b.owner, at=at, end=node.end_byte, signature=signature)
        b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
    return symbol


def _local(w: Walk, name: str, type_node: Node | None, value: Node | None, scope: Scope, tags: Tags) -> None:
    b = w.b
    stated = w.stated(type_node, tags)
    given = NONE if value is None else w.value_for(value, b.wrap(Op.INSTANCE, stated))
    if stated != NONE:
        b.bind(name, SourceKind.TYPED, stated, scope=scope)
    if given != NONE:
        b.bind(name, SourceKind.VALUE, given, scope=scope)
    elif stated == NONE:
        b.bind(name, SourceKind.OPAQUE, scope=scope)


def _parts(w: Walk, scope: Scope, prefix: Prefix) -> Leaf:
    """Names that a pattern at module level binds are variables of the module."""

    def bind(name_node: Node, value: int) -> None:
        name = w.text(name_node)
        at = name_node.start_byte
        own = Prefix(at, prefix.flags, "", (), at)
        end = name_node.end_byte
        symbol = w.add(name, SymbolKind.VARIABLE, own, parent=w.b.owner, at=at, end=end, signature=(at, end))
        w.b.bind(name, SourceKind.SYMBOL, symbol, scope=scope)
        w.b.add_value(symbol, value)

    return bind


def default_symbol(
    w: Walk, name: str, node: Node, prefix: Prefix, value: Node, flags: int, at: int | None = None
) -> int:
    """The symbol of an exported value that has no name of its own; it owns what the value uses. `at`: where the name
    stands, if not at the beginning of `node`."""
    b = w.b
    plain = w.unwrap(value)
    is_object = plain.kind_id == w.kinds.OBJECT
    end = plain.start_byte if is_object else min(node.end_byte, node.start_byte + _VARIABLE_SIGNATURE_MAX_BYTES)
    newline = b.source.find(b"\n", node.start_byte, end)
    symbol = w.add(
        name,
        SymbolKind.VARIABLE,
        prefix,
        parent=b.owner,
        at=node.start_byte if at is None else at,
        end=node.end_byte,
        signature=(node.start_byte, end if newline < 0 else newline),
        flags=flags,
    )
    with b.definition(symbol):
        if is_object:
            objects.literal_members(w, plain, symbol)
            if value is not plain:
                assert_types(w, value)
        else:
            b.add_value(symbol, w.value(value))
    return symbol
