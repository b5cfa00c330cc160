"""Search in words: which definitions a question is about, by the words in their names and documentation.

Invariants:
- An edit only records which files changed; their words are read when the next question comes.
- The results are those that an index made from scratch would give.
"""
