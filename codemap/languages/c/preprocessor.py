"""Directives: files that are included, and macros.

A macro with parameters is a function, another a variable. What its text names is read where it is, though it means
something only where the macro is used.

Source: ISO/IEC 9899:2018, 6.10 "Preprocessing directives".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.fact_building.walk import visit_children
from codemap.facts import Op, SourceKind, SymbolFlag, SymbolKind, UseRole
from codemap.languages.c.inactive_regions import compiled_children
from codemap.languages.c.keywords import KEYWORDS
from codemap.languages.c.library import LIBRARY
from codemap.languages.c.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL = int(UseRole.CALL)
_READ = int(UseRole.REFERENCE)
_TOKEN = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\.?\d[\w.]*"""
    r"""|(?P<before>(?:->|\.|\#\#?)\s*)?(?P<name>[A-Za-z_]\w*)(?P<after>\s*(?:\(|\#\#))?""",
    re.DOTALL,
)
_NAME = re.compile(r"[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*\Z")
_DECLARED = re.compile(r"[\s\\]*[(;={\[,]")
"""Behind the name of a variable that is declared."""
_TYPE_AT_BEGIN = re.compile(
    r"(?:\A|[;{}(])[\s\\]*(?:(?:const|static|struct)\s+)*[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*\Z"
)
"""A type with which a statement begins."""
_TYPE_MAX, _CALL_MAX = 200, 4_000
"""Characters of a type, and of the arguments of a call behind which a member is asked for."""
_BLANK = frozenset(" \t\r\n\\")
_POINTED = _BLANK | frozenset("*&")
_CONDITIONALS = ("preproc_ifdef", "preproc_if")
_BEFORE_GUARD = ("comment", "preproc_include", "preproc_call")
_NOT_DEFINED = re.compile(r"!\s*defined(?:\s*\(\s*|\s+)(?P<name>\w+)\s*\)?")


def include(w: Walk, node: Node) -> int:
    """`#include`; a specifier in angle brackets keeps them."""
    path = node.child_by_field_name("path")
    if path is None:
        return NONE
    if path.type == "system_lib_string":
        w.b.star_import(w.text(path), path.start_byte)
    elif path.type == "string_literal" and path.end_byte - path.start_byte > 2:
        at = path.start_byte + 1
        w.b.star_import(w.b.text(at, path.end_byte - 1), at)
    else:
        w.value(path)
    return NONE


def macro(w: Walk, node: Node) -> int:
    name_node, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name_node is None:
        return NONE
    name = w.text(name_node)
    if name == w.guard:
        return NONE
    b = w.b
    parameters = node.child_by_field_name("parameters")
    names = [w.text(child) for child in parameters.named_children] if parameters is not None else []
    symbol = b.symbol(
        name,
        SymbolKind.VARIABLE if parameters is None else SymbolKind.FUNCTION,
        parent=b.file,
        at=name_node.start_byte,
        start=node.start_byte,
        end=value.end_byte if value is not None else (parameters or name_node).end_byte,
        flags=(int(SymbolFlag.EXPORTED) if w.is_header else 0) | w.condition(),
        signature=_signature(w, node, value, has_parameters=parameters is not None),
        doc=w.doc(node.start_byte),
    )
    owner, scope = b.owner, b.scope
    b.owner, b.scope = symbol, b.module
    if parameters is not None or name in LIBRARY:
        w.declare_function(name, symbol)
    else:
        w.named.append((name, symbol))
        b.bind(name, SourceKind.SYMBOL, symbol)
    for parameter in names:
        b.parameter(symbol, parameter)
    if value is not None:
        _text(w, value, {name, *names}, symbol)
    b.owner, b.scope = owner, scope
    return NONE


def _signature(w: Walk, node: Node, value: Node | None, *, has_parameters: bool) -> str:
    """A macro with parameters shows them, another its text."""
    if has_parameters and value is not None:
        return w.header(node.start_byte, value.start_byte).rstrip("\\ \n")
    return w.header(node.start_byte, node.end_byte).replace("\\\n", " ")


