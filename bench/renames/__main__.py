"""Random symbols renamed by `nav_rename` and written: does the type checker, and the suite, say the same as before?

    python -m bench.renames sqlparse mistune --count 100 [--kept FOLDER]

Each symbol is renamed in a copy of a released package by a service over a real language server, with edits allowed;
then the checks run, and the copy is put back. Some symbols are renamed one after the other before the checks run; where
these say something else, each is tried alone. What was refused is tried again with the refusal overruled: where the
checks then say something else, the reason held. Prints a row of the table in `RENAMES.md` for each package, and each
failure and refusal on stderr. With `--kept`, a run goes on where the last one in that folder ended.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import trio

from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.language_servers.programs.real_ports import open_language_ports
from actors.service.real_ports import open_disk
from actors.service.wiring import open_service
from bench.renames.checks import first_outcome
from bench.renames.corpora import CORPORA, Corpus
from bench.renames.kept import Kept, Result, cells
from bench.renames.trial import Spent, Trial
from bench.tables import table_row
from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from tests.system.live import only

TOGETHER = 8
"""Symbols that are renamed before the checks run."""
ROUNDS = 10
"""Calls with further places of a refusal, at most."""
KINDS = frozenset(SymbolKind) - {SymbolKind.FILE, SymbolKind.MODULE}
OVERRULED = ["missed", "undecided", "collision", "contradicted", "incomplete", "breaks"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", choices=CORPORA)
    parser.add_argument("--count", type=int, default=200, help="symbols of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600, help="after so long no other symbol of it is begun")
    parser.add_argument("--kept", type=Path, help="a folder in which results are kept")
    given = parser.parse_args()
    for name in given.corpora:
        corpus, spent, begun = CORPORA[name](), Spent(), time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            kept = Kept((given.kept or Path(folder)) / f"{name}-{given.seed}.jsonl")
            trio.run(_measure, corpus, kept, spent, given.count, given.seed, given.seconds)
        print(table_row(corpus.language, name, *cells(kept.results)), flush=True)
        shares = f"{spent.renaming:.0f} s renaming, {spent.checking:.0f} s checking"
        print(f"{name}: {time.monotonic() - begun:.0f} s, of these {shares}", file=sys.stderr)


async def _measure(corpus: Corpus, kept: Kept, spent: Spent, count: int, seed: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = corpus.fetch(Path(folder)).resolve()
        corpus.prepare(root)
        unchanged = Path(folder) / "kept"
        shutil.copytree(root, unchanged)
        corpus.provide(root)
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
        before = [first_outcome(check, root, corpus.is_complaint, corpus.environment) for check in checks]
        async with open_service(settings, open_disk(str(root), settings), SingleUseBuilder(), live=live) as service:
            await service.wait_built()
            published = service.latest.get()
            assert published is not None
            ids = [published.snapshot.id_of(node) for node in find_symbols(published.snapshot)]
            random.Random(seed).shuffle(ids)
            trial = Trial(service, settings, corpus, root, unchanged, checks, before, spent)
            until = trio.current_time() + seconds
            known = kept.known
            left = [one for one in ids[:count] if one not in known]
            for begin in range(0, len(left), TOGETHER):
                if trio.current_time() > until:
                    break
                await _try_together(trial, kept, left[begin : begin + TOGETHER])


async def _try_together(trial: Trial, kept: Kept, node_ids: Sequence[str]) -> None:
    """Renames some symbols, checks once, and tries those alone for which that is not enough."""
    applied: list[str] = []
    others: list[str] = []
    for node_id in node_ids:
        envelope = await trial.rename(node_id)
        is_applied = envelope["ok"] and "applied" in envelope["data"]
        (applied if is_applied else others).append(node_id)
        if is_applied:
            await trial.service.rebuild()
    if applied and await trial.complaint():
        applied, others = [], [*applied, *others]
    await trial.restore()
    for node_id in applied:
        kept.add(Result(node_id, "same"))
    for node_id in others:
        result = await _try(trial, node_id)
        kept.add(result)
        if result.outcome != "same":
            print(*(getattr(result, name) for name in result.__struct_fields__), file=sys.stderr)


async def _try(trial: Trial, node_id: str) -> Result:
    """Renames a symbol, and puts the copy back."""
    envelope = await trial.rename(node_id)
    if not envelope["ok"]:
        return Result(node_id, "cannot", _plain(envelope["error"]["message"]))
    if refusals := envelope["data"].get("refused"):
        return await _overrule(trial, node_id, refusals)
    differing = await trial.complaint()
    await trial.restore()
    return Result(node_id, "differs" if differing else "same", differing)


async def _overrule(trial: Trial, node_id: str, refusals: Sequence[Mapping[str, Any]]) -> Result:
    """Tries a refused rename again, and finds out whether the reason held."""
    reasons = tuple(sorted({one["reason"] for one in refusals}))
    again = await trial.rename(node_id, allow=OVERRULED)
    is_applied = again["ok"] and again["data"].get("applied", False)
    holds = not is_applied or bool(await trial.complaint())
    await trial.restore()
    is_added = await _add(trial, node_id, refusals)
    places = str([(one["reason"], one["why"], one.get("at", [])[:3]) for one in refusals])
    return Result(node_id, "refused", places, reasons, holds, is_added)


async def _add(trial: Trial, node_id: str, refusals: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the checks say the same where all that the refusals name is edited, too; of many places, replies name
    some at a time."""
    also: dict[str, None] = {}
    is_added = False
    for _ in range(ROUNDS):
        new = dict.fromkeys(place for one in refusals if one["reason"] == "undecided" for place in one.get("at", []))
        if not {one["reason"] for one in refusals} <= {"missed", "undecided"} or (new.keys() <= also.keys() and also):
            break
        also |= new
        again = await trial.rename(node_id, addMissed=True, also=list(also))
        refusals = again["data"].get("refused", []) if again["ok"] else []
        if not refusals:
            is_added = again["ok"] and "applied" in again["data"] and not await trial.complaint()
            break
    await trial.restore()
    return is_added


def find_symbols(snapshot: Snapshot) -> list[int]:
    """The definitions of the product that have a name of their own."""
    found = []
    for file in snapshot.files:
        if role_of(file.path) is not Role.PRODUCT:
            continue
        for node in range(file.base + 1, file.base + file.symbol_count):
            name = snapshot.name_of(node)
            flags = snapshot.cell(node, Symbol.FLAGS)
            is_named = name.isidentifier() and not flags & SymbolFlag.UNNAMED and not name.startswith("__")
            if snapshot.kind_of(node) in KINDS and is_named and name not in ("constructor", "main", "init", "_"):
                found.append(node)
    return found


def _plain(message: str) -> str:
    return re.sub(r"\S+ cannot be renamed", "cannot be renamed", message)[:90]


if __name__ == "__main__":
    main()
