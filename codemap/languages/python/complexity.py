"""What makes Python complex."""

from codemap.languages.complexity import Complexity

COMPLEXITY = Complexity(
    functions=("function_definition",),
    seeming=(
        """(decorated_definition (decorator [(identifier) (attribute)] @name) definition: (function_definition) @counted
            (#match? @name "(^|[.])overload$"))""",
    ),
    closures=("lambda",),
    branches=("if_statement", "for_statement", "while_statement", "except_clause", "conditional_expression"),
    structures=("match_statement",),
    arms=("case_clause",),
    chained=("elif_clause",),
    alternatives=("else_clause",),
    operators=("boolean_operator and", "boolean_operator or"),
    decisions=("for_in_clause", "if_clause"),
    parameters=("parameters",),
    uncounted=("keyword_separator", "positional_separator"),
    wrapping=("function_definition", "decorated_definition", "return_statement"),
    receivers=frozenset({"self", "cls"}),
)
