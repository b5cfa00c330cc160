"""Writes a picture as a Mermaid flowchart.

Source: Mermaid, "Flowcharts: entity codes to escape characters", "Directives": what is between quotes is text, in which
`#35;` is a character by its number. Escaped is besides what would begin a directive (`%%{`), a Markdown string, a tag,
a formula (`$$`) or a line break (`\\n`).
"""

from __future__ import annotations

from codemap.pictures.picture import Picture, line_of, lines_of

_SPECIAL = str.maketrans({'"': "#quot;", **{char: f"#{ord(char)};" for char in "#`<>&%$\\"}})


def mermaid(picture: Picture) -> str:
    """The lines of a left-to-right chart, without a line feed at the end; notes are comments."""
    number = {box.key: f"n{place}" for place, box in enumerate(picture.boxes)}
    lines = ["graph LR"]
    for box in picture.boxes:
        detail = f"<br/>{_quote(box.detail)}" if box.detail else ""
        lines.append(f'  {number[box.key]}["{_quote(box.text)}{detail}"]')
    for link in picture.links:
        arrow = "-->" if link.is_sure else "-.->"
        text = f'|"{_quote(link.text)}"|' if link.text else ""
        lines.append(f"  {number[link.source]} {arrow}{text} {number[link.target]}")
    for tone, look in (("center", "stroke-width:3px"), ("aside", "stroke-dasharray:3")):
        if named := [number[box.key] for box in picture.boxes if box.tone == tone]:
            lines.append(f"  style {','.join(named)} {look}")
    notes = (line.translate(_SPECIAL) for note in picture.notes for line in lines_of(note))
    return "\n".join([*lines, *(f"  %% {line}" for line in notes)])


def _quote(text: str) -> str:
    return line_of(text).translate(_SPECIAL)
