"""Figures as the table that is read. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from bench.bars import MEASURES
from bench.stats import Sample


class Figure(msgspec.Struct, frozen=True):
    """What one measure came to."""

    measure: str
    """A key of `MEASURES`."""
    sample: Sample
    note: str = ""
    """What the figure was taken of, where that is not plain."""


class Counts(msgspec.Struct, frozen=True):
    """What there was to do: faster by doing less shows here."""

    files: int
    source_bytes: int
    symbols: int
    edges: Mapping[str, Mapping[str, int]]
    """Kind -> confidence -> number."""
    parsed: float = 1.0
    """Share of the bytes that lie under no syntax error."""


class Section(msgspec.Struct, frozen=True):
    """Figures of one corpus, taken together."""

    title: str
    command: str
    """That takes them again."""
    figures: Sequence[Figure]
    counts: Counts | None = None


HEAD = (
    "# Measured\n\n"
    "Each figure is the median of its rounds, with the least and the greatest; a ratio has both of its sides from the "
    "same round. `python -m bench --write` makes this page.\n"
)


def report(machine: str, sections: Sequence[Section]) -> str:
    """The whole report, as Markdown."""
    return "\n".join([HEAD, *(_section(machine, section) for section in sections)])


def merged(page: str, new: str) -> str:
    """A page with what is new: sections of its headings take the place of old ones, its head, if any, of the head."""
    kept = _by_heading(page)
    fresh = _by_heading(new)
    if not fresh[""].strip():
        del fresh[""]
    return "\n".join(text.strip("\n") + "\n" for text in (kept | fresh).values())


def _by_heading(page: str) -> dict[str, str]:
    """Heading of the second level -> its section; "" -> what comes before the first."""
    head, *sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return {"": head, **{section.partition("\n")[0]: section for section in sections}}


def _section(machine: str, section: Section) -> str:
    rows = [
        "| measure | first | goal | measured | least – greatest | rounds | unit | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    order = {name: place for place, name in enumerate(MEASURES)}
    rows += [_row(figure) for figure in sorted(section.figures, key=lambda figure: order[figure.measure])]
    counted = [] if section.counts is None else [_counted(section.counts), ""]
    return "\n".join([f"## {section.title}\n", f"{machine}. `{section.command}`.\n", *counted, *rows, ""])


def _row(figure: Figure) -> str:
    measure, taken = MEASURES[figure.measure], figure.sample
    verdict = {True: "holds", False: "**missed**", None: ""}[measure.holds(taken.median)]
    name = f"{measure.name} ({figure.note})" if figure.note else measure.name
    cells = (
        *(name, _bar(measure.first), _bar(measure.goal), rounded(taken.median)),
        *(f"{rounded(taken.low)} – {rounded(taken.high)}", str(taken.rounds), measure.unit, verdict),
    )
    return f"| {' | '.join(cells)} |"


def _counted(counts: Counts) -> str:
    total = sum(sum(by_confidence.values()) for by_confidence in counts.edges.values())
    lines = [
        f"{counts.files:,} files, {counts.source_bytes:,} bytes, {counts.symbols:,} symbols, {total:,} edges:\n",
        "| kind | exact | import | type | name | candidate |",
        "|---|---|---|---|---|---|",
    ]
    for kind, by_confidence in counts.edges.items():
        cells = [f"{by_confidence.get(level, 0):,}" for level in ("exact", "import", "type", "name", "candidate")]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def rounded(value: float) -> str:
    """Three digits that count, and whole numbers whole."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _bar(value: float | None) -> str:
    return "–" if value is None else rounded(value)
