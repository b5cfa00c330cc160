"""A quota that all connections share."""

from __future__ import annotations


class Quota:
    """Counts places that are taken and given back, up to a limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.taken = 0

    def take(self) -> bool:
        """Takes a place; False when there is none."""
        if self.taken >= self.limit:
            return False
        self.taken += 1
        return True

    def give(self, places: int = 1) -> None:
        """Gives places back."""
        self.taken -= places
        assert self.taken >= 0, "a place was given back twice"
