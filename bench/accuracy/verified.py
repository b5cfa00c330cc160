"""How right calls are after a language server was asked: codemap asks ty, and basedpyright says what is true.

The two share no code. The map is made, every use is put to ty as `map_neighbors` with `verify` and the background do,
and the calls are scored as those of the plain map are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import trio

from actors.indexing.snapshot_builder import SnapshotBuilder
from actors.language_servers.programs.real_ports import open_language_ports
from actors.language_servers.verifier import verifier
from actors.service.real_ports import open_disk
from actors.service.wiring import open_service
from bench.accuracy.claims import claims, decode
from bench.accuracy.corpora import Package, fetch, tool
from bench.accuracy.edges import Oracle, Relation
from bench.accuracy.families import families
from bench.accuracy.oracles import TY, kept_oracle
from bench.accuracy.python_oracle import python_oracle
from bench.accuracy.report import Verified
from bench.accuracy.score import Score, score
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.export import exported_edges, exported_nodes
from codemap.graph.verified.overlay import without_overlay
from codemap.graph.verified.progress import count_verified_uses
from codemap.settings import Settings

BASEDPYRIGHT = "1.40.2"
PATIENCE_S = 900.0


def verified(name: str, package: Package) -> Verified:
    """Raises FetchError, TimeoutError, trio.TooSlowError."""
    root = fetch(name, package)
    oracle = kept_oracle(name, package, f"basedpyright {BASEDPYRIGHT}", lambda: _oracle(root))
    snapshot = trio.run(_verified, root)
    uses = count_verified_uses(snapshot)["py"]
    before, after = _calls(oracle, without_overlay(snapshot)), _calls(oracle, snapshot)
    return Verified(name, package.version, before, after, uses.sites_done, uses.moved)


def _oracle(root: Path) -> Oracle:
    folder = tool("pypi", "basedpyright", BASEDPYRIGHT)
    command = ("env", f"PYTHONPATH={folder}", str(folder / "bin" / "basedpyright-langserver"), "--stdio")
    return python_oracle(root.resolve(), command, "source files")


async def _verified(root: Path) -> Snapshot:
    """The map of a folder when ty was asked about all of it."""
    ty = tool("pypi", "ty", TY) / "bin" / "ty"
    with tempfile.TemporaryDirectory() as store, trio.fail_after(PATIENCE_S):
        settings = Settings(store_dir=store, workers=1, server_programs=(f"ty={ty}",))
        async with open_service(
            settings,
            open_disk(str(root), settings),
            SnapshotBuilder(),
            live=open_language_ports(str(root), settings),
            verify=verifier,
        ) as service:
            await service.wait_built()
            await service.latest.wait_until(lambda published: _is_done(published.snapshot))
            published = service.latest.get()
            assert published is not None, "it was built"
            return published.snapshot


def _is_done(snapshot: Snapshot) -> bool:
    uses = count_verified_uses(snapshot)["py"]
    return uses.sites_done >= uses.sites_total


def _calls(oracle: Oracle, snapshot: Snapshot) -> Score:
    found = decode(_lines(list(exported_nodes(snapshot))), _lines(list(exported_edges(snapshot))))
    return score(oracle, claims(found, oracle), Relation.CALLS, families(oracle))


def _lines(rows: Sequence[msgspec.Struct]) -> bytes:
    return msgspec.json.Encoder().encode_lines(rows)
