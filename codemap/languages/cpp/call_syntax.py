"""How C++ writes parameters and arguments."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind
from codemap.languages.call_syntax import CallSyntax

CALLS = CallSyntax(
    calls=frozenset({"call_expression", "new_expression"}),
    argument_lists=frozenset({"argument_list"}),
    spreads=frozenset({"parameter_pack_expansion"}),
    parameter_lists=frozenset({"parameter_list"}),
    parameters={
        "parameter_declaration": ParameterKind.POSITIONAL,
        "optional_parameter_declaration": ParameterKind.POSITIONAL,
        "variadic_parameter": ParameterKind.REST,
        "variadic_parameter_declaration": ParameterKind.REST,
        "...": ParameterKind.REST,
    },
    optional=frozenset({"optional_parameter_declaration"}),
    takes_nothing=frozenset({"void"}),
)
