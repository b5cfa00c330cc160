"""How Ruby writes parameters and arguments. Source: Ruby documentation, "Methods" and "Calling Methods"."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind, Rules
from codemap.languages.call_syntax import CallSyntax

CALLS = CallSyntax(
    calls=frozenset({"call", "identifier"}),
    argument_lists=frozenset({"argument_list"}),
    bare_calls=frozenset({"call", "identifier"}),
    spreads=frozenset({"splat_argument"}),
    keyword_spreads=frozenset({"hash_splat_argument"}),
    named=frozenset({"pair"}),
    uncounted=frozenset({"block_argument"}),
    is_opaque=frozenset({"forward_argument"}),
    parameter_lists=frozenset({"method_parameters", "lambda_parameters"}),
    parameters={
        "identifier": ParameterKind.POSITIONAL,
        "destructured_parameter": ParameterKind.POSITIONAL,
        "optional_parameter": ParameterKind.POSITIONAL,
        "splat_parameter": ParameterKind.REST,
        "keyword_parameter": ParameterKind.KEYWORD,
        "hash_splat_parameter": ParameterKind.KEYWORD_REST,
    },
    optional=frozenset({"optional_parameter"}),
    skipped=frozenset({"block_parameter"}),
    states_nothing=frozenset({"(...)"}),
    rules=Rules(fills_required_first=True, names_are_values=True),
)
