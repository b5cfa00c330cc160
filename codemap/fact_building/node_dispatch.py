"""Dispatches syntax nodes to handlers by the grammar's number of their kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from tree_sitter_language_pack import get_language

ERROR_KIND = 0xFFFF
"""The kind of a syntax error node (tree-sitter, `ts_builtin_sym_error`)."""

H = TypeVar("H", bound=Callable[..., object])


def by_kind(grammar: str, handlers: Mapping[str, H], *, otherwise: H, token: H) -> dict[int, H]:
    """Handlers by the number of a kind, for every kind that the grammar has; `token` is for keywords and signs.

    Raises KeyError where a handler is for a kind that the grammar lacks: it would never be called.
    """
    language = get_language(grammar)  # type: ignore[arg-type]  # the pack types the name as a literal
    found: dict[int, H] = {ERROR_KIND: handlers.get("ERROR", otherwise)}
    names = {"ERROR"}
    for kind in range(language.node_kind_count):
        if language.node_kind_is_named(kind):
            name = language.node_kind_for_id(kind) or ""
            names.add(name)
            found[kind] = handlers.get(name, otherwise)
        else:
            found[kind] = token
    if unknown := handlers.keys() - names:
        raise KeyError(f"{grammar}: {', '.join(sorted(unknown))}")
    return found


def kind_of(grammar: str, name: str) -> int:
    """The number of a named kind. Raises KeyError where the grammar has none of that name."""
    language = get_language(grammar)  # type: ignore[arg-type]
    kind = language.id_for_node_kind(name, True)
    if kind is None:
        raise KeyError(name)
    return kind


def kinds_of(grammar: str, *names: str) -> frozenset[int]:
    """The numbers of some kinds. Raises KeyError where the grammar has none of a name."""
    return frozenset(kind_of(grammar, name) for name in names)


def token_of(grammar: str, name: str) -> int:
    """The number of a keyword or sign. Raises KeyError where the grammar has none."""
    language = get_language(grammar)  # type: ignore[arg-type]
    kind = language.id_for_node_kind(name, False)
    if kind is None:
        raise KeyError(name)
    return kind
