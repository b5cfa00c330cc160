"""What `codemap doctor` says of language servers, and what it never runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.live import ABSENT, only
from tests.system.servers import programs

CODEMAP = Path(sys.executable).with_name("codemap")


def doctor(root: Path, *flags: str, **environment: str) -> list[dict[str, str]]:
    done = subprocess.run(
        [CODEMAP, "doctor", "--json", "--root", root, "--store", "off", *flags],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    findings: list[dict[str, str]] = json.loads(done.stdout)["language servers"]
    return findings


def test_the_server_that_is_found_is_reported_with_its_version_and_place(small: Path) -> None:
    ty = programs("ty") / "ty"
    [first, *others] = doctor(small, CODEMAP_SERVER_PROGRAMS=",".join(only("ty")))
    assert first["about"] == "Python"
    assert first["found"].startswith("ty 0.0.")
    assert first["found"].endswith(f"({ty})")
    assert "advice" not in first
    assert [other["found"] for other in others] == [
        f"no {name} can be used: {ABSENT} is no program" for name in ("basedpyright", "pyright")
    ]


def test_a_language_without_a_server_is_reported_how_to_get_one(small: Path) -> None:
    named = ",".join(f"{name}={ABSENT}" for name in ("ty", "basedpyright", "pyright"))
    [first, *_] = doctor(small, "--server-programs", named)
    assert first == {
        "about": "Python",
        "found": "none: no ty can be used: /nonexistent/server is no program",
        "advice": "pip install ty",
    }


def test_live_navigation_that_is_off_is_reported(small: Path) -> None:
    [finding] = doctor(small, "--live", "off")
    assert finding["found"] == "off"


@pytest.mark.parametrize("is_tracked", [True, False])
def test_a_program_in_the_repository_is_notified_of_and_run_once_the_user_says_so(
    small: Path, tmp_path_factory: pytest.TempPathFactory, is_tracked: bool
) -> None:
    """`doctor` asks programs for their version, and so would a question about live code."""
    beside = tmp_path_factory.mktemp("beside")
    trap = small / ".venv" / "bin" / "ty"
    trap.parent.mkdir(parents=True)
    trap.write_text(f"#!/bin/sh\ntouch {beside}/trapped\necho ty 1.0\n")
    trap.chmod(0o755)
    subprocess.run(["git", "init", "-q", small], check=True)
    if is_tracked:
        subprocess.run(["git", "-C", small, "add", "-f", "."], check=True)
    config = {"XDG_CONFIG_HOME": str(beside / "config")}
    found = doctor(small, **config)
    assert not (beside / "trapped").exists()
    named = [finding["found"] for finding in found if str(trap) in finding["found"]]
    assert all(f"{trap} lies in the repository, which is not trusted" in each for each in named)
    assert not any(finding["found"].startswith("ty 1.0") for finding in found)
    trusted = doctor(small, "--trust-repository", "on", **config)
    assert trusted[0]["found"] == f"ty 1.0 ({trap})"
    assert (beside / "trapped").exists()
    subprocess.run([CODEMAP, "trust", "--root", small], env=os.environ | config, check=True, capture_output=True)
    assert doctor(small, **config)[0]["found"] == f"ty 1.0 ({trap})"
