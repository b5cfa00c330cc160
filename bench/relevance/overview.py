"""Overviews beside what documentation names: `python -m bench.relevance.overview [NAME ...] [--write]`.

The reply to `map_overview {}` at the default budget is read as a client would: each heart is a file and a name. Counted
are the documented definitions among them, the documented folders or files that the reply names, and what is no product
code among its first twenty hearts. Repositories that the rules were made on stand in a table of their own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from argparse import ArgumentParser
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec

from bench.corpora import Corpus, corpora, fetch
from bench.relevance.command import measure

FOLDER = Path(__file__).parent
FIRST = 20
"""Hearts among which none may be a test, or vendored or generated."""
ABOUT = f"""# Overviews beside documentation

`map_overview {{}}` at the default budget of 2,000 tokens; `python -m bench.relevance.overview --write` takes it again.
Columns: the share of the ten documented definitions that are hearts (bar: 0.7 over all measured); the share of
the documented parts that the reply names; tests, examples, vendored and generated code among the first {FIRST} hearts
(bar: 0); hearts shown; tokens of the reply. What is documented, and where, stands in `overview.toml`; it was written
down before the overviews were looked at.
"""


class Documented(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the documentation of a repository names."""

    source: str
    hearts: tuple[str, ...]
    areas: tuple[str, ...]
    aside: tuple[str, ...]
    made_on: bool = False
    corpus: str = ""
    pinned: Corpus | None = None


class Scored(msgspec.Struct, frozen=True):
    name: str
    title: str
    is_made_on: bool
    tokens: int
    shown: int
    """Hearts in the reply."""
    missing_hearts: tuple[str, ...]
    missing_areas: tuple[str, ...]
    aside: tuple[str, ...]
    """Of the first hearts, those that are no product code."""
    hearts_recall: float
    areas_recall: float


def documented() -> dict[str, Documented]:
    return msgspec.convert(tomllib.loads((FOLDER / "overview.toml").read_text(encoding="utf-8")), dict[str, Documented])


def scored(name: str, known: Documented) -> Scored:
    """The reply for one repository beside its documentation."""
    corpus = known.pinned or corpora()[known.corpus]
    reply = _reply(fetch(corpus))
    hearts = hearts_in(reply["data"])
    named = {place for area in reply["data"]["areas"] for place in (_folder(area["area"]), area["area"])}
    named |= set(reply["data"].get("others", {}))
    missing = tuple(heart for heart in known.hearts if not any(is_heart(heart, shown) for shown in hearts))
    unnamed = tuple(
        area
        for area in known.areas
        if not any(is_within(area, place) for place in (*named, *(heart.partition("#")[0] for heart in hearts)))
    )
    aside = [heart for heart in hearts[:FIRST] if any(fnmatchcase(heart.partition("#")[0], one) for one in known.aside)]
    return Scored(
        name,
        corpus.title,
        known.made_on,
        reply["tokenBudget"]["used"],
        len(hearts),
        missing,
        unnamed,
        tuple(aside),
        1 - len(missing) / len(known.hearts),
        1 - len(unnamed) / len(known.areas),
    )


def hearts_in(data: dict[str, Any]) -> list[str]:
    """The hearts of a reply, `file#name`, in its order."""
    found = []
    for area in data["areas"]:
        folder = _folder(area["area"])
        for text in area["hearts"]:
            place = text.split(" ")[0]
            found.append(f"{folder}/{place}" if folder else place)
    return found


def is_heart(documented: str, shown: str) -> bool:
    """Whether a heart that is shown is the documented one: of that name, in a file whose path ends so."""
    file, hash_, name = documented.rpartition("#")
    path, _, qualified = shown.partition("#")
    is_named = qualified.partition("~")[0].rpartition(".")[2] == name
    return is_named and (not hash_ or f"/{path}".endswith(f"/{file}"))


def is_within(area: str, place: str) -> bool:
    """Whether a place is a documented folder or file, or lies in it; a folder may be the end of a path."""
    return f"/{area}/" in f"/{place}/"


def _folder(label: str) -> str:
    folder = label.partition(": ")[0]
    return "" if folder == "." else folder


def _reply(root: Path) -> dict[str, Any]:
    program = (sys.executable, "-m", "actors.command_line.main")
    command = (*program, "overview", "--json", "--envelope", "native", "--root", str(root))
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    reply: dict[str, Any] = json.loads(done.stdout)
    return reply


def report(found: list[Scored]) -> str:
    """The two tables: measured, and made on."""
    lines = []
    for title, is_made_on in (("Measured", False), ("The rules were made on", True)):
        rows = [one for one in found if one.is_made_on == is_made_on]
        if not rows:
            continue
        lines += [f"## {title}", "", "| repository | hearts | areas | aside among the first 20 | shown | tokens |"]
        lines.append("|---|---|---|---|---|---|")
        lines += [
            _row(one.title, one.hearts_recall, one.areas_recall, one.aside, one.shown, one.tokens) for one in rows
        ]
        hearts = sum(one.hearts_recall for one in rows) / len(rows)
        areas = sum(one.areas_recall for one in rows) / len(rows)
        aside = tuple(heart for one in rows for heart in one.aside)
        lines += [_row("all", hearts, areas, aside, sum(o.shown for o in rows), sum(o.tokens for o in rows)), ""]
    return "\n".join(lines)


def _row(title: str, hearts: float, areas: float, aside: tuple[str, ...], shown: int, tokens: int) -> str:
    return f"| {title} | {hearts:.2f} | {areas:.2f} | {len(aside)} | {shown} | {tokens} |"


def main() -> None:
    parser = ArgumentParser("python -m bench.relevance.overview", description="Overviews beside documentation.")
    measure(parser, documented(), _scored, report, ABOUT, FOLDER / "OVERVIEW.md")


def _scored(name: str, repository: Documented, misses: bool) -> Scored:
    one = scored(name, repository)
    for what, items in (("hearts", one.missing_hearts), ("areas", one.missing_areas), ("aside", one.aside)):
        if misses and items:
            sys.stderr.write(f"  {what}: {', '.join(items)}\n")
    return one


if __name__ == "__main__":
    main()
