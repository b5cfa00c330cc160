"""Raises Python's recursion limit for code that follows how deep a source nests.

The limit is raised only around our own Python recursion, which costs no C stack (CPython 3.11), and lowered again
before anything else runs: a decoder that recurses in C under a raised limit would overflow it on hostile input.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

DEPTH_MAX = 50_000
"""Frames: an expression as deep as extraction takes (a few frames a level), over a chain of modules and types."""


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Inside, Python code may recurse to DEPTH_MAX frames; beyond, RecursionError as ever."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH_MAX))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
