"""The `scalpel` dialect: data, the limits profile in force, the time it took, and errors with suggestions.

The outer lists of a payload become `{items, total, page, per_page}`; `next_cursor` beside them continues all of them.
A diagram is called `mermaid_diagram`.
`page * per_page >= total` is true on the last page and on no other. A member without a value is null where the seed
shows it null (`error` of a success, `data` of a failure), and left out elsewhere.

Source: CONTRACT, section 6; its fourth seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from codemap.envelope.answer import Answer, Failure, count_of
from codemap.envelope.cursor import encode_cursor
from codemap.envelope.fit_budget import Packed, Rest, Room, pack
from codemap.envelope.limits import PROFILES
from codemap.envelope.native import BUDGET_MAX, CHARS_PER_TOKEN, characters, clamp
from codemap.envelope.omissions import by_kind, sentence
from codemap.envelope.renaming import renamed
from codemap.envelope.reply import Reply, Terms
from codemap.envelope.tree import plain, shortened
from codemap.escapes import escaped

_encode = msgspec.json.Encoder().encode

NAMES: Mapping[str, str] = MappingProxyType(
    {
        "diagram": "mermaid_diagram",
        "related": "dependencies",
        "findings": "vulnerabilities",
        "riskLevel": "risk_level",
    }
)
"""Members of a payload that have another name here."""

PIECES = "pieces"
"""The list of a payload whose code becomes one text here."""
_EXTRACTION_CHARS = 100
"""What that adds to the payload beyond what it takes from it."""

_PATIENCE_MAX_CHARS = 60
"""Of the warning, where texts are shortened."""


def render(answer: Answer | Failure, terms: Terms) -> Reply:
    """The reply within the budget of tokens."""
    return _show_failure(answer, terms) if isinstance(answer, Failure) else _show_answer(answer, terms)


def _show_failure(failure: Failure, terms: Terms) -> Reply:
    error = {
        "code": failure.code.value,
        "message": failure.message,
        "suggestion": failure.suggestion or failure.advice or None,
        "recovery_options": list(failure.recovery_options) or None,
        "file": failure.file,
        "line": failure.line,
        "language": failure.language,
        **failure.extras,
    }

    def outside(rest: Rest) -> dict[str, Any]:
        warned = {"warnings": list(rest.warnings)} if rest.warnings else {}
        return {"data": None, **warned, **_show_terms(terms, rest, is_cut=False), "error": {}}

    packed = pack(error, (), (), Rest((), (), failure.warnings, ()), _measure_room(terms, outside), characters)
    structured = {**outside(packed.rest), "error": packed.tree}
    return Reply(_encode(structured).decode(), structured, is_error=True)


def _show_answer(answer: Answer, terms: Terms) -> Reply:
    answer = renamed(answer, NAMES)
    totals = dict(_count_lists(answer))
    shown = {path: offset.shown for path, offset in zip(totals, answer.resume, strict=False)}
    page = 1 + (answer.resume[0].pages if answer.resume else 0)

    def outside(rest: Rest) -> dict[str, Any]:
        is_cut = bool(rest.fixed or rest.losses)
        return {"data": {}, **_show_terms(terms, rest, is_cut=is_cut), **_show_status(answer), "error": None}

    def lists(rest: Rest) -> int:
        """What the pages add to the lists, at most."""
        each = sum(len(_encode(_make_page([], total, total, page))) - 2 for total in totals.values())
        each += _EXTRACTION_CHARS * ((PIECES,) in totals)
        return each + len(_encode(_make_members(rest, terms, answer)))

    around = _measure_room(terms, outside)

    def room(rest: Rest) -> int:
        return around(rest) - lists(rest)

    fixed = Rest(answer.already_dropped, (), answer.warnings, ())
    packed = pack(answer.data, answer.lists, answer.resume, fixed, room, characters)
    data = _make_pages(packed, totals, shown, page)
    if PIECES in data:
        data = _shape_extraction(data)
    own_warnings = data.get("warnings", [])
    data |= _make_members(packed.rest, terms, answer)
    if packed.rest.warnings:
        data["warnings"] = [*own_warnings, *data["warnings"]]
    structured = outside(packed.rest) | {"data": data}
    return Reply(_encode(structured).decode(), structured, is_error=False)


def _measure_room(terms: Terms, outside: Callable[[Rest], dict[str, Any]]) -> Room:
    most = clamp(terms.budget) * CHARS_PER_TOKEN

    def room(rest: Rest) -> int:
        return most - characters(_encode(outside(rest)))

    return room


def _show_terms(terms: Terms, rest: Rest, *, is_cut: bool) -> dict[str, Any]:
    limits = terms.limits
    members: dict[str, Any] = {
        "tier_applied": limits.name,
        "tier_limits": {"max_depth": limits.depth_max, "max_nodes": limits.nodes_max},
        "was_limited": is_cut,
    }
    if is_cut:
        members["limitation_warning"] = _warn(terms, rest)
    members["duration_ms"] = round(terms.duration_ms)
    if terms.timings and not rest.text_max:
        members["timing_breakdown"] = {stage: round(took) for stage, took in terms.timings.items()}
    return members


def _warn(terms: Terms, rest: Rest) -> str:
    """What was left out and the next step; the larger profile where a limit of this one bit."""
    words = " ".join(sentence(loss) for loss in by_kind(rest.fixed + rest.losses))
    if terms.origin is not None and rest.position:
        words += " Or pass next_cursor as cursor for the rest."
    if rest.losses and clamp(terms.budget) < BUDGET_MAX:
        words += " Or raise tokenBudget."
    larger = [name for name, limits in PROFILES.items() if limits.nodes_max > terms.limits.nodes_max]
    if larger and any(loss.is_profiled for loss in rest.fixed):
        words += f" The limits profile {larger[0]} reaches further."
    return shortened(words, max(_PATIENCE_MAX_CHARS, 2 * rest.text_max)) if rest.text_max else words


def _show_status(answer: Answer) -> dict[str, Any]:
    return {"status": "partial"} if answer.incomplete else {}


def _make_members(rest: Rest, terms: Terms, answer: Answer) -> dict[str, Any]:
    """Members of `data` that the payload has not."""
    members: dict[str, Any] = {}
    if answer.incomplete:
        words = escaped(answer.incomplete)
        members["incomplete_reason"] = shortened(words, rest.text_max) if rest.text_max else words
    if rest.warnings:
        members["warnings"] = list(rest.warnings)
    if terms.origin is not None and rest.position:
        members["next_cursor"] = encode_cursor(terms.origin, rest.position)
    return members


def _count_lists(answer: Answer) -> Iterator[tuple[tuple[str, ...], int]]:
    """The lengths of the outer lists that may be cut, in declared order."""
    tree = plain(answer.data)[0]
    for cut in answer.lists:
        if "*" not in cut.path and hasattr(cut, "page"):
            node: Any = tree
            for step in cut.path:
                node = node.get(step) if isinstance(node, dict) else None
            yield cut.path, count_of(node)


def _make_pages(
    packed: Packed, totals: dict[tuple[str, ...], int], shown: dict[tuple[str, ...], int], page: int
) -> dict[str, Any]:
    """The payload with each of those lists as a page."""
    tree: dict[str, Any] = packed.tree
    for path, total in totals.items():
        node: Any = tree
        for step in path[:-1]:
            node = node.get(step) if isinstance(node, dict) else None
        items = node.get(path[-1]) if isinstance(node, dict) else None
        if isinstance(items, list | dict):
            listed = items if isinstance(items, list) else ()
            fresh = count_of(items) - sum(isinstance(item, dict) and bool(item.get("continued")) for item in listed)
            node[path[-1]] = _make_page(items, total, shown.get(path, 0) + fresh, page)
    return tree


def _shape_extraction(data: dict[str, Any]) -> dict[str, Any]:
    """The shape of an extraction: the code of all pieces as one text, and around it what each is a piece of."""
    page = data.pop(PIECES)
    codes = [piece.pop("code", "") for piece in page["items"]]
    tokens = sum(piece.pop("tokens", 0) for piece in page["items"])
    return {"extracted_code": "\n\n".join(codes), "token_count": tokens, "context": page, **data}


def _make_page(items: Any, total: int, so_far: int, page: int) -> dict[str, Any]:
    """A page that ends after `so_far` elements of all."""
    is_last = so_far >= total
    per_page = -(-so_far // page) if is_last else so_far // page
    return {"items": items, "total": total, "page": page, "per_page": per_page}
