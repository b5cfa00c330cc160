"""Finds facts that come from neither a language server nor a single file: versions, measures, reports, many names."""

from __future__ import annotations

from actors.front.measured_facts import measured_fact
from actors.front.names_facts import names_fact
from actors.front.report_facts import report_fact
from actors.front.version_facts import version_fact
from actors.service.places import Places
from actors.service.service import Service
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Because, Fact, Measured, Missed, NamesRead, NamesSought, ReportOf, ServiceQuestion


async def asked_fact(
    service: Service[Snapshot],
    snapshot: Snapshot | None,
    own: Snapshot | None,
    places: Places,
    question: ServiceQuestion,
    deadline: float,
) -> Fact:
    """Answers such a question until a deadline by Trio's clock. `own` is the map of the root that is asked alone."""
    if isinstance(question, ReportOf):
        return await report_fact(service.ports, question, deadline)
    if snapshot is None or own is None:
        return Missed(Because.NOT_READY, "There is no map yet")
    match question:
        case Measured():
            return await measured_fact(service, snapshot, question, deadline)
        case NamesSought() | NamesRead():
            return await names_fact(service, snapshot, question, deadline)
        case _:
            return await version_fact(service, snapshot, own, places, question, deadline)
