"""What is written where a call was seen: the name that is called, and whether that is of the package at all.

Of a call that was seen the source may say nothing: a function from outside calls back (`sorted(names, key=f)`,
`object.__setattr__(self, name, value)`), or the wrapper that a decorator puts around a function runs in its place.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

import msgspec

_BUILTINS = frozenset(dir(builtins))
_AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

Range = tuple[int, int, int, int]
"""First and last line, first and last column, in bytes."""


class Written(msgspec.Struct, frozen=True):
    """The callee of a call."""

    name: str
    """Its last name; empty where it has none (`f()()`, `table[key]()`)."""
    is_outside: bool
    """Whether what it begins with is a builtin, or imported from outside the package."""


def written_calls(source: str, own: frozenset[str]) -> dict[Range, Written]:
    """The calls in a source by their range; `own` are the modules at the top of the package."""
    tree = ast.parse(source)
    outside = _outside_names(tree, own)
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            callee, root = node.func, node.func
            while isinstance(root, ast.Attribute):
                root = root.value
            name = (
                callee.attr if isinstance(callee, ast.Attribute) else callee.id if isinstance(callee, ast.Name) else ""
            )
            end = node.end_lineno or 0, node.end_col_offset or 0
            written = Written(name, isinstance(root, ast.Name) and root.id in outside)
            found[node.lineno, end[0], node.col_offset, end[1]] = written
            if isinstance(callee, ast.Attribute):  # the range that Python gives where the receiver is on another line
                line, col = callee.end_lineno or 0, (callee.end_col_offset or 0) - len(callee.attr.encode())
                found[line, end[0], col, end[1]] = written
    return found


def decorated(source: str) -> Iterator[tuple[str, str]]:
    """The names of the definitions of a source, each with the last name of a decorator of it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _AnyFunction):
            for decorator in node.decorator_list:
                head = decorator.func if isinstance(decorator, ast.Call) else decorator
                if isinstance(head, ast.Name | ast.Attribute):
                    yield node.name, head.id if isinstance(head, ast.Name) else head.attr


def own_modules(paths: Iterable[str]) -> frozenset[str]:
    """The modules at the top of an import path, by the paths of their sources on it."""
    return frozenset(path.partition("/")[0].removesuffix(".py") for path in paths)


def _outside_names(tree: ast.AST, own: frozenset[str]) -> frozenset[str]:
    bound: set[str] = set()
    outside: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            outside |= {_bound(alias) for alias in node.names if alias.name.partition(".")[0] not in own}
        elif isinstance(node, ast.ImportFrom):
            is_outside = not node.level and (node.module or "").partition(".")[0] not in own
            (outside if is_outside else bound).update(_bound(alias) for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, _AnyFunction):
            bound.add(node.name)
    return frozenset((outside | _BUILTINS) - bound)


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]
