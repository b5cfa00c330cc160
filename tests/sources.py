"""What tests about the project's own sources ask of a file, found in one walk over its syntax tree."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Source(NamedTuple):
    """One file; lines are 1-based."""

    doc: str
    """The docstring of the module; empty: none."""
    lines: int
    imports: tuple[tuple[str, tuple[str, ...]], ...]
    """A module and the names that are taken from it; none where the module itself is imported."""
    called: frozenset[str]
    """Names that are called without anything before them."""
    compared: tuple[tuple[int, frozenset[str]], ...]
    """Lines of comparisons with the texts that stand in them."""
    caught: frozenset[str]
    """Names of exceptions that are caught."""
    catches_all: bool
    """Whether an `except` names none."""
    mutable: tuple[int, ...]
    """Lines at module level that make a list, a dict or a set that anybody could change."""

    @property
    def imported(self) -> frozenset[str]:
        """Names of modules, and of what is taken from them: `a.b` and `a.b.c` for `from a.b import c`."""
        return frozenset(name for module, names in self.imports for name in (module, *(f"{module}.{n}" for n in names)))


@cache
def read(path: Path) -> Source:
    """Reads a file. Raises SyntaxError, and AssertionError where an import is relative."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    imports: list[tuple[str, tuple[str, ...]]] = []
    called, caught = set[str](), set[str]()
    compared: list[tuple[int, frozenset[str]]] = []
    catches_all = False
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                imports += [(alias.name, ()) for alias in node.names]
            case ast.ImportFrom():
                assert node.level == 0, f"{path}: imports are absolute"
                imports.append((node.module or "", tuple(alias.name for alias in node.names)))
            case ast.Call(func=ast.Name(id=name)):
                called.add(name)
            case ast.Compare():
                constants = [one.value for one in (node.left, *node.comparators) if isinstance(one, ast.Constant)]
                compared.append((node.lineno, frozenset(one for one in constants if isinstance(one, str))))
            case ast.ExceptHandler(type=None):
                catches_all = True
            case ast.ExceptHandler(type=ast.expr() as kind):
                caught |= {one.id for one in ast.walk(kind) if isinstance(one, ast.Name)}
    mutable = tuple(node.lineno for node in tree.body if _is_mutable(node))
    doc = ast.get_docstring(tree) or ""
    return Source(
        doc,
        len(text.splitlines()),
        tuple(imports),
        frozenset(called),
        tuple(compared),
        frozenset(caught),
        catches_all,
        mutable,
    )


def _is_mutable(node: ast.stmt) -> bool:
    match node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None:
        case ast.List() | ast.Set() | ast.Call(func=ast.Name(id="list" | "dict" | "set")):
            return True
    return False
