"""What is known of the members that packages outside a repository have."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import msgspec


class OutsideMembers(msgspec.Struct, frozen=True):
    packages: frozenset[str]
    """Those of which all members are known."""
    names: frozenset[str]
    """Of members of their classes."""


def outside_members_in(module: str) -> Callable[[], OutsideMembers]:
    """The `MEMBERS` of a module that is loaded with the first question: they are many."""

    def find() -> OutsideMembers:
        found: OutsideMembers = import_module(module).MEMBERS
        return found

    return find
