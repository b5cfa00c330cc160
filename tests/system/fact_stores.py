"""Real servers for shared facts, at pinned versions in `.cache` of the checkout: Redis (Debian's) and an S3 (moto's).

They listen on the loopback interface and end with the test. What cannot be installed fails the run.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.system.alone import CACHE, alone
from tests.system.debian import unpacked
from tests.system.pypi import installed

REDIS: Mapping[str, str] = {
    "redis-tools": "5:7.0.15-1~deb12u10",
    "liblzf1": "3.6-3",
    "libjemalloc2": "5.3.0-1",
}
"""The program is in `redis-tools`; its libraries are those that not every machine has. BSD licence."""

REDIS_PASSWORD = "a password of the loopback interface"

S3 = ("moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5", "werkzeug==3.1.9", "boto3==1.44.8")
"""Apache, MIT and BSD licences."""

START_MAX_S = 60.0

CREDENTIALS: Mapping[str, str] = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


def redis_tree() -> Path:
    return unpacked("redis", REDIS)


@alone("moto")
def moto_program() -> Path:
    """The server of moto, installed now where it is not there yet."""
    return installed(CACHE / "moto", S3) / "moto_server"


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """The address of a Redis whose password is `REDIS_PASSWORD`."""
    root, port = redis_tree(), _free_port()
    [libraries] = root.glob("usr/lib/*-linux-gnu")
    command = [str(root / "usr" / "bin" / "redis-check-rdb")]
    words = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--requirepass", REDIS_PASSWORD]
    own = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
    with _running("redis-server", [*command, *words], own, folder):
        _wait_for(port)
        yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def s3_server(folder: Path) -> Iterator[str]:
    """The endpoint of an S3 with an empty bucket `team`."""
    port = _free_port()
    with _running("", [str(moto_program()), "-H", "127.0.0.1", "-p", str(port)], dict(os.environ), folder):
        _wait_for(port)
        endpoint = f"http://127.0.0.1:{port}"
        urllib.request.urlopen(urllib.request.Request(f"{endpoint}/team", method="PUT"), timeout=START_MAX_S).close()
        yield endpoint


@contextmanager
def _running(name: str, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Iterator[None]:
    """Runs a program, called `name` where that is not empty, until the context ends."""
    words = [name or command[0], *command[1:]]
    with (folder / "server.log").open("wb") as said:
        process = subprocess.Popen(words, executable=command[0], env=environment, cwd=folder, stdout=said, stderr=said)
        try:
            yield
        finally:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    until = time.monotonic() + START_MAX_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
