"""Makes the records of a state from those before and from what was asked while its files were bound."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from itertools import chain

import numpy as np

from codemap.facts import Symbol
from codemap.graph.evaluate.evaluator import Elsewhere, Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.incremental.dependency_graph import Owner
from codemap.graph.incremental.noted_questions import Listed, Noted
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.ranges import expand_ranges
from codemap.graph.model.records import FORM, NAME, NO_RECORDS, NODE, Form, Pairs, Records
from codemap.graph.model.values import CLASS_KINDS, Definition, Meaning


def record(
    ev: Evaluator,
    guessed: Mapping[str, Sequence[str]],
    noted: Noted,
    before: Records | None,
    red: Set[Owner],
) -> Generator[None, None, Records]:
    """What the files of a state depend on, in steps. `guessed` are the undecided names of each file that was bound,
    `noted` what was collected of the questions so far, `before` the records of before, numbered as now; of what is
    `red`, nothing of them holds."""
    files = {file.path: ev.files.number_of(file) for file in ev.files.made()}
    red = {owner for owner in red if isinstance(owner, int) or owner in files}
    frames: list[GraphFile | Elsewhere] = [*ev.files.made(), *ev.elsewhere_of.values()]
    for frame in frames:
        noted.take(frame)
        yield
    are_members = noted.forms_where(_is_of_member)
    asked: list[Ints] = []
    for frame in frames:
        rows = noted.asked_by(frame)
        asked.append(_select_crossing(ev, frame, rows, are_members) if isinstance(frame, GraphFile) else rows)
        yield
    rows = np.concatenate((*asked, noted.rows_of(each.key for each in ev.elsewhere_of.values())))
    counts = [*map(len, asked)]
    asked.clear()
    yield
    listed = noted.list_distinct(rows)
    yield
    before = NO_RECORDS if before is None else before
    records, place = _add(before, listed, chain.from_iterable(guessed.values()))
    numbers = place[listed.numbers]
    own = len(ev.elsewhere_of)
    elsewhere = (~numbers[len(numbers) - own :]).tolist()
    yield
    names = records.names.find(chain.from_iterable(guessed.values()))
    yield
    replaced = {files[owner] if isinstance(owner, str) else ~owner for owner in red}
    askers = [*(files[frame.path] for frame in frames if isinstance(frame, GraphFile)), *elsewhere]
    records = Records(
        records.forms,
        records.names,
        records.cells,
        _replace_pairs(before.asks, replaced, askers, numbers[: len(numbers) - own], counts),
        _replace_pairs(
            before.guesses,
            {files[owner] for owner in red if isinstance(owner, str)},
            [files[path] for path in guessed],
            np.fromiter(map(names.__getitem__, chain.from_iterable(guessed.values())), np.int32),
            [*map(len, guessed.values())],
        ),
        before.asked_least_without([*replaced, *askers]),
    )
    return records.thinned()


def _select_crossing(ev: Evaluator, file: GraphFile, rows: Ints, are_members: Mask) -> Ints:
    """What a file asked, but for the members of its classes that inherit from no other file. `are_members`: of each
    form, whether it asks for a member."""
    members = np.flatnonzero(are_members[rows[:, FORM]])
    nodes = rows[members, NODE]
    nodes = nodes[(nodes >= file.base) & (nodes < file.base + file.symbol_count)]
    closed = [node for node in set(nodes.tolist()) if _is_closed(ev, file, node)]
    if not closed:
        return rows
    is_kept = np.ones(len(rows), np.bool_)
    is_kept[members] = ~np.isin(rows[members, NODE], closed)
    kept: Ints = rows[is_kept]
    return kept


def _is_of_member(form: Form) -> bool:
    return form[0] == "member"


def _is_closed(ev: Evaluator, file: GraphFile, node: int) -> bool:
    """Whether a class or another namespace of a file has members from that file alone."""
    if file.cell(node - file.base, Symbol.KIND) not in CLASS_KINDS:
        return True
    known = ev.cells.get(("order", node))
    if known is None:  # the class itself had them all
        return not file.language.scopes.shares_names
    return isinstance(known, Meaning) and all(
        not isinstance(value, Definition) or ev.file_of_node(value.node) is file for value in known.values
    )


def _add(before: Records, listed: Listed, more_names: Iterable[str]) -> tuple[Records, Ints]:
    """The records with some more questions and names, and the numbers of those questions."""
    form_of = {form: place for place, form in enumerate(before.forms)}
    for form in listed.forms:
        form_of.setdefault(form, len(form_of))
    wanted = dict.fromkeys(chain(listed.names, more_names))
    name_of = before.names.find(wanted)
    fresh_names = [name for name in wanted if name not in name_of]
    name_of |= zip(fresh_names, range(len(before.names), len(before.names) + len(fresh_names)), strict=True)
    table = before.names.and_also(fresh_names)
    rows = listed.rows
    rows[:, FORM] = np.array([form_of[form] for form in listed.forms], np.int32)[rows[:, FORM]]
    rows[:, NAME] = np.array([name_of[name] for name in listed.names], np.int32)[rows[:, NAME]]
    first = len(before)
    if not first:
        return Records(tuple(form_of), table, rows, before.asks, before.guesses), np.arange(len(rows), dtype=np.int32)
    places = np.flatnonzero(
        np.isin(before.cells[:, NODE], rows[:, NODE]) & np.isin(before.cells[:, NAME], rows[:, NAME])
    )
    known = dict(zip(map(tuple, before.cells[places].tolist()), places.tolist(), strict=True))
    listed_rows = [*map(tuple, rows.tolist())]
    fresh = [row for row in listed_rows if row not in known]
    known |= {row: first + place for place, row in enumerate(fresh)}
    cells = np.concatenate((before.cells, np.array(fresh, np.int32).reshape(-1, 4))) if fresh else before.cells
    numbers = np.fromiter(map(known.__getitem__, listed_rows), np.int32, count=len(listed_rows))
    return Records(tuple(form_of), table, cells, before.asks, before.guesses), numbers


def _replace_pairs(
    before: Pairs, replaced: Set[int], keys: Sequence[int], seconds: Ints, counts: Sequence[int]
) -> Pairs:
    """Pairs with some more, each once: so many `seconds` for each key. Of those `replaced`, none of those before."""
    firsts = np.repeat(np.array(keys, np.int32), np.array(counts, np.int32))
    fresh = np.stack((firsts, seconds), 1)
    if not len(before.seconds):
        return Pairs.of_rows(fresh)
    same = before.of_firsts(np.array([*{*keys} - replaced], np.int32))
    touched = Pairs.of_rows(np.unique(np.concatenate((same, fresh)), axis=0))
    if not replaced and len(touched.seconds) == len(same):
        return before
    others = before.select(~np.repeat(np.isin(before.firsts, np.array([*keys, *replaced], np.int32)), before.counts))
    firsts = np.concatenate((others.firsts, touched.firsts))
    each = np.concatenate((others.counts, touched.counts))
    order = np.argsort(firsts)
    places = expand_ranges((np.cumsum(each) - each)[order], each[order])[0]
    return Pairs(firsts[order], each[order], np.concatenate((others.seconds, touched.seconds))[places])
