"""What a task is about: the definitions that its words, names and stack frames mean, best first.

*Invariant:* each definition says why it is there; what the text names and the map has not is said, too.
"""
