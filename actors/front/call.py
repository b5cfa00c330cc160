"""The one way from a call to its reply, for every front and for the command line.

    decode -> wait or rebuild -> answer from one snapshot -> stat what it mentions -> again if it changed -> render
                                        |       ^
                                     questions, facts

Rules of the file:
- A call ends with a `Reply`, whatever happens; only cancellation goes through.
- A failure that nobody foresaw is INTERNAL with an incident number, under which the log has the traceback.

This is one of the two places that catch `Exception`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Set
from functools import partial
from typing import Any

import msgspec
import trio

from actors.front.answering import answered
from actors.front.progress import Following
from actors.front.timing import Timer
from actors.front.tool_call import Others, ToolCall
from actors.messaging.log import Severity, log, trace
from actors.messaging.messages import Unavailable
from actors.service.service import Service
from codemap.envelope.answer import Answer, Failure
from codemap.envelope.cursor import CursorRefused, Origin, decode_cursor
from codemap.envelope.dialects import DIALECTS, NATIVE
from codemap.envelope.errors import ErrorCode
from codemap.envelope.limits import PROFILES
from codemap.envelope.native import CHARS_PER_TOKEN
from codemap.envelope.reply import Terms
from codemap.graph.model.lost_map import LostMap
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import Tool, budget_of, decode_params
from codemap.tools.view import RETRIED

INCIDENT_BYTES = 4

WITHDRAWN_S = 0.02
"""How long a map that turned out to be lost may still be had: it is withdrawn in the next round of the event loop."""


class Reply(msgspec.Struct, frozen=True):
    text: str
    """The text that is sent, within its budget."""
    envelope: dict[str, Any]
    """The same as an object."""
    is_error: bool
    code: str
    """`ok`, or the code of the error."""
    duration_ms: float
    timings: dict[str, float]
    """Milliseconds by stage."""


async def call(
    service: Service[Snapshot],
    settings: Settings,
    tool: Tool,
    arguments: Mapping[str, Any],
    following: Following | None = None,
    others: Others | None = None,
) -> Reply:
    """Answers one call. When cancelled, nothing goes on but a rebuild that it may have asked for.

    `following` is kept up to date meanwhile. `others` are the other roots that are served.
    """
    following = following or Following()
    following.service = service
    timer = Timer()
    mentioned: Set[str] | None = None
    render = DIALECTS[settings.envelope]
    try:
        asking = partial(_answer, service, settings, tool, arguments, following, timer, others)
        try:
            answer, terms, mentioned = await asking()
        except LostMap:
            await trio.sleep(WITHDRAWN_S)
            answer, terms, mentioned = await asking()
        if isinstance(answer, Answer) and answer.learned:
            service.learn(answer.learned)
        if settings.envelope != NATIVE:  # which has no room for them
            terms = msgspec.structs.replace(terms, duration_ms=timer.total_ms(), timings=timer.stages_ms())
        weight = answer.weight if isinstance(answer, Answer) else 0
        rendered = await service.renderer.render(partial(render, answer, terms), weight)
        timer.end("render")
    except LostMap as lost:
        answer = Failure(ErrorCode.MAP_NOT_BUILT, f"The stored map is built anew: {lost}.", hint=RETRIED)
        rendered = render(answer, Terms())
    except Exception as error:
        incident = secrets.token_hex(INCIDENT_BYTES)
        log("incident", Severity.ERROR, incident=incident, tool=tool.name, trace=trace(error))
        answer = _internal(error, incident)
        rendered = render(answer, Terms())
    code = answer.code.value if isinstance(answer, Failure) else "ok"
    service.usage.record(tool.name, rendered, answer, service.latest.get(), mentioned)
    return Reply(rendered.text, rendered.structured, rendered.is_error, code, timer.total_ms(), timer.stages_ms())


async def _answer(
    service: Service[Snapshot],
    settings: Settings,
    tool: Tool,
    arguments: Mapping[str, Any],
    following: Following,
    timer: Timer,
    others: Others | None,
) -> tuple[Answer | Failure, Terms, Set[str] | None]:
    """The answer, the conditions of its reply, and the files that it speaks of, where they were looked for."""
    limits = PROFILES[settings.limits]
    given = _with_defaults(tool, settings, arguments)
    budget = budget_of(given, tool.budget_max)
    is_asked = "tokenBudget" in arguments
    terms = Terms(budget, None, is_asked, settings.reply_max_bytes, limits, budget_max=tool.budget_max)
    params = decode_params(tool, given, limits)
    timer.end("decode")
    if isinstance(params, Failure):
        return params, terms, None
    wait_s: float = getattr(params, "fresh_wait_ms", 0) / 1000
    fresh_by = trio.current_time() + wait_s if wait_s else None
    rebuilt = await _rebuild(service, params) if tool.needs_rebuild else {}
    if isinstance(rebuilt, Failure):
        return rebuilt, terms, None
    is_first = settings.envelope == NATIVE and not params.cursor
    page_chars = budget * CHARS_PER_TOKEN if is_first else 0
    beyond, wanted = (None, params) if others is None else others.of_call(params)
    asking = ToolCall(service, tool, wanted, limits, following, timer, page_chars, beyond, fresh_by)
    asked = await answered(asking, rebuilt)
    if not asked.version:
        return asked.answer, terms, asked.mentioned
    origin = Origin(tool.name, {**arguments, "rows": given.get("rows", "")}, asked.version)
    answer = _resumed(asked.answer, params.cursor, origin)
    return answer, msgspec.structs.replace(terms, origin=origin), asked.mentioned


async def _rebuild(service: Service[Snapshot], params: msgspec.Struct) -> dict[str, Any] | Failure:
    """Rebuilds the map for `map_rebuild`, and says what was done."""
    rebuilt = await service.rebuild(getattr(params, "scope", ""))
    if isinstance(rebuilt, Unavailable):
        return Failure(
            ErrorCode.MAP_NOT_BUILT,
            f"The map cannot be brought up to date for now: {rebuilt.reason}.",
            hint=RETRIED,
        )
    return {
        "filesScanned": rebuilt.files_scanned,
        "filesExtracted": rebuilt.files_extracted,
        "filesDeleted": rebuilt.files_deleted,
        "durationMs": rebuilt.duration_ms,
        "cold": rebuilt.is_cold,
    }


def _resumed(answer: Answer | Failure, cursor: str, origin: Origin) -> Answer | Failure:
    """Continues the answer where the cursor says."""
    if not cursor or isinstance(answer, Failure):
        return answer
    try:
        return msgspec.structs.replace(answer, resume=decode_cursor(cursor, origin))
    except CursorRefused as refusal:
        return Failure(ErrorCode.BAD_ARGS, str(refusal))


def _with_defaults(tool: Tool, settings: Settings, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Adds the defaults of the settings to the arguments."""
    known = tool.params.__struct_encode_fields__
    rows = settings.rows
    if rows == "auto":
        rows = "compact" if settings.envelope == NATIVE else "full"
    defaults = {"tokenBudget": settings.token_budget, "freshWaitMs": settings.fresh_wait_ms, "rows": rows}
    return {name: value for name, value in defaults.items() if name in known} | dict(arguments)


def _internal(error: BaseException, incident: str) -> Failure:
    return Failure(
        ErrorCode.INTERNAL,
        f"An unforeseen {type(error).__name__}, recorded in the log as incident {incident}.",
        extras={"incident": incident},
    )
