"""Where processes meet: who owns the place, who joins, and who never meets."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.processes.rendezvous import NOT_SHARED, NotPrivate, Offer, join, meeting_place, own
from codemap.settings import SERVING, all_settings


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path, as runtime folders have."""
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


@pytest.fixture
def runtime(folder: Path) -> dict[str, str]:
    """An environment with a runtime folder of its own."""
    return {"XDG_RUNTIME_DIR": str(folder), "PATH": "/bin"}


@pytest.fixture
def place(runtime: dict[str, str]) -> str:
    return meeting_place("/r", {}, runtime)


@pytest.fixture
def offer(place: str) -> Iterator[Offer]:
    found = own(place)
    assert found is not None
    yield found
    found.withdraw()


def test_only_one_owns_a_place_and_all_can_join_at_once(place: str, offer: Offer) -> None:
    assert own(place) is None
    first, second = join(place), join(place)
    assert first is not None
    assert second is not None
    first.sendall(b"hello")
    accepted, _ = offer.listener.accept()
    assert accepted.recv(5) == b"hello"
    for one in (first, second, accepted):
        one.close()


def test_a_place_without_an_owner_is_empty(place: str) -> None:
    assert join(place) is None
    found = own(place)
    assert found is not None
    found.withdraw()
    assert join(place) is None
    assert os.listdir(os.path.dirname(place)) == []
    found.withdraw()
    again = own(place)
    assert again is not None
    again.withdraw()


def test_what_a_dead_owner_left_is_no_hindrance(place: str) -> None:
    """A process that is killed unlinks nothing; its lock is gone with it."""
    found = own(place)
    assert found is not None
    found.leave()
    assert join(place) is None
    assert sorted(os.listdir(os.path.dirname(place))) == [os.path.basename(place) + end for end in (".lock", ".sock")]
    again = own(place)
    assert again is not None
    connection = join(place)
    assert connection is not None
    connection.close()
    again.withdraw()


def test_nobody_else_can_reach_it(place: str, offer: Offer) -> None:
    assert stat.S_IMODE(os.stat(os.path.dirname(place)).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(place + ".sock").st_mode) == 0o600
    assert stat.S_IMODE(os.stat(place + ".lock").st_mode) == 0o600
    assert not os.get_inheritable(offer.lock)
    assert not offer.listener.get_inheritable()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_folder_that_others_can_reach_is_refused(runtime: dict[str, str], folder: Path, mode: int) -> None:
    (folder / "codemap").mkdir()
    (folder / "codemap").chmod(mode)
    with pytest.raises(NotPrivate):
        meeting_place("/r", {}, runtime)


def test_a_link_is_no_folder(runtime: dict[str, str], folder: Path) -> None:
    (folder / "elsewhere").mkdir(mode=0o700)
    (folder / "codemap").symlink_to(folder / "elsewhere")
    with pytest.raises(NotPrivate):
        meeting_place("/r", {}, runtime)


def test_the_path_of_a_socket_is_short(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    place = meeting_place("/r", {}, {"XDG_RUNTIME_DIR": str(deep)})
    assert len(place + ".sock") < 100
    probe = socket.socket(socket.AF_UNIX)
    probe.bind(place + ".probe")
    probe.close()
    os.unlink(place + ".probe")


def test_those_who_would_answer_alike_meet(runtime: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    place = meeting_place(str(root), {}, runtime)
    assert meeting_place(str(root), {"websocket": "127.0.0.1:1", "linger_s": "3"}, runtime) == place
    assert meeting_place(str(root), {}, {**runtime, "CODEMAP_LINGER_S": "3", "CODEMAP_TOKEN": "x" * 20}) == place
    assert meeting_place(str(root), {"workers": "2"}, runtime) == meeting_place(
        str(root), {}, {**runtime, "CODEMAP_WORKERS": "2"}
    )
    assert meeting_place(str(root), {"workers": "2"}, {**runtime, "CODEMAP_WORKERS": "3"}) == meeting_place(
        str(root), {"workers": "2"}, runtime
    )


def test_those_who_would_answer_otherwise_do_not(runtime: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    places = [
        meeting_place(str(root), {}, runtime),
        meeting_place(str(tmp_path), {}, runtime),
        meeting_place(str(root), {"workers": "2"}, runtime),
        meeting_place(str(root), {}, {**runtime, "CODEMAP_EXCLUDE": "a"}),
        meeting_place(str(root), {}, {**runtime, "PATH": "/usr/bin"}),
    ]
    (root / "codemap.toml").write_text("workers = 1\n")
    places.append(meeting_place(str(root), {}, runtime))
    os.utime(root / "codemap.toml", ns=(5, 5))
    places.append(meeting_place(str(root), {}, runtime))
    assert len(set(places)) == len(places)


def test_the_names_of_settings_that_make_no_difference_are_right() -> None:
    """The list stands apart from the settings, which take too long to import."""
    assert {setting.name for setting in all_settings()} >= NOT_SHARED
    assert SERVING | {"root"} == NOT_SHARED
    assert {setting.name for setting in all_settings() if setting.key is None} >= NOT_SHARED
