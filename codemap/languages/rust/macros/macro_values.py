"""What a `macro_rules!` gives where it is used as an expression, in terms of its arguments.

A rule is read whose parameters are fragments between commas, and whose body is an expression or ends in one. It is
said as `codemap.graph.resolve.operations.expansions` reads it, as what it means depends on the arguments.

Source: the Rust Reference, "Macros By Example".
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from tree_sitter import Parser
from tree_sitter_language_pack import get_language

from codemap.languages.rust.standard import SAME
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

Said = list[Any] | None
_FRAGMENTS = frozenset({"expr", "ident", "tt", "literal", "path", "block"})
_MARK = "metavariable_"
_VARIABLE = re.compile(r"\$(\w+)")
_LITERALS = {"string_literal": "str", "boolean_literal": "bool", "integer_literal": "i32", "float_literal": "f64"}
_INSIDE = ("reference_expression", "parenthesized_expression", "expression_statement")
_UNUSED = ("line_comment", "block_comment", "mutable_specifier")
NODES_MAX = 200
"""Nodes of one rule that are read."""


@cache
def _parser() -> Parser:
    return Parser(get_language("rust"))


def read_arms(definition: Node) -> dict[str, Said]:
    """What each rule of a definition gives, by the number of its parameters: the first of each number."""
    found: dict[str, Said] = {}
    for rule in definition.named_children:
        if rule.type == "macro_rule":
            names = _list_parameters(rule.child_by_field_name("left"))
            if names is not None and str(len(names)) not in found:
                said = _Body(names).read(_text(rule.child_by_field_name("right"))[1:-1])
                if said is not None:
                    found[str(len(names))] = said
    return found


def _list_parameters(pattern: Node | None) -> list[str] | None:
    """The fragments that a rule takes; None where it takes others than those between commas."""
    if pattern is None:
        return None
    found: list[str] = []
    for node in pattern.children[1:-1]:
        if node.type == "token_binding_pattern":
            if _text(node.children[-1]) not in _FRAGMENTS:
                return None
            found.append(_text(node.children[0]).lstrip("$"))
        elif node.type == "token_repetition_pattern":
            if re.sub(r"\s", "", _text(node)) != "$(,)?":
                return None
        elif _text(node) != ",":
            return None
    return found


class _Body:
    """What a rule expands to."""

    def __init__(self, parameters: list[str]) -> None:
        self._meant: dict[str, Said] = {f"{_MARK}{name}": ["$", at] for at, name in enumerate(parameters)}
        self._left = NODES_MAX

    def read(self, text: str) -> Said:
        if "$(" in text:
            return None
        source = _VARIABLE.sub(lambda found: "crate" if found[1] == "crate" else f"{_MARK}{found[1]}", text)
        root = _parser().parse(f"fn f() {{{source}}}".encode()).root_node
        function = root.named_children[0] if root.named_children else None
        body = None if function is None or root.has_error else function.child_by_field_name("body")
        return None if body is None else self._block(body)

    def _block(self, node: Node) -> Said:
        outer = dict(self._meant)
        value: Said = None
        for child in node.named_children:
            if child.type == "let_declaration":
                pattern, given = child.child_by_field_name("pattern"), child.child_by_field_name("value")
                if pattern is not None and pattern.type == "identifier":
                    self._meant[_text(pattern)] = None if given is None else self._value(given)
            is_last = child.next_named_sibling is None and not _text(child).endswith(";")
            value = self._value(child) if is_last and child.type not in ("let_declaration", *_UNUSED) else None
        self._meant = outer
        return value

    def _value(self, node: Node) -> Said:
        self._left -= 1
        if self._left < 0:
            return None
        kind = node.type
        parts = [child for child in node.named_children if child.type not in _UNUSED]
        if kind in _INSIDE:
            return self._value(parts[0]) if len(parts) == 1 else None
        match kind:
            case "block":
                return self._block(node)
            case "identifier":
                return self._meant.get(_text(node))
            case "tuple_expression":
                return ["tuple", *map(self._value, parts)]
            case "field_expression":
                return self._of("field", parts[0], _text(parts[1]))
            case "index_expression":
                return self._of("index", parts[0])
            case "try_expression":
                return self._of("enter", parts[0])
            case "call_expression":
                return self._call(parts[0])
            case "macro_invocation":
                return self._macro(node)
            case _:
                return ["literal", _LITERALS[kind]] if kind in _LITERALS else None

    def _of(self, what: str, of: Node, *names: str) -> Said:
        value = self._value(of)
        return None if value is None else [what, value, *names]

    def _call(self, callee: Node) -> Said:
        if callee.type != "field_expression":
            return None
        of, name = callee.named_children[0], _text(callee.named_children[-1])
        called = self._of("call", of, mangle_method(name))
        return ["else", called, self._value(of)] if called is not None and name in SAME else called

    def _macro(self, node: Node) -> Said:
        """Another macro, with its arguments: each is what is between two commas."""
        name = _text(node.child_by_field_name("macro")).removeprefix("crate::")
        inner = _text(node.named_children[-1])[1:-1]
        root = _parser().parse(f"fn f() {{ f({inner}) }}".encode()).root_node
        listed = next((one for one in _walk(root) if one.type == "arguments"), None)
        if not name.isidentifier() or listed is None or root.has_error:
            return None
        return ["macro", name, *map(self._value, listed.named_children)]


def _walk(node: Node) -> list[Node]:
    """A node and what it holds, level by level."""
    found = [node]
    for one in found:
        found += one.named_children
    return found


def _text(node: Node | None) -> str:
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")
