"""The parts of Markdown comments and SARIF logs that the review formats share.

Nothing that a repository is called breaks out of its place. Source: SARIF 2.1.0 (OASIS); GitHub, "SARIF support for
code scanning".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from codemap.escapes import escaped

FORMATS = ("text", "json", "markdown", "sarif")
ROWS_MAX = 30
"""Most rows of one list in a comment."""
_QUOTE = "'"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def refusal(envelope: Mapping[str, Any]) -> str:
    """Formats the comment of a reply that is not ok."""
    return f"**codemap**: {plain(envelope['error']['message'])}\n"


def notes_of(envelope: Mapping[str, Any]) -> list[str]:
    """Collects the warnings and notes of a reply."""
    return [*envelope.get("warnings", ()), *([envelope["dropped"]["note"]] if "dropped" in envelope else [])]


def quoted(notes: Sequence[str]) -> list[str]:
    """Formats notes as the last lines of a comment."""
    return ["", *(f"> {plain(note)}" for note in notes)] if notes else []


def folded(title: str, sections: Sequence[tuple[str, Mapping[str, Sequence[str]]]]) -> list[str]:
    if not sections:
        return []
    lines = ["", f"<details><summary>{title}</summary>", ""]
    for name, rows in sections:
        lines += [f"- {plain(name)}:", *rows_text(rows, "  ")]
    return [*lines, "", "</details>"]


def rows_text(rows: Mapping[str, Sequence[str]], before: str) -> list[str]:
    found = [f"{before}- {code(file)} {code(row)}" for file, texts in rows.items() for row in texts]
    rest = len(found) - ROWS_MAX
    return [*found[:ROWS_MAX], *([f"{before}- and {rest} more"] if rest > 0 else [])]


def code(text: str) -> str:
    """Formats a text as code, whatever it contains."""
    return f"`{escaped(' '.join(text.split())).replace('`', _QUOTE)}`"


def plain(text: object) -> str:
    """Escapes a text to one line that no page or terminal interprets."""
    return escaped(" ".join(str(text).split())).replace("<", "&lt;")


def sarif_log(
    envelope: Mapping[str, Any], version: str, rules: Iterable[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]
) -> str:
    """Makes a log of one run; a reply that is not ok is a notification."""
    driver = {"name": "codemap", "version": version, "rules": list(rules)}
    invocation: dict[str, Any] = {"executionSuccessful": bool(envelope["ok"])}
    if not envelope["ok"]:
        message = {"text": envelope["error"]["message"]}
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": message}]
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": list(results)}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def result(rule: str, level: str, text: str, file: str, line: int) -> dict[str, Any]:
    """Makes one result of a log."""
    uri = quote(file, errors="surrogateescape")
    place = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, "region": {"startLine": line}}
    message = {"text": escaped(text).encode("utf-8", "replace").decode()}
    return {"ruleId": rule, "level": level, "message": message, "locations": [{"physicalLocation": place}]}
