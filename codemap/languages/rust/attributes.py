"""Attributes: the functions and modules that macros are given in them, as paths or, as serde has it, in strings.

    #[arg(value_parser = parse_ms)]    #[serde(default = "default_port", with = "hex")]

Source: the Rust Reference, "Attributes"; serde.rs, "Field attributes"; the documentation of clap's derive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import UseRole
from codemap.languages.rust import paths
from codemap.languages.rust.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_READ, _CALL = int(UseRole.REFERENCE), int(UseRole.CALL)
_CALLED = frozenset({"default", "serialize_with", "deserialize_with", "skip_serializing_if", "getter"})
"""Keys of serde whose strings are paths of functions."""
_MODULE = "with"
_FUNCTIONS = ("serialize", "deserialize")
"""What serde calls in a module that it is given."""
_TYPES = frozenset({"from", "try_from", "into", "remote"})
_PATH = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_NAMES = ("identifier", "crate", "self", "super")


def visit(w: Walk, node: Node) -> int:
    """`#[a(key = path)]`; what is in it belongs to the definition around."""
    for attribute in node.named_children:
        tree = attribute.child_by_field_name("arguments")
        if tree is not None:
            _visit_tree(w, tree)
    return NONE


def _visit_tree(w: Walk, tree: Node) -> None:
    tokens = tree.children
    for at, token in enumerate(tokens):
        if token.type == "token_tree":
            _visit_tree(w, token)
        elif token.type == "=" and at and at + 1 < len(tokens):
            key, given = w.text(tokens[at - 1]), tokens[at + 1]
            if given.type == "string_literal":
                _visit_text(w, key, given)
            else:
                path = list(_read_path(tokens[at + 1 :]))
                if path:
                    paths.resolve_path(w, paths.Parts(None, path, False, []), _READ, is_value=True)


def _read_path(tokens: Sequence[Node]) -> Iterator[Node]:
    """The names at the beginning of some tokens."""
    for at, token in enumerate(tokens):
        if at % 2 == 0 and token.type in _NAMES:
            yield token
        elif token.type != "::":
            return


def _visit_text(w: Walk, key: str, literal: Node) -> None:
    content = literal.named_children[0] if literal.named_children else None
    text = "" if content is None else w.text(content)
    if content is None or not _PATH.fullmatch(text) or not (key in _CALLED or key in _TYPES or key == _MODULE):
        return
    value = paths.resolve_text(w, text)
    at = content.start_byte + len(text) - len(text.rpartition("::")[2])
    w.b.use(_CALL if key in _CALLED else _READ, value, at)
    for name in _FUNCTIONS if key == _MODULE else ():
        w.b.use(_CALL, w.b.attribute(value, name), at)
