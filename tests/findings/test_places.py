"""Where in the map a finding is, whatever its URI says."""

from __future__ import annotations

import pytest

from codemap.findings.finding import Finding, Severity
from codemap.findings.places import Finder, Spot
from codemap.graph.build.build import build_snapshot

SNAPSHOT = build_snapshot({"app/a.py": b"def f():\n    pass\n", "lib/a.py": b"x = 1\n", "setup.py": b"y = 1\n"})
FINDER = Finder(SNAPSHOT, "/srv/repo")


def spot(uri: str, line: int = 2) -> Spot:
    return FINDER.spot(Finding("t", "r", Severity.LOW, "m", uri, line))


@pytest.mark.parametrize("uri", ["app/a.py", "./app/a.py", "app/../app/a.py", "file:///srv/repo/app/a.py", "app\\a.py"])
def test_a_file_of_the_map(uri: str) -> None:
    found = spot(uri)
    assert (SNAPSHOT.id_of(found.node), found.is_guess) == ("py:app/a.py#f", False)


def test_a_path_of_another_machine_means_the_only_file_that_ends_so() -> None:
    found = spot("/home/runner/repo/app/a.py")
    assert (found.path, found.is_guess) == ("app/a.py", True)
    assert spot("C:/code/lib/a.py").path == "lib/a.py"
    assert spot("/elsewhere/a.py").node == -1, "two files end so"
    assert spot("/elsewhere/setup.py").path == "setup.py"


def test_without_a_line_it_is_the_file() -> None:
    assert SNAPSHOT.id_of(spot("app/a.py", 0).node) == "py:app/a.py"
    assert SNAPSHOT.id_of(spot("app/a.py", 999).node) == "py:app/a.py"


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "../x.py",
        "..",
        "/",
        "file:///etc/passwd",
        "a\0b",
        "a%00b",
        "https://h/app/a.py",
        "..%2fapp/a.py",
        "//x",
        "%",
    ],
)
def test_no_uri_leads_out_of_the_map(uri: str) -> None:
    found = spot(uri)
    assert found.node == -1
    assert found.why
