"""The files that set settings, broken ones included."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from actors.command_line.configuration import read_settings
from codemap.config import toml
from codemap.settings import Configured, Settings
from tests import bombs


def read(root: Path) -> Configured:
    return read_settings(str(root), environment={}, flags={})


def test_no_file(tmp_path: Path) -> None:
    assert read(tmp_path) == Configured(Settings())


def test_both_files(tmp_path: Path) -> None:
    (tmp_path / "codemap.toml").write_text("token_budget = 200\n")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.codemap]\ntoken_budget = 300\nexclude = ["docs/"]\n[tool.ruff]\nx = 1\n'
    )
    assert read(tmp_path) == Configured(
        Settings(token_budget=200, exclude=("docs/",)),
        {"token_budget": "codemap.toml", "exclude": "[tool.codemap] in pyproject.toml"},
    )


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("codemap.toml", "token_budget =", "codemap.toml is not valid TOML: Invalid value (at end of document)."),
        ("codemap.toml", "work = 1", "codemap.toml has an unknown setting 'work'; the nearest known is workers."),
        (
            "pyproject.toml",
            "[tool.codemap]\nlive =",
            "pyproject.toml is not valid TOML: Invalid value (at end of document).",
        ),
        ("pyproject.toml", "[tool]\ncodemap = 1", "tool.codemap in pyproject.toml is no table, [tool.codemap]."),
        (
            "pyproject.toml",
            "[tool.codemap]\nworkers = 2",
            "[tool.codemap] in pyproject.toml sets 'workers', which only --workers or CODEMAP_WORKERS can: "
            "a repository may not choose how many processes run.",
        ),
    ],
)
def test_what_a_bad_file_wants_is_ignored_and_named(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    (tmp_path / name).write_text(content)
    assert read(tmp_path) == Configured(Settings(), ignored=(sentence,))


@pytest.mark.parametrize("name", bombs.TOML)
def test_no_file_ends_the_program(tmp_path: Path, name: str) -> None:
    (tmp_path / "codemap.toml").write_bytes(bombs.TOML[name])
    (tmp_path / "pyproject.toml").write_bytes(bombs.TOML[name])
    configured = read(tmp_path)
    assert configured.settings == Settings()
    assert [sentence.partition(" ")[0] for sentence in configured.ignored] == ["codemap.toml"]


def test_another_programs_broken_file_is_not_ours_to_report(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff\n")
    assert read(tmp_path) == Configured(Settings())


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "codemap.toml")
    (tmp_path / "pyproject.toml").mkdir()
    assert read(tmp_path) == Configured(Settings(), ignored=("codemap.toml is no file.",))


def test_what_cannot_be_opened_is_not_read(tmp_path: Path) -> None:
    os.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("codemap.toml")
    assert read(tmp_path).ignored == ("codemap.toml cannot be opened.",)


def test_a_file_larger_than_any_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "codemap.toml").write_bytes(b"#" * (toml.BYTES_MAX + 1))
    assert read(tmp_path).ignored == ("codemap.toml is larger than 262144 bytes.",)


def test_a_link_out_of_the_root_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("token_budget = 200")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "codemap.toml").symlink_to(tmp_path / "secret")
    expected = "codemap.toml is a link to a file outside the root."
    assert read(tmp_path / "root") == Configured(Settings(), ignored=(expected,))


@pytest.mark.parametrize(
    ("environment", "limit"),
    [
        ({"CTXO_RESPONSE_LIMIT": "16384"}, 16384),
        ({"CTXO_RESPONSE_LIMIT": "many"}, 8192),
        ({"CTXO_RESPONSE_LIMIT": "7"}, 400),
        ({"CTXO_RESPONSE_LIMIT": "9" * 20}, 1_000_000),
        ({"CTXO_RESPONSE_LIMIT": "16384", "CODEMAP_REPLY_MAX_BYTES": "500"}, 500),
    ],
)
def test_the_variable_of_the_dialect_sets_its_limit(tmp_path: Path, environment: dict[str, str], limit: int) -> None:
    assert read_settings(str(tmp_path), environment=environment, flags={}).settings.reply_max_bytes == limit
