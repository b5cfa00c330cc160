"""`map_findings`: what security and lint tools report, by definition, and how each place is reached.

Findings come from reports (SARIF) or from a tool that is run with codemap's configuration; none is made up here. What
a tool cannot say is added: whether an entry of a program leads there or only tests do, by which path, and how surely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Literal, TypedDict, cast

import msgspec
from msgspec import Meta

from codemap.envelope.answer import Answer, CutList, Failure, Spare
from codemap.envelope.errors import ErrorCode
from codemap.findings.exposure import Exposure, Exposures, Reached
from codemap.findings.finding import Report, Run, Severity
from codemap.findings.places import Finder, Spot
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Found, ReportOf, Source, SourceNow
from codemap.tools.compact import FoldedCounts
from codemap.tools.findings.entries import entry_nodes
from codemap.tools.findings.rows import FindingView, Placed, finding_text, finding_view
from codemap.tools.outputs import one_of
from codemap.tools.params import MapListParams
from codemap.tools.row_selection import Place, folded_counts, place_of, sift
from codemap.tools.tool import SLOW_LIVE_S, Asking, Replied, Spans, Tool, World
from codemap.tools.view import EmptyBecause, empty_because, map_incomplete, map_warnings, not_built

FILES_READ_MAX = 50
"""For columns."""
RISKS = ("CRITICAL", "HIGH", "MEDIUM", "UNKNOWN", "LOW", "NONE")
_RANK: dict[Reached, int] = {"entry": 0, "callers": 1, "none": 2, "tests": 3}

SUFFIXES = {"ruff": (".py", ".pyi"), "bandit": (".py",)}
"""Of the files that a tool looks at which does not say so: it takes none for another reason than the map does."""
Program = Literal["none", "ruff", "bandit", "eslint"]


class Params(MapListParams, frozen=True, kw_only=True):
    sarif: Annotated[str, Meta(description="Path of a SARIF report")] = ""
    run: Annotated[Program, Meta(description="Instead: run this tool")] = "none"


class ToolView(TypedDict, total=False):
    tool: str
    version: str
    failed: bool
    problems: list[str]


class Payload(TypedDict, total=False):
    riskLevel: Annotated[str, one_of(RISKS)]
    summary: dict[str, int]
    reached: dict[str, int]
    findings: list[FindingView | str]
    tools: list[ToolView]
    notScanned: dict[str, int]
    unplaced: dict[str, int]
    folded: FoldedCounts
    onlyIn: list[str]
    emptyBecause: EmptyBecause


_NARROW = "pass fileFilter"
LISTS: tuple[CutList | Spare, ...] = (
    CutList(("onlyIn",), "roles", _NARROW),
    Spare(("folded",), "folded counts", "pass tests:only"),
    Spare(("reached",), "counts", "pass a larger tokenBudget"),
    CutList(("tools",), "tools", "pass a larger tokenBudget", keep=1),
    CutList(("findings",), "findings", _NARROW),
)


def answer(world: World, params: Params) -> Asking[Replied]:
    """The findings of a report, the most severe first."""
    snapshot = world.snapshot
    if snapshot is None:
        return not_built(world)
    program = "" if params.run == "none" else params.run
    if bool(params.sarif) == bool(program):
        message = "Pass sarif, the path of a report, or run, the name of a tool; one of them."
        return Failure(ErrorCode.BAD_ARGS, message)
    (fact,) = yield (ReportOf(params.sarif, program),)
    if not isinstance(fact, Found):
        what = f"sarif: {params.sarif}" if params.sarif else f"run: {params.run}"
        return Failure(ErrorCode.BAD_ARGS, f"{what}: {fact.message}.", hint=fact.hint or None)
    report: Report = fact.value
    finder = Finder(snapshot, world.root)
    spots = [finder.spot(finding) for finding in report.findings]
    lines = yield from _lines(spots if params.rows == "full" else ())
    return _answer(world, snapshot, params, report, finder, [_with_utf16(spot, lines) for spot in spots])


def _lines(spots: Sequence[Spot]) -> Asking[dict[str, Sequence[str]]]:
    """The lines of files in which columns count characters."""
    paths = dict.fromkeys(spot.path for spot in spots if spot.node >= 0 and not spot.finding.is_utf16)
    wanted = tuple(islice(paths, FILES_READ_MAX))
    facts = (yield tuple(map(Source, wanted))) if wanted else ()
    return {
        path: fact.value.lines
        for path, fact in zip(wanted, facts, strict=True)
        if isinstance(fact, Found) and isinstance(fact.value, SourceNow)
    }


def _with_utf16(spot: Spot, lines: Mapping[str, Sequence[str]]) -> Spot:
    """The same with a column that counts UTF-16 code units; without one where the line is not known."""
    finding = spot.finding
    if finding.is_utf16 or not finding.col:
        return spot
    texts = lines.get(spot.path, ())
    text = texts[finding.line - 1] if 0 < finding.line <= len(texts) else None
    col = 0 if text is None else len(text[: finding.col - 1].encode("utf-16-le", "surrogatepass")) // 2 + 1
    return msgspec.structs.replace(spot, finding=msgspec.structs.replace(finding, col=col, is_utf16=True))


def _answer(
    world: World, snapshot: Snapshot, params: Params, report: Report, finder: Finder, spots: Sequence[Spot]
) -> Answer:
    exposures = Exposures(snapshot, entry_nodes(snapshot))
    known: dict[int, Exposure] = {}
    rows: list[Placed] = []
    for spot in spots:
        if spot.node >= 0 and spot.node not in known:
            known[spot.node] = exposures.of(spot.node)
        rows.append(Placed(spot, known.get(spot.node)))
    sifted = sift(rows, lambda row: _place(snapshot, row.spot), params)
    shown = sorted(sifted.rows, key=_order)
    open_ones = [row for row in shown if not row.spot.finding.is_suppressed]
    counts = Counter(row.spot.finding.severity for row in open_ones)
    data: Payload = {
        "riskLevel": RISKS[min(counts, default=Severity.INFO)],
        "summary": {one.name.lower(): counts[one] for one in Severity if counts[one] or one is not Severity.UNKNOWN},
        "reached": dict(Counter(row.exposure.reached for row in open_ones if row.exposure is not None)),
    }
    if suppressed := len(shown) - len(open_ones):
        data["summary"]["suppressed"] = suppressed
    is_full = params.rows == "full"
    data["findings"] = [
        finding_view(world, snapshot, row) if is_full else finding_text(world, snapshot, row) for row in shown
    ]
    data["tools"] = [_tool(run) for run in report.runs]
    warnings = [*map_warnings(world, snapshot), *_warnings(report)]
    _add_scanned(snapshot, params, finder, report, data, warnings)
    if unplaced := Counter(row.spot.why for row in shown if row.spot.node < 0):
        data["unplaced"] = dict(unplaced.most_common())
    if sifted.folded:
        data["folded"] = cast("FoldedCounts", folded_counts(sifted.folded))
    if sifted.only:
        data["onlyIn"] = list(sifted.only)
    if not shown:
        data["emptyBecause"] = empty_because(world, snapshot, sifted.hidden)
    incomplete = map_incomplete(world, snapshot)
    if failed := [run.tool for run in report.runs if not run.is_successful]:
        incomplete = incomplete or f"{', '.join(failed)} did not end well: there may be more."
    named = frozenset(row.spot.path for row in shown if row.spot.node >= 0)
    return Answer(data, LISTS, tuple(warnings), incomplete=incomplete, rests_on=named)


def _place(snapshot: Snapshot, spot: Spot) -> Place:
    return place_of(snapshot, spot.node) if spot.node >= 0 else Place()


def _order(row: Placed) -> tuple[bool, int, int, str, int, str]:
    finding = row.spot.finding
    reached = _RANK[row.exposure.reached] if row.exposure is not None else len(_RANK)
    return finding.is_suppressed, finding.severity, reached, row.spot.path, finding.line, finding.rule


def _warnings(report: Report) -> list[str]:
    found = [
        f"{run.tool} did not end well: there may be findings that it does not report."
        for run in report.runs
        if not run.is_successful
    ]
    if report.unreadable:
        found.append(f"{report.unreadable} result(s) of the report are not as SARIF says, and are in no list.")
    if report.beyond:
        found.append(f"{report.beyond} result(s) are more than are read of one report, and are in no list: split it.")
    if report.passed:
        found.append(f"{report.passed} result(s) say that all is well, and are in no list.")
    if not report.runs:
        found.append("The report has no run of any tool.")
    return found


def _add_scanned(
    snapshot: Snapshot, params: Params, finder: Finder, report: Report, data: Payload, warnings: list[str]
) -> None:
    """What the tools did not look at, as far as that is known."""
    if params.run in SUFFIXES:
        missing = Counter(file.lang for file in snapshot.files if not file.path.endswith(SUFFIXES[params.run]))
    elif report.runs and (params.run != "none" or all(run.scanned is not None for run in report.runs)):
        seen = frozenset[str]().union(*(finder.scanned(run.scanned or ()) for run in report.runs))
        missing = Counter(file.lang for file in snapshot.files if file.path not in seen)
    else:
        warnings.append("The report does not say which files were scanned: one without findings may not have been.")
        return
    if missing:
        data["notScanned"] = dict(missing.most_common())


def _tool(run: Run) -> ToolView:
    view: ToolView = {"tool": run.tool}
    if run.version:
        view["version"] = run.version
    if not run.is_successful:
        view["failed"] = True
    if run.problems:
        view["problems"] = list(run.problems)
    return view


TOOL = Tool(
    name="map_findings",
    command="findings",
    title="Security findings",
    description="A SARIF report's findings by definition: reached from an entry, or only from tests; who calls it.",
    params=Params,
    payload=Payload,
    answer=answer,
    questions_s=SLOW_LIVE_S,
    needs_edges=True,
    spans_roots=Spans.MISSED,
)
