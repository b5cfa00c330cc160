"""What the light beginning of the command understands, and that it is light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from actors.command_line.joining import asked
from actors.entry import own_path
from actors.files.paths import RefusedRoot


def test_plain_words_are_understood(tmp_path: Path) -> None:
    found = asked(["serve", "--root", str(tmp_path), "--workers=2", "--log-level", "debug"], {})
    assert found is not None
    assert (found.command, found.root, found.flags) == ("serve", str(tmp_path), {"workers": "2", "log_level": "debug"})


def test_flags_win_over_the_environment(tmp_path: Path) -> None:
    environment = {"CODEMAP_ROOT": str(tmp_path), "CODEMAP_SHARE": "off"}
    found = asked(["connect"], environment)
    assert found is not None
    assert (found.root, found.says("share", environment)) == (str(tmp_path), "off")
    found = asked(["connect", "--share", "on"], environment)
    assert found is not None
    assert found.says("share", environment) == "on"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["search", "x"],
        ["--root", ".", "serve"],
        ["serve", "--help"],
        ["serve", "-h"],
        ["serve", "x"],
        ["serve", "--"],
        ["serve", "--workers"],
        ["serve", "--workers", "--store", "off"],
        ["serve", "--workers", "1", "--workers", "2"],
        ["serve", "--root", ".", "--root", ".."],
    ],
)
def test_unusual_words_are_left_to_the_command_line(words: list[str]) -> None:
    assert asked(words, {}) is None


def test_a_root_that_may_not_be_one_is_refused() -> None:
    with pytest.raises(RefusedRoot):
        asked(["serve", "--root", "/"], {})


ROOT = Path(__file__).parents[2]


def test_it_needs_the_standard_library_only() -> None:
    """And nothing of ours but what joining takes."""
    code = (
        "import sys\nimport actors.command_line.joining, actors.command_line.connect\n"
        "ours = {name for name in sys.modules if name.split('.')[0] in ('actors', 'codemap')}\n"
        "tops = {name.split('.')[0] for name in sys.modules if not name.startswith('_')}\n"
        "print(sorted(ours), sorted(tops - {'actors', *sys.stdlib_module_names}))\n"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    wanted = [
        "actors",
        "actors.command_line",
        "actors.command_line.connect",
        "actors.command_line.joining",
        "actors.files",
        "actors.files.paths",
        "actors.messaging",
        "actors.messaging.output",
        "actors.processes",
        "actors.processes.frame_stack",
        "actors.processes.rendezvous",
    ]
    assert done.stdout == f"{wanted} []\n", done.stderr


HOME, LIBRARY, SITE = "/venv/lib/site-packages", "/usr/lib/python3", "/usr/lib/site-packages"


@pytest.mark.parametrize(
    ("path", "named", "kept"),
    [
        (["/venv/bin", LIBRARY, HOME], "", [LIBRARY, HOME]),
        (["", LIBRARY, HOME], "", [LIBRARY, HOME]),
        (["/repository", LIBRARY, HOME], "", [LIBRARY, HOME]),
        (["/venv/bin", "/repository", "/repository/src", "/libs", LIBRARY, HOME], ":src:/libs", [LIBRARY, HOME]),
        (["/venv/bin", HOME, "/libs", "/repository/src", LIBRARY], f"{HOME}:/libs:src", [HOME, "/libs", LIBRARY]),
        ([HOME, LIBRARY, SITE], "", [HOME, LIBRARY, SITE]),
    ],
    ids=["script", "-c", "-m", "PYTHONPATH", "codemap by PYTHONPATH", "from its own folder"],
)
def test_nothing_is_imported_from_where_it_is_started(path: list[str], named: str, kept: list[str]) -> None:
    assert own_path(path, HOME, named, "/repository", starts_with_script=True) == kept


def test_an_isolated_python_keeps_its_path() -> None:
    assert own_path([LIBRARY, HOME], HOME, "", "/repository", starts_with_script=False) == [LIBRARY, HOME]


def test_its_own_folder_may_be_the_current_one() -> None:
    assert own_path(["", LIBRARY], "/project", "/project", "/project", starts_with_script=True) == ["/project", LIBRARY]
