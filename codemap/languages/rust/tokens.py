"""The tokens that a macro is called with, as far as they read like expressions: paths, fields, calls.

What they mean is the macro's to say; but a path or a call in them mostly is one. Names that stand alone are read; what
follows `let`, `|` or a fragment of the macro's own is not looked at more closely.

Source: the Rust Reference, "Macros", "Token trees".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.fact_building.builder import NONE
from codemap.facts import Op, SourceKind, UseRole
from codemap.languages.rust import paths, results
from codemap.languages.rust.macros import macro_uses
from codemap.languages.rust.project.specifiers import CRATE
from codemap.languages.rust.walk import Walk
from codemap.mangled_names import mangle_method

if TYPE_CHECKING:
    from tree_sitter import Node

_READ, _CALL = int(UseRole.REFERENCE), int(UseRole.CALL)
_STARTS = frozenset({"identifier", "self", "crate", "super"})
_BEFORE_NAMES = frozenset({"let", "fn", "struct", "enum", "'", ".", "$", "for"})
_SIGNS = frozenset({"&", "mut", "mutable_specifier", "-", "!", "*"})
_LITERALS = {
    "string_literal": "str",
    "raw_string_literal": "str",
    "char_literal": "char",
    "integer_literal": "i32",
    "float_literal": "f64",
    "boolean_literal": "bool",
}


def values(w: Walk, tree: Node | None) -> list[int]:
    """Visits the tokens between brackets; gives what each part between commas is, NONE for more than a chain."""
    if tree is None:
        return []
    found: list[int] = []
    with w.block():
        _collect(w, tree, found)
    return found


def rule_body(w: Walk, rule: Node) -> None:
    """Visits what a rule of `macro_rules!` expands to: its paths mean what they mean where the macro is defined."""
    values(w, rule.child_by_field_name("right"))


def _collect(w: Walk, tree: Node, found: list[int]) -> int:
    children = tree.children[1:-1]
    at, value, count = 0, NONE, 0
    while at < len(children):
        node = children[at]
        kind = node.type
        if kind == "|":
            at = _parameters(w, children, at)
            continue
        if kind == ",":
            found.append(value if count == 1 else NONE)
            value, count = NONE, 0
            at += 1
            continue
        if kind in _STARTS and not _is_name_of(children, at) and node.start_byte not in w.made:
            value, at = _chain(w, children, at)
            count += 1
            continue
        if kind == "metavariable":
            value, at = _fragment(w, children, at)
            count += 1
            continue
        if kind == "identifier" and _is_bound(children, at):
            w.declare(w.text(node), SourceKind.OPAQUE)
        is_whole = children[at + 1].type == "." if at + 1 < len(children) else False
        value = NONE
        if kind == "token_tree":
            inner = values(w, node)
            value = inner[0] if len(inner) == 1 and node.children[0].type == "(" else NONE
        elif kind in _LITERALS:
            value = w.b.literal(_LITERALS[kind])
        count += kind not in _SIGNS
        at += 1
        if is_whole and (kind == "token_tree" or kind in _LITERALS):
            value, at = _members(w, children, at, value)
    if count:
        found.append(value if count == 1 else NONE)
    return NONE


def _fragment(w: Walk, children: list[Node], at: int) -> tuple[int, int]:
    """Reads `$crate::a::b(…)`, and what is asked of another fragment: `$x.c(…)`."""
    b = w.b
    begin, at = at, at + 1
    names: list[Node] = []
    while at + 1 < len(children) and children[at].type == "::" and children[at + 1].type == "identifier":
        names.append(children[at + 1])
        at += 2
    if not names or w.text(children[begin]) != "$crate":
        return _members(w, children, at, NONE)
    value = w.head(CRATE)
    is_macro = at + 1 < len(children) and children[at].type == "!"
    tree = None if is_macro else _round(children, at)
    for node in names[:-1]:
        value = b.attribute(value, w.text(node))
    value = b.attribute(value, f"{w.text(names[-1])}!" if is_macro else w.text(names[-1]))
    b.use(_READ if tree is None and not is_macro else _CALL, value, names[-1].start_byte)
    if is_macro:
        return NONE, at + 1
    if tree is not None:
        value = results.of_path(w, [w.text(node) for node in names], value, values(w, tree))
        at += 1
    return _members(w, children, at, value)


def _parameters(w: Walk, children: list[Node], at: int) -> int:
    """Binds the parameters of a closure, where the `|` at `at` begins some; gives where they end."""
    if at and w.text(children[at - 1]) not in (",", "=", "move", ";", "=>", "&&", "||"):
        return at + 1
    end = next((place for place in range(at + 1, len(children)) if children[place].type == "|"), at)
    for node in children[at + 1 : end]:
        if node.type == "identifier":
            w.declare(w.text(node), SourceKind.OPAQUE)
    return end + 1


def _is_bound(children: list[Node], at: int) -> bool:
    """Whether a name is that of a local of the macro's own."""
    return at > 0 and children[at - 1].type in ("let", "mutable_specifier", "for")


