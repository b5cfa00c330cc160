"""Random symbols renamed by `nav_rename` and written: does the type checker, and the suite, say the same as before?

    python -m bench.renames python --count 200

Each symbol is renamed in a copy of a released package by a service over a real language server, with edits allowed;
then the checks run, and the copy is put back. What was refused is tried again with the refusal overruled: where the
checks then say something else, the reason held. Prints a row of the table in `RENAMES.md`, and each failure on stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import trio

from actors.front.call import call
from actors.indexing.build import SingleUseBuilder
from actors.language_servers.programs.open import open_language_ports
from actors.service.disk import open_disk
from actors.service.wiring import open_service
from bench.tables import table_row
from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role, role_of
from codemap.graph.model.snapshot import Snapshot
from codemap.settings import Settings
from codemap.tools import TOOLS
from tests.system.corpora import debian_package, npm_package, sdist
from tests.system.live import only
from tests.system.servers import companions, programs

SUFFIX = "Renamed"
CHECK_S = 300
CALL_S = 120
TRIES = 40
KINDS = frozenset(SymbolKind) - {SymbolKind.FILE, SymbolKind.MODULE}
OVERRULED = ["missed", "collision", "contradicted", "incomplete", "breaks"]

Outcome = tuple[tuple[str, int], ...]
"""What checks say: each complaint without its place and the names in it, and how often."""


class Corpus(msgspec.Struct, frozen=True):
    server: str
    fetch: Callable[[Path], Path]
    prepare: Callable[[Path], None]
    commands: Callable[[Path], Sequence[Sequence[str]]]
    is_complaint: re.Pattern[str]
    environment: Mapping[str, str] = {}


def _python(name: str, version: str, tests: str) -> Corpus:
    ty = programs("ty") / "ty"
    check = [str(ty), "check", "--output-format", "concise", "--color", "never"]
    pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--no-header", tests]
    return Corpus(
        "ty",
        lambda target: sdist(name, version, target),
        lambda _root: None,
        lambda _root: [check, pytest],
        re.compile(r"^(\S+?):\d+:\d+: (\w+\[[\w-]+\])|^(FAILED|ERROR|\d+ passed)"),
        {"PYTHONPATH": "src", "PYTHONDONTWRITEBYTECODE": "1"},
    )


def _typescript(name: str, version: str) -> Corpus:
    tsc = programs("typescript") / "tsc"

    def prepare(root: Path) -> None:
        shutil.rmtree(root / "dist", ignore_errors=True)
        options = {
            "strict": True,
            "noEmit": True,
            "module": "esnext",
            "moduleResolution": "bundler",
            "target": "es2022",
        }
        (root / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["src"]}))

    return Corpus(
        "typescript",
        lambda target: npm_package(name, version, target),
        prepare,
        lambda _root: [[str(tsc), "-p", ".", "--pretty", "false"]],
        re.compile(r"^(\S+?)\(\d+,\d+\): (error TS\d+)"),
    )


def _go(name: str, version: str, folder: str) -> Corpus:
    go = companions("gopls")["go"]

    def prepare(root: Path) -> None:
        if not (root / "go.mod").exists():
            (root / "go.mod").write_text(f"module {folder.partition('/src/')[2]}\n\ngo 1.19\n")

    cache = tempfile.mkdtemp()
    return Corpus(
        "gopls",
        lambda target: debian_package(name, version, folder, target / "package"),
        prepare,
        lambda _root: [[str(go), "vet", "./..."]],
        re.compile(r"^(\S+?):\d+:(?:\d+:)? "),
        {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": cache, "GOTOOLCHAIN": "local"},
    )


def _cpp(name: str, version: str, within: str) -> Corpus:
    def prepare(root: Path) -> None:
        commands = [
            {"directory": str(root), "file": str(file), "arguments": ["g++", "-std=c++17", "-c", str(file)]}
            for file in sorted(root.rglob("*.cc"))
        ]
        (root / "compile_commands.json").write_text(json.dumps(commands))

    def commands(root: Path) -> list[list[str]]:
        return [["g++", "-std=c++17", "-fsyntax-only", str(file)] for file in sorted(root.rglob("*.cc"))]

    return Corpus(
        "clangd",
        lambda target: sdist(name, version, target) / within,
        prepare,
        commands,
        re.compile(r"^\S*?([^/\s:]+):\d+:\d+: (error)"),
    )


CORPORA: Mapping[str, Callable[[], Corpus]] = {
    "pluggy": lambda: _python("pluggy", "1.5.0", "testing"),
    "tinydb": lambda: _python("tinydb", "4.8.2", "tests"),
    "mobx": lambda: _typescript("mobx", "7.1.3"),
    "immer": lambda: _typescript("immer", "11.2.10"),
    "gorilla-mux": lambda: _go(
        "golang-github-gorilla-mux-dev", "1.8.0-1", "usr/share/gocode/src/github.com/gorilla/mux"
    ),
    "pflag": lambda: _go(
        "golang-github-spf13-pflag-dev",
        "1.0.6~git20210604-d5e0c0615ace-1",
        "usr/share/gocode/src/github.com/spf13/pflag",
    ),
    "fasttext": lambda: _cpp("fasttext", "0.9.3", "src"),
}


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

            async def rename(node_id: str, **more: Any) -> dict[str, Any]:
                [tool] = [tool for tool in TOOLS if tool.name == "nav_rename"]
                name = re.split(r"[.#]", node_id.partition("~")[0])[-1] + SUFFIX
                arguments = {"nodeId": node_id, "newName": name, "apply": True, "tokenBudget": 10_000, **more}
                for _ in range(TRIES):
                    with trio.fail_after(CALL_S):
                        envelope: dict[str, Any] = (await call(service, settings, tool, arguments)).envelope
                    error = envelope.get("error", {})
                    if error.get("code") not in ("LSP_TIMEOUT", "MAP_NOT_BUILT") and "still" not in str(
                        envelope.get("data")
                    ):
                        break
                    await trio.sleep(0.5)
                return envelope

            async def restore() -> None:
                for file in kept.rglob("*"):
                    there = root / file.relative_to(kept)
                    if file.is_file() and there.read_bytes() != file.read_bytes():
                        there.write_bytes(file.read_bytes())
                await service.rebuild()

            until = trio.current_time() + seconds
            for node_id in ids[:count]:
                if trio.current_time() > until:
                    break
                tally.tried += 1
                envelope = await rename(node_id)
                if not envelope["ok"]:
                    tally.cannot[_plain(envelope["error"]["message"])] += 1
                    print("cannot", node_id, envelope["error"]["message"], file=sys.stderr)
                    continue
                if refusals := envelope["data"].get("refused"):
                    tally.refused["+".join(sorted({one["reason"] for one in refusals}))] += 1
                    again = await rename(node_id, allow=OVERRULED)
                    is_applied = again["ok"] and again["data"].get("applied", False)
                    holds = not is_applied or _outcome(corpus, root) != before
                    tally.held += holds
                    await restore()
                    if {one["reason"] for one in refusals} == {"missed"}:
                        again = await rename(node_id, addMissed=True)
                        tally.added += again["ok"] and "applied" in again["data"] and _outcome(corpus, root) == before
                    print(
                        "refused",
                        node_id,
                        holds,
                        [(one["reason"], one.get("at", [])[:3]) for one in refusals],
                        file=sys.stderr,
                    )
                elif (after := _outcome(corpus, root)) == before:
                    tally.same += 1
                else:
                    tally.differs += 1
                    print("differs", node_id, set(after) ^ set(before), file=sys.stderr)
                await restore()
    return tally


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
