"""The numbers that a grammar gives to the kinds of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from tree_sitter_language_pack import get_language

from codemap.fact_building.node_dispatch import ERROR_KIND

_H = TypeVar("_H")
FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_LITERALS = ("string", "number", "true", "false", "null", "undefined", "regex")
_KINDS = {
    "ARGUMENTS": "arguments",
    "ARRAY_PATTERN": "array_pattern",
    "ASSIGNMENT": "assignment_expression",
    "ASSIGNMENT_PATTERN": "assignment_pattern",
    "AWAIT": "await_expression",
    "BLOCK": "statement_block",
    "CALL": "call_expression",
    "CLASS": "class",
    "COMMENT": "comment",
    "COMPUTED": "computed_property_name",
    "DECORATOR": "decorator",
    "IDENTIFIER": "identifier",
    "IMPORT": "import",
    "MEMBER": "member_expression",
    "METHOD": "method_definition",
    "NEW": "new_expression",
    "OBJECT": "object",
    "OBJECT_ASSIGNMENT_PATTERN": "object_assignment_pattern",
    "OBJECT_PATTERN": "object_pattern",
    "PAIR": "pair",
    "PAIR_PATTERN": "pair_pattern",
    "REST_PATTERN": "rest_pattern",
    "SHORTHAND": "shorthand_property_identifier",
    "SHORTHAND_PATTERN": "shorthand_property_identifier_pattern",
    "STRING": "string",
    "SUBSCRIPT": "subscript_expression",
    "SUPER": "super",
    "TEMPLATE": "template_string",
    "THIS": "this",
    "VARIABLE_DECLARATION": "variable_declaration",
}


class Kinds:
    """The numbers that one grammar has for the kinds that handlers compare; -1 for a kind it lacks."""

    ARGUMENTS: int
    ARRAY_PATTERN: int
    ASSIGNMENT: int
    ASSIGNMENT_PATTERN: int
    AWAIT: int
    BLOCK: int
    CALL: int
    CLASS: int
    COMMENT: int
    COMPUTED: int
    DECORATOR: int
    IDENTIFIER: int
    IMPORT: int
    MEMBER: int
    METHOD: int
    NEW: int
    OBJECT: int
    OBJECT_ASSIGNMENT_PATTERN: int
    OBJECT_PATTERN: int
    PAIR: int
    PAIR_PATTERN: int
    REST_PATTERN: int
    SHORTHAND: int
    SHORTHAND_PATTERN: int
    STRING: int
    SUBSCRIPT: int
    SUPER: int
    TEMPLATE: int
    THIS: int
    VARIABLE_DECLARATION: int

    def __init__(self, grammar: str) -> None:
        language = get_language(grammar)  # type: ignore[arg-type]  # the pack types the name as a literal
        self.names = {kind: language.node_kind_for_id(kind) or "" for kind in range(language.node_kind_count)}
        self.names[ERROR_KIND] = "ERROR"
        for field, name in _KINDS.items():
            setattr(self, field, language.id_for_node_kind(name, True) or -1)
        numbers = {name: kind for kind, name in reversed(self.names.items())}
        self.functions = frozenset(numbers[name] for name in FUNCTIONS if name in numbers)
        """Function expressions of every form."""
        self.literals = frozenset(numbers[name] for name in _LITERALS if name in numbers)
        """Expressions that use nothing and whose value, as an argument, says nothing."""
        wrappers = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
        self.wrappers = frozenset(numbers[name] for name in wrappers if name in numbers)
        """Expressions that are what their first child is."""

    def table(self, handlers: Mapping[str, _H], otherwise: _H) -> dict[int, _H]:
        """Handlers by the number of a kind, for every kind there is."""
        return {kind: handlers.get(name, otherwise) for kind, name in self.names.items()}
