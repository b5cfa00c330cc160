"""The definitions of a source by line, as a running program tells them."""

from __future__ import annotations

import ast
from collections.abc import Mapping


class Lines:
    """The definition that the code object of a line belongs to."""

    def __init__(self, path: str, source: str, chains: Mapping[str, str]) -> None:
        self._path = path
        self._spans: list[tuple[int, int, str]] = []
        self._functions: set[int] = set()
        self._add(ast.parse(source), (), chains)

    def key(self, line: int) -> str:
        """The key of the innermost definition around a line."""
        holding = [(end - start, key) for start, end, key in self._spans if start <= line <= end]
        return min(holding)[1] if holding else self._path

    def is_function(self, line: int) -> bool:
        """Whether a function begins there that is a definition or part of one."""
        return line in self._functions

    def _add(
        self, node: ast.AST, chain: tuple[str, ...], chains: Mapping[str, str], *, is_inside: bool = False
    ) -> None:
        """`is_inside`: whether in a function, which a lambda is part of; in a body of a class or module it is part of
        no definition."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                start = min(decorator.lineno for decorator in (*child.decorator_list, child))
                inner = (*chain, child.name)
                self._spans.append((start, child.end_lineno or start, chains[".".join(inner)]))
                if not isinstance(child, ast.ClassDef):
                    self._functions.add(start)
                self._add(child, inner, chains, is_inside=not isinstance(child, ast.ClassDef))
            else:
                if isinstance(child, ast.Lambda) and is_inside:
                    self._functions.add(child.lineno)
                self._add(child, chain, chains, is_inside=is_inside)
