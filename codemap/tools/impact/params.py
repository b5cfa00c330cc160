"""The parameters and the payload of `map_impact`."""

from __future__ import annotations

from typing import Annotated, TypedDict

from msgspec import Meta

from codemap.changes.changed_definitions import What
from codemap.tools.compact import FoldedCounts, GroupedRows
from codemap.tools.history.params import CompanionView
from codemap.tools.mentions import Mentions
from codemap.tools.outputs import one_of
from codemap.tools.params import MapListParams, NodeIdText
from codemap.tools.view import EmptyBecause, NodeView, Site

NODES_MAX = 20
TIER_NAMES = ("certain", "likely", "possible")
TierName = Annotated[str, one_of(TIER_NAMES)]
REACH_NAMES = (*TIER_NAMES, "remote")
"""By number of `Tier`; what tests are in and what is found otherwise is never remote."""
RiskName = Annotated[str, one_of(("low", "medium", "high"))]
HOW_NAMES = (
    *("contains", "imports", "exports", "calls", "extends", "implements", "references"),
    *("constructs", "dispatches", "overrides", "undecided", "injected", "held", "sends"),
)
"""By number of `How`."""
ChangeName = Annotated[str, one_of(what.value for what in What)]
HowName = Annotated[str, one_of(HOW_NAMES)]


class Params(MapListParams, frozen=True, kw_only=True):
    node_ids: Annotated[tuple[NodeIdText, ...], Meta(max_length=NODES_MAX)] = ()
    file: str = ""
    base: Annotated[
        str, Meta(description="Revision: what changed since its merge base, uncommitted edits too; or A..B")
    ] = ""
    staged: Annotated[bool, Meta(description="With base: up to the index")] = False
    head: Annotated[str, Meta(description="With base: up to this revision")] = ""
    code: bool = False


class LastStepView(TypedDict, total=False):
    via: str
    viaId: str


class FoldedView(FoldedCounts, total=False):
    remote: dict[str, int]


class ImpactedView(NodeView, LastStepView, total=False):
    tier: Annotated[str, one_of(REACH_NAMES)]
    depth: int
    edge: HowName
    sites: list[Site]
    rows: GroupedRows
    continued: bool


class TestView(TypedDict, total=False):
    selector: str
    file: str
    tier: TierName
    depth: int


class RunView(TypedDict, total=False):
    runner: str
    count: int
    command: str
    runsMore: bool
    forAll: str
    tiers: dict[str, int]
    nearest: list[str]
    files: list[str]
    rows: GroupedRows
    tests: list[TestView]
    continued: bool


class ChangedView(TypedDict, total=False):
    what: ChangeName
    rows: GroupedRows
    id: str
    file: str
    line: int
    name: str
    was: str
    gone: list[str]
    continued: bool


class LeftView(TypedDict, total=False):
    rows: GroupedRows
    used: str
    why: str
    file: str
    line: int
    name: str
    lines: list[int]
    guess: bool
    misfit: str
    continued: bool


class FactorsView(TypedDict, total=False):
    directUsers: int
    files: int
    folders: int
    tests: int
    public: bool


class OpenView(TypedDict, total=False):
    sites: int
    how: str


class Payload(TypedDict, total=False):
    of: list[str]
    overrides: list[str]
    base: str
    head: str
    changed: list[ChangedView]
    notChanged: int
    otherFiles: int
    omitted: dict[str, str]
    notAdapted: list[LeftView]
    notChecked: OpenView
    risk: RiskName
    score: float
    factors: FactorsView
    counts: dict[str, int]
    entries: dict[str, list[str]]
    impacted: list[ImpactedView]
    folded: FoldedView
    onlyIn: list[str]
    tests: list[RunView]
    coChanged: GroupedRows
    companions: list[CompanionView]
    undecided: OpenView
    emptyBecause: EmptyBecause
    mentions: Mentions
