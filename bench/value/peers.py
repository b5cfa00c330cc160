"""The same questions to a peer: codegraph, which answers agents by one tool and people by commands.

Rules of the file:
- *codegraph, its tool*: `explore` with the question's own words, as the tool's description says.
- *codegraph, by command*: the command that its documentation has for that kind of question, all of its list at once;
  `explore` where it has none (`impact` lists all that depends on a class in any way, heirs unmarked).
- Its lists name who uses something and where that is defined, not the line of the use. Where an answer is a line, the
  name of the innermost definition around that line is taken for it; in a list of tests, what is nested in a test
  stands for it, as it does for codemap.

Source: the README of codegraph 1.6.1, "MCP Tools", "CLI Reference".
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bench.codegraph import Codegraph
from bench.value.judge import Verdict, judged_printed, parts
from bench.value.questions import Question
from bench.value.report import PEERS, Got
from bench.value.shown import Row
from bench.value.who import around

BY_TOOL, BY_COMMAND = PEERS
ALL = "1000"
"""The limit of a list of which all is wanted; by default twenty are shown."""

_SYMBOL = re.compile(r"^(\w+) {2,}(\S+)")
_PLACE = re.compile(r"^ {2}(\S+):(\d+)$")
_FILE = re.compile(r"^\*\*`?([^`*]+?)`?\*\* —")
_CODE = re.compile(r"^(\d+)\t(.*)")
_PATH = re.compile(r"[\w./-]+/[\w.-]+\.\w+")
_WORD = re.compile(r"\w+")


def ask_peer(peer: Codegraph, question: Question) -> dict[str, Got]:
    """What both ways bring. Raises ChildFailed."""
    explored = ("explore", question.asks)
    ways = {BY_TOOL: explored, BY_COMMAND: command_of(question) or explored}
    texts = {words: peer.run(*words) for words in dict.fromkeys(ways.values())}
    return {
        way: Got(-(-len(texts[words]) // 4), 1, judged(question, peer.root, texts[words]))
        for way, words in ways.items()
    }


def command_of(question: Question) -> tuple[str, ...]:
    """The command for that kind of question; none where `explore` is what there is."""
    path, _, name = question.subject.rpartition("#")
    narrowed = ("--file", path) if path else ()
    match question.kind:
        case "callers" | "review" | "tests":
            return "callers", name, *narrowed, "--limit", ALL
        case "importers":
            is_file = "/" in name
            return ("node", name, "--symbols-only") if is_file else ("callers", name, "--limit", ALL)
        case "dependencies":
            return "callees", name, *narrowed, "--limit", ALL
        case _:
            return ()


def judged(question: Question, root: Path, text: str) -> Verdict:
    """Held to what came back as printed lines are: kindly."""
    rows = shown(text)
    if question.kind == "tests":
        rows = [
            Row(row.path, " ".join((row.name, *_around(root, row.path, min(row.lines, default=0))))) for row in rows
        ]
    named = {item: _named(root, item) for item in question.items}
    loose = msgspec.structs.replace(question, items=tuple(named.values()))
    missing = judged_printed(loose, rows).missing
    return Verdict(tuple(item for item, meant in named.items() if meant in missing), (), 0)


def shown(text: str) -> list[Row]:
    """The rows of a list, and the lines of verbatim code."""
    rows: list[Row] = []
    file = name = ""
    for line in text.splitlines():
        if found := _FILE.match(line):
            file = found[1]
            rows.append(Row(file, line))
        elif file and (code := _CODE.match(line)):
            rows.append(Row(file, code[2], frozenset({int(code[1])})))
        elif place := _PLACE.match(line):
            rows.append(Row(place[1], name, frozenset({int(place[2])})))
        elif symbol := _SYMBOL.match(line):
            name = symbol[2]
        rows += [Row(path, line) for path in _PATH.findall(line)]
    return rows


def _named(root: Path, item: str) -> str:
    """An item whose line stands for the definition around it as well: alternatives, as `judge` reads them."""
    found = []
    for one in item.split(" | "):
        path, _, line = parts(one)
        found += [one, *(f"{path}#{name}" for name in _around(root, path, line)[-1:])]
    return " | ".join(found)


def _around(root: Path, path: str, line: int) -> list[str]:
    """The names of the definitions around a 1-based line, outermost first; none for line 0."""
    file = root / path
    if not line or not file.is_file():
        return []
    lines = file.read_text("utf-8", "replace").split("\n")
    heads = (_WORD.findall(lines[start - 1].partition("(")[0]) for start in around(lines, line))
    return [words[-1] for words in heads if words]
