"""The rows of a table of metrics: one for each function, class, file or folder of a scope.

Rules of the file:
- What is counted of a class, file or folder is a sum, but for nesting and parameters: the most of any function.
- The cognitive complexity of a function has that of the functions in it, so sums take the outer ones alone; where an
  outer one only declares others, it has none and theirs count.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Set
from typing import Literal, get_args

import msgspec
import numpy as np

from codemap.facts import Symbol
from codemap.graph.index.columns import columns_of
from codemap.graph.index.inheritance import ARE_TYPES
from codemap.graph.model.edges import EdgeKind, Ints, distinct
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.measures import DefinitionMeasures, FileMeasures, FunctionMeasures, attribute
from codemap.metrics.fan_counts import class_units, count_fans, file_units, folder_units, function_units
from codemap.metrics.recursion import recursive_nodes

Unit = Literal["function", "class", "file", "folder"]
UNITS: tuple[Unit, ...] = get_args(Unit)

_SIZES = ("lines", "cyclomatic", "cognitive", "nesting", "parameters")
COLUMNS: Mapping[Unit, tuple[str, ...]] = {
    "function": (*_SIZES, "fanIn", "fanOut"),
    "class": ("functions", *_SIZES, "fanIn", "fanOut"),
    "file": ("code", "functions", "classes", "imports", *_SIZES, "fanIn", "fanOut"),
    "folder": ("files", "code", "functions", "classes", "imports", *_SIZES, "fanIn", "fanOut"),
}
"""The metrics of each unit, in the order that they are shown."""

_LARGEST = frozenset(("nesting", "parameters"))

Values = dict[str, int]


class Row(msgspec.Struct, frozen=True):
    file: IndexedFile | None
    """As measured; None for a folder."""
    row: int
    """Of its symbol table; 0: the file."""
    folder: str
    line: int
    end_line: int
    is_callback: bool
    """Whether it is a function without a name, in what `row` is."""
    values: Values


class Measured(msgspec.Struct, frozen=True):
    """One file of the scope, as it was measured."""

    file: IndexedFile
    """Of the content that was measured: the one in the map, or what was parsed since."""
    measures: FileMeasures


class Table:
    """Makes the rows of files. What the whole map says, recursion and fans, is computed once for all of them."""

    def __init__(self, snapshot: Snapshot, inside: Callable[[int], bool]) -> None:
        """`inside` says whether a row of the map is in the scope."""
        self._snapshot = snapshot
        self._inside = inside
        self._recursive = recursive_nodes(snapshot)
        self._ordered = sorted(self._recursive)
        self._fans: dict[Unit, tuple[Ints, Ints]] = {}

    def rows(self, files: Iterable[Measured], unit: Unit) -> Generator[None, None, list[Row]]:
        """The rows of some files, not in order yet, a file at a time."""
        if unit == "folder":
            return (yield from self._folders(files))
        of_file = {"function": self._functions, "class": self._classes, "file": self._file}[unit]
        found: list[Row] = []
        for one in files:
            found += of_file(one)
            yield
        return found

    def total(self, files: Iterable[Measured]) -> Generator[None, None, Values]:
        """The sums over some files, a file at a time."""
        found: Values = {"files": 0}
        for one in files:
            found["files"] += 1
            _add(found, self._file_values(one))
            yield
        return found

    def _functions(self, one: Measured) -> Iterator[Row]:
        for each in attribute(one.file.symbols, one.measures):
            if self._inside(self._known_row(one.file, each.row)):
                yield self._function(one.file, each)

    def _classes(self, one: Measured) -> Iterator[Row]:
        file = one.file
        kinds = file.symbols.tolist()[Symbol.KIND :: Symbol.WIDTH]
        parents = file.symbols.tolist()[Symbol.PARENT :: Symbol.WIDTH]
        around = [-1] * len(kinds)
        """Of each row: the outermost class that it is in."""
        for row in range(1, len(kinds)):
            above = around[parents[row]] if parents[row] > 0 else -1
            around[row] = above if above >= 0 else row if ARE_TYPES[kinds[row]] else -1
        members: dict[int, list[DefinitionMeasures]] = {row: [] for row in around if row >= 0}
        for each in attribute(file.symbols, one.measures):
            if around[each.row] >= 0:
                members[around[each.row]].append(each)
        for row, its in members.items():
            if self._inside(self._known_row(file, row)):
                first, last = file.cell(row, Symbol.START_LINE), file.cell(row, Symbol.END_LINE)
                values = self._sums(one, [each.measures for each in its]) | {"lines": last - first + 1}
                values["cognitive"] += sum(self._is_recursive(file, each) for each in its)
                yield Row(file, row, "", first, last, False, values | self._fan("class", self._node(file, row)))

    def _file(self, one: Measured) -> Iterator[Row]:
        values = self._file_values(one) | self._fan("file", self._number(one.file))
        yield Row(one.file, 0, "", 1, one.measures.lines, False, values)

    def _file_values(self, one: Measured) -> Values:
        """All but the fans."""
        file, measures = one.file, one.measures
        kinds = file.symbols.tolist()[Symbol.KIND :: Symbol.WIDTH]
        values = self._sums(one, measures.functions)
        values["cyclomatic"] += measures.decisions
        values["cognitive"] += self._recursive_in(file)
        return values | {
            "lines": measures.lines,
            "code": measures.code_lines,
            "classes": int(ARE_TYPES[kinds].sum()),
            "imports": self._imports(file),
        }

    def _folders(self, files: Iterable[Measured]) -> Generator[None, None, list[Row]]:
        paths = [file.path.rpartition("/")[0] for file in self._snapshot.files]
        names = sorted(set(paths))
        numbers = {name: number for number, name in enumerate(names)}
        units = folder_units(self._snapshot, np.array([numbers[path] for path in paths], dtype=np.int32))
        self._fans["folder"] = count_fans(self._snapshot, units, has_imports=True)
        by_folder: dict[str, list[Measured]] = {}
        for one in files:
            by_folder.setdefault(one.file.path.rpartition("/")[0], []).append(one)
        rows = []
        for name, its in by_folder.items():
            values = (yield from self.total(its)) | self._fan("folder", numbers.get(name, -1))
            rows.append(Row(None, 0, f"{name}/" if name else "./", 0, 0, False, values))
        return rows

    def _function(self, file: IndexedFile, each: DefinitionMeasures) -> Row:
        measures, node = each.measures, self._node(file, each.row)
        first, last = measures.line, measures.end_line
        if each.is_definition and each.is_whole:
            first, last = file.cell(each.row, Symbol.START_LINE), file.cell(each.row, Symbol.END_LINE)
        values = {
            "lines": last - first + 1,
            "cyclomatic": measures.cyclomatic,
            "cognitive": measures.cognitive + self._is_recursive(file, each),
            "nesting": measures.nesting,
            "parameters": measures.parameters,
        }
        fan = self._fan("function", node if each.is_definition else -1)
        return Row(file, each.row, "", first, last, not each.is_definition, values | fan)

    def _sums(self, one: Measured, functions: Collection[FunctionMeasures]) -> Values:
        """Without recursion."""
        among = frozenset(functions)
        return {
            "functions": len(functions),
            "cyclomatic": sum(each.cyclomatic for each in functions),
            "cognitive": sum(each.cognitive for each in functions if not _is_counted(one.measures, each, among)),
            "nesting": max((each.nesting for each in functions), default=0),
            "parameters": max((each.parameters for each in functions), default=0),
        }

    def _is_recursive(self, file: IndexedFile, each: DefinitionMeasures) -> bool:
        return each.is_definition and self._node(file, each.row) in self._recursive

    def _recursive_in(self, file: IndexedFile) -> int:
        known = self._snapshot.by_path.get(file.path)
        if known is None:
            return 0
        return bisect_left(self._ordered, known.base + known.symbol_count) - bisect_left(self._ordered, known.base)

    def _fan(self, unit: Unit, number: int) -> Values:
        if number < 0:
            return {"fanIn": 0, "fanOut": 0}
        if unit not in self._fans:
            of = {"function": function_units, "class": class_units, "file": file_units}[unit]
            self._fans[unit] = count_fans(self._snapshot, of(self._snapshot), has_imports=unit == "file")
        ins, outs = self._fans[unit]
        return (
            {"fanIn": int(ins[number]), "fanOut": int(outs[number])} if number < len(ins) else {"fanIn": 0, "fanOut": 0}
        )

    def _known_row(self, file: IndexedFile, row: int) -> int:
        """The row in the map; -1 where the map has not got it."""
        known = self._snapshot.by_path.get(file.path)
        if known is None:
            return -1
        found = row if known.stamp.digest == file.stamp.digest else file.row_in(known, row)
        return -1 if found is None else found

    def _node(self, file: IndexedFile, row: int) -> int:
        found = self._known_row(file, row)
        return self._snapshot.by_path[file.path].base + found if found >= 0 else -1

    def _number(self, file: IndexedFile) -> int:
        node = self._node(file, 0)
        return int(columns_of(self._snapshot).file[node]) if node >= 0 else -1

    def _imports(self, file: IndexedFile) -> int:
        """How many files and packages it imports."""
        known = self._snapshot.by_path.get(file.path)
        if known is None:
            return 0
        edges = self._snapshot.edges
        first, last = int(edges.out_start[known.base]), int(edges.out_start[known.base + known.symbol_count])
        is_import = edges.kind[first:last] == EdgeKind.IMPORTS
        return len(distinct(edges.target[first:last][is_import]))


def _is_counted(measures: FileMeasures, one: FunctionMeasures, among: Set[FunctionMeasures]) -> bool:
    """Whether its cognitive complexity is part of that of a function around it, among some."""
    while one.outer >= 0:
        one = measures.functions[one.outer]
        if one.cognitive and one in among:
            return True
    return False


def _add(found: Values, more: Values) -> None:
    for name, value in more.items():
        found[name] = max(found.get(name, 0), value) if name in _LARGEST else found.get(name, 0) + value
