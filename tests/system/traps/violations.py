"""What must not be among the things that were witnessed, a sentence for each."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tests.system.traps.traced import Changed, Mapped, Reached, Started, Stillborn
from tests.system.traps.visit import Report

SERVER_CACHES = ("cache/go-build", "cache/gopls", "go")
"""Folders of the user that language servers keep by themselves, wherever they are started."""


def sprung(report: Report) -> list[str]:
    """The traps that were run or imported, by their own account."""
    return _once(report.sprung)


def audited(report: Report) -> list[str]:
    """What Python processes took as code from under the root, or where they would have."""
    return _once(report.seen.found)


def programs(report: Report) -> list[str]:
    """Programs and libraries of the root that were started or mapped, and programs that were looked up by a relative
    name; a failed attempt is one, as only the trap's absence made it fail."""
    found = []
    for event in report.events:
        match event:
            case Started() if _is_under(report.visitor.mark.root, event.path):
                found.append(f"starts {event.words}")
            case Mapped() if _is_under(report.visitor.mark.root, event.path):
                found.append(f"{event.by} maps {event.path}")
            case _:
                pass
    return _once(found)


def interpreters(report: Report) -> list[str]:
    """Python processes that the root is the working folder of, and that are not isolated from it."""
    return _once(
        f"runs in {event.folder}: {event.words}"
        for event in report.events
        if isinstance(event, Started) and _is_python(event.words) and _is_under(report.visitor.mark.root, event.folder)
        if not _is_isolated(event.words) and not _is_first(report, event.words)
    )


def unseen(report: Report) -> list[str]:
    """Python processes without an audit hook, but for those whose parent killed them before they ran any code."""
    killed = {event.process for event in report.events if isinstance(event, Stillborn)}
    own = {str(report.visitor.environment.python), str(report.visitor.environment.codemap)}
    return _once(
        event.words
        for event in report.events
        if isinstance(event, Started) and event.is_done and event.path in own
        if event.process not in report.seen.processes | killed
    )


def written(report: Report) -> list[str]:
    """What was changed elsewhere than in the cache, the runtime folder, the configuration and the temporary folder of
    the user. In the root, an attempt is enough."""
    visitor = report.visitor
    allowed = [
        *(visitor.home / name / "codemap" for name in ("cache", "runtime", "config")),
        *(visitor.home / name for name in SERVER_CACHES),
        visitor.home / "tmp",
        *(Path("/dev") / name for name in ("null", "tty")),
        visitor.environment.log,
    ]
    found = []
    for event in report.events:
        if not isinstance(event, Changed) or any(_is_under(place, event.path) for place in allowed):
            continue
        is_in_root = _is_under(visitor.mark.root, event.path)
        if is_in_root or (event.is_done and not _is_compiled(event.path)):
            found.append(f"{event.by}: {event.call} {event.path}")
    return _once(found)


def reached(report: Report) -> list[str]:
    """Addresses that anything was sent to."""
    return _once(f"{event.by} reaches {event.address}" for event in report.events if isinstance(event, Reached))


def _once(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(found))


def _is_under(folder: Path, path: str) -> bool:
    return path == str(folder) or path.startswith(f"{folder}{os.sep}")


def _is_python(words: str) -> bool:
    return os.path.basename(words.partition(" ")[0]).startswith("python")


def _is_isolated(words: str) -> bool:
    return "-I" in words.split()[1:4]


def _is_first(report: Report, words: str) -> bool:
    """Whether this is the command that the user gave, wherever the user stood."""
    return str(report.visitor.environment.codemap) in words.split()[:3]


def _is_compiled(path: str) -> bool:
    return "/__pycache__" in path
