"""A file in a snapshot: its facts, its first node, and what identified its content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

import msgspec
import numpy as np
from numpy.typing import NDArray

from codemap.facts import FileFacts, Symbol, rows
from codemap.graph.model.edges import Ints
from codemap.ids import file_id, name_in_id
from codemap.packed.packed_facts import unpack_facts

W = Symbol.WIDTH


def table(cells: bytes | memoryview, width: int) -> Ints:
    """A table of facts as an array of rows, without a copy."""
    return np.frombuffer(cells, dtype="<i4").reshape(-1, width)


class FileStamp(msgspec.Struct, frozen=True, array_like=True):
    """Identifies a file's contents as they were when they were read."""

    size: int
    """Bytes."""
    mtime_ns: int
    digest: bytes


class Extracted(msgspec.Struct, frozen=True):
    """A file as it was read."""

    facts: FileFacts
    stamp: FileStamp


class PackedFiles:
    """What is known of all files of a stored map: their facts, read when something asks for them, and columns."""

    __slots__ = ("errors", "facts", "first", "names", "of_node", "packages", "scripts", "sizes", "symbols")

    def __init__(
        self,
        facts: Sequence[bytes],
        symbols: Sequence[NDArray[np.signedinteger]],
        bases: Ints,
        sizes: Ints,
        errors: Ints,
        scripts: Ints,
        packages: Mapping[int, tuple[str, ...]],
        of_node: Ints,
        names: Sequence[str],
    ) -> None:
        """`facts` are what `pack_facts` gave; the others have the members of the same facts by number of the file, but
        for `symbols`, the columns of the tables of all files, and `of_node`, of each node the place of its name in
        `names`. `bases` are the snapshot's."""
        self.facts = facts
        self.symbols = symbols
        self.first: memoryview = bases.data
        self.sizes: memoryview = sizes.data
        self.errors: memoryview = errors.data
        self.scripts: memoryview = scripts.data
        self.packages = packages
        self.of_node = of_node
        self.names = names


class PackedFile:
    """Facts that are unpacked when something first asks for them; what is asked of every file is at hand."""

    __slots__ = ("_all", "_facts", "_number")

    def __init__(self, files: PackedFiles, number: int) -> None:
        self._all = files
        self._number = number
        self._facts: FileFacts | None = None

    @property
    def facts(self) -> FileFacts:
        """Raises LostMap."""
        facts = self._facts
        if facts is None:
            facts = self._facts = unpack_facts(self._all.facts[self._number])
        return facts

    def read(self) -> FileFacts:
        """The facts, which are not kept where they are packed. Raises LostMap."""
        facts = self._facts
        return unpack_facts(self._all.facts[self._number]) if facts is None else facts

    @property
    def packed(self) -> bytes:
        """The facts as `pack_facts` gave them. Raises LostMap."""
        return self._all.facts[self._number]

    @property
    def is_in_memory(self) -> bool:
        """Whether the packed facts are, instead of being read where they are kept."""
        return isinstance(self._all.facts, list)

    @property
    def symbols(self) -> memoryview:
        first, number = self._all.first, self._number
        here = slice(first[number], first[number + 1])
        table = np.empty((here.stop - here.start, W), "<i4")
        for number, column in enumerate(self._all.symbols):
            table[:, number] = column[here]
        return memoryview(table.tobytes()).cast("i")

    @property
    def size(self) -> int:
        return int(self._all.sizes[self._number])

    @property
    def error_bytes(self) -> int:
        return int(self._all.errors[self._number])

    @property
    def is_script(self) -> bool:
        return bool(self._all.scripts[self._number])

    @property
    def packages(self) -> tuple[str, ...]:
        return self._all.packages.get(self._number, ())

    @property
    def symbol_names(self) -> list[str]:
        """The names of the symbols, the file itself excluded."""
        first, number, names = self._all.first, self._number, self._all.names
        return [names[place] for place in self._all.of_node[first[number] + 1 : first[number + 1]].tolist()]


def read_facts(held: FileFacts | PackedFile) -> FileFacts:
    """The facts, which are not kept where they are packed: for passes over many files that are asked for nothing else.
    Raises LostMap."""
    return held.read() if isinstance(held, PackedFile) else held