def _is_name_of(children: list[Node], at: int) -> bool:
    """Whether a name says what an argument is called (`name = value`), or what is bound."""
    behind = children[at + 1].type if at + 1 < len(children) else ""
    before = children[at - 1].type if at else ""
    return behind in ("=", ":") or before in _BEFORE_NAMES


def _chain(w: Walk, children: list[Node], at: int) -> tuple[int, int]:
    """Reads `a::b(…).c(…)?.d[…]`; gives what it is, and where it ends."""
    b = w.b
    names = [children[at]]
    at += 1
    while at + 1 < len(children) and children[at].type == "::":
        if children[at + 1].type in ("identifier", "super", "self", "crate"):
            names.append(children[at + 1])
            at += 2
        elif children[at + 1].type == "<":
            at = _behind(children, at + 1)
        else:
            break
    is_macro = at + 1 < len(children) and children[at].type == "!" and children[at + 1].type == "token_tree"
    tree = _round(children, at)
    taken = paths.Parts(None, names, is_global=False, arguments=[])
    if is_macro:
        macro = macro_uses.meaning(w, taken)
        b.use(_CALL, macro, names[-1].start_byte)
        given = values(w, children[at + 1])
        is_text = macro == NONE and w.text(names[-1]) == "format"
        value = b.literal("String") if is_text else macro_uses.expanded(w, macro, given)
        return _members(w, children, at + 2, value)
    value = paths.resolve_path(w, taken, _READ if tree is None else _CALL, is_value=True)
    if tree is not None:
        value = results.of_path(w, [w.text(node) for node in names], value, values(w, tree))
        at += 1
    return _members(w, children, at, value)


def _members(w: Walk, children: list[Node], at: int, value: int) -> tuple[int, int]:
    """Reads what follows a value: fields, calls of methods, `?` and `[…]`."""
    b = w.b
    while at < len(children):
        kind = children[at].type
        if kind == "?":
            value = b.wrap(Op.ENTER, value)
        elif kind == "token_tree" and children[at].children and children[at].children[0].type == "[":
            values(w, children[at])
            value = b.wrap(Op.INDEX, value)
        elif kind == "." and at + 1 < len(children) and children[at + 1].type in ("identifier", "integer_literal"):
            value, at = _member(w, children, at + 1, value)
            continue
        else:
            break
        at += 1
    return value, at


def _member(w: Walk, children: list[Node], at: int, of: int) -> tuple[int, int]:
    """The field or method whose name is at `at`."""
    b = w.b
    node, name = children[at], w.text(children[at])
    at += 1
    if name == "await":
        return of, at
    after = at
    if at + 1 < len(children) and children[at].type == "::" and children[at + 1].type == "<":
        after = _behind(children, at + 1)
    tree = _round(children, after)
    if tree is None:
        value = b.attribute(of, name)
        if node.type == "identifier":
            b.use(_READ, value, node.start_byte)
        return value, at
    of = w.unknown() if of == NONE else of
    callee = b.attribute(of, mangle_method(name))
    b.use(_CALL, callee, node.start_byte)
    return results.of_method(w, of, name, callee, values(w, tree)), after + 1


def _round(children: list[Node], at: int) -> Node | None:
    """The token tree in round brackets that is at `at`."""
    if at >= len(children) or children[at].type != "token_tree" or not children[at].children:
        return None
    return children[at] if children[at].children[0].type == "(" else None


def _behind(children: list[Node], at: int) -> int:
    """Where the type arguments end that begin with the `<` at `at`."""
    depth = 0
    while at < len(children):
        kind = children[at].type
        depth += (kind == "<") - (kind == ">") - 2 * (kind == ">>")
        at += 1
        if depth <= 0:
            break
    return at
