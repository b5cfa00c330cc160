"""What makes JavaScript and TypeScript complex."""

from codemap.languages.complexity import Complexity

COMPLEXITY = Complexity(
    functions=(
        "function_declaration",
        "function_expression",
        "arrow_function",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    ),
    values=("function_expression", "arrow_function", "generator_function"),
    branches=(
        "if_statement",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "catch_clause",
        "ternary_expression",
    ),
    structures=("switch_statement",),
    arms=("switch_case",),
    alternatives=("else_clause",),
    operators=("binary_expression &&", "binary_expression ||"),
    decisions=("binary_expression ??",),
    jumps=("(break_statement (statement_identifier))", "(continue_statement (statement_identifier))"),
    parameters=("formal_parameters",),
    declares_by_functions=True,
)
