"""The command line that the measurements of this folder share: some repositories, or all, into one table."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar


class Known(Protocol):
    """A repository that is measured."""

    @property
    def made_on(self) -> bool:
        """Whether the rules were made on it."""
        ...


K = TypeVar("K", bound=Known)
R = TypeVar("R")


def measure(
    parser: ArgumentParser,
    known: Mapping[str, K],
    scored: Callable[[str, K, bool], R],
    report: Callable[[list[R]], str],
    about: str,
    target: Path,
) -> None:
    """Prints the report on the repositories that the arguments name, under `about`; writes it where they say so.

    `scored` is given a name, what is known of it, and whether to tell on stderr what is missing.
    """
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"by default all of {', '.join(known)}")
    parser.add_argument("--made-on", action="store_true", help="only those that the rules were made on")
    parser.add_argument("--misses", action="store_true", help="tell what is missing")
    parser.add_argument("--write", action="store_true", help=f"write {target.name}")
    given = parser.parse_args()
    if unknown := set(given.names) - known.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    found: list[R] = []
    for name in given.names or known:
        if given.made_on and not known[name].made_on:
            continue
        sys.stderr.write(f"relevance: {name}\n")
        found.append(scored(name, known[name], given.misses))
    text = f"{about}\n{report(found)}"
    print(text, end="")
    if given.write:
        target.write_text(text, encoding="utf-8")
