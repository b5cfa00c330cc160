"""How C# writes parameters and arguments."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind
from codemap.languages.call_syntax import CallSyntax

CALLS = CallSyntax(
    calls=frozenset({"invocation_expression", "object_creation_expression", "constructor_initializer"}),
    argument_lists=frozenset({"argument_list"}),
    bare_calls=frozenset({"object_creation_expression"}),
    named=frozenset({"argument"}),
    parameter_lists=frozenset({"parameter_list"}),
    parameters={
        "parameter": ParameterKind.EITHER,
        "params": ParameterKind.REST,
    },
    rests={"params": ParameterKind.REST},
    receivers=frozenset({"this"}),
)
