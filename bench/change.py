"""What a change costs: from the write on disk to an answer that has it, in a server that runs.

CPU is that of the server and all its processes, `git` included. A share is of a cold index of the same corpus in the
same round. Edits come in runs, because the kernel counts CPU in ticks; each has contents that were never seen before.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from types import MappingProxyType

import msgspec

from bench.edits import Edit, edit_named
from bench.names import defined_names, spread
from bench.process import ChildFailed, run
from bench.report import Figure
from bench.served import Served, git, served
from bench.stats import ratios, sample
from bench.subject import Subject, index_command

EDITS = 8
"""In one run."""

SETTLED_S = 3.0
"""After an edit: its scores are made, and who watches may be told again."""

PAUSE_S = 0.06
"""Before an edit: what was read so shortly after it changed that its stat says nothing has been looked at again."""

WATCHED = "codemap://status"
"""A resource that is another one with each change of the map."""

QUIET_MS = 50
"""The setting of that name, as it is by default."""

BARRELS = MappingProxyType({"barrel": "a name more", "barrel_used": "a name that is used widely means something else"})
"""Edit -> what it does."""

SWITCHED_FILES = 1000
MILLISECONDS = 1000
PERCENT = 100


class Spent(msgspec.Struct, frozen=True):
    """What a run of edits took."""

    cpu_s: float
    """An edit."""
    walls_s: Sequence[float]
    """From the write to the answer."""


class Round(msgspec.Struct):
    """One round of everything."""

    cold_s: float
    spent: dict[str, Spent]
    after_s: float
    """CPU that one run of small edits leaves to be done when nobody asks any more."""
    wide_s: float
    neighbors_s: list[float]
    wide_neighbors_s: list[float]
    unasked_s: list[float]


def change_figures(subject: Subject, rounds: int) -> list[Figure]:
    (name,) = spread(defined_names(subject.root, subject.paths), 1)
    copies = subject.corpus.copies
    edits = {each: edit_named(subject.corpus, each, subject.root) for each in subject.corpus.edits}
    with (
        served(subject.root, name) as server,
        served(subject.root, name, copies) if copies else nullcontext() as wide,
    ):
        switched = [_switch(subject, server) for _ in range(rounds)]
        git(server.root, "checkout", "-q", "main")
        server.ask_fresh()
        done = [_round(subject, server, wide, edits, number) for number in range(rounds)]
    colds = [each.cold_s for each in done]

    def share(which: str) -> list[float]:
        return [PERCENT * value for value in ratios([each.spent[which].cpu_s for each in done], colds)]

    def sized(which: str) -> str:
        lines = edits[which].original.count(b"\n")
        return f"{edits[which].path}, {lines:,} lines"

    after = [PERCENT * value for value in ratios([each.after_s for each in done], colds)]
    walls = [median(each.spent["small"].walls_s) * MILLISECONDS for each in done]
    large = [median(each.spent["large"].walls_s) * MILLISECONDS for each in done]
    unasked = [median(each.unasked_s) * MILLISECONDS - QUIET_MS for each in done]
    neighbors = [median(each.neighbors_s) * MILLISECONDS for each in done]
    figures = [
        Figure("edit of a function body, disk to fresh answer, CPU", sample(share("small")), sized("small")),
        Figure("edit of a function body, disk to fresh answer, CPU", sample(share("large")), sized("large")),
        Figure("the same edit, scores and store in the background, CPU", sample(after), f"a run of {EDITS} edits"),
        Figure("disk to fresh answer, wall", sample(walls), sized("small")),
        Figure("disk to fresh answer, wall", sample(large), sized("large")),
        Figure("disk to map when nobody asks, wall beyond the quiet time", sample(unasked), sized("small")),
        Figure("first map_neighbors after an edit, wall", sample(neighbors), sized("small")),
        Figure("edit that adds a definition, disk to fresh answer, CPU", sample(share("more")), sized("more")),
        Figure(
            "edit that adds a definition, disk to fresh answer, wall",
            sample([median(each.spent["more"].walls_s) * MILLISECONDS for each in done]),
            sized("more"),
        ),
        *(
            Figure("edit of a module that re-exports widely, CPU", sample(share(which)), f"{sized(which)}, {about}")
            for which, about in BARRELS.items()
            if which in edits
        ),
        Figure("branch switch, contents seen before: files parsed", sample([parsed for parsed, _ in switched])),
        Figure("branch switch, contents seen before: wall", sample([wall_s for _, wall_s in switched])),
    ]
    if copies:
        larger = ratios([each.wide_s for each in done], [each.spent["small"].cpu_s for each in done])
        note = f"{copies} copies side by side, {copies * subject.counts.files:,} files"
        figures.append(Figure("the same edit in a repository 20 times larger, CPU", sample(larger), note))
        wide_neighbors = [median(each.wide_neighbors_s) * MILLISECONDS for each in done]
        figures.append(Figure("first map_neighbors after an edit, wall", sample(wide_neighbors), note))
    return figures


def _round(subject: Subject, server: Served, wide: Served | None, edits: dict[str, Edit], number: int) -> Round:
    cold_s = run(index_command(subject.root)).cpu_s
    first = 1 + number * EDITS
    spent = {}
    for which, edit in edits.items():
        server.wait_rest()
        spent[which] = _edit(server, server.root, edit, first)
    server.wait_rest()
    _edit(server, server.root, edits["small"], first + EDITS * 1000)
    edited_s = server.cpu_s()
    server.wait_rest()
    after_s = server.cpu_s() - edited_s
    server.client.request("resources/subscribe", {"uri": WATCHED})
    unasked_s = [_unasked_s(server, edits["small"], first + EDITS * 2000 + place) for place in range(EDITS)]
    server.client.request("resources/unsubscribe", {"uri": WATCHED})
    asked = f"{subject.corpus.language}:{edits['small'].path}"
    neighbors_s = _neighbors_s(server, server.root, edits["small"], first + EDITS * 3000, asked)
    wide_s, wide_neighbors_s = 0.0, []
    if wide is not None:
        wide.wait_rest()
        folder = sorted(path for path in wide.root.iterdir() if path.name != ".git")[subject.corpus.copies // 2]
        wide_s = _edit(wide, folder, edits["small"], first).cpu_s
        asked = f"{subject.corpus.language}:{folder.name}/{edits['small'].path}"
        wide_neighbors_s = _neighbors_s(wide, folder, edits["small"], first + EDITS * 3000, asked)
    return Round(cold_s, spent, after_s, wide_s, neighbors_s, wide_neighbors_s, unasked_s)


def _neighbors_s(server: Served, root: Path, edit: Edit, first: int, asked: str) -> list[float]:
    """Seconds of the first question about edges after each of a run of edits. Raises ChildFailed where it fails."""
    found = []
    for number in range(first, first + EDITS):
        time.sleep(PAUSE_S)
        (root / edit.path).write_bytes(edit.content(number))
        server.ask_fresh()
        answer = server.client.call("map_neighbors", nodeId=asked)
        if answer.result["isError"]:
            raise ChildFailed(f"{asked}: {answer.result}")
        found.append(answer.seconds)
    return found


def _edit(server: Served, root: Path, edit: Edit, first: int) -> Spent:
    """A run of edits, one after the other. Raises ChildFailed where not each of them was parsed once."""
    walls = []
    parsed = server.parsed()
    cpu_s = server.cpu_s()
    for number in range(first, first + EDITS):
        time.sleep(PAUSE_S)
        content = edit.content(number)
        start = time.perf_counter()
        (root / edit.path).write_bytes(content)
        server.ask_fresh()
        walls.append(time.perf_counter() - start)
    cpu_s = server.cpu_s() - cpu_s
    if server.parsed() - parsed != EDITS:
        raise ChildFailed(f"{server.parsed() - parsed} files were parsed for {EDITS} edits of {edit.path}")
    return Spent(cpu_s / EDITS, walls)


def _unasked_s(server: Served, edit: Edit, number: int) -> float:
    """Seconds from a write until who watches is told of a new map, when nobody asks for it."""
    time.sleep(SETTLED_S)
    server.client.request("ping", {})  # what was told of before is dropped
    start = time.perf_counter()
    (server.root / edit.path).write_bytes(edit.content(number))
    server.client.wait_for("notifications/resources/updated")
    return time.perf_counter() - start


def _switch(subject: Subject, server: Served) -> tuple[int, float]:
    """Files parsed, and seconds until the map has them, when a switch changes 1,000 files to what they once were."""
    root = server.root
    git(root, "checkout", "-q", "-f", "main")
    if (root / ".git" / "refs" / "heads" / "other").exists():
        switched = "other"
    else:
        git(root, "checkout", "-q", "-b", "other")
        for path in subject.paths[:SWITCHED_FILES]:
            with (root / path).open("ab") as file:
                file.write(b"\n\n")
        git(root, "commit", "-q", "-a", "-m", "other")
        switched = "main"
    server.ask_fresh()
    server.wait_rest()
    parsed = server.parsed()
    start = time.perf_counter()
    git(root, "checkout", "-q", switched)
    server.ask_fresh()
    return server.parsed() - parsed, time.perf_counter() - start
