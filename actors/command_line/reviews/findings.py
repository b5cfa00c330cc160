"""Formats findings for reviews: a Markdown comment, SARIF with what the map adds, and an exit code.

Source: SARIF 2.1.0 (OASIS).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from actors.command_line.reviews.formats import SCHEMA, code, plain, quoted, refusal
from codemap.escapes import escaped

SEVERITIES = ("critical", "high", "medium", "unknown", "low", "info")
REACHABLE = "reachable"
FAILURES = (*SEVERITIES, REACHABLE, "incomplete")
"""What `--fail-on` can name: findings of a severity or a worse one, any that an entry leads to, a tool that failed."""
_LEVELS = {
    "critical": "error",
    "high": "error",
    "medium": "warning",
    "unknown": "warning",
    "low": "note",
    "info": "none",
}
_ROWS_MAX = 100
"""Most rows of a comment."""


def failures(data: Mapping[str, Any], named: Iterable[str]) -> list[str]:
    """Says in sentences which of the named conditions hold."""
    found: list[str] = []
    summary = data.get("summary", {})
    for name in named:
        if name in SEVERITIES:
            counted = SEVERITIES[: SEVERITIES.index(name) + 1]
            if count := sum(summary.get(severity, 0) for severity in counted):
                found.append(f"{count} finding(s) are {name} or worse")
        elif name == REACHABLE:
            if count := data.get("reached", {}).get("entry", 0):
                found.append(f"an entry point leads to {count} finding(s)")
        elif failed := [tool["tool"] for tool in data.get("tools", ()) if tool.get("failed")]:
            found.append(f"{', '.join(failed)} did not end well")
    return list(dict.fromkeys(found))


def markdown(envelope: Mapping[str, Any]) -> str:
    """Formats a comment, from full rows."""
    if not envelope["ok"]:
        return refusal(envelope)
    data = envelope["data"]
    summary = ", ".join(f"{count} {name}" for name, count in data.get("summary", {}).items() if count)
    lines = [f"### Findings: {summary or 'none'}", ""]
    findings = data.get("findings", [])
    if findings:
        lines += ["| severity | rule | where | reached | what |", "|---|---|---|---|---|"]
    for one in findings[:_ROWS_MAX]:
        place = f"{one['file']}:{one.get('line', 0)}" if "file" in one else one.get("notInMap", "")
        reached = one.get("reached", "")
        path = one.get("path", [])
        way = f"{reached}: {' → '.join(map(code, path))} ({one.get('sure', '')})" if path else reached
        severity = f"{one['severity']} (suppressed)" if one.get("suppressed") else one["severity"]
        cells = (severity, code(one["rule"]), code(place), way, plain(one["message"]))
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    notes = list(envelope.get("warnings", ()))
    if len(findings) > _ROWS_MAX:
        notes.append(f"{len(findings) - _ROWS_MAX} more findings are left out of this comment.")
    notes += [
        f"{plain(tool['tool'])}: {problem}" for tool in data.get("tools", ()) for problem in tool.get("problems", ())
    ]
    if "notScanned" in data:
        rest = ", ".join(f"{count} {language}" for language, count in data["notScanned"].items())
        notes.append(f"Files that were not scanned: {rest}.")
    if "dropped" in envelope:
        notes.append(envelope["dropped"]["note"])
    return "\n".join([*lines, *quoted(notes)]) + "\n"


def sarif(envelope: Mapping[str, Any], version: str) -> str:
    """Formats the findings as SARIF, one run for each tool; what the map adds is in `properties`."""
    if not envelope["ok"]:
        failure = {"level": "error", "message": {"text": escaped(envelope["error"]["message"])}}
        invocation = {"executionSuccessful": False, "toolExecutionNotifications": [failure]}
        run = {"tool": {"driver": {"name": "codemap", "version": version}}, "invocations": [invocation]}
        return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"
    data = envelope["data"]
    findings = data.get("findings", [])
    names = dict.fromkeys([*(tool["tool"] for tool in data.get("tools", ())), *(one["tool"] for one in findings)])
    known = {tool["tool"]: tool for tool in data.get("tools", ())}
    runs = []
    for name in names:
        tool = known.get(name, {})
        notes = [{"level": "warning", "message": {"text": escaped(text)}} for text in tool.get("problems", ())]
        invocation = {"executionSuccessful": not tool.get("failed", False), "toolExecutionNotifications": notes}
        driver: dict[str, Any] = {"name": escaped(name)}
        driver |= {"semanticVersion": tool["version"]} if "version" in tool else {}
        own = [one for one in findings if one["tool"] == name]
        rules = sorted({one["rule"] for one in own if one["rule"]})
        driver["rules"] = [{"id": rule} for rule in rules]
        runs.append(
            {
                "tool": {
                    "driver": driver,
                    "extensions": [{"name": "codemap", "semanticVersion": version}],
                },
                "columnKind": "utf16CodeUnits",
                "invocations": [invocation],
                "results": [_result(one) for one in own],
            }
        )
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": runs}, indent=1) + "\n"


_OWN = ("severity", "reached", "entry", "path", "sure", "callers", "callerCount", "undecided", "cwe", "id", "notInMap")


def _result(one: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {"ruleId": one["rule"], "level": _LEVELS[one["severity"]]}
    result["message"] = {"text": escaped(one["message"])}
    if "file" in one:
        physical: dict[str, Any] = {"artifactLocation": {"uri": quote(one["file"], errors="surrogateescape")}}
        if one.get("line"):
            physical["region"] = {"startLine": one["line"], "endLine": max(one["line"], one["endLine"])}
            physical["region"] |= {"startColumn": one["col"]} if "col" in one else {}
        result["locations"] = [{"physicalLocation": physical}]
    if one.get("suppressed"):
        result["suppressions"] = [{"kind": "external"}]
    if one.get("baseline") in ("new", "unchanged", "updated", "absent"):
        result["baselineState"] = one["baseline"]
    result["properties"] = {f"codemap/{name}": one[name] for name in _OWN if name in one}
    return result
