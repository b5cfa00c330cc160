"""What a change may break, and what nothing uses, for reviews: Markdown for a comment, SARIF, and an exit code.

Source: SARIF 2.1.0 (OASIS); GitHub, "SARIF support for code scanning".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from actors.command_line.reviews.formats import code, folded, plain, result, rows_text, sarif_log
from codemap.escapes import escaped

FAILURES = ("risk=medium", "risk=high", "not-adapted")
"""What `--fail-on` can name."""

_RISKS = ("low", "medium", "high")
_NOT_ADAPTED, _IMPACTED = "not-adapted", "impacted"
_RULES = (
    {
        "id": _NOT_ADAPTED,
        "shortDescription": {"text": "Uses what the change took away or gave other parameters"},
    },
    {"id": _IMPACTED, "shortDescription": {"text": "Uses what the change is about"}},
)

UNUSED_FAILURES = ("certain", "likely", "possible")
"""What `--fail-on` can name: the least sure that there is none of."""

_LISTS = {
    "unusedFiles": ("unused-file", "Nothing imports or starts it"),
    "unused": ("unused-definition", "Nothing uses it"),
    "unusedExports": ("unused-export", "Only its own file uses it"),
    "onlyTests": ("only-tests", "Nothing but tests uses it"),
}
"""Member of a reply -> the rule that it is of, and what that says."""
_TITLES = {
    "unusedFiles": "Files",
    "unused": "Definitions",
    "unusedExports": "Exports",
    "onlyTests": "Used by tests alone",
}
_LEVELS = {"certain": "warning", "likely": "note", "possible": "note"}


def failures(data: Mapping[str, Any], named: Iterable[str]) -> list[str]:
    """Which of the named conditions hold, as sentences."""
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
    """A comment for a review, of compact rows."""
    if not envelope["ok"]:
        return f"**codemap**: {plain(envelope['error']['message'])}\n"
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
    for test in data.get("tests", ()):
        lines += ["", f"**{test.get('count', 0)} test(s)** ({plain(test['runner'])})", ""]
        lines += ["```sh", escaped(test["command"]).replace("```", ""), "```"] if "command" in test else []
    lines += folded("Changed", [(one["what"], one.get("rows", {})) for one in data.get("changed", ())])
    reached = [(f"{one['tier']}, {one['depth']} step(s)", one.get("rows", {})) for one in data.get("impacted", ())]
    lines += folded("Reached", reached)
    notes = [*envelope.get("warnings", ()), *([envelope["dropped"]["note"]] if "dropped" in envelope else [])]
    lines += ["", *(f"> {plain(note)}" for note in notes)] if notes else []
    return "\n".join(lines) + "\n"


def sarif(envelope: Mapping[str, Any], version: str) -> str:
    """A log of full rows: an error for each use that is not adapted, a note for each certain direct user."""
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


def unused_failures(data: Mapping[str, Any], named: Iterable[str]) -> list[str]:
    """Which of the named conditions hold, as sentences."""
    counts = data.get("counts", {})
    found = []
    for name in dict.fromkeys(named):
        tiers = UNUSED_FAILURES[: UNUSED_FAILURES.index(name) + 1]
        if count := sum(counts.get(tier, 0) for tier in tiers):
            found.append(f"{count} definition(s) are unused ({' or '.join(tiers)})")
    return found


def unused_markdown(envelope: Mapping[str, Any]) -> str:
    """A comment for a review, of compact rows."""
    if not envelope["ok"]:
        return f"**codemap**: {plain(envelope['error']['message'])}\n"
    data = envelope["data"]
    counts = ", ".join(f"{count} {plain(tier)}" for tier, count in data.get("counts", {}).items())
    lines = [f"### Unused code: {counts or 'none'}"]
    for name, title in _TITLES.items():
        lines += folded(title, [(one.get("tier", ""), one.get("rows", {})) for one in data.get(name, ())])
    notes = [*envelope.get("warnings", ()), *([envelope["dropped"]["note"]] if "dropped" in envelope else [])]
    lines += ["", *(f"> {plain(note)}" for note in notes)] if notes else []
    return "\n".join(lines) + "\n"


def unused_sarif(envelope: Mapping[str, Any], version: str) -> str:
    """A log of full rows: a warning for what is certain, a note for the rest, with the reasons to doubt it."""
    data = envelope["data"] if envelope["ok"] else {}
    results = []
    for name, (rule, about) in _LISTS.items():
        for one in data.get(name, ()):
            doubts = ", ".join(dict.fromkeys(reason["why"] for reason in one.get("reasons", ())))
            doubt = f" ({one['tier']}: {doubts})" if doubts and name == "unused" else f" ({one['tier']})"
            text = f"{one['name']}: {about[0].lower()}{about[1:]}{doubt}."
            results.append(result(rule, _LEVELS[one["tier"]], text, one["file"], one["line"]))
    rules = [{"id": rule, "shortDescription": {"text": about}} for rule, about in _LISTS.values()]
    return sarif_log(envelope, version, rules, results)
