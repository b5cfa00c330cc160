"""What the standard library of C++ keeps in its types, by the names that the walk gives them."""

from __future__ import annotations

from codemap.languages.containers import Container

_SEQUENCE = Container(element=0, value=0)
_MAP = Container(element=0, value=1)
"""Its elements are pairs, which the walk makes of the first argument."""
_SEQUENCES = ("vector", "list", "deque", "array", "set", "unordered_set", "initializer_list", "span", "stack", "queue")
MAPS = frozenset(f"std::{name}" for name in ("map", "unordered_map", "multimap", "unordered_multimap"))
TUPLES = frozenset({"std::pair", "std::tuple"})
CONTAINERS = {**{f"std::{name}": _SEQUENCE for name in _SEQUENCES}, **dict.fromkeys(MAPS, _MAP)}
_ITERATORS = (
    "begin end cbegin cend rbegin rend crbegin crend find lower_bound upper_bound insert emplace emplace_hint erase "
    "emplace_back emplace_front"
)
CONTAINER_METHODS = {
    **dict.fromkeys(("at", "front", "back", "top"), "value"),
    **dict.fromkeys(_ITERATORS.split(), "iterator"),
    "data": "pointer",
}
CONTAINER_TYPES = {
    **dict.fromkeys(("iterator", "const_iterator", "reverse_iterator", "const_reverse_iterator"), "element"),
    **dict.fromkeys(("value_type", "reference", "const_reference", "pointer", "const_pointer"), "element"),
    "mapped_type": "value",
}
TUPLE_MEMBERS = {"first": 0, "second": 1}
PROTOCOLS = {"index": "operator[]", "iter": "begin", "next": "operator*", "call": "operator()"}
_GIVE_BACK = ("move", "forward", "ref", "cref", "as_const", "addressof", "launder", "move_if_noexcept")
GIVE_BACK = frozenset(f"std::{name}" for name in _GIVE_BACK)
"""Functions that give what they are called with; [utility], [refwrap]."""
HOLDERS_GIVE = frozenset({"get", "value", "lock", "release"})
"""What a smart pointer or an optional has to give what it holds."""
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
