"""Chooses the code that is shown of what to read first: the essential, and what follows where there is room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import msgspec

from codemap.context.seeds import Seed
from codemap.facts import Symbol, SymbolKind
from codemap.graph.index.terms import stems, subwords
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.stop_words import STOP_WORDS
from codemap.tools.code.excerpts import Excerpt, is_long, lines_of_definition, skeleton, split
from codemap.tools.code.shown import Code
from codemap.tools.code.texts import FileText, ask_definitions, ask_syntax
from codemap.tools.context.long_docs import parts_without_long_docs
from codemap.tools.context.passages import choose_passages, words_of_task
from codemap.tools.tool import Asking

REST_CHARS = 30_000
"""Of the other parts of the first long function: most of the largest reply."""
ESSENTIAL_CHARS, BRIEF_CHARS, OF_SUSPECTS_CHARS = 4_000, 2_400, 3_000
"""Of the code that comes before everything else: half of a usual reply; less where it is of what words describe, and
where many suspects are named after it."""
FURTHER_CHARS = 4_000
"""Of the code that follows what is related, where there is room: a longer one is named with its lines only."""
CLASS_CHARS = 1_500
"""A longer class is shown by its skeleton."""


class Codes(msgspec.Struct, frozen=True):
    """The code of what to read."""

    shown: list[Code]
    rests: list[Code]
    """Of the long functions among them, in the same order: the parts that are not shown, best first."""

    def rest_of(self, some: Iterable[Code]) -> list[Code]:
        """The other parts of the first long function among some, one by one."""
        ids = {code.id for code in some}
        rest = next((code for code in self.rests if code.id in ids), None)
        return [] if rest is None else [Code(rest.file, rest.row, (one,)) for one in rest.excerpts]


def read_codes(snapshot: Snapshot, seeds: list[Seed], task: str, *, is_brief: bool) -> Asking[Codes]:
    """The code of each, as it is on disk now, of a long documentation only the beginning; of a long class its skeleton,
    of a file none. Of a long function that part is shown which a frame is in, or which the task's words are about;
    where it is to be brief, of a function that only words lead to the lines around them, of such a class nothing: what
    in it they are about is there itself."""
    found = yield from ask_definitions(snapshot, (seed.node for seed in seeds))
    frames: dict[str, set[int]] = {}
    described = {snapshot.id_of(seed.node) for seed in seeds if not seed.reasons} if is_brief else set()
    asked = words_of_task(task) if described else frozenset()
    for seed in seeds:
        frames.setdefault(snapshot.row_of(seed.node)[0].path, set()).add(seed.line)
    large = [(file, row) for file, row in found if _is_large_class(file, row)]
    found = [(file, row) for file, row in found if (file, row) not in large or file.parsed.id_of(row) not in described]
    lines_of = [lines_of_definition(file.parsed, row, file.text, has_comment=True) for file, row in found]
    parts_of = [_parts(*one, first) for one, (first, _) in zip(found, lines_of, strict=True)]
    are_long = [is_long(file.text, *parts) for (file, _), parts in zip(found, parts_of, strict=True)]
    passages = [
        choose_passages(file.text, *parts[-1], asked) if file.parsed.id_of(row) in described else []
        for (file, row), parts in zip(found, parts_of, strict=True)
    ]
    are_long = [is_parted and not some for is_parted, some in zip(are_long, passages, strict=True)]
    parted = [one for one, is_parted in zip(found, are_long, strict=True) if is_parted and one not in large]
    syntax = yield from ask_syntax((file for file, _ in (*large, *parted)), parted)
    codes: list[Code] = []
    rests: list[Code] = []
    for (file, row), lines, parts, is_parted, some in zip(found, lines_of, parts_of, are_long, passages, strict=True):
        if any(code.file.path == file.path and _covers(code, lines) for code in codes):
            continue
        known = syntax.get(file.path)
        excerpts = [file.text.excerpt(*part) for part in parts]
        if some:
            codes.append(Code(file, row, (*excerpts[:-1], *some)))
        elif not is_parted and ((file, row) not in large or known is None):
            codes.append(Code(file, row, tuple(excerpts)))
        elif known is not None and (file, row) in large:
            codes.append(Code(file, row, tuple(skeleton(file.text, file.parsed, row, known))))
        elif known is not None:
            body = split(file.text, parts[-1], known.borders_of(row))
            named = f"{file.path} {file.parsed.qualified_name(row)}"
            excerpts[-1], *others = order_excerpts(list(body), frames.get(file.path, ()), task, named)
            codes.append(Code(file, row, tuple(excerpts)))
            rests.append(Code(file, row, tuple(others)))
    return Codes(codes, rests)


def _parts(file: FileText, row: int, comment: int) -> list[tuple[int, int]]:
    first, last = (file.parsed.cell(row, column) for column in (Symbol.START_LINE, Symbol.END_LINE))
    has_docstrings = by_name()[file.parsed.lang].has_docstrings
    return parts_without_long_docs(file.text.lines, comment, first, last, has_docstrings=has_docstrings)


def order_excerpts(excerpts: Sequence[Excerpt], frames: Collection[int], task: str, named: str) -> list[Excerpt]:
    """The first that a frame is in, then those near it; else those first that have most words of the task, a word that
    few of them have counting more. Words of what the definition is called, `named`, say nothing of its parts."""
    framed = next((at for at, one in enumerate(excerpts) if any(one.first <= line <= one.last for line in frames)), -1)
    if framed >= 0:
        return [excerpts[at] for at in sorted(range(len(excerpts)), key=lambda at: abs(at - framed))]
    asked = {word for word in stems(subwords(task)) if word not in STOP_WORDS}.difference(stems(subwords(named)))
    had = [asked.intersection(stems(list(dict.fromkeys(subwords(one.text))))) for one in excerpts]
    counts = Counter(word for words in had for word in words)
    worth = [sum(1 / counts[word] for word in words) for words in had]
    best = worth.index(max(worth))
    order = sorted(range(len(excerpts)), key=lambda at: (-worth[at], abs(at - best)))
    return [excerpts[at] for at in order]


def _is_large_class(file: FileText, row: int) -> bool:
    kind = SymbolKind(file.parsed.cell(row, Symbol.KIND))
    lines = lines_of_definition(file.parsed, row, file.text, has_comment=True)
    is_class = kind in (SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.MODULE)
    return is_class and file.text.length(*lines) > CLASS_CHARS


def _covers(code: Code, lines: tuple[int, int]) -> bool:
    return any(one.first <= lines[0] and lines[1] <= one.last for one in code.excerpts)


def choose_essential(codes: list[Code], room: int) -> list[Code]:
    """The first code, and as many after it as fit in so many characters: a long one lets shorter ones pass."""
    return codes[:1] + choose_fitting(codes[1:], room - sum(map(_size, codes[:1])))


def choose_fitting(codes: list[Code], room: int) -> list[Code]:
    """As many as fit in so many characters: a long one lets shorter ones pass."""
    chosen: list[Code] = []
    for code in codes:
        if _size(code) <= room:
            chosen.append(code)
            room -= _size(code)
    return chosen


def _size(code: Code) -> int:
    return sum(len(one.text) for one in code.excerpts)
