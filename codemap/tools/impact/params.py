"""What `map_impact` is asked, and what it answers."""

from __future__ import annotations

from typing import Annotated, TypedDict

from msgspec import Meta

from codemap.tools.compact import FoldedCounts, GroupedRows
from codemap.tools.mentions import Mentions
from codemap.tools.outputs import one_of
from codemap.tools.params import MapListParams, NodeIdText
from codemap.tools.view import EmptyBecause, NodeView, Site

NODES_MAX = 20
TIER_NAMES = ("certain", "likely", "possible")
TierName = Annotated[str, one_of(TIER_NAMES)]
RiskName = Annotated[str, one_of(("low", "medium", "high"))]
HOW_NAMES = (
    *("contains", "imports", "exports", "calls", "extends", "implements", "references"),
    *("constructs", "dispatches", "overrides", "undecided"),
)
"""By number of `How`."""
HowName = Annotated[str, one_of(HOW_NAMES)]


class Params(MapListParams, frozen=True, kw_only=True):
    node_ids: Annotated[tuple[NodeIdText, ...], Meta(max_length=NODES_MAX)] = ()
    file: str = ""


class ImpactedView(NodeView, total=False):
    tier: TierName
    depth: int
    edge: HowName
    via: str
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
    rows: GroupedRows
    tests: list[TestView]
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
    risk: RiskName
    score: float
    factors: FactorsView
    counts: dict[str, int]
    impacted: list[ImpactedView]
    folded: FoldedCounts
    onlyIn: list[str]
    tests: list[RunView]
    undecided: OpenView
    emptyBecause: EmptyBecause
    mentions: Mentions
