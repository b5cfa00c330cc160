"""Confirmations: the definitions that a language server gave for the uses in a file, packed.

One `Confirmed` belongs to one content of one file; its targets are definitions in contents of other files. Contents are
identified by their digests: a confirmation holds while both files are indexed with exactly these contents.

Rules of the file:
- A use is (line, col), 1-based, columns in UTF-16 code units, with the definition that contains it and its kind of
  edge.
- An empty answer is kept, so that the server is not asked again; it refutes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from hashlib import blake2b

import msgspec
import numpy as np

from codemap.graph.model.edges import EdgeKind, Ints


class Inside(msgspec.Struct, frozen=True):
    """A definition of the repository: a row of the symbol table that a content has."""

    path: str
    digest: bytes
    row: int


class Outside(msgspec.Struct, frozen=True):
    """Something outside the repository."""

    package: str
    """As imports name it; empty where that is not known."""


class Unmapped(msgspec.Struct, frozen=True):
    """Something in the repository that is no definition of the map: a parameter, a local variable."""


Meant = Inside | Outside | Unmapped


class Confirmation(msgspec.Struct, frozen=True):
    """The answer of a server for one use."""

    line: int
    col: int
    owner: int
    """Row of the definition that contains the use."""
    kind: EdgeKind
    meant: tuple[Meant, ...]
    """Everything that it may mean; empty where the server gave no answer."""


OUTSIDE, UNMAPPED = -1, -2
"""Stand for the file of a target that is none of the repository's definitions."""

SITE_WIDTH = 5
"""Columns of `Confirmed.sites`: line, col, owner, kind, number of targets."""


class Confirmed(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """The answers of a server for the uses in one content of a file, packed."""

    digest: bytes
    """Of the content."""
    server: str
    """Name and version."""
    sites: bytes
    """Rows of SITE_WIDTH int32, in order of line and column, one for each place."""
    targets: bytes
    """Rows of two int32, those of the first site first: an index into `files` and a symbol row; or OUTSIDE and an index
    into `packages`, -1 for an unknown one; or UNMAPPED and 0."""
    files: tuple[tuple[str, bytes], ...]
    """(path, digest)."""
    packages: tuple[str, ...]

    @property
    def site_table(self) -> Ints:
        return np.frombuffer(self.sites, dtype="<i4").reshape(-1, SITE_WIDTH)

    @property
    def target_table(self) -> Ints:
        return np.frombuffer(self.targets, dtype="<i4").reshape(-1, 2)

    @cached_property
    def paths(self) -> frozenset[str]:
        """Of the files that its targets lie in."""
        return frozenset(path for path, _ in self.files)

    @cached_property
    def places(self) -> frozenset[tuple[int, int]]:
        """Line and column of each use."""
        return frozenset((line, col) for line, col in self.site_table[:, :2].tolist())

    @cached_property
    def mark(self) -> bytes:
        """Identifies the answers, whichever server gave them."""
        state = blake2b(digest_size=16)
        for part in (self.digest, self.sites, self.targets, *(digest for _, digest in self.files)):
            state.update(len(part).to_bytes(4, "little") + part)
        names = [*(path for path, _ in self.files), *self.packages]
        state.update("\0".join(names).encode("utf-8", "surrogateescape"))
        return state.digest()

    @property
    def site_count(self) -> int:
        return len(self.sites) // (4 * SITE_WIDTH)


def pack_confirmations(digest: bytes, server: str, confirmations: Iterable[Confirmation]) -> Confirmed:
    """Packs the answers of a server for one content; of several confirmations of one place the last counts."""
    by_place = {(one.line, one.col): one for one in confirmations}
    files: dict[tuple[str, bytes], int] = {}
    packages: dict[str, int] = {}
    sites: list[tuple[int, int, int, int, int]] = []
    targets: list[tuple[int, int]] = []
    for place in sorted(by_place):
        one = by_place[place]
        sites.append((one.line, one.col, one.owner, one.kind, len(one.meant)))
        for meant in one.meant:
            match meant:
                case Inside(path, file_digest, row):
                    targets.append((files.setdefault((path, file_digest), len(files)), row))
                case Outside(""):
                    targets.append((OUTSIDE, -1))
                case Outside(package):
                    targets.append((OUTSIDE, packages.setdefault(package, len(packages))))
                case Unmapped():
                    targets.append((UNMAPPED, 0))
    return Confirmed(digest, server, _read_table(sites), _read_table(targets), tuple(files), tuple(packages))


def unpack_confirmations(found: Confirmed) -> list[Confirmation]:
    """Unpacks the confirmations, in order of their places."""
    targets = iter(found.target_table.tolist())
    return [
        Confirmation(
            line, col, owner, EdgeKind(kind), tuple(_unpack_target(found, *next(targets)) for _ in range(count))
        )
        for line, col, owner, kind, count in found.site_table.tolist()
    ]


def merge_confirmations(old: Confirmed | None, new: Confirmed) -> Confirmed:
    """Both together where they belong to one content and one server, the newer for a place in both; else the newer."""
    if old is None or (old.digest, old.server) != (new.digest, new.server):
        return new
    return pack_confirmations(new.digest, new.server, [*unpack_confirmations(old), *unpack_confirmations(new)])


def is_sound(found: Confirmed) -> bool:
    """Whether the parts fit together, which is checked because they were read from a disk."""
    if len(found.sites) % (4 * SITE_WIDTH) or len(found.targets) % 8:
        return False
    sites, targets = found.site_table, found.target_table
    if (sites < 0).any() or int(sites[:, 4].sum()) != len(targets):
        return False
    places = (sites[:, 0].astype(np.int64) << 32) + sites[:, 1]
    kinds = np.isin(sites[:, 3], [int(kind) for kind in EdgeKind])
    file, row = targets[:, 0], targets[:, 1]
    inside, outside = file >= 0, file == OUTSIDE
    return bool(
        (np.diff(places) > 0).all()
        and kinds.all()
        and (file >= UNMAPPED).all()
        and (file < len(found.files)).all()
        and (row[inside] >= 0).all()
        and (row[outside] >= -1).all()
        and (row[outside] < len(found.packages)).all()
    )


def _unpack_target(found: Confirmed, file: int, row: int) -> Meant:
    if file == UNMAPPED:
        return Unmapped()
    if file == OUTSIDE:
        return Outside(found.packages[row] if row >= 0 else "")
    path, digest = found.files[file]
    return Inside(path, digest, row)


def _read_table(cells: list[tuple[int, ...]] | list[tuple[int, int, int, int, int]] | list[tuple[int, int]]) -> bytes:
    return np.array(cells, dtype="<i4").tobytes()
