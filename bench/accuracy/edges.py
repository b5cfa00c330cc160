"""What an oracle says, in the terms that the scorer, the oracles and an exported map meet in.

A definition's *place* is `path:line:col` of its name (1-based, UTF-16), a module's its `path`. Its *key* is the place
that stands for it in a pair: the first of its declarations (overloads, accessors, branches of a condition), for a
nested function the outermost one that holds it, for a constructor its class.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Relation(StrEnum):
    """What is scored, each on its own."""

    CALLS = "calls"
    REFERENCES = "references"
    INHERITS = "inherits"
    IMPORTS = "imports"


class Definition(msgspec.Struct, frozen=True):
    """A declaration in the repository of a function, method, class, interface, enum or type."""

    place: str
    key: str
    name: str
    holder: str = ""
    """Key of the class directly around it."""


class Use(msgspec.Struct, frozen=True):
    """One use in a source, and what the oracle resolves it to."""

    path: str
    line: int
    col: int
    """Where the used name stands."""
    source: str
    """Key of the definition around it, or the path of its module."""
    name: str
    relation: Relation
    targets: tuple[str, ...]
    """Keys of definitions in the repository, paths of its modules."""
    is_resolved: bool
    """Whether it is known that nothing else is meant; without targets: it is defined outside."""


class Oracle(msgspec.Struct, frozen=True):
    """All that an oracle says of a repository."""

    definitions: tuple[Definition, ...]
    uses: tuple[Use, ...]


class Claim(msgspec.Struct, frozen=True):
    """An edge that a map claims, in the oracle's keys."""

    source: str
    target: str
    relation: Relation
    confidence: str
    """`candidate` for each candidate of an undecided use."""
    path: str
    """The file of its sites."""
    sites: tuple[tuple[int, int], ...]
    """(line, col)."""
    likelihood: str = ""
    """Of one of the likeliest candidates of an undecided use; empty for the others."""
    name: str = ""
    """What is used, where that could not be decided."""
    is_named: bool = True
    """Whether a reply names it: of the candidates, the first ones."""


def path_of(key: str) -> str:
    """The file of a place or key."""
    parts = key.rsplit(":", 2)
    return parts[0] if len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit() else key
