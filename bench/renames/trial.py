"""A copy of a package in which symbols are renamed, over a real language server, and which is put back afterwards."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import trio

from actors.front.call import call
from actors.service.service import Service
from bench.renames.checks import Check, Outcome, difference
from bench.renames.corpora import Corpus
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import TOOLS

SUFFIX = "Renamed"
CALL_S = 120
TRIES = 60
_NOT_READY = ("LSP_TIMEOUT", "MAP_NOT_BUILT")


class Spent(msgspec.Struct):
    """Seconds."""

    renaming: float = 0.0
    checking: float = 0.0


class Trial(msgspec.Struct, frozen=True):
    service: Service[Snapshot]
    settings: Settings
    corpus: Corpus
    root: Path
    kept: Path
    """The package as it was."""
    checks: Sequence[Check]
    before: Sequence[Outcome]
    """What the checks say of it."""
    spent: Spent

    async def rename(self, node_id: str, **more: Any) -> dict[str, Any]:
        """The reply, asked for again while the map or the server is not ready."""
        [tool] = [tool for tool in TOOLS if tool.name == "nav_rename"]
        name = re.split(r"[.#]", node_id.partition("~")[0])[-1] + SUFFIX
        arguments = {"nodeId": node_id, "newName": name, "apply": True, "tokenBudget": 10_000, **more}
        begun = time.monotonic()
        for _ in range(TRIES):
            with trio.fail_after(CALL_S):
                envelope: dict[str, Any] = (await call(self.service, self.settings, tool, arguments)).envelope
            is_applied = envelope["ok"] and "applied" in envelope["data"]
            if is_applied or not _is_early(envelope):
                break
            await trio.sleep(0.5)
        self.spent.renaming += time.monotonic() - begun
        return envelope

    async def complaint(self) -> str:
        """What the first check says that says something else than before; empty where all say the same."""
        begun = time.monotonic()
        changed = {path for path, file in self._files() if file.read_bytes() != (self.kept / path).read_bytes()}
        run = partial(difference, self.checks, self.root, self.corpus.is_complaint, self.corpus.environment)
        found = await trio.to_thread.run_sync(run, changed, self.before)
        self.spent.checking += time.monotonic() - begun
        return found

    async def restore(self) -> None:
        for path, file in self._files():
            text = (self.kept / path).read_bytes()
            if file.read_bytes() != text:
                file.write_bytes(text)
        await self.service.rebuild()

    def _files(self) -> Iterable[tuple[str, Path]]:
        """Path below the root -> the file, of all that the package has."""
        names = (file.relative_to(self.kept).as_posix() for file in self.kept.rglob("*") if file.is_file())
        return ((name, self.root / name) for name in names)


def _is_early(envelope: Mapping[str, Any]) -> bool:
    """Whether the map or the server was not ready, or the server did not answer on a busy machine."""
    error = envelope.get("error", {})
    is_silent = "does not answer" in error.get("message", "")
    return error.get("code") in _NOT_READY or is_silent or "still" in str(envelope)
