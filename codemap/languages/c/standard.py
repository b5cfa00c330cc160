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
_MEMBERS = (
    "append assign at back begin c_str capacity cbegin cend clear close compare count crbegin crend data emplace "
    "emplace_back emplace_front empty end erase exchange fetch_add fetch_sub fill find find_first_not_of "
    "find_first_of find_last_of first flush front get get_future get_id good has_value ignore insert is_open join "
    "joinable length load lock max_size notify_all notify_one open peek pop pop_back pop_front push push_back "
    "push_front put rbegin rdbuf read rehash release remove rend replace reserve reset resize rfind second seekg "
    "seekp shrink_to_fit size sort starts_with ends_with store str substr swap tellg tellp test top try_lock unlock "
    "use_count value value_or wait write"
)
MEMBERS = frozenset(_MEMBERS.split())
"""What containers, strings, smart pointers, streams and threads have; [library.general]."""
