"""Types: every handler visits a type, reports what it refers to, and returns a type expression.

A type that no name stands for (`keyof T`, a mapped or conditional type) is NONE. `typeof x` is the generic `typeof`
applied to a value: `Language.type_of` names it. The file is long by one handler a kind of type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import Handler, visit_children, visit_nothing
from codemap.facts import RECEIVER, Op, ScopeKind, SourceKind
from codemap.languages.ecmascript.imports_exports import commonjs
from codemap.languages.ecmascript.semantics import THIS_TYPE, TYPEOF
from codemap.languages.ecmascript.walk import READ, Walk, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

_BUILTINS = {
    "string": "String",
    "number": "Number",
    "boolean": "Boolean",
    "bigint": "BigInt",
    "symbol": "Symbol",
    "unique symbol": "Symbol",
    "object": "Object",
}
_PARAMETERS = frozenset({"required_parameter", "optional_parameter"})
_LITERALS = {
    "string": "String",
    "number": "Number",
    "true": "Boolean",
    "false": "Boolean",
    "unary_expression": "Number",
}


def builtin(w: Walk, name: str) -> int:
    """A type that is bound in every file, whatever the file calls so itself."""
    return w.b.expr(Op.GLOBAL, w.b.intern(name))


def _only(w: Walk, node: Node) -> int:
    """A node that is the type of its one child."""
    result = NONE
    for child in node.named_children:
        found = w.value(child)
        if found != NONE:
            result = found
    return result


def type_identifier(w: Walk, node: Node) -> int:
    start = node.start_byte
    if start == node.end_byte:
        return NONE
    value = w.b.only_type(w.text(node))
    w.b.use(READ, value, start)
    return value


def _nested(w: Walk, node: Node) -> int:
    """`ns.T`, also where it names a namespace (`A.B.C`) or a module (`import("m").T`, respelt as a name)."""
    children = node.named_children
    if not children:
        return NONE
    first = children[0]
    module = commonjs.type_module(w, first)
    result = w.value(first) if module == NONE else module
    for child in children[1:]:
        result = w.b.attribute(result, w.text(child))
        w.b.use(READ, result, child.start_byte)
    return result


def _predefined(w: Walk, node: Node) -> int:
    name = _BUILTINS.get(w.text(node))
    return NONE if name is None else w.literal(name)


def _literal(w: Walk, node: Node) -> int:
    text = w.string(node.named_children[0]) if node.named_children else None
    plain = _literal_type(w, node)
    return plain if text is None else w.b.with_text(plain, text)


def _literal_type(w: Walk, node: Node) -> int:
    """The builtin type that a literal is of."""
    for child in node.named_children:
        name = _LITERALS.get(child.type)
        return NONE if name is None else w.literal(name)
    return NONE


def _generic(w: Walk, node: Node) -> int:
    b = w.b
    name = name_of(node)
    if name is None:
        return visit_children(w, node)
    base = w.value(name)
    arguments = arguments_of(w, node)
    text = w.text(name)
    if text == "InstanceType" and arguments and arguments[0] != NONE:
        return _operand(w, arguments[0])
    if text == "ReturnType" and arguments and arguments[0] != NONE:
        function = _operand(w, arguments[0])
        return b.apply(builtin(w, TYPEOF), [b.call(function)]) if function != NONE else NONE
    return b.apply(base, arguments)


def _operand(w: Walk, applied: int) -> int:
    """`x` of `typeof x`, or NONE."""
    return w.typeof.get(applied, NONE)


def arguments_of(w: Walk, node: Node) -> list[int]:
    """The types in the type arguments of a node, in order."""
    arguments = node.child_by_field_name("type_arguments")
    if arguments is None:
        return []
    comment = w.kinds.COMMENT
    return [w.value(child) for child in arguments.named_children if child.kind_id != comment]


def _union(w: Walk, node: Node) -> int:
    """Of the literals in a union the texts are not kept: there can be hundreds."""
    return w.b.unions(
        [_literal_type(w, child) if child.type == "literal_type" else w.value(child) for child in node.named_children]
    )


def _array(w: Walk, node: Node) -> int:
    return w.b.apply(builtin(w, "Array"), [_only(w, node)])


def _tuple(w: Walk, node: Node) -> int:
    parts = []
    for child in node.named_children:
        if child.kind_id == w.kinds.COMMENT:
            continue
        found = w.field(child, "type") if child.type in ("required_parameter", "optional_parameter") else w.value(child)
        parts.append(w.b.wrap(Op.INSTANCE, found))
    return w.b.tuple_of(parts)


def _query(w: Walk, node: Node) -> int:
    """`typeof x`."""
    value = _only(w, node)
    if value == NONE:
        return NONE
    result = w.b.apply(builtin(w, TYPEOF), [value])
    w.typeof[result] = value
    return result


def _lookup(w: Walk, node: Node) -> int:
    """`T["name"]`, what the member of that name holds, and `T[number]`, an element."""
    b = w.b
    children = [child for child in node.named_children if child.kind_id != w.kinds.COMMENT]
    of, key = w.value(children[0]), children[-1]
    w.value(key)
    whole = w.typeof.get(of, NONE)
    if whole == NONE:
        whole = w.this if children[0].type == "this_type" else b.wrap(Op.INSTANCE, of)
    name = w.string(key.named_children[0]) if key.type == "literal_type" and key.named_children else None
    if name is not None:
        member = b.attribute(whole, name)
        b.use(READ, member, key.start_byte + 1)
    elif key.type == "predefined_type" and w.text(key) == "number":
        member = b.wrap(Op.ITER, whole)
    else:
        return NONE
    result = b.apply(builtin(w, TYPEOF), [member])
    w.typeof[result] = member
    return result


def _function(w: Walk, node: Node) -> int:
    """`(a: A) => B`."""
    b = w.b
    scope = b.open_scope(ScopeKind.BLOCK, b.owner)
    result, parameters = NONE, NONE
    for child in node.named_children:
        if child.type == "formal_parameters":
            parameters = _parameters(w, child)
        else:
            found = w.value(child)
            if child.type != "type_parameters":
                result = found
    w.leave(scope)
    return b.expr(Op.FUNCTION, parameters, result)


def _parameters(w: Walk, node: Node) -> int:
    """What a function of the type is given; `this` is at the position `RECEIVER`."""
    listed = [each for each in node.named_children if each.type in _PARAMETERS]
    this = _parameter(w, listed.pop(0)) if listed and _is_this(w, listed[0]) else NONE
    found = [_parameter(w, each) for each in listed]
    return w.b.args(found if this == NONE else [*found, *[NONE] * (RECEIVER - len(found)), this])


def _is_this(w: Walk, node: Node) -> bool:
    """Whether a parameter states what `this` is: it has no position."""
    pattern = node.child_by_field_name("pattern")
    return pattern is not None and pattern.kind_id == w.kinds.THIS


def _conditional(w: Walk, node: Node) -> int:
    """`T extends U ? A : B`, the scope of what `infer` in it names."""
    outer = w.conditional
    scope = w.conditional = w.b.open_scope(ScopeKind.BLOCK, w.b.owner)
    visit_children(w, node)
    w.leave(scope)
    w.conditional = outer
    return NONE


def _object(w: Walk, node: Node) -> int:
    """An object type: what its call signatures say, each a function; its members have no names."""
    scope = w.b.open_scope(ScopeKind.BLOCK, w.b.owner)
    signatures = []
    for child in node.named_children:
        if child.type == "call_signature":
            signatures.append(signature(w, child))
        else:
            w.value(child)
    w.leave(scope)
    return w.b.unions(signatures[:_SIGNATURES_MAX])


_SIGNATURES_MAX = 8
"""More overloads of one function type are visited, not kept."""


def signature(w: Walk, node: Node) -> int:
    """`<T>(a: A): B`, a call signature; of one that makes objects, `new` before it."""
    b = w.b
    scope = b.open_scope(ScopeKind.BLOCK, b.owner)
    w.field(node, "type_parameters")
    parameters = node.child_by_field_name("parameters")
    wanted = b.args([]) if parameters is None else _parameters(w, parameters)
    result = w.field(node, "type" if node.type == "construct_signature" else "return_type")
    w.leave(scope)
    return b.expr(Op.FUNCTION, wanted, result)


def _scoped(w: Walk, node: Node) -> int:
    """A type that binds names of its own (`[K in T]`, type parameters)."""
    b = w.b
    scope = b.open_scope(ScopeKind.BLOCK, b.owner)
    visit_children(w, node)
    w.leave(scope)
    return NONE


def _infer(w: Walk, node: Node) -> int:
    children = node.named_children
    if children:
        w.b.bind(w.text(children[0]), SourceKind.OPAQUE, scope=w.conditional)
        for child in children[1:]:
            w.value(child)
    return NONE


def _mapped(w: Walk, node: Node) -> int:
    name = name_of(node)
    if name is not None:
        w.b.bind(w.text(name), SourceKind.OPAQUE)
    for child in node.named_children[1:]:
        w.value(child)
    return NONE


def _type_parameter(w: Walk, node: Node) -> int:
    """`T extends C`: T stands for C, or for its default where nothing constrains it."""
    name = name_of(node)
    constraint, default = w.field(node, "constraint"), w.field(node, "value")
    stands_for = default if constraint == NONE else constraint
    if name is not None:
        b, text = w.b, w.text(name)
        known = w.type_parameters.setdefault(b.owner, {})
        b.bind(text, SourceKind.TYPE_PARAMETER, b.owner, known.setdefault(text, len(known)))
        if stands_for != NONE:
            b.bind(text, SourceKind.VALUE, stands_for)
    return NONE


def _parameter(w: Walk, node: Node) -> int:
    """The type of a parameter of a function type; its names bind nothing that can be used."""
    return w.field(node, "type")


def _formal_parameters(w: Walk, node: Node) -> int:
    for child in node.named_children:
        _parameter(w, child) if child.type != "identifier" else NONE
    return NONE


def _predicate(w: Walk, node: Node) -> int:
    """`x is T` and `asserts x is T`: the names before `is` are parameters."""
    found = node.child_by_field_name("type")
    if found is not None:
        w.value(found)
    else:
        for child in node.named_children:
            if child.type == "type_predicate":
                _predicate(w, child)
    return NONE


def _this(w: Walk, _node: Node) -> int:
    return builtin(w, THIS_TYPE)


def _index_signature(w: Walk, node: Node) -> int:
    """`[k: string]: T`: the name of the key binds nothing."""
    name = name_of(node)
    for child in node.named_children:
        if name is None or child.start_byte != name.start_byte:
            w.value(child)
    return NONE


def _member_signature(w: Walk, node: Node) -> int:
    """A member of an object type that nothing names."""
    b = w.b
    scope = b.open_scope(ScopeKind.BLOCK, b.owner)
    name = name_of(node)
    for child in node.named_children:
        if name is None or child.start_byte != name.start_byte:
            w.value(child)
    w.leave(scope)
    return NONE


HANDLERS: Mapping[str, Handler] = {
    "type_annotation": _only,
    "type_arguments": _only,
    "omitting_type_annotation": _only,
    "adding_type_annotation": _only,
    "opting_type_annotation": _only,
    "constraint": _only,
    "default_type": _only,
    "parenthesized_type": _only,
    "readonly_type": _only,
    "optional_type": _only,
    "flow_maybe_type": _only,
    "rest_type": visit_children,
    "type_identifier": type_identifier,
    "nested_type_identifier": _nested,
    "nested_identifier": _nested,
    "predefined_type": _predefined,
    "literal_type": _literal,
    "generic_type": _generic,
    "union_type": _union,
    "intersection_type": _union,
    "array_type": _array,
    "tuple_type": _tuple,
    "type_query": _query,
    "index_type_query": visit_children,
    "lookup_type": _lookup,
    "conditional_type": _conditional,
    "infer_type": _infer,
    "object_type": _object,
    "mapped_type_clause": _mapped,
    "template_literal_type": visit_children,
    "template_type": visit_children,
    "function_type": _function,
    "constructor_type": _scoped,
    "type_parameters": visit_children,
    "type_parameter": _type_parameter,
    "formal_parameters": _formal_parameters,
    "type_predicate": _predicate,
    "type_predicate_annotation": _predicate,
    "asserts": _predicate,
    "asserts_annotation": _predicate,
    "this_type": _this,
    "existential_type": visit_nothing,
    "index_signature": _index_signature,
    "property_signature": _member_signature,
    "method_signature": _member_signature,
    "call_signature": _member_signature,
    "construct_signature": _member_signature,
}
