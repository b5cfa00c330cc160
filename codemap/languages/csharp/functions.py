"""Functions without a type around them: lambdas, anonymous methods, local functions; and the bodies of all functions.

Source: the C# language specification, "Anonymous function expressions", "Local functions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, ScopeKind, SourceKind, SymbolKind
from codemap.languages.csharp import calls, headers, parameters, types
from codemap.languages.csharp.walk import CSharpWalk, find_child, flatten, modifiers_of

if TYPE_CHECKING:
    from tree_sitter import Node


def plain_lambda(w: CSharpWalk, node: Node) -> int:
    return lambda_(w, node, NONE)


def lambda_(w: CSharpWalk, node: Node, expected: int) -> int:
    """A lambda: what it uses belongs to the definition around it."""
    with w.b.block(ScopeKind.FUNCTION), w.returning(NONE):
        _lambda(w, node, expected)
    return w.b.lambda_of(parameters.count_of_lambda(w, node))


def _lambda(w: CSharpWalk, node: Node, expected: int) -> None:
    b = w.b
    given = node.child_by_field_name("parameters")
    if given is not None and given.type != "parameter_list":
        _lambda_parameter(w, w.text(given), NONE, b.wrap(Op.PARAM, expected, 0))
    else:
        for position, parameter in enumerate(parameters.parameters_of(w, given)):
            stated = parameters.declared(w, parameter)
            _lambda_parameter(w, parameter.name, stated, b.wrap(Op.PARAM, expected, position))
    body = node.child_by_field_name("body") or find_child(node, "block")
    if body is not None and body.type == "block":
        function_body(w, body)
    else:
        calls.function_or_value(w, body)


def _lambda_parameter(w: CSharpWalk, name: str, stated: int, wanted: int) -> None:
    if not name:
        return
    if stated != NONE:
        w.b.bind(name, SourceKind.TYPED, stated)
    else:
        w.b.bind(name, SourceKind.OPAQUE if wanted == NONE else SourceKind.VALUE, wanted)


def returned(node: Node, result: int) -> int:
    """The type of what a function with this result returns; an asynchronous one puts it into a task."""
    return NONE if "async" in modifiers_of(node) else result


def function_body(w: CSharpWalk, body: Node) -> None:
    """Visits a block or `=> e` in the current scope."""
    if body.type == "block":
        declare_functions(w, body)
        visit_children(w, body)
    else:
        w.value(body)


def declare_functions(w: CSharpWalk, block: Node) -> None:
    """Binds the functions of a block, which are called before they are declared, too."""
    for node in flatten(block.named_children):
        if node.type == "global_statement":
            declare_functions(w, node)
        name = node.child_by_field_name("name")
        if node.type == "local_function_statement" and name is not None:
            symbol = w.b.symbol(
                w.text(name),
                SymbolKind.FUNCTION,
                parent=w.b.owner,
                at=name.start_byte,
                start=node.start_byte,
                end=node.end_byte,
                signature=w.signature(node, (node.child_by_field_name("body") or node).start_byte),
            )
            w.types[node.start_byte] = (symbol, w.b.scope)
            w.declare_function(w.text(name), symbol)


def local_function(w: CSharpWalk, node: Node) -> int:
    if node.start_byte not in w.types:
        return visit_children(w, node)
    b = w.b
    symbol, _ = w.types[node.start_byte]
    with b.definition(symbol):
        headers.annotate(w, node, symbol)
        types.open_parameters(w, node, symbol)
        result = types.visit_type(w, node.child_by_field_name("type"))
        if result != NONE:
            b.set_type(symbol, result)
        b.open_scope(ScopeKind.FUNCTION, symbol)
        for parameter in parameters.parameters_of(w, node.child_by_field_name("parameters")):
            parameters.declare(w, symbol, parameter)
        body = node.child_by_field_name("body")
        if body is not None:
            with w.returning(returned(node, result)):
                function_body(w, body)
    return NONE
