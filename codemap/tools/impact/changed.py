"""Shows a change: definitions added, removed, renamed or edited, and the uses that it did not adapt.

    {"what": "signature", "rows": {"app/store.py": ["SessionStore.refresh 12"]}}
    {"used": "SessionStore.prune", "why": "removed", "rows": {"app/api.py": ["renew 14"]}}
    {"used": "SessionStore.refresh", "misfit": "missing `timeout`", "rows": {"app/api.py": ["login 31,40"]}}

A row of what was removed has its line before the change, all others have lines after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from codemap.changes.change_set import ChangeSet
from codemap.changes.changed_definitions import Change, Compared, Pair, Place, What
from codemap.changes.import_lines import list_exports, list_gone, list_imports, list_unbound
from codemap.changes.version import Version
from codemap.facts import Symbol
from codemap.impact.breakage.not_adapted import Left
from codemap.tools.compact import Row, group_by_file
from codemap.tools.impact.params import ChangedView, LeftView

TOP = "(top level)"
"""The code of a file outside of its definitions."""
NAMED_MAX = 5
"""Files that a warning names."""
NAMES_MAX = 5
"""Imported or exported names that a row has."""
LINES = {What.IMPORTS: list_imports, What.EXPORTS: list_exports}
_ORDER = (What.REMOVED, What.RENAMED, What.MOVED, What.EXPORTS, What.SIGNATURE, What.BODY, What.IMPORTS, What.ADDED)


def changed_rows(changes: Iterable[Change], pairs: Mapping[str, Pair]) -> list[ChangedView]:
    """Compact rows by what happened, what breaks most first."""
    found: dict[What, list[Row]] = {}
    for change in changes:
        place, name, line = _shown(change, pairs)
        words = [f"was {was}"] if (was := _was(change, pairs)) else []
        if change.what in LINES:
            name, words = "", _say_names(_gone(change, pairs))
        found.setdefault(change.what, []).append(
            Row(place.file, name or (TOP if not words else ""), [str(line)], words)
        )
    return [{"what": what.value, "rows": group_by_file(found[what])} for what in _ORDER if what in found]


def changed_views(changes: Iterable[Change], pairs: Mapping[str, Pair]) -> list[ChangedView]:
    """The same as objects, in the order of the files."""
    views: list[ChangedView] = []
    for change in changes:
        place, name, line = _shown(change, pairs)
        view: ChangedView = {"what": change.what.value, "file": place.file, "line": line, "name": name or TOP}
        if was := _was(change, pairs):
            view["was"] = was
        if gone := _gone(change, pairs):
            view["gone"] = gone[:NAMES_MAX]
        views.append(view)
    return views


def limits_of(files: ChangeSet, compared: Compared, left: Iterable[Left]) -> list[str]:
    """What of a change is not compared or followed, and whether there is any, in sentences."""
    found: list[str] = []
    if files.omitted:
        found.append(f"{len(files.omitted)} file(s) that differ are not compared: see omitted.")
    elif not compared.changes and not compared.unchanged:
        found.append("No file that is indexed differs.")
    found += _say_unfollowed(files.pairs, {one.file for one in left})
    broken = [pair.path for pair in files.pairs if pair.after is not None and pair.after.facts.error_bytes]
    if broken:
        named = _say_first(broken, NAMED_MAX)
        found.append(f"{len(broken)} changed file(s) have syntax errors; changes there may be missing: {named}.")
    if files.inside_submodules:
        found.append(f"What is edited in submodules is not compared: {', '.join(files.inside_submodules)}.")
    if files.is_shallow:
        found.append("The clone is shallow: the merge base may be another in the whole history.")
    return found


def _say_unfollowed(pairs: Iterable[Pair], known: Collection[str]) -> Iterator[str]:
    """Says which imports went that bind no name, where nothing is known to need them."""
    gone = [
        f"{one.name} ({pair.path})"
        for pair in pairs
        if pair.before is not None and pair.after is not None and pair.path not in known
        for key, one in list_unbound(pair.before).items()
        if key not in list_unbound(pair.after)
    ]
    if gone:
        named = _say_first(gone, NAMED_MAX)
        yield f"{len(gone)} import(s) went whose users are not known, as they bind no name: {named}."


def left_rows(left: Iterable[Left]) -> list[LeftView]:
    found: dict[tuple[str, str, bool], list[Left]] = {}
    for one in left:
        found.setdefault((one.used, one.why, one.is_misfit), []).append(one)
    views: list[LeftView] = []
    for (used, why, is_misfit), some in found.items():
        view: LeftView = {"used": used, "misfit": why} if is_misfit else {"used": used, "why": why}
        view["rows"] = group_by_file(
            Row(one.file, one.name, [str(line) for line in one.lines], ["perhaps"] if one.is_guess else [])
            for one in some
        )
        views.append(view)
    return views


def left_views(left: Iterable[Left]) -> list[LeftView]:
    views: list[LeftView] = []
    for one in left:
        view: LeftView = {"used": one.used}
        view["misfit" if one.is_misfit else "why"] = one.why
        view |= {"file": one.file, "line": one.line, "name": one.name, "lines": list(one.lines)}
        if one.is_guess:
            view["guess"] = True
        views.append(view)
    return views


def _shown(change: Change, pairs: Mapping[str, Pair]) -> tuple[Place, str, int]:
    """Where it is after the change, or was before: place, qualified name, line."""
    place = change.after or change.before
    assert place is not None, "a change has a side"
    version = _version(pairs, place, is_before=change.after is None)
    return place, version.qualified_names[place.row], version.cell(place.row, Symbol.LINE) if place.row else 1


def _was(change: Change, pairs: Mapping[str, Pair]) -> str:
    """What it was called where it has another name or place now."""
    if change.what not in (What.MOVED, What.RENAMED) or change.before is None or change.after is None:
        return ""
    name = _version(pairs, change.before, is_before=True).qualified_names[change.before.row]
    return name if change.before.file == change.after.file else f"{change.before.file}#{name}"


def _gone(change: Change, pairs: Mapping[str, Pair]) -> list[str]:
    """The names that a file imports or passes on no more."""
    read = LINES.get(change.what)
    if read is None or change.after is None:
        return []
    pair = pairs[change.after.file]
    if pair.before is None or pair.after is None:
        return []
    return list(dict.fromkeys(one.name for one in list_gone(read, pair.before, pair.after)))


def _say_names(names: list[str]) -> list[str]:
    return [f"without {_say_first(names, NAMES_MAX)}"] if names else []


def _say_first(names: list[str], most: int) -> str:
    more = ["…"] if len(names) > most else []
    return ", ".join((*names[:most], *more))


def _version(pairs: Mapping[str, Pair], place: Place, *, is_before: bool) -> Version:
    pair = pairs[place.file]
    version = pair.before if is_before else pair.after
    assert version is not None, "a place is of a version"
    return version
