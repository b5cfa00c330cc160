"""The words by which a task asks for something, and what it is about."""

from __future__ import annotations

import pytest

from codemap.context.request_words import leave_out_request
from codemap.context.seeds import read_task
from codemap.graph.build.build import build_snapshot


@pytest.mark.parametrize(
    ("task", "subject"),
    [
        ("Add a new converter for dates", "converter for dates"),
        ("please add support for date converters", "date converters"),
        ("Added option to sort dates", "sort dates"),
        ("fixes the order of dates", "order of dates"),
        ("feat(render): add bson protocol", "render bson protocol"),
        ("refactor!: converters of dates", "converters of dates"),
        ("how dates are converted", "how dates are converted"),
        ("addresses of hosts", "addresses of hosts"),
        ("makefile of tests", "makefile of tests"),
        ("use cases", "use cases"),
        ("add", "add"),
        ("", ""),
    ],
)
def test_what_asks_is_left_out(task: str, subject: str) -> None:
    assert leave_out_request(task).strip() == subject


def test_what_is_called_like_the_request_is_not_what_it_is_about() -> None:
    files = {"a.py": b"class DateConverter: ...\n\ndef add_new(): ...\n\ndef add(): ...\n"}
    snapshot = build_snapshot(files)
    task = read_task(snapshot, "add a new converter for dates")
    assert [snapshot.qualified_name_of(seed.node) for seed in task.seeds] == ["DateConverter"]
