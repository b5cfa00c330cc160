"""Which identifiers of a macro's call its rules make names of items: `fn $name(…)` in what a rule expands to.

The first rule that matches the call's tokens is what it expands to, as the compiler chooses it. A fragment of more than
one token (`expr`, `ty`) is taken to end where what the rule has behind it comes next; types may hold `<…>`.

Source: the Rust Reference, "Macros By Example".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from codemap.fact_building.walk import COMMENTS

if TYPE_CHECKING:
    from tree_sitter import Node

ITEMS = frozenset({"fn", "struct", "enum", "union", "trait", "type", "const", "static", "mod"})
"""Words before the name of an item."""
_ONE = frozenset({"ident", "tt", "literal", "lifetime", "block"})
STEPS_MAX = 2_000
"""Tokens that are compared for one call; longer lists of items than that are data."""


class Made(NamedTuple):
    """An item that a macro's call makes."""

    word: str
    """One of ITEMS."""
    name: Node
    has_self: bool
    attributes: str
    """The text in front of the word, back to the item before."""


class _TooLong(Exception):
    pass


def find_made(definition: Node, call: Node) -> list[Made]:
    """The items that a call makes whose names it gives, in order of the names. Cost: STEPS_MAX tokens."""
    budget = [STEPS_MAX]
    for rule in definition.named_children:
        if rule.type != "macro_rule":
            continue
        left, right = rule.child_by_field_name("left"), rule.child_by_field_name("right")
        heads = [] if right is None else list(_heads(right))
        if left is None:
            continue
        bound: dict[str, list[Node]] = {}
        try:
            end = _match(_inside(left), _inside(call), 0, bound, budget)
        except _TooLong:
            return []
        if end == len(_inside(call)):
            made = [
                Made(word, name, has_self, attributes)
                for word, variable, has_self, attributes in heads
                for name in bound.get(variable, ())
                if name.type in ("identifier", "type_identifier")
            ]
            return sorted(made, key=lambda one: one.name.start_byte)
    return []


def _inside(tree: Node) -> list[Node]:
    """What is between the brackets."""
    return [child for child in tree.children[1:-1] if child.type not in COMMENTS]


def _heads(tree: Node) -> Iterator[tuple[str, str, bool, str]]:
    """Word, variable, whether the parameters begin with `self`, and attributes, of each item whose name is a
    variable."""
    children = tree.children
    for at, node in enumerate(children):
        if node.type == "metavariable" and at and children[at - 1].type in ITEMS:
            behind = children[at + 1] if at + 1 < len(children) else None
            while behind is not None and behind.type == "<":
                behind = next((child for child in children[at + 1 :] if child.type == "token_tree"), None)
            words = {child.type for child in behind.children[:4]} if behind is not None else set()
            yield children[at - 1].type, _text(node), "self" in words, _before(children, at - 1)
        elif node.type in ("token_tree", "token_repetition") and not _is_body(children, at):
            yield from _heads(node)


def _before(children: Sequence[Node], at: int) -> str:
    found: list[str] = []
    for node in reversed(children[:at]):
        text = _text(node)
        if text[:1] in (";", "{", "}"):
            break
        found.append(text)
    return "".join(reversed(found))


def _is_body(children: Sequence[Node], at: int) -> bool:
    """Whether braces are the body of a function: items in it are its own."""
    if children[at].type != "token_tree" or _text(children[at].children[0]) != "{":
        return False
    for before in reversed(children[:at]):
        if before.type == "fn":
            return True
        if before.type in (";", "impl", "mod", "trait") or _text(before)[:1] == "{":
            return False
    return False


def _match(
    pattern: Sequence[Node], tokens: Sequence[Node], at: int, bound: dict[str, list[Node]], budget: list[int]
) -> int:
    """Where the tokens end that a pattern takes from `at` on; -1 where it does not fit."""
    for place, part in enumerate(pattern):
        budget[0] -= 1
        if budget[0] < 0:
            raise _TooLong
        kind = part.type
        if kind == "token_repetition_pattern":
            at = _repeat(part, pattern[place + 1 :], tokens, at, bound, budget)
            continue
        if kind == "token_binding_pattern":
            at = _take(part, pattern[place + 1 :], tokens, at, bound)
        elif at >= len(tokens):
            return -1
        elif kind == "token_tree_pattern":
            tree = tokens[at]
            is_like = tree.type == "token_tree" and _text(tree.children[0]) == _text(part.children[0])
            inner = _inside(tree) if is_like else []
            at = at + 1 if is_like and _match(_inside(part), inner, 0, bound, budget) == len(inner) else -1
        else:
            at = at + 1 if _text(tokens[at]) == _text(part) else -1
        if at < 0:
            return -1
    return at


def _repeat(
    part: Node,
    behind: Sequence[Node],
    tokens: Sequence[Node],
    at: int,
    bound: dict[str, list[Node]],
    budget: list[int],
) -> int:
    """Takes what is in `$(…)` as often as it fits."""
    children = part.children
    first = next(place for place, child in enumerate(children) if child.type == "(")
    last = max(place for place, child in enumerate(children) if child.type == ")")
    inner = [child for child in children[first + 1 : last] if child.type not in COMMENTS]
    operator = _text(part)[-1:]
    separator = _text(part)[children[last].end_byte - part.start_byte : -1].strip()
    ends = _literal(behind)
    while at < len(tokens):
        if ends and not _literal(inner) and _text(tokens[at]) == ends:
            break
        found: dict[str, list[Node]] = {}
        end = _match(inner, tokens, at, found, budget)
        if end <= at:
            break
        for name, nodes in found.items():
            bound.setdefault(name, []).extend(nodes)
        at = end
        if operator == "?":
            break
        if separator:
            if at < len(tokens) and _text(tokens[at]) == separator and at + 1 < len(tokens):
                at += 1
            else:
                break
    return at


def _literal(pattern: Sequence[Node]) -> str:
    """The token that a pattern begins with, where it is a plain one."""
    first = pattern[0].type if pattern else ""
    return "" if not first or first.startswith("token_") else _text(pattern[0])


def _take(part: Node, behind: Sequence[Node], tokens: Sequence[Node], at: int, bound: dict[str, list[Node]]) -> int:
    """Takes a fragment; gives where it ends, -1 where there is none."""
    variable, fragment = _text(part.children[0]), _text(part.children[-1])
    if fragment == "vis":
        if at < len(tokens) and _text(tokens[at]).startswith(("pub", "crate")):
            at += 1
            if at < len(tokens) and tokens[at - 1].type == "pub" and _is_scope(tokens[at]):
                at += 1
        return at
    if at >= len(tokens):
        return -1
    if fragment == "ident":
        if tokens[at].child_count or not _text(tokens[at]).replace("r#", "").isidentifier():
            return -1
        bound.setdefault(variable, []).append(tokens[at])
        return at + 1
    if fragment in _ONE:
        return at + 1 + (_text(tokens[at]) == "'")
    ends = {_literal(behind)} if _literal(behind) else {",", ";", "=>"} if fragment in ("expr", "ty", "path") else set()
    start, depth = at, 0
    while at < len(tokens):
        kind = _text(tokens[at])
        if depth <= 0 and kind in ends and at > start:
            break
        if fragment in ("ty", "path"):
            depth += (kind == "<") - (kind == ">") - 2 * (kind == ">>")
        at += 1
    return at


def _is_scope(node: Node) -> bool:
    return node.type == "token_tree" and _text(node).startswith(("(crate", "(super", "(in ", "(self"))


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
