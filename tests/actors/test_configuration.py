"""The files that set settings, broken ones included."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.configuration import read_settings
from codemap.settings import BadSetting, Settings


def read(root: Path) -> Settings:
    return read_settings(str(root), environment={}, flags={})


def test_no_file(tmp_path: Path) -> None:
    assert read(tmp_path) == Settings()


def test_both_files(tmp_path: Path) -> None:
    (tmp_path / "codemap.toml").write_text("workers = 2\n")
    (tmp_path / "pyproject.toml").write_text('[tool.codemap]\nworkers = 3\nexclude = ["docs/"]\n[tool.ruff]\nx = 1\n')
    settings = read(tmp_path)
    assert (settings.workers, settings.exclude) == (2, ("docs/",))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("codemap.toml", "workers =", "is not valid TOML"),
        ("codemap.toml", "work = 1", "codemap.toml has an unknown setting 'work'; the nearest known is workers."),
        ("pyproject.toml", "[tool.codemap]\nworkers =", "is not valid TOML"),
        ("pyproject.toml", "[tool]\ncodemap = 1", "it must be a table"),
        ("pyproject.toml", "[tool.codemap]\nworkers = 999", "workers in [tool.codemap] in pyproject.toml is 999"),
    ],
)
def test_what_a_bad_file_is_told(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadSetting) as caught:
        read(tmp_path)
    assert sentence in str(caught.value)


def test_another_programs_broken_file_is_not_ours_to_report(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff\n")
    assert read(tmp_path) == Settings()


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "codemap.toml")
    (tmp_path / "pyproject.toml").mkdir()
    assert read(tmp_path) == Settings()


def test_a_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("workers = 2")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "codemap.toml").symlink_to(tmp_path / "secret")
    with pytest.raises(BadSetting, match="outside the root"):
        read(tmp_path / "root")


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
    assert read_settings(str(tmp_path), environment=environment, flags={}).reply_max_bytes == limit
