"""Formats the history of a definition or a file, or hotspots, as a Markdown comment."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from typing import Any

from actors.command_line.reviews.formats import ROWS_MAX, code, folded, notes_of, quoted, refusal

FORMATS = ("text", "json", "markdown")
_LISTS = {"files": "Files", "symbols": "Functions"}
_EMPTY = {"notIndexed": "It is in no commit that was read.", "none": "No commit that is known touched it."}


def read_format(text: str) -> str:
    """Reads the value of `--format`. Raises ArgumentTypeError."""
    if text == "sarif":
        raise ArgumentTypeError("'sarif' is for problems at places in files, and a history has none")
    return text


def markdown(envelope: Mapping[str, Any]) -> str:
    """Formats a comment, from compact rows."""
    if not envelope["ok"]:
        return refusal(envelope)
    data = envelope["data"]
    lines = _of_node(data) if "of" in data else _hotspots(data)
    return "\n".join([*lines, *quoted(notes_of(envelope))]) + "\n"


def _of_node(data: Mapping[str, Any]) -> list[str]:
    lines = [f"### History of {code(data['of'])}", ""]
    if "churn" not in data:
        return [*lines, _EMPTY.get(data.get("emptyBecause", ""), _EMPTY["none"])]
    churn = data["churn"]
    lines += [
        f"{churn['commits']} commit(s) from {data['first']} to {data['last']}, {data['fixes']} fix(es), "
        f"{data['reverted']} reverted; {churn['percentile']} % of {churn['among']} like it changed less often."
    ]
    lines += _listed("Authors", data.get("authors", ()))
    companions = data.get("changesWith")
    lines += folded("Changes with it", [("in so many of the commits", companions)] if companions else [])
    return [*lines, *_listed("Commits", data.get("log", ()))]


def _hotspots(data: Mapping[str, Any]) -> list[str]:
    lines = ["### Hotspots: commits × complexity"]
    for name, title in _LISTS.items():
        lines += _listed(title, data.get(name, ()))
    return lines if len(lines) > 1 else [*lines, "", "None."]


def _listed(title: str, texts: Sequence[str]) -> list[str]:
    if not texts:
        return []
    rest = len(texts) - ROWS_MAX
    more = [f"- and {rest} more"] if rest > 0 else []
    return ["", f"**{title}**", "", *(f"- {code(text)}" for text in texts[:ROWS_MAX]), *more]
