"""Finds examples in documents that tests run (`>>> app.load()` in a README): no edit of a language server reaches them.

They are looked for where a file of the repository, or its configuration, names what runs them
(`Language.example_runners`); else documents are for people alone. A member is meant where it is taken from something,
passed by its name, or in quotes alone; in a sentence in quotes a name is a word.
"""

from __future__ import annotations

import re

from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At, Found, Mentioned
from codemap.mentions.account import Account, Ledger
from codemap.mentions.other_texts import DOCUMENTS
from codemap.tools.nav.places.rows import utf16_length
from codemap.tools.nav.rename.texts import read_lines
from codemap.tools.nav.rename.together import class_of, is_kin
from codemap.tools.tool import Asking

_WORDLESS = (Account.STRINGS, Account.COMMENTS)
_SENTENCE = re.compile(
    r"""(?<![\w"'])(?P<quote>["'])(?=[^\W\d_])(?:[^"'{}\\\s.]+ )+[^"'{}\\\s.]*[.!?:]?(?P=quote)(?!["'])"""
)
"""Several words in quotes, which are put into no field and are no code."""
_TAKEN = re.compile(r"\.\s*\Z")
_PASSED = re.compile(r"\s*=(?!=)")


def find_run_examples(snapshot: Snapshot, node: int, ledger: Ledger | None) -> Asking[list[At]]:
    """The places of the name in such examples."""
    home, row = snapshot.row_of(node)
    language, name = by_name()[home.lang], home.name_of(row)
    documents = [] if ledger is None else [one for one in ledger.elsewhere if one.why == DOCUMENTS]
    if not documents or not language.example_runners:
        return []
    facts = yield tuple(Mentioned("", runner) for runner in sorted(language.example_runners))
    found = [fact.value for fact in facts if isinstance(fact, Found) and isinstance(fact.value, Ledger)]
    are_run = any(
        any(one.account not in _WORDLESS and is_kin(snapshot, one.path, home) for one in runner.mentions)
        or any(one.why != DOCUMENTS for one in runner.elsewhere)
        for runner in found
    )
    lines = (yield from read_lines(one.path for one in documents)) if are_run else {}
    is_member = class_of(snapshot, node) is not None
    places: list[At] = []
    for one in documents:
        for line in one.lines:
            text = lines[one.path][line - 1] if line <= len(lines.get(one.path, ())) else ""
            if re.match(language.example_lines, text):
                matches = (match for match in re.finditer(rf"\b{re.escape(name)}\b", text))
                meant = (match for match in matches if _may_mean(text, match.span(), is_member=is_member))
                places += (At(one.path, line, utf16_length(text[: match.start()]) + 1) for match in meant)
    return places


def _may_mean(text: str, span: tuple[int, int], *, is_member: bool) -> bool:
    """Whether the name in an example may be that of the definition."""
    start, end = span
    if any(quoted.start() < start and end < quoted.end() for quoted in _SENTENCE.finditer(text)):
        return False
    is_quoted = text[start - 1 : start] in ("'", '"') and text[end : end + 1] == text[start - 1 : start]
    is_of_value = _TAKEN.search(text, 0, start) is not None or _PASSED.match(text, end) is not None
    return not is_member or is_quoted or is_of_value
