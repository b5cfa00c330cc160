"""Handlers of syntax nodes by the grammar's number of their kind: how a walk dispatches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from tree_sitter_language_pack import get_language

ERROR_KIND = 0xFFFF
"""The kind of a syntax error node (tree-sitter, `ts_builtin_sym_error`)."""

H = TypeVar("H", bound=Callable[..., object])


def by_kind(grammar: str, handlers: Mapping[str, H], *, otherwise: H, token: H) -> dict[int, H]:
    """Handlers by the number of a kind, for every kind that the grammar has; `token` is for keywords and signs."""
    language = get_language(grammar)  # type: ignore[arg-type]  # the pack types the name as a literal
    found: dict[int, H] = {ERROR_KIND: handlers.get("ERROR", otherwise)}
    for kind in range(language.node_kind_count):
        is_named = language.node_kind_is_named(kind)
        found[kind] = handlers.get(language.node_kind_for_id(kind) or "", otherwise) if is_named else token
    return found


def kind_of(grammar: str, name: str) -> int:
    """The number of a named kind. Raises KeyError where the grammar has none of that name."""
    language = get_language(grammar)  # type: ignore[arg-type]
    kind = language.id_for_node_kind(name, True)
    if kind is None:
        raise KeyError(name)
    return kind


def token_of(grammar: str, name: str) -> int:
    """The number of a keyword or sign. Raises KeyError where the grammar has none."""
    language = get_language(grammar)  # type: ignore[arg-type]
    kind = language.id_for_node_kind(name, False)
    if kind is None:
        raise KeyError(name)
    return kind
