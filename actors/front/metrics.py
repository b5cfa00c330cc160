"""Metrics of the process for `GET /metrics`: calls, delays, clients, actors, and the age of the index."""

from __future__ import annotations

import gc
import os
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import trio

from actors.front.call import Reply
from actors.front.prometheus import Family, Histogram, Kind, text_of
from actors.front.transports.clients import ClientsStatistics
from actors.front.transports.network_door import DoorStatistics
from actors.front.transports.session_limits import SessionPlacesStatistics
from actors.processes.resident_memory import resident_bytes
from actors.service.service import Service
from codemap.graph.model.snapshot import Snapshot
from codemap.tools import Tool

LAG_EVERY_S = 0.25
"""Interval at which the delay of the event loop is measured."""
NS = 1_000_000_000


class Metrics:
    """Counts all calls, and measures how late the event loop runs what is due."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, str, str]] = Counter()
        self._seconds: defaultdict[tuple[str, str], Histogram] = defaultdict(Histogram)
        self._lag = Histogram()
        self._started_s = time.time()

    def record(self, root: str, tool: Tool, reply: Reply) -> None:
        """Counts a call; `root` is the name under which it is served."""
        self._calls[root, tool.name, reply.code] += 1
        self._seconds[root, tool.name].add(reply.duration_ms / 1000)

    async def watch_loop(self) -> None:
        """Measures the loop until cancelled."""
        while True:
            due = trio.current_time() + LAG_EVERY_S
            await trio.sleep_until(due)
            self._lag.add(trio.current_time() - due)

    def text(
        self,
        clients: ClientsStatistics,
        sessions: SessionPlacesStatistics,
        doors: Sequence[DoorStatistics],
        services: Mapping[str, Service[Snapshot]],
    ) -> str:
        """Formats all metrics for Prometheus. `services` are those that run, by name."""
        families = [
            Family(
                "codemap_calls_total",
                "counter",
                "Answered tool calls; code is ok or that of the error.",
                tuple(
                    ({"root": root, "tool": tool, "code": code}, float(count))
                    for (root, tool, code), count in sorted(self._calls.items())
                ),
            ),
            Family(
                "codemap_call_seconds",
                "histogram",
                "Time from a call to its answer.",
                tuple(({"root": root, "tool": tool}, one) for (root, tool), one in sorted(self._seconds.items())),
            ),
            Family("codemap_loop_lag_seconds", "histogram", "How late the loop ran what was due.", (({}, self._lag),)),
            *_of_clients(clients),
            *_of_sessions(sessions),
            *(_of_door(reduce(add, doors)) if doors else ()),
            *_of_services(services),
            *_of_process(self._started_s),
        ]
        return text_of(families)


def _plain(name: str, kind: Kind, about: str, value: float) -> Family:
    return Family(name, kind, about, (({}, value),))


def _of_clients(clients: ClientsStatistics) -> list[Family]:
    return [
        _plain("codemap_clients", "gauge", "Connected clients.", clients.connected),
        _plain("codemap_clients_total", "counter", "Clients since the start.", clients.total),
        _plain(
            "codemap_clients_turned_away_total", "counter", "Clients for whom there was no room.", clients.turned_away
        ),
        _plain("codemap_messages_total", "counter", "Valid messages of all clients.", clients.received),
        _plain(
            "codemap_messages_refused_total", "counter", "Frames that were no message, and busy answers.",
            clients.refused,
        ),
        _plain("codemap_requests_outstanding", "gauge", "Requests without an answer yet.", clients.outstanding),
    ]  # fmt: skip


def _of_sessions(sessions: SessionPlacesStatistics) -> list[Family]:
    return [
        _plain("codemap_http_sessions", "gauge", "Open sessions over HTTP.", sessions.open),
        _plain(
            "codemap_http_sessions_evicted_total", "counter", "Sessions that had to go for others.", sessions.evicted
        ),
        _plain("codemap_http_sessions_refused_total", "counter", "Clients for whom none could go.", sessions.refused),
    ]


def _of_door(door: DoorStatistics) -> list[Family]:
    return [
        _plain("codemap_handshakes", "gauge", "Connections that are not clients yet.", door.half_open),
        Family(
            "codemap_handshakes_failed_total",
            "counter",
            "Connections that became no clients, by why.",
            (
                ({"why": "refused"}, float(door.refused)),
                ({"why": "timed out"}, float(door.timed_out)),
                ({"why": "crowded out"}, float(door.crowded_out)),
            ),
        ),
    ]


def _of_services(services: Mapping[str, Service[Snapshot]]) -> list[Family]:
    ages: list[tuple[Mapping[str, str], float | Histogram]] = []
    versions, files, pending = list(ages), list(ages), list(ages)
    sent, whole_files = list(ages), list(ages)
    actors: dict[str, list[tuple[Mapping[str, str], float | Histogram]]] = {name: [] for name in _OF_ACTORS}
    for root, service in services.items():
        labels = {"root": root}
        published = service.latest.get()
        if published is not None:
            ages.append((labels, (time.time_ns() - published.built_ns) / NS))
            versions.append((labels, float(published.version)))
            files.append((labels, float(len(published.files))))
        for tool, used in service.usage.by_tool().items():
            sent.append(({**labels, "tool": tool}, float(used.tokens_sent)))
            whole_files.append(({**labels, "tool": tool}, float(used.whole_files)))
        pending.append((labels, float(len(service.watching.pending.paths))))
        for actor, statistics in service.statistics().items():
            for key in _OF_ACTORS:
                value = _number(statistics, key)
                if value is not None:
                    actors[key].append(({**labels, "actor": actor}, value))
    return [
        Family("codemap_index_age_seconds", "gauge", "Time since the map was last changed.", tuple(ages)),
        Family("codemap_index_version", "gauge", "Maps since the start.", tuple(versions)),
        Family("codemap_index_files", "gauge", "Source files in the map.", tuple(files)),
        Family("codemap_tokens_sent_total", "counter", "Tokens of the replies.", tuple(sent)),
        Family(
            "codemap_whole_files_tokens_total",
            "counter",
            "Tokens of all files that the replies mention, read whole: an upper bound.",
            tuple(whole_files),
        ),
        Family("codemap_changes_pending", "gauge", "Changed files that the map does not have yet.", tuple(pending)),
        *(Family(name, kind, about, tuple(actors[key])) for key, (name, kind, about) in _OF_ACTORS.items()),
    ]


_OF_ACTORS: Mapping[str, tuple[str, Kind, str]] = {
    "restarts": ("codemap_restarts_total", "counter", "Restarts of a group of actors."),
    "queued": ("codemap_queue_depth", "gauge", "Messages that wait for an actor."),
    "asksOpen": ("codemap_asks_open", "gauge", "Questions that an actor has not answered."),
    "lives": ("codemap_lives_total", "counter", "Times that an actor began."),
}
"""The metrics of each actor, by the names of its `statistics()`."""


def _number(statistics: Mapping[str, Any], key: str) -> float | None:
    value = statistics.get(key)
    return float(value) if isinstance(value, (int, float)) else None


def _of_process(started_s: float) -> list[Family]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    families = [
        _plain("process_start_time_seconds", "gauge", "When the process began to serve.", round(started_s, 3)),
        _plain("process_cpu_seconds_total", "counter", "Processor time.", round(used.ru_utime + used.ru_stime, 3)),
        _plain("python_gc_collections_total", "counter", "Garbage collections of all generations.", _collections()),
        _plain("process_resident_memory_bytes", "gauge", "Resident memory.", resident_bytes()),
    ]
    descriptors = _descriptors()
    if descriptors is not None:
        families.append(_plain("process_open_fds", "gauge", "Open file descriptors.", descriptors))
    return families


def _collections() -> int:
    return sum(generation["collections"] for generation in gc.get_stats())


def _descriptors() -> int | None:
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return None
