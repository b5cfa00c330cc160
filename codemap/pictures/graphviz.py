"""Writes a picture in the DOT language of Graphviz.

Source: Graphviz, "DOT Language": in a quoted string a quote is `\\"`; a label reads backslashes as escapes and
`&lt;` as an entity.
"""

from __future__ import annotations

from math import log2

from codemap.pictures.picture import Picture, line_of, lines_of

_SPECIAL = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})
_TONES = {"plain": "", "center": ", penwidth=2.5", "aside": ', style="rounded,dashed"'}


def dot(picture: Picture) -> str:
    """The text of a directed graph from left to right; title and notes are its label."""
    number = {box.key: f"n{place}" for place, box in enumerate(picture.boxes)}
    notes = (line.translate(_SPECIAL) for note in picture.notes for line in lines_of(note))
    label = "\\n".join((_quote(picture.title), *notes))
    lines = [
        "digraph codemap {",
        f'  graph [rankdir=LR, fontname="Helvetica", label="{label}"];',
        '  node [shape=box, style=rounded, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=10];',
    ]
    for box in picture.boxes:
        detail = f"\\n{_quote(box.detail)}" if box.detail else ""
        lines.append(f'  {number[box.key]} [label="{_quote(box.text)}{detail}"{_TONES[box.tone]}];')
    for link in picture.links:
        look = "" if link.is_sure else ", style=dashed"
        look += f", penwidth={1 + log2(link.weight) / 3:.2f}" if link.weight > 1 else ""
        lines.append(f'  {number[link.source]} -> {number[link.target]} [label="{_quote(link.text)}"{look}];')
    return "\n".join([*lines, "}", ""])


def _quote(text: str) -> str:
    return line_of(text).translate(_SPECIAL)
