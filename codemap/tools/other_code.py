"""Says where code of no language of the map names a definition: uses there are no edges, and no zero may hide them.

    "getUser is also named in 4 .vue files, which are not read: src/a.vue:3,9, src/b.vue:12, src/c.vue:4 and 1 more."

Rules of the file:
- Only such files are looked through, so that a map of a repository without any asks nothing.
- What is inside a function has a name for that function alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from posixpath import commonpath

from codemap.facts import SymbolFlag
from codemap.file_roles import role_of
from codemap.graph.index.columns import columns_of
from codemap.graph.likelihood.other_names import name_meant
from codemap.graph.model.edges import FUNCTION_KINDS
from codemap.graph.model.snapshot import Snapshot
from codemap.live_queries import Found, NamedInOtherCode
from codemap.mentions.account import Elsewhere
from codemap.mentions.other_texts import OTHER_CODE, ending_of
from codemap.occurrences.words import word_of
from codemap.tools.tool import Asking, World

FILES_SHOWN = 3
LINES_SHOWN = 3
"""Of each of them."""
NAMES_MAX = 10
"""Names that are looked for; more would keep an answer from the map waiting."""
ENDINGS_SHOWN = 4


def ask_other_code(
    world: World, snapshot: Snapshot, nodes: Iterable[int], passes: Callable[[str], bool]
) -> Asking[list[str]]:
    """A sentence for each of some nodes, and aliases of theirs, that code of no language names in files that pass."""
    if not world.unread:
        return []
    named: dict[str, int] = {}
    for node in nodes:
        if _is_seen_outside(snapshot, node):
            for one in (node, *list_aliases(snapshot, node)):
                named.setdefault(word_of(snapshot.name_of(one)), one)
    asked = list(named.items())[:NAMES_MAX]
    if not asked:
        return []
    facts = yield tuple(NamedInOtherCode(name) for name, _ in asked)
    said: list[str] = []
    for (_, node), fact in zip(asked, facts, strict=True):
        if isinstance(fact, Found) and (files := [one for one in fact.value if passes(one.path)]):
            said.append(say_named(snapshot, node, files))
    return said


def _is_seen_outside(snapshot: Snapshot, node: int) -> bool:
    if snapshot.is_external(node) or snapshot.is_file(node):
        return False
    return snapshot.kind_of(int(columns_of(snapshot).parent[node])) not in FUNCTION_KINDS


def list_aliases(snapshot: Snapshot, node: int) -> list[int]:
    """The further names that the class or module of a definition has for it."""
    columns = columns_of(snapshot)
    if snapshot.is_external(node) or snapshot.is_file(node):
        return []
    beside = columns.children_of(int(columns.parent[node]))
    aliases = beside[columns.flags[beside] & int(SymbolFlag.ALIAS) != 0].tolist()
    return [one for one in aliases if one != node and name_meant(snapshot, one) == snapshot.name_of(node)]


def in_other_code(files: Iterable[Elsewhere]) -> list[Elsewhere]:
    """Those that are code of no language."""
    return [one for one in files if one.why == OTHER_CODE]


def say_named(snapshot: Snapshot, node: int, files: Sequence[Elsewhere]) -> str:
    """The sentence for the files, some, that have the name of a node: the product's first, of these the nearest."""
    name, own = word_of(snapshot.name_of(node)), snapshot.row_of(node)[0].path
    ordered = sorted(files, key=lambda one: (role_of(one.path), -len(commonpath((one.path, own))), one.path))
    endings = ", ".join(sorted({ending_of(one.path.rpartition("/")[2]) for one in files}))
    shown = ", ".join(f"{one.path}:{','.join(map(str, one.lines[:LINES_SHOWN]))}" for one in ordered[:FILES_SHOWN])
    rest = f" and {len(files) - FILES_SHOWN} more" if len(files) > FILES_SHOWN else ""
    noun, verb = ("file", "is") if len(files) == 1 else ("files", "are")
    alias = f", an alias of {meant}," if (meant := name_meant(snapshot, node)) else ""
    return f"{name}{alias} is also named in {len(files)} {endings} {noun}, which {verb} not read: {shown}{rest}."


def show_unread(unread: Mapping[str, int]) -> str:
    """`128 .vue, 3 .svelte; what they use is known by name only`: code that no language of the map knows."""
    shown = ", ".join(f"{count} {ending}" for ending, count in list(unread.items())[:ENDINGS_SHOWN])
    rest = sum(list(unread.values())[ENDINGS_SHOWN:])
    return f"{shown}{f', {rest} more' if rest else ''}; what they use is known by name only"
