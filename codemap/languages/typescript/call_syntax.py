"""How TypeScript writes parameters and arguments."""

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
        "required_parameter": ParameterKind.POSITIONAL,
        "optional_parameter": ParameterKind.POSITIONAL,
        "identifier": ParameterKind.POSITIONAL,
    },
    optional=frozenset({"optional_parameter"}),
    rests={"rest_pattern": ParameterKind.REST},
    skipped=frozenset({"this"}),
    rules=Rules(methods_take_fewer=True),
)
