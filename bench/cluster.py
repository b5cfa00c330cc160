"""What a cluster costs: `python -m bench.cluster ROOT [--pairs N]`.

It builds the map of a folder with one parser process of this machine, and with one worker of a Dask cluster on it, in
turns, each in a process of its own.

CPU is counted by process: a simulation of many workers (`bench.scale_out`) needs what a batch costs in each. A last
build with two workers loses one of them midway; its edges are compared with those of a build alone.
"""

from __future__ import annotations

import os
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from statistics import median

import msgspec

from bench.machine import machine_line

PARTS = ("map", "readers", "client", "scheduler", "worker", "parser")
"""The process with the map; parser processes here, which only read files where there is a cluster; the client; Dask's
scheduler; its worker; that worker's parser process."""


class Built(msgspec.Struct, frozen=True):
    """One build, from outside and from inside."""

    wall_s: float
    cpu_s: dict[str, float]
    """By part."""
    batches: int
    parsed_here: int
    edges: str
    """A digest of all edges and nodes."""

    @property
    def total_s(self) -> float:
        return sum(self.cpu_s.values())


def main() -> None:
    parser = ArgumentParser("python -m bench.cluster", description="Measures what a cluster of one worker costs.")
    parser.add_argument("root")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--kill", action="store_true", help="only a build over two workers, one of which is killed")
    given = parser.parse_args()
    print(machine_line())
    if not given.kill:
        pairs = [_pair(given.root) for _ in range(given.pairs)]
        print(table(pairs))
    else:
        print(_killed(given.root))


def table(pairs: list[tuple[Built, Built]]) -> str:
    """Pairs of builds (here, by the cluster) as Markdown."""
    ratios = {
        "CPU of all processes": [cluster.total_s / here.total_s for here, cluster in pairs],
        "wall": [cluster.wall_s / here.wall_s for here, cluster in pairs],
    }
    lines = ["| with the cluster, × without | median | least – greatest |", "|---|---|---|"]
    lines += [f"| {what} | {median(all_):.3f} | {min(all_):.3f} – {max(all_):.3f} |" for what, all_ in ratios.items()]
    lines += ["", "| process | here, CPU s | by the cluster, CPU s | ms a batch |", "|---|---|---|---|"]
    for part in PARTS:
        here = median(one.cpu_s.get(part, 0.0) for one, _ in pairs)
        cluster = median(one.cpu_s.get(part, 0.0) for _, one in pairs)
        each = median(1000 * one.cpu_s.get(part, 0.0) / one.batches for _, one in pairs)
        lines.append(f"| {part} | {here:.2f} | {cluster:.2f} | {each:.1f} |")
    same = len({one.edges for pair in pairs for one in pair}) == 1
    lines += ["", f"{pairs[0][1].batches} batches; edges and nodes {'equal' if same else 'DIFFER'}."]
    return "\n".join(lines)


def _pair(root: str) -> tuple[Built, Built]:
    from tests.actors.cluster.dask_processes import dask_cluster

    here = _in_child(root, "1", {})
    with tempfile.TemporaryDirectory() as folder, dask_cluster(Path(folder) / "dask") as cluster:
        pids = {"scheduler": cluster.scheduler.pid, "worker": cluster.workers[0].pid}
        return here, _in_child(root, cluster.address, pids)


def _killed(root: str) -> str:
    from tests.actors.cluster.dask_processes import dask_cluster, end

    here = _in_child(root, "1", {})
    with tempfile.TemporaryDirectory() as folder, dask_cluster(Path(folder) / "dask", 2) as cluster:
        pid = _fork(root, cluster.address)
        time.sleep(KILL_AFTER_S)
        end(cluster.workers[0])
        built = _answer(pid, {})
    same = "equal" if built.edges == here.edges else "DIFFER"
    return f"one of two workers killed midway: {built.parsed_here} files parsed here; edges and nodes {same}"


KILL_AFTER_S = 12.0


def _in_child(root: str, workers: str, others: Mapping[str, int]) -> Built:
    """Builds in a forked process; `others` are process IDs of parts whose CPU counts, too."""
    before = {part: _cpu_s(pid) for part, pid in others.items()}
    built = _answer(_fork(root, workers), others)
    more = {part: _cpu_s(pid) - before[part] for part, pid in others.items()}
    return msgspec.structs.replace(built, cpu_s=built.cpu_s | more | _parsers(others))


def _parsers(others: Mapping[str, int]) -> dict[str, float]:
    import psutil  # type: ignore[import-untyped]  # no stubs among the dependencies

    if "worker" not in others:
        return {}
    return {"parser": sum(_cpu_s(child.pid) for child in psutil.Process(others["worker"]).children())}


def _cpu_s(pid: int) -> float:
    import psutil

    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


class _Child(msgspec.Struct, frozen=True):
    pid: int
    answers: int
    """The descriptor that the answer is read from."""


def _fork(root: str, workers: str) -> _Child:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writing, msgspec.json.encode(_build(root, workers)))
        os._exit(0)
    os.close(writing)
    return _Child(pid, reading)


def _answer(child: _Child, _others: Mapping[str, int]) -> Built:
    with open(child.answers, "rb") as answers:
        built = msgspec.json.decode(answers.read(), type=Built)
    os.waitpid(child.pid, 0)
    return built


def _build(root: str, workers: str) -> Built:
    import trio

    from actors.messaging.log import LEAST, Severity

    LEAST.set(Severity.ERROR)
    return trio.run(_builds, os.path.realpath(root), workers)


async def _builds(root: str, workers: str) -> Built:
    import psutil

    from actors.cluster.opening import ClusterUse, find_cluster
    from actors.service.real_ports import open_disk
    from actors.service.wiring import open_service
    from bench.unpolished import UnpolishedBuilder
    from codemap.graph.query.export import exported_edges, exported_nodes
    from codemap.settings import settings_from

    flags = {"workers": workers, "watch": "off", "store": "off", "verify": "off"}
    settings = settings_from(flags=flags).settings
    use = find_cluster(settings, root, os.environ)
    if isinstance(use, ClusterUse):
        use = msgspec.structs.replace(use, first_answer_s=60.0)
    disk = open_disk(root, settings)
    disk.worker_capacity = 1
    own, start = psutil.Process(), time.perf_counter()
    began_s = _cpu_s(own.pid)
    async with open_service(settings, disk, UnpolishedBuilder(), cluster=use) as service:
        assert await service.wait_built() is None
        wall_s = time.perf_counter() - start
        cpu_s = {"map": _cpu_s(own.pid) - began_s, "readers": 0.0, "client": 0.0}
        for child in own.children():
            cpu_s["client" if "dask_client" in " ".join(child.cmdline()) else "readers"] += _cpu_s(child.pid)
        published = service.latest.get()
        assert published is not None
        digest = blake2b()
        for one in (*exported_edges(published.snapshot), *exported_nodes(published.snapshot)):
            digest.update(repr(one).encode("utf-8", "surrogateescape"))
        batches = service.statistics().get("cluster", {}).get("received", 0)
        return Built(wall_s, cpu_s, max(1, int(str(batches)) // 2), service.parsed, digest.hexdigest())


if __name__ == "__main__":
    main()
