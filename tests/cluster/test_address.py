"""Addresses of clusters: which are taken, and what a refusal says to do."""

from __future__ import annotations

import pytest

from codemap.cluster.address import BadAddress, ClusterAddress, read_address
from codemap.settings import BadSetting, SettingsFile, settings_from


@pytest.mark.parametrize(
    ("text", "address", "of_library"),
    [
        ("dask://localhost:8786", ClusterAddress("localhost", 8786, False), "tcp://localhost:8786"),
        ("dask://127.0.0.1:1", ClusterAddress("127.0.0.1", 1, False), "tcp://127.0.0.1:1"),
        ("dask://[::1]:8786", ClusterAddress("::1", 8786, False), "tcp://[::1]:8786"),
        ("tls://build.example:8786", ClusterAddress("build.example", 8786, True), "tls://build.example:8786"),
    ],
)
def test_an_address(text: str, address: ClusterAddress, of_library: str) -> None:
    assert read_address(text) == address
    assert (address.shown, address.of_library) == (text, of_library)


@pytest.mark.parametrize(
    "host", ["10.0.0.5", "build.example", "127.0.0.1.example", "0.0.0.0", "[::]", "[::ffff:10.0.0.5]", "localhost.x"]
)
def test_beyond_this_machine_nothing_is_taken_without_encryption(host: str) -> None:
    with pytest.raises(BadAddress) as refused:
        read_address(f"dask://{host}:8786")
    assert f"say tls://{host}:8786" in str(refused.value)
    assert "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in str(refused.value)
    assert read_address(f"tls://{host}:8786").is_encrypted


@pytest.mark.parametrize(
    "text",
    [
        *("dask://localhost", "dask://:8786", "tcp://localhost:8786", "dask://localhost:port", "tls://h:1/path"),
        *("tls://me@h:1", "tls://h:1?x=y", "tls://[:1", "tls://h:99999", "tls://h:0"),
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(BadAddress, match="HOST:PORT is expected"):
        read_address(text)


def test_workers_are_a_number_or_an_address() -> None:
    assert settings_from(flags={"workers": "3"}).settings.workers == 3
    assert settings_from(environment={"CODEMAP_WORKERS": "tls://h:1"}).settings.workers == "tls://h:1"
    with pytest.raises(BadSetting, match="from 0 to 256, or dask://HOST:PORT, or tls://HOST:PORT"):
        settings_from(flags={"workers": "257"})
    with pytest.raises(BadSetting, match=r"The flag --workers is 'dask://h:1': .* over TLS only"):
        settings_from(flags={"workers": "dask://h:1"})
    named = settings_from(files=[SettingsFile("codemap.toml", {"workers": "tls://h:1"})])
    assert named.settings.workers == 0
    assert "a repository may not choose how many processes run" in named.ignored[0]
