"""Which shared store the settings name, and when it is not used."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.remote.opening import NotShared, Sharing, find_sharing
from codemap.settings import Settings
from codemap.shared_facts.entries import Content

KEY = "a key that only the team has"


def test_no_store_is_used_without_a_key_or_trust(tmp_path: Path) -> None:
    assert find_sharing(Settings(), {"CODEMAP_FACTS_KEY": KEY}) is None
    refused = find_sharing(Settings(facts_remote=str(tmp_path)), {})
    assert isinstance(refused, NotShared)
    assert "there is no key" in refused.why
    trusted = find_sharing(Settings(facts_remote=str(tmp_path), facts_trusted="on"), {})
    assert isinstance(trusted, Sharing)
    assert (trusted.key, trusted.content, trusted.pushes) == (None, Content.FACTS, False)
    settings = Settings(facts_remote=str(tmp_path), facts_share="names", facts_push="on")
    signed = find_sharing(settings, {"CODEMAP_FACTS_KEY": KEY})
    assert isinstance(signed, Sharing)
    assert (signed.key, signed.content, signed.pushes) == (KEY.encode(), Content.NAMES, True)


def test_the_key_is_what_the_file_holds_without_its_last_line_end(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(KEY + "\n")
    sharing = find_sharing(Settings(facts_remote="/x", facts_key_file=str(tmp_path / "key")), {})
    assert isinstance(sharing, Sharing)
    assert sharing.key == KEY.encode()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("relative/folder", "an absolute path"),
        ("ftp://host/x", "an absolute path or one of"),
        ("https://user:secret@host/x", "belongs into CODEMAP_FACTS_TOKEN"),
        ("https://host/x?y", "a host and a path"),
        ("http:///x", "a host and a path"),
        ("https://host:99999/x", "Port out of range"),
        ("file://host/x", "file:///PATH"),
        ("http://elsewhere.example/x", "https:// only"),
        ("redis://elsewhere.example/0", "rediss:// only"),
        ("redis://", "a host, and the number"),
        ("s3://", "a bucket and a path"),
        ("s3://bucket/path", "is for other stores"),
    ],
)
def test_an_address_that_will_not_do_is_named_without_its_password(address: str, why: str) -> None:
    environment = {"CODEMAP_FACTS_KEY": KEY, "CODEMAP_FACTS_TOKEN": "user:secret"}
    found = find_sharing(Settings(facts_remote=address), environment)
    assert isinstance(found, NotShared)
    assert why in found.why
    assert "secret" not in found.place + found.why


@pytest.mark.parametrize(("key", "why"), [("short", "shorter than 16"), ("", "there is no key")])
def test_a_key_that_can_be_guessed_is_none(tmp_path: Path, key: str, why: str) -> None:
    (tmp_path / "key").write_text(key)
    found = find_sharing(Settings(facts_remote="/x", facts_key_file=str(tmp_path / "key")), {})
    assert isinstance(found, NotShared)
    assert why in found.why


def test_a_file_of_a_key_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        found = find_sharing(Settings(facts_remote="/x", facts_key_file=str(path)), {"CODEMAP_FACTS_KEY": KEY})
        assert isinstance(found, NotShared)
        assert str(path) in found.why
