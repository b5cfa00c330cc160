"""Indexes over a snapshot that many queries share: columns, names, paths, misspelt words, rank.

Invariant: each is a slot of its snapshot (`codemap.graph.model.index_slots`), made when somebody first asks for it, and
none keeps its snapshot alive.
"""
