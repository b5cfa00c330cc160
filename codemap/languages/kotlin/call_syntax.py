"""How Kotlin writes parameters and arguments."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind
from codemap.languages.call_syntax import CallSyntax

CALLS = CallSyntax(
    calls=frozenset({"call_expression", "constructor_invocation", "constructor_delegation_call"}),
    argument_lists=frozenset({"value_arguments"}),
    spreads=frozenset({"spread_expression"}),
    named=frozenset({"value_argument"}),
    trailing=frozenset({"annotated_lambda"}),
    parameter_lists=frozenset({"function_value_parameters", "primary_constructor"}),
    parameters={
        "parameter": ParameterKind.EITHER,
        "class_parameter": ParameterKind.EITHER,
    },
    rests={"vararg": ParameterKind.REST},
)
