"""Finds where a word occurs in a text, and which words a text has at all; knows no language and no map."""
