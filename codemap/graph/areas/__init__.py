"""The parts of a repository: their files, the definitions at their heart, and how they depend on one another.

Invariant: the same files and edges give the same parts, whatever the previous ones were.
"""
