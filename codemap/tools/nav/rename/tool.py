"""`nav_rename`: the edits that give a symbol another name, checked before anyone applies them.

Rules of the file:
- The language server says what to change, the map what that must agree with. Where they disagree the rename is
  refused: no edits are shown, and each reason names its places. A caller may overrule some reasons by name.
- Nothing is written unless the call asks for it and the server was started with `--edits on`; then all files or none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

import msgspec

from codemap.envelope.answer import Answer, CutList, Failure, Spare
from codemap.envelope.errors import ErrorCode
from codemap.impact.assess import is_public
from codemap.live_queries import (
    At,
    Because,
    Edit,
    Found,
    Missed,
    NewContent,
    Place,
    Rename,
    RenameRange,
    Renaming,
    ReplaceFiles,
)
from codemap.mentions.account import Account
from codemap.tools.compact import GroupedRows
from codemap.tools.mentions import view_of
from codemap.tools.nav.compact import target_text
from codemap.tools.nav.map_meaning import map_meaning
from codemap.tools.nav.no_answer import fail_first, neighbors_call
from codemap.tools.nav.rename.changed import Changed, compact_edits, edit_view, read_changed
from codemap.tools.nav.rename.document_examples import settle_examples
from codemap.tools.nav.rename.files_left import files_left
from codemap.tools.nav.rename.outside_members import find_outside_member
from codemap.tools.nav.rename.params import Params, Payload, place_of
from codemap.tools.nav.rename.refusals import (
    refusals_of_edits,
    refusals_of_map,
    refusals_of_trial,
    show_lines,
    split_allowed,
    what_to_do,
)
from codemap.tools.nav.rename.texts_left import own_values_of, show_around, show_code_strings
from codemap.tools.nav.rename.trial import Trial, try_edits
from codemap.tools.nav.rename.uses.conflicts import find_collisions
from codemap.tools.nav.rename.uses.injected import Injected, ask_injected, given_to
from codemap.tools.nav.rename.uses.known import Known, find_known
from codemap.tools.nav.rename.uses.server_knowledge import ask_united
from codemap.tools.nav.rename.uses.together import find_fitting_namesakes, renamed_together
from codemap.tools.nav.target import Target, find_target, shown_target
from codemap.tools.places.rows import utf16_length
from codemap.tools.places.texts import diff_of, split_lines
from codemap.tools.tool import SLOW_LIVE_S, Asking, Replied, Spans, Tool, World

_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


def answer(world: World, params: Params) -> Asking[Replied]:
    """The edits, or why they are refused."""
    if _NAME.fullmatch(params.new_name) is None:
        return Failure(ErrorCode.BAD_ARGS, f"newName: expected an identifier, got {params.new_name!r}.")
    target = yield from find_target(world, params)
    if isinstance(target, Failure):
        return target
    if target.name == params.new_name:
        return Failure(ErrorCode.BAD_ARGS, f"newName: it is called {params.new_name} already.")
    (range_,) = yield (RenameRange(target.at),)
    if isinstance(range_, Found) and not range_.value:
        return _cannot(target, "the language server knows nothing there that can be renamed")
    if isinstance(range_, Missed) and range_.because is not Because.UNSUPPORTED:
        return _missed(world, range_, target)
    (fact,) = yield (Rename(target.at, params.new_name),)
    if isinstance(fact, Missed):
        return _missed(world, fact, target)
    renaming: Renaming = fact.value
    if not renaming.edits:
        return _cannot(target, "the language server changes nothing")
    return (yield from _check_edits(world, params, target, fact, renaming))


def _check_edits(
    world: World, params: Params, target: Target, fact: Found, renaming: Renaming, further: Sequence[int] = ()
) -> Asking[Replied]:
    """Compares the edits of the server with the map and the files; shows them, or why they are refused. `further` are
    renamed with the symbol."""
    nodes = [*_nodes_of(world, target), *further]
    server_edits = renaming
    if world.snapshot is not None:
        changed_files = world.disk.stale | world.disk.deleted
        nodes, renaming = yield from ask_united(world.snapshot, nodes, renaming, params.new_name, changed_files)
    injected = Injected(renaming)
    if world.snapshot is not None and nodes:
        injected = yield from ask_injected(world.snapshot, nodes, renaming, params.new_name)
    renaming = injected.renaming
    edits = sorted(
        renaming.edits, key=lambda edit: (edit.place.file != target.at.file, *msgspec.structs.astuple(edit.place.at))
    )
    inside = [edit for edit in edits if not edit.place.is_external]
    also = [at for at in dict.fromkeys(map(place_of, params.also)) if at not in {edit.place.at for edit in inside}]
    known = yield from find_known(world, nodes, inside, also, injected)
    if world.snapshot is not None:
        known = yield from settle_examples(world.snapshot, known, inside)
    width = utf16_length(target.name)
    lacking = dict.fromkeys((*also, *known.strings, *known.agreed, *(known.missed if params.add_missed else ())))
    added = [Edit(Place(at.file, at.line, at.col, at.line, at.col + width), params.new_name) for at in lacking]
    inside += added
    changed = yield from read_changed(target.name, params.new_name, inside)
    lines = {path: split_lines(text) for path, text in changed.before.items()}
    collisions = yield from find_collisions(world.snapshot, nodes, params.new_name, inside, lines)
    missed = () if params.add_missed else known.missed
    reasons = [
        *refusals_of_edits(edits, renaming, changed, fact),
        *refusals_of_map(params.new_name, collisions, missed, known.open_uses, known.foreign),
    ]
    refused, _ = split_allowed(reasons, params.allow)
    trial = Trial()
    if not refused:
        trial = yield from try_edits(changed, target.name, params.new_name, _left(world, known, changed))
    if trial.broken and not further and not params.allow:
        fitting = yield from _find_fitting(world, params, target, fact, server_edits, nodes)
        if fitting:
            return (yield from _check_edits(world, params, target, fact, server_edits, fitting))
    if not refused and world.snapshot is not None and known.node is not None:
        overriding = yield from find_outside_member(world.snapshot, known.node, changed)
        trial = msgspec.structs.replace(trial, overriding=tuple(overriding))
    if world.snapshot is not None and known.node is None:
        trial = msgspec.structs.replace(trial, given=tuple(given_to(world.snapshot, target.at, target.name)))
    reasons += refusals_of_trial(trial)
    data: Payload = {
        "target": target_text(world, params, target) if params.rows == "compact" else shown_target(world, target),
        "newName": params.new_name,
        "heldAgainst": "server" if known.node is None else "map",
    }
    if world.snapshot is not None and known.node is not None and is_public(world.snapshot, known.node):
        data["public"] = True
    edited = {edit.place.at for edit in inside}
    warnings = [*target.notes, *(yield from _show_left(world, target, known, changed, edited, data))]
    refused, overruled = split_allowed(reasons, params.allow)
    if overruled:
        data["overruled"] = overruled
    data["source"] = fact.server or "lsp"
    rests_on = frozenset((target.at.file, *changed.before))
    if refused:
        data["refused"] = refused
        if shown := (yield from show_lines(refused)):
            data["lines"] = shown
        warnings.append(what_to_do(refused))
        return Answer(data, _lists(params), tuple(warnings), rests_on=rests_on)
    data["total"] = len(inside)
    data["diagnosed"] = trial.checked
    if trial.checked < len(changed.after):
        count = len(changed.after) - trial.checked
        warnings.append(
            f"{count} touched file(s) were not diagnosed as they would be: call nav_diagnostics afterwards."
        )
    if added:
        data["added"] = len(added)
    data["edits"] = compact_edits(inside, params.new_name) if params.rows == "compact" else list(map(edit_view, inside))
    data["digests"] = {path: digest.hex() for path, digest in changed.digests.items()}
    if params.diff:
        data["diff"] = diff_of(changed.before, changed.after)
    if params.apply:
        failure = yield from _apply(changed)
        if failure is not None:
            return failure
        data["applied"] = True
    return Answer(data, _lists(params), tuple(warnings), rests_on=rests_on)


def _find_fitting(
    world: World, params: Params, target: Target, fact: Found, renaming: Renaming, nodes: Sequence[int]
) -> Asking[list[int]]:
    """The fewest namesakes of `nodes` with which a rename is not refused; none where it is with all of them."""
    tried = msgspec.structs.replace(params, apply=False)
    fitting = find_fitting_namesakes(world.snapshot, nodes)
    for without in (None, *fitting):
        some = [one for one in fitting if one != without]
        found = (yield from _check_edits(world, tried, target, fact, renaming, some)) if some else None
        if isinstance(found, Answer) and "refused" not in found.data:
            fitting = some
        elif without is None:
            return []
    return fitting


def _nodes_of(world: World, target: Target) -> list[int]:
    """The symbol, and what is renamed with it; none where the map has none."""
    snapshot, meaning = world.snapshot, map_meaning(world, target.now, target.at)
    if snapshot is None or meaning is None or snapshot.is_external(meaning.node) or snapshot.is_file(meaning.node):
        return []
    return [meaning.node, *renamed_together(snapshot, meaning.node)]


def _left(world: World, known: Known, changed: Changed) -> list[str]:
    if world.snapshot is None or known.node is None:
        return []
    return files_left(world.snapshot, known.node, known.ledger, changed.after.keys())


def _show_left(
    world: World, target: Target, known: Known, changed: Changed, edited: Set[At], data: Payload
) -> Asking[list[str]]:
    """Adds to the payload what the rename leaves alone; the warnings of it."""
    warnings = []
    if known.possible:
        warnings.append(f"{known.possible} possible use(s) are left alone: {neighbors_call(world, target, 'in')}.")
    file = None if world.snapshot is None else world.snapshot.by_path.get(target.at.file)
    if known.ledger is not None:
        view = view_of(known.ledger, neighbors_call(world, target, "in", mentions=True))
        data["mentions"] = {**view}
        stay = (
            {} if file is None else (yield from show_code_strings(known.ledger, target.name, own_values_of(file.lang)))
        )
        if stay:
            data["mentions"]["stay"] = stay
            warnings.append(f"The name reads like code in {_count(stay)} string(s) that stay: see mentions.stay.")
        texts = sum(known.ledger.counts.get(one, 0) for one in (Account.STRINGS, Account.COMMENTS))
        if texts:
            warnings.append(f"{texts} mention(s) in strings and comments stay as they are: see mentions.how.")
    elif file is not None and target.at.file in changed.before and target.at.file not in world.disk.stale:
        lines = split_lines(changed.before[target.at.file])
        stay = show_around(file, target.at, target.name, edited, lines)
        if stay:
            data["mentions"] = {"stay": stay}
            warnings.append(f"{_count(stay)} line(s) around its function name it and stay as they are: mentions.stay.")
    return warnings


def _count(rows: GroupedRows) -> int:
    return sum(map(len, rows.values()))


def _apply(changed: Changed) -> Asking[Failure | None]:
    files = tuple(NewContent(path, changed.digests[path], changed.after[path].encode()) for path in changed.before)
    (fact,) = yield (ReplaceFiles(files),)
    if isinstance(fact, Found):
        return None
    return Failure(
        ErrorCode.BAD_ARGS, f"Nothing was written: {fact.message}.", hint=fact.hint or "Call again without apply."
    )


def _lists(params: Params) -> tuple[CutList | Spare, ...]:
    return (
        Spare(("diff",), "diff", "pass a larger tokenBudget"),
        Spare(("lines",), "lines", "pass a larger tokenBudget"),
        Spare(("digests",), "digests", "pass a larger tokenBudget"),
        CutList(("mentions", "stay"), "lines that stay", "pass a larger tokenBudget", is_grouped=True),
        CutList(("edits",), "edits", "pass a larger tokenBudget", is_grouped=params.rows == "compact"),
        CutList(("refused", "*", "at"), "places", "pass a larger tokenBudget", keep=1),
    )


def _cannot(target: Target, why: str) -> Failure:
    return Failure(
        ErrorCode.SYMBOL_NOT_FOUND,
        f"{target.name} cannot be renamed: {why}.",
        hint="Pass the nodeId of a definition, or the place of a name.",
        file=target.at.file,
        line=target.at.line,
    )


def _missed(world: World, fact: Missed, target: Target) -> Failure:
    return fail_first(fact, neighbors_call(world, target, "in"), target)


TOOL = Tool(
    name="nav_rename",
    command="rename",
    title="Rename a symbol",
    description="Edits that rename a symbol everywhere, checked: uses missed, collisions. Writes only with apply.",
    params=Params,
    payload=Payload,
    answer=answer,
    questions_s=SLOW_LIVE_S,
    is_read_only=False,
    spans_roots=Spans.MISSED,
)
