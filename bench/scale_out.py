"""What many workers, and many repositories, would need: `python -m bench.scale_out`. Pure but for its printing.

Two simulations from measured inputs (`scale_out.toml`), seeded, so that they repeat:

- A first build over a cluster. A batch passes stations: a reader here, the client, the scheduler, one of N workers,
  the client again, the process with the map. Each does one batch at a time for as long as was measured; the graph is
  built when all are there. What a worker needs varies as the sizes and languages of batches do.
- An estate of repositories. Sizes are drawn from those that were measured, languages with their costs; what follows are
  the bytes of stores, the machine-hours of first builds, and how many shards a question meets.

Rules of the file:
- No figure of the inputs is made up here; what is not measured is a parameter that the tables show.
"""

from __future__ import annotations

import heapq
import tomllib
from collections.abc import Sequence
from pathlib import Path
from random import Random

import msgspec

INPUTS = Path(__file__).with_suffix(".toml")


class Stations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """CPU of one batch at each station, in milliseconds."""

    batch_bytes: int
    reader_ms: float
    client_ms: float
    scheduler_ms: float
    worker_ms: float
    parser_ms: float
    map_ms: float
    graph_s_a_mb: float
    """Seconds of the graph for a megabyte of source, when all facts are there."""
    connect_s: float
    spread: float
    """Standard deviation of a batch's parsing time, as a share of its mean."""


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    share: float
    """Share of the bytes."""
    cpu_s_a_mb: float
    """CPU of a first build for a megabyte of source: extraction and graph."""


class Estate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Many repositories."""

    repositories: int
    lines: int
    bytes_a_line: float
    sizes: tuple[int, ...]
    """Source bytes of measured repositories, from which others are drawn."""
    store_a_byte: float
    resident_a_byte: float
    languages: dict[str, Language]
    shard_bytes: int
    """Source bytes that one process serves."""
    answer_ms: float
    """Median of one shard's answer."""
    slow_ms: float
    """The same at the 99th percentile."""


class Inputs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stations: Stations
    estate: Estate


def read_inputs(text: str) -> Inputs:
    """The inputs in a file's text."""
    return msgspec.convert(tomllib.loads(text), Inputs)


class Simulated(msgspec.Struct, frozen=True):
    """One first build over a cluster."""

    workers: int
    extraction_s: float
    total_s: float
    busiest: str
    """The station that works the greatest share of the time, with that share."""
    share: float


def simulate(stations: Stations, batches: int, workers: int, seed: int, ahead: int = 2) -> Simulated:
    """Sends batches through the stations; at most `ahead` for each worker are on their way at a time."""
    random = Random(seed)
    free = dict.fromkeys(("reader", "client", "scheduler", "map"), 0.0)
    work = dict.fromkeys((*free, "workers"), 0.0)
    idle = [0.0] * workers
    under_way: list[float] = []
    end = 0.0

    def pass_by(station: str, arrives: float, takes_ms: float) -> float:
        free[station] = max(free[station], arrives) + takes_ms / 1000
        work[station] += takes_ms / 1000
        return free[station]

    for _ in range(batches):
        starts = heapq.heappop(under_way) if len(under_way) >= ahead * workers else 0.0
        at = pass_by("reader", starts, stations.reader_ms)
        at = pass_by("client", at, stations.client_ms / 2)
        at = pass_by("scheduler", at, stations.scheduler_ms)
        takes_s = _parsing_ms(stations, random) / 1000
        at = max(heapq.heappop(idle), at) + takes_s
        heapq.heappush(idle, at)
        work["workers"] += takes_s / workers
        heapq.heappush(under_way, at)
        end = max(end, at)
    # What comes back passes the client and the process with the map in the order in which it came: both keep up or are
    # the bound, which their whole work says better than the order.
    back_s = batches * (stations.client_ms / 2) / 1000
    work["client"] += back_s
    work["map"] += batches * stations.map_ms / 1000
    extraction_s = stations.connect_s + max(end, *work.values())
    busiest = max(work, key=work.__getitem__)
    graph_s = stations.graph_s_a_mb * batches * stations.batch_bytes / 1e6
    share = work[busiest] / (extraction_s - stations.connect_s)
    return Simulated(workers, extraction_s, extraction_s + graph_s, busiest, share)


def _parsing_ms(stations: Stations, random: Random) -> float:
    """Draws how long a worker is busy with a batch: gamma, of the measured mean and spread."""
    shape = 1 / stations.spread**2
    return stations.worker_ms + random.gammavariate(shape, stations.parser_ms / shape)


