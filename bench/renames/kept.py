"""What came of each symbol, a line each in a file, so that a run goes on where an earlier one ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of one symbol."""

    node_id: str
    outcome: Literal["same", "differs", "cannot", "refused"]
    why: str = ""
    """What the server, or the refusals, or the checks say."""
    reasons: tuple[str, ...] = ()
    """Of a refusal."""
    held: bool = False
    """Of a refusal: overruled, the checks say something else."""
    added: bool = False
    """Of one for uses that are missed or in doubt: with all of them edited, the checks say the same."""


class Kept:
    """The results of one package; `place` is read, and appended to."""

    def __init__(self, place: Path) -> None:
        self._place = place
        lines = place.read_bytes().splitlines() if place.exists() else []
        self.results = [msgspec.json.decode(line, type=Result) for line in lines]

    @property
    def known(self) -> frozenset[str]:
        return frozenset(one.node_id for one in self.results)

    def add(self, result: Result) -> None:
        self.results.append(result)
        self._place.parent.mkdir(parents=True, exist_ok=True)
        with self._place.open("ab") as file:
            file.write(msgspec.json.encode(result) + b"\n")


def cells(results: Sequence[Result]) -> tuple[str | int, ...]:
    """What a row of the table says of them, from `tried` on."""
    outcomes = Counter(one.outcome for one in results)
    refused = [one for one in results if one.outcome == "refused"]
    reasons = Counter("+".join(one.reasons) for one in refused)
    cannot = Counter(one.why for one in results if one.outcome == "cannot")
    return (
        len(results),
        outcomes["same"],
        outcomes["differs"],
        len(refused),
        _counted(reasons, ", "),
        sum(one.held for one in refused),
        sum(one.added for one in refused),
        outcomes["cannot"] if len(cannot) < 2 else _counted(cannot, "; "),
    )


def _counted(words: Counter[str], between: str) -> str:
    return between.join(f"{word} {count}" for word, count in words.most_common())
