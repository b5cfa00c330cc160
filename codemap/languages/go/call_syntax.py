"""How Go writes parameters and arguments. Source: The Go Programming Language Specification, "Calls"."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind
from codemap.languages.call_syntax import CallSyntax

CALLS = CallSyntax(
    calls=frozenset({"call_expression"}),
    argument_lists=frozenset({"argument_list"}),
    spreads=frozenset({"variadic_argument"}),
    spreads_calls=True,
    parameter_lists=frozenset({"parameter_list"}),
    functions=frozenset({"func_literal"}),
    parameters={
        "parameter_declaration": ParameterKind.POSITIONAL,
        "variadic_parameter_declaration": ParameterKind.REST,
    },
)
