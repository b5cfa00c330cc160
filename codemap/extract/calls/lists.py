"""The parameters of each definition of a file, and the arguments of each call in it, from its syntax tree.

A list that the grammar could not read whole is left out.
"""

from __future__ import annotations

from codemap.calls.lists import CallLists
from codemap.extract.calls.arguments import Arguments
from codemap.extract.calls.parameters import Parameters
from codemap.extract.extract import Reading


def call_lists(reading: Reading) -> CallLists:
    """Those of one file. Cost: two descents of the tree for each definition and each call."""
    syntax = reading.calls
    if syntax is None:
        return CallLists({}, ())
    return CallLists(dict(Parameters(reading, syntax).all()), tuple(Arguments(reading, syntax).all()))
