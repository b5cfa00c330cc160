"""What each language has and has not, as its literate tests say it: the table in the README.

A language's documents stand in the folder of `tests/languages` that is named like its plug-in's. An example is a case
of them; a paragraph that begins with `Has:` or `Left out:` says in words what the cases beside it show. A language
server is tested for real where a system test names it.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import codemap.languages as registry
from codemap.languages.language import Language
from tests import literate

ROOT = Path(__file__).parent.parent
CHAPTERS = ("definitions", "imports", "calls", "inheritance", "types", "references", "broken")
"""The documents that every language is to have."""
HEAD = ("language", "examples", "no examples of", "has", "left out", "server")
BEGIN, END = "<!-- coverage: written by the tests -->", "<!-- end of coverage -->"
_NONE = "–"


def folders() -> Iterator[tuple[str, Language]]:
    """The folder of each language, by which its tests are found."""
    for info in pkgutil.iter_modules(registry.__path__):
        module = import_module(f"{registry.__name__}.{info.name}") if info.ispkg else None
        if module is not None and hasattr(module, "LANGUAGE"):
            yield info.name, module.LANGUAGE


def table() -> str:
    """The table, in Markdown, a language a row in order of their titles."""
    rows = [HEAD, ("---",) * len(HEAD)]
    rows += [_row(folder, language) for folder, language in sorted(folders(), key=lambda each: each[1].title.lower())]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def in_readme(text: str, new: str) -> str:
    """The README with another table between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{new}\n{END}{after}"


def _row(folder: str, language: Language) -> tuple[str, ...]:
    texts = _documents(folder)
    counts = {chapter: len(list(literate.cases(text))) for chapter, text in texts.items()}
    missing = [chapter for chapter in CHAPTERS if not counts.get(chapter)]
    has, left_out = (_said(texts, word) for word in ("Has", "Left out"))
    servers = ", ".join(_shown(server.name) for server in language.servers)
    return (language.title, str(sum(counts.values())), ", ".join(missing) or _NONE, has, left_out, servers or _NONE)


def _documents(folder: str) -> dict[str, str]:
    """Chapter -> its document, those that every language has first."""
    paths = sorted((ROOT / "tests" / "languages" / folder).glob("*.md"))
    found = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    order = [*CHAPTERS, *found]
    return {chapter: found[chapter] for chapter in dict.fromkeys(order) if chapter in found}


def _said(texts: dict[str, str], word: str) -> str:
    """What the paragraphs behind a word say, in one line."""
    paragraphs = [
        found for text in texts.values() for found in re.findall(rf"(?ms)^{word}: (.*?)\.?$(?=\n\n|\n*\Z)", text)
    ]
    return "; ".join(" ".join(found.split()) for found in paragraphs) or _NONE


def _shown(server: str) -> str:
    """The name of a server, bold where it is tested for real."""
    tests = (ROOT / "tests" / "system").glob("test_live_*.py")
    is_live = any(re.search(rf"\b{re.escape(server)}\b", path.read_text(encoding="utf-8")) for path in tests)
    return f"**{server}**" if is_live else server
