"""Source bytes -> `FileFacts`. Never raises on bad source: what cannot be parsed is counted as `error_bytes`."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

from tree_sitter import Node, Parser, Tree
from tree_sitter_language_pack import get_language

from codemap.depth import deep_recursion
from codemap.extract.skipped_files import is_made
from codemap.fact_building.builder import Builder
from codemap.fact_building.facts_assembly import finish
from codemap.facts import FileFacts, SymbolFlag
from codemap.file_roles import Role, role_of
from codemap.languages import by_name, language_of
from codemap.languages.call_syntax import CallSyntax
from codemap.languages.language import Language
from codemap.languages.layout import Layout
from codemap.occurrences.words import without_bom

_DEFINITION = re.compile("definition|declaration|specifier|_def|_include|import")
"""Types of nodes that mean the same wherever they are."""

_MENDED_MAX = 3
"""What an error hides is met when it is gone."""


@cache
def _make_parser(grammar: str) -> Parser:
    return Parser(get_language(grammar))  # type: ignore[arg-type]  # the pack types the name as a literal


def extract(path: str, source: bytes) -> FileFacts:
    """The facts of one file. Cost: one parse and one walk.

    `path` decides the language and dialect. Raises LookupError when no language has that suffix.
    """
    return read(path, source).facts


class Reading(NamedTuple):
    """The facts of one file, and what they were read from."""

    facts: FileFacts
    spans: Sequence[tuple[int, int, int]]
    """Of each symbol, in bytes: where its name begins, where it begins and where it ends."""
    tree: Tree
    source: bytes
    """Without a byte order mark."""
    layout: Layout
    calls: CallSyntax | None


def read(path: str, source: bytes) -> Reading:
    """As `extract`, with what the facts were read from."""
    language = language_of(path)
    if language is None:
        raise LookupError(f"no language for {path!r}")
    source = without_bom(source)
    with _pause_collector(), deep_recursion():
        spoken = _choose_language(language, source)
        tree = _parse(spoken, path, source)
        root = tree.root_node
        builder = Builder(language.name, source, language.scopes.builtins)
        builder.holds_functions = spoken.holds_functions
        builder.is_worded = role_of(path) is Role.PRODUCT
        builder.dialect = "" if spoken is language else spoken.name
        builder.grammar = spoken.grammar(path)
        if is_made(source):
            builder.add_flags(builder.file, SymbolFlag.GENERATED)
        if root.has_error:
            builder.error_bytes = min(len(source), _count_error_bytes(root))
        try:
            spoken.extract(root, builder)
        except RecursionError:
            builder = Builder(language.name, source, language.scopes.builtins)
            builder.error_bytes = len(source)
        return Reading(finish(builder), builder.spans, tree, source, spoken.layout, spoken.calls)


def parsed(path: str, source: bytes) -> Tree:
    """The tree that the facts of a file are read from; `source` has no byte order mark.

    Raises LookupError when no language has that suffix.
    """
    return _parse(spoken_by(path, source), path, source)


def spoken_by(path: str, source: bytes) -> Language:
    """The language that a file is written in; `source` has no byte order mark.

    Raises LookupError when no language has that suffix.
    """
    language = language_of(path)
    if language is None:
        raise LookupError(f"no language for {path!r}")
    return _choose_language(language, source)


def _choose_language(language: Language, source: bytes) -> Language:
    """The language that a file is written in."""
    return language if language.parsing.dialect is None else by_name()[language.parsing.dialect(source)]


def dialect_of(path: str) -> str:
    """Identifies, beside its content, all that decides the facts of a file. Raises LookupError when no language has
    that suffix."""
    language = language_of(path)
    if language is None:
        raise LookupError(f"no language for {path!r}")
    return f"{language.name}/{language.grammar(path)}/{'product' if role_of(path) is Role.PRODUCT else ''}"


@contextmanager
def _pause_collector() -> Iterator[None]:
    """Syntax nodes and rows form no cycles, and looking for some among them costs a sixth of the extraction."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _parse(language: Language, path: str, source: bytes) -> Tree:
    """The tree with the fewest errors, of the source as it is and as the language spells it for its grammar."""
    parser = _make_parser(language.grammar(path))
    if language.parsing.unread:
        source = re.sub(language.parsing.unread, _blank, source)
    tree = parser.parse(source)
    if not tree.root_node.has_error:
        if (
            language.parsing.repair is None
            or not language.parsing.misread
            or re.search(language.parsing.misread, source) is None
        ):
            return tree
        repaired = parser.parse(language.parsing.repair(source))
        return tree if repaired.root_node.has_error else repaired
    best = _Reading(source, tree, error_spans(tree.root_node))
    best = _mend(language, parser, best)
    if language.parsing.repair is None or not best.tree.root_node.has_error:
        return best.tree
    better = _choose_better(parser, best, language.parsing.repair(best.spelt))
    return _mend(language, parser, better).tree if better is not best else best.tree


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])


class _Reading(NamedTuple):
    """A spelling of a source, its tree, and where that has errors."""

    spelt: bytes
    tree: Tree
    errors: list[tuple[int, int]]


def _mend(language: Language, parser: Parser, reading: _Reading) -> _Reading:
    """Parses again with the text around errors respelt by the language, as long as that leaves fewer errors."""
    for _ in range(_MENDED_MAX if language.parsing.mends else 0):
        before = reading
        for mend in language.parsing.mends:
            if reading.errors:
                reading = _choose_better(parser, reading, mend(reading.spelt, reading.errors))
        if reading is before:
            break
    return reading


def _choose_better(parser: Parser, reading: _Reading, spelt: bytes) -> _Reading:
    """The reading of another spelling, if it has fewer errors."""
    if spelt == reading.spelt:
        return reading
    tree = parser.parse(spelt)
    errors = error_spans(tree.root_node)
    return _Reading(spelt, tree, errors) if _count_bytes(errors) < _count_bytes(reading.errors) else reading


def error_spans(root: Node) -> list[tuple[int, int]]:
    """Where what could not be parsed begins and ends, in bytes, in order; empty where only something is missing.

    An error may have a whole file in it, as each of its definitions is: those are understood.
    """
    found: list[tuple[int, int]] = []
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_missing or (node.is_error and not node.child_count):
            found.append((node.start_byte, node.end_byte))
        elif node.is_error:
            start = node.start_byte
            for child in node.children:
                if child.child_count and (child.start_point[0] < child.end_point[0] or _DEFINITION.search(child.type)):
                    pending.append(child)
                    if start < child.start_byte:
                        found.append((start, child.start_byte))
                    start = child.end_byte
            if start < node.end_byte:
                found.append((start, node.end_byte))
        elif node.has_error:
            pending += node.children
    return sorted(found)


def _count_error_bytes(root: Node) -> int:
    """Bytes of what could not be parsed; one for each place where only something is missing, other than a `;`, which
    hides nothing: a macro that begins a loop has none (`EACH(x, list) {…}`)."""
    return _count_bytes(error_spans(root)) - _count_missing_ends(root)


def _count_missing_ends(root: Node) -> int:
    found = 0
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_missing:
            found += node.type == ";"
        elif node.has_error:
            pending += node.children
    return found


def _count_bytes(spans: list[tuple[int, int]]) -> int:
    return sum(max(1, end - start) for start, end in spans)
