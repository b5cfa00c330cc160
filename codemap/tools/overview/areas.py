"""The compact form of the overview: areas with what they are about, what they use, and their hearts.

    {"area": "src/flask", "files": 18, "uses": {"json": 41}, "hearts": ["app.py#Flask 109", "config.py#Config 50"]}

A heart is the end of its file's path from the area's folder on, its name and its line: `src/flask/app.py#Flask` is what
other tools take.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TypedDict

import msgspec

from codemap.facts import Symbol
from codemap.graph.areas.area_dependencies import Counts, circles
from codemap.graph.areas.keywords import distinctive_words
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.overview.parts import Part, hearts_by_part
from codemap.tools.tool import World

HEARTS = 90
"""Of all areas together, where the call does not say how many of each: about what the default budget holds."""
HEARTS_MIN, HEARTS_MAX = 3, 24
"""Of one area."""
HEARTS_KEPT = 60
"""Of one area, of which the names give its words, and as many are shown as the call says."""
WORTH_MIN = 0.1
"""Beyond `HEARTS_MIN`, what is worth less than this share of an area's best is no heart of it."""
TINY = 0.01
"""An area with less than this share of all definitions is named and not shown, where there are a few others."""
FEW = 2
USES_MAX = 4
"""Areas named that one uses most."""
ABOUT_MAX_CHARS = 72
_SPEAKERS = frozenset(("__init__", "doc", "index", "lib", "mod", "package-info"))
"""Stems of files whose doc is that of their folder, beside a file of the folder's own name."""
FEW_FILES = 3
"""Of so many, the doc of one says enough of an area."""
LEAD = 2
"""Where the first heart of an area is worth so many times as much as the next, its doc says enough of the area."""
_OF_PACKAGE = "Package "
"""How the doc of a Go package begins, whichever of its files has it."""
_UNDERLINE = re.compile(r"\s+[~=*#-]{3,}$")
"""Of a title, as marked-up documentation has it."""


class AreaView(TypedDict, total=False):
    area: str
    files: int
    about: str
    words: str
    uses: dict[str, int]
    hearts: list[str]
    continued: bool


class Described(msgspec.Struct, frozen=True):
    """An area as the map alone has it."""

    part: Part
    about: str
    words: str
    uses: Mapping[str, int]
    hearts: tuple[tuple[int, float], ...]
    """Definitions and their worth, the worthiest first: many more than are shown."""
    texts: dict[int, tuple[str, str]]
    """Of hearts that were shown before: the path of the file, and the text."""


def large_parts(parts: Sequence[Part]) -> Sequence[Part]:
    """The parts without the tiny ones at the end."""
    total = sum(part.weight for part in parts)
    end = len(parts)
    while end > FEW and parts[end - 1].weight < TINY * total:
        end -= 1
    return parts[:end]


def describe(snapshot: Snapshot, parts: Sequence[Part], uses: Counts) -> list[Described]:
    """The areas, with more hearts than are shown."""
    labels = [part.area.label for part in parts]
    hearts = hearts_by_part(snapshot, parts, [HEARTS_KEPT] * len(parts))
    names = [
        [
            *(snapshot.node_names.name_of(node) for node, _ in its),
            *(_strip_suffix(snapshot, number) for number in part.area.files),
        ]
        for part, its in zip(parts, hearts, strict=True)
    ]
    words, short = distinctive_words(names, labels), short_labels(labels)
    return [
        Described(
            part,
            _describe(snapshot, part, hearts[place]),
            " ".join(words[place]),
            _show_uses(uses, place, short),
            tuple(hearts[place]),
            {},
        )
        for place, part in enumerate(parts)
    ]


def area_views(world: World, snapshot: Snapshot, areas: Sequence[Described], each: int | None) -> list[AreaView]:
    """`each` hearts of every area, or as many as its size gives it."""
    counts = [each] * len(areas) if each is not None else _share_hearts([area.part.weight for area in areas])
    views: list[AreaView] = []
    for area, count in zip(areas, counts, strict=True):
        view: AreaView = {"area": area.part.area.label, "files": len(area.part.area.files)}
        if area.about:
            view["about"] = area.about
        if area.words:
            view["words"] = area.words
        if area.uses:
            view["uses"] = dict(area.uses)
        best = area.hearts[:count] if each is not None else _keep_worthy(area.hearts[:count])
        shown = [area.texts.get(node) or _read_heart(snapshot, area, node) for node, _ in best]
        view["hearts"] = [text + stale_word(world, path) for path, text in shown]
        views.append(view)
    return views


