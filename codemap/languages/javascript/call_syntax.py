"""How JavaScript writes parameters and arguments; a call may have too few or too many."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind, Rules
from codemap.languages.call_syntax import CallSyntax

CALLS = CallSyntax(
    calls=frozenset({"call_expression", "new_expression"}),
    argument_lists=frozenset({"arguments"}),
    bare_calls=frozenset({"new_expression"}),
    spreads=frozenset({"spread_element"}),
    parameter_lists=frozenset({"formal_parameters"}),
    functions=frozenset({"arrow_function", "function_expression", "generator_function"}),
    parameters={
        "identifier": ParameterKind.POSITIONAL,
        "object_pattern": ParameterKind.POSITIONAL,
        "array_pattern": ParameterKind.POSITIONAL,
        "assignment_pattern": ParameterKind.POSITIONAL,
        "rest_pattern": ParameterKind.REST,
    },
    optional=frozenset({"assignment_pattern"}),
    rules=Rules(refuses_missing=False, refuses_extra=False, methods_take_fewer=True),
)
