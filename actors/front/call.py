"""The one way from a call to its reply, for every front and for the command line.

    decode -> wait or rebuild -> answer from one snapshot -> stat what it mentions -> again if it changed -> render
                                        |       ^
                                     questions, facts

Rules of the file:
- A call ends with a `Reply`, whatever happens; only cancellation goes through.
- All of a call sees one snapshot. A call that finds no map at all, or nothing in a partial one, looks again whenever
  there is more of it, for a moment; one for edges, which a partial map has not, when it is whole.
- A failure that nobody foresaw is INTERNAL with an incident number, under which the log has the traceback.

This is one of the two places that catch `Exception`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec
import trio

from actors.front.freshness import freshen, freshness_warnings, look, look_at_changing
from actors.front.gather import Gathering, version_of
from actors.front.progress import Following
from actors.front.status import status_of
from actors.front.timing import Timer
from actors.indexing.given_up import why_lost
from actors.indexing.latest import Published
from actors.messaging.log import Severity, log, trace
from actors.messaging.messages import Unavailable
from actors.service.service import Service
from codemap.envelope.answer import Answer, Failure
from codemap.envelope.cursor import CursorRefused, Origin, decode_cursor
from codemap.envelope.dialects import DIALECTS, NATIVE
from codemap.envelope.errors import ErrorCode
from codemap.envelope.limits import PROFILES, Limits
from codemap.envelope.reply import Terms
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import BuildProgress, Disk, Replied, Tool, World, budget_of, decode_params
from codemap.tools.view import RETRIED

FIRST_MAP_WAIT_S = 5.0
"""How long a call waits for the very first map before it says that there is none: nearly all repositories are built by
then, and to be told to come back later costs an agent more."""

INCIDENT_BYTES = 4


class Reply(msgspec.Struct, frozen=True):
    text: str
    """What is sent, within its budget."""
    envelope: dict[str, Any]
    """The same object."""
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
) -> Reply:
    """The reply to one call. When cancelled, nothing remains but a rebuild that it may have asked for.

    `following` is kept up to date meanwhile.
    """
    following = following or Following()
    following.service = service
    timer = Timer()
    render = DIALECTS[settings.envelope]
    try:
        answer, terms = await _answer(service, settings, tool, arguments, following, timer)
        if isinstance(answer, Answer) and answer.learned:
            service.learn(answer.learned)
        terms = msgspec.structs.replace(terms, duration_ms=timer.total_ms(), timings=timer.stages_ms())
        weight = answer.weight if isinstance(answer, Answer) else 0
        rendered = await service.renderer.render(partial(render, answer, terms), weight)
        timer.end("render")
    except Exception as error:
        incident = secrets.token_hex(INCIDENT_BYTES)
        log("incident", Severity.ERROR, incident=incident, tool=tool.name, trace=trace(error))
        answer = _internal(error, incident)
        rendered = render(answer, Terms())
    code = answer.code.value if isinstance(answer, Failure) else "ok"
    service.usage.record(tool.name, rendered, answer, service.latest.get())
    return Reply(rendered.text, rendered.structured, rendered.is_error, code, timer.total_ms(), timer.stages_ms())


async def _answer(
    service: Service[Snapshot],
    settings: Settings,
    tool: Tool,
    arguments: Mapping[str, Any],
    following: Following,
    timer: Timer,
) -> tuple[Answer | Failure, Terms]:
    limits = PROFILES[settings.limits]
    given = _with_defaults(tool, settings, arguments)
    terms = Terms(budget_of(given), None, "tokenBudget" in arguments, settings.reply_max_bytes, limits)
    params = decode_params(tool, given, limits)
    timer.end("decode")
    if isinstance(params, Failure):
        return params, terms
    wanted: str = getattr(params, "query", "")
    wait_s: float = getattr(params, "fresh_wait_ms", 0) / 1000
    fresh_by = trio.current_time() + wait_s
    rebuilt: dict[str, Any] = {}
    if tool.needs_rebuild:
        done = await _rebuild(service, params)
        if isinstance(done, Failure):
            return done, terms
        rebuilt = done
    is_late = wait_s > 0 and not tool.needs_rebuild and not await freshen(service, fresh_by)
    timer.end("wait")
    published = service.latest.get()
    questions_by = trio.current_time() + tool.questions_s
    ask = partial(_ask, service, tool, params, limits, rebuilt, questions_by, following, timer)
    asked = await ask(published, is_late)
    if asked.differing and not tool.needs_rebuild:
        # No event has told of these, or not yet.
        await service.notice(asked.differing)
        if wait_s and not is_late:
            is_late = not await freshen(service, fresh_by)
            timer.end("wait")
            published = service.latest.get()
            asked = await ask(published, is_late)
    if published is None and isinstance(asked.answer, Failure) and asked.answer.code is ErrorCode.MAP_NOT_BUILT:
        with trio.move_on_after(FIRST_MAP_WAIT_S):
            await service.wait_begun(wanted)
        timer.end("wait")
        published = service.latest.get()
        asked = await ask(published, is_late)
    whole_by = trio.current_time() + FIRST_MAP_WAIT_S
    is_over = False
    while published is not None and published.is_partial and not is_over:
        service.latest.want_more(wanted)
        if not tool.needs_edges and not _finds_nothing(asked.answer):
            break
        with trio.move_on_at(whole_by) as waiting:
            more = service.wait_built() if tool.needs_edges else service.wait_above(published.version)
            is_over = await more is not None
        timer.end("wait")
        is_over |= waiting.cancelled_caught
        published = service.latest.get()
        asked = await ask(published, is_late)
    if not asked.version:
        return asked.answer, terms
    origin = Origin(tool.name, {**arguments, "rows": given.get("rows", "")}, asked.version)
    return _resumed(asked.answer, params.cursor, origin), msgspec.structs.replace(terms, origin=origin)


def _finds_nothing(answer: Replied) -> bool:
    """Whether the whole map may say what a partial one does not."""
    if isinstance(answer, Failure):
        return answer.code is ErrorCode.NODE_NOT_FOUND
    return isinstance(answer.data, Mapping) and answer.data.get("emptyBecause") == "building"


class _Asked(msgspec.Struct, frozen=True):
    """What the tool says, of files as they are on disk now."""

    answer: Replied
    version: str
    """Of what its cursor continues; empty where there is nothing to continue."""
    differing: frozenset[str] = frozenset()
    """Indexed files that differ from the map though no event has said so."""


async def _ask(
    service: Service[Snapshot],
    tool: Tool,
    params: msgspec.Struct,
    limits: Limits,
    rebuilt: Mapping[str, Any],
    questions_by: float,
    following: Following,
    timer: Timer,
    published: Published[Snapshot] | None,
    is_late: bool,
) -> _Asked:
    lost = why_lost(published)
    snapshot = None if published is None or lost else published.snapshot
    gathering = Gathering(service, snapshot, questions_by, following)
    changing = Disk() if published is None else await look_at_changing(service, published)
    timer.end("stat")
    world = World(
        snapshot=snapshot,
        progress=_progress(service),
        disk=changing,
        status=status_of(service, published) if tool.checks_all_files else {},
        rebuilt=rebuilt,
        warnings=tuple(freshness_warnings(service.watching, is_late)),
        behind=service.behind() or lost,
        root=service.ports.root,
        limits=limits,
    )
    answer = await _answered(tool, world, params, gathering)
    timer.end("answer")
    if published is None:
        return _Asked(answer, _version(gathering, snapshot, answer))
    disk = await look(service, published, tool, params, answer, changing)
    timer.end("stat")
    if disk is not changing:
        answer = await _answered(tool, msgspec.structs.replace(world, disk=disk), params, gathering)
        timer.end("answer")
    news = frozenset() if disk is changing else frozenset(disk.differing) - service.watching.pending.paths
    return _Asked(answer, _version(gathering, snapshot, answer), news)


async def _answered(tool: Tool, world: World, params: msgspec.Struct, gathering: Gathering) -> Replied:
    found = tool.answer(world, params)
    return found if isinstance(found, Answer | Failure) else await gathering.answered(found)


def _version(gathering: Gathering, snapshot: Snapshot | None, answer: Replied) -> str:
    """Answers from facts are continued as long as they are the same, those from the map as long as that is."""
    if gathering.has_facts:
        return version_of(answer) if isinstance(answer, Answer) else ""
    return "" if snapshot is None else snapshot.token


async def _rebuild(service: Service[Snapshot], params: msgspec.Struct) -> dict[str, Any] | Failure:
    """What the rebuild did that the tool is for."""
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
    """The answer from where the cursor says."""
    if not cursor or isinstance(answer, Failure):
        return answer
    try:
        return msgspec.structs.replace(answer, resume=decode_cursor(cursor, origin))
    except CursorRefused as refusal:
        return Failure(ErrorCode.BAD_ARGS, str(refusal))


def _with_defaults(tool: Tool, settings: Settings, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with the settings' word for what was not given."""
    known = tool.params.__struct_encode_fields__
    rows = settings.rows
    if rows == "auto":
        rows = "compact" if settings.envelope == NATIVE else "full"
    defaults = {"tokenBudget": settings.token_budget, "freshWaitMs": settings.fresh_wait_ms, "rows": rows}
    return {name: value for name, value in defaults.items() if name in known} | dict(arguments)


def _progress(service: Service[Snapshot]) -> BuildProgress | None:
    building = service.latest.building
    if building is None:
        return None
    done, total = building.files_done, building.files_total
    return BuildProgress(total, total, done) if building.stage == "graph" else BuildProgress(done, total)


def _internal(error: BaseException, incident: str) -> Failure:
    return Failure(
        ErrorCode.INTERNAL,
        f"An unforeseen {type(error).__name__}, recorded in the log as incident {incident}.",
        extras={"incident": incident},
    )
