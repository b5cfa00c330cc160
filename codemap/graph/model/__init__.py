"""What the graph is made of: values, definitions, edges, files, and one immutable snapshot of them.

Invariants:
- A snapshot never changes after it is made; what it derives from its fields, and its indexes, it computes once.
- Nodes are numbers that mean nothing outside their snapshot; node IDs do.
- An index that is carried over an edit equals the one that would be made anew (`index_slots`).
- This room imports no other room of the graph.
"""