def circle_texts(labels: Sequence[str], uses: Counts) -> list[str]:
    """The circles among areas, each with the uses that are fewest."""
    short = short_labels(labels)
    found = []
    for circle in circles(uses):
        one, other = circle.weakest
        weakest = f"; fewest: {short[one]} uses {short[other]} {uses[one, other]} times" if one != other else ""
        found.append(f"{', '.join(short[place] for place in circle.areas)}{weakest}")
    return found


def _read_heart(snapshot: Snapshot, area: Described, node: int) -> tuple[str, str]:
    folder, text = area.part.area.folder, definition_text(snapshot, node)
    path = snapshot.row_of(node)[0].path
    found = area.texts[node] = path, text.removeprefix(f"{folder}/") if folder else text
    return found


def definition_text(snapshot: Snapshot, node: int) -> str:
    """The path, name and line of a definition; the path of a file."""
    file, row = snapshot.row_of(node)
    return f"{file.path}#{file.id_of(row).partition('#')[2]} {file.cell(row, Symbol.LINE)}" if row else file.path


def stale_word(world: World, path: str) -> str:
    """The mark behind a text that is older than its file."""
    return " stale" if world.disk.differs(path) else ""


def short_labels(labels: Sequence[str]) -> list[str]:
    """The ends of labels that distinguish them, cut at folders."""
    found = []
    for label in labels:
        folders = label.split("/") if ": " not in label else [label.partition(": ")[2]]
        for first in range(len(folders) - 1, -1, -1):
            end = "/".join(folders[first:])
            if sum(other == end or other.endswith(f"/{end}") for other in labels) == 1:
                break
        found.append(end or label)
    return found if max(Counter(found).values(), default=1) == 1 else list(labels)


def _share_hearts(weights: Sequence[int]) -> list[int]:
    """Decides how many hearts each area shows: by the root of its weight, so that small ones are heard."""
    roots = [sqrt(max(weight, 1)) for weight in weights]
    return [min(HEARTS_MAX, max(HEARTS_MIN, round(HEARTS * root / sum(roots)))) for root in roots]


def _keep_worthy(hearts: Sequence[tuple[int, float]]) -> Sequence[tuple[int, float]]:
    """Hearts of an area, without those that are worth little beside its best."""
    least = WORTH_MIN * hearts[0][1] if hearts else 0
    return [heart for place, heart in enumerate(hearts) if place < HEARTS_MIN or heart[1] >= least]


def _describe(snapshot: Snapshot, part: Part, hearts: Sequence[tuple[int, float]]) -> str:
    """What the area says of itself: the doc of the file that speaks for its folder, else of its first heart, where that
    leads the others by far or the area has few files, else of the only one of few files that has one."""
    said = []
    for number in part.area.files:
        file = snapshot.files[number]
        folder, _, name = file.path.rpartition("/")
        if folder == part.area.folder and file.cell(0, Symbol.DOC) >= 0:
            doc = file.text_of(0, Symbol.DOC)
            stem = name.partition(".")[0]
            if stem in _SPEAKERS or stem == folder.rpartition("/")[2] or doc.startswith(_OF_PACKAGE):
                return _clip_text(_UNDERLINE.sub("", doc))
            said.append(doc)
    is_small = len(part.area.files) <= FEW_FILES
    leads = bool(hearts) and (is_small or all(LEAD * worth <= hearts[0][1] for _, worth in hearts[1:2]))
    doc = snapshot.text_of(hearts[0][0], Symbol.DOC) if leads else ""
    if doc:
        return _clip_text(f"{snapshot.name_of(hearts[0][0])}: {doc}")
    return _clip_text(_UNDERLINE.sub("", said[0])) if len(said) == 1 and is_small else ""


def _show_uses(uses: Counts, place: int, short: Sequence[str]) -> dict[str, int]:
    row = uses[place].tolist()
    best = sorted((other for other in range(len(row)) if row[other]), key=lambda other: (-row[other], other))
    return {short[other]: row[other] for other in best[:USES_MAX]}


def _strip_suffix(snapshot: Snapshot, number: int) -> str:
    return snapshot.files[number].path.rpartition("/")[2].partition(".")[0]


def _clip_text(text: str) -> str:
    return text if len(text) <= ABOUT_MAX_CHARS else text[: ABOUT_MAX_CHARS - 1].rstrip() + "…"
