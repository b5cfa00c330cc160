"""Over generated programs, and over examples of all languages broken in every way: accounts sum to all words."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemap.extract.skipped_files import normalize
from codemap.graph.build.build import build_snapshot
from codemap.mentions.account import ACCOUNTED, Account
from tests.examples import examples
from tests.languages.fuzzing import Edits, edits_of, mutated
from tests.mentions.accounting import checked
from tests.mentions.test_literate import DOCUMENTS, repositories_in

slow = settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
FRAGMENTS = [
    b"(",
    b")",
    b"{",
    b"}",
    b'"',
    b"'",
    b"/*",
    b"*/",
    b"#",
    b"//",
    b"`",
    b"\n",
    b"$",
    b":",
    b"\xff",
    b"\xc3\xa9",
]

NAMES = ("go", "run", "Store", "größe")
_PLACES = {
    "from elsewhere import {}\n": Account.UNKNOWN,
    "# {}\n": Account.COMMENTS,
    "_ = '{}'\n": Account.STRINGS,
    "def _f(x):\n    return x.{}()\n": None,
    "def _g({0}):\n    return {0}\n": Account.PARAMETERS,
    "def _h():\n    {0} = 1\n    return {0}\n": Account.LOCALS,
    "_call({}=1)\n": Account.NAMES,
}
"""Statements, and what a name is in them; None where that depends on what else there is."""


@given(
    defined=st.sampled_from(NAMES),
    places=st.lists(st.tuples(st.sampled_from(list(_PLACES)), st.sampled_from(NAMES)), max_size=12),
)
@slow
def test_a_generated_program_has_the_accounts_that_it_was_made_of(defined: str, places: list[tuple[str, str]]) -> None:
    """A name that is defined in one file, and written in another that does not import it."""
    files = {"a.py": f"def {defined}(): ...\n".encode(), "b.py": "".join(p.format(n) for p, n in places).encode()}
    snapshot = build_snapshot(files)
    [node] = snapshot.named(defined)[:1]
    counts = checked(snapshot, files, defined, node).counts
    assert counts[Account.DEFINITION] == 1
    for account in (Account.COMMENTS, Account.STRINGS, Account.NAMES):
        assert counts.get(account, 0) == sum(_PLACES[place] is account for place, name in places if name == defined)
    of_variables = sum(2 for place, name in places if name == defined and "{0}" in place)
    assert counts.get(Account.PARAMETERS, 0) + counts.get(Account.LOCALS, 0) == of_variables
    assert Account.NOT_UNDERSTOOD not in counts
    assert Account.RESOLVED not in counts
    assert sum(counts.get(account, 0) for account in ACCOUNTED) <= 1 + sum(
        _PLACES[place] in (None, Account.UNKNOWN) for place, _ in places
    )


@given(document=st.sampled_from(DOCUMENTS), number=st.integers(0, 50), edits=edits_of(FRAGMENTS), end=st.floats(0, 1))
@slow
def test_broken_programs_lose_no_word(document: Path, number: int, edits: Edits, end: float) -> None:
    listed = list(repositories_in(document))
    whole = listed[number % len(listed)]
    names = sorted({name for file in build_snapshot(whole).files for name in file.symbol_names})
    files = {path: normalize(mutated(source, edits, end)) for path, source in whole.items()}
    snapshot = build_snapshot(files)
    for name in names[:4]:
        checked(snapshot, files, name, next(iter(snapshot.named(name)), None))
