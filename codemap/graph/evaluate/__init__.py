"""The engine of name resolution: questions about expressions, each answered once, to a fixpoint where they depend on
themselves. It knows no rule; the rules are in `codemap.graph.resolve` and are handed to it.

Invariants:
- An answer does not depend on the order in which questions are asked, nor on how deep the stack was.
- An evaluator answers about one state of the files; after an edit there is another one.
"""
