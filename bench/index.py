"""What a cold index costs: CPU and wall beside the parse limit, memory, the loop's lag, and growth."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import msgspec

from bench.corpora import PROJECT, copy_part
from bench.process import Bill, MemoryWatch, environment, resident_bytes, run
from bench.report import Figure
from bench.stats import percentile, ratios, sample
from bench.subject import Subject, cold_service, index_command, limit_s, prepare, stages_of

MEGABYTE = 1_000_000
MILLISECONDS = 1000


def build_figures(subject: Subject, rounds: int) -> list[Figure]:
    """The whole command as users run it, and its two large stages alone, each beside a limit of its own round."""
    bills: list[Bill] = []
    limits: list[float] = []
    for _ in range(rounds):
        limits.append(limit_s(subject))
        bills.append(run(index_command(subject.root)))
    staged = [stages_of(subject) for _ in range(rounds)]
    packed = [stages.facts_bytes / stages.source_bytes for stages in staged]
    return [
        Figure("cold index, CPU of all processes", sample(ratios([bill.cpu_s for bill in bills], limits))),
        Figure("cold index, wall", sample(ratios([bill.wall_s for bill in bills], limits))),
        Figure(
            "of it: extraction, in one process, CPU", sample([stages.extract_s / stages.parse_s for stages in staged])
        ),
        Figure("of it: the graph, in one process, CPU", sample([stages.build_s / stages.parse_s for stages in staged])),
        Figure("facts of all files, packed", sample(packed)),
        Figure("the limit itself", sample(limits)),
    ]


def growth_figures(subject: Subject, rounds: int) -> list[Figure]:
    """The corpus beside a part of it, in its main language, without what an empty repository costs."""
    if not subject.corpus.part:
        return []
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty"
        empty.mkdir()
        part = prepare(subject.corpus, copy_part(subject.corpus, subject.root, Path(folder) / "part"))
        only = ("--languages", subject.corpus.language)
        per_byte: list[float] = []
        per_limit: list[float] = []
        for _ in range(rounds):
            start = run((*index_command(empty), *only)).cpu_s
            costs = [run((*index_command(each.root), *only)).cpu_s - start for each in (part, subject)]
            sizes = [_bytes_in(each) for each in (part, subject)]
            limits = [limit_s(_narrowed(each)) for each in (part, subject)]
            per_byte.append((costs[1] / sizes[1]) / (costs[0] / sizes[0]))
            per_limit.append((costs[1] / limits[1]) / (costs[0] / limits[0]))
        note = f"{sizes[0] / MEGABYTE:.1f} to {sizes[1] / MEGABYTE:.1f} MB of {subject.corpus.language}"
        return [
            Figure("growth: CPU a source byte at 10 × the bytes", sample(per_byte), note),
            Figure("growth: CPU as a multiple of the limit at 10 × the bytes", sample(per_limit), note),
        ]


def memory_figures(subject: Subject, rounds: int) -> list[Figure]:
    """Peak of the tree while it builds; then the server, with and without its parser processes."""
    peaks: list[float] = []
    servers: list[float] = []
    trees: list[float] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as empty, cold_service(Path(empty)) as (pid, _cold):
            base = resident_bytes(pid)[pid]
        peaks.append(_peak_bytes(subject.root) / MEGABYTE)
        with cold_service(subject.root) as (pid, _cold):
            held = resident_bytes(pid)
        servers.append((held[pid] - base) / subject.counts.source_bytes)
        trees.append((sum(held.values()) - base) / subject.counts.source_bytes)
    return [
        Figure("peak of the process tree during the build", sample(peaks)),
        Figure("resident after the build, beyond an empty server", sample(servers)),
        Figure("the same with the idle parser processes", sample(trees)),
    ]


def lag_figures(subject: Subject, rounds: int) -> list[Figure]:
    """How late a task that sleeps a millisecond wakes up, from the start of the service to its first map."""
    tails: list[float] = []
    longest: list[float] = []
    stages: dict[str, list[float]] = {}
    for _ in range(rounds):
        with cold_service(subject.root) as (_, cold):
            lags = [lag for lags in cold.lags_s.values() for lag in lags]
            tails.append(percentile(lags, 0.99) * MILLISECONDS)
            longest.append(max(lags) * MILLISECONDS)
            for stage, of_stage in cold.lags_s.items():
                stages.setdefault(stage, []).append(max(of_stage) * MILLISECONDS)
    worst = max(stages, key=lambda stage: sample(stages[stage]).median)
    return [
        Figure("event-loop lag during a cold build, p99", sample(tails)),
        Figure("event-loop lag during a cold build, longest", sample(longest), f"most often in stage {worst}"),
    ]


def _peak_bytes(root: Path) -> int:
    with tempfile.TemporaryDirectory() as cache:
        child = subprocess.Popen(
            index_command(root),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=PROJECT,
            env=environment(Path(cache)),
        )
        with MemoryWatch(child.pid) as watch:
            child.wait()
    return watch.peak_bytes


def _narrowed(subject: Subject) -> Subject:
    """The subject's files of its main language alone."""
    return msgspec.structs.replace(subject, paths=_in_language(subject))


def _bytes_in(subject: Subject) -> int:
    return sum((subject.root / path).stat().st_size for path in _in_language(subject))


def _in_language(subject: Subject) -> tuple[str, ...]:
    from codemap.languages import language_of

    name = subject.corpus.language
    return tuple(path for path in subject.paths if (found := language_of(path)) is not None and found.name == name)
