"""The simulations of many workers and many repositories: bounds that hold for any figures, and that they repeat."""

from __future__ import annotations

import msgspec
import pytest

from bench.scale_out import INPUTS, Stations, estate_needs, packed_shards, read_inputs, simulate, slowest_of, tables

STATIONS = Stations(
    batch_bytes=1_000_000,
    reader_ms=10.0,
    client_ms=10.0,
    scheduler_ms=20.0,
    worker_ms=50.0,
    parser_ms=950.0,
    map_ms=40.0,
    graph_s_a_mb=0.2,
    connect_s=1.0,
    spread=0.5,
)


def test_one_worker_takes_what_its_batches_take() -> None:
    one = simulate(STATIONS, 400, 1, 1)
    assert one.extraction_s == pytest.approx(400 * 1.0, rel=0.1)
    assert (one.busiest, one.total_s - one.extraction_s) == ("workers", pytest.approx(80.0))


@pytest.mark.parametrize("workers", [2, 4, 8, 16, 32, 64])
def test_workers_never_help_more_than_their_number_nor_beyond_the_busiest_station(workers: int) -> None:
    one, many = simulate(STATIONS, 400, 1, 1), simulate(STATIONS, 400, workers, 1)
    assert many.extraction_s >= one.extraction_s / workers
    assert many.extraction_s >= 400 * STATIONS.map_ms / 1000
    assert many.extraction_s < one.extraction_s


def test_the_slowest_station_bounds_many_workers() -> None:
    many = simulate(STATIONS, 400, 500, 1)
    assert (many.busiest, many.share) == ("map", pytest.approx(1.0))
    quicker = msgspec.structs.replace(STATIONS, map_ms=1.0)
    assert simulate(quicker, 400, 500, 1).extraction_s < many.extraction_s


def test_repositories_are_packed_into_shards_that_hold_them() -> None:
    assert packed_shards([5, 5, 5, 5], 10) == 2
    assert packed_shards([25, 1, 1], 10) == 2
    assert packed_shards([6, 6, 6], 10) == 3
    assert packed_shards([], 10) == 0


def test_the_estate_adds_up() -> None:
    estate = read_inputs(INPUTS.read_text()).estate
    needs = estate_needs(estate, 1)
    assert needs.source_bytes == pytest.approx(estate.lines * estate.bytes_a_line)
    assert needs.shards >= needs.source_bytes / estate.shard_bytes - needs.largest_bytes / estate.shard_bytes
    assert sum(language.share for language in estate.languages.values()) == pytest.approx(1.0)
    assert needs.median_bytes < needs.largest_bytes


def test_who_waits_for_more_shards_waits_longer() -> None:
    estate = read_inputs(INPUTS.read_text()).estate
    one, many = slowest_of(estate, 1, 1), slowest_of(estate, 100, 1)
    assert one == pytest.approx(estate.answer_ms, rel=0.2)
    assert one < many


def test_the_tables_repeat() -> None:
    inputs = read_inputs(INPUTS.read_text())
    assert tables(inputs) == tables(inputs)
