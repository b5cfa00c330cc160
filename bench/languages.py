"""The languages beside those of the other measures, each on real code bases: what is found, what it costs, and whether
a language server agrees.

Every corpus with none of the other measures is one of these, under its language's name. Cost is CPU in one process, as
a multiple of the raw parse of the same files.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import msgspec

from bench.agreement import Agreement, Level, Said, agreement
from bench.corpora import Corpus, corpora
from bench.report import Counts, rounded
from bench.stats import Sample, ratios, sample
from bench.subject import prepare, stages_of
from codemap.languages import by_name

LANGUAGES = "languages"
"""The name that this measure is asked for by."""

FIRST = ("py", "ts")
"""Languages whose corpora the other measures are for."""

HEADING = "## Nine more languages"


class Measured(msgspec.Struct, frozen=True):
    """One corpus."""

    corpus: Corpus
    counts: Counts
    cost: Sample
    """Extraction and graph together, as a multiple of the limit."""
    agreement: Agreement | None


def language_section(machine: str, only: Sequence[str] | None, rounds: int) -> str:
    """The section of the report, measured now; `only`: these corpora."""
    chosen = {key: corpus for key, corpus in corpora().items() if corpus.language not in FIRST}
    return tables(machine, [_measured(corpus, rounds) for key, corpus in chosen.items() if only is None or key in only])


def _measured(corpus: Corpus, rounds: int) -> Measured:
    start = time.perf_counter()
    subject = prepare(corpus)
    taken = [stages_of(subject) for _ in range(rounds)]
    cost = ratios([one.extract_s + one.build_s for one in taken], [one.parse_s for one in taken])
    agreed = agreement(subject.root, corpus.server) if corpus.server else None
    sys.stderr.write(f"bench: {corpus.title}: {time.perf_counter() - start:.0f} s\n")
    return Measured(corpus, subject.counts, sample(cost), agreed)


def tables(machine: str, measured: Sequence[Measured]) -> str:
    """As Markdown: what was found and what it cost, then what servers said."""
    lines = [
        f"{HEADING}\n",
        f"{machine}. `python -m bench {LANGUAGES} --write` makes this section. Cost: extraction and graph, CPU in one "
        "process, as a multiple of the raw parse of the same files; the median of its rounds, with the least and the "
        "greatest. Calls by confidence; undecided are those with candidates only.\n",
        "| language | code base | files | bytes | parsed | symbols | calls: exact | import | type | name | undecided "
        "| references | imports | extends, implements | cost |",
        f"|---|---|{'---|' * 13}",
        *(_found(one) for one in measured),
        "",
    ]
    asked = [(one, one.agreement) for one in measured if one.agreement is not None]
    if asked:
        lines += [
            "A sample of the same calls, put to the language server. *Same*: it names what the map does; *declared*: "
            "the definition of what the map has by its declaration, or the other way round; *other*: something else "
            "in the repository; *outside*: something outside it. Precision is of what the server answered, *declared* "
            "being right. Silently missing: it names a definition of the repository that the map neither resolves the "
            "call to nor lists as a candidate. What the server does not say, and what is no definition of the map (a "
            "parameter, a local, a namespace), is no part of either.\n",
            "| code base | server | calls | sure: same | declared | other | outside | precision | name: same | other "
            "| outside | precision | undecided: listed | other | outside | outside: same | other "
            "| silently missing | not told |",
            f"|---|---|{'---|' * 17}",
            *(_agreed(one.corpus, found) for one, found in asked),
            "",
        ]
    return "\n".join(lines)


def _found(one: Measured) -> str:
    edges = one.counts.edges
    calls = edges.get("calls", {})
    totals = [sum(edges.get(kind, {}).values()) for kind in ("references", "imports", "extends", "implements")]
    cells = (
        by_name()[one.corpus.language].title,
        f"{one.corpus.title}, {one.corpus.root}",
        *(f"{number:,}" for number in (one.counts.files, one.counts.source_bytes)),
        f"{one.counts.parsed:.2%}",
        f"{one.counts.symbols:,}",
        *(f"{calls.get(level, 0):,}" for level in ("exact", "import", "type", "name", "candidate")),
        *(f"{number:,}" for number in (*totals[:2], sum(totals[2:]))),
        f"{rounded(one.cost.median)} ({rounded(one.cost.low)} – {rounded(one.cost.high)}) × limit",
    )
    return f"| {' | '.join(cells)} |"


def _agreed(corpus: Corpus, found: Agreement) -> str:
    def numbers(level: Level, *said: Said) -> list[str]:
        return [f"{found.count(level, each):,}" for each in said]

    cells = (
        *(corpus.title, found.server, f"{found.total:,}"),
        *numbers(Level.SURE, Said.SAME, Said.DECLARED, Said.OTHER, Said.OUTSIDE),
        _share(found.precision(Level.SURE)),
        *numbers(Level.NAME, Said.SAME, Said.OTHER, Said.OUTSIDE),
        _share(found.precision(Level.NAME)),
        *numbers(Level.UNDECIDED, Said.LISTED, Said.OTHER, Said.OUTSIDE),
        *(f"{found.count(Level.OUTSIDE, Said.SAME) + found.count(Level.OUTSIDE, Said.OUTSIDE):,}",),
        *numbers(Level.OUTSIDE, Said.OTHER),
        _share(found.silent),
        f"{sum(found.count(level, Said.NOTHING) for level in Level):,}",
    )
    return f"| {' | '.join(cells)} |"


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
