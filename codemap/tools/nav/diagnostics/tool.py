"""`nav_diagnostics`: whether an edit broke something, in its own files and in what depends on them.

Rules of the file:
- `clean` is said only where every changed file and every dependent was checked as it is now, by a server that had seen
  all files; all else that found nothing is `partly`, and names what was not checked.
- A file that no server checks is named, with why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from codemap.changes.change_set import ChangeSet
from codemap.envelope.answer import Answer, CutList, Dropped, Failure
from codemap.envelope.errors import ErrorCode
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name, language_of
from codemap.live_queries import Because, ChangedSince, Diagnostic, Diagnostics, Doubt, Fact, Found, Missed, Severity
from codemap.tools.nav.diagnostics.base import Compared, subtract_base
from codemap.tools.nav.diagnostics.dependents import dependents_of, direct_users_of
from codemap.tools.nav.diagnostics.params import (
    CLEAN,
    DEPENDENTS_MOST,
    ERRORS,
    PARTLY,
    WARNINGS,
    ComparedView,
    Params,
    Payload,
    UncheckedView,
)
from codemap.tools.nav.diagnostics.rows import compact_rows, full_rows
from codemap.tools.nav.no_answer import failed_part, is_passing
from codemap.tools.places.anchors import files_now
from codemap.tools.row_selection import passes_filter
from codemap.tools.tool import SLOW_LIVE_S, Asking, Replied, Spans, Tool, World, is_plain_path
from codemap.tools.view import not_built

SHORT_ID = 12
"""Digits of a commit."""

_NOTE = "pass fileFilter, or severity:error"


class Checked(msgspec.Struct, frozen=True):
    """What became of the files."""

    changed: tuple[str, ...]
    dependents: tuple[str, ...]
    left: int
    """Dependents beyond the limit."""
    facts: Mapping[str, Fact]

    @property
    def unchecked(self) -> dict[str, str]:
        """Files of which nothing sure is known -> why."""
        found = {}
        for file, fact in self.facts.items():
            if isinstance(fact, Missed):
                found[file] = _why(fact)
            elif fact.incomplete:
                found[file] = fact.incomplete
        return found

    @property
    def doubt(self) -> Doubt:
        """Why something is not sure, and whether time mends that."""
        for fact in self.facts.values():
            if isinstance(fact, Missed) and is_passing(fact):
                return Doubt(failed_part(fact))
            if isinstance(fact, Found) and fact.incomplete and not fact.is_lasting:
                return Doubt(fact.incomplete)
        return Doubt(next(iter(self.unchecked.values()), ""), is_lasting=True)


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
    facts = yield tuple(map(Diagnostics, asked))
    checked = Checked(changed, dependents, len(around) - len(dependents), dict(zip(asked, facts, strict=True)))
    least = list(Severity).index(Severity(params.severity))
    problems, hidden = _problems(checked, tuple(Severity)[: least + 1])
    compared = Compared(problems)
    if params.base and change is not None:
        added = [pair.path for pair in pairs if pair.before is None]
        compared = yield from subtract_base(change, problems, direct_users_of(snapshot, added))
    found = [one for file in asked for one in compared.problems.get(file, ())]
    files = yield from files_now(world, dict.fromkeys(one.place.file for one in found))
    data = _data(checked, found)
    if params.base and change is not None:
        data["compared"] = _comparison(change, compared)
    ordered = sorted(found, key=lambda one: one.severity is not Severity.ERROR)  # they are by file and place already
    data["diagnostics"] = compact_rows(ordered, files) if params.rows == "compact" else full_rows(ordered, files)
    if not found:
        data["emptyBecause"] = _empty_because(checked, hidden, data["verdict"])
    return _packed(params, checked, compared, data, change)


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


def _data(checked: Checked, found: Sequence[Diagnostic]) -> Payload:
    counts = Counter(one.severity for one in found)
    unchecked = checked.unchecked
    is_sure = bool(checked.facts) and not unchecked and not checked.left
    worst = next((one for one in (Severity.ERROR, Severity.WARNING) if counts[one]), None)
    verdict = {Severity.ERROR: ERRORS, Severity.WARNING: WARNINGS, None: CLEAN if is_sure else PARTLY}[worst]
    data: Payload = {"verdict": verdict}
    if counts:
        data["counts"] = {one.value: counts[one] for one in Severity if counts[one]}
    data["checked"] = {
        "changed": sum(path not in unchecked for path in checked.changed),
        "dependents": sum(path not in unchecked for path in checked.dependents),
    }
    if checked.left:
        data["checked"]["dependentsLeft"] = checked.left
    if unchecked:
        data["notChecked"] = _grouped(unchecked)
    servers = dict.fromkeys(fact.server for fact in checked.facts.values() if isinstance(fact, Found) and fact.server)
    if servers:
        data["source"] = ", ".join(servers)
    return data


def _grouped(unchecked: Mapping[str, str]) -> list[UncheckedView]:
    """Files by why they are not checked."""
    by_reason: dict[str, list[str]] = {}
    for file, why in unchecked.items():
        by_reason.setdefault(why, []).append(file)
    return [{"why": why, "files": files} for why, files in by_reason.items()]


def _comparison(change: ChangeSet, compared: Compared) -> ComparedView:
    view: ComparedView = {"base": change.base[:SHORT_ID]}
    if compared.not_compared:
        view["notCompared"] = compared.not_compared
    else:
        view["old"] = compared.old
    return view


def _packed(params: Params, checked: Checked, compared: Compared, data: Payload, change: ChangeSet | None) -> Answer:
    warnings = []
    unchecked = checked.unchecked
    if unchecked:
        doubt = checked.doubt
        way = "That will not change by itself." if doubt.is_lasting else "Repeat the call in some seconds."
        warnings.append(f"{len(unchecked)} file(s) are not surely checked: see notChecked. {way}")
    if not checked.facts:
        warnings.append(_nothing(params, change))
    if compared.not_compared:
        warnings.append(f"All are listed, not only new ones: {compared.not_compared}.")
    dropped: tuple[Dropped, ...] = ()
    if checked.left:
        more = min(DEPENDENTS_MOST, len(checked.dependents) + checked.left)
        dropped = (Dropped("dependents", checked.left, f"pass dependents:{more} to check more of them"),)
    doubt = checked.doubt
    return Answer(
        data,
        _lists(params),
        tuple(warnings),
        already_dropped=dropped,
        incomplete="" if doubt.is_lasting or not doubt.incomplete else f"There may be more: {doubt.incomplete}.",
        rests_on=frozenset(checked.facts),
    )


def _nothing(params: Params, change: ChangeSet | None) -> str:
    if params.file_filter:
        return "No changed file passes fileFilter: repeat the call without it."
    other = f" {change.others} file(s) in no known language differ." if change is not None and change.others else ""
    return f"No source file differs from {params.base or 'HEAD'}.{other} Pass files to check others."


def _lists(params: Params) -> tuple[CutList, ...]:
    return (
        CutList(("notChecked", "*", "files"), "files not checked", "pass a larger tokenBudget", keep=1),
        CutList(("notChecked",), "reasons", "pass a larger tokenBudget"),
        CutList(("diagnostics",), "diagnostics", _NOTE, is_grouped=params.rows == "compact"),
    )


def _empty_because(checked: Checked, hidden: int, verdict: str) -> str:
    if verdict == PARTLY:
        return "notIndexed" if checked.doubt.is_lasting else "serverNotReady"
    return "filtered" if hidden else "none"


def _why(fact: Missed) -> str:
    language = by_name().get(fact.language)
    title = language.title if language else "this language"
    hint = f" ({fact.hint.rstrip('.')})" if fact.hint else ""
    match fact.because:
        case Because.UNAVAILABLE:
            return f"no language server for {title}: {failed_part(fact)}{hint}"
        case Because.UNSUPPORTED:
            return f"the language server for {title} has no diagnostics of one version of a file"
        case Because.NOT_READY:
            return f"the language server for {title} is not ready"
        case Because.TIMEOUT:
            return f"the language server for {title} gave no answer in time"
        case Because.FAILED | Because.REFUSED | Because.NO_FILE:
            return failed_part(fact)


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
