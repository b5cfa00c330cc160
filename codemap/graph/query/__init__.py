"""Queries of a snapshot: search, neighborhood, chains, importers, candidates of undecided uses.

Invariants:
- Every question works on one snapshot and is answered in the same order each time.
- A limit is an argument or a named constant, and the answer says what was left out.
"""
