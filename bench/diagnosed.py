"""Definitions that lose their name in one file: does `nav_diagnostics` list what a type checker finds new in all files?

    python -m bench.diagnosed feedgen sly --count 25

Each is renamed where it is defined and nowhere else, in a copy of a released package that is a git repository; the
type checker runs over the whole, and `nav_diagnostics` is asked what is new since the commit. Prints a row for each
package: how many were planted, in how many files the checker finds something new, and how many errors; how many of
these files are listed, and how many errors; and replies that call something clean that is not, or check only a part.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import trio

from actors.front.call import call
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.language_servers.programs.real_ports import open_language_ports
from actors.service.real_ports import open_disk
from actors.service.wiring import open_service
from bench.renames.__main__ import find_symbols
from bench.renames.corpora import CORPORA, Corpus
from bench.tables import table_row
from codemap.facts import Symbol
from codemap.settings import Settings
from codemap.tools import TOOLS
from tests.system.live import only

TRIES = 20
_COMPLAINT = re.compile(r"(\S+?):\d+:\d+: (\w+\[[\w-]+\] .*)")
_ERRORS, _PARTLY = "errors", "partly"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", choices=CORPORA, help="packages of Python")
    parser.add_argument("--count", type=int, default=25, help="definitions of each package")
    parser.add_argument("--seed", type=int, default=3)
    given = parser.parse_args()
    for name in given.corpora:
        counts = trio.run(_measure, CORPORA[name](), given.count, given.seed)
        columns = ("planted", "files", "errors", "files listed", "errors listed", "clean though wrong", "partly")
        print(table_row(name, *(counts[column] for column in columns)), flush=True)


async def _measure(corpus: Corpus, count: int, seed: int) -> Counter[str]:
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        root = corpus.fetch(Path(folder)).resolve()
        corpus.prepare(root)
        (root / ".gitignore").write_text(".venv\n__pycache__\n")
        _commit(root)
        corpus.provide(root)
        settings = Settings(
            store="off", workers=1, verify="off", server_programs=only(corpus.server), trust_repository="off"
        )
        live = open_language_ports(str(root), settings)
        command = corpus.checks(root)[0].command
        before = _complaints(command, root)
        [tool] = [tool for tool in TOOLS if tool.name == "nav_diagnostics"]
        async with open_service(settings, open_disk(str(root), settings), SingleUseBuilder(), live=live) as service:
            await service.wait_built()
            published = service.latest.get()
            assert published is not None
            snapshot = published.snapshot
            places = [snapshot.row_of(node) for node in find_symbols(snapshot)]
            random.Random(seed).shuffle(places)
            for file, row in places:
                text, name = (root / file.path).read_text(), file.name_of(row)
                edited = _without_name(text, file.cell(row, Symbol.LINE), name)
                if edited == text or counts["planted"] == count:
                    continue
                (root / file.path).write_text(edited)
                await service.rebuild()
                new = _complaints(command, root) - before
                data: dict[str, Any] = {}
                for _ in range(TRIES):
                    reply = (await call(service, settings, tool, {"tokenBudget": 10_000, "rows": "full"})).envelope
                    data = reply.get("data", {})
                    if reply["ok"]:
                        break
                    await trio.sleep(1)
                listed = [one["file"] for one in data.get("diagnostics", [])]
                wrong = {path for path, _ in new}
                counts += Counter(
                    {
                        "planted": 1,
                        "files": len(wrong),
                        "errors": new.total(),
                        "files listed": len(wrong.intersection(listed)),
                        "errors listed": len(listed),
                        "clean though wrong": bool(wrong) and data.get("verdict") not in (_ERRORS, _PARTLY),
                        "partly": data.get("verdict", _PARTLY) == _PARTLY,
                    }
                )
                (root / file.path).write_text(text)
    return counts


def _commit(root: Path) -> None:
    who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "as released")):
        subprocess.run(("git", *who, *words), cwd=root, check=True, capture_output=True)


def _without_name(text: str, line: int, name: str) -> str:
    """The text, with another name for what is defined on a line; the same text where no name is defined there so."""
    lines = text.split("\n")
    lines[line - 1] = re.sub(rf"\b(def|class)\s+{re.escape(name)}\b", rf"\1 {name}_gone", lines[line - 1])
    return "\n".join(lines)


def _complaints(command: tuple[str, ...], root: Path) -> Counter[tuple[str, str]]:
    """Path and words of each complaint, without its place."""
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    found = (_COMPLAINT.match(line) for line in done.stdout.splitlines())
    return Counter((match[1], match[2]) for match in found if match)


if __name__ == "__main__":
    main()
