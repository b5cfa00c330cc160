"""Bugs to plant in Python functions: one small change of one expression or statement, drawn by chance.

Each is an edit of bytes, so that everything else of a file stays where it was. The kinds are the usual operators of
mutation testing. Source: Jia, Harman: An Analysis and Survey of the Development of Mutation Testing, 2011.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

import msgspec

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Bug(msgspec.Struct, frozen=True):
    kind: str
    line: int
    """Where it stands, from 1."""
    source: bytes
    """The file with it."""


def functions_in(source: bytes) -> Iterator[tuple[int, Function]]:
    """The functions of a file, each with its first line as its code object counts it: that of a decorator."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _FUNCTIONS):
            yield min(one.lineno for one in (node, *node.decorator_list)), node


def draw_bug(source: bytes, function: Function, chance: random.Random) -> Bug | None:
    """A bug in a function's own code, each kind that is possible as likely as another; None where none is."""
    possible: dict[str, list[tuple[ast.stmt | ast.expr, str]]] = {}
    for node in _own_nodes(function):
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            possible.setdefault("condition", []).append((node.test, f"(not ({ast.unparse(node.test)}))"))
        for kind, text in _changes(node):
            possible.setdefault(kind, []).append((node, text))
    if not possible:
        return None
    kind = chance.choice(sorted(possible))
    node, text = chance.choice(possible[kind])
    return Bug(kind, node.lineno, _replace(source, node, text))


def _own_nodes(function: Function) -> Iterator[ast.stmt | ast.expr]:
    """What runs when it is called: without its docstring, annotations and the functions and classes in it."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    waiting: list[ast.AST] = list(body)
    for node in waiting:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.JoinedStr)):
            continue
        if isinstance(node, ast.stmt | ast.expr):
            yield node
        aside = getattr(node, "annotation", None)
        waiting += [child for child in ast.iter_child_nodes(node) if child is not aside]


def _changes(node: ast.stmt | ast.expr) -> Iterator[tuple[str, str]]:
    """(kind, code that replaces the node) of each bug that can be planted in a node."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            yield "comparison", f"({ast.unparse(ast.Compare(left, [_COMPARED[type(op)]()], [right]))})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMPUTED:
            yield "operator", f"({ast.unparse(ast.BinOp(left, _COMPUTED[type(op)](), right))})"
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "and/or", f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "negation", f"({ast.unparse(operand)})"
        case ast.Constant(value=bool() as value):
            yield "boolean", str(not value)
        case ast.Constant(value=int() as value):
            yield "off by one", f"({value + 1})"
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield "return", "return None"
        case ast.Raise():
            yield "dropped raise", "pass"
        case ast.Expr(value=ast.Call()):
            yield "dropped call", "pass"
        case ast.Break():
            yield "loop", "continue"
        case ast.Continue():
            yield "loop", "break"
        case ast.Call(func=func, args=args, keywords=keywords) if len(args) > 1:
            if not any(isinstance(one, ast.Starred) for one in args[:2]):
                swapped = [args[1], args[0], *args[2:]]
                yield "arguments", ast.unparse(ast.Call(func, swapped, keywords))
        case _:
            return


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _replace(source: bytes, node: ast.stmt | ast.expr, text: str) -> bytes:
    """The source with a node's own bytes replaced."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    first = starts[node.lineno - 1] + node.col_offset
    last = starts[node.end_lineno - 1] + node.end_col_offset
    return source[:first] + text.encode() + source[last:]
