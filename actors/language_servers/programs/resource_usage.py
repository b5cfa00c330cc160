"""Measures the CPU time and memory of a process and its descendants, from /proc.

Source: proc(5). Where there is no /proc, nothing is known.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress

import msgspec

from actors.language_servers.programs.ports import Usage

_PARENT, _USER_TICKS, _SYSTEM_TICKS, _RESIDENT_PAGES = 1, 11, 12, 21
"""Positions in /proc/PID/stat after the name; the state is the first."""


class Line(msgspec.Struct, frozen=True):
    """The fields of one process in /proc."""

    parent: int
    cpu_ticks: int
    resident_pages: int


def usage_below(root: int) -> Usage | None:
    """Sums the usage of the descendants of a process; None where there are none or nothing is known."""
    table = processes()
    lines = [table[process] for process in descendants(root, table)]
    if not lines:
        return None
    return Usage(
        sum(line.resident_pages for line in lines) * os.sysconf("SC_PAGE_SIZE"),
        sum(line.cpu_ticks for line in lines) / os.sysconf("SC_CLK_TCK"),
        len(lines),
    )


def descendants(root: int, table: Mapping[int, Line]) -> list[int]:
    """Lists the living descendants of a process; orphans are not included."""
    children: dict[int, list[int]] = {}
    for process, line in table.items():
        children.setdefault(line.parent, []).append(process)
    found: list[int] = []
    pending = [root]
    while pending:
        below = children.get(pending.pop(), [])
        found += below
        pending += below
    return found


def processes() -> dict[int, Line]:
    """Reads all processes that run now; a few microseconds each."""
    names: Iterable[str] = ()
    with suppress(OSError):
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    return {int(name): line for name in names if (line := _line(name)) is not None}


def _line(process: str) -> Line | None:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()  # the name in parentheses may hold anything
    except OSError:
        return None
    cpu_ticks = int(fields[_USER_TICKS]) + int(fields[_SYSTEM_TICKS])
    return Line(int(fields[_PARENT]), cpu_ticks, int(fields[_RESIDENT_PAGES]))
