"""What comes before a definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codemap.languages.ecmascript.jsdoc.types import NO_TAGS, Tags

if TYPE_CHECKING:
    from tree_sitter import Node


class Prefix(NamedTuple):
    """What comes before a definition and belongs to it: `export`, `declare`, decorators, a JSDoc comment."""

    start: int
    flags: int
    doc: str
    decorators: tuple[Node, ...]
    head: int
    """Where the signature begins: `export` and decorators are no part of it."""
    tags: Tags = NO_TAGS
    """What the comment states."""
