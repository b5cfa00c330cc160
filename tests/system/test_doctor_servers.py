"""What `codemap doctor` says of language servers, and what it never runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

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


def test_the_server_that_is_found_is_told_with_its_version_and_place(small: Path) -> None:
    ty = programs("ty") / "ty"
    [first, *others] = doctor(small, CODEMAP_SERVER_PROGRAMS=",".join(only("ty")))
    assert first["about"] == "Python"
    assert first["found"].startswith("ty 0.0.")
    assert first["found"].endswith(f"({ty})")
    assert "advice" not in first
    assert [other["found"] for other in others] == [
        f"no {name} can be used: {ABSENT} is no program" for name in ("basedpyright", "pyright")
    ]


def test_a_language_without_a_server_is_told_how_to_get_one(small: Path) -> None:
    named = ",".join(f"{name}={ABSENT}" for name in ("ty", "basedpyright", "pyright"))
    [first, *_] = doctor(small, "--server-programs", named)
    assert first == {
        "about": "Python",
        "found": "none: no ty can be used: /nonexistent/server is no program",
        "advice": "pip install ty",
    }


def test_live_navigation_that_is_off_is_told(small: Path) -> None:
    [finding] = doctor(small, "--live", "off")
    assert finding["found"] == "off"


def test_a_program_that_came_with_the_repository_is_told_of_and_not_run(small: Path) -> None:
    """`doctor` asks programs for their version, and so would a question about live code."""
    trap = small / ".venv" / "bin" / "ty"
    trap.parent.mkdir(parents=True)
    trap.write_text(f"#!/bin/sh\ntouch {small}/trapped\necho ty 1.0\n")
    trap.chmod(0o755)
    subprocess.run(["git", "init", "-q", small], check=True)
    subprocess.run(["git", "-C", small, "add", "-f", "."], check=True)
    found = doctor(small)
    assert not (small / "trapped").exists()
    assert all(str(trap) not in finding["found"] or "came with the repository" in finding["found"] for finding in found)
    assert not any(finding["found"].startswith("ty 1.0") for finding in found)
    trusted = doctor(small, "--trust-repository", "on")
    assert trusted[0]["found"] == f"ty 1.0 ({trap})"
    assert (small / "trapped").exists()
