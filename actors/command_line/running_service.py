"""Asks the running service of a repository for its status, through its private socket.

Standard library and blocking: one question, one answer.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from typing import Any

from actors.command_line.display.terminal import Style, table
from actors.messaging.output import answer, complain
from actors.processes.rendezvous import NotPrivate, join, meeting_place

PATIENCE_S = 20.0
"""Time limit of the answer; a service that builds its first map answers meanwhile."""
_CHUNK_BYTES = 65_536
_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "codemap usage", "version": "1"},
}


def metrics_report(root: str, flags: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, Any] | None:
    """Asks the service that clients with these settings would join; None where none runs or answers."""
    try:
        service = join(meeting_place(root, flags, environment))
    except (NotPrivate, OSError):
        return None
    if service is None:
        return None
    with service:
        service.settimeout(PATIENCE_S)
        try:
            return _asked(service)
        except OSError:
            return None


def _asked(service: socket.socket) -> dict[str, Any] | None:
    call = {"name": "map_status", "arguments": {"tokenBudget": 10_000}}
    messages: tuple[dict[str, Any], ...] = (
        {"id": 1, "method": "initialize", "params": _INITIALIZE},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    )
    service.sendall(b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages))
    received = b""
    while chunk := service.recv(_CHUNK_BYTES):
        *lines, received = (received + chunk).split(b"\n")
        for line in lines:
            answer = json.loads(line)
            if answer.get("id") == 2:
                envelope = answer.get("result", {}).get("structuredContent", {})
                report: dict[str, Any] | None = (envelope.get("data") or envelope).get("metricsReport")
                return report
    return None


def show_usage(root: str, flags: Mapping[str, str], as_json: bool, style: Style) -> bool:
    """Prints the report, or how to get one; whether there is one."""
    settings = {name: value for name, value in flags.items() if name != "root"}
    report = metrics_report(root, settings, os.environ)
    if report is None:
        complain(NONE_RUNS.format(root=root))
        return False
    answer(json.dumps(report) + "\n" if as_json else as_text(report, style))
    return True


def as_text(report: Mapping[str, Any], style: Style) -> str:
    """Formats the report as a table, the tools by their names, the sum last."""
    head = ["tool", "calls", "errors", "tokens sent", "whole files, at most"]
    lines = [("all", report), *report["tools"].items()]
    rows = [[name, *(str(used[member]) for member in _MEMBERS)] for name, used in (*lines[1:], lines[0])]
    shown = table([head, *rows], style)
    return "\n".join([f"Since {report['since']}:", *shown, "", _MEANING]) + "\n"


_MEMBERS = ("calls", "errors", "tokensSent", "wholeFilesUpperBound")
_MEANING = (
    "The last column is what reading whole every file would have cost that an answer mentions: an upper bound of what "
    "was saved, as nobody reads all of them."
)
NONE_RUNS = (
    "no service runs for {root} with these settings. Start a client, or `codemap serve`, and ask again; a client can "
    "call map_status, whose metricsReport is the same; what serves a network has it at http://HOST:PORT/metrics."
)
