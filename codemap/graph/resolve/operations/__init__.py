"""What operators run, what calls find by their arguments (members and functions defined for them), what macros give."""
