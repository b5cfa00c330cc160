"""Finds what must be renamed with a symbol, and asks the server for the edits of all of it.

Rules of the file:
- Methods that override one another have one name, and so have those that override the same one; where a language has
  it so (`fields_override`), fields too; so have members of heirs of a class that asks its own value for one and has
  none. What a stub states again has the name of what it is about, and so have the parts of a type. Definitions of one
  name in one scope, as branches of an `if`, are one.
- Where values fit a type by their members, and the server finds something wrong after a rename of one, those of its
  name are renamed with it if nothing is wrong then (`memoized.clear = …` of what is given for a `{ clear(): void }`).
- A server may rename only what it was asked about: each definition that its edits leave is asked about, too. One that
  it does not rename then keeps its name, and counts as missed.
- A use of which the map is sure, and which the server leaves alone, is edited where the server knows nothing about it,
  or leads to what is renamed. Where it leads elsewhere, the two disagree: it is missed. So it is where the map takes it
  for a use of something else as well, which keeps its name, and the server does not lead there; and that of a
  definition of a module in a file that the server does not touch, unless modules are asked for it there
  (`app.store.load`), or the server leads to what is renamed from an import of the file: it may be imported otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set

import numpy as np

from codemap.facts import Symbol, SymbolKind
from codemap.graph.index.overrides import overrides
from codemap.graph.likelihood.receivers import FileReceivers
from codemap.graph.model.edges import FUNCTION_KINDS, EdgeKind
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.values import CLASS_KINDS
from codemap.graph.query.override_family import Kin, family_of
from codemap.ids import without_ordinal
from codemap.languages import by_name
from codemap.languages.language import Language
from codemap.live_queries import At, Found, Rename, Renaming
from codemap.tools.nav.rename.uses.augmentations import find_augmenting
from codemap.tools.tool import Asking

TOGETHER_MAX = 500
"""Definitions that are renamed together; of more, the nearest."""
NAMESAKES_MAX = 8
"""Members that are renamed together because the server finds nothing wrong then."""
ASKED_MAX = 100
"""Definitions, and uses, that the server is asked about; of more, the first."""
_MEMBERS = frozenset((*FUNCTION_KINDS, SymbolKind.VARIABLE, SymbolKind.PROPERTY))


def renamed_together(snapshot: Snapshot, node: int) -> list[int]:
    """Its prototypes and other parts, the methods of its hierarchy that override one another, a class with its
    constructors where these have its name, and what has its name in its scope: with another name it would be none of
    them."""
    name = snapshot.name_of(node)
    found = {node: None}
    waiting = [node]
    for one in waiting:  # where one is stated again, its class may have others above and below
        kin = [one, *(other for other in _in_hierarchy(snapshot, one) if snapshot.name_of(other) == name)]
        found |= dict.fromkeys(kin)
        again = [other for each in kin for other in _stated_again(snapshot, each) if other not in found]
        found |= dict.fromkeys(again)
        waiting += dict.fromkeys(again)
        if len(found) > TOGETHER_MAX:
            break
    return [one for one in found if one != node and not snapshot.is_external(one)][:TOGETHER_MAX]


def _in_hierarchy(snapshot: Snapshot, node: int) -> list[int]:
    kin = [*_parts(snapshot, node), *_overriding(snapshot, node), *named_as_class(snapshot, node)]
    kin += _branches(snapshot, node)
    kin += find_augmenting(snapshot, node)
    kin += [one for each in (node, *kin) for one in _asked_above(snapshot, each)]
    return list(dict.fromkeys(kin))


def find_fitting_namesakes(snapshot: Snapshot | None, nodes: Sequence[int]) -> list[int]:
    """The members of the name of `nodes`, which are renamed together, that may have to fit them: where values fit a
    type by their members, nothing else says that they belong together. None where there are many."""
    if snapshot is None or not nodes or not by_name()[snapshot.row_of(nodes[0])[0].lang].fits_by_members:
        return []
    home, name = snapshot.row_of(nodes[0])[0], snapshot.name_of(nodes[0])
    if snapshot.is_file(snapshot.parent_of(nodes[0]) or 0):
        return []
    found = [
        one for one in snapshot.named(name) if one not in nodes and is_kin(snapshot, snapshot.row_of(one)[0].path, home)
    ]
    found = [one for one in found if not snapshot.is_file(snapshot.parent_of(one) or 0)]
    return found if len(found) <= NAMESAKES_MAX else []


def ask_together(
    snapshot: Snapshot, kin: Sequence[int], renaming: Renaming, new_name: str, changed: Set[str]
) -> Asking[Renaming]:
    """The edits of a server for a symbol, with those for what must be renamed with it. `changed` are files that are not
    as the map knows them."""
    edits = dict.fromkeys(renaming.edits)
    operations = dict.fromkeys(renaming.file_operations)
    said = {edit.place.at for edit in edits}
    left = [at for at in places_of(snapshot, kin) if at not in said and at.file not in changed][:ASKED_MAX]
    facts = (yield tuple(Rename(at, new_name) for at in left)) if left else ()
    for at, fact in zip(left, facts, strict=True):
        if isinstance(fact, Found) and any(edit.place.at == at for edit in fact.value.edits):
            edits |= dict.fromkeys(fact.value.edits)
            operations |= dict.fromkeys(fact.value.file_operations)
    return Renaming(tuple(edits), tuple(operations))


def places_of(snapshot: Snapshot, nodes: Iterable[int]) -> list[At]:
    """Where the names of some definitions are; those outside the repository are nowhere."""
    return [
        At(file.path, snapshot.cell(node, Symbol.LINE), snapshot.cell(node, Symbol.COL))
        for node in nodes
        if (file := snapshot.file_of(node)) is not None
    ]


def is_kin(snapshot: Snapshot, path: str, home: IndexedFile) -> bool:
    """Whether a file is of the map, and of the same family of languages as another."""
    file = snapshot.by_path.get(path)
    return file is not None and file.family == home.family


def class_of(snapshot: Snapshot, node: int) -> int | None:
    """The class that a definition is a member of."""
    owner = snapshot.parent_of(node)
    return owner if owner is not None and snapshot.kind_of(owner) in CLASS_KINDS else None


def is_in_function(snapshot: Snapshot, node: int) -> bool:
    """Whether a definition is inside a function, or in a class that is."""
    around = snapshot.parent_of(node)
    while around is not None and not snapshot.is_file(around):
        if snapshot.kind_of(around) in FUNCTION_KINDS:
            return True
        around = snapshot.parent_of(around)
    return False


def classes_from(snapshot: Snapshot, owner: int, *, upwards: bool) -> list[int]:
    """The classes above or below one."""
    table, kinds = snapshot.edges, (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS)
    found = {owner: None}
    waiting = [owner]
    for one in waiting:
        rows = table.out_rows(one) if upwards else table.in_rows(one)
        ends = (int((table.target if upwards else table.source)[row]) for row in rows if int(table.kind[row]) in kinds)
        for end in ends:
            if end not in found and not snapshot.is_external(end) and len(found) < TOGETHER_MAX:
                found[end] = None
                waiting.append(end)
    return list(found)[1:]


def _overriding(snapshot: Snapshot, node: int) -> list[int]:
    """All members of its hierarchy that override one another, the nearest first."""
    family = family_of(snapshot, node)
    found = dict.fromkeys(one for one, how in family.items() if how in (Kin.BASE, Kin.OVERRIDE))
    has_fields = by_name()[snapshot.row_of(node)[0].lang].fields_override and class_of(snapshot, node) is not None
    waiting = [node, *found]
    while waiting and len(found) < TOGETHER_MAX:
        methods = np.array(waiting, dtype=np.int32)
        others = [*overrides(snapshot, methods, downwards=False)[1], *overrides(snapshot, methods, downwards=True)[1]]
        if has_fields:
            others += (other for one in waiting for other in _namesakes_around(snapshot, one))
        waiting = [one for one in dict.fromkeys(map(int, others)) if one != node and one not in found]
        found |= dict.fromkeys(waiting)
    return list(found)


def _namesakes_around(snapshot: Snapshot, node: int) -> list[int]:
    """The members of its name in the classes above its own, and in those below."""
    owner = class_of(snapshot, node)
    if owner is None or snapshot.kind_of(node) not in _MEMBERS:
        return []
    names = snapshot.node_names
    number = int(names.of_node[node])
    alike = [int(one) for one in names.nodes[int(names.start[number]) : int(names.start[number + 1])]]
    if len(alike) < 2:
        return []
    around = {*classes_from(snapshot, owner, upwards=True), *classes_from(snapshot, owner, upwards=False)}
    return [one for one in alike if snapshot.parent_of(one) in around and snapshot.kind_of(one) in _MEMBERS]


def _asked_above(snapshot: Snapshot, node: int) -> list[int]:
    """The members of its name in the heirs of a class above that has none and asks its own value for it: whichever of
    them the value has is meant there."""
    owner, name = class_of(snapshot, node), snapshot.name_of(node)
    if owner is None or name not in snapshot.unresolved_names:
        return []
    found: list[int] = []
    for base in classes_from(snapshot, owner, upwards=True):
        if all(snapshot.name_of(child) != name for child in snapshot.children_of(base)) and _asks_itself(
            snapshot, base, name
        ):
            heirs = classes_from(snapshot, base, upwards=False)
            children = (child for heir in heirs for child in snapshot.children_of(heir))
            found += (child for child in children if snapshot.name_of(child) == name)
    return found


def _stated_again(snapshot: Snapshot, node: int) -> list[int]:
    """Those of its dotted name in the stub of its file, or in the file of its stub, which is beside it or in a package
    of stubs (PEP 561). A stub may also state classes that other files of its folder define: of a member, those in
    these."""
    file = snapshot.file_of(node)
    if file is None or not (language := by_name()[file.lang]).files.stub_suffix:
        return []
    inside, folder = _dotted(snapshot, node), file.path.rpartition("/")[0]
    found = []
    for one in snapshot.named(snapshot.name_of(node)):
        path = snapshot.row_of(one)[0].path
        if path.endswith(language.files.stub_suffix) == file.path.endswith(language.files.stub_suffix):
            continue
        stub, source = (path, file.path) if path.endswith(language.files.stub_suffix) else (file.path, path)
        is_of_source = stub.rpartition(".")[0] == source.rpartition(".")[0] or _is_packed(language, stub, source)
        is_beside = path.rpartition("/")[0] == folder and "." in inside
        if (is_of_source or is_beside) and _dotted(snapshot, one) == inside:
            found.append(one)
    return found


def _is_packed(language: Language, stub: str, source: str) -> bool:
    """Whether a stub in a package of stubs is of a source: `app-stubs/keys.pyi` of `src/app/keys.py`."""
    if not language.files.stub_package:
        return False
    above, mark, inside = _module_path(language, stub).partition(language.files.stub_package)
    module = _module_path(language, source)
    return bool(mark) and inside[:1] in ("", "/") and f"/{module}".endswith(f"/{above.rpartition('/')[2]}{inside}")


def _module_path(language: Language, path: str) -> str:
    """Without the suffix; of the file that is the module of its folder, the folder."""
    return path.rpartition(".")[0].removesuffix(f"/{language.files.package_file}")


def _dotted(snapshot: Snapshot, node: int) -> str:
    return without_ordinal(snapshot.id_of(node).partition("#")[2])


def _asks_itself(snapshot: Snapshot, cls: int, name: str) -> bool:
    """Whether a method asks the value that it is called for, of the class, for a member that nothing is known of."""
    table, number = snapshot.unresolved, snapshot.unresolved_names[name]
    file = snapshot.row_of(cls)[0]
    receivers: FileReceivers | None = None
    for row in table.by_name[table.name_start[number] : table.name_start[number + 1]].tolist():
        use = snapshot.unresolved_use(row)
        if file.base < use.source < file.base + file.symbol_count:
            receivers = receivers or FileReceivers(file.facts)
            sites = frozenset(snapshot.sites(use))
            if any(one.own_class + file.base == cls for one in receivers.of(use.source - file.base, use, sites)):
                return True
    return False


def _parts(snapshot: Snapshot, node: int) -> list[int]:
    """Its prototypes and other parts, and theirs; none where there are overloads: whose they are is not known then."""
    found = {node: None}
    for one in (node, *(other for other, how in family_of(snapshot, node).items() if how is Kin.PART)):
        family = family_of(snapshot, one)
        if Kin.OVERLOAD in family.values():
            return []
        found |= {other: None for other, how in family.items() if how is Kin.PART}
    return list(found)[1:]


def named_as_class(snapshot: Snapshot, node: int) -> list[int]:
    """A class and its constructors, where these have its name and the node is one of them; without the node. Elsewhere
    a method may have the name of its class (`func (e *Error) Error()`)."""
    if not by_name()[snapshot.row_of(node)[0].lang].names_constructors_as_class:
        return []
    name = snapshot.name_of(node)
    owner = node if snapshot.kind_of(node) in CLASS_KINDS else class_of(snapshot, node)
    if owner is None or snapshot.name_of(owner) != name:
        return []
    parts = [owner, *(one for one, how in family_of(snapshot, owner).items() if how is Kin.PART)]
    made = [child for part in parts for child in snapshot.children_of(part)]
    made = [one for one in made if snapshot.name_of(one) == name and snapshot.kind_of(one) in FUNCTION_KINDS]
    return [one for one in (owner, *made) if one != node] if made else []


def _branches(snapshot: Snapshot, node: int) -> Collection[int]:
    """Those of the same name in its scope. Where a language has overloads, each of these is a symbol of its own."""
    file, owner = snapshot.file_of(node), snapshot.parent_of(node)
    if file is None or owner is None or by_name()[file.lang].has_overloads:
        return []
    name = snapshot.name_of(node)
    return [child for child in snapshot.children_of(owner) if snapshot.name_of(child) == name]
