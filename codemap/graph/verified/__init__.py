"""Applies what language servers confirmed over the edges that the map found by itself.

Invariants:
- A confirmation holds for the contents of two files, that of the use and that of the definition, and lapses when either
  changes.
- A view is a function of the plain snapshot and of the confirmations, not of the order in which they came; after an
  edit it equals the view that would be made from scratch.
- Hub scores and clusters are those of the plain snapshot.
- A server's silence is kept and refutes nothing.
"""
