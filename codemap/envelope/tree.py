"""Payloads as trees of JSON values: made plain, and made smaller when no list is left to cut."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

VERBATIM = frozenset(
    {
        "id", "nodeId", "nearestNodeId", "file", "name", "path", "qualifiedName", "from", "to", "uri", "code", "kind",
        "recoveryOptions", "recovery_options", "staleFiles", "emptyBecause", "builtAt", "mapBuiltAt", "package",
        "incident", "diagram",
    }
)  # fmt: skip
"""Members whose strings are of use only whole: they are left out rather than shortened."""

SNIPPET = "snippet"
ELLIPSIS = "…"

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

    What JSON cannot say is left out (non-finite numbers) or replaced (lone surrogates).
    """
    try:
        text = _encode(payload)
        tree = msgspec.to_builtins(payload, str_keys=True)
    except UnicodeEncodeError:
        tree = _cleaned(payload)
        return tree, _encode(tree)
    if text == b"null" or any(null in text for null in _NULLS):
        tree = _cleaned(tree)
        text = _encode(tree)
    return tree, text


def plain_text(text: str) -> str:
    """The text without lone surrogates, which JSON in UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters of JSON text, between the quotes, an ellipsis at the end when cut."""
    if len(text) <= limit and _json_length(text) <= limit:
        return text
    text = text[: limit - 1]
    while (excess := _json_length(text) - (limit - 1)) > 0:
        text = text[: len(text) - max(1, excess // 6)]
    return text + ELLIPSIS


def squeezed(tree: Any, limit: int) -> Squeezed:
    """The tree without snippets, its strings of at most `limit` characters; a limit of 0 shortens none."""
    tally = [0, 0]
    return Squeezed(_squeeze(tree, "", limit, tally), *tally)


def leaves(node: Any) -> int:
    """Scalars and empty containers in the tree."""
    if isinstance(node, dict) and node:
        return sum(map(leaves, node.values()))
    if isinstance(node, list) and node:
        return sum(map(leaves, node))
    return 1


def pruned(tree: Any, survivor: tuple[str, ...], keep: int) -> Any:
    """The first `keep` leaves of the tree, in document order, those of the survivor counted first.

    `survivor` is the path of the list whose only element stays, emptied at the worst; the empty path names none.
    """
    if not survivor:
        return _take(tree, [keep])
    element = tree
    for step in survivor:
        element = element[step]
    element = element[0]
    quota = [keep]
    kept = _take(element, quota) if keep or isinstance(element, dict | list) else element
    if isinstance(kept, str) and not keep:
        kept = shortened(kept, 30)
    return _around(tree, survivor, kept, quota)


def _around(node: dict[str, Any], path: tuple[str, ...], kept: Any, quota: list[int]) -> dict[str, Any]:
    out = {}
    for name, value in node.items():
        if name == path[0]:
            out[name] = [kept] if len(path) == 1 else _around(value, path[1:], kept, quota)
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


def _squeeze(node: Any, name: str, limit: int, tally: list[int]) -> Any:
    if isinstance(node, dict):
        members = {}
        for key, value in node.items():
            if key == SNIPPET:
                tally[0] += 1
            else:
                members[key] = _squeeze(value, key, limit, tally)
        return members
    if isinstance(node, list):
        return [_squeeze(value, name, limit, tally) for value in node]
    if limit and isinstance(node, str) and name not in VERBATIM:
        short = shortened(node, limit)
        tally[1] += short is not node
        return short
    return node


def _cleaned(node: Any) -> Any:
    if isinstance(node, str):
        return plain_text(str(node))
    if isinstance(node, Mapping):
        return {plain_text(str(name)): _cleaned(value) for name, value in node.items() if not _is_null(value)}
    if isinstance(node, list | tuple):
        return [_cleaned(value) for value in node if not _is_null(value)]
    if isinstance(node, msgspec.Struct):
        return _cleaned(_members(node))
    return msgspec.to_builtins(node)


def _members(node: msgspec.Struct) -> dict[str, Any]:
    values = {}
    for field in msgspec.structs.fields(node):
        value = getattr(node, field.name)
        is_default = value == field.default or (field.default_factory in (list, dict, tuple) and not value)
        if value is not msgspec.UNSET and not (node.__struct_config__.omit_defaults and is_default):
            values[field.encode_name] = value
    return values


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _json_length(text: str) -> int:
    return len(_encode(text).decode()) - 2
