"""Type checkers as oracles: the calls that they find wrong, by the line of the name that is called."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tree_sitter import Node

from bench.corpora import PROJECT
from codemap.extract.extract import parsed

TY = PROJECT / ".cache" / "servers" / "python" / "bin" / "ty"
TSC = PROJECT / ".cache" / "servers" / "typescript" / "node_modules" / "typescript" / "bin" / "tsc"
COUNTS = frozenset(
    (
        *("missing-argument", "too-many-positional-arguments", "unknown-argument", "parameter-already-assigned"),
        *("positional-only-parameter-as-kwarg", "TS2554", "TS2555", "TS2575"),
    )
)
"""Errors of counts and names: arguments that cannot fit, whatever their types are."""
TYPES = frozenset({"invalid-argument-type", "no-matching-overload", "TS2345", "TS2322", "TS2769"})
_AT_CALLS = frozenset({"missing-argument", "no-matching-overload"})
"""Errors that are reported at a whole call; others are at an argument, which may be a call itself."""
_CALLS = frozenset({"call", "call_expression", "new_expression"})
_TSC_LINE = re.compile(r"(.+?)\((\d+),(\d+)\): error (TS\d+): ")
_TY_OPTIONS = (
    *("--output-format", "gitlab", "--exit-zero", "--python-version", "3.12"),
    *("-c", "analysis.respect-type-ignore-comments=false"),
)
_TSC_OPTIONS = (
    *("--noEmit", "--pretty", "false", "--skipLibCheck", "--target", "es2022", "--module", "esnext", "--strict"),
    *("--moduleResolution", "bundler", "--jsx", "preserve", "--allowImportingTsExtensions"),
)

Error = tuple[str, str, int]
"""(rule, file, line of the name that is called)."""


def errors_of(root: Path, files: Mapping[str, bytes]) -> set[Error]:
    """The errors at calls of the files below a folder, of both kinds."""
    is_python = any(path.endswith(".py") for path in files)
    found = _of_ty(root) if is_python else _of_tsc(root, files)
    trees: dict[str, Node] = {}
    kept: set[Error] = set()
    for rule, path, start, end in found:
        if rule in COUNTS | TYPES and path in files:
            if path not in trees:
                trees[path] = parsed(path, files[path]).root_node
            line = _called_at(trees[path], start, end, is_whole=rule in _AT_CALLS)
            if line:
                kept.add((rule, path, line))
    return kept


Point = tuple[int, int]
"""(row, column) from 0."""


def _of_ty(root: Path) -> Iterator[tuple[str, str, Point, Point]]:
    with tempfile.NamedTemporaryFile(suffix=".toml") as config:  # in place of what the package switches off
        words = [str(TY), "check", "--config-file", config.name, *_TY_OPTIONS, "."]
        done = subprocess.run(words, cwd=root, check=False, capture_output=True, text=True)
    for one in json.loads(done.stdout):
        place = one["location"]
        begin, end = place["positions"]["begin"], place["positions"]["end"]
        path = Path(place["path"])
        path = path.relative_to(root) if path.is_absolute() else path
        yield (
            one["check_name"],
            path.as_posix(),
            (begin["line"] - 1, begin["column"] - 1),
            (end["line"] - 1, end["column"] - 1),
        )


def _of_tsc(root: Path, files: Mapping[str, bytes]) -> Iterator[tuple[str, str, Point, Point]]:
    words = ["node", str(TSC), *_TSC_OPTIONS, *sorted(files)]
    done = subprocess.run(words, cwd=root, check=False, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        match = _TSC_LINE.match(line)
        if match:
            point = int(match[2]) - 1, int(match[3]) - 1
            yield match[4], match[1], point, point


def _called_at(root: Node, start: Point, end: Point, *, is_whole: bool) -> int:
    """The line of the name that is called in the call that an error is about; 0 where it is about none.

    An error is reported at the whole call (`is_whole`), at its callee, or at an argument.
    """
    node = root.descendant_for_point_range(start, max(start, end))
    while node is not None:
        around = node
        if around.type in _CALLS:
            callee = around.child_by_field_name("function") or around.child_by_field_name("constructor")
            arguments = around.child_by_field_name("arguments")
            is_this = is_whole and _point(around.start_point) == start and _point(around.end_point) == end
            is_new = around.type == "new_expression" and _point(around.start_point) == start
            is_called = is_new or (callee is not None and start == end and _point(_last(callee).start_point) == start)
            is_inside = arguments is not None and _point(arguments.start_point) <= start < _point(arguments.end_point)
            if callee is not None and (is_this or is_called or is_inside):
                return _last(callee).start_point.row + 1
        node = node.parent
    return 0


def _last(callee: Node) -> Node:
    """The name that is called: the last one of a member access."""
    for field in ("attribute", "property"):
        found = callee.child_by_field_name(field)
        if found is not None:
            return found
    return callee


def _point(point: tuple[int, int]) -> Point:
    return point[0], point[1]
