"""Repositories that the system tests ask about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.alone import alone
from tests.system.corpora import NPM, SDISTS, npm_package, sdist

SECRET = "correct_horse_battery_staple"
"""A name that stands outside the root."""


@pytest.fixture(scope="session", autouse=True)
def all_fetched() -> None:
    """Waits for what `tests.system.fetched` installs, where that runs beside the tests."""
    with alone("fetched"):
        pass


@pytest.fixture(scope="module", autouse=True)
def config_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tokens and trust of whoever runs the tests are not those of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture(scope="session")
def flask(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Flask 3.1.2, as released: Python. Tests do not change it."""
    return sdist("flask", SDISTS["flask"], tmp_path_factory.mktemp("flask"))


@pytest.fixture(scope="session")
def rxjs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of RxJS 7.8.2: TypeScript. Tests do not change them."""
    return npm_package("rxjs", NPM["rxjs"], tmp_path_factory.mktemp("rxjs")) / "src"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository of two files that tests may change."""
    (tmp_path / "a.py").write_text("def greet():\n    return 1\n")
    (tmp_path / "b.py").write_text("from a import greet\n\n\ndef main():\n    return greet()\n")
    return tmp_path


@pytest.fixture
def guarded(tmp_path: Path) -> Path:
    """A repository beside a file that is none of it, with links that lead there."""
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (outside / "secret.py").write_text(f"def {SECRET}():\n    return 1\n")
    (root / "a.py").write_text("def greet():\n    return 1\n")
    (root / "link.py").symlink_to(outside / "secret.py")
    (root / "linked").symlink_to(outside)
    return root
