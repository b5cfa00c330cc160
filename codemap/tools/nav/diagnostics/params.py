"""What `nav_diagnostics` is asked, and what it answers."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from msgspec import Meta

from codemap.live_queries import Severity
from codemap.tools.compact import GroupedRows
from codemap.tools.outputs import one_of
from codemap.tools.params import Rows, ToolParams
from codemap.tools.view import EmptyBecause

FILES_MAX = 50
DEPENDENTS_MOST = 200
DEPENDENTS = 30

CLEAN, WARNINGS, ERRORS, PARTLY, UNCHANGED = "clean", "warnings", "errors", "partly", "unchanged"
Verdict = Annotated[str, one_of((CLEAN, WARNINGS, ERRORS, PARTLY, UNCHANGED))]
SeverityName = Annotated[str, one_of(tuple(one.value for one in Severity))]


class Params(ToolParams, frozen=True, kw_only=True):
    files: Annotated[
        tuple[str, ...], Meta(max_length=FILES_MAX, description="Default: changed since base or HEAD")
    ] = ()
    base: Annotated[str, Meta(description="Revision: only what is new since. HEAD unless files are given")] = ""
    dependents: Annotated[int, Meta(ge=0, le=DEPENDENTS_MOST, description="Most dependent files to check")] = DEPENDENTS
    severity: Literal["error", "warning", "information", "hint"] = "warning"
    rows: Rows = "compact"
    file_filter: str = ""


class DiagnosticView(TypedDict, total=False):
    file: str
    line: int
    col: int
    endLine: int
    endCol: int
    severity: SeverityName
    code: str
    message: str
    id: str


class UncheckedView(TypedDict, total=False):
    why: str
    files: list[str]


class CheckedView(TypedDict, total=False):
    changed: int
    dependents: int
    dependentsLeft: int
    """Beyond the limit."""
    inPart: GroupedRows
    """Why the server may not know some of these wholly -> those files."""


class ComparedView(TypedDict, total=False):
    base: str
    old: int
    """Diagnostics that the base has as well; they are not listed."""
    notCompared: str
    """Why all are listed, not only new ones."""


class Payload(TypedDict, total=False):
    verdict: Verdict
    counts: dict[str, int]
    checked: CheckedView
    compared: ComparedView
    diagnostics: list[DiagnosticView] | GroupedRows
    notChecked: list[UncheckedView]
    source: str
    emptyBecause: EmptyBecause
