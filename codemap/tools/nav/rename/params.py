"""What `nav_rename` is asked, and what it answers."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from msgspec import Meta

from codemap.live_queries import At
from codemap.tools.compact import GroupedRows
from codemap.tools.mentions import Mentions
from codemap.tools.nav.target import TargetView
from codemap.tools.outputs import one_of
from codemap.tools.params import PositionRowParams

NAME_MAX = 200
_PLACE = r"^.+:[1-9]\d*:[1-9]\d*$"

MISSED, UNDECIDED, COLLISION, CONTRADICTED, INCOMPLETE, BREAKS, UNUSUAL, OUTSIDE, FILES = (
    "missed",
    "undecided",
    "collision",
    "contradicted",
    "incomplete",
    "breaks",
    "unusual",
    "outside",
    "fileOperations",
)
ReasonName = Annotated[
    str, one_of((MISSED, UNDECIDED, COLLISION, CONTRADICTED, INCOMPLETE, BREAKS, UNUSUAL, OUTSIDE, FILES))
]
Allowed = Literal["missed", "undecided", "collision", "contradicted", "incomplete", "breaks"]
"""What a caller may overrule."""


class Params(PositionRowParams, frozen=True, kw_only=True):
    new_name: Annotated[str, Meta(min_length=1, max_length=NAME_MAX)]
    allow: Annotated[tuple[Allowed, ...], Meta(max_length=6, description="Refusals to overrule")] = ()
    add_missed: Annotated[bool, Meta(description="Edit uses too that only the map is sure of")] = False
    also: Annotated[
        tuple[Annotated[str, Meta(pattern=_PLACE)], ...],
        Meta(max_length=200, description="Places of the name to edit too, `file:line:col`, as refusals list them"),
    ] = ()
    diff: Annotated[bool, Meta(description="A unified diff too")] = False
    apply: Annotated[bool, Meta(description="Write; needs a server with --edits on")] = False


def place_of(text: str) -> At:
    """What `file:line:col` names."""
    file, line, col = text.rsplit(":", 2)
    return At(file, int(line), int(col))


class EditView(TypedDict, total=False):
    file: str
    line: int
    col: int
    endLine: int
    endCol: int
    text: str


class RefusalView(TypedDict, total=False):
    reason: ReasonName
    why: str
    at: list[str]
    """`file:line:col`."""


class Payload(TypedDict, total=False):
    target: TargetView | str
    newName: str
    refused: list[RefusalView]
    lines: GroupedRows
    """Those that the refusals name: the line, and what it says."""
    overruled: list[RefusalView]
    edits: list[EditView] | GroupedRows
    total: int
    added: int
    """Of them, those that the server lacks: uses of which the map is sure, certain strings, and those of `also`."""
    diagnosed: int
    """Touched files that the server finds as right after it as now."""
    digests: dict[str, str]
    """Of the contents that the edits are for, by file; hexadecimal."""
    applied: bool
    diff: str
    public: bool
    """Whether it can be used from outside its file: users outside the repository are not seen."""
    heldAgainst: Annotated[str, one_of(("map", "server"))]
    """`server`: the map knows no such definition, as of a parameter or a local."""
    mentions: Mentions
    source: str
