"""The pure half of codemap: what is computed from sources and snapshots. No I/O, clock, randomness or logging; `actors`
has all effects.
"""
