"""The formats that a picture can be written in, by the names that users give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from codemap.pictures.graphviz import dot
from codemap.pictures.mermaid import mermaid
from codemap.pictures.page import page
from codemap.pictures.picture import Picture
from codemap.pictures.svg import svg

FORMATS: Mapping[str, Callable[[Picture], str]] = MappingProxyType(
    {"svg": svg, "mermaid": lambda picture: mermaid(picture) + "\n", "dot": dot, "html": page}
)
"""Each gives the whole text of a file, the same for the same picture."""
