"""Fuzzing: everything that comes from outside, broken in every way, over seeds that are committed.

`python -m bench.fuzz [MINUTES]` runs for so long; the tests run a few inputs of each target. An input is made from the
name of its target and a number alone, so that a failure replays: `python -m bench.fuzz --only TARGET --first NUMBER
--inputs 1`.
"""
