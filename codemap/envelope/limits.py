"""Limits profiles: upper bounds of what one call may ask for. A setting chooses the profile."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec


class Limits(msgspec.Struct, frozen=True):
    name: str
    depth_max: int
    """Steps from a node that one call may go."""
    nodes_max: int
    """Neighbors that one call may bring."""


COMMUNITY = Limits("community", 3, 200)
PROFILES: Mapping[str, Limits] = MappingProxyType(
    {limits.name: limits for limits in (COMMUNITY, Limits("pro", 5, 1000), Limits("enterprise", 10, 5000))}
)
