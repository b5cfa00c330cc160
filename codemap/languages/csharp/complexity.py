"""What makes C# complex."""

from codemap.languages.complexity import Complexity

COMPLEXITY = Complexity(
    functions=(
        "method_declaration",
        "constructor_declaration",
        "destructor_declaration",
        "operator_declaration",
        "conversion_operator_declaration",
        "local_function_statement",
        "accessor_declaration",
        "(property_declaration value: (arrow_expression_clause))",
        "(indexer_declaration value: (arrow_expression_clause))",
    ),
    closures=("lambda_expression", "anonymous_method_expression"),
    branches=(
        "if_statement",
        "for_statement",
        "foreach_statement",
        "while_statement",
        "do_statement",
        "catch_clause",
        "conditional_expression",
        "preproc_if",
    ),
    structures=("switch_statement", "switch_expression"),
    exhaustive=("switch_expression",),
    arms=("switch_section case", "switch_expression_arm"),
    directives=("(preproc_if condition: (_) @counted)", "(preproc_elif condition: (_) @counted)"),
    chained=("preproc_elif",),
    alternatives=("if_statement else", "preproc_else"),
    operators=("binary_expression &&", "binary_expression ||"),
    decisions=("binary_expression ??", "when_clause", "catch_filter_clause"),
    jumps=("goto_statement",),
    parameters=("parameter_list", "bracketed_parameter_list"),
    counted=("parameter", "identifier"),  # a `params` array has no node of its own
)
