"""What makes Go complex."""

from codemap.languages.complexity import Complexity

COMPLEXITY = Complexity(
    functions=("function_declaration", "method_declaration", "func_literal"),
    values=("func_literal",),
    branches=("if_statement", "for_statement"),
    structures=("expression_switch_statement", "type_switch_statement", "select_statement"),
    arms=("expression_case", "type_case", "communication_case"),
    alternatives=("if_statement else",),
    operators=("binary_expression &&", "binary_expression ||"),
    jumps=("goto_statement", "(break_statement (label_name))", "(continue_statement (label_name))"),
    parameters=("parameter_list",),
)
