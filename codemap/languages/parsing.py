"""What differs between source and what its grammar reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from tree_sitter import Node


class Parsing(msgspec.Struct, frozen=True, kw_only=True):
    dialect: Callable[[bytes], str] | None = None
    """The language of the family that a file is written in by its text, where its name does not say (a header): the
    grammar and the walk are that language's."""
    repair: Callable[[bytes], bytes] | None = None
    """A spelling of the same length, for the parser alone, of right source that the grammar cannot read."""
    misread: bytes = b""
    """A pattern of right source that the grammar reads as something else, without an error: it is repaired, too."""
    unread: bytes = b""
    """A pattern of what the grammar takes for something else and no fact needs: spaces to the parser."""
    mends: tuple[Callable[[bytes, Sequence[tuple[int, int]]], bytes], ...] = ()
    """As `repair`, for what surrounds syntax errors, spans of bytes in order; tried in turn before `repair`, and again
    while that leaves fewer errors."""
    find_inactive: Callable[[bytes, Node], Sequence[tuple[int, int]]] | None = None
    """A source and the root of its tree -> the spans, in bytes and in order, of code that no build has (`#if 0`)."""


def repair_in(module: str) -> Callable[[bytes], bytes]:
    """The `repair` of a module that is loaded with the first file that needs it, as with `walk_in`."""

    def repair(source: bytes) -> bytes:
        spell: Callable[[bytes], bytes] = import_module(module).repair
        return spell(source)

    return repair


def mend_in(module: str, name: str) -> Callable[[bytes, Sequence[tuple[int, int]]], bytes]:
    """The function of that name of a module that is loaded with the first file that needs it, as with `walk_in`."""

    def mend(source: bytes, errors: Sequence[tuple[int, int]]) -> bytes:
        spell: Callable[[bytes, Sequence[tuple[int, int]]], bytes] = getattr(import_module(module), name)
        return spell(source, errors)

    return mend
