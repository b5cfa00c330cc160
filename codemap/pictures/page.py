"""Writes a picture as a page of its own, which opens from disk and loads nothing.

Its Content-Security-Policy allows its own styles, by their digests, and no script. What the picture shows stands below
it as text.
"""

from __future__ import annotations

from codemap.pictures.content_policy import hash_source
from codemap.pictures.picture import Picture, line_of, lines_of
from codemap.pictures.svg import STYLE, escape, svg

_PAGE_STYLE = (
    ":root{color-scheme:light dark}body{margin:1rem;font-family:system-ui,sans-serif}"
    "figure{margin:0;overflow:auto}code{overflow-wrap:anywhere}"
)


def page(picture: Picture) -> str:
    """The text of the file, ending in a line feed."""
    name = {box.key: line_of(box.text) for box in picture.boxes}
    title = escape(line_of(picture.title))
    rows = []
    for link in picture.links:
        source, target = escape(name[link.source]), escape(name[link.target])
        guess = "" if link.is_sure else " (a guess)"
        rows.append(
            f"<li><code>{source}</code> {escape(line_of(link.text)) or 'leads to'} <code>{target}</code>{guess}</li>"
        )
    policy = f"default-src 'none'; style-src {hash_source(_PAGE_STYLE)} {hash_source(STYLE)}"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{title}</title>",
            f"<style>{_PAGE_STYLE}</style>",
            f"<h1>{title}</h1>",
            f"<figure>{svg(picture).rstrip()}</figure>",
            *(f"<p>{escape(' '.join(lines_of(note)))}</p>" for note in picture.notes),
            f"<details><summary>As text: {len(name)} boxes, {len(picture.links)} arrows</summary>",
            "<ul>",
            *rows,
            "</ul>",
            "</details>",
            "</html>",
            "",
        ]
    )
