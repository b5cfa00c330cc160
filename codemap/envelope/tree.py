"""Payloads as trees of JSON values: makes them plain, and shortens their texts when no list is left to cut.

What nobody sees is made visible here, for all dialects, in texts and in names of members; see `codemap.escapes`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Set
from typing import Any

import msgspec

from codemap.envelope.code_rows import read_code_row
from codemap.escapes import escaped, escaped_path, is_plain

VERBATIM = frozenset(
    {
        "id", "nodeId", "nearestNodeId", "file", "name", "path", "qualifiedName", "from", "to", "uri", "code", "kind",
        "recoveryOptions", "recovery_options", "staleFiles", "emptyBecause", "builtAt", "mapBuiltAt", "package",
        "incident", "diagram", "target", "node", "root",
    }
)  # fmt: skip
"""Members whose strings are of use only whole: they are left out rather than shortened."""

SNIPPET = "snippet"
CODE = frozenset((SNIPPET, "code", "bodies"))
"""Members that show code as it is on disk; invisible characters in it are named in a warning. Where one is an object,
its members are named by IDs, and each text begins with a range of lines."""
PATHS = frozenset(("file", "staleFiles", "label", "recoveryOptions", "recovery_options"))
"""Members that a client may give back as a path."""
NAMED_MAX = 3
"""Lines that this warning names."""
ELLIPSIS = "…"
WHOLE_WORDS = 2
"""Of a compact row: the name and the lines."""

_HALVES = "\u200c\u200d\ufe0f"
"""What would be alone at the end of a text that is cut."""

_NULLS = (b":null", b"[null", b",null")
_encode = msgspec.json.Encoder().encode


class Squeezed(msgspec.Struct, frozen=True):
    tree: Any
    snippets: int
    """Snippet members left out."""
    texts: int
    """Strings shortened."""


def plain(payload: Any) -> tuple[Any, bytes]:
    """The payload as fresh dicts and lists of JSON values without null, and its JSON.

    What JSON cannot say is left out (non-finite numbers) or escaped (lone surrogates).
    """
    try:
        text = _encode(payload)
        tree = msgspec.to_builtins(payload, str_keys=True)
    except UnicodeEncodeError:
        tree = _escape_unseen(_clean(payload), "")
        return tree, _encode(tree)
    if text == b"null" or any(null in text for null in _NULLS):
        tree = _clean(tree)
        text = _encode(tree)
    if not is_plain(text):
        tree = _escape_unseen(tree, "")
        text = _encode(tree)
    return tree, text


def unseen_in_code(tree: Any) -> str:
    """A warning of what nobody sees in the code that is shown, with its places; empty where there is nothing."""
    found = list(dict.fromkeys(_find_unseen(tree, "")))
    named = ", ".join(found[:NAMED_MAX]) + (f" and in {len(found) - NAMED_MAX} more" if len(found) > NAMED_MAX else "")
    return (
        f"There are invisible or control characters in the code at {named}: it may not be what it looks like."
        * bool(found)
    )


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters of JSON text, between the quotes, an ellipsis at the end when cut."""
    if len(text) <= limit and _measure_json(text) <= limit:
        return text
    text = text[: limit - 1].rstrip(_HALVES)
    while (excess := _measure_json(text) - (limit - 1)) > 0:
        text = text[: len(text) - max(1, excess // 6)].rstrip(_HALVES)
    return text + ELLIPSIS


def shortened_row(text: str, limit: int) -> str:
    """The words of a compact row that fit in so many characters; its name and lines, the first two, always do."""
    words = text.split(" ")
    while len(words) > WHOLE_WORDS and _measure_json(" ".join(words)) > limit - 1:
        words.pop()
    short = " ".join(words)
    return text if _measure_json(text) <= limit or short == text else f"{short}{ELLIPSIS}"


def squeezed(tree: Any, limit: int, grouped: Set[str] = frozenset()) -> Squeezed:
    """The tree without snippets, its strings of at most `limit` characters; a limit of 0 shortens none.

    `grouped` are the names of members that hold rows in groups: these keep their names and lines.
    """
    tally = [0, 0]
    return Squeezed(_squeeze(tree, "", limit, tally, grouped), *tally)


def leaves(node: Any) -> int:
    """Scalars and empty containers in the tree."""
    if isinstance(node, dict) and node:
        return sum(map(leaves, node.values()))
    if isinstance(node, list) and node:
        return sum(map(leaves, node))
    return 1


def pruned(tree: Any, survivor: tuple[str, ...], keep: int) -> Any:
    """The first `keep` leaves of the tree, in document order, those of the survivor counted first.

    `survivor` is the path of the list whose only element stays, emptied at the worst; the empty path names none. An
    element in a group stays whole, and nothing stays for a `keep` of 0.
    """
    if not survivor:
        return _take(tree, [keep])
    held = tree
    for step in survivor:
        held = held[step]
    groups = list(held) if isinstance(held, dict) else []
    element = (held[groups[0]] if groups else held)[0]
    quota = [keep]
    if groups:
        return _wrap(tree, survivor, {groups[0]: [_take(element, quota)]} if keep else {}, quota)
    kept = _take(element, quota) if keep or isinstance(element, dict | list) else shortened(element, 30)
    return _wrap(tree, survivor, [kept], quota)


def _wrap(node: dict[str, Any], path: tuple[str, ...], kept: Any, quota: list[int]) -> dict[str, Any]:
    """The node with what is kept as the list at a path."""
    out = {}
    for name, value in node.items():
        if name == path[0]:
            out[name] = kept if len(path) == 1 else _wrap(value, path[1:], kept, quota)
        elif quota[0] > 0:
            out[name] = _take(value, quota)
    return out


def _take(node: Any, quota: list[int]) -> Any:
    if isinstance(node, dict) and node:
        members = {}
        for name, value in node.items():
            if quota[0] <= 0:
                break
            members[name] = _take(value, quota)
        return members
    if isinstance(node, list) and node:
        items = []
        for value in node:
            if quota[0] <= 0:
                break
            items.append(_take(value, quota))
        return items
    quota[0] -= 1
    return node


def _squeeze(node: Any, name: str, limit: int, tally: list[int], grouped: Set[str]) -> Any:
    if isinstance(node, dict):
        members = {}
        for key, value in node.items():
            if key == SNIPPET:
                tally[0] += 1
            elif key in CODE and isinstance(value, dict):
                members[key] = value
            elif limit and key in grouped and isinstance(value, dict):
                members[key] = {group: _squeeze_rows(rows, limit, tally) for group, rows in value.items()}
            else:
                members[key] = _squeeze(value, key, limit, tally, grouped)
        return members
    if isinstance(node, list):
        return [_squeeze(value, name, limit, tally, grouped) for value in node]
    if limit and isinstance(node, str) and name not in VERBATIM:
        short = shortened(node, limit)
        tally[1] += short is not node
        return short
    return node


def _squeeze_rows(rows: list[Any], limit: int, tally: list[int]) -> list[Any]:
    short = [shortened_row(row, limit) if isinstance(row, str) else row for row in rows]
    tally[1] += sum(a is not b for a, b in zip(short, rows, strict=True))
    return short


def _clean(node: Any) -> Any:
    if isinstance(node, str):
        return str(node)
    if isinstance(node, Mapping):
        return {str(name): _clean(value) for name, value in node.items() if not _is_null(value)}
    if isinstance(node, list | tuple):
        return [_clean(value) for value in node if not _is_null(value)]
    if isinstance(node, msgspec.Struct):
        return _clean(_list_members(node))
    return msgspec.to_builtins(node)


def _escape_unseen(node: Any, name: str) -> Any:
    """The tree with what nobody sees as escapes, but for code, in which only what JSON cannot say is one."""
    if isinstance(node, str):
        if name in CODE:
            return node.encode("utf-8", "backslashreplace").decode()
        return escaped_path(node) if name in PATHS else escaped(node)
    if isinstance(node, dict):
        return {escaped_path(key): _escape_unseen(value, name if name in CODE else key) for key, value in node.items()}
    return [_escape_unseen(value, name) for value in node] if isinstance(node, list) else node


def _find_unseen(node: Any, file: str) -> Iterator[str]:
    """`file:line` of each line of code with something unseen; `file` is that of the objects around."""
    if isinstance(node, list):
        for value in node:
            yield from _find_unseen(value, file)
    elif isinstance(node, dict):
        file = node.get("file", file)
        for name, value in node.items():
            if name not in CODE:
                yield from _find_unseen(value, file)
            elif isinstance(value, dict):
                yield from _find_unseen_in_rows(value)
            elif isinstance(value, str):
                for number, line in enumerate(value.split("\n"), node.get("line", 1)):
                    if _has_unseen(line, number):
                        yield f"{file}:{number}"


def _has_unseen(line: str, number: int) -> bool:
    """Whether a line of code has something that nobody sees, other than its end and a byte order mark at the start."""
    shown = line.removesuffix("\r")
    shown = shown.removeprefix("\ufeff") if number == 1 else shown
    return escaped(shown) != shown


def _find_unseen_in_rows(code: dict[str, list[str]]) -> Iterator[str]:
    """Of excerpts by ID."""
    for node_id, rows in code.items():
        for row in map(read_code_row, rows):
            yield from (
                f"{node_id.partition('#')[0]}:{number}"
                for number, line in enumerate(row.code.split("\n"), row.lines[0])
                if _has_unseen(line, number)
            )


def _list_members(node: msgspec.Struct) -> dict[str, Any]:
    values = {}
    for field in msgspec.structs.fields(node):
        value = getattr(node, field.name)
        is_default = value == field.default or (field.default_factory in (list, dict, tuple) and not value)
        if value is not msgspec.UNSET and not (node.__struct_config__.omit_defaults and is_default):
            values[field.encode_name] = value
    return values


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _measure_json(text: str) -> int:
    return len(_encode(text).decode()) - 2
