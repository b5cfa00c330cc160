"""`map_code`: the source of definitions, verbatim, with what it depends on.

*Invariant:* each code text is a substring of the file as it was on disk when the answer was made.
"""
