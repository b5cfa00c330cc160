"""What a change may break, for reviews: as Markdown for a comment, as SARIF for code scanning, and as an exit code.

Source: SARIF 2.1.0 (OASIS); GitHub, "SARIF support for code scanning".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from codemap.escapes import escaped

FAILURES = ("risk=medium", "risk=high", "not-adapted")
"""What `--fail-on` can name."""
FORMATS = ("text", "json", "markdown", "sarif")

_RISKS = ("low", "medium", "high")
_ROWS_MAX = 30
"""Rows of one list in a comment."""
_QUOTE = "'"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_NOT_ADAPTED, _IMPACTED = "not-adapted", "impacted"
_RULES = (
    {
        "id": _NOT_ADAPTED,
        "shortDescription": {"text": "Uses what the change took away or gave other parameters"},
    },
    {"id": _IMPACTED, "shortDescription": {"text": "Uses what the change is about"}},
)


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
        return f"**codemap**: {_plain(envelope['error']['message'])}\n"
    data = envelope["data"]
    factors = data.get("factors", {})
    since = f" of {_code(data['base'])} to {_code(data['head'])}" if "base" in data else ""
    lines = [
        f"### Impact{since}: {data.get('risk', 'unknown')} risk ({data.get('score', '?')})",
        "",
        f"{factors.get('directUsers', 0)} direct user(s), {factors.get('files', 0)} file(s) reached, "
        f"{factors.get('tests', 0)} test(s) to run.",
    ]
    if left := data.get("notAdapted"):
        lines += ["", "**Not adapted**", ""]
        for one in left:
            how = f"was {_plain(one['why'])}" if "why" in one else f"does not fit: {_plain(one['misfit'])}"
            lines += [f"- {_code(one['used'])} {how}:", *_rows(one.get("rows", {}), "  ")]
    if "notChecked" in data:
        lines += ["", f"{data['notChecked']['sites']} call(s) of what has other parameters now could not be checked."]
    for test in data.get("tests", ()):
        lines += ["", f"**{test.get('count', 0)} test(s)** ({_plain(test['runner'])})", ""]
        lines += ["```sh", escaped(test["command"]).replace("```", ""), "```"] if "command" in test else []
    lines += _folded("Changed", [(one["what"], one.get("rows", {})) for one in data.get("changed", ())])
    reached = [(f"{one['tier']}, {one['depth']} step(s)", one.get("rows", {})) for one in data.get("impacted", ())]
    lines += _folded("Reached", reached)
    notes = [*envelope.get("warnings", ()), *([envelope["dropped"]["note"]] if "dropped" in envelope else [])]
    lines += ["", *(f"> {_plain(note)}" for note in notes)] if notes else []
    return "\n".join(lines) + "\n"


def _folded(title: str, sections: Sequence[tuple[str, Mapping[str, Sequence[str]]]]) -> list[str]:
    if not sections:
        return []
    lines = ["", f"<details><summary>{title}</summary>", ""]
    for name, rows in sections:
        lines += [f"- {_plain(name)}:", *_rows(rows, "  ")]
    return [*lines, "", "</details>"]


def _rows(rows: Mapping[str, Sequence[str]], before: str) -> list[str]:
    found = [f"{before}- {_code(file)} {_code(row)}" for file, texts in rows.items() for row in texts]
    rest = len(found) - _ROWS_MAX
    return [*found[:_ROWS_MAX], *([f"{before}- and {rest} more"] if rest > 0 else [])]


def _code(text: str) -> str:
    """The text as code, whatever it contains."""
    return f"`{escaped(' '.join(text.split())).replace('`', _QUOTE)}`"


def _plain(text: object) -> str:
    """One line of text, without what a page or a terminal would obey."""
    return escaped(" ".join(str(text).split())).replace("<", "&lt;")


def sarif(envelope: Mapping[str, Any], version: str) -> str:
    """A log of full rows: an error for each use that is not adapted, a note for each certain direct user."""
    data = envelope["data"] if envelope["ok"] else {}
    results = []
    for one in data.get("notAdapted", ()):
        level = "warning" if one.get("guess") else "error"
        does = "uses" if "why" in one else "calls"
        how = f"which was {one['why']}" if "why" in one else f"which does not take these arguments: {one['misfit']}"
        text = f"{one['name'] or one['file']} {does} {one['used']}, {how}."
        results += [_result(_NOT_ADAPTED, level, text, one["file"], line) for line in one.get("lines", (one["line"],))]
    for one in data.get("impacted", ()):
        if one.get("tier") == "certain" and one.get("depth") == 1 and "file" in one:
            line = one["sites"][0]["line"] if one.get("sites") else one["line"]
            text = f"{one['name']} uses {one.get('via', 'it')}, which changed."
            results.append(_result(_IMPACTED, "note", text, one["file"], line))
    driver = {
        "name": "codemap",
        "version": version,
        "rules": list(_RULES),
    }
    invocation: dict[str, Any] = {"executionSuccessful": bool(envelope["ok"])}
    if not envelope["ok"]:
        message = {"text": envelope["error"]["message"]}
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": message}]
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(rule: str, level: str, text: str, file: str, line: int) -> dict[str, Any]:
    uri = quote(file, errors="surrogateescape")
    place = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, "region": {"startLine": line}}
    message = {"text": escaped(text).encode("utf-8", "replace").decode()}
    return {"ruleId": rule, "level": level, "message": message, "locations": [{"physicalLocation": place}]}
