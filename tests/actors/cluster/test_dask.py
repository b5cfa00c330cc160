"""Builds over a real Dask cluster that is well, loses workers or its scheduler, stalls, or is another version.

The map is always that of a build alone.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
import trio
import trustme

from actors.cluster.cluster_client import DASK_PACKAGES
from actors.cluster.opening import ClusterUse, find_cluster
from actors.indexing.snapshot_builder import SingleUseBuilder
from actors.service.real_ports import open_disk
from actors.service.service import Service
from actors.service.wiring import open_service
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.query.export import ExportedEdge, ExportedNode, exported_edges, exported_nodes
from codemap.settings import Settings
from tests.actors.cluster.dask_processes import DaskCluster, dask_cluster, end
from tests.actors.remote.test_shared_build import write_sources

COUNT = 190
FILES = COUNT + 2
BATCHES = 3
PATIENT_S = 60.0
"""What a busy machine may take for anything."""


class Built(msgspec.Struct):
    edges: list[ExportedEdge]
    nodes: list[ExportedNode]
    parsed: int
    """Files that were parsed here."""
    counts: Mapping[str, object]
    warnings: list[str]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    write_sources(root, COUNT)
    return root


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("cluster") / "dask", workers=2) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def alone(root: Path) -> Built:
    return trio.run(build, root, Settings(workers=1, watch="off", store="off"), {})


async def build(
    root: Path, settings: Settings, environment: Mapping[str, str] = os.environ, **patience: float
) -> Built:
    with trio.fail_after(2 * PATIENT_S):
        async with serving(root, settings, environment, **patience) as service:
            return await finished(service)


def serving(
    root: Path, settings: Settings, environment: Mapping[str, str] = os.environ, **patience: float
) -> AbstractAsyncContextManager[Service[Snapshot]]:
    """A service that waits for its cluster as long as a test does, or as it is said."""
    use = find_cluster(settings, os.path.realpath(root), environment)
    if isinstance(use, ClusterUse):
        patience = {"first_answer_s": PATIENT_S, "batch_s": PATIENT_S} | patience
        use = msgspec.structs.replace(use, round_min_bytes=0, **patience)
    return open_service(settings, open_disk(str(root), settings), SingleUseBuilder(), cluster=use)


async def finished(service: Service[Snapshot]) -> Built:
    assert await service.wait_built() is None
    published = service.latest.get()
    assert published is not None
    edges, nodes = list(exported_edges(published.snapshot)), list(exported_nodes(published.snapshot))
    return Built(edges, nodes, service.parsed, service.statistics().get("cluster", {}), service.cluster_warnings)


def of(cluster: DaskCluster, **more: object) -> Settings:
    return msgspec.convert({"workers": cluster.address, "watch": "off", "store": "off", **more}, Settings)


def parsers(worker: psutil.Process) -> list[psutil.Process]:
    return worker.children(recursive=True)


async def test_the_map_is_that_of_a_build_alone(root: Path, cluster: DaskCluster, alone: Built) -> None:
    """Contents travel, or digests where workers have the checkout; where it is another one, contents do again."""
    elsewhere = root.parent / "elsewhere"
    (elsewhere / "app").mkdir(parents=True)
    (elsewhere / "app" / "m7.py").write_text("class Other: ...\n")
    for checkout, absent in (("", 0), (str(root), 0), (str(elsewhere), 0)):
        built = await build(root, of(cluster, workers_checkout=checkout))
        assert (built.edges, built.nodes) == (alone.edges, alone.nodes)
        assert (built.parsed, built.counts["parsed"], built.counts["absent"]) == (0, FILES, absent)
        assert (built.counts["refused"], built.warnings) == ({}, [])
    assert not {"dask", "distributed"} & sys.modules.keys(), "that is for the client's process"


async def test_a_file_that_hangs_or_ends_its_parser_harms_no_worker(
    root: Path, cluster: DaskCluster, alone: Built
) -> None:
    """Killed parser processes cost their batches, which are parsed here; the next build has new ones."""
    for worker in cluster.workers:
        for parser in parsers(psutil.Process(worker.pid)):
            parser.send_signal(signal.SIGSTOP)
    built = await build(root, of(cluster, file_timeout_s=0.5))
    assert (built.edges, built.nodes) == (alone.edges, alone.nodes)
    assert built.parsed > 0
    assert "its parser process ended" in built.warnings[0]
    again = await build(root, of(cluster))
    assert (again.edges, again.parsed, again.warnings) == (alone.edges, 0, [])


async def test_workers_of_another_version_are_not_believed(
    root: Path, cluster: DaskCluster, alone: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.cluster.opening.facts_maker", lambda: b"another version.")
    built = await build(root, of(cluster))
    assert (built.edges, built.parsed, built.counts["parsed"]) == (alone.edges, FILES, 0)
    assert "its workers have another version of codemap" in built.warnings[0]


async def test_a_cluster_that_stalls_costs_a_batch_its_time(root: Path, cluster: DaskCluster, alone: Built) -> None:
    for worker in cluster.workers:
        worker.send_signal(signal.SIGSTOP)
    try:
        built = await build(root, of(cluster), batch_s=1.0)
    finally:
        for worker in cluster.workers:
            worker.send_signal(signal.SIGCONT)
    assert (built.edges, built.parsed) == (alone.edges, FILES)
    assert "it did not answer in 1 s" in built.warnings[0]


async def test_workers_and_then_the_scheduler_are_killed_midway(root: Path, cluster: DaskCluster, alone: Built) -> None:
    """The batches of a killed worker are parsed by another one; without any, and without a scheduler, here."""
    first, second = cluster.workers
    with trio.fail_after(4 * PATIENT_S):
        for worker in cluster.workers:
            worker.send_signal(signal.SIGSTOP)
        async with serving(root, of(cluster)) as service:
            await asked(service, BATCHES)
            end(first)
            second.send_signal(signal.SIGCONT)
            built = await finished(service)
        assert (built.edges, built.parsed, built.counts["parsed"]) == (alone.edges, 0, FILES)
        second.send_signal(signal.SIGSTOP)
        async with serving(root, of(cluster)) as service:
            await asked(service, 2)
            end(cluster.scheduler)
            built = await finished(service)
        assert (built.edges, built.nodes, built.parsed) == (alone.edges, alone.nodes, FILES)
        assert built.warnings
        dead = await build(root, of(cluster), first_answer_s=0.1)
        assert (dead.edges, dead.parsed) == (alone.edges, FILES)


async def asked(service: Service[Snapshot], count: int) -> None:
    """Waits until the cluster has so many batches."""
    counts: Mapping[str, Any] = {}
    while not counts.get("batches") or counts["asksOpen"] < count:  # its actor may not have begun
        await trio.sleep(0.01)
        counts = service.statistics()["cluster"]


async def test_over_tls_with_certificates_of_the_users_and_not_without(
    root: Path, alone: Built, tmp_path: Path
) -> None:
    authority, files = trustme.CA(), {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key")}
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    authority.cert_pem.write_to_path(files["ca"])
    certificate.private_key_pem.write_to_path(files["key"])
    certificate.cert_chain_pems[0].write_to_path(files["cert"])
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    mine = {f"{prefix}CA_FILE": "ca", f"{prefix}CLIENT__CERT": "cert", f"{prefix}CLIENT__KEY": "key"}
    environment = {**os.environ, **{name: str(files[which]) for name, which in mine.items()}}
    with dask_cluster(tmp_path / "dask", workers=1, tls=files) as cluster:
        assert cluster.address.startswith("tls://127.0.0.1:")
        built = await build(root, of(cluster), environment)
        assert (built.edges, built.parsed, built.warnings) == (alone.edges, 0, [])
        without = await build(root, of(cluster))
        assert (without.edges, without.parsed) == (alone.edges, FILES)
        assert f"needs certificates: set {prefix}CA_FILE" in without.warnings[0]
        trustme.CA().cert_pem.write_to_path(tmp_path / "other.pem")
        other = await build(root, of(cluster), environment | {f"{prefix}CA_FILE": str(tmp_path / "other.pem")})
        assert (other.edges, other.parsed) == (alone.edges, FILES)
        assert "certificate" in other.warnings[0].lower()


def test_the_client_may_import_all_that_dask_requires() -> None:
    """Packages are named by hand, as an isolated Python imports from their folders only."""
    wanted, seen = ["distributed"], set[str]()
    while wanted:
        name = re.split(r"[^\w.-]", wanted.pop(), maxsplit=1)[0].lower().replace("_", "-")
        if name not in seen:
            with suppress(PackageNotFoundError):  # what other systems or versions of Python need
                wanted += [one for one in requires(name) or () if "extra ==" not in one]
                seen.add(name)
    modules = packages_distributions()
    named = {one.lower().replace("_", "-") for package in DASK_PACKAGES for one in modules.get(package, ())}
    assert seen - named <= {"importlib-metadata", "zipp", "lazy-importer"}, "those the standard library has, too"
