"""Computes all that an overview says of a map, whatever part of it a call asks for.

That of the whole map is held by the snapshot: to make it takes some passes over all edges and names.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from codemap.graph.areas.area_dependencies import Counts, join_uses, part_by_folder, uses_between
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.tools.overview.about import aside_texts, languages_of
from codemap.tools.overview.areas import Described, circle_texts, describe, large_parts
from codemap.tools.overview.entries import Entries, entries_of, package_folders, package_texts, packages_of
from codemap.tools.overview.parts import Parts, parts_of
from codemap.tools.params import MapListParams

_DIGESTS = Slot[dict[str, "Digest"]](lambda _: {})
"""Of the whole map, by policy."""


class Digest(msgspec.Struct, frozen=True):
    languages: Mapping[str, str]
    packages: Mapping[str, str]
    entries: Entries
    aside: Mapping[str, str]
    areas: tuple[Described, ...]
    others: Mapping[str, int]
    """Label of an area too small to be shown -> its files."""
    circles: tuple[str, ...]


def digest_of(snapshot: Snapshot, parts: Parts, focus: str) -> Digest:
    if not parts.whole:
        return finish(_make_digest(snapshot, parts, focus))
    held = _DIGESTS.of(snapshot)
    if parts.whole not in held:
        held[parts.whole] = finish(_make_digest(snapshot, parts, focus))
    return held[parts.whole]


def warm_digest(snapshot: Snapshot) -> Iterator[None]:
    """Makes what the overview says that nobody narrowed, in steps, for other work to run between them; once at most."""
    parts = parts_of(snapshot, "", MapListParams())
    yield
    held = _DIGESTS.of(snapshot)
    if parts.whole not in held:
        held[parts.whole] = yield from _make_digest(snapshot, parts, "")


def part_uses(snapshot: Snapshot, parts: Parts) -> Counts:
    """Uses between the parts that are shown."""
    return uses_between(snapshot, [part.area for part in parts.shown])


def _make_digest(snapshot: Snapshot, parts: Parts, focus: str) -> Generator[None, None, Digest]:
    large = large_parts(parts.shown)
    folders = package_folders(snapshot, parts.chosen)
    pieces, places = part_by_folder([part.area for part in parts.shown], folders)
    between = uses_between(snapshot, pieces)
    uses = join_uses(between, places, len(parts.shown))[: len(large), : len(large)]
    yield
    languages = languages_of(snapshot, parts.chosen)
    yield
    known = packages_of(snapshot)
    packages = package_texts(known, focus, _package_uses([folders[piece.files[0]] for piece in pieces], between))
    entries = entries_of(snapshot, focus)
    yield
    aside = aside_texts(snapshot, parts.aside)
    yield
    areas = tuple(describe(snapshot, large, uses))
    others = {part.area.label: len(part.area.files) for part in parts.shown[len(large) :]}
    end = int(np.searchsorted(places, len(large)))
    circles = tuple(circle_texts([piece.label for piece in pieces[:end]], between[:end, :end]))
    return Digest(languages, packages, entries, aside, areas, others, circles)


def _package_uses(folders: Sequence[str], uses: Counts) -> dict[str, list[str]]:
    """Folder of a package -> those of the packages that it uses, by the folder of each part and the uses between the
    parts."""
    found: dict[str, list[str]] = {}
    for user, used in np.argwhere(uses).tolist():
        its = found.setdefault(folders[user], [])
        if folders[used] not in (folders[user], *its):
            its.append(folders[used])
    return found
