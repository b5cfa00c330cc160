"""Finds the definitions that a task is about, by its words, names and stack frames, best first.

*Invariant:* each definition says why it is there; what the text names and the map has not is said, too.
"""
