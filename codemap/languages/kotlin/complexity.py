"""What makes Kotlin complex."""

from codemap.languages.complexity import Complexity

COMPLEXITY = Complexity(
    functions=("function_declaration", "secondary_constructor", "anonymous_initializer", "getter", "setter"),
    closures=("lambda_literal", "anonymous_function"),
    branches=(
        "if_expression",
        "for_statement",
        "while_statement",
        "do_while_statement",
        "catch_block",
    ),
    structures=("when_expression",),
    exhaustive=("when_expression",),
    arms=("when_entry",),
    alternatives=("if_expression else",),
    operators=("conjunction_expression &&", "disjunction_expression ||"),
    decisions=("elvis_expression",),
    comments=("line_comment", "multiline_comment"),
    parameters=("function_value_parameters", "lambda_parameters"),
    counted=("parameter",),
)
