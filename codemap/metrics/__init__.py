"""Metrics of functions, classes, files and folders: sizes, complexity, and how many others use them and are used.

Complexity comes from the syntax of each file as it is now (`codemap.measures`), the rest from the map.
"""
