"""Finds what qualified names mean, as sources, documentation and tools write them.

A name, qualified or not, means the only definition that has it, in the root that is asked and in product code where
there is one there. A member that a class inherits may be named as the class's own. Names of modules may stand in front,
though qualified names have none (`app.store.Store.get`, `crate::store::Store`): the path of the file must have them, in
the same order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from codemap.facts import Symbol, SymbolFlag, SymbolKind
from codemap.file_roles import Role
from codemap.graph.index.inheritance import inherited_member
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.override_family import find_wholes, imports
from codemap.languages import language_of, qualifiers, sigils
from codemap.root_paths import is_of_other_root
from codemap.tools.names.module_names import is_below, is_held_by

QUALIFIERS_MAX = 12
"""Names that are looked through for the first that is no module."""
NESTED_MAX = 6
"""Type arguments inside one another that are left out of a name."""
_SEPARATOR = re.compile(r"::|\.|\\|->|#|/(?=.*(?:\.|::)\w)")
"""Between names. A slash between folders is one only where a name follows: `internal/store.Store`."""
_AS_TRAIT = re.compile(r"\A<([\w:]+)(?:<[^<>]*>)? as [^()]*>(?=::)")
_TYPE_ARGUMENTS = re.compile(r"(?:::)?<[^<>]*>")


def split_name(snapshot: Snapshot, text: str) -> list[str]:
    """The names of a qualified name in any language's spelling, without type arguments and parameters where it is not
    one as it stands (`operator()`)."""
    exact = text.replace("::", ".")
    if snapshot.find_by_suffix(exact):
        return exact.split(".")
    chain = _AS_TRAIT.sub(r"\1", text.partition("(")[0])
    for _ in range(NESTED_MAX):
        chain = _TYPE_ARGUMENTS.sub("", chain)
    return [part for part in _SEPARATOR.split(chain) if part and part not in qualifiers()]


def find_named(snapshot: Snapshot, names: Sequence[str]) -> list[str]:
    """Definitions whose qualified names are, or end with, names that follow one another, or the last of these where the
    path of the file has those before; those of product code where there are any, definitions instead of their
    prototypes and parts."""
    nodes: list[int] = []
    for count in range(min(len(names), QUALIFIERS_MAX)):
        nodes = _find_below(snapshot, names[:count], names[count:])
        if nodes:
            break
    if len(nodes) > 1:
        nodes = _choose(snapshot, [node for node in nodes if is_outermost(snapshot, node, names)] or nodes)
    chain = ".".join(names)
    whole = [node for node in nodes if snapshot.qualified_name_of(node) == chain]
    best = sorted(whole or nodes, key=lambda node: -snapshot.scores[node])
    return [snapshot.id_of(node) for node in best]


def find_spelled(snapshot: Snapshot, chain: str) -> list[int]:
    """Definitions whose qualified name ends with a chain of names, the last of them with or without its sigil."""
    before, dot, last = chain.rpartition(".")
    return next(filter(None, (snapshot.find_by_suffix(f"{before}{dot}{one}{last}") for one in ("", *sigils()))), [])


def is_outermost(snapshot: Snapshot, node: int, names: Sequence[str]) -> bool:
    """Whether a definition of some names is in nothing but modules that these do not say."""
    owner: int | None = node
    for name in reversed(names):
        if owner is not None and snapshot.name_of(owner) == name:
            owner = snapshot.parent_of(owner)
    while owner is not None and snapshot.cell(owner, Symbol.KIND) == SymbolKind.MODULE:
        owner = snapshot.parent_of(owner)
    return owner is None or snapshot.is_file(owner)


def prefer_product(snapshot: Snapshot, modules: Sequence[str], nodes: list[int]) -> list[int]:
    """Those of files below some modules, of these where there are any that the last one holds itself; of this root and
    of product code, likewise."""
    nodes = [node for node in nodes if is_below(snapshot.row_of(node)[0].path, modules)]
    if modules and len(nodes) > 1:
        nodes = [node for node in nodes if is_held_by(snapshot.row_of(node)[0].path, modules[-1])] or nodes
    nodes = [node for node in nodes if not is_of_other_root(snapshot.row_of(node)[0].path)] or nodes
    return [node for node in nodes if role_of_node(snapshot, node) is Role.PRODUCT] or nodes


def without_stubs(snapshot: Snapshot, nodes: Sequence[int]) -> list[int]:
    """Without those in a stub of a file that others of them are in."""
    paths = {node: snapshot.row_of(node)[0].path for node in nodes}
    suffixes = {
        path: language.files.stub_suffix for path in paths.values() if (language := language_of(path)) is not None
    }
    stubs = {path for path, suffix in suffixes.items() if suffix and path.endswith(suffix)}
    sources = {path.rpartition(".")[0] for path in suffixes.keys() - stubs}
    return [
        node for node, path in paths.items() if path not in stubs or path.removesuffix(suffixes[path]) not in sources
    ]


def _find_below(snapshot: Snapshot, modules: Sequence[str], names: Sequence[str]) -> list[int]:
    """Definitions with the end of a qualified name in files whose paths have some names."""
    nodes = prefer_product(snapshot, modules, find_spelled(snapshot, ".".join(names)))
    if not nodes and len(names) > 1:
        owners = prefer_product(snapshot, modules, snapshot.find_by_suffix(".".join(names[:-1])))
        found = [inherited_member(snapshot, owner, names[-1]) for owner in owners]
        nodes = prefer_product(snapshot, (), list(dict.fromkeys(node for node in found if node is not None)))
    return nodes


def _choose(snapshot: Snapshot, nodes: list[int]) -> list[int]:
    """Those that stand for others among them: types for their constructors, definitions for prototypes, parts and
    stubs, and for overloads in a header those in the file that includes it."""
    nodes = list(dict.fromkeys(find_wholes(snapshot, without_stubs(snapshot, nodes))))
    nodes = [node for node in nodes if snapshot.parent_of(node) not in nodes]
    if len({snapshot.qualified_name_of(node) for node in nodes}) > 1:
        return nodes
    defined = [node for node in nodes if not snapshot.cell(node, Symbol.FLAGS) & SymbolFlag.DECLARATION] or nodes
    first_of_file = {snapshot.row_of(node)[0].path: node for node in reversed(defined)}
    for path, first in first_of_file.items():
        is_seen = (language := language_of(path)) is not None and language.scopes.sees == "includes"
        if is_seen and all(imports(snapshot, first, other) for other in first_of_file.values() if other != first):
            return [node for node in defined if snapshot.row_of(node)[0].path == path]
    return defined
