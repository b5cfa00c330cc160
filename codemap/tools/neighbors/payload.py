"""The payload of `map_neighbors`, in both forms of rows."""

from __future__ import annotations

from typing import Annotated, TypedDict

from msgspec import Meta

from codemap.file_roles import ROLE_NAMES
from codemap.tools.compact import FoldedCounts, GroupedRows
from codemap.tools.joined_answers import Missing
from codemap.tools.mentions import MentionRows, Mentions
from codemap.tools.outputs import one_of
from codemap.tools.view import ConfidenceName, EdgeName, EmptyBecause, LikelihoodName, NodeView, SideName, Site

RoleName = Annotated[str, one_of(ROLE_NAMES[1:])]
"""Of sections with the few rows that are not product code."""


class OfEdge(TypedDict, total=False):
    """The members that show an edge, decided or not."""

    edge: EdgeName
    direction: SideName
    resolved: bool
    confidence: ConfidenceName
    through: str
    siteCount: int
    sites: list[Site]
    continued: bool


class OfRows(TypedDict, total=False):
    """The members that show edges in compact rows."""

    rows: GroupedRows
    folded: FoldedCounts


class NeighborView(NodeView, OfEdge, OfRows, total=False):
    role: RoleName
    depth: int
    via: str
    to: Annotated[str, Meta(description="Of a family, what all rows use")]
    of: Annotated[str, Meta(extra_json_schema={"enum": ["types", "values", "functions", "passed on", "overrides"]})]


class UndecidedView(OfEdge, OfRows, total=False):
    name: str
    to: str
    owner: str
    file: str
    likelihood: LikelihoodName
    candidateCount: int
    candidates: list[str]
    names: list[str]


class OfNode(TypedDict, total=False):
    node: NodeView | str
    signature: str
    family: GroupedRows
    neighbors: list[NeighborView]
    writes: GroupedRows
    givenTo: GroupedRows
    sentBy: GroupedRows
    packages: list[str]
    members: int
    onlyIn: list[str]
    folded: FoldedCounts
    unresolvedSites: int
    unresolved: list[UndecidedView]
    diagram: str
    omitted: int
    mapBuiltAt: str
    staleFiles: list[str]
    emptyBecause: EmptyBecause
    mentions: Mentions
    mentionsRest: list[MentionRows]


class Payload(OfNode, total=False):
    nodes: list[OfNode]
    missing: list[Missing]
