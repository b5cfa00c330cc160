"""How the lists of `map_history` are cut."""

from __future__ import annotations

from codemap.envelope.answer import CutList, Spare

_MORE = "pass a larger tokenBudget"
_NARROWER = "pass folder or fileFilter"

LISTS: tuple[CutList | Spare, ...] = (
    CutList(("onlyIn",), "roles", _NARROWER),
    Spare(("folded",), "folded counts", "pass tests:include"),
    CutList(("authors",), "authors", _MORE, page=12),
    CutList(("changesWith",), "companions", "pass fileFilter", is_grouped=True),
    CutList(("companions",), "companions", "pass fileFilter"),
    CutList(("log",), "commits", _MORE),
    CutList(("commits",), "commits", _MORE),
    CutList(("symbols",), "hotspots", _NARROWER),
    CutList(("files",), "hotspots", _NARROWER),
)
