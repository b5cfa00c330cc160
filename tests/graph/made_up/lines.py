"""A made-up language, a line a statement; the grammar that it names is not looked at.

package a.b          the file belongs to it
include x.inc        its top level is seen
use a.b              names of the package are seen
proto f              declares f
def f: g h.i         f is a function that calls g and h.i
class C(B): m n      a class of a base, with methods that call one another
part C(B): o         a part of what is called C in the package
x: C                 a variable of that type
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.facts import ScopeKind, SourceKind, SymbolFlag, SymbolKind, UseRole

if TYPE_CHECKING:
    from codemap.fact_building.builder import Builder

_CLASS = re.compile(r"(class|part) (\w+)(?:\((\w+)\))?:(.*)")


def read(b: Builder) -> None:
    """Tells the builder what the lines of its source say."""
    at = 0
    text = b.source.decode("utf-8", "replace")
    packages = re.findall(r"(?m)^package (\S+)", text)
    for package in packages[:1]:
        b.package(package)
        b.implicit_import(package)
    for line in text.split("\n"):
        start, at = at, at + len(line.encode()) + 1
        word, _, rest = line.partition(" ")
        if word in ("include", "use") and rest:
            b.star_import(rest, start)
        elif word == "proto" and rest:
            symbol = _define(b, rest, SymbolKind.FUNCTION, b.file, start, start + len(line))
            b.declaration(symbol)
        elif word == "def":
            name, _, calls = rest.partition(":")
            _function(b, name, SymbolKind.FUNCTION, b.file, start, start + len(line), calls)
        elif match := _CLASS.match(line):
            _class(b, match, start, start + len(line))
        elif ":" in line:
            name, _, type_ = line.partition(":")
            symbol = _define(b, name.strip(), SymbolKind.VARIABLE, b.file, start, start + len(line))
            b.set_type(symbol, b.name(type_.strip()))


def _define(b: Builder, name: str, kind: SymbolKind, parent: int, start: int, end: int) -> int:
    symbol = b.symbol(name, kind, parent=parent, at=start, start=start, end=end, flags=SymbolFlag.EXPORTED)
    b.bind(name, SourceKind.SYMBOL, symbol)
    return symbol


def _function(b: Builder, name: str, kind: SymbolKind, parent: int, start: int, end: int, calls: str) -> None:
    symbol = _define(b, name, kind, parent, start, end)
    owner, scope = b.owner, b.scope
    b.owner = symbol
    b.open_scope(ScopeKind.FUNCTION, symbol)
    if kind == SymbolKind.METHOD:
        b.bind("self", SourceKind.SELF, parent)
    for called in calls.split():
        first, *rest = called.split(".")
        value = b.name(first)
        for part in rest:
            value = b.attribute(value, part)
        b.use(UseRole.CALL, value, start)
    b.owner, b.scope = owner, scope


def _class(b: Builder, match: re.Match[str], start: int, end: int) -> None:
    word, name, base, methods = match.groups()
    symbol = _define(b, name, SymbolKind.CLASS, b.file, start, end)
    if word == "part":
        b.part(symbol, name)
    if base:
        b.base(symbol, UseRole.EXTENDS, b.name(base), start)
    scope = b.scope
    b.open_scope(ScopeKind.CLASS, symbol)
    listed = methods.split()
    for method in listed:
        others = " ".join(f"self.{other}" for other in [*listed, "common"] if other != method)
        _function(b, method, SymbolKind.METHOD, symbol, start, end, others)
    b.scope = scope
