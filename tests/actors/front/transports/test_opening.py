"""What settings say of addresses: who is let in is the same at each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.front.transports.opening import read_openings
from actors.front.transports.tokens import VARIABLE, Accepted
from codemap.settings import BadSetting, Settings

TOKEN = "a-token-of-enough-length"


def settings(folder: Path, **chosen: str) -> Settings:
    return Settings(token_file=str(folder / "tokens"), **chosen)  # type: ignore[arg-type]


def test_one_token_is_asked_for_at_both(tmp_path: Path) -> None:
    environment = {VARIABLE: TOKEN}
    found = read_openings(settings(tmp_path, websocket="127.0.0.1:1", http="0.0.0.0:2"), environment)
    assert [(name, one.place.host, one.place.port) for name, one in found.items()] == [
        ("websocket", "127.0.0.1", 1),
        ("http", "0.0.0.0", 2),
    ]
    assert all(isinstance(one.tokens.check(TOKEN), Accepted) for one in found.values())
    assert not any(one.tokens.is_empty for one in found.values())
    assert environment == {}, "no process that is started gets it"


def test_without_an_address_nothing_is_read(tmp_path: Path) -> None:
    assert read_openings(settings(tmp_path, tls_key="/none"), environment := {VARIABLE: "short"}) == {}
    assert environment


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"http": "0.0.0.0:0"}, "Others can reach 0.0.0.0: without a token"),
        ({"websocket": "127.0.0.1:0", "http": "[::]:0"}, "Others can reach ::: without a token"),
        ({"websocket": "8765"}, "websocket is '8765': it must be HOST:PORT"),
        ({"http": "127.0.0.1:0", "tls_key": "/none"}, "tls_key needs tls_certificate"),
        ({"http": "127.0.0.1:0", "tls_certificate": "/none"}, "/none cannot be used with its key: No such file"),
    ],
)
def test_what_cannot_be_served_is_refused(tmp_path: Path, chosen: dict[str, str], why: str) -> None:
    with pytest.raises(BadSetting, match=why.replace("[", r"\[")):
        read_openings(settings(tmp_path, **chosen), {})
