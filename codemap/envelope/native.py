"""The native dialect, the default format of replies: CONTRACT, section 1.

The order of members is fixed: ok, data or error, tokenBudget, truncated, dropped, warnings. `requested` is the budget
after clamping.
"""

from __future__ import annotations

from typing import Any, TypedDict

import msgspec

from codemap.envelope.answer import Answer, CutList, Dropped, ErrorView, Failure, Spare
from codemap.envelope.cursor import Origin, Position, encode_cursor
from codemap.envelope.fit_budget import Packed, Rest, pack
from codemap.envelope.omissions import by_kind, sentence
from codemap.envelope.reply import Reply
from codemap.envelope.tree import shortened

BUDGET_MIN = 100
"""Tokens."""
BUDGET_MAX = 10_000
BUDGET_DEFAULT = 2_000

CHARS_PER_TOKEN = 4
"""Coarse on purpose: budgeting, not billing."""

KIND_MAX_CHARS = 60
"""Of the joined kinds, where notes are shortened."""

_encode = msgspec.json.Encoder().encode


class Budget(TypedDict):
    """Tokens."""

    requested: int
    used: int
    max: int


class Cut(TypedDict, total=False):
    """The member `dropped`."""

    kind: str
    count: int
    note: str
    cursor: str


class Envelope(TypedDict, total=False):
    """The whole reply; `data` is the tool's own."""

    ok: bool
    data: Any
    error: ErrorView
    tokenBudget: Budget
    truncated: bool
    dropped: Cut
    warnings: list[str]


ALWAYS = ("ok", "tokenBudget", "truncated", "warnings")
"""Members that no reply lacks."""


def clamp(requested: int | None, most: int = BUDGET_MAX) -> int:
    """The budget in force, in tokens, where the tool may have `most`; None is the default."""
    if requested is None:
        return BUDGET_DEFAULT
    return max(BUDGET_MIN, min(most, requested))


def render(
    answer: Answer | Failure, budget: int | None = None, origin: Origin | None = None, most: int = BUDGET_MAX
) -> Reply:
    """The reply within `budget` tokens, `most` at most; without an origin, what is cut gets a note but no cursor."""
    requested = clamp(budget, most)
    match answer:
        case Answer():
            payload, head, lists, resume = answer.data, {"ok": True, "data": None}, answer.lists, answer.resume
            rest = Rest(answer.already_dropped, (), answer.warnings, ())
        case Failure():
            payload, head, lists, resume = answer.error, {"ok": False, "error": None}, (), ()
            rest = Rest((), (), answer.warnings, ())
    is_error = not head["ok"]
    # What is around the payload besides `used`, which has as many digits as `requested` at most.
    fixed = len('{"ok":true,"data":') + 2 * is_error + len(str(requested))

    def room(rest: Rest) -> int:
        until, since = _write_tail(requested, most, _write_dropped(rest, requested, most, origin), rest.warnings)
        return requested * CHARS_PER_TOKEN - fixed - len(until) - len(since)

    packed = pack(payload, lists, resume, rest, room, characters)
    if resume or packed.rest.losses:
        packed = _leave_out_empty(packed, lists)
    return _reply(packed, head, requested, most, origin)


def _leave_out_empty(packed: Packed, lists: tuple[CutList | Spare, ...]) -> Packed:
    """The page without the lists of which it shows nothing, but the last: an empty one would say that there is none."""
    members = {cut.path[0] for cut in lists[:-1] if isinstance(cut, CutList) and len(cut.path) == 1}
    empty = {member for member in members & packed.tree.keys() if not packed.tree[member]}
    if not empty:
        return packed
    tree = {member: value for member, value in packed.tree.items() if member not in empty}
    return Packed(tree, _encode(tree), packed.rest)


def characters(text: bytes) -> int:
    return len(text) if text.isascii() else len(text.decode())


def _reply(packed: Packed, head: dict[str, Any], requested: int, most: int, origin: Origin | None) -> Reply:
    *_, member = head
    before = f'{{"ok":{"true" if head["ok"] else "false"},"{member}":{packed.text.decode()}'
    dropped = _write_dropped(packed.rest, requested, most, origin)
    until, since = _write_tail(requested, most, dropped, packed.rest.warnings)
    used = _count_tokens(len(before) + len(until) + len(since))
    text = f"{before}{until}{used}{since}"
    budget: Budget = {"requested": requested, "used": used, "max": most}
    structured = {
        **head,
        member: packed.tree,
        "tokenBudget": budget,
        "truncated": bool(dropped),
        **({"dropped": dropped} if dropped else {}),
        "warnings": list(packed.rest.warnings),
    }
    return Reply(text, structured, not head["ok"])


def _write_tail(requested: int, most: int, dropped: Cut, warnings: tuple[str, ...]) -> tuple[str, str]:
    """The end of the reply, up to `used` and from it."""
    losses = f'"truncated":true,"dropped":{_encode(dropped).decode()}' if dropped else '"truncated":false'
    until = f',"tokenBudget":{{"requested":{requested},"used":'
    return until, f',"max":{most}}},{losses},"warnings":{_encode(warnings).decode()}}}'


def _count_tokens(chars: int) -> int:
    """Tokens of a text of `chars` characters and the digits of the result."""
    digits = 1
    while len(str(used := -(-(chars + digits) // CHARS_PER_TOKEN))) > digits:
        digits += 1
    return used


def _write_dropped(rest: Rest, requested: int, most: int, origin: Origin | None) -> Cut:
    if not rest.losses and not rest.fixed:
        return {}
    losses = by_kind(rest.fixed + rest.losses)
    kind = ", ".join(loss.kind for loss in losses)
    position = rest.position if origin else ()
    note = _note(losses, position, is_raised=bool(rest.losses) and requested < most)
    if rest.text_max:
        kind = shortened(kind, max(KIND_MAX_CHARS // 2, min(KIND_MAX_CHARS, rest.text_max)))
        note = shortened(note, 3 * rest.text_max)
    dropped: Cut = {"kind": kind, "count": sum(loss.count for loss in losses), "note": note}
    if origin and position:
        dropped["cursor"] = encode_cursor(origin, position)
    return dropped


def _note(losses: list[Dropped], position: Position, *, is_raised: bool) -> str:
    """Per kind the narrowing call; then the cursor; a bigger budget last, when there is one and it would help."""
    sentences = [sentence(loss) for loss in losses]
    if position:
        sentences.append("Or pass cursor for the rest.")
    if is_raised and not losses[-1].note.endswith("tokenBudget"):
        sentences.append("Or raise tokenBudget.")
    return " ".join(sentences)
