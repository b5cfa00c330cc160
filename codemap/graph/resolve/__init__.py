"""What the expressions of files mean: the evaluator and its rules. Its modules may call each other in a circle."""
