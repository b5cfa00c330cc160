"""Names of several roots."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from actors.files.paths import RefusedRoot
from actors.files.root_names import named_roots


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("app", "lib", "old/app", "my app", "a=b"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def test_roots_are_named_after_their_folders_or_as_given(home: Path) -> None:
    given = [str(home / "lib"), str(home / "app"), f"old={home / 'old/app'}", f"spaced={home / 'my app'}"]
    assert named_roots(given) == {
        "lib": str(home / "lib"),
        "app": str(home / "app"),
        "old": str(home / "old/app"),
        "spaced": str(home / "my app"),
    }


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["app", "old/app"], "would both be called app; give one as NAME="),
        (["my app"], "'my app' is no name for a URL; give the root as NAME="),
        (["a=b"], "'a=b' is no name for a URL"),
        (["../x=app"], "'../x' is no name for a URL"),
        (["app", "again=app"], "is given twice"),
        (["none"], "does not exist"),
        (["/"], "the root of the file system"),
    ],
)
def test_what_cannot_be_distinguished_is_refused(
    home: Path, given: list[str], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    with pytest.raises(RefusedRoot, match=re.escape(wanted)):
        named_roots(given)
