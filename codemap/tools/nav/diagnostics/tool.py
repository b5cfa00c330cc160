"""`nav_diagnostics`: whether an edit broke something, in its own files and in what depends on them.

Rules of the file:
- Without files, only what is new since the base is listed, which is HEAD unless another one is named.
- `clean` is said only where every changed file and every dependent was checked as it is now, by a server that had seen
  all files; all else that found nothing is `partly`, and names what was not checked. Where nothing changed, nothing is
  to be checked: `unchanged`.
- Of the dependents those with the fewest come first: where an answer is cut, a file with a hundred hides no other.
- What could not be compared comes last, but for what names a definition that differs; where nobody asked for it, in
  short pages.
- A file that no server checks, or that one may not know wholly, is named, with why.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from codemap.changes.change_set import ChangeSet
from codemap.envelope.answer import Answer, CutList, Dropped, Failure
from codemap.envelope.errors import ErrorCode
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import language_of
from codemap.live_queries import Because, ChangedSince, Diagnostic, Diagnostics, Found, Missed, Severity
from codemap.tools.nav.diagnostics.base import Compared, subtract_base
from codemap.tools.nav.diagnostics.checked import Checked, by_reason, shorten_in_part, shorten_unchecked
from codemap.tools.nav.diagnostics.dependents import changed_names, dependents_of, direct_users_of
from codemap.tools.nav.diagnostics.params import (
    CLEAN,
    DEPENDENTS_MOST,
    ERRORS,
    PARTLY,
    UNCHANGED,
    WARNINGS,
    ComparedView,
    Params,
    Payload,
)
from codemap.tools.nav.diagnostics.rows import compact_rows, full_rows
from codemap.tools.places.anchors import files_now
from codemap.tools.row_selection import passes_filter
from codemap.tools.tool import SLOW_LIVE_S, Asking, Replied, Spans, Tool, World, is_plain_path
from codemap.tools.view import not_built

SHORT_ID = 12
"""Digits of a commit."""

NOT_COMPARED_MAX = 30
"""Rows of a page with findings of which nobody knows whether they are new, where the question was for new ones."""
_WORD = re.compile(r"\w+")
_NOTE = "pass fileFilter, or severity:error"


def answer(world: World, params: Params) -> Replied | Asking[Replied]:
    """The errors and warnings, those of changed files first."""
    if world.snapshot is None:
        return not_built(world)
    for place, path in enumerate(params.files):
        if not is_plain_path(path):
            return Failure(ErrorCode.BAD_ARGS, f"files[{place}]: expected a path relative to the root, got {path!r}.")
    return _answered(world, world.snapshot, params)


def _answered(world: World, snapshot: Snapshot, params: Params) -> Asking[Replied]:
    (fact,) = yield (ChangedSince(params.base or "HEAD"),)
    change = fact.value if isinstance(fact, Found) else None
    if isinstance(fact, Missed) and (params.base or not params.files):
        return _without_base(fact, params)
    assert change is None or isinstance(change, ChangeSet)
    pairs = () if change is None else change.pairs
    gone = {pair.path for pair in pairs if pair.after is None}
    changed = params.files or tuple(
        sorted(
            {pair.path for pair in pairs} - gone
            | {path for path in (change.omitted if change else ()) if language_of(path)}
        )
    )
    related = [pair for pair in pairs if not params.files or pair.path in params.files]
    passes = passes_filter(params.file_filter)
    around = [path for path in dependents_of(snapshot, [*changed, *gone], related) if passes(path) and path not in gone]
    changed = tuple(path for path in changed if passes(path))
    dependents = tuple(around[: params.dependents])
    asked = (*changed, *dependents)
    if not asked:
        return _nothing_asked(params, change, len(gone))
    facts = yield tuple(map(Diagnostics, asked))
    checked = Checked(changed, dependents, len(around) - len(dependents), dict(zip(asked, facts, strict=True)))
    least = list(Severity).index(Severity(params.severity))
    problems, hidden = _problems(checked, tuple(Severity)[: least + 1])
    compared = None
    if change is not None and (params.base or not params.files):
        added = [pair.path for pair in pairs if pair.before is None]
        compared = yield from subtract_base(change, problems, direct_users_of(snapshot, added))
    listed = problems if compared is None else compared.problems
    found = [one for file in asked for one in listed.get(file, ())]
    files = yield from files_now(world, dict.fromkeys(one.place.file for one in found))
    data = _data(params, checked, found)
    maybe_old = frozenset[str]() if compared is None else compared.files_not_compared
    if change is not None and compared is not None and (params.base or problems):
        data["compared"] = _comparison(change, compared)
    names = changed_names(pairs) if maybe_old else frozenset[str]()

    of_file = Counter(one.place.file for one in found)

    def place_of(one: Diagnostic) -> tuple[bool, bool, bool, int]:
        is_old, is_changed = one.place.file in maybe_old, one.place.file in changed
        is_named = is_old and not names.isdisjoint(_WORD.findall(one.message))
        is_error = one.severity is Severity.ERROR
        return (
            is_old and not is_named,
            is_old and not is_changed,
            not is_error,
            not is_changed and of_file[one.place.file],
        )

    found.sort(key=place_of)
    data["diagnostics"] = compact_rows(found, files) if params.rows == "compact" else full_rows(found, files)
    if not found:
        data["emptyBecause"] = _empty_because(checked, hidden)
    return _packed(params, checked, compared, data)


def _nothing_asked(params: Params, change: ChangeSet | None, gone: int) -> Answer:
    """The answer where there is no file to check."""
    if params.file_filter and (params.files or (change is not None and (change.pairs or change.omitted))):
        verdict, because = PARTLY, "filtered"
        said = "No changed file passes fileFilter: repeat the call without it."
    elif gone:
        verdict, because = CLEAN, "none"
        said = f"Only {gone} file(s) went since {params.base or 'HEAD'}, and nothing depends on them."
    else:
        verdict, because = UNCHANGED, "none"
        others = 0 if change is None else change.others
        other = f" {others} file(s) in no known language differ." if others else ""
        said = f"No source file differs from {params.base or 'HEAD'}.{other} Pass files to check others."
    data: Payload = {"verdict": verdict, "diagnostics": {}, "emptyBecause": because}
    return Answer(data, warnings=(said,))


def _problems(checked: Checked, shown: Sequence[Severity]) -> tuple[dict[str, tuple[Diagnostic, ...]], int]:
    """By file; and how many are not bad enough to be shown."""
    problems: dict[str, tuple[Diagnostic, ...]] = {}
    hidden = 0
    for file, fact in checked.facts.items():
        if isinstance(fact, Found):
            found = tuple(one for one in fact.value if one.severity in shown)
            hidden += len(fact.value) - len(found)
            if found:
                problems[file] = tuple(sorted(found, key=lambda one: (one.place.line, one.place.col)))
    return problems, hidden


def _data(params: Params, checked: Checked, found: Sequence[Diagnostic]) -> Payload:
    counts = Counter(one.severity for one in found)
    worst = next((one for one in (Severity.ERROR, Severity.WARNING) if counts[one]), None)
    verdict = {Severity.ERROR: ERRORS, Severity.WARNING: WARNINGS, None: CLEAN if checked.is_whole else PARTLY}[worst]
    data: Payload = {"verdict": verdict}
    if counts:
        data["counts"] = {one.value: counts[one] for one in Severity if counts[one]}
    unchecked, in_part, is_full = checked.unchecked, checked.in_part, params.rows == "full"
    data["checked"] = {
        "changed": sum(path not in unchecked for path in checked.changed),
        "dependents": sum(path not in unchecked for path in checked.dependents),
    }
    if checked.left:
        data["checked"]["dependentsLeft"] = checked.left
    if in_part:
        data["checked"]["inPart"] = by_reason(in_part) if is_full else shorten_in_part(by_reason(in_part), checked)
    if unchecked:
        reasons = by_reason(unchecked) if is_full else shorten_unchecked(by_reason(unchecked), checked)
        data["notChecked"] = [{"why": why, "files": files} for why, files in reasons.items()]
    servers = dict.fromkeys(fact.server for fact in checked.facts.values() if isinstance(fact, Found) and fact.server)
    if servers:
        data["source"] = ", ".join(servers)
    return data


def _comparison(change: ChangeSet, compared: Compared) -> ComparedView:
    view: ComparedView = {"base": change.base[:SHORT_ID]}
    if compared.old or not compared.not_compared:
        view["old"] = compared.old
    if compared.not_compared:
        view["notCompared"] = compared.not_compared
    return view


def _packed(params: Params, checked: Checked, compared: Compared | None, data: Payload) -> Answer:
    warnings = []
    doubt = checked.doubt
    way = "Calling again does not mend that." if doubt.is_lasting else "Repeat the call in some seconds."
    places = {"checked.inPart": checked.in_part, "notChecked": checked.unchecked}
    if count := sum(map(len, places.values())):
        where = " and ".join(place for place, files in places.items() if files)
        warnings.append(f"{count} file(s) are not surely checked: see {where}. {way}")
    if "emptyBecause" in data and checked.left:
        what = "new" if compared is not None else "wrong"
        seen = len(checked.facts) - len(checked.unchecked)
        warnings.append(f"Nothing {what} in {seen} file(s); {checked.left} dependents are not checked.")
    if compared is not None and compared.not_compared:
        others = compared.old or compared.problems.keys() - compared.files_not_compared
        partly = f" of {len(compared.files_not_compared)} file(s), which come last," if others else ""
        warnings.append(f"All{partly} are listed, not only new ones: {compared.not_compared}.")
    if compared is not None and compared.old and not params.base:
        warnings.append(
            f"{compared.old} were there at HEAD already and are not listed: pass files to list all of some files."
        )
    dropped: tuple[Dropped, ...] = ()
    if checked.left:
        more = min(DEPENDENTS_MOST, len(checked.dependents) + checked.left)
        dropped = (Dropped("dependents", checked.left, f"pass dependents:{more} to check more of them"),)
    return Answer(
        data,
        _lists(params, page=0 if compared is None or params.base or not compared.not_compared else NOT_COMPARED_MAX),
        tuple(warnings),
        already_dropped=dropped,
        incomplete="" if doubt.is_lasting or not doubt.incomplete else f"There may be more: {doubt.incomplete}.",
        rests_on=frozenset(checked.facts),
    )


def _lists(params: Params, page: int) -> tuple[CutList, ...]:
    return (
        CutList(("notChecked", "*", "files"), "files not checked", "pass a larger tokenBudget", keep=1),
        CutList(("checked", "inPart"), "files checked in part", "pass a larger tokenBudget", is_grouped=True),
        CutList(("notChecked",), "reasons", "pass a larger tokenBudget"),
        CutList(("diagnostics",), "diagnostics", _NOTE, page=page, is_grouped=params.rows == "compact"),
    )


def _empty_because(checked: Checked, hidden: int) -> str:
    if checked.unchecked or checked.in_part:
        return "notIndexed" if checked.doubt.is_lasting else "serverNotReady"
    return "filtered" if hidden or checked.left else "none"


def _without_base(fact: Missed, params: Params) -> Failure:
    if fact.because in (Because.REFUSED, Because.UNAVAILABLE):
        hint = "" if params.base else " Pass files."
        return Failure(ErrorCode.BAD_ARGS, f"{fact.message}{hint}")
    return Failure(ErrorCode.MAP_NOT_BUILT, f"{fact.message}.", hint="Repeat the call in a moment.")


TOOL = Tool(
    name="nav_diagnostics",
    command="diagnostics",
    title="Diagnostics of a change",
    description="Did my edit break anything: errors of changed files and of what depends on them, live. After an edit.",
    params=Params,
    payload=Payload,
    answer=answer,
    questions_s=SLOW_LIVE_S,
    needs_edges=True,
    spans_roots=Spans.MISSED,
)
