"""Imports: what name each one binds.

An import without a name binds the one that the package declares for itself, which its path mostly ends in; where it
does not, the graph finds the package by its declaration.

Source: The Go Programming Language Specification, "Import declarations"; the modules reference, "Major version
suffixes".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import ImportFlag, SourceKind
from codemap.languages.go.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_VERSION = re.compile(r"/v\d+\Z|\.v\d+\Z")
_WRAPPING = re.compile(r"\Ago[-.]|[-.]go\Z")


def spec(w: Walk, node: Node) -> int:
    path = name = None
    for child in node.named_children:
        if child.type in ("interpreted_string_literal", "raw_string_literal"):
            path = child
        elif child.type != "comment":
            name = child
    if path is None or path.end_byte - path.start_byte < 3:
        return NONE
    b = w.b
    at = path.start_byte + 1
    specifier = b.text(at, path.end_byte - 1)
    if name is None:
        row = b.import_(specifier, NONE, at, ImportFlag.OWN_NAME)
        b.bind(own_name(specifier), SourceKind.IMPORT, row, scope=b.module)
    elif name.type == "dot":
        b.star_import(specifier, at)
    elif name.type == "blank_identifier":
        b.import_(specifier, NONE, at, ImportFlag.SIDE_EFFECT)
    else:
        b.bind(w.text(name), SourceKind.IMPORT, b.import_(specifier, NONE, at), scope=b.module)
    return NONE


def own_name(path: str) -> str:
    """The name that a package of this path most likely gives itself."""
    last = _VERSION.sub("", path).rpartition("/")[2]
    last = _WRAPPING.sub("", last) or last
    return last.rpartition("-")[2] if "-" in last else last
