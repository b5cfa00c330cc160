"""Reads node IDs as people and models shorten them: `file#name` without the language, a name without its file.

A path has one language, so that `app/store.py#Store.get` and `app/store.py` always mean one node; the end of a path
does where one file has it. A name, qualified or not, means the only definition that has it, in the root that is asked
and in product code where there is one there. A member that a class inherits may be named as the class's own. An ID of
another language than its file's, or without the outermost namespaces of a member, means the only one of its file that
it can mean.
"""

from __future__ import annotations

from codemap.file_roles import Role
from codemap.graph.index.node_roles import role_of_node
from codemap.graph.model.edges import EdgeKind
from codemap.graph.model.root_paths import is_of_other_root
from codemap.graph.model.snapshot import Snapshot
from codemap.ids import BadNodeId, NodeId, file_id, parse_id
from codemap.languages import language_of

CLASSES_MAX = 200
"""Looked through for a member that is inherited."""
_BASES = frozenset((EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS))


def long_ids(snapshot: Snapshot, text: str) -> list[str]:
    """The IDs that a text which is none may mean, the best hub first; the only one is what it means.

    That of a file that is not in the map, or of a name that its file has not there, is made nevertheless.
    """
    if text in snapshot.by_path:
        return [snapshot.by_path[text].own_id]
    path, hash_, name = text.partition("#")
    files = _find_file_ids(snapshot, path)
    if not hash_:
        return files or _find_named(snapshot, text)
    whole = [f"{file}#{name}" for file in files] if name else []
    known = [one for one in whole if snapshot.find(one) is not None]
    language = language_of(path)
    made = f"{file_id(language.name, path)}#{name}" if language is not None and name and not files else ""
    return known or whole or [one for one in (made,) if _is_id(one)]


def corrected_id(snapshot: Snapshot, wanted: NodeId, text: str) -> str:
    """The ID that a whole one means, whose language or namespaces are not those of its file; else itself."""
    file = snapshot.by_path.get(wanted.path)
    if file is None or snapshot.find(text) is not None:
        return text
    own = f"{file.own_id}#{text.partition('#')[2]}" if wanted.name else file.own_id
    if snapshot.find(own) is not None or "." not in wanted.name:
        return own
    its = range(file.base, file.base + file.symbol_count)
    inner = [node for node in snapshot.find_by_suffix(wanted.name) if node in its]
    names = {snapshot.qualified_name_of(node) for node in inner}
    return snapshot.id_of(min(inner)) if len(names) == 1 else own


def say_where(path: str) -> str:
    """Where a path that is not in the map may be known; empty where it is written like one of this root."""
    if not is_of_other_root(path):
        return ""
    return (
        " Of other roots, map_neighbors, map_path, map_search and map_code know those that are served and have a "
        "package in common with this one; for other tools ask that root itself, without @name/."
    )


def _is_id(text: str) -> bool:
    try:
        parse_id(text)
    except BadNodeId:
        return False
    return True


def _find_file_ids(snapshot: Snapshot, path: str) -> list[str]:
    """The file of a path, as it is or as IDs write it; else those whose paths end with it."""
    wanted = path.removeprefix("./")
    written = parse_id(f"x:{wanted}").path if _is_id(f"x:{wanted}") else wanted
    whole = snapshot.by_path.get(wanted) or snapshot.by_path.get(written)
    if whole is not None:
        return [whole.own_id]
    found = [file for file in snapshot.files if file.path.endswith(f"/{wanted}")] if wanted else []
    return [file.own_id for file in [file for file in found if not is_of_other_root(file.path)] or found]


def _find_named(snapshot: Snapshot, text: str) -> list[str]:
    """Definitions whose qualified names are, or end with, a text; those of product code where there are any."""
    chain = text.replace("::", ".").removesuffix("()")
    nodes = snapshot.find_by_suffix(chain)
    if not nodes and "." in chain:
        owner, _, member = chain.rpartition(".")
        found = [inherited_member(snapshot, node, member) for node in map(snapshot.find, _find_named(snapshot, owner))]
        nodes = list(dict.fromkeys(node for node in found if node is not None))
    nodes = [node for node in nodes if not is_of_other_root(snapshot.row_of(node)[0].path)] or nodes
    nodes = [node for node in nodes if role_of_node(snapshot, node) is Role.PRODUCT] or nodes
    whole = [node for node in nodes if snapshot.qualified_name_of(node) == chain]
    best = sorted(whole if len(whole) == 1 else nodes, key=lambda node: -snapshot.scores[node])
    return [snapshot.id_of(node) for node in best]


def inherited_member(snapshot: Snapshot, cls: int | None, name: str) -> int | None:
    """The member of that name of the nearest base of a class; None where no base in the map has it, or without a
    class. Among bases equally near the first written counts."""
    seen = [] if cls is None else [cls]
    for base in seen:
        for child in snapshot.children_of(base) if base != cls else ():
            if snapshot.name_of(child) == name:
                return child
        edges = [edge for edge in snapshot.edges_out(base, _BASES) if not snapshot.is_external(edge.target)]
        edges.sort(key=snapshot.sites)
        seen += [edge.target for edge in edges if edge.target not in seen and len(seen) < CLASSES_MAX]
    return None
