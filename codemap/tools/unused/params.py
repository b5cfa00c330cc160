"""What `map_unused` is asked, and what it answers."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from msgspec import Meta

from codemap.tools.compact import FoldedCounts, GroupedRows
from codemap.tools.impact.params import TierName
from codemap.tools.outputs import one_of
from codemap.tools.params import MapListParams
from codemap.tools.view import EmptyBecause, NodeView
from codemap.unused.steps import Why

Tier = Literal["certain", "likely", "possible"]
WHY_NAMES = {
    Why.USE: "used",
    Why.OVERRIDES: "overrides",
    Why.NAME_GUESS: "guessed use",
    Why.UNDECIDED: "undecided use",
    Why.NAMED_IN_TEXT: "string",
    Why.NAMED_IN_CODE: "name",
    Why.COMPUTED: "computed name",
    Why.DECORATED: "decorated",
    Why.OUTSIDE_BASE: "outside base",
    Why.CONTRACT: "conventional name",
    Why.STRUCTURE: "member of a value",
    Why.WHOLE_MODULE: "module as value",
    Why.LOADED: "file loaded by tools",
    Why.ENTRY: "entry",
    Why.PUBLIC: "public",
    Why.IMPORTED: "imported",
    Why.LABEL: "label",
    Why.DOCUMENTED: "documented",
    Why.ATTRIBUTE: "attribute",
    Why.BELONGS: "part",
    Why.TEST: "test",
    Why.UNSEEN: "file not read",
    Why.OUTSIDE_CONTRACT: "outside interface",
    Why.STARTED: "may be a script",
    Why.SET_FOR_IMPORT: "above an outside include",
}
WhyName = Annotated[str, one_of(WHY_NAMES.values())]


class Params(MapListParams, frozen=True, kw_only=True):
    focus: Annotated[str, Meta(description="Folder, file or nodeId")] = ""
    tier: Annotated[Tier, Meta(description="The least sure to list")] = "likely"


class ReasonView(TypedDict, total=False):
    why: WhyName
    count: int
    file: str
    line: int
    user: str


class UnusedView(NodeView, total=False):
    tier: TierName
    rows: GroupedRows
    reasons: list[ReasonView]
    users: list[str]
    inside: int
    continued: bool


class SearchedView(TypedDict, total=False):
    files: int
    notSeen: int


class Payload(TypedDict, total=False):
    focus: str
    counts: dict[str, int]
    unused: list[UnusedView]
    unusedFiles: list[UnusedView]
    unusedExports: list[UnusedView]
    onlyTests: list[UnusedView]
    follow: int
    searched: SearchedView
    folded: FoldedCounts
    onlyIn: list[str]
    emptyBecause: EmptyBecause
