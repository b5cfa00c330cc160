"""Finds the cluster that the settings name, and says how it is used.

Rules of the file:
- Only the user's flags and variables name a cluster (`codemap.settings`).
- A cluster that cannot be used as it is named is not used at all, and why is reported: files are parsed here then.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from importlib.util import find_spec

import msgspec

from actors.cluster.client_setup import ClientSetup
from actors.cluster.cluster_client import open_client
from actors.database.store_location import facts_maker
from actors.ports import Cluster
from actors.processes.environment import outside
from actors.processes.isolation import without_python
from codemap.cluster.address import read_address
from codemap.cluster.jobs import KEY_BYTES, ClusterJob
from codemap.settings import Settings

CONNECT_MAX_S = 10.0


class ClusterUse(msgspec.Struct, frozen=True):
    """A cluster, and how it is used."""

    place: str
    """Its address, as the user writes it."""
    open: Callable[[], AbstractAsyncContextManager[Cluster]]
    """Connects to it; entering the context raises ClusterTrouble."""
    maker: bytes
    """Identifies the code that must extract."""
    key: bytes
    """By which its facts are known."""
    first_answer_s: float = 2.0
    """How long files wait until it is connected to, from when it is first asked: a client starts in a second."""
    batch_s: float = 30.0
    """How long a batch may take, from when it was sent; it waits at the cluster behind one or two others."""
    round_min_bytes: int = 4_000_000
    """Source bytes of a round from which it is asked: two cores parse less in the time that connecting takes."""
    idle_s: float = 60.0
    """It is left when nobody has asked for so long: the client holds a hundred megabytes."""


class NoCluster(msgspec.Struct, frozen=True):
    """The cluster that is named cannot be used."""

    place: str
    why: str
    """A clause."""


def find_cluster(settings: Settings, root: str, environment: Mapping[str, str]) -> ClusterUse | NoCluster | None:
    """Finds the cluster; None where none is named. `root` is a real path. Connects to nothing, and imports nothing of
    Dask."""
    if not isinstance(settings.workers, str):
        return None
    address = read_address(settings.workers)
    if find_spec("distributed") is None:
        return NoCluster(address.shown, "it needs a package that is not installed: pip install 'codemap[dask]'")
    maker, key = facts_maker(), secrets.token_bytes(KEY_BYTES)
    checkout = os.fsencode(settings.workers_checkout)
    setup = ClientSetup(
        f"codemap-{secrets.token_hex(8)}",
        address.of_library,
        address.is_encrypted,
        CONNECT_MAX_S,
        os.fsencode(root),
        ClusterJob(maker, key, (), checkout, settings.file_max_bytes, settings.file_timeout_s),
    )
    kept = without_python(outside(root, environment))
    return ClusterUse(address.shown, partial(open_client, setup, kept), maker, key)
