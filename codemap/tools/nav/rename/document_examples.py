"""Asks the server what a name in the examples of documents means, by what would be wrong there.

    >>> store.load()           # wrong after the rename: it is of what is renamed
    >>> pickle.load(file)      # right after the rename, and `pickle.load_has_this` is not: it is something else

A server apart is shown the examples of a document as a file of code, with each line where the document has it. What is
wrong neither after the rename nor with a name that nothing has, is of a value of which the server knows nothing. A bare
name is what the document imports by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name
from codemap.live_queries import At, Diagnostics, Edit, Fact, Found, texts_as_base
from codemap.tools.nav.rename.changed import read_changed
from codemap.tools.nav.rename.uses.known import Known
from codemap.tools.places.rows import utf16_length
from codemap.tools.places.texts import is_after_dot, read_lines, split_line
from codemap.tools.tool import Asking

DOCUMENTS_MAX = 24
"""Documents that are looked at; of more, the first."""
_NOWHERE = "_has_this"
"""Behind a name: one that nothing has."""
_STATES = ("_now", "_then", "_marked")
"""Of the examples of a document: as they are, beside renamed files, and with the name that nothing has."""
_IMPORT = re.compile(r"\bimport\b")


def settle_examples(snapshot: Snapshot, known: Known, edits: Sequence[Edit]) -> Asking[Known]:
    """What is known of a symbol that is renamed, with what its name means in the examples; `edits` rename it."""
    node, examples = known.node, known.open_uses.examples
    if node is None or not examples or not edits:
        return known
    home, row = snapshot.row_of(node)
    language, name = by_name()[home.lang], home.name_of(row)
    paths = list(dict.fromkeys(at.file for at in examples))[:DOCUMENTS_MAX]
    if not language.examples.lines or not language.server_texts.member_probe:
        return known
    lines = yield from read_lines(paths)
    changed = yield from read_changed(name, edits[0].text, edits)
    suffix = home.path[home.path.rfind(".") :]
    now, then, marked = ({path: f"{path.replace('.', '_')}{one}{suffix}" for path in paths} for one in _STATES)
    by_line = {path: _by_line(examples, path) for path in paths}
    code = {path: _code_of(lines.get(path, ()), language.examples.lines, {}, name) for path in paths}
    with_marks = {path: _code_of(lines.get(path, ()), language.examples.lines, by_line[path], name) for path in paths}
    said = yield from _ask({now[path]: code[path] for path in paths}, {})
    said |= yield from _ask(
        {then[path]: code[path] for path in paths} | {marked[path]: with_marks[path] for path in paths}, changed.after
    )
    own: list[At] = []
    open_: list[At] = []
    for at in examples:
        place = _place_in_code(lines.get(at.file, ()), at, language.examples.lines)
        before, after, nowhere = (said.get(of.get(at.file, "")) for of in (now, then, marked))
        is_known = _is_wrong(nowhere, place, name + _NOWHERE) and not _is_wrong(before, place, name)
        if before is None or after is None or not is_known:
            open_.append(at)
        elif _is_wrong(after, place, name):
            own.append(at)
    importing = {at.file for at in own if re.search(_IMPORT, lines[at.file][at.line - 1])}
    bare = [at for at in open_ if at.file in importing and not is_after_dot(lines[at.file], at)]
    left = tuple(at for at in open_ if at not in bare)
    open_uses = msgspec.structs.replace(known.open_uses, examples=left)
    return msgspec.structs.replace(known, agreed=(*known.agreed, *own, *bare), open_uses=open_uses)


def _by_line(examples: Sequence[At], path: str) -> Mapping[int, Sequence[At]]:
    found: dict[int, list[At]] = {}
    for at in examples:
        if at.file == path:
            found.setdefault(at.line, []).append(at)
    return found


def _code_of(lines: Sequence[str], begins: str, marked: Mapping[int, Sequence[At]], name: str) -> str:
    """The examples, line by line; the name at the marked places is one that nothing has."""
    code = []
    for number, line in enumerate(lines, 1):
        for at in sorted(marked.get(number, ()), key=lambda at: -at.col):
            before, _ = split_line(lines, at)
            line = before + name + _NOWHERE + line[len(before) + len(name) :]
        match = re.match(begins, line)
        code.append(line[match.end() :] if match else "")
    return "\n".join(code) + "\n"


def _ask(code: Mapping[str, str], texts: Mapping[str, str]) -> Asking[dict[str, Fact]]:
    """What is wrong in files of code, beside others that have some texts; without those that nobody could say it of."""
    base = texts_as_base({**texts, **code})
    facts = yield tuple(Diagnostics(path, base) for path in code)
    return {
        path: fact for path, fact in zip(code, facts, strict=True) if isinstance(fact, Found) and not fact.incomplete
    }


def _place_in_code(lines: Sequence[str], at: At, begins: str) -> tuple[int, int]:
    match = re.match(begins, lines[at.line - 1]) if at.line <= len(lines) else None
    return at.line, at.col - utf16_length(match[0]) if match else 0


def _is_wrong(fact: Fact | None, place: tuple[int, int], name: str) -> bool:
    """Whether a complaint that names a name is about a place."""
    return isinstance(fact, Found) and any(
        (one.place.line, one.place.col) <= place < (one.place.end_line, one.place.end_col)
        and name in re.findall(r"\w+", one.message)
        for one in fact.value
    )
