"""The `ctxo` dialect: the payload itself with `_meta` beside its members, within a number of bytes.

Three shapes: the payload with `_meta {totalItems, returnedItems, truncated, totalBytes, hint?}`, the graceful miss
`{found: false, hint}`, which is no error, and `{error: true, message}`. What its seed has no member for and must not be
silent is in `_meta` too: `warnings`, and the `cursor` of the next page.

Hints are stable: the same words for the same tool and kind of loss, without numbers.

Source: CONTRACT, section 6; its first seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from codemap.envelope.answer import Answer, Failure, count_of
from codemap.envelope.cursor import encode_cursor
from codemap.envelope.errors import ErrorCode
from codemap.envelope.fit_budget import Packed, Rest, pack
from codemap.envelope.native import CHARS_PER_TOKEN
from codemap.envelope.omissions import by_kind, next_step
from codemap.envelope.renaming import renamed
from codemap.envelope.reply import Reply, Terms
from codemap.envelope.tree import plain, shortened
from codemap.escapes import escaped

BYTES_MIN = 400
"""A smaller limit is taken for this one: what must be said needs as much."""

LIMIT_VARIABLE = "CTXO_RESPONSE_LIMIT"
"""The environment variable with the limit in bytes."""

NAMES: Mapping[str, str] = MappingProxyType(
    {"impacted": "impactedSymbols", "unused": "deadSymbols", "unusedFiles": "deadFiles"}
)
"""Members of a payload that have another name here: the seed's."""

MISSES = frozenset(
    (ErrorCode.MAP_NOT_BUILT, ErrorCode.NODE_NOT_FOUND, ErrorCode.SYMBOL_NOT_FOUND, ErrorCode.FILE_DELETED)
)
"""What is asked for is not there: that is an answer."""

CONTINUE = "Pass _meta.cursor as cursor for the rest."
MORE = f"Narrow the call, or raise {LIMIT_VARIABLE}."

_encode = msgspec.json.Encoder().encode


def limit_of(text: str | None, otherwise: int) -> int:
    """The limit that the environment sets; what is no positive number sets none."""
    return int(text) if text is not None and text.isdecimal() and int(text) > 0 else otherwise


def render(answer: Answer | Failure, terms: Terms) -> Reply:
    """The reply in at most `terms.bytes_max` bytes, or the caller's own budget where that is less."""
    asked = terms.budget * CHARS_PER_TOKEN if terms.is_budget_asked and terms.budget is not None else terms.bytes_max
    most = max(BYTES_MIN, min(terms.bytes_max, asked))
    if isinstance(answer, Failure):
        return _show_failure(answer, most)
    return _show_answer(answer, terms, most)


def _show_failure(failure: Failure, most: int) -> Reply:
    words = " ".join(part for part in (failure.message, failure.suggestion, failure.advice) if part)
    is_miss = failure.is_miss or failure.code in MISSES
    shape = {"found": False, "hint": ""} if is_miss else {"error": True, "message": ""}
    member = "hint" if is_miss else "message"
    words = escaped(words)
    room = most - len(_encode(shape))
    while len(_encode(words)) - 2 > room:
        words = shortened(words, min(len(words) - 1, room * len(words) // len(_encode(words))))
    structured = shape | {member: words}
    return Reply(_encode(structured).decode(), structured, not is_miss)


def _show_answer(answer: Answer, terms: Terms, most: int) -> Reply:
    answer = renamed(answer, NAMES)
    total_bytes = len(plain(answer.data)[1])
    path, total = _find_largest(answer)

    def room(rest: Rest) -> int:
        meta = _make_meta(rest, terms, total, total, total_bytes)
        return most - len(_encode(meta)) - len(',"_meta":')

    rest = Rest(answer.already_dropped, (), answer.warnings, ())
    packed = pack(answer.data, answer.lists, answer.resume, rest, room, len)
    meta = _make_meta(packed.rest, terms, total, _count(packed, path), total_bytes)
    structured = {**packed.tree, "_meta": meta}
    return Reply(_encode(structured).decode(), structured, is_error=False)


def _find_largest(answer: Answer) -> tuple[tuple[str, ...], int]:
    """The longest of the outer lists that may be cut, and its length; an empty path where there is none."""
    tree = plain(answer.data)[0]
    lengths = [(_count_elements(tree, cut.path), cut.path) for cut in answer.lists if "*" not in cut.path]
    total, path = max(lengths, key=lambda pair: pair[0], default=(0, ()))
    return path, total


def _count(packed: Packed, path: tuple[str, ...]) -> int:
    return _count_elements(packed.tree, path) if path else 0


def _count_elements(node: Any, path: tuple[str, ...]) -> int:
    for step in path:
        node = node.get(step) if isinstance(node, dict) else None
    return count_of(node)


def _make_meta(rest: Rest, terms: Terms, total: int, returned: int, total_bytes: int) -> dict[str, Any]:
    losses = by_kind(rest.fixed + rest.losses)
    meta: dict[str, Any] = {
        "totalItems": total,
        "returnedItems": returned,
        "truncated": bool(losses),
        "totalBytes": total_bytes,
    }
    if losses:
        is_continued = terms.origin is not None and bool(rest.position)
        hint = " ".join(filter(None, (next_step(losses), CONTINUE if is_continued else "", MORE)))
        meta["hint"] = shortened(hint, 3 * rest.text_max) if rest.text_max else hint
        if terms.origin is not None and rest.position:
            meta["cursor"] = encode_cursor(terms.origin, rest.position)
    if rest.warnings:
        meta["warnings"] = list(rest.warnings)
    return meta
