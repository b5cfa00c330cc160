"""A repository in memory: commits with the contents of their files, as git's log would show them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from codemap.graph.model.steps import finish
from codemap.history.assemble import extended
from codemap.history.commits import Commit, Entry, Side
from codemap.history.table import EMPTY, History

Files = Mapping[str, str]


def hunks_between(before: str, after: str) -> tuple[int, ...]:
    """As in `Side`."""
    found: list[int] = []
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    for tag, first, end, to, to_end in matcher.get_opcodes():
        if tag != "equal":
            found += (first, end - first, to, to_end - to)
    return tuple(found)


class Repository:
    """Commits are named by hexadecimal digits: `a` is `aaaa…`."""

    def __init__(self) -> None:
        self.commits: list[Commit] = []
        """The latest first, as git shows them."""
        self.files: dict[str, Files] = {}

    def commit(
        self,
        name: str,
        files: Files,
        *,
        parents: Sequence[str] = (),
        message: str = "Change",
        author: str = "Ada",
        renamed: Mapping[str, str] | None = None,
        day: int | None = None,
    ) -> str:
        """All files that there are then. Without parents, it follows the last commit. `renamed`: new path -> old."""
        before = [self.files[parent] for parent in (parents or self._last())]
        entries = tuple(self._entries(before, files, renamed or {}))
        own = {entry.path for entry in entries}
        others: tuple[str, ...] = ()
        if len(before) > 1:
            differing = sorted(path for path in {*files, *before[0]} if files.get(path) != before[0].get(path))
            others = tuple(path for path in differing if path not in own)
        self.commits.insert(
            0,
            Commit(
                _id_of(name),
                tuple(map(_id_of, parents or self._last())),
                author,
                f"{author.lower()}@example.org",
                86_400 * (len(self.commits) if day is None else day),
                message,
                entries,
                others,
            ),
        )
        self.files[name] = dict(files)
        return name

    def _last(self) -> tuple[str, ...]:
        return (next(reversed(self.files)),) if self.commits else ()

    def _entries(self, before: Sequence[Files], files: Files, renamed: Mapping[str, str]) -> Iterable[Entry]:
        paths = sorted({path for one in (*before, files) for path in one})
        for path in paths:
            if before and any(one.get(path) == files.get(path) for one in before):
                continue
            sides = []
            for one in before or ({},):
                old = renamed.get(path, path)
                text = one.get(old)
                sides.append(Side(old if text is not None else "", hunks_between(text or "", files.get(path, ""))))
            yield Entry(path, tuple(sides), is_removed=path not in files)

    def history(self, known: History = EMPTY, boundaries: Iterable[str] = ()) -> History:
        """Continued from what is known."""
        return grown(known, self.commits, boundaries=map(_id_of, boundaries))


def _id_of(name: str) -> str:
    return (name * 40)[:40]


def grown(known: History, commits: Sequence[Commit], boundaries: Iterable[str] = ()) -> History:
    return finish(extended(known, commits, commits[0].id if commits else "", tuple(boundaries)))


def letters(history: History, rows: Iterable[int]) -> str:
    return "".join(history.id_of(row)[0] for row in rows)


def columns(history: History) -> dict[str, object]:
    """To be compared."""
    plain = {name: getattr(history, name) for name in history.__struct_fields__}
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in plain.items()}
