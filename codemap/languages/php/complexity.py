"""What makes PHP complex."""

from codemap.languages.complexity import Complexity

COMPLEXITY = Complexity(
    functions=("function_definition", "method_declaration", "property_hook"),
    closures=("anonymous_function", "arrow_function"),
    branches=(
        "if_statement",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "catch_clause",
        "conditional_expression",
    ),
    structures=("switch_statement", "match_expression"),
    arms=("case_statement", "match_conditional_expression"),
    chained=("else_if_clause",),
    alternatives=("else_clause",),
    operators=("binary_expression &&", "binary_expression ||", "binary_expression and", "binary_expression or"),
    jumps=("goto_statement",),
    parameters=("formal_parameters",),
)
