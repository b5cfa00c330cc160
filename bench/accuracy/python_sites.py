"""Call sites and definitions of Python sources, by the standard library's own parser: independent of tree-sitter."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
CONSTRUCTORS = ("__init__", "__new__")


class CallSite(NamedTuple):
    """A call: where the called name stands (1-based line, 0-based UTF-8 column) and the folded definition around it.

    Decorators, defaults and annotations are part of the definition that they belong to.
    """

    line: int
    column: int
    source: str
    name: str


class Definitions(NamedTuple):
    """Definitions of one file by the place of their name."""

    by_place: Mapping[tuple[int, int], str]
    """(1-based line, 0-based UTF-8 column) -> folded definition."""
    bases: Mapping[str, tuple[str, ...]]
    """Class -> last names of its bases."""


def read(path: str, source: str) -> tuple[list[CallSite], Definitions]:
    """Raises SyntaxError, ValueError."""
    visitor = _Visitor(path, source.encode().split(b"\n"))
    visitor.visit(ast.parse(source))
    return visitor.calls, Definitions(visitor.by_place, visitor.bases)


class _Visitor(ast.NodeVisitor):
    def __init__(self, path: str, lines: list[bytes]) -> None:
        self.path = path
        self.lines = lines
        self.calls: list[CallSite] = []
        self.by_place: dict[tuple[int, int], str] = {}
        self.bases: dict[str, tuple[str, ...]] = {}
        self.signatures: dict[str, str] = {}
        """Qualified name -> place of the first overload signature."""
        self.accessors: dict[str, str] = {}
        """Qualified name -> place of the last definition, which a setter joins."""
        self.stack: list[tuple[str, bool, str]] = []  # (name, is a function, place)

    def folded(self) -> str:
        """The definition here: nested functions are their outermost function or method, a constructor its class."""
        found = self.path
        for name, is_function, place in self.stack:
            if is_function and name in CONSTRUCTORS and found != self.path:
                return found
            found = place
            if is_function:
                return found
        return found

    def visit_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        is_class = isinstance(node, ast.ClassDef)
        line, column = self.place(node)
        col = len(self.lines[line - 1][:column].decode().encode("utf-16-le")) // 2 + 1
        place = f"{self.path}:{line}:{col}"
        key = ".".join([*(name for name, _, _ in self.stack), node.name])
        if _is_signature(node):
            place = self.signatures.setdefault(key, place)
        elif key in self.signatures or _is_setter(node):
            place = self.signatures.get(key) or self.accessors.get(key, place)
        self.accessors[key] = place
        self.stack.append((node.name, not is_class, place))
        self.by_place[line, column] = self.folded()
        if isinstance(node, ast.ClassDef):
            self.bases[self.folded()] = tuple(filter(None, (_last_name(base) for base in node.bases)))
        self.generic_visit(node)
        self.stack.pop()

    visit_FunctionDef = visit_definition  # noqa: N815 - the visitor's own naming
    visit_AsyncFunctionDef = visit_definition  # noqa: N815
    visit_ClassDef = visit_definition  # noqa: N815

    def place(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> tuple[int, int]:
        line = self.lines[node.lineno - 1]
        after = line.index(b"class" if isinstance(node, ast.ClassDef) else b"def", node.col_offset)
        return node.lineno, line.index(node.name.encode(), after + 3)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name):
            self.calls.append(CallSite(function.lineno, function.col_offset, self.folded(), function.id))
        elif isinstance(function, ast.Attribute):
            line, end = function.end_lineno or 0, function.end_col_offset or 0
            self.calls.append(CallSite(line, end - len(function.attr.encode()), self.folded(), function.attr))
        self.generic_visit(node)


def _is_signature(node: ast.stmt) -> bool:
    return any(_last_name(decorator) == "overload" for decorator in getattr(node, "decorator_list", []))


def _is_setter(node: ast.stmt) -> bool:
    return any(
        _last_name(decorator) in {"setter", "deleter", "getter"} for decorator in getattr(node, "decorator_list", [])
    )


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
