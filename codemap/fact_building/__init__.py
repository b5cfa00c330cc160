"""Builds the facts of one file while its syntax tree is walked: what the rules of every language report to."""
