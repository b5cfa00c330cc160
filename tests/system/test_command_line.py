"""The command line as people and scripts run it."""

from __future__ import annotations

import json
import os
import pty
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from codemap.tools import TOOLS
from tests.system import forked
from tests.system.forked import CODEMAP
from tests.system.process import environment

TIMEOUT_S = 60
HELP_MAX_S = 0.3


def run(*words: str, cwd: Path | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
    return forked.run(*words, env=environment(**extra), cwd=cwd, timeout_s=TIMEOUT_S)


def processor_s() -> float:
    """What the children that ended took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_help_is_instant() -> None:
    """By the processor time of the fastest of some runs: what the program takes, not what a busy machine adds."""
    took = []
    for _ in range(5):
        before = processor_s()
        done = subprocess.run([CODEMAP, "--help"], capture_output=True, text=True, env=environment(), check=False)
        took.append(processor_s() - before)
        assert done.returncode == 0
    assert all(tool.command in done.stdout for tool in TOOLS)
    assert min(took) < HELP_MAX_S


@pytest.mark.parametrize("command", ["serve", "search"])
def test_a_command_has_help(command: str) -> None:
    """`tests/actors/command_line/test_flags.py` has that of the others, in this process."""
    done = run(command, "--help")
    assert done.returncode == 0
    assert "--root" in done.stdout


def test_the_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, "codemap 0.1.0\n")


def test_a_search_reads_well(small: Path) -> None:
    done = run("search", "greet", "--root", str(small))
    assert (done.returncode, done.stderr) == (0, "")
    assert "function  py:a.py#greet  :1  def greet()" in done.stdout
    assert "\x1b" not in done.stdout


def test_json_is_the_envelope(small: Path) -> None:
    done = run("neighbors", "py:a.py#greet", "--in", "--calls", "--json", "--root", str(small))
    envelope = json.loads(done.stdout)
    assert done.returncode == 0
    assert [(one["id"], one["edge"]) for one in envelope["data"]["neighbors"]] == [("py:b.py#main", "calls")]
    assert envelope["tokenBudget"]["requested"] == 2000


def test_export_writes_one_object_a_line(small: Path) -> None:
    done = run("export", "--edges", "--root", str(small))
    assert (done.returncode, done.stderr) == (0, "")
    calls = [edge for line in done.stdout.splitlines() if (edge := json.loads(line))["kind"] == "calls"]
    assert calls == [
        {
            "source": "py:b.py#main",
            "target": "py:a.py#greet",
            "kind": "calls",
            "confidence": "import",
            "resolved": True,
            "sites": [{"line": 5, "col": 12}],
        }
    ]
    done = run("export", "--nodes", "--root", str(small))
    nodes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [node["id"] for node in nodes] == ["py:a.py", "py:a.py#greet", "py:b.py", "py:b.py#main"]
    assert (nodes[1]["line"], nodes[1]["col"], nodes[1]["parent"]) == (1, 5, "py:a.py")


def test_export_wants_to_know_what(small: Path) -> None:
    done = run("export", "--root", str(small))
    assert done.returncode == 2
    assert "--edges" in done.stderr


def test_the_root_is_the_repository_around_the_current_folder(small: Path) -> None:
    (small / "pyproject.toml").write_text("")
    (small / "deep" / "down").mkdir(parents=True)
    done = run("status", "--json", cwd=small / "deep" / "down")
    assert json.loads(done.stdout)["data"]["files"] == 2
    done = run("--root", str(small), "status", "--json")
    assert json.loads(done.stdout)["data"]["files"] == 2
    done = run("status", "--json", CODEMAP_ROOT=str(small))
    assert json.loads(done.stdout)["data"]["files"] == 2


def test_exit_codes(small: Path) -> None:
    assert run("neighbors", "py:a.py#nothing", "--root", str(small)).returncode == 1
    assert run("search", "", "--root", str(small)).returncode == 1
    for words in (
        (),
        ("nonsense",),
        ("search",),
        ("search", "greet", "--kind", "nonsense"),
        ("status", "--root", str(small / "missing")),
        ("status", "--root", "/"),
        ("status", "--root", str(small), "--workers", "many"),
    ):
        done = run(*words)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert done.stderr
        assert "Traceback" not in done.stderr


def test_a_bad_setting_names_the_nearest(small: Path) -> None:
    done = run("status", "--root", str(small), CODEMAP_WOKERS="2")
    assert done.returncode == 2
    assert "CODEMAP_WORKERS" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_the_repository_may_not_set_is_ignored_and_named(small: Path) -> None:
    """64 processes with files of 256 MiB took nine gigabytes within seconds."""
    (small / "codemap.toml").write_text("workers = 64\nfile_max_bytes = 268435456\nfile_timeout_s = 600\n")
    done = run("status", "--json", "--root", str(small))
    assert done.returncode == 0
    warnings = json.loads(done.stdout)["data"]["warnings"]
    assert [warning.split(" ")[:4] for warning in warnings] == [
        ["Ignored:", "codemap.toml", "sets", "'workers',"],
        ["Ignored:", "file_max_bytes", "in", "codemap.toml"],
        ["Ignored:", "file_timeout_s", "in", "codemap.toml"],
    ]
    assert [line.partition(": ")[2] for line in done.stderr.splitlines()] == [
        f"i{warning.removeprefix('I')}" for warning in warnings
    ]
    assert "ignored" in run("doctor", "--root", str(small)).stdout


def test_no_configuration_in_the_root_ends_a_command(small: Path) -> None:
    for name in ("codemap.toml", "pyproject.toml"):
        (small / name).write_text("[tool.codemap]\nx=" + "[" * 2000 + "]" * 2000)
    done = run("status", "--json", "--root", str(small))
    assert (done.returncode, json.loads(done.stdout)["data"]["files"]) == (0, 2)
    assert "codemap.toml is nested more than 64 levels deep" in done.stderr


def test_index_says_what_it_did_on_a_screen(small: Path) -> None:
    (small / "image.py").write_bytes(b"\0")
    done = run("index", "--root", str(small))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{small}: 2 files mapped in ")
    assert "skipped      1 binary (image.py)" in lines
    assert len(lines) <= 24
    assert json.loads(run("index", "--json", "--root", str(small)).stdout)["data"]["files"] == 2


@pytest.mark.parametrize(
    "words", [("index",), ("status",), ("search", "greet"), ("overview",), ("export", "--nodes"), ("rebuild",)]
)
def test_nothing_to_map_is_an_error_that_says_why(tmp_path: Path, words: tuple[str, ...]) -> None:
    why = "it has no files"
    for name, content in ((None, b""), ("image.py", b"\0")):
        if name is not None:
            (tmp_path / name).write_bytes(content)
            why = "skipped: 1 binary (image.py)"
        done = run(*words, "--root", str(tmp_path))
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == f"codemap: there is nothing to map in {tmp_path}: {why}."


def test_a_configuration_that_cannot_be_read_does_not_end_the_map(small: Path) -> None:
    for path in ("vendor/x/pyproject.toml", "vendor/y/Cargo.toml"):
        (small / path).parent.mkdir(parents=True)
        (small / path).write_text("[package]\nx = " + "[" * 2000 + "]" * 2000)
    done = run("status", "--json", "--root", str(small))
    data = json.loads(done.stdout)["data"]
    assert (done.returncode, data["files"], data["skipped"]) == (0, 2, {"unparsable": 2})
    assert data["warnings"] == [
        f"The configuration file {path} is left out: it is nested more than 64 levels deep."
        for path in ("vendor/x/pyproject.toml", "vendor/y/Cargo.toml")
    ]
    assert "vendor/y/Cargo.toml is left out" in run("doctor", "--root", str(small)).stdout


def test_a_command_on_a_stored_map_compares_it_with_the_disk_once(
    small: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stored = {"CODEMAP_STORE": "on", "CODEMAP_STORE_DIR": str(tmp_path_factory.mktemp("store"))}
    assert run("index", "--root", str(small), **stored).returncode == 0
    (small / "b.py").write_text("def added():\n    return 1\n")
    said = json.loads(run("status", "--json", "--token-budget", "10000", "--root", str(small), **stored).stdout)["data"]
    assert (said["actors"]["resolver"]["rounds"], said["actors"]["parserPool"]["parsed"]) == (1, 1)
    assert "b.py#added" in run("search", "added", "--root", str(small), **stored).stdout


def test_doctor_says_where_settings_come_from(small: Path) -> None:
    (small / "codemap.toml").write_text("token_budget = 500\n")
    done = run("doctor", "--root", str(small), "--workers", "1", CODEMAP_FRESH_WAIT_MS="10")
    assert done.returncode == 0, done.stdout
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert f"ok root {small} path (--root)" in lines
    assert "ok token_budget 500 tokens (codemap.toml)" in lines
    assert "ok fresh_wait_ms 10 milliseconds (CODEMAP_FRESH_WAIT_MS)" in lines
    assert "ok workers 1 processes (--workers)" in lines
    assert "ok Python 2 files" in lines
    findings = json.loads(run("doctor", "--json", "--root", str(small)).stdout)
    assert list(findings) == ["installed", "root", "indexed", "language servers", "settings"]


def test_a_reader_that_has_enough_is_no_error(flask: Path) -> None:
    """As in `codemap overview | head -1`."""
    reader, writer = os.pipe()
    os.close(reader)
    done = forked.run("overview", "--root", str(flask), env=environment(), timeout_s=TIMEOUT_S, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


INTERRUPTS_MAX = 10
"""On a busy machine a command may have ended before the interrupt comes."""


def interrupted(root: Path) -> tuple[int, bytes, bytes]:
    """Exit status, stdout and stderr of a command that was interrupted while its first worker started."""
    words = [CODEMAP, "status", "--root", str(root), "--store", "off"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    deadline = time.monotonic() + TIMEOUT_S
    while not psutil.Process(process.pid).children():
        assert time.monotonic() < deadline, "no worker was started"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=TIMEOUT_S)
    return process.returncode, stdout, stderr


def test_an_interrupt_is_quiet(flask: Path) -> None:
    found = (0, b"", b"")
    for _ in range(INTERRUPTS_MAX):
        found = interrupted(flask)
        if found[0]:
            break
    assert found == (130, b"", b"")


def on_a_terminal(*words: str, **extra: str) -> str:
    """What a command writes to a terminal."""
    master, slave = pty.openpty()
    process = forked.start(words, stdin=slave, stdout=slave, stderr=slave, env=environment(TERM="xterm", **extra))
    os.close(slave)
    shown = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the terminal's other end is closed
            break
        if not chunk:
            break
        shown += chunk
    os.close(master)
    assert forked.wait(process, TIMEOUT_S) == 0
    return shown.decode()


def test_colors_and_a_bar_on_a_terminal(flask: Path) -> None:
    assert sys.platform == "linux"
    shown = on_a_terminal("index", "--root", str(flask))
    assert "reading files" in shown
    assert "\x1b[" in shown
    plain = on_a_terminal("search", "jsonify", "--root", str(flask), NO_COLOR="1")
    assert "\x1b[3" not in plain


def test_asking_from_the_command_line_does_not_import_the_protocol(small: Path) -> None:
    """It costs half a second of CPU."""
    words = [sys.executable, "-X", "importtime", CODEMAP, "search", "greet", "--root", str(small)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, env=environment(), check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "actors.front.call" in imported
    assert not imported & {"mcp", "mcp_types", "pydantic"}
