"""How Python writes parameters and arguments. Source: The Python Language Reference, 6.3.4 and 8.7."""

from __future__ import annotations

from codemap.calls.lists import ParameterKind
from codemap.languages.call_syntax import CallSyntax, fields_in

CALLS = CallSyntax(
    calls=frozenset({"call"}),
    spreads=frozenset({"list_splat"}),
    keyword_spreads=frozenset({"dictionary_splat"}),
    named=frozenset({"keyword_argument"}),
    parameter_lists=frozenset({"parameters", "lambda_parameters"}),
    functions=frozenset({"lambda"}),
    parameters={
        "identifier": ParameterKind.EITHER,
        "typed_parameter": ParameterKind.EITHER,
        "default_parameter": ParameterKind.EITHER,
        "typed_default_parameter": ParameterKind.EITHER,
        "list_splat_pattern": ParameterKind.REST,
        "dictionary_splat_pattern": ParameterKind.KEYWORD_REST,
    },
    rests={
        "list_splat_pattern": ParameterKind.REST,
        "dictionary_splat_pattern": ParameterKind.KEYWORD_REST,
    },
    positional_end="positional_separator",
    keyword_begin="keyword_separator",
    decorated="decorated_definition",
    harmless=frozenset(
        (
            *("staticmethod", "classmethod", "abstractmethod", "override", "final", "overload", "deprecated"),
            *("contextmanager", "asynccontextmanager", "cache", "lru_cache", "coroutine", "no_type_check"),
        )
    ),
    returns_given=r"\(\s*\w+\s*:\s*(?P<type>[\w.]+)\s*,?\s*\)\s*->\s*(?P=type)\s*:?\s*\Z",
    overload="overload",
    fields=fields_in("codemap.languages.python.definitions.record_fields"),
)
