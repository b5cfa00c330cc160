"""Divides a repository into areas: their files, their central definitions, and how they depend on one another.

Invariant: the same files and edges give the same parts, whatever the previous ones were.
"""
