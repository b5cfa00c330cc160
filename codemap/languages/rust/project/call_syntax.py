"""How Rust writes parameters and arguments."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind
from codemap.languages.call_syntax import CallSyntax

CALLS = CallSyntax(
    calls=frozenset({"call_expression"}),
    argument_lists=frozenset({"arguments"}),
    parameter_lists=frozenset({"parameters"}),
    parameters={
        "parameter": ParameterKind.POSITIONAL,
        "self_parameter": ParameterKind.POSITIONAL,
        "variadic_parameter": ParameterKind.REST,
    },
    receivers=frozenset({"self_parameter"}),
)
