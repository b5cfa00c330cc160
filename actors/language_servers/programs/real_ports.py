"""The real ports of live navigation: installed programs, processes of the system."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable
from importlib.metadata import version
from itertools import islice

import trio

from actors.files.trust import TrustWatch, territory, trust_file
from actors.language_servers.programs.find_program import search
from actors.language_servers.programs.ports import LanguagePorts
from actors.language_servers.programs.process import SystemProcesses
from actors.language_servers.programs.program import Candidate
from codemap.facts import Symbol, SymbolKind
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.words.word_files import files_with, is_large
from codemap.live_queries import At
from codemap.settings import Settings

DEFINITIONS_MAX = 3
"""Most definitions by which a server is tested."""

_FOUND_BY_ANY = (SymbolKind.CLASS, SymbolKind.FUNCTION)
"""Kinds of definitions that every server finds when asked at their names."""

READ_AT_ONCE = 8
"""Files read in one step, in about a millisecond."""


def open_language_ports(root: str, settings: Settings) -> LanguagePorts | None:
    """Makes the ports for one repository; None where the settings want no live navigation. Nothing is started."""
    if settings.live == "off":
        return None
    file = trust_file(os.environ)
    own = os.path.dirname(sys.executable)
    packages = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    return LanguagePorts(
        find=search(root, settings, environment=os.environ, own=own, installed=packages, trust_file=file),
        trust=TrustWatch(file, territory(os.path.realpath(root))).stance,
        processes=SystemProcesses(),
        version=version("codemap"),
        mentioning=_mentioning,
        definitions=_definitions,
        packages=lambda snapshot: frozenset(name for _, name in snapshot.externals),
        memory_max_mb=settings.server_memory_mb,
    )


async def _mentioning(snapshot: Snapshot, name: str) -> Iterable[str]:
    """Finds files that mention a name; reads each file's marks the first time, a few at a time. Of a map too large for
    that, only files that have the name as a word: none that an operator or a literal brings to it."""
    if snapshot.references is None:
        return ()
    is_by_word = is_large(snapshot) and name.isidentifier() and not name.startswith("__")
    files = files_with(snapshot, name) if is_by_word else snapshot.files
    for count, _ in enumerate(snapshot.references.add(files)):
        if count % READ_AT_ONCE == 0:
            await trio.lowlevel.checkpoint()
    return tuple(snapshot.references.paths(name))


def _definitions(snapshot: Snapshot, file: str) -> Iterable[Candidate]:
    """Finds the first few functions and classes of a file."""
    indexed = snapshot.by_path.get(file)
    if indexed is None:
        return []
    cells, width = indexed.symbols, Symbol.WIDTH
    starts = (at for at in range(width, len(cells), width) if cells[at + Symbol.KIND] in _FOUND_BY_ANY)
    return [
        Candidate(At(file, cells[at + Symbol.LINE], cells[at + Symbol.COL]), indexed.name_of(at // width))
        for at in islice(starts, DEFINITIONS_MAX)
    ]
