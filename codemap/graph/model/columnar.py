"""Rows as columns: one array a column, each as long as there are rows."""

from __future__ import annotations

from typing import Self

import msgspec
import numpy as np

from codemap.graph.model.edges import Mask, Numbers, places_of


class Columnar(msgspec.Struct, frozen=True):
    """The arrays among the members of an heir are its columns; other members are of all rows."""

    def where(self, chosen: Mask | Numbers) -> Self:
        """Selects rows by a mask, or by their places, in that order."""
        places = places_of(chosen)
        values = ((name, getattr(self, name)) for name in self.__struct_fields__)
        columns = {name: value.take(places) for name, value in values if isinstance(value, np.ndarray)}
        return msgspec.structs.replace(self, **columns)
