"""The two ways to an answer: an expert's commands, and the calls that the tools' descriptions suggest.

Rules of the file:
- A call is made of the kind of the question and its subject alone, with the default of every parameter that the kind
  does not ask for.
- An agent that is told that something was left out goes on with the cursor where it wants all; one that is told which
  nodes a name may mean asks for the first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bench.client import Client
from bench.value.questions import FOLDER, Question, Repository
from bench.value.shown import Row, printed, replied

PAGES_MAX = 6
_RANKED = ("description", "orientation", "path")
"""Kinds of which nobody asks for the rest."""


class Answer(msgspec.Struct, frozen=True):
    """What came back, of all commands or calls together."""

    characters: int
    calls: int
    rows: tuple[Row, ...]
    texts: tuple[str, ...]

    @property
    def tokens(self) -> int:
        return -(-self.characters // 4)


class Shell:
    """Runs the commands of an expert in a repository; see `shell`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def answer(self, root: Path, commands: tuple[str, ...], where: str) -> Answer:
        environment = {**os.environ, "PATH": f"{self._folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        texts, rows = [], []
        for template in commands:
            command = template.replace("{where}", where)
            done = subprocess.run(
                ("bash", "-c", command),
                cwd=root,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
            text = (done.stdout + done.stderr).decode("utf-8", "replace")
            texts.append(text)
            rows += printed(command, text)
        return Answer(sum(map(len, texts)), len(texts), tuple(rows), tuple(texts))


@contextmanager
def shell() -> Iterator[Shell]:
    """A shell that has `who` beside ripgrep."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "who"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{FOLDER / "who.py"}"\n')
        program.chmod(0o755)
        yield Shell(Path(folder))


def asked(client: Client, question: Question) -> Answer:
    """The answer of codemap. Raises ChildFailed."""
    tool, arguments = call_of(question)
    texts: list[str] = []
    rows: list[Row] = []
    while len(texts) < PAGES_MAX:
        text = client.call(tool, **arguments).result["content"][0]["text"]
        texts.append(text)
        reply = msgspec.json.decode(text)
        rows += replied(reply.get("data", {}))
        further = _further(question, reply)
        if not further:
            break
        arguments = {**arguments, **further}
    return Answer(sum(map(len, texts)), len(texts), tuple(rows), tuple(texts))


def call_of(question: Question) -> tuple[str, dict[str, Any]]:
    """The tool and the arguments that a question of this kind leads to."""
    node = {"nodeId": question.subject}
    match question.kind:
        case "callers":
            return "map_neighbors", {**node, "direction": "in", "edgeKinds": ["calls"], "family": True}
        case "review":
            return "map_neighbors", {**node, "direction": "in", "family": True}
        case "hierarchy":
            return "map_neighbors", {**node, "direction": "in", "edgeKinds": ["extends", "implements"], "depth": 10}
        case "importers":
            return "map_neighbors", {**node, "direction": "in", "edgeKinds": ["imports"]}
        case "tests":
            return "map_neighbors", {**node, "direction": "in", "family": True, "tests": "only"}
        case "dependencies":
            return "map_neighbors", {**node, "direction": "out"}
        case "path":
            return "map_path", {"from": question.subject, "to": question.to}
        case "description":
            return "map_search", {"query": question.asks}
        case "orientation":
            return "map_overview", {}


def lines_of(shelled: Shell, root: Path, repository: Repository, word: str) -> Answer:
    """What `rg -n -w` prints for one word, over the files of the language."""
    return shelled.answer(root, (f"rg -n -w {word} -t {repository.language}",), "")


def _further(question: Question, reply: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with which to ask on; none: that was all."""
    if not reply["ok"]:
        options = reply["error"].get("recoveryOptions", ())
        return {"nodeId": options[0]} if options and question.subject else {}
    cursor = reply.get("dropped", {}).get("cursor", "")
    return {"cursor": cursor} if cursor and question.kind not in _RANKED else {}
