"""Source bytes -> `FileFacts`. Never raises on bad source: what cannot be parsed is counted as `error_bytes`."""

from __future__ import annotations

import sys
from functools import cache

from tree_sitter import Parser
from tree_sitter_language_pack import get_language

from codemap.extract.builder import Builder
from codemap.facts import FileFacts
from codemap.languages import language_of

_BOM = b"\xef\xbb\xbf"
_DEPTH_MAX = 20_000
"""Recursion of a language's walk: nesting in real sources stays below hundreds; generated data reaches thousands."""


@cache
def _parser(grammar: str) -> Parser:
    return Parser(get_language(grammar))  # type: ignore[arg-type]  # the pack types the name as a literal


def extract(path: str, source: bytes) -> FileFacts:
    """The facts of one file. Cost: one parse and one walk.

    `path` decides the language and dialect. Raises LookupError when no language has that suffix.
    """
    language = language_of(path)
    if language is None:
        raise LookupError(f"no language for {path!r}")
    if source.startswith(_BOM):
        source = b" " * len(_BOM) + source[len(_BOM) :]
    tree = _parser(language.grammar(path)).parse(source)
    builder = Builder(language.name, source, language.builtins)
    if sys.getrecursionlimit() < _DEPTH_MAX:
        sys.setrecursionlimit(_DEPTH_MAX)
    try:
        language.extract(tree.root_node, builder)
    except RecursionError:
        builder = Builder(language.name, source, language.builtins)
        builder.error_bytes = len(source)
    return builder.finish()
