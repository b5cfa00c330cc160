"""Makes the records of a state from those before and from what was asked while its files were bound.

Nearly all of it runs in C: of each question that a build asks, Python code only splits the key.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from itertools import chain, compress
from operator import itemgetter, not_

import numpy as np

from codemap.facts import Symbol
from codemap.graph.evaluate.evaluator import Elsewhere, Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.incremental.dependency_graph import Owner
from codemap.graph.incremental.facts_diff import ranges
from codemap.graph.model.records import NAME, NO_RECORDS, NODE, Key, Pairs, Records, split
from codemap.graph.model.values import CLASS_KINDS, Definition, Meaning

_first = itemgetter(0)


def record(
    ev: Evaluator, guessed: Mapping[str, Set[str]], before: Records | None, red: Set[Owner]
) -> Generator[None, None, Records]:
    """What the files of a state depend on, in steps. `guessed` are the undecided names of each file that was bound,
    `before` the records of before, numbered as now; of what is `red`, nothing of them holds."""
    files = {file.path: ev.files.number_of(file) for file in ev.files.made()}
    red = {owner for owner in red if isinstance(owner, int) or owner in files}
    frames: list[GraphFile | Elsewhere] = [*ev.files.made(), *ev.elsewhere_of.values()]
    asked: list[Sequence[Key]] = []
    for frame in frames:
        asked.append(_select_crossing(ev, frame) if isinstance(frame, GraphFile) else [*frame.asked])
        yield
    keys = dict.fromkeys(chain(chain.from_iterable(asked), (each.key for each in ev.elsewhere_of.values())))
    before = NO_RECORDS if before is None else before
    records, numbers = _add(before, keys, chain.from_iterable(map(sorted, guessed.values())))
    number = dict(zip(keys, numbers, strict=True))
    yield
    askers = [files[frame.path] if isinstance(frame, GraphFile) else ~number[frame.key] for frame in frames]
    names = records.names.find(chain.from_iterable(guessed.values()))
    records = Records(
        records.forms,
        records.names,
        records.cells,
        _replace_pairs(
            before.asks,
            {files[owner] if isinstance(owner, str) else ~owner for owner in red},
            askers,
            [map(number.__getitem__, each) for each in asked],
            [*map(len, asked)],
        ),
        _replace_pairs(
            before.guesses,
            {files[owner] for owner in red if isinstance(owner, str)},
            [files[path] for path in guessed],
            [map(names.__getitem__, each) for each in guessed.values()],
            [*map(len, guessed.values())],
        ),
    )
    return records.compacted() if records.is_sparse else records


def _select_crossing(ev: Evaluator, file: GraphFile) -> Sequence[Key]:
    """What a file asked, but for the members of its classes that inherit from no other file."""
    asked = [*file.asked]
    first, last = file.base, file.base + file.symbol_count
    own = {node for node in set(map(_first, asked)) if node.__class__ is int and first <= node < last}
    closed = {node for node in own if _is_closed(ev, file, node)}
    if not closed:
        return asked
    return [*compress(asked, map(not_, map(closed.__contains__, map(_first, asked))))]


def _is_closed(ev: Evaluator, file: GraphFile, node: int) -> bool:
    """Whether a class or another namespace of a file has members from that file alone."""
    if file.cell(node - file.base, Symbol.KIND) not in CLASS_KINDS:
        return True
    known = ev.cells.get(("order", node))
    if known is None:  # the class itself had them all
        return not file.language.shares_names
    return isinstance(known, Meaning) and all(
        not isinstance(value, Definition) or ev.file_of_node(value.node) is file for value in known.values
    )


def _add(before: Records, keys: Iterable[Key], more_names: Iterable[str]) -> tuple[Records, list[int]]:
    """The records with some more questions and names, and the numbers of those questions."""
    forms, nodes, names, others = zip(*map(split, keys), strict=True) if keys else ((), (), (), ())
    form_of = {form: place for place, form in enumerate(before.forms)}
    for form in dict.fromkeys(forms):
        form_of.setdefault(form, len(form_of))
    listed = dict.fromkeys(chain(names, more_names))
    name_of = before.names.find(listed)
    table = before.names.and_also(name for name in listed if name not in name_of)
    fresh_names = (name for name in listed if name not in name_of)
    name_of |= dict(zip([*fresh_names], range(len(before.names), len(table)), strict=True))
    columns = (map(form_of.__getitem__, forms), nodes, map(name_of.__getitem__, names), others)
    rows = np.stack([np.fromiter(column, np.int32, count=len(nodes)) for column in columns], 1)
    first = len(before)
    if not first:
        return Records(tuple(form_of), table, rows, before.asks, before.guesses), [*range(len(rows))]
    places = np.flatnonzero(
        np.isin(before.cells[:, NODE], rows[:, NODE]) & np.isin(before.cells[:, NAME], rows[:, NAME])
    )
    known = dict(zip(map(tuple, before.cells[places].tolist()), places.tolist(), strict=True))
    listed_rows = [*map(tuple, rows.tolist())]
    fresh = [row for row in dict.fromkeys(listed_rows) if row not in known]
    known |= {row: first + place for place, row in enumerate(fresh)}
    cells = np.concatenate((before.cells, np.array(fresh, np.int32).reshape(-1, 4))) if fresh else before.cells
    return Records(tuple(form_of), table, cells, before.asks, before.guesses), [*map(known.__getitem__, listed_rows)]


def _replace_pairs(
    before: Pairs, replaced: Set[int], keys: Sequence[int], listed: Sequence[Iterable[int]], counts: Sequence[int]
) -> Pairs:
    """Pairs with some more, each once: `listed` by the first of the pair. Of those `replaced`, none of those before."""
    firsts = np.repeat(np.array(keys, np.int32), np.array(counts, np.int32))
    fresh = np.stack((firsts, np.fromiter(chain.from_iterable(listed), np.int32, count=len(firsts))), 1)
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
    places = ranges((np.cumsum(each) - each)[order], each[order])
    return Pairs(firsts[order], each[order], np.concatenate((others.seconds, touched.seconds))[places])
