"""What makes C complex."""

from codemap.languages.complexity import Complexity

COMPLEXITY = Complexity(
    functions=("function_definition",),
    seeming=("(function_definition declarator: (identifier))",),
    branches=(
        "if_statement",
        "for_statement",
        "while_statement",
        "do_statement",
        "conditional_expression",
        "preproc_if",
        "preproc_ifdef",
    ),
    structures=("switch_statement",),
    arms=("case_statement case",),
    directives=("(preproc_if condition: (_) @counted)", "(preproc_elif condition: (_) @counted)"),
    chained=("preproc_elif", "preproc_elifdef"),
    alternatives=("else_clause", "preproc_else"),
    operators=("binary_expression &&", "binary_expression ||"),
    jumps=("goto_statement",),
    parameters=("parameter_list",),
)
