"""Changes of parameter lists, planted in sources so that no line moves.

Kinds: `add` a required parameter before the first with a default, `remove` one, `rename` one, `reorder` two neighbours
that are alike, `demand` an argument where there was a default. Bodies are left as they are: the checker's errors there
are not about calls.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from tree_sitter import Node

from codemap.extract.extract import parsed

KINDS = ("add", "remove", "rename", "reorder", "demand")
_LISTS = frozenset({"parameters", "formal_parameters"})
_FUNCTIONS = frozenset({"function_definition", "function_declaration", "method_definition", "arrow_function"})
_PLAIN = frozenset({"identifier", "typed_parameter", "required_parameter"})
_DEFAULTED = frozenset({"default_parameter", "typed_default_parameter", "optional_parameter"})
_NEW = "planted_parameter"


class Planting(msgspec.Struct, frozen=True):
    path: str
    line: int
    """Of the parameter list, from 1."""
    kind: str
    edits: tuple[tuple[int, int, bytes], ...]
    """(start, end, new text) in bytes; the text has as many line breaks as what it replaces."""
    control: tuple[int, int, bytes]
    """Parameters that no call has arguments for: a checker that finds nothing then does not know what is called."""


def plantings(path: str, source: bytes, kind: str) -> Iterator[Planting]:
    """All that can be planted in a file."""
    waiting = [parsed(path, source).root_node]
    while waiting:
        node = waiting.pop()
        waiting += node.named_children
        if node.type in _FUNCTIONS:
            found = next((child for child in node.named_children if child.type in _LISTS), None)
            if found is not None and not found.has_error:
                edits = _edits(path, source, found, kind)
                if edits:
                    yield Planting(path, found.start_point.row + 1, kind, edits, _control(path, source, found))


def chosen(found: Sequence[Planting], count: int, seed: int) -> list[Planting]:
    """Some, evenly from all, of which none is at the same list as another."""
    mixed = list(found)
    random.Random(seed).shuffle(mixed)
    return sorted(mixed[:count], key=lambda one: (one.path, one.edits))


def planted(source: bytes, some: Sequence[Planting]) -> bytes:
    """The source with the edits of several plantings."""
    return edited(source, [edit for one in some for edit in one.edits])


def edited(source: bytes, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    """The source with some stretches replaced, none of which overlap."""
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return source


def _control(path: str, source: bytes, parameters: Node) -> tuple[int, int, bytes]:
    start, end = parameters.start_byte, parameters.end_byte
    lines = b"\n" * source.count(b"\n", start, end)
    if not path.endswith(".py"):
        return start, end, b"(" + b", ".join(b"planted%d: never" % place for place in range(20)) + lines + b")"
    first = next((one.text for one in parameters.named_children[:1] if one.text in (b"self", b"cls")), None)
    return start, end, (b"(" + (first + b", " if first else b"") + b"*, planted_control" + lines + b")")


def _edits(path: str, source: bytes, parameters: Node, kind: str) -> tuple[tuple[int, int, bytes], ...]:
    is_python = path.endswith(".py")
    items = [one for one in parameters.named_children if one.type != "comment"]
    if is_python and items and items[0].text in (b"self", b"cls"):
        first, items = items[0], items[1:]
    else:
        first = None
    if any(one.type not in _PLAIN | _DEFAULTED or _is_rest(one) for one in items):
        items = [one for one in items if one.type in _PLAIN | _DEFAULTED and not _is_rest(one)]
        if kind in ("remove", "reorder"):
            return ()
    required = [one for one in items if one.type in _PLAIN and one.child_by_field_name("value") is None]
    others = [one for one in items if one not in required]
    match kind:
        case "add":
            text = _NEW if is_python else f"{_NEW}: number"
            after = required[-1] if required and required == items[: len(required)] else first if not items else None
            if after is not None:
                return ((after.end_byte, after.end_byte, f", {text}".encode()),)
            if not required and items and items == others:
                return ((items[0].start_byte, items[0].start_byte, f"{text}, ".encode()),)
        case "remove" if len(items) > 1:
            one, after = items[-2], items[-1]
            return ((one.start_byte, after.start_byte, b"\n" * source.count(b"\n", one.start_byte, after.start_byte)),)
        case "rename" if items:
            name = _name(items[-1])
            return () if name is None else ((name.start_byte, name.end_byte, _NEW.encode()),)
        case "reorder" if len(required) > 1 and required == items[: len(required)]:
            one, other = required[-2:]
            texts = one.text, other.text
            if texts[0] and texts[1] and b"\n" not in texts[0] + texts[1]:
                return ((one.start_byte, one.end_byte, texts[1]), (other.start_byte, other.end_byte, texts[0]))
        case "demand" if others:
            return _demanded(source, others[0], is_python=is_python)
    return ()


def _demanded(source: bytes, one: Node, *, is_python: bool) -> tuple[tuple[int, int, bytes], ...]:
    """The first optional parameter without its default."""
    value = one.child_by_field_name("value")
    if value is None:
        mark = next((child for child in one.children if child.type == "?"), None)
        return () if mark is None else ((mark.start_byte, mark.end_byte, b""),)
    named = one.child_by_field_name("type") or one.child_by_field_name("name") or one.child_by_field_name("pattern")
    if named is None or b"\n" in source[named.end_byte : value.end_byte]:
        return ()
    stated = b"" if is_python or one.child_by_field_name("type") is not None else b": any"
    return ((named.end_byte, value.end_byte, stated),)


def _is_rest(one: Node) -> bool:
    return any("splat" in child.type or child.type in ("rest_pattern", "this") for child in one.named_children)


def _name(one: Node) -> Node | None:
    if one.type == "identifier":
        return one
    found = one.child_by_field_name("name") or one.child_by_field_name("pattern")
    found = found or next((child for child in one.named_children if child.type == "identifier"), None)
    return found if found is not None and found.type == "identifier" else None
