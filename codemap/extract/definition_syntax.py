"""Finds the parts of definitions in the syntax tree: header, body, docstring, statements.

The kinds of nodes are read as words, which grammars have in common (`class_body`, `statement_block`), so that no
language needs a table of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from tree_sitter import Node

from codemap.depth import deep_recursion
from codemap.extract.extract import extract, parsed
from codemap.fact_building.positions import Offsets, Places
from codemap.facts import Symbol, SymbolFlag, SymbolKind, rows
from codemap.occurrences.words import without_bom
from codemap.syntax import NO_LINES, Borders, DefinitionSyntax

_VALUES = frozenset((SymbolKind.VARIABLE, SymbolKind.PROPERTY, SymbolKind.TYPE_ALIAS))
"""Their bodies are those of what they are assigned: functions and classes only."""

_BODY = re.compile(r"(?:^|_)body$|^(?:field_declaration|declaration|accessor|enumerator|enum_variant)_list$")
_FUNCTION = re.compile(r"function|arrow|lambda|closure|class|struct|interface|accessor|getter|setter|object|property")
_BLOCK = re.compile(
    r"block|body|suite|compound_statement|statement_list|declaration_list|module$|program$|source_file|translation_unit"
    r"|compilation_unit|then$|else$|case|switch|(?:^|_)do$|statements"
)
_NOT_STATEMENT = re.compile(r"^(?:else|elif|catch|finally|except|rescue|ensure)")
_STRING = re.compile(r"^(?:string|concatenated_string)$")


def syntax_of(
    path: str, source: bytes, symbols: bytes = b"", borders_of: Collection[int] = ()
) -> tuple[tuple[DefinitionSyntax, ...], dict[int, Borders]]:
    """The parts of each row of the file's symbol table, and where the statements begin of those that are wanted. Cost:
    a parse, and an extraction where the table is not given.

    Raises LookupError when no language has that suffix.
    """
    cells, width = rows(symbols or extract(path, source).symbols).tolist(), Symbol.WIDTH
    table = [cells[at : at + width] for at in range(0, len(cells), width)]
    bare = without_bom(source)
    with deep_recursion():
        reading = _Reading(bare, parsed(path, bare).root_node, len(source) - len(bare))
        definitions = tuple(reading.definition(row, table[row[Symbol.PARENT]]) for row in table)
        wanted = [row for row in borders_of if row < len(table)]
        return definitions, {row: reading.borders(table[row], table[table[row][Symbol.PARENT]]) for row in wanted}


class _Reading:
    """One file, being read."""

    def __init__(self, source: bytes, root: Node, shift: int) -> None:
        self._source = source
        self._root = root
        self._shift = shift
        self._offset = Offsets(source)
        self._places = Places(source)
        self._starts = self._offset.starts

    def definition(self, row: Sequence[int], owner: Sequence[int]) -> DefinitionSyntax:
        """Finds the parts of one definition, given its row of the symbol table and that of the definition around it."""
        kind, first, last = SymbolKind(row[Symbol.KIND]), row[Symbol.START_LINE], row[Symbol.END_LINE]
        if kind is SymbolKind.FILE:
            return DefinitionSyntax(self._shift, (1, last), self._find_doc(self._root))
        start, end = self._starts[first - 1], min(self._starts[last], len(self._source))
        body = self._find_body(row, start, end, owner)
        if body is None:
            return DefinitionSyntax(self._shift + len(self._source[:end].rstrip(b"\r\n")))
        before = body.prev_sibling
        while before is not None and "comment" in before.type:
            before = before.prev_sibling
        header_end = len(self._source[: body.start_byte if before is None else before.end_byte].rstrip())
        return DefinitionSyntax(self._shift + header_end, self._lines(body), self._find_doc(body))

    def borders(self, row: Sequence[int], owner: Sequence[int]) -> Borders:
        """Where the statements of a definition begin."""
        if row[Symbol.KIND] == SymbolKind.FILE:
            return tuple(self._find_borders(self._root, 0))
        start = self._starts[row[Symbol.START_LINE] - 1]
        body = self._find_body(row, start, min(self._starts[row[Symbol.END_LINE]], len(self._source)), owner)
        return () if body is None else tuple(self._find_borders(body, 0))

    def _find_body(self, row: Sequence[int], start: int, end: int, owner: Sequence[int]) -> Node | None:
        whole = self._find_whole(row, start, end, owner)
        return None if whole is None else _body_in(whole, SymbolKind(row[Symbol.KIND]))

    def _find_whole(self, row: Sequence[int], start: int, end: int, owner: Sequence[int]) -> Node | None:
        """The largest node that holds the name, but not the owner's, and lies within the lines of the definition; of
        overloads that are one definition, the last."""
        at = self._offset(row[Symbol.LINE], row[Symbol.COL])
        is_apart = owner[Symbol.KIND] == SymbolKind.FILE or owner[Symbol.FLAGS] & SymbolFlag.PART
        around = -1 if is_apart else self._offset(owner[Symbol.LINE], owner[Symbol.COL])
        node = self._root.descendant_for_byte_range(at, min(at + 1, len(self._source)))
        while node is not None and (parent := node.parent) is not None and parent != self._root:
            if parent.start_byte < start or parent.end_byte > end or parent.start_byte <= around < parent.end_byte:
                break
            node = parent
        while node is not None and self._lines(node)[1] < row[Symbol.END_LINE]:
            after = node.next_named_sibling
            if after is None or after.end_byte > end:
                break
            node = after
        return node

    def _find_doc(self, body: Node) -> tuple[int, int]:
        """The lines of a string that is the first statement."""
        first = next((child for child in body.named_children if "comment" not in child.type), None)
        if first is not None and first.type == "expression_statement" and first.named_child_count == 1:
            first = first.named_children[0]
        if first is None or not _STRING.search(first.type):
            return NO_LINES
        return self._lines(first)

    def _find_borders(self, node: Node, depth: int) -> Iterator[tuple[int, int]]:
        """A comment right above a statement belongs to it."""
        is_block, commented = _BLOCK.search(node.type) is not None, -1
        for child in node.named_children:
            inner = depth
            first, last = self._lines(child)
            if is_block and not _NOT_STATEMENT.search(child.type) and self._begins_line(child):
                if first != commented + 1:
                    yield first, depth
                inner = depth + 1
                commented = last if "comment" in child.type else -1
            if last > first or _BLOCK.search(child.type):
                yield from self._find_borders(child, inner)

    def _begins_line(self, node: Node) -> bool:
        return not self._source[self._starts[self._places.line(node.start_byte) - 1] : node.start_byte].strip()

    def _lines(self, node: Node) -> tuple[int, int]:
        """By its bytes: the text that was parsed may be a spelling of the source that has fewer lines."""
        return self._places.lines_between(node.start_byte, node.end_byte)


_NODES_MAX = 400
"""Looked through for a body, which is near the top of a definition."""


def _body_in(whole: Node, kind: SymbolKind) -> Node | None:
    """The nearest body below a definition; of a variable, that of the function or class which it holds."""
    pending = [whole]
    for node in pending:
        if kind not in _VALUES or _FUNCTION.search(node.type):
            found = node.child_by_field_name("body") or next(
                (child for child in node.named_children if _BODY.search(child.type)), None
            )
            if found is not None and found.end_byte > found.start_byte:
                return found
        pending += node.named_children
        if len(pending) > _NODES_MAX:
            return None
    return None