def _text(w: Walk, value: Node, own: set[str], symbol: int) -> None:
    """Reads the names in a macro's text: those behind `::` in what is before it, members on what is in front of them;
    one that is another's name means what that does."""
    b = w.b
    chars = w.chars[value.start_byte : value.end_byte]
    last = len(chars.rstrip())
    ends: dict[int, int] = {}
    """Where an expression ends -> what it means."""
    objects: dict[str, int] = {}
    """The variables that the text declares."""
    for token in _TOKEN.finditer(chars):
        name, before = token["name"], (token["before"] or "").strip()
        if name is None or name in own or name in KEYWORDS:
            continue
        after = (token["after"] or "").strip()
        if after == "##" or before.startswith("#"):
            continue
        front = _skip_back(chars, token.start(), _BLANK)
        if before:
            head = b.attribute(ends.get(front, NONE), name)
        elif name in objects:
            ends[token.end("name")] = objects[name]
            continue
        elif (made := _made(chars, front, token, ends)) != NONE:
            objects[name] = b.wrap(Op.INSTANCE, made)
            continue
        else:
            head = _named(w, chars, front, name, ends)
        ends[token.end("name")] = head
        b.use(_CALL if after else _READ, head, value.start_byte + token.start("name"))
        if after:
            ends[_closing(chars, token.end() - 1)] = b.call(head)
        is_whole = token.end("name") == last and _NAME.match(chars.strip())
        if is_whole and b.kind_of(symbol) == SymbolKind.VARIABLE:
            b.add_value(symbol, head)


def _named(w: Walk, chars: str, front: int, name: str, ends: Mapping[int, int]) -> int:
    """What a name means behind text that ends at `front`."""
    head = w.b.name(name)
    is_within = chars.startswith("::", front - 2)
    scope = ends.get(_skip_back(chars, front - 2, _BLANK), NONE) if is_within else NONE
    if scope == NONE:
        return head
    member = w.b.attribute(scope, name)
    return member if scope == w.b.name("std") else w.b.either(member, head)


def _made(chars: str, front: int, token: re.Match[str], ends: Mapping[int, int]) -> int:
    """The type that a name is declared with, as another name stands in front of it: `T x(1)`, `T *x = y`; else NONE."""
    type_end = _skip_back(chars, front, _POINTED)
    begin = max(0, type_end - _TYPE_MAX)
    if type_end not in ends or not _TYPE_AT_BEGIN.search(chars, begin, type_end):
        return NONE
    return ends[type_end] if _DECLARED.match(chars, token.end("name")) else NONE


def _skip_back(chars: str, at: int, signs: frozenset[str]) -> int:
    while at > 0 and chars[at - 1] in signs:
        at -= 1
    return at


def _closing(chars: str, opened: int) -> int:
    """Behind the bracket that closes one near it; else the end of the text."""
    depth = 0
    for at in range(opened, min(len(chars), opened + _CALL_MAX)):
        depth += (chars[at] == "(") - (chars[at] == ")")
        if not depth:
            return at + 1
    return len(chars)


def conditional(w: Walk, node: Node) -> int:
    """`#ifdef NAME … #endif` reads the macro, unless it keeps the file from being read twice."""
    is_guard = bool(w.guard) and _name_excluded(w, node) == w.guard
    condition = _find_condition(node)
    w.conditions += not is_guard
    for child in compiled_children(node):
        if child != condition or not is_guard:
            w.value(child)
    w.conditions -= not is_guard
    return NONE


def name_functions(w: Walk) -> None:
    """A macro that gives another name to what other builds have as a function is one too."""
    for name, symbol in w.named:
        known = w.defined.get(f"{w.b.module.number} {name}")
        if known is not None and w.b.kind_of(known) == SymbolKind.FUNCTION:
            w.b.make_function(symbol)


def find_guard(w: Walk, root: Node) -> None:
    """Finds out whether the file is a header: whether it keeps itself from being read twice, be it behind what it
    includes."""
    for child in root.named_children:
        if child.type == "preproc_call":
            w.is_header |= "once" in w.text(child).split()
        elif child.type in _CONDITIONALS:
            name, condition = _name_excluded(w, child), _find_condition(child)
            first = next((each for each in child.named_children if each != condition and each.type != "comment"), None)
            defined = first.child_by_field_name("name") if first is not None and first.type == "preproc_def" else None
            if name and defined is not None and w.text(defined) == name:
                w.guard = name
                w.is_header = True
        if child.type not in _BEFORE_GUARD:
            return


def _name_excluded(w: Walk, node: Node) -> str:
    """The macro in whose absence alone a conditional holds: `#ifndef NAME`, `#if !defined(NAME)`; or empty."""
    condition = _find_condition(node)
    if condition is None or node.type == "preproc_ifdef":
        return w.text(condition) if condition is not None else ""
    match = _NOT_DEFINED.fullmatch(w.text(condition))
    return match["name"] if match is not None else ""


def _find_condition(node: Node) -> Node | None:
    return node.child_by_field_name("name") or node.child_by_field_name("condition")


def directive(w: Walk, node: Node) -> int:
    """A directive that is none of C's, or that means nothing here."""
    if node.child_by_field_name("argument") is None:
        visit_children(w, node)
    return NONE
