"""What definitions take and calls give, read from the syntax tree of a file."""
