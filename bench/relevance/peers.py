"""The questions in words, to a peer too: `python -m bench.relevance.peers [NAME ...] [--misses] [--write]`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

import msgspec

from bench.codegraph import VERSION, codegraph
from bench.corpora import fetch
from bench.relevance.command import measure
from bench.relevance.repositories import FOLDER, Definition, Question, Repository, mapped, repositories
from bench.relevance.search import FIVE, TEN, place_of, share, two
from bench.tables import table_head, table_row

ABOUT = f"""# Questions in words, beside a peer

`python -m bench.relevance.peers --write` takes it again.

The questions and the accepted answers are those of [SEARCH.md](SEARCH.md). codegraph {VERSION} from npm ranks
definitions, too (`codegraph query`); it is given a copy of each repository. Shares of the questions: an accepted
definition comes first, or is among five.
"""


class Compared(msgspec.Struct, frozen=True):
    """The places of the first accepted definition in the answers to the questions on one repository, from 1; 0 or less
    where there is none."""

    title: str
    is_made_on: bool
    ours: tuple[int, ...]
    peer: tuple[int, ...]


def compared(name: str, repository: Repository, misses: bool) -> Compared:
    corpus = repository.pin()
    its = mapped(fetch(corpus))
    with codegraph(its.root) as peer:
        places = [first_accepted(question, peer.ranked(question.text, TEN)) for question in repository.questions]
    if misses:
        for question, place in zip(repository.questions, places, strict=True):
            sys.stderr.write(f"  {name}: {question.text}: codegraph {place}\n")
    ours = tuple(place_of(its, name, question, misses=misses) for question in repository.questions)
    return Compared(corpus.title, repository.made_on, ours, tuple(places))


def first_accepted(question: Question, found: Sequence[tuple[str, str]]) -> int:
    """The place of the first accepted one among (path, qualified name), from 1; 0 where there is none."""
    for place, (path, qualified) in enumerate(found, 1):
        one = Definition(path, qualified.rpartition(".")[2], qualified)
        if any(map(one.is_accepted, question.accepted)):
            return place
    return 0


def report(found: Sequence[Compared]) -> str:
    lines = []
    for title, is_made_on in (("Measured", False), ("The rules of codemap were made on", True)):
        rows = [one for one in found if one.is_made_on == is_made_on]
        if not rows:
            continue
        columns = ("questions", "codemap: first", "among five", "codegraph: first", "among five")
        lines += [f"## {title}", "", *table_head("repository", *columns)]
        ours = tuple(place for one in rows for place in one.ours)
        peer = tuple(place for one in rows for place in one.peer)
        for one in (*rows, Compared("all", is_made_on, ours, peer)):
            shares = [part for places in (one.ours, one.peer) for part in _shares(places)]
            lines.append(table_row(one.title, len(one.ours), *map(two, shares)))
        lines.append("")
    return "\n".join(lines)


def _shares(places: Sequence[int]) -> tuple[float, float]:
    return share(place == 1 for place in places), share(0 < place <= FIVE for place in places)


def main() -> None:
    parser = ArgumentParser("python -m bench.relevance.peers", description="Questions in words, beside a peer.")
    measure(parser, repositories(), compared, report, ABOUT, FOLDER / "PEERS.md")


if __name__ == "__main__":
    main()
