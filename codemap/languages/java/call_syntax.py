"""How Java writes parameters and arguments."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind
from codemap.languages.call_syntax import CallSyntax

CALLS = CallSyntax(
    calls=frozenset(
        {"method_invocation", "object_creation_expression", "explicit_constructor_invocation", "enum_constant"}
    ),
    argument_lists=frozenset({"argument_list"}),
    parameter_lists=frozenset({"formal_parameters"}),
    parameters={
        "formal_parameter": ParameterKind.POSITIONAL,
        "spread_parameter": ParameterKind.REST,
    },
)
