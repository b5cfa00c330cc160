"""Hashes the code of each definition of a file: its tokens and how they nest, so that versions can be compared.

Rules of the file:
- A token belongs to the innermost definition around it. What begins where a definition begins and is larger belongs to
  what is around that.
- Nodes that have tokens mark where they begin and end, so that code whose nesting alone differs differs; those that the
  language calls transparent do not (`codemap.languages.layout`).
- A member that is in another member (`self.x = 1` in a method) has no code of its own.
- Definitions of one span (`a = b = 1`) share their fingerprint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b

from tree_sitter import Node, TreeCursor

from codemap.calls.lists import pack
from codemap.changes.version import HASH_BYTES, Fingerprint, Version, packed
from codemap.extract.calls.lists import call_lists
from codemap.extract.extract import Reading, read
from codemap.facts import Symbol, SymbolKind, rows

_COMMENT = re.compile(r"comment|^line_continuation$")
_IMPORT = re.compile(
    r"^(?:import|future_import|use_declaration|using_directive|namespace_use|preproc_include|package_|extern_crate)"
)
_DECORATOR = re.compile(r"^(?:decorator|annotation|marker_annotation|attribute_item|attribute_list)$")
_STRING = re.compile(r"^(?:concatenated_)?string$")
_QUOTED = re.compile(rb"([A-Za-z]*)(?:\"\"\"|'''|\"|')\Z")
"""A token that opens a string; which quotes they are is layout."""
_BRACKETS = frozenset(("(", ")"))
_CLOSING = frozenset((")", "]", "}"))
_BODIES = frozenset(("function_body", "class_body", "enum_class_body"))
"""Kinds of bodies, where a grammar has no field for them."""
_WITH_BODY = frozenset(
    (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.MODULE)
)
_OPEN, _CLOSE = b"\1", b"\2"
_SLACK_BYTES = 4
"""What may be behind a body and before the end of its definition: `end`, `;`."""


class _Stream:
    """The tokens of one definition."""

    __slots__ = (
        *("body", "body_start", "decorators", "end", "header", "is_file", "is_split", "name_at", "owner", "row"),
        "tokens",
    )

    def __init__(self, row: int, owner: int, name_at: int, end: int, *, is_file: bool, is_split: bool) -> None:
        self.row = row
        self.owner = owner
        """The row of the definition that it is a member of."""
        self.header: list[bytes] = []
        self.decorators: list[bytes] = []
        self.body: list[bytes] = []
        self.body_start = -1
        self.name_at = name_at
        self.end = end
        self.is_file = is_file
        self.is_split = is_split
        """Whether it has a header and a body."""
        self.tokens = 0


def version_of(path: str, source: bytes) -> Version:
    """The facts, fingerprints and call lists of a source. Cost: those of the facts, and a visit of all nodes.

    Raises LookupError when no language has the suffix of the path.
    """
    reading = read(path, source)
    cells = rows(reading.facts.symbols)
    kinds = cells[Symbol.KIND :: Symbol.WIDTH].tolist()
    parents = cells[Symbol.PARENT :: Symbol.WIDTH].tolist()
    owners: dict[tuple[int, int], int] = {}
    of_row = [0]
    for row, (_, start, end) in enumerate(reading.spans[1:], 1):
        of_row.append(owners.setdefault((start, end), row))
    streams = {
        row: _Stream(
            row,
            of_row[max(parents[row], 0)],
            reading.spans[row][0],
            reading.spans[row][2] if row else len(reading.source) + 1,
            is_file=row == 0,
            is_split=kinds[row] in _WITH_BODY,
        )
        for row in sorted(set(of_row))
    }
    _Walk(reading, streams).run()
    return Version(
        reading.facts, packed(_hash_streams(reading, of_row, streams)), packed_lists=pack(call_lists(reading))
    )


class _Walk:
    """One visit of all nodes, in source order."""

    def __init__(self, reading: Reading, streams: dict[int, _Stream]) -> None:
        self._source = reading.source
        self._layout = reading.layout
        self._cursor: TreeCursor = reading.tree.walk()
        spans = reading.spans
        self._waiting = sorted(((spans[row][1], -spans[row][2], row) for row in streams if row), reverse=True)
        self._streams = streams
        self._open = [streams[0]]
        self._import_end = self._decorator_end = -1
        self._documentation = (-1, -1)

    def run(self) -> None:
        cursor = self._cursor
        closing: list[list[bytes] | None] = []
        while True:
            node = cursor.node
            assert node is not None, "the cursor never leaves the tree"
            if self._visit(node, closing) and cursor.goto_first_child():
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                ended = closing.pop()
                if ended is not None:
                    ended.append(_CLOSE)

    def _visit(self, node: Node, closing: list[list[bytes] | None]) -> bool:
        """Takes in a node; whether its children are to be visited, and `closing` has where their end is marked."""
        kind, start, end = node.type, node.start_byte, node.end_byte
        if start == end or (start, end) == self._documentation or _matches(_COMMENT, kind):
            return False
        stream = self._find_owner(start, end)
        if stream.is_file and start >= self._import_end and _matches(_IMPORT, kind):
            self._import_end = end
        elif start >= self._decorator_end and _matches(_DECORATOR, kind):
            self._decorator_end = end
        if stream.is_split and stream.body_start < 0 and stream.name_at < start and self._is_body(stream, node, kind):
            stream.body_start = start
        if not node.child_count:
            is_bracket = bool(closing) and closing[-1] is None and kind in _BRACKETS
            if not is_bracket:
                self._take(stream, node, kind, start, end)
            return False
        layout = self._layout
        if kind in layout.documented:
            self._documentation = _find_documentation(node)
        if kind in layout.transparent or not closing:  # the root may begin and end with a definition, or not
            closing.append(None)
            return True
        place = self._place(stream, start)
        place.append(_OPEN + layout.alike.get(kind, kind).encode())
        closing.append(place)
        return True

    def _find_owner(self, start: int, end: int) -> _Stream:
        """The innermost definition around a stretch."""
        stack, waiting = self._open, self._waiting
        while len(stack) > 1 and stack[-1].end <= start:
            stack.pop()
        while waiting and waiting[-1][0] <= start:
            its_end = -waiting[-1][1]
            if end <= its_end or self._is_optional(its_end, end):
                stream = self._streams[waiting.pop()[2]]
                if stream.owner == stack[-1].row or all(one.row != stream.owner for one in stack):
                    stack.append(stream)
            elif its_end <= start:
                waiting.pop()
            else:
                break
        return stack[-1]

    def _is_optional(self, start: int, end: int) -> bool:
        """Whether a stretch behind a definition may be left out: the `;` of its statement."""
        is_short = end - start <= _SLACK_BYTES
        return is_short and self._source[start:end].strip().decode("latin-1") in self._layout.optional

    def _is_body(self, stream: _Stream, node: Node, kind: str) -> bool:
        if self._cursor.field_name != "body" and kind not in _BODIES:
            return False
        parent = node.parent
        return parent is not None and parent.end_byte >= stream.end - _SLACK_BYTES

    def _take(self, stream: _Stream, node: Node, kind: str, start: int, end: int) -> None:
        """Takes in a token."""
        if start == stream.name_at or kind in self._layout.optional or (kind == "," and _is_trailing(node)):
            return
        token = self._source[start:end]
        quoted = _QUOTED.match(token)
        self._place(stream, start).append(quoted[1].lower() if quoted else token)
        stream.tokens += 1

    def _place(self, stream: _Stream, start: int) -> list[bytes]:
        """Which part of a definition something belongs to."""
        if stream.is_file:
            return stream.header if start < self._import_end else stream.body
        if 0 <= stream.body_start <= start:
            return stream.body
        return stream.decorators if start < self._decorator_end else stream.header


def _find_documentation(node: Node) -> tuple[int, int]:
    """Where the string is that a body begins with."""
    for child in node.named_children:
        if _matches(_COMMENT, child.type):
            continue
        if child.type == "expression_statement" and child.named_child_count == 1:
            (child,) = child.named_children
        return (child.start_byte, child.end_byte) if _matches(_STRING, child.type) else (-1, -1)
    return -1, -1


def _is_trailing(comma: Node) -> bool:
    after = comma.next_sibling
    while after is not None and _matches(_COMMENT, after.type):
        after = after.next_sibling
    return after is not None and after.type in _CLOSING


@cache
def _matches(pattern: re.Pattern[str], kind: str) -> bool:
    return pattern.search(kind) is not None


def _hash_streams(reading: Reading, of_row: Sequence[int], streams: dict[int, _Stream]) -> list[Fingerprint]:
    cells, names = rows(reading.facts.symbols), reading.facts.names
    parents = cells[Symbol.PARENT :: Symbol.WIDTH].tolist()
    inner: dict[int, list[int]] = {}
    for row, parent in enumerate(parents):
        inner.setdefault(parent, []).append(row)
    found: list[Fingerprint] = []
    for row in range(len(of_row) - 1, -1, -1):  # owners are before what is in them
        stream = streams[of_row[row]]
        code = _hash(stream.body if stream.is_file else [*stream.header, *stream.decorators, *stream.body])
        whole, tokens = [code], stream.tokens
        for child in inner.get(row, ()):
            its = found[len(of_row) - 1 - child]
            whole += [names[cells[child * Symbol.WIDTH + Symbol.NAME]].encode("utf-8", "surrogateescape"), its.whole]
            tokens += its.tokens
        found.append(Fingerprint(_hash(stream.header), code, _hash(whole), tokens))
    return found[::-1]


def _hash(tokens: Sequence[bytes]) -> bytes:
    state = blake2b(digest_size=HASH_BYTES)
    for token in tokens:
        state.update(len(token).to_bytes(4, "little"))
        state.update(token)
    return state.digest()
