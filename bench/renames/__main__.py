"""Random symbols renamed by `nav_rename` and written: does the type checker, and the suite, say the same as before?

    python -m bench.renames pluggy --count 200

Each symbol is renamed in a copy of a released package by a service over a real language server, with edits allowed;
then the checks run, and the copy is put back. What was refused is tried again with the refusal overruled: where the
checks then say something else, the reason held. Prints a row of the table in `RENAMES.md`, and each failure on stderr.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import trio

from actors.front.call import call
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.language_servers.programs.real_ports import open_language_ports
from actors.service.real_ports import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from bench.renames.corpora import CORPORA, Corpus
from bench.tables import table_row
from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import TOOLS
from tests.system.live import only

SUFFIX = "Renamed"
CHECK_S = 300
CALL_S = 120
TRIES = 40
KINDS = frozenset(SymbolKind) - {SymbolKind.FILE, SymbolKind.MODULE}
OVERRULED = ["missed", "collision", "contradicted", "incomplete", "breaks"]

Outcome = tuple[tuple[str, int], ...]
"""What checks say: each complaint without its place and the names in it, and how often."""


class Tally(msgspec.Struct):
    tried: int = 0
    same: int = 0
    differs: int = 0
    cannot: Counter[str] = msgspec.field(default_factory=Counter)
    """By what the server says."""
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    """By reason."""
    held: int = 0
    """Of the refused: overruled, the checks say something else."""
    added: int = 0
    """Of those that the server misses uses of: with these added, the checks say the same."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", choices=CORPORA)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600, help="after so long no other symbol is begun")
    given = parser.parse_args()
    tally = trio.run(_measure, CORPORA[given.corpus](), given.count, given.seed, given.seconds)
    refused = tally.refused.total()
    reasons = ", ".join(f"{reason} {count}" for reason, count in tally.refused.most_common())
    cannot = "; ".join(f"{why} ({count})" for why, count in tally.cannot.most_common())
    cells = (tally.tried, tally.same, tally.differs, refused, reasons, tally.held, tally.added, cannot)
    print(table_row(given.corpus, *cells))


async def _measure(corpus: Corpus, count: int, seed: int, seconds: float) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        root = corpus.fetch(Path(folder)).resolve()
        corpus.prepare(root)
        kept = Path(folder) / "kept"
        shutil.copytree(root, kept)
        settings = Settings(
            store="off",
            workers=1,
            verify="off",
            server_programs=only(corpus.server),
            edits="on",
            trust_repository="off",
        )
        live = open_language_ports(str(root), settings)
        before = _outcome(corpus, root)
        async with open_service(settings, open_disk(str(root), settings), SingleUseBuilder(), live=live) as service:
            await service.wait_built()
            published = service.latest.get()
            assert published is not None
            ids = _symbols(published.snapshot)
            random.Random(seed).shuffle(ids)
            trial = Trial(service, settings, corpus, root, kept, before)
            until = trio.current_time() + seconds
            for node_id in ids[:count]:
                if trio.current_time() > until:
                    break
                await _try(trial, node_id, tally)
    return tally


class Trial(msgspec.Struct, frozen=True):
    """A copy of a package in which symbols are renamed, one after the other."""

    service: Service[Snapshot]
    settings: Settings
    corpus: Corpus
    root: Path
    kept: Path
    """The package as it was."""
    before: Outcome
    """What the checks say of it."""

    async def rename(self, node_id: str, **more: Any) -> dict[str, Any]:
        """The reply, asked for again while the map or the server is not ready."""
        [tool] = [tool for tool in TOOLS if tool.name == "nav_rename"]
        name = re.split(r"[.#]", node_id.partition("~")[0])[-1] + SUFFIX
        arguments = {"nodeId": node_id, "newName": name, "apply": True, "tokenBudget": 10_000, **more}
        for _ in range(TRIES):
            with trio.fail_after(CALL_S):
                envelope: dict[str, Any] = (await call(self.service, self.settings, tool, arguments)).envelope
            code = envelope.get("error", {}).get("code")
            if code not in ("LSP_TIMEOUT", "MAP_NOT_BUILT") and "still" not in str(envelope.get("data")):
                break
            await trio.sleep(0.5)
        return envelope

    def outcome(self) -> Outcome:
        return _outcome(self.corpus, self.root)

    async def restore(self) -> None:
        for file in self.kept.rglob("*"):
            there = self.root / file.relative_to(self.kept)
            if file.is_file() and there.read_bytes() != file.read_bytes():
                there.write_bytes(file.read_bytes())
        await self.service.rebuild()


async def _try(trial: Trial, node_id: str, tally: Tally) -> None:
    """Renames a symbol, and puts the copy back."""
    tally.tried += 1
    envelope = await trial.rename(node_id)
    if not envelope["ok"]:
        tally.cannot[_plain(envelope["error"]["message"])] += 1
        print("cannot", node_id, envelope["error"]["message"], file=sys.stderr)
        return
    if refusals := envelope["data"].get("refused"):
        await _overrule(trial, node_id, refusals, tally)
    elif (after := trial.outcome()) == trial.before:
        tally.same += 1
    else:
        tally.differs += 1
        print("differs", node_id, set(after) ^ set(trial.before), file=sys.stderr)
    await trial.restore()


async def _overrule(trial: Trial, node_id: str, refusals: Sequence[Mapping[str, Any]], tally: Tally) -> None:
    """Tries a refused rename again, and finds out whether the reason held."""
    reasons = {one["reason"] for one in refusals}
    tally.refused["+".join(sorted(reasons))] += 1
    again = await trial.rename(node_id, allow=OVERRULED)
    is_applied = again["ok"] and again["data"].get("applied", False)
    holds = not is_applied or trial.outcome() != trial.before
    tally.held += holds
    await trial.restore()
    if reasons == {"missed"}:
        again = await trial.rename(node_id, addMissed=True)
        tally.added += again["ok"] and "applied" in again["data"] and trial.outcome() == trial.before
    places = [(one["reason"], one.get("at", [])[:3]) for one in refusals]
    print("refused", node_id, holds, places, file=sys.stderr)


def _symbols(snapshot: Snapshot) -> list[str]:
    """The IDs of definitions of the product that have a name of their own."""
    found = []
    for file in snapshot.files:
        if role_of(file.path) is not Role.PRODUCT:
            continue
        for node in range(file.base + 1, file.base + file.symbol_count):
            name = snapshot.name_of(node)
            flags = snapshot.cell(node, Symbol.FLAGS)
            is_named = name.isidentifier() and not flags & SymbolFlag.UNNAMED and not name.startswith("__")
            if snapshot.kind_of(node) in KINDS and is_named and name not in ("constructor", "main", "init", "_"):
                found.append(snapshot.id_of(node))
    return found


def _outcome(corpus: Corpus, root: Path) -> Outcome:
    complaints: Counter[str] = Counter()
    environment = {**os.environ, **corpus.environment}
    for command in corpus.commands(root):
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=CHECK_S, check=False
        )
        for line in (done.stdout + done.stderr).splitlines():
            if match := corpus.is_complaint.match(line):
                complaints[" ".join(filter(None, match.groups()))] += 1
        complaints[f"exit {done.returncode}"] += 1
    return tuple(sorted(complaints.items()))


def _plain(message: str) -> str:
    return re.sub(r"\S+ cannot be renamed", "cannot be renamed", message)[:90]


if __name__ == "__main__":
    main()
