"""What makes Ruby complex."""

from codemap.languages.complexity import Complexity

COMPLEXITY = Complexity(
    functions=("method", "singleton_method"),
    closures=("block", "do_block", "lambda"),
    branches=(
        *("if", "unless", "if_modifier", "unless_modifier", "conditional"),
        *("for", "while", "until", "while_modifier", "until_modifier"),
        *("rescue", "rescue_modifier"),
    ),
    structures=("case", "case_match"),
    arms=("when", "in_clause"),
    chained=("elsif",),
    alternatives=("(if (else) @counted)", "(unless (else) @counted)", "(elsif (else) @counted)"),
    operators=("binary &&", "binary ||", "binary and", "binary or"),
    decisions=("if_guard", "unless_guard"),
    transparent=("parenthesized_statements",),
    parameters=("method_parameters",),
    has_bodies=False,
)
