"""The page as it ships, one file made from `web/`; and with a map in it, as a file that opens from disk.

What a repository says is in it as JSON in which nothing can end the element around it. Source: HTML, "Restrictions for
contents of script elements".
"""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path

from codemap.pictures.content_policy import inline_directives

_PAGE = Path(__file__).with_name("page.html")


@cache
def page_text() -> str:
    """The whole page. Raises OSError."""
    return _PAGE.read_text(encoding="utf-8")


def page_of_map(graph: str, title: str) -> str:
    """The page with the answer of `map_graph` in it, its `data` as JSON: it opens from disk and loads nothing.

    Raises OSError.
    """
    page = page_text()
    policy = "; ".join((*inline_directives(page), "img-src data:", "base-uri 'none'", "form-action 'none'"))
    head = f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">'
    inert = graph.replace("<", "\\u003c")
    data = f'<script type="application/json" id="stored">{inert}</script>\n<script>'
    for old, new in (
        ("<head>", head),
        ("<title>codemap</title>", f"<title>{escape(title)}</title>"),
        ("<script>", data),
    ):
        before, found, after = page.partition(old)
        assert found, f"the page has a {old}"
        page = f"{before}{new}{after}"
    return page
