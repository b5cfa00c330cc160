"""Writes a picture as SVG, in the colors that its reader prefers, dark or light.

Everything stands in one file and loads nothing. Texts are in a fixed-width font and say how long they are, so that no
font lets one run out of its box. Source: SVG 2; XML 1.0, section 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log2
from unicodedata import east_asian_width

from codemap.pictures.layered import Layout, layered
from codemap.pictures.picture import Box, Link, Picture, line_of, lines_of

STYLE = (
    "text{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px;fill:#1f2328}"
    ".page{fill:#fff}.box{fill:#f6f8fa;stroke:#8c959f}.center{fill:#ddf4ff;stroke:#0969da;stroke-width:2}"
    ".aside{fill:#fff;stroke-dasharray:3}.small{font-size:10px;fill:#59636e}.title{font-weight:bold}"
    ".link{fill:none;stroke:#8c959f}.back{stroke:#bc4c00}.guess{stroke-dasharray:4 3}.tip{fill:#8c959f}"
    ".label{paint-order:stroke;stroke:#fff;stroke-width:3px}"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.box{fill:#161b22;stroke:#6e7681}"
    ".center{fill:#0c2d6b;stroke:#58a6ff}.aside{fill:#0d1117}.small{fill:#9198a1}.link{stroke:#6e7681}"
    ".back{stroke:#f0883e}.tip{fill:#6e7681}.label{stroke:#0d1117}}"
)
_CHAR_PX, _SMALL_PX = 7.2, 6.0
"""Width of a character at 12 and at 10 pixels."""
_PAD_PX, _MARGIN_PX, _GAP_PX, _COLUMN_PX = 10, 16, 14, 80
_LABELS_MAX = 40
"""Of more links none has a label: nobody could read them."""
_SPECIAL = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def svg(picture: Picture) -> str:
    """The text of the file, ending in a line feed."""
    at = {box.key: place for place, box in enumerate(picture.boxes)}
    layout = layered(len(picture.boxes), [(at[link.source], at[link.target]) for link in picture.links])
    sheet = _Sheet(picture.boxes, layout)
    body = [*_titles(picture), *_links(picture.links, at, layout, sheet)]
    body += [line for place, box in enumerate(picture.boxes) for line in _box(box, place, sheet)]
    bottom = sheet.bottom + _GAP_PX
    notes = [line for note in picture.notes for line in lines_of(note)]
    for place, line in enumerate(notes):
        body.append(_text(line, _MARGIN_PX, bottom + 14 * place, "small", _SMALL_PX))
    texts = [(line_of(picture.title), _CHAR_PX), *((line, _SMALL_PX) for line in notes)]
    width = max(sheet.right, *(_width(text, px) + _MARGIN_PX for text, px in texts)) + _MARGIN_PX
    height = bottom + 14 * len(notes) + _MARGIN_PX
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(line_of(picture.title))}">'
    marker = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerUnits="userSpaceOnUse" markerWidth="8" '
        'markerHeight="8" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    page = f'<rect class="page" width="{width:g}" height="{height:g}"/>'
    return "\n".join([head, f"<style>{STYLE}</style>", marker, page, *body, "</svg>", ""])


def escape(text: str) -> str:
    """The text as XML and HTML may contain it, in an element or between quotes."""
    return text.translate(_SPECIAL)


class _Sheet:
    """Places of the boxes of a layout, in pixels."""

    def __init__(self, boxes: Sequence[Box], layout: Layout) -> None:
        self.box_height = 40 if any(box.detail for box in boxes) else 26
        self.widths = [_box_width(box) for box in boxes]
        self._top = _MARGIN_PX + 30
        self._row = self.box_height + _GAP_PX
        self.columns = [0.0] * (max(layout.columns, default=-1) + 1)
        for width, column in zip(self.widths, layout.columns, strict=True):
            self.columns[column] = max(self.columns[column], width)
        self.lefts = [_MARGIN_PX + sum(self.columns[:place]) + _COLUMN_PX * place for place in range(len(self.columns))]
        self.right = self.lefts[-1] + self.columns[-1] if self.columns else 0.0
        self._layout = layout
        bends = [height for route in layout.routes for _, height in route]
        self.bottom = self.y_of(max((*layout.heights, *bends), default=-1.0)) + self.box_height / 2

    def y_of(self, height: float) -> float:
        """Pixels from the top to the middle of a box, by its height in the layout."""
        return self._top + self.box_height / 2 + height * self._row

    def left_of(self, place: int) -> float:
        return self.lefts[self._layout.columns[place]]

    def middle_of(self, place: int) -> float:
        return self.y_of(self._layout.heights[place])


def _box_width(box: Box) -> float:
    return max(_width(line_of(box.text), _CHAR_PX), _width(line_of(box.detail), _SMALL_PX)) + 2 * _PAD_PX


def _titles(picture: Picture) -> list[str]:
    return [_text(line_of(picture.title), _MARGIN_PX, _MARGIN_PX + 12, "title", _CHAR_PX)]


def _box(box: Box, place: int, sheet: _Sheet) -> list[str]:
    left, middle, width = sheet.left_of(place), sheet.middle_of(place), sheet.widths[place]
    tone = "" if box.tone == "plain" else f" {box.tone}"
    top = middle - sheet.box_height / 2
    lines = [
        f'<g><title>{escape(line_of(box.key))}</title><rect class="box{tone}" x="{left:g}" y="{top:g}" '
        f'width="{width:g}" height="{sheet.box_height}" rx="5"/>'
    ]
    lines.append(_text(line_of(box.text), left + _PAD_PX, middle + (-2 if box.detail else 4), "", _CHAR_PX))
    if box.detail:
        lines.append(_text(line_of(box.detail), left + _PAD_PX, middle + 13, "small", _SMALL_PX))
    return [*lines, "</g>"]


def _links(links: Sequence[Link], at: dict[str, int], layout: Layout, sheet: _Sheet) -> list[str]:
    lines = []
    for place, link in enumerate(links):
        source, target = at[link.source], at[link.target]
        points = _points(source, target, place, layout, sheet)
        look = " back" if place in layout.turned else ""
        look += "" if link.is_sure else " guess"
        thick = f' stroke-width="{1 + log2(link.weight) / 3:.2f}"' if link.weight > 1 else ""
        name = escape(line_of(f"{link.source} {link.text} {link.target}"))
        lines.append(
            f'<path class="link{look}" d="{_curve(points)}"{thick} marker-end="url(#tip)"><title>{name}</title></path>'
        )
        if link.text and len(links) <= _LABELS_MAX:
            (x, y), (after_x, after_y) = points[0], points[1]
            width = _width(line_of(link.text), _SMALL_PX)
            label = line_of(link.text)
            lines.append(_text(label, (x + after_x - width) / 2, (y + after_y) / 2 - 3, "small label", _SMALL_PX))
    return lines


def _points(source: int, target: int, place: int, layout: Layout, sheet: _Sheet) -> list[tuple[float, float]]:
    """From the side of one box to the side of another, over both ends of each bend; over itself for a loop."""
    width, left = sheet.widths[source], sheet.left_of(source)
    start, end = sheet.middle_of(source), sheet.middle_of(target)
    if source == target:
        top = start - sheet.box_height / 2
        return [(left + width - 22, top), (left + width - 6, top)]
    is_back = place in layout.turned
    points = [(left if is_back else left + width, start)]
    for column, height in layout.routes[place]:
        ends = sheet.lefts[column], sheet.lefts[column] + sheet.columns[column]
        points += [(x, sheet.y_of(height)) for x in (reversed(ends) if is_back else ends)]
    target_left = sheet.left_of(target)
    return [*points, (target_left + sheet.widths[target] if is_back else target_left, end)]


def _curve(points: Sequence[tuple[float, float]]) -> str:
    (x, y), *_ = points
    text = f"M{x:.1f} {y:.1f}"
    for (x, y), (after_x, after_y) in pairwise(points):
        if y == after_y and after_x - x == 16:
            text += f"C{x:.1f} {y - 18:.1f} {after_x:.1f} {y - 18:.1f} {after_x:.1f} {after_y:.1f}"
        elif y == after_y:
            text += f"H{after_x:.1f}"
        else:
            middle = (x + after_x) / 2
            text += f"C{middle:.1f} {y:.1f} {middle:.1f} {after_y:.1f} {after_x:.1f} {after_y:.1f}"
    return text


def _text(text: str, x: float, y: float, look: str, char_px: float) -> str:
    named = f' class="{look}"' if look else ""
    length = f' textLength="{_width(text, char_px):g}"' if text else ""
    return f'<text x="{x:g}" y="{y:g}"{named}{length}>{escape(text)}</text>'


def _width(text: str, char_px: float) -> float:
    """In pixels; characters of East Asian scripts are twice as wide."""
    return round(char_px * sum(2 if east_asian_width(char) in "WF" else 1 for char in text), 1)
