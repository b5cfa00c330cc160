"""What `map_history` is asked, and what it answers."""

from __future__ import annotations

from typing import Annotated, TypedDict

from msgspec import Meta

from codemap.tools.compact import FoldedCounts, GroupedRows
from codemap.tools.params import MapListParams
from codemap.tools.view import EmptyBecause


class Params(MapListParams, frozen=True, kw_only=True):
    node_id: str = ""
    folder: Annotated[str, Meta(description="Hotspots under it; default: all")] = ""


class CommitView(TypedDict, total=False):
    id: str
    date: str
    author: str
    subject: str
    merge: bool
    fix: bool
    reverts: str
    revertedBy: str


class AuthorView(TypedDict, total=False):
    name: str
    commits: int
    last: str


class ChurnView(TypedDict, total=False):
    commits: int
    percentile: int
    among: int


class CompanionView(TypedDict, total=False):
    id: str
    file: str
    name: str
    common: int
    share: float


class HotspotView(TypedDict, total=False):
    id: str
    file: str
    name: str
    line: int
    commits: int
    complexity: int
    score: int


class Payload(TypedDict, total=False):
    of: str
    head: str
    first: str
    last: str
    churn: ChurnView
    fixes: int
    reverted: int
    authors: list[str | AuthorView]
    changesWith: GroupedRows
    companions: list[CompanionView]
    log: list[str]
    commits: list[CommitView]
    complexity: str
    files: list[str | HotspotView]
    symbols: list[str | HotspotView]
    folded: FoldedCounts
    onlyIn: list[str]
    emptyBecause: EmptyBecause
