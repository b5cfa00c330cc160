"""What the standard library of C++ keeps in its types, by the names that the walk gives them."""

from __future__ import annotations

from codemap.languages.language import Container

_SEQUENCE = Container(element=0, value=0)
_MAP = Container(element=-1, value=1)
_SEQUENCES = ("vector", "list", "deque", "array", "set", "unordered_set", "initializer_list", "span", "stack", "queue")
CONTAINERS = {
    **{f"std::{name}": _SEQUENCE for name in _SEQUENCES},
    **{f"std::{name}": _MAP for name in ("map", "unordered_map", "multimap")},
}
TRANSPARENT = {f"std::{name}": 0 for name in ("unique_ptr", "shared_ptr", "weak_ptr", "optional", "reference_wrapper")}
CONSTRUCTOR = "new"
"""The name under which a class has its constructors; no member can have it."""
