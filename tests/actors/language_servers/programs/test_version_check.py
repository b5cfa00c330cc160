"""Programs are asked for their version for real: those that print it, fail, hang, or are none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio

from actors.language_servers.programs import version_check as language_version
from actors.language_servers.programs.version_check import Printed, Useless, ask_version, version_in

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


def script(folder: Path, text: str) -> str:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def is_running(folder: Path) -> bool:
    return Path("/proc", (folder / "pid").read_text().strip()).exists()


async def test_what_is_printed_counts_on_either_stream(tmp_path: Path) -> None:
    said = await ask_version([script(tmp_path, "echo 'lark 2.1' >&2; echo more; pwd"), "--version"], ENVIRONMENT)
    assert said == Printed(f"lark 2.1\nmore\n{tmp_path}\n")
    assert version_in(said.text, r"(\d+(?:\.\d+)+)") == "2.1"
    assert version_in("none", r"(\d+)") == ""


async def test_a_shim_of_nothing_is_useless(tmp_path: Path) -> None:
    said = await ask_version([script(tmp_path, "echo 'error: no such component' >&2; exit 1")], ENVIRONMENT)
    assert said == Useless("ends with 1 when asked for its version (error: no such component)")


async def test_what_cannot_be_started_is_useless(tmp_path: Path) -> None:
    assert await ask_version([str(tmp_path / "gone")], ENVIRONMENT) == Useless(
        "cannot be started (No such file or directory)"
    )


async def test_what_hangs_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_version, "TIMEOUT_S", 0.2)
    code = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    path = tmp_path / "hangs"
    path.write_text(f"#!{sys.executable}\n{code}\n")
    path.chmod(0o755)
    with trio.fail_after(30):
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            said = await ask_version([str(path)], ENVIRONMENT)
    assert said == Useless("took more than 0.2 s to report its version")
    assert not is_running(tmp_path)


async def test_what_a_program_leaves_behind_is_killed(tmp_path: Path) -> None:
    leave = f"(setsid env -i /bin/sh -c 'echo $$ > {tmp_path}/pid; exec sleep 600' &)"
    wait = f"while [ ! -s {tmp_path}/pid ]; do sleep 0.01; done; echo lark 2.1"
    with trio.fail_after(30):
        assert await ask_version([script(tmp_path, f"{leave}\n{wait}")], ENVIRONMENT) == Printed("lark 2.1\n")
    assert not is_running(tmp_path)
