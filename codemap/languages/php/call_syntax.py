"""How PHP writes parameters and arguments; a call may have too many."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind, Rules
from codemap.languages.call_syntax import CallSyntax

CALLS = CallSyntax(
    calls=frozenset(
        (
            *("function_call_expression", "member_call_expression", "nullsafe_member_call_expression"),
            *("scoped_call_expression", "object_creation_expression"),
        )
    ),
    argument_lists=frozenset({"arguments"}),
    bare_calls=frozenset({"object_creation_expression"}),
    spreads=frozenset({"variadic_unpacking"}),
    named=frozenset({"argument"}),
    is_opaque=frozenset({"variadic_placeholder"}),
    parameter_lists=frozenset({"formal_parameters"}),
    parameters={
        "simple_parameter": ParameterKind.EITHER,
        "property_promotion_parameter": ParameterKind.EITHER,
        "variadic_parameter": ParameterKind.REST,
    },
    rules=Rules(refuses_extra=False),
)
