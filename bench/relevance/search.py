"""Search beside what people mean: `python -m bench.relevance.search [NAME ...] [--misses] [--write]`.

Questions in words with accepted answers (`words.toml`), names as people ask for them, and first sentences of
documentation that was masked; beside plain BM25 and ripgrep. Answers are those of `map_search` by default, so that what
it folds is not found. Repositories that the rules were made on stand in tables of their own.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import msgspec

from bench.relevance.baselines import Bm25, ripgrep
from bench.relevance.command import measure
from bench.relevance.drawn import names, sentences
from bench.relevance.repositories import FOLDER, Mapped, Question, Repository, cloned, indexed, mapped, repositories
from bench.tables import table_head, table_row
from codemap.facts import Symbol

FIVE, TEN = 5, 10
FORMS = ("exact", "partial", "qualified", "misspelt")
ABOUT = """# Search beside what people mean

`python -m bench.relevance.search --write` takes it again. Shares of what was asked.

- **Words**: three to seven questions a repository, written from its documentation, with the definitions that answer
  them (`words.toml`, `words_fresh.toml`, `words_learnt.toml`): an accepted one is the first result (bar over all
  measured: 0.60), among five (0.85), there is no result (0.02). Weights were chosen on those of the second table, by
  leaving repositories out in turn. Beside them files, ranked by plain BM25 over their words, and by ripgrep's hits: a
  file counts as right where an accepted definition stands in it, which is easier.
- **Names**: eighty a repository, drawn: exact, a part that one name only has, qualified, misspelt by one edit; the
  right one is the first result (bar: 0.97).
- **Sentences**: first sentences of the documentation of definitions, drawn, with that documentation masked: recall at
  ten, beside plain BM25 over the texts of all product definitions (bar: 1.2 times as much).
- **Judged**: whether the written answers are too few. The first five results for all questions of the first table, the
  written answers and a random definition each, in random order, were graded by three readers who saw nothing else,
  from the code: does this definition alone answer? Of 139 questions the first does in 0.42 and one of five in 0.74, by
  the written answers 0.51 and 0.82, by either 0.53 and 0.83. Of 637 that were not written down 13 were found right, of
  304 that were, 95 not right alone.
- **Tried and left out**: paragraphs of documents as evidence for the definitions that they name (in headings, roles,
  directives, code quotes, links). Of 53 questions on nine repositories of the second table as many had their answer
  first (33), and one more had it among five (45); of 31 on six repositories of the first table 18 first where 15 were,
  26 among five where 24 were. But on Django and sqlalchemy, with the largest manuals, one fewer was first and two fewer
  among five: a manual mentions the main classes in every chapter, and lifts them past what does the work.
  Weights of 33 features of the best forty (kind, size, users, share of the name that was asked for, order of words,
  company in the file, …), fitted to the second table, each repository ranked by what was fitted to the others: 100 of
  161 first at best, where the ranking has 103; accepted ones are among the forty for 154. Words that documented
  definitions of 178 packages have in their first sentence and not in their names, by how often these go together: what
  holds in five packages or more is in the table of synonyms already.
  On 196 questions of the second table, of which 116 had their answer first and 155 among five when these were tried:
  how often a word occurs in a body or its documentation (115, 158; of masked sentences 0.592 among ten instead of
  0.607); words that say little in English counting less (116, 154); rarity among names and documentation alone (115,
  154); the names of tests that call a definition (117, 155); the words of members for their class (110, 156), of a
  file's documentation for what it holds (116, 154); the share of a first sentence that was asked for (115, 151); verbs
  in front preferring functions (117, 153); each weight of the ranking half as much again, or half: at most one more is
  first.
  On these and 266 more, on 43 repositories of GitHub (`words_github.toml`; `--clones` asks them), together 462, of
  which 274 had their answer first and 369 among five: 37 features of the best 64, fitted, repositories left out in
  turn (of 329 then there 194 first at best, where the ranking had 196; 266 among five instead of 259); words behind a
  conjunction, a preposition or later counting less (1 to 13 fewer first); results of one class or file spread over
  the first five (as many first, up to 8 fewer among five); the second and third best member of a class (2 fewer
  first, 5 more among five). The best member counting 0.5 instead of 0.3, the owner 0.12 instead of 0.2, constructors
  0.6, and 16 groups of synonyms: 284 first, 379 among five, more in each random half. But of 114 questions of the
  first table, on 22 repositories, 57 were first as before, and 89 among five instead of 91: left out, too.
  Of 555 questions (196 of the second table, 266 of `words_github.toml`, 93 of `words_issues.toml`) 321 had their answer
  first and 443 among five. 74 features of the best fifty (fields, kinds, lines, users, callers, callees, tests, what
  classes and files say as a whole, paragraphs of documents, order of words), fitted by gradient-boosted trees,
  repositories left out in turn: 7 more first, 8 more among five. What is used of them (lines, kinds, files) brought 10
  and 14, and on the 87 questions of `words_issues.toml` that are kept apart 27 first instead of 25, 54 among five
  instead of 52. Rarity in the documentation of 84 repositories beside that in the repository: up to 18 fewer first.
  Paragraphs of documents once more: 1 more first, 8 more among five.
  Vectors of words (341,479 words, 100 dimensions, learnt from news and encyclopedias): how near a question's words are
  to those of a name, of a first sentence or of all that names a definition, word by word or on average, with six
  weights each. Of 335 questions of both tables 192 had their answer first and 270 among five; with no measure and
  weight more were first, or more among five.
