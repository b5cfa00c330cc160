"""How the lists of `map_history` are cut.

A page has the latest commits, the authors with the most, the closest companions, the worst hotspots: what is beyond
these seldom decides anything, and would take the room of the others.
"""

from __future__ import annotations

from codemap.envelope.answer import CutList, Spare

_MORE = "pass a larger tokenBudget"
_NARROWER = "pass folder or fileFilter"

LOG_PAGE, AUTHORS_PAGE, COMPANIONS_PAGE = 20, 12, 12
FILES_PAGE, SYMBOLS_PAGE = 15, 20


def lists_of(*, is_compact: bool) -> tuple[CutList | Spare, ...]:
    """The lists that may be cut; rows for programs have no pages but those of authors."""
    return (
        CutList(("onlyIn",), "roles", _NARROWER),
        Spare(("folded",), "folded counts", "pass tests:include"),
        CutList(
            ("changesWith",), "companions", "less close ones; pass fileFilter", page=COMPANIONS_PAGE, is_grouped=True
        ),
        CutList(("companions",), "companions", "pass fileFilter"),
        CutList(("authors",), "authors", "those of fewer commits", page=AUTHORS_PAGE),
        CutList(("log",), "commits", "older ones", page=LOG_PAGE),
        CutList(("commits",), "commits", _MORE),
        CutList(("symbols",), "hotspots", _NARROWER, page=SYMBOLS_PAGE if is_compact else 0),
        CutList(("files",), "hotspots", _NARROWER, page=FILES_PAGE if is_compact else 0),
    )
