"""Reads the reports of security and lint tools: from a file, or by running a tool."""

from __future__ import annotations

from functools import partial

import trio

from actors.ports import NoReport, Ports
from codemap.findings.finding import BadReport, Report
from codemap.findings.sarif import read_sarif
from codemap.live_queries import Because, Fact, Found, Missed, ReportOf

REPORT_MAX_BYTES = 32_000_000
"""Size limit of a report: some twenty thousand results with their code flows, read in a third of a second."""


async def report_fact(ports: Ports, question: ReportOf, deadline: float) -> Fact:
    """Reads or makes the report until a deadline by Trio's clock."""
    found: bytes | NoReport = NoReport("there was no time")
    with trio.move_on_at(deadline):
        if question.program:
            found = await ports.run_scanner(question.program, REPORT_MAX_BYTES)
        else:
            found = await ports.read_report(question.path, REPORT_MAX_BYTES)
    if isinstance(found, NoReport):
        return Missed(Because.UNAVAILABLE, found.why, found.hint)
    report = await ports.run_in_thread(partial(_read, found))
    return Missed(Because.REFUSED, str(report)) if isinstance(report, BadReport) else Found(report)


def _read(content: bytes) -> Report | BadReport:
    try:
        return read_sarif(content)
    except BadReport as error:
        return error
