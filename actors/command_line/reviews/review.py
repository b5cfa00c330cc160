"""Formats what a change may break for reviews: a Markdown comment, SARIF, and an exit code.

Source: SARIF 2.1.0 (OASIS); GitHub, "SARIF support for code scanning".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from actors.command_line.reviews.formats import (
    code,
    folded,
    notes_of,
    plain,
    quoted,
    refusal,
    result,
    rows_text,
    sarif_log,
)
from codemap.escapes import escaped

FAILURES = ("risk=medium", "risk=high", "not-adapted")
"""The conditions that `--fail-on` can name."""

_RISKS = ("low", "medium", "high")
_NOT_ADAPTED, _IMPACTED = "not-adapted", "impacted"
_RULES = (
    {
        "id": _NOT_ADAPTED,
        "shortDescription": {"text": "Uses what the change took away or gave other parameters"},
    },
    {"id": _IMPACTED, "shortDescription": {"text": "Uses what the change is about"}},
)


def failures(data: Mapping[str, Any], named: Iterable[str]) -> list[str]:
    """Says in sentences which of the named conditions hold."""
    found = []
    for name in named:
        least = name.partition("=")[2]
        if least and _RISKS.index(data.get("risk", "low")) >= _RISKS.index(least):
            found.append(f"the risk is {data['risk']} ({data['score']})")
        elif not least and (left := data.get("notAdapted")):
            found.append(f"{_count(left)} use(s) are not adapted to the change")
    return list(dict.fromkeys(found))


def _count(left: Sequence[Mapping[str, Any]]) -> int:
    return sum(sum(map(len, one["rows"].values())) if "rows" in one else 1 for one in left)


def markdown(envelope: Mapping[str, Any]) -> str:
    """Formats a comment, from compact rows."""
    if not envelope["ok"]:
        return refusal(envelope)
    data = envelope["data"]
    factors = data.get("factors", {})
    since = f" of {code(data['base'])} to {code(data['head'])}" if "base" in data else ""
    lines = [
        f"### Impact{since}: {data.get('risk', 'unknown')} risk ({data.get('score', '?')})",
        "",
        f"{factors.get('directUsers', 0)} direct user(s), {factors.get('files', 0)} file(s) reached, "
        f"{factors.get('tests', 0)} test(s) to run.",
    ]
    if left := data.get("notAdapted"):
        lines += ["", "**Not adapted**", ""]
        for one in left:
            how = f"was {plain(one['why'])}" if "why" in one else f"does not fit: {plain(one['misfit'])}"
            lines += [f"- {code(one['used'])} {how}:", *rows_text(one.get("rows", {}), "  ")]
    if "notChecked" in data:
        lines += ["", f"{data['notChecked']['sites']} call(s) of what has other parameters now could not be checked."]
    if omitted := data.get("omitted"):
        lines += ["", "**Not compared**", "", *rows_text({path: [why] for path, why in omitted.items()}, "")]
    if entries := data.get("entries"):
        lines += ["", "**Entered by**", "", *rows_text(entries, "")]
    for test in data.get("tests", ()):
        lines += ["", f"**{test.get('count', 0)} test(s)** ({plain(test['runner'])})", ""]
        lines += ["```sh", escaped(test["command"]).replace("```", ""), "```"] if "command" in test else []
    lines += folded("Changed", [(one["what"], one.get("rows", {})) for one in data.get("changed", ())])
    reached = [(f"{one['tier']}, {one['depth']} step(s)", one.get("rows", {})) for one in data.get("impacted", ())]
    lines += folded("Reached", reached)
    companions = data.get("coChanged")
    lines += folded("Not changed this time", [("in so many of the commits", companions)] if companions else [])
    return "\n".join([*lines, *quoted(notes_of(envelope))]) + "\n"


def sarif(envelope: Mapping[str, Any], version: str) -> str:
    """Formats a SARIF log, from full rows: an error for each use that is not adapted, a note for each certain direct
    user."""
    data = envelope["data"] if envelope["ok"] else {}
    results = []
    for one in data.get("notAdapted", ()):
        level = "warning" if one.get("guess") else "error"
        does = "uses" if "why" in one else "calls"
        how = f"which was {one['why']}" if "why" in one else f"which does not take these arguments: {one['misfit']}"
        text = f"{one['name'] or one['file']} {does} {one['used']}, {how}."
        results += [result(_NOT_ADAPTED, level, text, one["file"], line) for line in one.get("lines", (one["line"],))]
    for one in data.get("impacted", ()):
        if one.get("tier") == "certain" and one.get("depth") == 1 and "file" in one:
            line = one["sites"][0]["line"] if one.get("sites") else one["line"]
            text = f"{one['name']} uses {one.get('via', 'it')}, which changed."
            results.append(result(_IMPACTED, "note", text, one["file"], line))
    return sarif_log(envelope, version, _RULES, results)
