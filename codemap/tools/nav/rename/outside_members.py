"""Finds whether a member overrides one of a class outside the repository, which keeps the name.

The map knows nothing of such classes, and a server renames what overrides their members without a word; whoever calls
the member by its old name then gets that of the base. So the server is shown a file as it would be, with a use of the
old name on a value of the class at its end (`ServerTexts.member_probe`): where it has nothing against that, though
it has against a name that nothing has, the base has the member.
"""

from __future__ import annotations

from codemap.facts import Symbol
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.snapshot import Snapshot
from codemap.ids import without_ordinal
from codemap.languages import by_name
from codemap.live_queries import At, Diagnostics, Found, texts_as_base
from codemap.tools.nav.rename.changed import Changed
from codemap.tools.nav.rename.uses.together import class_of, classes_from, is_in_function
from codemap.tools.places.texts import split_lines
from codemap.tools.tool import Asking

_NOWHERE = "_has_this"
"""Behind a name: one that nothing has."""


def find_outside_member(snapshot: Snapshot, node: int, changed: Changed) -> Asking[list[At]]:
    """The place of the member, where a base outside has one of its name."""
    file, row = snapshot.row_of(node)
    owner, name = class_of(snapshot, node), file.name_of(row)
    probe, text = by_name()[file.lang].server_texts.member_probe, changed.after.get(file.path)
    if not probe or text is None or owner is None:
        return []
    if not _has_outside_base(snapshot, owner) or is_in_function(snapshot, owner):
        return []
    cls = without_ordinal(snapshot.id_of(owner).partition("#")[2])
    added = text.rstrip("\n") + probe.format(cls=cls, name=name, other=name + _NOWHERE)
    lines, before = split_lines(added), len(split_lines(text.rstrip("\n")))
    (fact,) = yield (Diagnostics(file.path, texts_as_base({**changed.after, file.path: added})),)
    if not isinstance(fact, Found) or fact.incomplete:
        return []
    wrong = {lines[one.place.line - 1] for one in fact.value if before < one.place.line <= len(lines)}
    is_probed = any(line.endswith(f".{name}{_NOWHERE}") for line in wrong)
    is_missing = any(line.endswith(f".{name}") for line in wrong)
    return [At(file.path, file.cell(row, Symbol.LINE), file.cell(row, Symbol.COL))] if is_probed > is_missing else []


def _has_outside_base(snapshot: Snapshot, owner: int) -> bool:
    table = snapshot.edges
    classes = (owner, *classes_from(snapshot, owner, upwards=True))
    bases = (row for cls in classes for row in table.out_rows(cls) if int(table.kind[row]) == EdgeKind.EXTENDS)
    return any(snapshot.is_external(int(table.target[row])) for row in bases)
