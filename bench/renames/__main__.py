"""Random symbols renamed by `nav_rename` and written: does the type checker, and the suite, say the same as before?

    python -m bench.renames sqlparse mistune --count 100

Each symbol is renamed in a copy of a released package by a service over a real language server, with edits allowed;
then the checks run, and the copy is put back. What was refused is tried again with the refusal overruled: where the
checks then say something else, the reason held. Prints a row of the table in `RENAMES.md` for each package, and each
failure and refusal on stderr.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
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
from bench.renames.checks import Check, Outcome, outcomes
from bench.renames.corpora import CORPORA, Corpus
from bench.tables import table_row
from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import TOOLS
from tests.system.live import only

SUFFIX = "Renamed"
CALL_S = 120
TRIES = 40
KINDS = frozenset(SymbolKind) - {SymbolKind.FILE, SymbolKind.MODULE}
OVERRULED = ["missed", "collision", "contradicted", "incomplete", "breaks"]


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
    asked_s: float = 0.0
    checked_s: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", choices=CORPORA)
    parser.add_argument("--count", type=int, default=200, help="symbols of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600, help="after so long no other symbol of it is begun")
    given = parser.parse_args()
    for name in given.corpora:
        corpus = CORPORA[name]()
        begun = time.monotonic()
        tally = trio.run(_measure, corpus, given.count, given.seed, given.seconds)
        print(_row(name, corpus, tally), flush=True)
        shares = f"{tally.asked_s:.0f} s renaming, {tally.checked_s:.0f} s checking"
        print(f"{name}: {time.monotonic() - begun:.0f} s, of these {shares}", file=sys.stderr)


def _row(name: str, corpus: Corpus, tally: Tally) -> str:
    reasons = ", ".join(f"{reason} {count}" for reason, count in tally.refused.most_common())
    cannot = "; ".join(f"{why} ({count})" for why, count in tally.cannot.most_common())
    counts = (tally.tried, tally.same, tally.differs, tally.refused.total(), reasons, tally.held, tally.added)
    return table_row(corpus.language, name, *counts, cannot)


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
        checks = corpus.checks(root)
        before = outcomes(checks, root, corpus.is_complaint, corpus.environment)
        async with open_service(settings, open_disk(str(root), settings), SingleUseBuilder(), live=live) as service:
            await service.wait_built()
            published = service.latest.get()
            assert published is not None
            ids = _symbols(published.snapshot)
            random.Random(seed).shuffle(ids)
            trial = Trial(service, settings, corpus, root, kept, checks, before, tally)
            until = trio.current_time() + seconds
            for node_id in ids[:count]:
                if trio.current_time() > until:
                    break
                await _try(trial, node_id)
    return tally


class Trial(msgspec.Struct, frozen=True):
    """A copy of a package in which symbols are renamed, one after the other."""

    service: Service[Snapshot]
    settings: Settings
    corpus: Corpus
    root: Path
    kept: Path
    """The package as it was."""
    checks: Sequence[Check]
    before: Sequence[Outcome]
    """What the checks say of it."""
    tally: Tally

    async def rename(self, node_id: str, **more: Any) -> dict[str, Any]:
        """The reply, asked for again while the map or the server is not ready."""
        [tool] = [tool for tool in TOOLS if tool.name == "nav_rename"]
        name = re.split(r"[.#]", node_id.partition("~")[0])[-1] + SUFFIX
        arguments = {"nodeId": node_id, "newName": name, "apply": True, "tokenBudget": 10_000, **more}
        begun = time.monotonic()
        for _ in range(TRIES):
            with trio.fail_after(CALL_S):
                envelope: dict[str, Any] = (await call(self.service, self.settings, tool, arguments)).envelope
            code = envelope.get("error", {}).get("code")
            if code not in ("LSP_TIMEOUT", "MAP_NOT_BUILT") and "still" not in str(envelope):
                break
            await trio.sleep(0.5)
        self.tally.asked_s += time.monotonic() - begun
        return envelope

    async def complaints(self) -> list[str]:
        """Which checks say something else than before, and what; empty where all say the same."""
        begun = time.monotonic()
        changed = {path for path, file in self._files() if file.read_bytes() != (self.kept / path).read_bytes()}
        run = partial(outcomes, self.checks, self.root, self.corpus.is_complaint, self.corpus.environment)
        after = await trio.to_thread.run_sync(run, changed, self.before)
        self.tally.checked_s += time.monotonic() - begun
        return [str(sorted(set(a) ^ set(b))) for a, b in zip(self.before, after, strict=True) if a != b]

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


async def _try(trial: Trial, node_id: str) -> None:
    """Renames a symbol, and puts the copy back."""
    tally = trial.tally
    tally.tried += 1
    envelope = await trial.rename(node_id)
    if not envelope["ok"]:
        tally.cannot[_plain(envelope["error"]["message"])] += 1
        print("cannot", node_id, envelope["error"]["message"], file=sys.stderr)
        return
    if refusals := envelope["data"].get("refused"):
        await _overrule(trial, node_id, refusals)
    elif differing := await trial.complaints():
        tally.differs += 1
        print("differs", node_id, *differing, file=sys.stderr)
    else:
        tally.same += 1
    await trial.restore()


async def _overrule(trial: Trial, node_id: str, refusals: Sequence[Mapping[str, Any]]) -> None:
    """Tries a refused rename again, and finds out whether the reason held."""
    tally = trial.tally
    reasons = {one["reason"] for one in refusals}
    tally.refused["+".join(sorted(reasons))] += 1
    again = await trial.rename(node_id, allow=OVERRULED)
    is_applied = again["ok"] and again["data"].get("applied", False)
    holds = not is_applied or bool(await trial.complaints())
    tally.held += holds
    await trial.restore()
    if reasons == {"missed"}:
        again = await trial.rename(node_id, addMissed=True)
        tally.added += again["ok"] and "applied" in again["data"] and not await trial.complaints()
    places = [(one["reason"], one["why"], one.get("at", [])[:3]) for one in refusals]
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


def _plain(message: str) -> str:
    return re.sub(r"\S+ cannot be renamed", "cannot be renamed", message)[:90]


if __name__ == "__main__":
    main()
