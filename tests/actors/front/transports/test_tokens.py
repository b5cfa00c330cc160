"""Bearer tokens: what is accepted, for how long, and which files are trusted."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from actors.front.transports.tokens import (
    Accepted,
    BadTokens,
    Known,
    Rejected,
    TokenSource,
    add_to_file,
    check,
    default_file,
    digest_of,
    line_of,
    new_token,
    parse,
)

TOKEN, OTHER = "a-token-of-enough-length", "another-token-of-length"
NOW = 1_800_000_000.0


def test_new_tokens_differ_and_are_accepted_by_their_line() -> None:
    first, second = new_token(), new_token()
    assert first != second
    assert len(first) >= 50
    line = line_of(first, None)
    assert first not in line
    assert check(first, parse(line, "f"), NOW) == Accepted(None)
    assert check(second, parse(line, "f"), NOW) is Rejected.WRONG


def test_a_token_ends_when_its_line_says() -> None:
    known = parse(line_of(TOKEN, NOW + 10), "f")
    assert check(TOKEN, known, NOW) == Accepted(NOW + 10)
    assert check(TOKEN, known, NOW + 10) is Rejected.EXPIRED


@pytest.mark.parametrize(
    "presented", ["", " ", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "sha256:" + "0" * 64, "é\udcff"]
)
def test_what_is_not_the_token_is_wrong(presented: str) -> None:
    assert check(presented, parse(TOKEN, "f"), NOW) is Rejected.WRONG


def test_a_digest_is_no_token() -> None:
    """Who can read the file still cannot come in."""
    line = line_of(TOKEN, None).strip()
    assert check(line, parse(line, "f"), NOW) is Rejected.WRONG
    assert check(digest_of(TOKEN).hex(), parse(line, "f"), NOW) is Rejected.WRONG


def test_every_known_token_is_compared_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """How long it takes tells nothing of which one matched."""
    compared: list[bytes] = []

    def compare(left: bytes, right: bytes) -> bool:
        compared.append(left)
        return left == right

    monkeypatch.setattr("hmac.compare_digest", compare)
    known = tuple(Known(digest_of(f"{TOKEN}{number}"), None) for number in range(3))
    assert check(f"{TOKEN}0", known, NOW) == Accepted(None)
    assert compared == [one.digest for one in known]


def test_a_file_has_tokens_comments_and_ends() -> None:
    text = f"# ours\n\n{TOKEN}  # for the laptop\n{OTHER} until 2027-01-15T08:00:00Z\n"
    known = parse(text, "f")
    assert [one.digest for one in known] == [digest_of(TOKEN), digest_of(OTHER)]
    assert [one.until_s for one in known] == [None, NOW]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("short", "f, line 1: the token is shorter than 16 characters; `codemap token` makes one."),
        ("\nwith-a-stränge-letter", "f, line 2: a token has letters, digits and . _ ~ + / = - only."),
        (f"{TOKEN} until", "f, line 1: a line is a token, or a token, the word until and a time."),
        (f"{TOKEN} until soon", "f, line 1: 'soon' is no time such as 2026-12-31T00:00:00Z."),
    ],
)
def test_what_is_no_token_is_said_without_quoting_it(text: str, wanted: str) -> None:
    with pytest.raises(BadTokens) as raised:
        parse(text, "f")
    assert str(raised.value) == wanted
    assert TOKEN not in wanted


def test_the_file_is_private_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "codemap" / "tokens"
    add_to_file(str(path), line_of(TOKEN, None))
    add_to_file(str(path), line_of(OTHER, None))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    source = TokenSource(str(path), {})
    assert source.check(TOKEN) == source.check(OTHER) == Accepted(None)


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "tokens").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        add_to_file(str(tmp_path / "tokens"), line_of(TOKEN, None))


def test_the_variable_is_taken_out_of_the_environment(tmp_path: Path) -> None:
    environment = {"CODEMAP_TOKEN": TOKEN, "HOME": "h"}
    source = TokenSource(str(tmp_path / "none"), environment)
    assert environment == {"HOME": "h"}
    assert not source.is_empty
    assert source.check(TOKEN) == Accepted(None)
    assert source.check(OTHER) is Rejected.WRONG


def test_without_any_there_is_none(tmp_path: Path) -> None:
    source = TokenSource(str(tmp_path / "none"), {})
    assert source.is_empty
    assert source.check("") is Rejected.WRONG


def test_a_short_variable_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadTokens, match="The variable CODEMAP_TOKEN: the token is shorter"):
        TokenSource(str(tmp_path / "none"), {"CODEMAP_TOKEN": "secret"})


@pytest.mark.parametrize(
    ("mode", "text", "wanted"),
    [
        (0o620, line_of(TOKEN, None), "Others may write"),
        (0o640, TOKEN + "\n", "Others may read"),
        (0o600, "x" * 70_000, "larger than"),
    ],
)
def test_a_file_that_others_have_a_hand_in_is_refused(tmp_path: Path, mode: int, text: str, wanted: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(text)
    path.chmod(mode)
    with pytest.raises(BadTokens, match=wanted):
        TokenSource(str(path), {})


def test_others_may_read_digests(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(line_of(TOKEN, None))
    path.chmod(0o644)
    assert TokenSource(str(path), {}).check(TOKEN) == Accepted(None)


def test_a_changed_file_counts_at_once_and_a_spoilt_one_lets_nobody_in(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    add_to_file(str(path), line_of(TOKEN, None))
    source = TokenSource(str(path), {})
    path.unlink()
    assert source.check(TOKEN) is Rejected.WRONG
    add_to_file(str(path), line_of(OTHER, time.time() + 60))
    assert source.check(TOKEN) is Rejected.WRONG
    assert isinstance(source.check(OTHER), Accepted)
    path.chmod(0o666)
    os.utime(path, ns=(1, 1))
    assert source.check(OTHER) is Rejected.WRONG
    assert not source.is_empty


def test_the_usual_place() -> None:
    assert default_file({"XDG_CONFIG_HOME": "/etc/x"}) == "/etc/x/codemap/tokens"
    assert default_file({"XDG_CONFIG_HOME": "not/absolute"}).endswith("/.config/codemap/tokens")
