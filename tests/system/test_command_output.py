"""What commands print where it cannot be printed as usual: odd names, odd locales, full disks, readers that leave."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system import forked
from tests.system.forked import CODEMAP
from tests.system.process import environment

TIMEOUT_S = 60
COMMANDS = (
    ("--help",),
    ("--version",),
    ("search", "--help"),
    ("token",),
    ("trust", "--list"),
    ("index",),
    ("doctor",),
    ("export", "--nodes"),
    ("export", "--edges"),
    ("overview",),
    ("search", "greet", "--json"),
    ("neighbors", "py:a.py#greet"),
)
"""Each way in which a command comes to print."""


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment in which tokens and trust are kept apart from the user's."""
    return environment(XDG_CONFIG_HOME=str(tmp_path / "home"))


def run(words: tuple[str, ...], root: Path, env: dict[str, str], **streams: int) -> subprocess.CompletedProcess[str]:
    """Runs a command, with a descriptor in place of stdout or stderr."""
    return forked.run(*words, env=env, cwd=root, timeout_s=TIMEOUT_S, **streams)


def executed(words: tuple[str, ...], root: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs a command by an interpreter of its own, which reads what the environment says to interpreters."""
    return subprocess.run(
        [CODEMAP, *words],
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        cwd=root,
        env=env,
        check=False,
    )


@pytest.fixture
def full() -> Iterator[int]:
    """A descriptor that nothing can be written to."""
    with open("/dev/full", "wb") as file:
        yield file.fileno()


PROGRESS = ("codemap: looking for files", "codemap: reading files", "codemap: connecting symbols")
"""How its lines begin; on a busy machine there is one before anything is counted."""


def without_progress(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if not line.startswith(PROGRESS)]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("is_full", "why"),
    [(True, "No space left on device"), (False, "stdout is closed")],
    ids=["full disk", "closed"],
)
def test_an_answer_that_cannot_be_written(
    small: Path, home: dict[str, str], full: int, words: tuple[str, ...], is_full: bool, why: str
) -> None:
    done = run(words, small, home, stdout=full if is_full else forked.CLOSED)
    assert without_progress(done.stderr) == [f"codemap: The answer cannot be written: {why}."]
    assert done.returncode == 1


@pytest.mark.parametrize("is_full", [True, False], ids=["full disk", "closed"])
def test_remarks_that_cannot_be_written_cost_nothing(
    small: Path, home: dict[str, str], full: int, is_full: bool
) -> None:
    stderr = full if is_full else forked.CLOSED
    done = run(("index",), small, home, stderr=stderr)
    assert done.returncode == 0
    assert "files" in done.stdout
    done = run(("search", "greet", "--root", "nowhere"), small, home, stderr=stderr)
    assert (done.returncode, done.stdout) == (2, "")


def test_the_first_line_of_a_long_export(flask: Path, home: dict[str, str]) -> None:
    """The exit status is that of codemap, not of what stands last in the pipe."""
    words = [CODEMAP, "export", "--edges", "--root", str(flask)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home)
    assert process.stdout is not None
    assert process.stderr is not None
    first = json.loads(process.stdout.readline())
    process.stdout.close()
    stderr = process.stderr.read()
    process.stderr.close()
    assert (process.wait(TIMEOUT_S), stderr, "source" in first) == (0, b"", True)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A repository with names that are not ASCII, and some that are not UTF-8."""
    root = tmp_path / "root"
    folder = os.fsencode(root) + b"/d\xff"
    os.makedirs(folder)
    with open(folder + b"/m\xe9.py", "w", encoding="utf-8") as file:
        file.write("from naïve import café\n\n\ndef greet():\n    return café()\n")
    (root / "naïve.py").write_text("def café():\n    return 1\n", encoding="utf-8")
    (root / "50%FF.py").write_text("def half():\n    return 1\n")
    return root


LOCALES = (
    {},
    {"LANG": "C"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "ascii"},
)
"""The third is what Python makes of any locale that is not UTF-8 where nobody helps it."""


@pytest.mark.parametrize("locale", LOCALES, ids=lambda locale: " ".join(locale) or "as it is")
def test_odd_names_in_any_locale(odd: Path, home: dict[str, str], locale: dict[str, str]) -> None:
    env = {name: value for name, value in home.items() if not name.startswith(("LC_", "LANG", "PYTHON"))} | locale
    done = executed(("export", "--nodes"), odd, env)
    assert (done.returncode, done.stderr) == (0, "")
    nodes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(node["id"], node["file"], node["name"]) for node in nodes] == [
        ("py:50%25FF.py", "50%FF.py", "50%FF.py"),
        ("py:50%25FF.py#half", "50%FF.py", "half"),
        ("py:d%FF/m%E9.py", "d%FF/m%E9.py", "m%E9.py"),
        ("py:d%FF/m%E9.py#greet", "d%FF/m%E9.py", "greet"),
        ("py:naïve.py", "naïve.py", "naïve.py"),
        ("py:naïve.py#café", "naïve.py", "café"),
    ]
    done = executed(("export", "--edges"), odd, env)
    edges = [json.loads(line) for line in done.stdout.splitlines()]
    assert ("py:d%FF/m%E9.py#greet", "py:naïve.py#café") in {(edge["source"], edge["target"]) for edge in edges}
    done = executed(("search", "café"), odd, env)
    assert (done.returncode, done.stderr) == (0, "")
    assert "py:naïve.py#café" in done.stdout


def test_an_export_shows_a_terminal_no_character_that_it_obeys(home: dict[str, str], tmp_path: Path) -> None:
    name = "a\u202eb\U000e0041\x1b[2J.py"
    (tmp_path / name).write_text("def half(): ...\n")
    done = run(("export", "--nodes"), tmp_path, home)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert done.stdout.replace("\n", "").isprintable()
    assert {json.loads(line)["file"] for line in done.stdout.splitlines()} == {name}


def test_a_terminal_gets_code_in_colors_and_a_pipe_does_not(home: dict[str, str], small: Path) -> None:
    words = ("code", "a.py#greet", "--root", str(small))
    plain = run(words, small, home).stdout
    assert "def greet" in plain
    assert "\x1b" not in plain
    colored = run((*words, "--color", "always"), small, home).stdout
    assert _on_a_terminal(words, home).replace("\r\n", "\n") == colored
    without = {**home, "NO_COLOR": "1"}
    assert _on_a_terminal(words, without).replace("\r\n", "\n") == plain


def _on_a_terminal(words: tuple[str, ...], env: dict[str, str]) -> str:
    """What a command prints where stdout is a terminal."""
    ours, theirs = os.openpty()
    env = {**env, "TERM": "xterm"}
    with open(os.devnull, "r+b") as nothing:
        process = forked.start(words, stdin=nothing.fileno(), stdout=theirs, stderr=nothing.fileno(), env=env)
    os.close(theirs)
    printed = b""
    while True:
        try:
            read = os.read(ours, 65_536)
        except OSError:  # EIO: the other end is closed
            break
        printed += read
    assert forked.wait(process, TIMEOUT_S) == 0
    os.close(ours)
    return printed.decode()
