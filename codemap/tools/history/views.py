"""How commits, authors and companions are shown: a line each, or an object.

3f2a9c01d4 2024-03-02 Ada: Fix the lock (fix; reverted by 77ab01c2e9)
app/api.py#renew 7 of 15
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from codemap.graph.model.snapshot import Snapshot
from codemap.history.companions import Companion
from codemap.history.past import Past
from codemap.history.table import Flag, History
from codemap.tools.compact import GroupedRows, Row, group_by_file, row_place
from codemap.tools.history.params import AuthorView, CommitView, CompanionView

SHORT_ID = 10
"""Digits of a commit."""
SHARE_DIGITS = 2
DATE_CHARS = len("2024-12-31")
_DATE_MAX_S = 253_402_300_799
"""The end of the year 9999."""


def date_of(history: History, commit: int) -> str:
    """The day, in UTC."""
    seconds = max(0, min(int(history.time_s[commit]), _DATE_MAX_S))
    return str(np.datetime64(seconds, "s"))[:DATE_CHARS]


def commit_views(history: History, commits: Sequence[int]) -> list[CommitView]:
    views: list[CommitView] = []
    for row in commits:
        flags = int(history.flags[row])
        view: CommitView = {
            "id": history.id_of(row)[:SHORT_ID],
            "date": date_of(history, row),
            "author": history.authors[history.author[row]],
            "subject": history.subjects[row],
        }
        if flags & Flag.MERGE:
            view["merge"] = True
        if flags & Flag.FIX:
            view["fix"] = True
        if history.reverts[row] >= 0:
            reverted = int(history.reverts[row])
            view["reverts"] = f"{history.id_of(reverted)[:SHORT_ID]} {history.subjects[reverted]}"
        if row in history.reverted_by:
            view["revertedBy"] = history.id_of(history.reverted_by[row])[:SHORT_ID]
        views.append(view)
    return views


def commit_text(view: CommitView) -> str:
    """The same as a line."""
    words = ["merge"] * ("merge" in view) + ["fix"] * ("fix" in view)
    words += [f"reverts {view['reverts']}"] if "reverts" in view else []
    words += [f"reverted by {view['revertedBy']}"] if "revertedBy" in view else []
    text = f"{view['id']} {view['date']} {view['author']}: {view['subject']}"
    return f"{text} ({'; '.join(words)})" if words else text


def author_views(history: History, commits: Iterable[int]) -> list[AuthorView]:
    """Who made some commits, the most first; `commits` are in order, the latest first."""
    counts: Counter[int] = Counter()
    last: dict[int, str] = {}
    for row in commits:
        author = int(history.author[row])
        counts[author] += 1
        last.setdefault(author, date_of(history, row))
    return [
        {"name": history.authors[author], "commits": count, "last": last[author]}
        for author, count in sorted(counts.items(), key=lambda one: (-one[1], history.authors[one[0]]))
    ]


def author_text(view: AuthorView) -> str:
    return f"{view['name']} {view['commits']}, last {view['last']}"


def companion_views(snapshot: Snapshot, found: Iterable[Companion]) -> list[CompanionView]:
    views: list[CompanionView] = []
    for one in found:
        view: CompanionView = {"file": one.path, "common": one.common, "share": round(one.share, SHARE_DIGITS)}
        if one.node >= 0:
            view["id"] = snapshot.id_of(one.node)
            view["name"] = snapshot.qualified_name_of(one.node)
        views.append(view)
    return views


def companion_rows(snapshot: Snapshot, found: Iterable[Companion]) -> GroupedRows:
    """By file, the file itself without a name: in how many commits of those that say something."""
    return group_by_file(
        Row(
            one.path,
            "" if one.node < 0 else row_place(snapshot, one.node)[1],
            (),
            (f"{one.common} of {round(one.common / one.share)}",),
        )
        for one in found
    )


def say_missing(past: Past, *, is_open: bool) -> list[str]:
    """Warnings, each a sentence, about the gaps of a history; `is_open`: whether it begins before what was read."""
    said = list(past.gaps)
    if is_open and not said:
        said.append("There are older commits that could not be followed: a version in between cannot be compared.")
    return said