class EstateNeeds(msgspec.Struct, frozen=True):
    """What an estate of repositories needs."""

    source_bytes: int
    store_bytes: int
    resident_bytes: int
    cpu_hours: float
    shards: int
    largest_bytes: int
    """The largest repository that was drawn."""
    beyond_shard: int
    """Repositories that are larger than a shard."""
    median_bytes: int


def estate_needs(estate: Estate, seed: int) -> EstateNeeds:
    """Draws repositories, scales them together to the lines that are asked about, and packs them into shards."""
    random = Random(seed)
    drawn = sorted(random.choice(estate.sizes) for _ in range(estate.repositories))
    scale = estate.lines * estate.bytes_a_line / sum(drawn)
    sizes = [size * scale for size in drawn]
    total = sum(sizes)
    cpu_s = sum(one.share * one.cpu_s_a_mb for one in estate.languages.values()) * total / 1e6
    return EstateNeeds(
        source_bytes=round(total),
        store_bytes=round(total * estate.store_a_byte),
        resident_bytes=round(total * estate.resident_a_byte),
        cpu_hours=cpu_s / 3600,
        shards=packed_shards(sizes, estate.shard_bytes),
        largest_bytes=round(sizes[-1]),
        beyond_shard=sum(size > estate.shard_bytes for size in sizes),
        median_bytes=round(sizes[len(sizes) // 2]),
    )


def packed_shards(sizes: Sequence[float], shard_bytes: int) -> int:
    """How many shards hold repositories, the largest first, each in the emptiest shard if that has room; one that is
    larger than a shard has its own."""
    room: list[float] = []
    for size in sorted(sizes, reverse=True):
        if room and -room[0] >= size:
            heapq.heapreplace(room, room[0] + size)
        else:
            heapq.heappush(room, -max(0.0, shard_bytes - size))
    return len(room)


def slowest_of(estate: Estate, shards: int, seed: int, draws: int = 400) -> float:
    """The median time, in milliseconds, of a question that waits for so many shards: each answers after a lognormal
    time of the measured median and 99th percentile."""
    import math

    random = Random(seed)
    middle, width = math.log(estate.answer_ms), math.log(estate.slow_ms / estate.answer_ms) / 2.326
    slowest = sorted(max(random.lognormvariate(middle, width) for _ in range(shards)) for _ in range(draws))
    return slowest[draws // 2]


SEED = 26
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128)
FANS = (1, 10, 50, 100, 500)


def tables(inputs: Inputs, build_mb: int = 819) -> str:
    """Both simulations as Markdown; `build_mb` is the size of the repository whose first build is spread."""
    stations, estate = inputs.stations, inputs.estate
    batches = round(build_mb * 1e6 / stations.batch_bytes)
    rows = [simulate(stations, batches, workers, SEED) for workers in WORKERS]
    lines = ["| workers | extraction, s | × one worker | with the graph, s | busiest |", "|---|---|---|---|---|"]
    lines += [
        f"| {one.workers} | {one.extraction_s:,.0f} | {rows[0].extraction_s / one.extraction_s:.1f} "
        f"| {one.total_s:,.0f} | {one.busiest}, {one.share:.0%} |"
        for one in rows
    ]
    needs = estate_needs(estate, SEED)
    lines += ["", "| of the estate | |", "|---|---|"]
    lines += [
        f"| repositories, lines | {estate.repositories:,}, {estate.lines:,} |",
        f"| source | {needs.source_bytes / 1e9:.0f} GB |",
        f"| median and largest repository | {needs.median_bytes / 1e6:.2f} MB, {needs.largest_bytes / 1e6:.0f} MB |",
        f"| stores on disk | {needs.store_bytes / 1e9:.0f} GB |",
        f"| resident, all loaded | {needs.resident_bytes / 1e9:.0f} GB |",
        f"| first builds | {needs.cpu_hours:.1f} hours of one core |",
        f"| shards of {estate.shard_bytes / 1e6:.0f} MB of source | {needs.shards} |",
        f"| repositories larger than a shard | {needs.beyond_shard} |",
        "",
        "| shards that a question waits for | its median, ms |",
        "|---|---|",
    ]
    lines += [f"| {fan} | {slowest_of(estate, fan, SEED):.0f} |" for fan in FANS]
    return "\n".join(lines)


if __name__ == "__main__":
    print(tables(read_inputs(INPUTS.read_text())))
