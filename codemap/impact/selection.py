"""Selects the tests that a change reaches, the nearest first, with one command for each test runner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import msgspec
import numpy as np

from codemap.facts import SymbolFlag
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import EdgeKind, Ints, Mask, distinct, first_places
from codemap.graph.model.snapshot import Snapshot
from codemap.impact.inherited_tests import Found, find_more
from codemap.impact.namesakes import ALIKE, NAMED, Mentions, find_mentions, find_namesakes
from codemap.impact.reached import Reach
from codemap.impact.steps import Tier
from codemap.impact.test_names import named_tests
from codemap.impact.test_places import TEST_FILES, TEST_PLACES, WHOLE, mark_files
from codemap.languages.runner import TestRunner
from codemap.root_paths import OWN, split_path

NAMED_MAX = 20
"""Tests that a command names one by one; beyond, it names their files."""
FIRST_MAX = 10
"""Tests that it runs first where it would run all."""
FILES_MAX = 20
"""Files, or folders of a runner that runs folders, that a command names; beyond, it runs all tests."""


class ReachedTest(msgspec.Struct, frozen=True):
    file: str
    selector: str
    """What selects it in its file; empty for the whole file."""
    tier: int
    depth: int
    """0 for a test that was changed itself."""


class TestRun(msgspec.Struct, frozen=True, dict=True):
    """The tests of one runner: those named after what changed among the nearest, else the surest first."""

    runner: TestRunner
    command: str
    is_wider: bool
    """Whether the command runs more than the tests that were found."""
    found: Found
    """Its rows of it."""
    root: str = ""
    """The prefix of another root in whose folder the command is to run; empty for the root that is asked."""
    command_for_all: str = ""
    """Where the command runs the first of them alone: one that runs the others, too."""

    def __len__(self) -> int:
        return len(self.found.file)

    def test(self, row: int) -> ReachedTest:
        found = self.found
        path, selector = found.place(row)
        return ReachedTest(path, selector, int(found.tier[row]), int(found.depth[row]))

    @cached_property
    def tests(self) -> tuple[ReachedTest, ...]:
        return tuple(map(self.test, range(len(self))))


def tests_of(snapshot: Snapshot, changed: Iterable[int], reached: Reach) -> tuple[TestRun, ...]:
    """The tests that a change reaches or touches, by runner; those named after it first, certain ones, the nearest."""
    edited = np.array(sorted(changed), dtype=np.int32)
    edited = edited[edited < snapshot.first_external]
    mentions = find_mentions(snapshot, edited.tolist())
    guesses = mentions.guesses[~np.isin(mentions.guesses, np.concatenate((edited, reached.node)))]
    nodes = np.concatenate((edited, reached.node, guesses))
    surest = np.minimum(reached.tier, int(Tier.POSSIBLE))  # a test that makes an object is there to have it run
    tiers = _column((len(edited), Tier.CERTAIN), surest, (len(guesses), Tier.POSSIBLE))
    depths = _column((len(edited), 0), reached.depth, (len(guesses), 1))
    numbers = TEST_PLACES.of(snapshot).of_node.take(nodes)
    are_marked = columns_of(snapshot).flags.take(nodes) & int(SymbolFlag.CASE) != 0  # in a base, which its heirs run
    are_tests = np.flatnonzero((numbers >= 0) | are_marked)
    nodes, numbers, tiers, depths = (column.take(are_tests) for column in (nodes, numbers, tiers, depths))
    more = find_more(snapshot, nodes)
    own = np.flatnonzero(numbers >= 0)
    order = np.argsort(np.concatenate((own, more.at)), kind="stable")
    found = Found(
        snapshot,
        more,
        np.concatenate((columns_of(snapshot).file.take(nodes.take(own)), more.file)).take(order),
        np.concatenate((numbers.take(own), more.number)).take(order),
        tiers.take(np.concatenate((own, more.at))).take(order),
        depths.take(np.concatenate((own, more.at))).take(order),
        np.zeros(len(order), np.int32),
    )
    found = _drop_scripts(_drop_repeated(_name_of_classes(found)))
    return tuple(_split_by_runner(_sort(found, edited, mentions)))


def _column(*parts: Ints | tuple[int, int]) -> Ints:
    """Some columns, and others of a number so many times (count, number)."""
    return np.concatenate([np.full(*part, np.int32) if isinstance(part, tuple) else part for part in parts])


def _sort(found: Found, changed: Ints, mentions: Mentions) -> Found:
    """The same with the tests that are named after what changed, or name it, among the nearest."""
    tests = named_tests(found.snapshot, found.file, found.number, found.more.inherited)
    kin = find_namesakes(found.snapshot, changed.tolist(), tests)
    are_guesses, are_about = mentions.are_guesses(found.file, found.number), mentions.files.take(found.file)
    kin = np.where(are_guesses & are_about, np.maximum(kin, ALIKE), kin)
    found = msgspec.structs.replace(found, kin=kin)
    tier = np.where(are_guesses, np.minimum(found.tier, int(Tier.LIKELY)), found.tier)
    tier = np.where((kin >= ALIKE) | are_about, int(Tier.CERTAIN), tier)
    nearest = np.minimum(found.depth, 1)
    nearer = np.maximum(found.depth // 2, nearest)
    depth = np.where(kin == NAMED, nearest, np.where(kin == ALIKE, nearer, found.depth))
    return found.where(np.lexsort((found.depth, found.tier, -kin, depth, tier)))


def _name_of_classes(found: Found) -> Found:
    """The tests of each class that is run whole, in its place."""
    tests = TEST_PLACES.of(found.snapshot)
    classes, have_any = tests.classes, tests.have_classes
    places = np.flatnonzero(have_any.take(found.file)).tolist() if have_any.any() else []
    cases = {at: classes[found.file[at]].get(int(found.number[at])) for at in places}
    cases = {at: some for at, some in cases.items() if some is not None and not _inherits_tests(found, at)}
    if not cases:
        return found
    counts = np.ones(len(found.file), dtype=np.int64)
    counts[list(cases)] = [len(some) for some in cases.values()]
    wider = found.where(np.repeat(np.arange(len(counts)), counts))
    first = np.cumsum(counts) - counts
    number = wider.number.copy()
    for at, some in cases.items():
        number[first[at] : first[at] + len(some)] = some
    return msgspec.structs.replace(wider, number=number)


def _inherits_tests(found: Found, at: int) -> bool:
    """Whether the class that a row stands for has tests that are not in its file, or not in it."""
    snapshot, places = found.snapshot, TEST_PLACES.of(found.snapshot)
    file = snapshot.files[found.file[at]]
    rows = places.of_node[file.base : file.base + file.symbol_count]
    waiting = [file.base + int(np.flatnonzero(rows == found.number[at])[0])]  # a class is before what is in it
    seen = set(waiting)
    while waiting:
        for edge in snapshot.edges_out(waiting.pop(), (EdgeKind.EXTENDS,)):
            base = edge.target
            if snapshot.is_external(base) or base in seen:
                continue
            if places.of_node[base] > WHOLE:
                return True
            seen.add(base)
            waiting.append(base)
    return False


def _drop_repeated(found: Found) -> Found:
    """Each test once, and no test of a file that is run whole."""
    first = TEST_PLACES.of(found.snapshot).first
    count = int(first[-1])
    keys = np.where(found.number < 0, count - 1 - found.number, first.take(found.file) + found.number)
    is_first = first_places(keys, count + len(found.more.inherited)).take(keys) == np.arange(len(keys))
    is_whole = found.number == WHOLE
    if is_whole.any():
        is_first &= is_whole | ~mark_files(found.snapshot, found.file.compress(is_whole)).take(found.file)
    return found if is_first.all() else found.where(is_first)


def _drop_scripts(found: Found) -> Found:
    """Those in files of tests; what only lies beside them is run where there are no others."""
    every = TEST_FILES.of(found.snapshot)
    files = np.flatnonzero(mark_files(found.snapshot, found.file))
    runner, named = every.runner.take(files), every.named.take(files)
    scripts = files.compress((named == 0) & np.isin(runner, runner.compress(named == 1)))
    return found.where(~mark_files(found.snapshot, scripts).take(found.file)) if len(scripts) else found


def _split_by_runner(found: Found) -> Iterator[TestRun]:
    snapshot, every = found.snapshot, TEST_FILES.of(found.snapshot)
    first = first_places(found.file, len(snapshot.files))
    files = np.flatnonzero(mark_files(snapshot, found.file)).astype(np.int32)
    files = files[np.argsort(first.take(files))]
    names = [runner.name for runner in every.runners]
    same = np.array([names.index(name) for name in names], dtype=np.int32)
    """By number of a runner: the first of its name."""
    prefixes = _list_roots(snapshot, files)
    roots = {prefix: number for number, prefix in enumerate(dict.fromkeys(prefixes))}
    groups = same.take(every.runner.take(files)) if len(files) else files
    if len(roots) > 1:
        groups = groups + len(names) * np.array([roots[prefix] for prefix in prefixes], dtype=np.int32)
    for at in np.sort(np.unique(groups, return_index=True)[1]).tolist():
        some = files.compress(groups == groups[at])
        its = found.where(mark_files(snapshot, some).take(found.file)) if len(some) < len(files) else found
        yield _make_run(every.runners[every.runner[files[at]]], prefixes[at] if prefixes else OWN, its, some)


def _list_roots(snapshot: Snapshot, files: Ints) -> list[str]:
    """The prefixes of the roots that some files are in; nothing where there is one root."""
    others = () if snapshot.roots is None else snapshot.roots.others
    return [split_path(snapshot.files[file].path, others)[0] for file in files.tolist()] if others else []


def _make_run(runner: TestRunner, root: str, found: Found, files: Ints) -> TestRun:
    """`files` are those of the tests, in order of the first of each. Where they are too many to be named, the command
    runs the certain ones and those that are named after what changed, if there are any; where it would still run all
    tests of the runner, the first ones of those that were found."""
    command, is_wider = _write_command(runner, root, found, files)
    run = TestRun(runner, command, is_wider, found, root)
    are_sure = _find_sure(found)
    if is_wider and are_sure.any() and not are_sure.all():
        run = _run_first(run, found.where(are_sure), files)
    if len(found.file) > FIRST_MAX and run.command == runner.command({}, _configs_of(found.snapshot, root)):
        run = _run_first(run, found.where(np.arange(FIRST_MAX)), files)
    return run


def _run_first(run: TestRun, some: Found, files: Ints) -> TestRun:
    """The same with a command for some of the tests."""
    command, is_wider = _write_command(run.runner, run.root, some, files[np.isin(files, some.file)])
    if command == run.command:
        return run
    whole = run.command_for_all or run.command
    return TestRun(run.runner, command, is_wider, run.found, run.root, whole if command != whole else "")


def _find_sure(found: Found) -> Mask:
    """The tests to run first: as many of those named after what changed, or alike, as can be named with the others;
    where none is certain, some of the nearest."""
    are_certain: Mask = found.tier == int(Tier.CERTAIN)
    if not are_certain.any():
        are_certain = np.arange(len(found.tier)) < FIRST_MAX
    for least in (ALIKE, NAMED):
        chosen: Mask = are_certain | (found.kin >= least)
        if len(distinct(found.file[chosen])) <= FILES_MAX:
            return chosen
    return are_certain


def _write_command(runner: TestRunner, root: str, found: Found, files: Ints) -> tuple[str, bool]:
    """A command that runs some tests, and whether it runs more than them."""
    is_wider = len(found.file) > NAMED_MAX
    named = files if runner.is_of_folders else files[: FILES_MAX + 1]
    paths = [found.snapshot.files[file].path[len(root) :] for file in named.tolist()]
    selected: dict[str, list[str]] = {_write_argument(path): [] for path in paths}
    if is_wider and runner.widen is not None:
        selected = _widen(runner, root, found)
    elif is_wider:
        places = {path.rpartition("/")[0] for path in paths} if runner.is_of_folders else paths
        selected = selected if len(places) <= FILES_MAX else {}
    else:
        for path, selector in map(found.place, range(len(found.file))):
            selected[_write_argument(path[len(root) :])] += [selector] if selector else []
    configs = _configs_of(found.snapshot, root)
    command = runner.command(selected, configs)
    return command, is_wider or command == runner.command({}, configs)


def _widen(runner: TestRunner, root: str, found: Found) -> dict[str, list[str]]:
    """What selects the groups of some tests, by file; nothing where these are too many, too, or some are in none."""
    assert runner.widen is not None
    selected: dict[str, dict[str, None]] = {}
    for path, selector in map(found.place, range(len(found.file))):
        selected.setdefault(_write_argument(path[len(root) :]), {})[runner.widen(selector)] = None
    groups = {group for groups in selected.values() for group in groups}
    return {} if "" in groups or len(groups) > FILES_MAX else {file: list(groups) for file, groups in selected.items()}


def _configs_of(snapshot: Snapshot, root: str) -> Mapping[str, bytes]:
    """The configuration files of a root, as it names them."""
    if snapshot.roots is None:
        return snapshot.configs
    placed = ((*split_path(path, snapshot.roots.others), text) for path, text in snapshot.configs.items())
    return {path: text for prefix, path, text in placed if prefix == root}


def _write_argument(file: str) -> str:
    """The file as a word of a command, never an option."""
    return f"./{file}" if file.startswith("-") else file


def selector_of(runner: TestRunner, test: ReachedTest) -> str:
    """The whole selector, as the runner takes it."""
    if not test.selector:
        return test.file
    return f"{test.file}{runner.join}{test.selector}" if runner.join else test.selector
