"""The answer of tools that give places: target, locations, how many there are, from which source, and whether that is
all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict, TypeVar, cast

import msgspec

from codemap.envelope.answer import Answer, CutList, Spare
from codemap.file_roles import Role, has_tests_inside
from codemap.graph.index.node_roles import role_of_row
from codemap.graph.model.indexed_file import IndexedFile
from codemap.live_queries import Doubt, Found, Place
from codemap.tools.compact import FoldedCounts, GroupedRows, group_by_file
from codemap.tools.nav.compact import definition_row, owners_of, target_text, use_rows
from codemap.tools.nav.target import Target, TargetView, shown_target
from codemap.tools.params import PositionListParams, PositionRowParams
from codemap.tools.places.anchors import Anchor, anchor, by_worth, definitions_at, files_now
from codemap.tools.row_selection import Place as Stand
from codemap.tools.row_selection import Sifted, filter_rows, folded_counts, is_plain, not_passed, place_of_path, sift
from codemap.tools.tool import Asking, World
from codemap.tools.view import EmptyBecause

T = TypeVar("T")


class Source(TypedDict, total=False):
    """Who said it, whether that may be less than there is, and why there is nothing."""

    source: str
    language: str
    complete: bool
    emptyBecause: EmptyBecause


class Beside(TypedDict, total=False):
    """The counts of what a list does not show."""

    folded: FoldedCounts
    onlyIn: list[str]


class Payload(Source, Beside, total=False):
    target: TargetView | str
    locations: list[Anchor] | GroupedRows
    total: int


class Places(msgspec.Struct, frozen=True):
    """The places that a server named, and remarks on them."""

    noun: str
    """What they are called."""
    found: Sequence[Place]
    are_uses: bool = False
    """Whether they are in definitions, or are some."""
    has_code: bool = False
    """Whether compact rows show the first line of each."""
    warnings: Sequence[str] = ()
    further: str = ""
    """What the map has beside them."""


SPARES = (Spare(("onlyIn",), "roles", "pass tests:only"), Spare(("folded",), "folded counts", "pass tests:only"))
"""What `beside` brings."""


def lists_of(params: PositionRowParams) -> tuple[CutList | Spare, ...]:
    """The lists that may be cut."""
    note = "pass a larger tokenBudget"
    if isinstance(params, PositionListParams):
        note = "pass fileFilter with a narrower glob" if params.file_filter else "pass fileFilter, such as src/**"
    locations = CutList(("locations",), "locations", note, is_grouped=params.rows == "compact")
    if not isinstance(params, PositionListParams):
        return (locations,)
    return *SPARES, locations


def answer_places(
    world: World, params: PositionRowParams, target: Target, fact: Found, places: Places
) -> Asking[Answer]:
    """The answer that shows these places, as far as they pass what the call filters by."""
    ordered = by_worth(world, places.found, target.at.file)
    held = {target.at.file: target.now.parsed} if target.now.parsed is not None else {}
    files = yield from files_now(world, (place.file for place in ordered if not place.is_external), held)
    shown = _sift_places(params, target, files, ordered)
    is_compact = params.rows == "compact"
    data: Payload = {
        "target": target_text(world, params, target) if is_compact else shown_target(world, target),
        "locations": (yield from _show_locations(world, params, places, files, shown.rows)),
        **folded_members(shown),
        "total": len(shown.rows) + len(shown.folded),
        **source_members(fact, "" if is_compact else target.now.language),
    }
    if places.further:
        data["complete"] = False
    warnings = [*target.notes, *incomplete(fact), *places.warnings]
    if not shown.rows and shown.hidden:
        data["emptyBecause"] = "filtered"
        assert isinstance(params, PositionListParams), "only these hide any"
        warnings.append(not_passed(shown.hidden, places.noun, len({place.file for place in ordered}), params))
    elif not shown.rows:
        data["emptyBecause"] = empty_because(fact, places.further)
    why = " ".join(filter(None, (say_incomplete(fact.incomplete), places.further)))
    rests_on = frozenset((target.at.file, *(place.file for place in ordered if not place.is_external)))
    return Answer(data, lists_of(params), tuple(warnings), incomplete=why, rests_on=rests_on)


def _show_locations(
    world: World, params: PositionRowParams, places: Places, files: Mapping[str, IndexedFile], shown: Sequence[Place]
) -> Asking[list[Anchor] | GroupedRows]:
    if params.rows == "compact" and places.are_uses:
        return group_by_file(use_rows(files, shown))
    definitions = yield from definitions_at(world, shown, files)
    found = list(zip(shown, definitions, strict=True))
    if params.rows == "compact":
        return group_by_file(definition_row(place, one, has_code=places.has_code) for place, one in found)
    return [anchor(place, one) for place, one in found]


def _sift_places(
    params: PositionRowParams, target: Target, files: Mapping[str, IndexedFile], places: Sequence[Place]
) -> Sifted[Place]:
    """Sifts places by the filter and the roles of their files."""
    if not isinstance(params, PositionListParams):
        return Sifted(tuple(places))
    stand = find_stands(files, places)
    return filter_rows(places, stand, params) if is_plain(params) else sift(places, stand, params, own_role(target))


def find_stands(files: Mapping[str, IndexedFile], places: Sequence[Place]) -> Callable[[Place], Stand]:
    """Where each place is, for sifting."""
    owners = owners_of(files, [place for place in places if has_tests_inside(place.file)])

    def stand(place: Place) -> Stand:
        row = owners.get((place.file, place.line), 0)
        is_test = row > 0 and role_of_row(files[place.file], row) is Role.TEST
        if place.is_external:  # whatever its path is like, it is no test of this repository
            return Stand(place.file)
        return Stand(place.file, Role.TEST) if is_test else place_of_path(place.file)

    return stand


def own_role(target: Target) -> Role:
    """The role of the definition that is asked about; a use says nothing about it."""
    parsed = target.now.parsed
    if target.row is None or parsed is None:
        return Role.PRODUCT
    return role_of_row(parsed, target.row)


def folded_members(shown: Sifted[T]) -> Beside:
    """The counts of what is folded, or that all there is would be."""
    members: Beside = {"folded": cast("FoldedCounts", folded_counts(shown.folded))} if shown.folded else {}
    if shown.only:
        members["onlyIn"] = list(shown.only)
    return members


def source_members(fact: Found, language: str = "") -> Source:
    """Who said it, and in which language, unless an ID says that."""
    source: Source = {"source": fact.server or "lsp"}
    if language:
        source["language"] = language
    if fact.incomplete:
        source["complete"] = False
    return source


def say_incomplete(why: str) -> str:
    """Says, in a sentence, that there may be more, where there is a reason for it."""
    return f"There may be more: {why.rstrip('.')}." if why else ""


def incomplete(found: Found | Doubt) -> tuple[str, ...]:
    """As `say_incomplete`, as a warning with what to do."""
    way = "Repeating the call does not change that: map_* tools see all files."
    if not found.is_lasting:
        way = "Repeat the call in some seconds."
    return (f"{say_incomplete(found.incomplete)} {way}",) if found.incomplete else ()


def empty_because(found: Found | Doubt, further: str = "") -> str:
    """Why a server's list is empty; `further` is what the map has nevertheless."""
    if found.incomplete:
        return "notIndexed" if found.is_lasting else "serverNotReady"
    return "unresolved" if further else "none"
