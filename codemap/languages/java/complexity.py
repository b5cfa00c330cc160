"""What makes Java complex."""

from codemap.languages.complexity import Complexity

COMPLEXITY = Complexity(
    functions=(
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "static_initializer",
    ),
    closures=("lambda_expression",),
    branches=(
        "if_statement",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "catch_clause",
        "ternary_expression",
    ),
    structures=("switch_expression",),
    arms=("switch_label case",),
    alternatives=("if_statement else",),
    operators=("binary_expression &&", "binary_expression ||"),
    decisions=("guard",),
    jumps=("(break_statement (identifier))", "(continue_statement (identifier))"),
    comments=("line_comment", "block_comment"),
    parameters=("formal_parameters",),
    uncounted=("receiver_parameter",),
)
