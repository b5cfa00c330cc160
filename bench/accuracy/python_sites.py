"""Definitions and uses of Python sources, by the standard library's own parser: independent of tree-sitter.

Rules of the file:
- Decorators, defaults and annotations belong to the definition that they stand on.
- Same-named definitions of one body are one: overloads, accessors, branches of a condition. The first stands for all.
- Names in annotations that are strings are uses too, where the string is one plain line.
- A place whose text is not the name is left out: the parser misplaces what stands in some f-strings.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bench.accuracy.edges import Definition, Relation

CONSTRUCTORS = ("__init__", "__new__")

_AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_AnyDefinition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Site(NamedTuple):
    """A use that an oracle can be asked about."""

    line: int
    """1-based."""
    column: int
    """0-based, in UTF-8 bytes."""
    col: int
    """1-based, in UTF-16 code units."""
    source: str
    name: str
    relation: Relation
    is_called_again: bool
    """`f` in `f()()`: both calls stand at the one name."""


Place = tuple[int, int]
"""Line and column, as `Site.line` and `Site.col`."""


class Package(NamedTuple):
    """`from .. import x`: the place of x, and the number of dots."""

    line: int
    col: int
    level: int


class Module(NamedTuple):
    definitions: tuple[Definition, ...]
    sites: tuple[Site, ...]
    chains: Mapping[str, str]
    """Dotted chain of names -> key."""
    packages: tuple[Package, ...]
    """Relative imports without a module name."""
    given: Mapping[str, tuple[Place | None, ...]]
    """Key of a property -> what each `return` of it calls, by place; None: it is no call of a name."""


class _Open(NamedTuple):
    """A definition that is being read."""

    name: str
    is_function: bool
    place: str


def read(path: str, source: str) -> Module:
    """What a source defines and uses. Raises SyntaxError, ValueError."""
    visitor = _Visitor(path, source.encode().split(b"\n"))
    visitor.visit(ast.parse(source))
    packages = tuple(visitor.packages)
    return Module(tuple(visitor.definitions), tuple(visitor.sites), visitor.chains, packages, visitor.given)


class _Visitor(ast.NodeVisitor):
    def __init__(self, path: str, lines: list[bytes]) -> None:
        self.path = path
        self.lines = lines
        self.definitions: list[Definition] = []
        self.sites: list[Site] = []
        self.packages: list[Package] = []
        self.first: dict[tuple[str, ...], str] = {}
        """Chain of names -> place of the first definition of it."""
        self.chains: dict[str, str] = {}
        self.given: dict[str, tuple[Place | None, ...]] = {}
        self.around: list[_Open] = []

    # -- definitions ------------------------------------------------------------------------------------------------

    def visit_definition(self, node: _AnyDefinition) -> None:
        line, column = self.name_place(node)
        own = f"{self.path}:{line}:{self.utf16(line, column)}"
        place = self.first.setdefault((*(outer.name for outer in self.around), node.name), own)
        holder = self.folded() if self.around and not self.around[-1].is_function else ""
        self.around.append(_Open(node.name, not isinstance(node, ast.ClassDef), place))
        self.chains.setdefault(".".join(outer.name for outer in self.around), self.folded())
        self.definitions.append(Definition(own, self.folded(), node.name, holder))
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                self.use(_head(base), Relation.INHERITS)
        else:
            self.annotation(node.returns)
            node.returns = None
            if any(map(_makes_property, node.decorator_list)):
                self.given[self.folded()] = tuple(self.called_place(value) for value in _returned(node))
        node.decorator_list = [decorator for decorator in node.decorator_list if not _is_accessor(decorator)]
        self.generic_visit(node)
        self.around.pop()

    visit_FunctionDef = visit_definition  # noqa: N815 - the visitor's own naming
    visit_AsyncFunctionDef = visit_definition  # noqa: N815
    visit_ClassDef = visit_definition  # noqa: N815

    def folded(self) -> str:
        """The definition here: nested functions are their outermost function or method, a constructor its class."""
        found = self.path
        for outer in self.around:
            if outer.is_function and outer.name in CONSTRUCTORS and found != self.path:
                return found
            found = outer.place
            if outer.is_function:
                return found
        return found

    def called_place(self, node: ast.expr | None) -> Place | None:
        """Where the name stands that a call calls."""
        callee = node.func if isinstance(node, ast.Call) else None
        if isinstance(callee, ast.Name):
            return callee.lineno, self.utf16(callee.lineno, callee.col_offset)
        if isinstance(callee, ast.Attribute):
            line, end = callee.end_lineno or 0, callee.end_col_offset or 0
            return line, self.utf16(line, end - len(callee.attr.encode()))
        return None

    def name_place(self, node: _AnyDefinition) -> tuple[int, int]:
        line = self.lines[node.lineno - 1]
        after = line.index(b"class" if isinstance(node, ast.ClassDef) else b"def", node.col_offset)
        return node.lineno, line.index(node.name.encode(), after + 3)

    # -- uses -------------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Call):
            vars(node.func)["called"] = True
        if "called" in vars(node):
            vars(node.func)["called"] = True
        self.use(node.func, Relation.CALLS)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.use(node, Relation.REFERENCES)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self.use(node, Relation.REFERENCES)
        self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        self.annotation(node.annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.annotation(node.annotation)
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def annotation(self, node: ast.expr | None) -> None:
        if node is None:
            return
        for literal, text in _strings(node):
            for found in self.quoted(literal, text):
                self.visit(found)
        self.visit(node)

    def quoted(self, literal: ast.expr, text: str) -> Iterator[ast.expr]:
        """The expression of a string annotation, at the place where it stands."""
        line = self.lines[literal.lineno - 1]
        start = literal.col_offset + 1
        if line[start - 1 : start] not in (b'"', b"'") or line[start : start + len(text)] != text.encode():
            return
        try:
            expression = ast.parse(text, mode="eval").body
        except SyntaxError:
            return
        for node in ast.walk(expression):
            if isinstance(node, ast.expr):
                node.lineno, node.end_lineno = literal.lineno, literal.lineno
                node.col_offset += start
                node.end_col_offset = (node.end_col_offset or 0) + start
        yield expression

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            last = alias.name.rpartition(".")[2]
            self.add(
                alias.lineno, alias.col_offset + len(alias.name.encode()) - len(last.encode()), last, Relation.IMPORTS
            )

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.add(alias.lineno, alias.col_offset, alias.name, Relation.IMPORTS)
            if node.module is None:
                col = self.utf16(alias.lineno, alias.col_offset)
                self.packages.append(Package(alias.lineno, col, node.level))
        if node.module is None:
            return
        last = node.module.rpartition(".")[2].encode()
        line = self.lines[node.lineno - 1]
        at = line.find(node.module.encode(), line.find(b"from", node.col_offset) + 4)
        if at >= 0:
            self.add(node.lineno, at + len(node.module.encode()) - len(last), last.decode(), Relation.IMPORTS)

    def use(self, node: ast.expr, relation: Relation) -> None:
        """Tells a name or attribute, once: a callee or base is no reference."""
        if relation is not Relation.REFERENCES:
            vars(node)["told"] = True
        elif "told" in vars(node):
            return
        if isinstance(node, ast.Name):
            self.add(node.lineno, node.col_offset, node.id, relation, node)
        elif isinstance(node, ast.Attribute):
            end = node.end_col_offset or 0
            self.add(node.end_lineno or 0, end - len(node.attr.encode()), node.attr, relation, node)

    def add(self, line: int, column: int, name: str, relation: Relation, node: ast.AST | None = None) -> None:
        if column < 0 or line < 1 or self.lines[line - 1][column : column + len(name.encode())] != name.encode():
            return
        source = self.path if relation is Relation.IMPORTS else self.folded()
        is_called_again = node is not None and "called" in vars(node)
        self.sites.append(Site(line, column, self.utf16(line, column), source, name, relation, is_called_again))

    def utf16(self, line: int, column: int) -> int:
        """A 1-based column in UTF-16 code units."""
        return len(self.lines[line - 1][:column].decode().encode("utf-16-le")) // 2 + 1


def _is_accessor(decorator: ast.expr) -> bool:
    """`@size.setter`, which refers to the definition that it stands on."""
    return isinstance(decorator, ast.Attribute) and decorator.attr in {"setter", "deleter", "getter"}


def _makes_property(decorator: ast.expr) -> bool:
    """`@property`, `@functools.cached_property`: reading the member runs the function, calling it does not."""
    name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
    return name.endswith("property")


def _returned(function: ast.AST) -> Iterator[ast.expr | None]:
    """What a function returns, without the functions in it."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.Return):
            yield node.value
        elif not isinstance(node, _AnyFunction):
            yield from _returned(node)


def _head(base: ast.expr) -> ast.expr:
    """`Base` of `Base[T]`."""
    return base.value if isinstance(base, ast.Subscript) else base


def _strings(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner, inner.value
