"""Planted changes of parameter lists: the calls that codemap says do not fit, against a type checker's new errors."""
