"""Tools that look for faults: which are run, how, and what becomes of those that misbehave."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import trio

from actors.processes import scanners
from actors.processes.scanners import CannotScan, find_scanner, scan


def put(folder: Path, script: str, name: str = "ruff") -> None:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


async def report(root: Path, path: str, most: int = 10_000) -> bytes:
    environment = {"PATH": f"{path}:/usr/bin:/bin", "PYTHONPATH": str(root), "HOME": "/nowhere"}
    return await scan(str(root), environment, "ruff", most)


async def test_it_is_given_our_configuration_and_a_folder_of_its_own(tmp_path: Path, root: Path) -> None:
    put(tmp_path / "bin", 'echo "$@"; pwd; echo "[$PYTHONPATH]"')
    words, folder, path = (await report(root, str(tmp_path / "bin"))).decode().splitlines()
    assert words.split()[:4] == ["check", "--isolated", "--select", "S"]
    assert {"--no-cache", "--no-fix"} <= set(words.split())
    assert words.endswith(f"-- {root!s}")
    assert not folder.startswith(str(root))
    assert not await trio.Path(folder).exists(), "it is gone afterwards"
    assert path == "[]"


async def test_a_program_of_the_root_is_never_run(tmp_path: Path, root: Path) -> None:
    put(root / "bin", "echo sprung > ../sprung; echo {}")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "ruff").symlink_to(root / "bin" / "ruff")
    for path in (str(root / "bin"), str(tmp_path / "linked"), "bin", ".", ""):
        clean = {"PATH": path}
        assert find_scanner(str(root), clean, "ruff") is None or path in ("bin", ".")
        with pytest.raises(CannotScan, match="not installed outside"):
            await scan(str(root), {"PATH": path}, "ruff", 100)
    assert not await trio.Path(root / "sprung").exists()


async def test_one_that_hangs_is_killed(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanners, "RUN_MAX_S", 0.3)
    put(tmp_path / "bin", f"echo $$ > {tmp_path}/pid; exec sleep 600")
    with pytest.raises(CannotScan, match=r"not done in 0\.3 s"):
        await report(root, str(tmp_path / "bin"))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


async def test_one_that_floods_or_fails_has_no_report(tmp_path: Path, root: Path) -> None:
    put(tmp_path / "bin", "yes x")
    with pytest.raises(CannotScan, match="larger than 0 MB"):
        await report(root, str(tmp_path / "bin"))
    put(tmp_path / "bin", "echo broken >&2; exit 3")
    with pytest.raises(CannotScan, match="ended with 3: broken"):
        await report(root, str(tmp_path / "bin"))


async def test_eslint_runs_by_our_port_and_by_a_node_from_outside(tmp_path: Path, root: Path) -> None:
    put(tmp_path / "bin", "echo sprung", "eslint")
    put(root / "bin", "echo sprung", "node")
    environment = {"PATH": f"{root / 'bin'}:{tmp_path / 'bin'}"}
    with pytest.raises(CannotScan, match="node, which eslint needs, is not installed outside"):
        await scan(str(root), environment, "eslint", 1000)
    put(tmp_path / "bin", 'echo "$@"', "node")
    words = (await scan(str(root), environment, "eslint", 1000)).decode().split()
    assert words[1:] == [str(tmp_path / "bin" / "eslint"), str(root)]
    assert words[0] == str(scanners.PORTS / "eslint_port.cjs")
