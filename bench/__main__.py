"""The runner: `python -m bench [NAME ...] [--corpus NAME] [--quick] [--rounds N] [--write]`.

Progress goes to stderr, the report to stdout, and with `--write` into `bench/RESULTS.md` too, where sections that were
not measured now stay. `languages` is a section of its own, and only made when it is named.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import msgspec

from bench.change import change_figures
from bench.corpora import corpora, fetch
from bench.impact import impact_figures
from bench.index import build_figures, growth_figures, lag_figures, memory_figures
from bench.languages import LANGUAGES, language_section
from bench.machine import machine_line
from bench.query import query_figures
from bench.report import Figure, Section, merged, report
from bench.scale import SCALE, scale_section
from bench.service import service_figures
from bench.stale import stale_figures
from bench.start import start_figures
from bench.subject import Subject, prepare
from bench.warm import warm_figures

ROUNDS, ROUNDS_QUICK = 5, 2
RESULTS = Path(__file__).parent / "RESULTS.md"


class Run(msgspec.Struct, frozen=True):
    about: str
    figures: Callable[[Subject, int], list[Figure]]
    corpora: tuple[str, ...]
    """Those it is run on when none is named."""
    part: str = ""
    """Of the page's sections on a corpus; empty: the first, which has the counts."""


ALL, FIRST = ("django", "effect"), ("django",)
"""A small corpus shows what it takes to start, not what a byte costs: it is for when it is asked for."""

RUNS = MappingProxyType(
    {
        "build": Run("cold index beside the parse limit", build_figures, ALL),
        "growth": Run("cost a byte at ten times the bytes", growth_figures, FIRST),
        "memory": Run("peak and resident memory", memory_figures, ALL, "memory"),
        "lag": Run("event-loop lag while a cold build runs", lag_figures, FIRST, "loop"),
        "query": Run("tools over MCP beside an echo, and beside rg", query_figures, FIRST, "answers"),
        "impact": Run("map_impact of hubs and of a diff of 50 files", impact_figures, FIRST, "impact"),
        "start": Run("first answers after spawn, connect, help, list of tools", start_figures, FIRST, "start"),
        "warm": Run("a second start, the store's size", warm_figures, ALL, "start"),
        "service": Run("many clients over websocket", service_figures, FIRST, "many clients"),
        "change": Run("edits and a switch of branches under a running server", change_figures, ALL, "changes"),
        "stale": Run("stale answers among random changes", stale_figures, FIRST, "stale answers"),
    }
)


def main() -> None:
    parser = ArgumentParser("python -m bench", description="Measures codemap; bars and results as in RESULTS.md.")
    about = "; ".join(f"{name}: {run.about}" for name, run in RUNS.items())
    about += (
        "; languages: nine more languages, each on code bases of its own, beside its language server; scale: a "
        "repository of 100,000 small files; these two only when named"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure, by default all. {about}")
    parser.add_argument("--corpus", action="append", choices=sorted(corpora()), help="measure on this corpus")
    parser.add_argument("--quick", action="store_true", help=f"{ROUNDS_QUICK} rounds instead of {ROUNDS}")
    parser.add_argument("--rounds", type=int, help="how many rounds")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--fetch", action="store_true", help="only fetch the corpora")
    given = parser.parse_args()
    known = [*RUNS, LANGUAGES, SCALE]
    unknown = set(given.names).difference(known)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if given.fetch:
        for corpus in corpora().values():
            print(fetch(corpus))
        return
    rounds = given.rounds or (ROUNDS_QUICK if given.quick else ROUNDS)
    machine = machine_line()
    sections = _sections([name for name in given.names or RUNS if name in RUNS], given.corpus, rounds)
    if SCALE in given.names:
        sections.append(scale_section(rounds))
    text = report(machine, sections) if sections else ""
    if LANGUAGES in given.names:
        text += "\n" + language_section(machine, given.corpus, rounds)
    print(text, end="")
    if given.write:
        RESULTS.write_text(merged(RESULTS.read_text(encoding="utf-8"), text), encoding="utf-8")


def _sections(names: list[str], only: list[str] | None, rounds: int) -> list[Section]:
    sections = []
    for key, corpus in corpora().items():
        wanted = [name for name in names if key in (only or RUNS[name].corpora)]
        if not wanted:
            continue
        _tell(f"{corpus.title}: preparing")
        subject = prepare(corpus)
        parts: dict[str, list[Figure]] = {}
        for name in wanted:
            start = time.perf_counter()
            parts.setdefault(RUNS[name].part, []).extend(RUNS[name].figures(subject, rounds))
            _tell(f"{corpus.title}: {name} took {time.perf_counter() - start:.0f} s")
        for part, figures in parts.items():
            title = f"{corpus.title}: {part}" if part else corpus.title
            taken = [name for name in wanted if RUNS[name].part == part]
            command = f"python -m bench {' '.join(taken)} --corpus {key} --rounds {rounds} --write"
            sections.append(Section(title, command, figures, None if part else subject.counts))
    return sections


def _tell(text: str) -> None:
    sys.stderr.write(f"bench: {text}\n")


if __name__ == "__main__":
    main()
