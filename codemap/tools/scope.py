"""What part of the repository a tool is asked about: a definition, a file, a folder, or all of it."""

from __future__ import annotations

import msgspec

from codemap.envelope.answer import Failure
from codemap.file_roles import Role, role_of
from codemap.graph.index.node_roles import role_of_file, role_of_row
from codemap.graph.model.snapshot import Snapshot
from codemap.tools.node_lookup import find_node
from codemap.tools.tool import World


class Scope(msgspec.Struct, frozen=True):
    files: tuple[str, ...]
    """Paths, in order."""
    rows: frozenset[int] | None = None
    """Of the one file: those of a definition and of all in it; None for all."""
    role: Role = Role.PRODUCT
    """What is not folded, as the question is about it."""

    def has(self, row: int) -> bool:
        """Whether a row of one of the files is in it; -1 is one that the map has not got."""
        return self.rows is None or row in self.rows


def find_scope(world: World, snapshot: Snapshot, text: str) -> Scope | Failure:
    """The scope of a text: a path, or a node ID."""
    scope = scope_of_path(snapshot, text)
    if scope is not None:
        return scope
    node = find_node(world, snapshot, text)
    return node if isinstance(node, Failure) else scope_of_node(snapshot, node)


def scope_of_path(snapshot: Snapshot, text: str) -> Scope | None:
    """That of a folder or file; None where the map has none of the path."""
    path = text.removeprefix("./").rstrip("/")
    if path in ("", "."):
        return Scope(tuple(file.path for file in snapshot.files))
    if path in snapshot.by_path:
        return Scope((path,), role=role_of_file(snapshot.by_path[path]))
    inside = tuple(file.path for file in snapshot.files if file.path.startswith(f"{path}/"))
    if inside:
        return Scope(inside, role=min(map(role_of, inside)))
    return None


def scope_of_package(snapshot: Snapshot, text: str) -> Scope | None:
    """That of a package or namespace that files declare, or of the only folder of product code whose path ends so; None
    for none."""
    name = text.strip("/")
    declared = tuple(file.path for file in snapshot.files if name in file.packages)
    if declared:
        return Scope(declared, role=min(map(role_of, declared)))
    ends = f"/{name}"
    found = {folder for file in snapshot.files if (folder := file.path.rpartition("/")[0]).endswith(ends)}
    scopes = [scope for folder in sorted(found) if (scope := scope_of_path(snapshot, folder)) is not None]
    scopes = [scope for scope in scopes if scope.role is Role.PRODUCT] or scopes
    return scopes[0] if name and len(scopes) == 1 else None


def scope_of_node(snapshot: Snapshot, node: int) -> Scope:
    """That of a definition with all in it, or of a file; an external package has no files."""
    file = snapshot.file_of(node)
    if file is None:
        return Scope(())
    row = node - file.base
    if not row:
        return Scope((file.path,), role=role_of_file(file))
    pending = [node]
    for one in pending:
        pending += snapshot.children_of(one)
    rows = frozenset(one - file.base for one in pending)
    return Scope((file.path,), rows, role_of_row(file, row))
