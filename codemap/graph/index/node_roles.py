"""The roles (product, test, example, generated or vendored) of the nodes and files of a snapshot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codemap.facts import Symbol, SymbolFlag
from codemap.file_roles import Role, has_tests_inside, role_of
from codemap.graph.index.columns import columns_of
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.index_slots import Edit, Reach, Slot, reuse, reuse_for_contents
from codemap.graph.model.indexed_file import IndexedFile
from codemap.graph.model.snapshot import Snapshot

_TEST, _GENERATED = int(SymbolFlag.TEST), int(SymbolFlag.GENERATED)


def role_of_file(file: IndexedFile) -> Role:
    """The role of a file: by its path, or because it says that a program wrote it."""
    role = role_of(file.path)
    is_generated = role < Role.GENERATED and file.cell(0, Symbol.FLAGS) & _GENERATED
    return Role.GENERATED if is_generated else role


def role_of_row(file: IndexedFile, row: int) -> Role:
    """The role of a definition, of the file for row 0: that of the file, but some hold tests beside the product."""
    role = role_of_file(file)
    if role is Role.PRODUCT and has_tests_inside(file.path):
        while row > 0:
            if file.cell(row, Symbol.FLAGS) & _TEST:
                return Role.TEST
            row = file.cell(row, Symbol.PARENT)
    return role


def role_of_node(snapshot: Snapshot, node: int) -> Role:
    """The role of a definition or a file; external packages count as product code."""
    return Role.PRODUCT if snapshot.is_external(node) else role_of_row(*snapshot.row_of(node))


def roles_of_nodes(snapshot: Snapshot, nodes: Ints) -> NDArray[np.int8]:
    """The same of many nodes, none of them external."""
    found = FILE_ROLES.of(snapshot).take(columns_of(snapshot).file.take(nodes))
    found[(found == int(Role.PRODUCT)) & IN_TESTS.of(snapshot).take(nodes)] = int(Role.TEST)
    return found


def are_in_files_of(snapshot: Snapshot, nodes: Ints, role: Role) -> Mask:
    """Which nodes, none of them external, are in files of a role, whatever the role of each node itself."""
    found: Mask = FILE_ROLES.of(snapshot).take(columns_of(snapshot).file.take(nodes)) == int(role)
    return found


def _read_roles(snapshot: Snapshot) -> NDArray[np.int8]:
    return np.fromiter(map(role_of_file, snapshot.files), np.int8, count=len(snapshot.files))


def _carry_roles(before: NDArray[np.int8], edit: Edit) -> NDArray[np.int8]:
    """The same after an edit: what is in both snapshots, in the order of its paths in both, keeps its role."""
    if edit.reach is Reach.CONTENTS:
        return before
    files = edit.snapshot.files
    stayed, stays = (
        np.fromiter((file.path not in edit.paths for file in some), np.bool_, count=len(some))
        for some in (edit.previous.files, files)
    )
    found = np.empty(len(files), np.int8)
    found[stays] = before[stayed]
    for number in np.flatnonzero(~stays).tolist():
        found[number] = role_of_file(files[number])
    return found


FILE_ROLES = Slot[NDArray[np.int8]](_read_roles, carry=_carry_roles, rescore=reuse)
"""The `Role` of each file, by file number."""


def _find_tests(snapshot: Snapshot) -> Mask:
    columns = columns_of(snapshot)
    found: Mask = (columns.flags & _TEST) != 0
    above = np.maximum(columns.parent, 0)
    count = np.count_nonzero(found)
    while count:
        found |= found[above]
        before, count = count, np.count_nonzero(found)
        if count == before:
            break
    return found


IN_TESTS = Slot[Mask](_find_tests, carry=reuse_for_contents, rescore=reuse)
"""Whether each node is a test or inside one that its file holds, whatever the role of the file."""
