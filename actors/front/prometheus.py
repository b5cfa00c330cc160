"""Formats numbers as Prometheus reads them. Pure.

Source: Prometheus, "Exposition formats", text format 0.0.4.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

Kind = Literal["counter", "gauge", "histogram"]
Labels = Mapping[str, str]

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds of the buckets, from an answer out of memory to the longest wait that a tool allows."""


class Histogram:
    """Durations by bucket."""

    def __init__(self) -> None:
        self.counts = [0] * (len(SECONDS) + 1)
        self.total_s = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(SECONDS, seconds)] += 1
        self.total_s += seconds


class Family(msgspec.Struct, frozen=True):
    """One metric with a value for each set of labels."""

    name: str
    kind: Kind
    about: str
    values: tuple[tuple[Labels, float | Histogram], ...]


def text_of(families: Iterable[Family]) -> str:
    """Formats metrics as one text; those without a value are left out."""
    lines: list[str] = []
    for family in families:
        if not family.values:
            continue
        lines += [f"# HELP {family.name} {family.about}", f"# TYPE {family.name} {family.kind}"]
        for labels, value in family.values:
            if isinstance(value, Histogram):
                lines += _buckets(family.name, labels, value)
            else:
                lines.append(f"{family.name}{_labels(labels)} {_number(value)}")
    return "\n".join(lines) + "\n"


def _buckets(name: str, labels: Labels, histogram: Histogram) -> list[str]:
    lines: list[str] = []
    below = 0
    for bound, count in zip((*map(_number, SECONDS), "+Inf"), histogram.counts, strict=True):
        below += count
        lines.append(f"{name}_bucket{_labels({**labels, 'le': bound})} {below}")
    lines.append(f"{name}_sum{_labels(labels)} {_number(round(histogram.total_s, 6))}")
    lines.append(f"{name}_count{_labels(labels)} {below}")
    return lines


def _labels(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}" if labels else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
