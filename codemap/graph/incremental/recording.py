"""Makes the records of a state from those before and from what was asked while its files were bound."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from codemap.depth import deep_recursion
from codemap.facts import Symbol
from codemap.graph.evaluate.evaluator import Elsewhere, Evaluator
from codemap.graph.evaluate.files import GraphFile
from codemap.graph.incremental.questions import Answer, Asker, question_of
from codemap.graph.model.records import NUMBER, OWNER, Owner, Question, Records, empty
from codemap.graph.model.values import CLASS_KINDS, Definition, Meaning

_OWNERS_MAX = 16
"""Owners whose questions are looked for one by one; for more, the questions are sorted by owner once."""


class Recording:
    """Records that are being made from those before."""

    def __init__(self, before: Records) -> None:
        self.before = before
        self._asked: dict[Owner, bytes] = {}
        self._guessed: dict[str, bytes] = {}
        self._returns: dict[str, frozenset[str]] = {}
        self._gone: set[Owner] = set()
        self._words = before.words
        self._answers: dict[int, int] = {}
        """Question of before -> its fingerprint now."""
        self._fresh: dict[tuple[int, ...], int] = {}
        self._questions: dict[Question, int] = {}
        self._known: dict[int, dict[tuple[int, ...], int]] = {}
        self._sorted: NDArray[np.int64] | None = None

    def number(self, question: Question) -> int:
        """Of a question, which may be new."""
        add = self._words.add
        owner = -1 if question.owner is None else add(question.owner)
        row = (NUMBER[question.kind], owner, question.row, add(question.name), add(question.how))
        found = self._fresh.get(row)
        if found is None and len(self.before):
            found = self._of_owner(owner).get(row)
        if found is None:
            found = self._fresh[row] = len(self.before) + len(self._fresh)
            self._questions[question] = found
        return found

    def _of_owner(self, owner: int) -> dict[tuple[int, ...], int]:
        known = self._known.get(owner)
        if known is None:
            cells = self.before.cells
            if self._sorted is None and len(self._known) >= _OWNERS_MAX:
                self._sorted = np.argsort(cells[:, OWNER], kind="stable")
            if self._sorted is None:
                numbers = np.flatnonzero(cells[:, OWNER] == owner)
            else:
                first, last = np.searchsorted(cells[:, OWNER], (owner, owner + 1), sorter=self._sorted).tolist()
                numbers = self._sorted[first:last]
            known = self._known[owner] = dict(zip(map(tuple, cells[numbers].tolist()), numbers.tolist(), strict=True))
        return known

    def fresh(self) -> list[tuple[Question, int]]:
        """The new questions with their numbers."""
        return list(self._questions.items())

    def answer(self, number: int, answer: int) -> None:
        self._answers[number] = answer

    def note(self, owner: Owner, numbers: Iterable[int], names: Set[str], *, is_whole: bool) -> None:
        """What an owner asks, and which of its own definitions it is answered with, besides what was noted before where
        that is not the whole."""
        known = self.before.asked.get(owner, b"")
        every = {*numbers} if is_whole else {*numbers, *self.before.numbers_of(owner)}
        made = np.array(sorted(every), np.int32).tobytes()
        if made != known or owner not in self.before.asked:
            self._asked[owner] = made
        if isinstance(owner, str):
            before = self.before.returns.get(owner, frozenset())
            returned = frozenset(names) if is_whole else before | names
            if returned != before:
                self._returns[owner] = returned

    def note_guesses(self, path: str, names: Iterable[str], *, is_whole: bool) -> None:
        """By which names a file guesses, besides those of before where that is not the whole."""
        known = self.before.guessed.get(path, b"")
        numbers = set(map(self._words.add, names))
        every = numbers if is_whole else numbers.union(np.frombuffer(known, np.int32).tolist())
        made = np.array(sorted(every), np.int32).tobytes()
        if made != known:
            self._guessed[path] = made

    def drop(self, path: str) -> None:
        """Takes out a file."""
        self._gone.add(path)

    def done(self) -> Records:
        """The records of now."""
        before, asked, returns = self.before, self.before.asked, self.before.returns
        if self._gone or self._asked:
            asked = {owner: numbers for owner, numbers in {**asked, **self._asked}.items() if owner not in self._gone}
        guessed = before.guessed
        if self._gone or self._guessed:
            listed_names = {**guessed, **self._guessed}
            guessed = {path: names for path, names in listed_names.items() if names and path not in self._gone}
        if self._gone or self._returns:
            listed = {**returns, **self._returns}
            returns = {path: names for path, names in listed.items() if names and path not in self._gone}
        if not self._fresh and not self._answers:
            return Records(self._words, before.cells, before.answers, asked, guessed, returns)
        cells = np.array(list(self._fresh), np.int32).reshape(-1, 5)
        answers = np.concatenate((before.answers, np.zeros(len(cells), np.int64)))
        for number, answer in self._answers.items():
            answers[number] = answer
        return Records(self._words, np.concatenate((before.cells, cells)), answers, asked, guessed, returns)


def record(
    ev: Evaluator, guessed: Mapping[str, Set[str]], removed: Iterable[str], before: Records | None, red: Set[Owner]
) -> Generator[None, None, Records]:
    """What the files of a state depend on, in steps. `guessed` are the undecided names of each that was bound, `before`
    the records of before, with what was asked again; of what is `red`, nothing of them holds."""
    recording = Recording(before or empty())
    for path in removed:
        recording.drop(path)
    replaced: set[Owner] = {*guessed} if before is None else {*red}
    frames: Sequence[GraphFile | Elsewhere] = (*ev.files.made(), *ev.elsewhere_of.values())
    known_numbers: dict[tuple[object, ...], int] = {}
    keys: dict[int, tuple[object, ...]] = {}
    closed: dict[int, GraphFile | None] = {}
    asked: list[tuple[GraphFile | Elsewhere, dict[int, tuple[object, ...]]]] = []
    for frame in frames:
        if not frame.asked and _owner(frame) not in replaced:
            continue
        numbers: dict[int, tuple[object, ...]] = {}
        for key in frame.asked:
            node = key[0]
            if isinstance(node, int):
                if node not in closed:
                    closed[node] = _closed_in(ev, node)
                if closed[node] is frame:
                    continue
            number = known_numbers.get(key)
            if number is None:
                number = known_numbers[key] = recording.number(question_of(ev, key))
                keys[number] = key
            numbers[number] = key
        asked.append((frame, numbers))
        yield
    asker = Asker(ev)
    answered: dict[int, Answer] = {}
    with deep_recursion():
        for question, number in recording.fresh():
            answer = answered[number] = asker.answer_known(keys[number], question)
            recording.answer(number, answer.fingerprint)
    yield
    for frame, numbers in asked:
        owner = _owner(frame)
        is_whole = owner in replaced
        names: set[str] = set()
        if isinstance(frame, GraphFile):
            known = set() if is_whole else recording.before.numbers_of(owner)
            with deep_recursion():
                for number in numbers.keys() - known:
                    if number not in answered:
                        answered[number] = asker.answer_known(numbers[number], question_of(ev, numbers[number]))
                    if answered[number].nodes:
                        names.update(_returned(frame, numbers[number], answered[number].nodes))
        recording.note(owner, numbers, names, is_whole=is_whole)
    for path, guesses in guessed.items():
        recording.note_guesses(path, guesses, is_whole=path in replaced)
    yield
    return recording.done()


def _owner(frame: GraphFile | Elsewhere) -> Owner:
    return frame.path if isinstance(frame, GraphFile) else frame.key


def _returned(file: GraphFile, key: tuple[object, ...], nodes: Iterable[int]) -> Iterator[str]:
    """Names of the file's own definitions among some nodes, but for those that the question is about or looks for."""
    last = file.base + file.symbol_count
    for node in nodes:
        if file.base < node < last:
            name = file.names[file.cell(node - file.base, Symbol.NAME)]
            about = key[:2] if isinstance(key[0], int) else key[1:3] if key[0] == "arguments" else key[1:2]
            if node not in about and name not in key:
                yield name


def _closed_in(ev: Evaluator, node: int) -> GraphFile | None:
    """The file in which all that a class or another namespace has members from stands; None where that is not one."""
    file = ev.file_of_node(node)
    if file.cell(node - file.base, Symbol.KIND) not in CLASS_KINDS:
        return file
    known = ev.cells.get(("order", node))
    if not isinstance(known, Meaning):
        return None
    is_closed = all(not isinstance(value, Definition) or ev.file_of_node(value.node) is file for value in known.values)
    return file if is_closed else None
