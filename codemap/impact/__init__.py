"""Assesses what a change may break: which definitions and tests depend on it, and how many."""