"""


class Scored(msgspec.Struct, frozen=True):
    """One repository; shares of what was asked."""

    title: str
    is_made_on: bool
    asked: int
    first: float
    five: float
    nothing: float
    files: tuple[float, float]
    """BM25 over files: an accepted file is first, among five."""
    ripgrep: tuple[float, float]
    names: tuple[float, ...]
    """By form."""
    sentences: int
    recall: float
    plain: float
    """Recall of plain BM25 over definitions."""


def scored(name: str, repository: Repository, *, misses: bool) -> Scored:
    title, root = repository.place()
    its = mapped(root)
    places = [place_of(its, name, question, misses=misses) for question in repository.questions]
    paths = sorted(its.sources)
    texts = Bm25(f"{path} {its.sources[path].decode('utf-8', 'replace')}" for path in paths)
    by_bm25 = [
        _file_place(question, [paths[n] for n in texts.best(question.text, TEN)]) for question in repository.questions
    ]
    by_hits = [_file_place(question, ripgrep(its.root, question.text, paths, TEN)) for question in repository.questions]
    recall, plain, count = _sentences(its, name, misses=misses)
    return Scored(
        title,
        repository.made_on,
        len(places),
        share(place == 1 for place in places),
        share(0 < place <= FIVE for place in places),
        share(place < 0 for place in places),
        (share(place == 1 for place in by_bm25), share(0 < place <= FIVE for place in by_bm25)),
        (share(place == 1 for place in by_hits), share(0 < place <= FIVE for place in by_hits)),
        _names(its, name, misses=misses),
        count,
        recall,
        plain,
    )


def place_of(its: Mapped, name: str, question: Question, *, misses: bool) -> int:
    """The place of the first accepted result, from 1; 0 where there is none, -1 where there are no results."""
    found = its.search(question.text)
    places = [place for place, one in enumerate(found, 1) if any(map(one.is_accepted, question.accepted))]
    place = places[0] if places else -(not found)
    if misses and place != 1:
        shown = "; ".join(f"{one.path}#{one.qualified}" for one in found[:3])
        sys.stderr.write(f"  {name}: {question.text}: {place}: {shown}\n")
    return place


def _file_place(question: Question, paths: Sequence[str]) -> int:
    files = [accepted.rpartition("#")[0] for accepted in question.accepted]
    places = [place for place, path in enumerate(paths, 1) if any(f"/{path}".endswith(f"/{file}") for file in files)]
    return places[0] if places else 0


def _names(its: Mapped, name: str, *, misses: bool) -> tuple[float, ...]:
    right: dict[str, list[bool]] = {form: [] for form in FORMS}
    for asked in names(its):
        found = its.search(asked.query)
        right[asked.form].append(bool(found) and asked.is_right(found[0]))
        if misses and not right[asked.form][-1]:
            shown = "; ".join(f"{one.path}#{one.qualified}" for one in found[:2])
            sys.stderr.write(f"  {name}: {asked.form} {asked.query}: {shown}\n")
    return tuple(share(right[form]) for form in FORMS)


def _sentences(its: Mapped, name: str, *, misses: bool) -> tuple[float, float, int]:
    """Recall at ten, that of plain BM25, and the number of sentences."""
    told, sources = sentences(its)
    if not told:
        return 0.0, 0.0, 0
    masked = Mapped(its.root, sources, indexed(sources))
    nodes = masked.product()
    plain = Bm25(_text(masked, node) for node in nodes)
    recall: list[bool] = []
    by_plain: list[bool] = []
    for definition, sentence in told:
        found = masked.search(sentence)[:TEN]
        best = [masked.definition(nodes[number]) for number in plain.best(sentence, TEN)]
        recall.append(definition in found)
        by_plain.append(definition in best)
        if misses and by_plain[-1] and not recall[-1]:
            shown = "; ".join(f"{one.path}#{one.qualified}" for one in found[:3])
            sys.stderr.write(f"  {name}: {definition.path}#{definition.qualified}: {sentence}: {shown}\n")
    return share(recall), share(by_plain), len(told)


def _text(its: Mapped, node: int) -> str:
    """A definition as it is written: its qualified name, the comment above it, and its own lines."""
    file, row = its.snapshot.row_of(node)
    lines = its.sources[file.path].split(b"\n")[file.cell(row, Symbol.START_LINE) - 1 : file.cell(row, Symbol.END_LINE)]
    doc = its.snapshot.text_of(node, Symbol.DOC)
    return f"{file.qualified_name(row)}\n{doc}\n{b' '.join(lines).decode('utf-8', 'replace')}"


def share(right: object) -> float:
    return fmean(map(float, right)) if (right := list(right)) else 0.0  # type: ignore[call-overload]


def report(found: Sequence[Scored]) -> str:
    """The tables: measured, and made on."""
    lines = []
    for title, is_made_on in (("Measured", False), ("The rules were made on", True)):
        rows = [one for one in found if one.is_made_on == is_made_on]
        if rows:
            lines += [f"## {title}", "", *_words_table(rows), "", *_drawn_table(rows), ""]
    return "\n".join(lines)


def _words_table(rows: Sequence[Scored]) -> list[str]:
    columns = ("questions", "first", "among five", "nothing", "files by BM25: first", "five", "ripgrep: first", "five")
    lines = table_head("repository", *columns)
    total = sum(one.asked for one in rows)
    for title, some in (*((one.title, [one]) for one in rows), ("all", rows)):
        shares = [
            sum(one.asked * value for one, value in zip(some, values, strict=True))
            / (total if some is rows else some[0].asked)
            for values in zip(
                *((one.first, one.five, one.nothing, *one.files, *one.ripgrep) for one in some), strict=True
            )
        ]
        lines.append(table_row(title, sum(one.asked for one in some), *map(two, shares)))
    return lines


def _drawn_table(rows: Sequence[Scored]) -> list[str]:
    of_names = ("exact", "a part", "qualified", "misspelt", "names, all")
    lines = table_head("repository", *of_names, "sentences", "recall at ten", "plain BM25", "ratio")
    for title, some in (*((one.title, [one]) for one in rows), ("all", rows)):
        forms = [fmean(values) for values in zip(*(one.names for one in some), strict=True)]
        count = sum(one.sentences for one in some)
        recall = sum(one.recall * one.sentences for one in some) / max(1, count)
        plain = sum(one.plain * one.sentences for one in some) / max(1, count)
        ratio = two(recall / plain) if plain else "–"
        shares = (*map(two, forms), two(fmean(forms)))
        lines.append(table_row(title, *shares, count, two(recall), two(plain), ratio))
    return lines


def two(value: float) -> str:
    return f"{value:.2f}"


def main() -> None:
    parser = ArgumentParser("python -m bench.relevance.search", description="Search beside what people mean.")
    parser.add_argument(
        "--clones", type=Path, metavar="FOLDER", help="ask clones of what the tables of GitHub name there"
    )
    folder: Path | None = parser.parse_known_args()[0].clones
    known = repositories() if folder is None else cloned(folder)
    if folder is not None and "--write" in sys.argv:
        parser.error("--write is of all repositories that can be downloaded, without --clones")
    measure(parser, known, _scored, report, ABOUT, FOLDER / "SEARCH.md")


def _scored(name: str, repository: Repository, misses: bool) -> Scored:
    return scored(name, repository, misses=misses)


if __name__ == "__main__":
    main()
