"""The definitions of one name, in little memory: most names have one, which is a number.

As tuples, the places of all names would take as much memory as the facts that they are of.
"""

from __future__ import annotations

from collections.abc import Sequence

Place = tuple[int, int]
"""(file number, symbol row)."""
Places = int | list[Place] | tuple[Place, ...]
"""In order of file and row; a list while they are collected."""
_ROW_BITS = 32
_ROW_MAX = (1 << _ROW_BITS) - 1


def add_place(index: dict[str, Places], name: str, number: int, row: int) -> None:
    """Adds a place to those of a name."""
    known = index.get(name)
    if known is None:
        index[name] = number << _ROW_BITS | row
    elif isinstance(known, list):
        known.append((number, row))
    else:
        index[name] = [*unpacked_places(known), (number, row)]


def packed_places(places: Sequence[Place]) -> Places:
    """Places as they are kept."""
    if len(places) == 1:
        number, row = places[0]
        return number << _ROW_BITS | row
    return tuple(places)


def unpacked_places(places: Places) -> tuple[Place, ...]:
    """The places that are kept."""
    return ((places >> _ROW_BITS, places & _ROW_MAX),) if isinstance(places, int) else tuple(places)
