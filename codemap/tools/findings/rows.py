"""The two forms of a finding: a short text for models, an object for programs."""

from __future__ import annotations

from typing import Annotated, TypedDict

import msgspec

from codemap.findings.exposure import Exposure
from codemap.findings.finding import Severity
from codemap.findings.places import Spot
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.compact import short_id
from codemap.tools.impact.params import TIER_NAMES, TierName
from codemap.tools.outputs import one_of
from codemap.tools.tool import World

CALLERS_MAX = 5
PATH_MAX = 8
"""Steps of a way that are shown; the rest are counted."""
MESSAGE_MAX_CHARS = 160
"""In compact rows."""


class FindingView(TypedDict, total=False):
    severity: Annotated[str, one_of(tuple(one.name.lower() for one in Severity))]
    tool: str
    rule: str
    message: str
    file: str
    line: int
    endLine: int
    col: int
    id: str
    reached: Annotated[str, one_of(("entry", "tests", "callers", "none"))]
    entry: str
    path: list[str]
    sure: TierName
    callers: list[str]
    callerCount: int
    undecided: int
    cwe: list[int]
    suppressed: bool
    baseline: str
    stale: bool
    fileGuessed: bool
    notInMap: str


class Placed(msgspec.Struct, frozen=True):
    """A finding with its place and exposure."""

    spot: Spot
    exposure: Exposure | None
    """None where it is not in the map."""


def finding_text(world: World, snapshot: Snapshot, row: Placed) -> str:
    """`high S602 app/run.py#Runner.start 41 from commands app/cli.py#main > app/run.py#Runner.start: message`."""
    spot, finding = row.spot, row.spot.finding
    place = short_id(snapshot, spot.node) if spot.node >= 0 else spot.path or finding.uri or "?"
    words = [finding.severity.name.lower(), finding.rule or finding.tool, place, str(finding.line or "")]
    words += ["suppressed"] if finding.is_suppressed else []
    words += ["stale"] if spot.path in world.disk.stale else []
    words += ["(file guessed)"] if spot.is_guess else []
    words += [_exposed(snapshot, row.exposure) if row.exposure is not None else f"({spot.why})"]
    message = " ".join(finding.message.split())
    if len(message) > MESSAGE_MAX_CHARS:
        message = f"{message[:MESSAGE_MAX_CHARS].rstrip()}…"
    return f"{' '.join(filter(None, words))}: {message}"


def _exposed(snapshot: Snapshot, exposure: Exposure) -> str:
    undecided = f", {exposure.undecided} undecided use(s)" if exposure.undecided else ""
    if exposure.reached in ("entry", "tests"):
        sure = "" if TIER_NAMES[exposure.tier] == "certain" else f" ({TIER_NAMES[exposure.tier]})"
        origin = exposure.entry if exposure.reached == "entry" else "tests only"
        way = " > ".join(_way(snapshot, exposure)[:-1])
        return f"from {origin}{sure}{f' {way}' if way else ''}{undecided}"
    if exposure.reached == "callers":
        names = ", ".join(short_id(snapshot, one) for one in exposure.callers[:2])
        return f"from no known entry, used by {len(exposure.callers)} ({names}){undecided}"
    return f"used by nobody known{undecided}"


def _way(snapshot: Snapshot, exposure: Exposure) -> list[str]:
    nodes = [short_id(snapshot, node) for node in exposure.path]
    if len(nodes) <= PATH_MAX:
        return nodes
    half = PATH_MAX // 2
    return [*nodes[:half], f"{len(nodes) - 2 * half} more", *nodes[-half:]]


def finding_view(world: World, snapshot: Snapshot, row: Placed) -> FindingView:
    spot, finding, exposure = row.spot, row.spot.finding, row.exposure
    view: FindingView = {
        "severity": finding.severity.name.lower(),
        "tool": finding.tool,
        "rule": finding.rule,
        "message": finding.message,
        "file": spot.path if spot.node >= 0 else "",
        "line": finding.line,
        "endLine": finding.end_line,
    }
    if spot.node < 0:
        del view["file"]
        view["notInMap"] = f"{spot.path or finding.uri or 'no file'}: {spot.why}"
    else:
        view["id"] = snapshot.id_of(spot.node)
    if finding.col:
        view["col"] = finding.col
    if exposure is not None:
        view["reached"] = exposure.reached
        if exposure.path:
            view |= {"path": _way(snapshot, exposure), "sure": TIER_NAMES[exposure.tier]}
        if exposure.entry:
            view["entry"] = exposure.entry
        view |= {
            "callers": [snapshot.id_of(one) for one in exposure.callers[:CALLERS_MAX]],
            "callerCount": len(exposure.callers),
        }
        if exposure.undecided:
            view["undecided"] = exposure.undecided
    if finding.cwe:
        view["cwe"] = list(finding.cwe)
    if finding.is_suppressed:
        view["suppressed"] = True
    if finding.baseline:
        view["baseline"] = finding.baseline
    if spot.path in world.disk.stale:
        view["stale"] = True
    if spot.is_guess:
        view["fileGuessed"] = True
    return view