class IndexedFile(msgspec.Struct, frozen=True, dict=True):
    """A file in a snapshot. `base` is the node of the file itself; symbol row r is node base + r."""

    path: str
    lang: str
    family: str
    held: FileFacts | PackedFile
    """The same object as long as the content is the same."""
    stamp: FileStamp
    base: int
    number: int
    """Its place in `Snapshot.files`."""

    @property
    def facts(self) -> FileFacts:
        held = self.held
        return held.facts if isinstance(held, PackedFile) else held

    @cached_property
    def symbols(self) -> memoryview:
        held = self.held
        return held.symbols if isinstance(held, PackedFile) else rows(held.symbols)

    @property
    def size(self) -> int:
        """Bytes of the source as it was parsed."""
        return self.held.size

    @property
    def error_bytes(self) -> int:
        """Bytes under syntax errors."""
        return self.held.error_bytes

    @property
    def is_script(self) -> bool:
        """Whether its top-level names are visible to other scripts without an import."""
        return self.held.is_script

    @property
    def symbol_names(self) -> list[str]:
        """The bare names of its symbols, the file itself excluded."""
        held = self.held
        if isinstance(held, PackedFile):
            return held.symbol_names
        names = held.names
        return [names[number] for number in self.symbols[W + Symbol.NAME :: W].tolist()]

    @property
    def packages(self) -> tuple[str, ...]:
        """See `FileFacts.packages`."""
        return self.held.packages

    @property
    def symbol_count(self) -> int:
        """Rows of the symbol table, the file itself included."""
        return len(self.symbols) // W

    @cached_property
    def rows_by_name(self) -> dict[tuple[str, int], int]:
        """(qualified name, ordinal) -> symbol row."""
        symbols, names = self.symbols.tolist(), self.facts.names
        found: dict[tuple[str, int], int] = {}
        qualified = [""] * self.symbol_count
        for row, at in enumerate(range(W, len(symbols), W), 1):
            name, parent = names[symbols[at + Symbol.NAME]], symbols[at + Symbol.PARENT]
            qualified[row] = name if parent <= 0 else f"{qualified[parent]}.{name}"  # parents are in earlier rows
            found[qualified[row], symbols[at + Symbol.ORDINAL]] = row
        return found

    def row_in(self, other: IndexedFile, row: int) -> int | None:
        """The row of the same definition in another version of the file; None where it has that no more."""
        if self.stamp.digest == other.stamp.digest or not row:
            return row
        return other.rows_by_name.get((self.qualified_name(row), self.cell(row, Symbol.ORDINAL)))

    def innermost_row(self, line: int) -> int:
        """The row of the innermost definition around a line, from 1; 0 for the file. Cost: the symbols of the file."""
        starts, ends = self.symbols[Symbol.START_LINE :: W].tolist(), self.symbols[Symbol.END_LINE :: W].tolist()
        around = [row for row in range(1, len(starts)) if starts[row] <= line <= ends[row]]
        return min(around, key=lambda row: (ends[row] - starts[row], -row), default=0)

    def innermost_rows(self, lines: Iterable[int]) -> dict[int, int]:
        """`innermost_row` of each line. Cost: the symbols of the file, once for all lines."""
        starts, ends = self.symbols[Symbol.START_LINE :: W].tolist(), self.symbols[Symbol.END_LINE :: W].tolist()
        waiting = sorted(range(1, len(starts)), key=lambda row: (starts[row], -ends[row], row), reverse=True)
        open_rows: list[int] = []
        found: dict[int, int] = {}
        for line in sorted(set(lines)):
            while waiting and starts[waiting[-1]] <= line:
                open_rows.append(waiting.pop())
            while open_rows and ends[open_rows[-1]] < line:
                open_rows.pop()
            found[line] = open_rows[-1] if open_rows else 0
        return found

    def cells(self, row: int) -> memoryview:
        """A row of the symbol table."""
        return self.symbols[row * W : (row + 1) * W]

    def cell(self, row: int, column: int) -> int:
        """A cell of the symbol table."""
        return self.symbols[row * W + column]

    def text_of(self, row: int, column: int) -> str:
        """`Symbol.SIGNATURE` or `Symbol.DOC` of a symbol; "" where there is none."""
        text = self.symbols[row * W + column]
        return self.facts.texts[text] if text >= 0 else ""

    def id_of(self, row: int) -> str:
        """The node ID of a symbol, or of the file itself."""
        return f"{self.own_id}#{self.name_in_id(row)}" if row else self.own_id

    def name_in_id(self, row: int) -> str:
        """What the node ID of a symbol says after `#`; empty for the file itself."""
        return name_in_id(self.qualified_name(row), self.symbols[row * W + Symbol.ORDINAL]) if row else ""

    @cached_property
    def own_id(self) -> str:
        """The node ID of the file."""
        return file_id(self.lang, self.path)

    def name_of(self, row: int) -> str:
        """The bare name of a symbol; row 0, the file itself, has none."""
        return self.facts.names[self.symbols[row * W + Symbol.NAME]]

    def qualified_name(self, row: int) -> str:
        """The dotted chain of enclosing definitions; "" for the file."""
        if not row:
            return ""
        symbols, names = self.symbols, self.facts.names
        if symbols[row * W + Symbol.PARENT] <= 0:
            return names[symbols[row * W + Symbol.NAME]]
        parts: list[str] = []
        while row > 0:
            parts.append(names[symbols[row * W + Symbol.NAME]])
            row = symbols[row * W + Symbol.PARENT]
        return ".".join(reversed(parts))


MARK_BYTES = 16
MARKS = 1 << (8 * MARK_BYTES)


def content_of(files: Iterable[IndexedFile]) -> int:
    """A number that identifies these paths with these contents, whatever their order: below MARKS.

    The number of all is the sum of those of each, so that an edit changes it by that of what it touched.
    """
    total = 0
    for file in files:
        mark = blake2b(file.path.encode("utf-8", "surrogateescape") + b"\0" + file.stamp.digest, digest_size=MARK_BYTES)
        total += int.from_bytes(mark.digest(), "little")
    return total % MARKS
