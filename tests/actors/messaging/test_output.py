"""What a command prints: all of it, as UTF-8, or an error that says why not."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest

from actors.messaging.output import Unwritten, answer, complain, is_watched, remark, width
from tests.test_tidiness import SOURCES, name

LONG = "a line that stands here often, é\n" * 20_000
"""More than any pipe takes at a time."""
FULL = Path("/dev/full")

Stream = Callable[[str, int], None]


@pytest.fixture
def stream() -> Iterator[Stream]:
    """Makes a descriptor the stream of that name, with an encoding that has no letters but the first 128."""
    with pytest.MonkeyPatch.context() as patched, ExitStack() as opened:

        def put(stream_name: str, descriptor: int) -> None:
            file = os.fdopen(descriptor, "w", encoding="ascii", errors="strict")
            patched.setattr(sys, stream_name, opened.enter_context(file))

        yield put


def test_it_is_utf8_whatever_the_locale_says(stream: Stream, tmp_path: Path) -> None:
    for stream_name, write in (("stdout", answer), ("stderr", remark)):
        path = tmp_path / stream_name
        stream(stream_name, os.open(path, os.O_WRONLY | os.O_CREAT))
        write("café \udcff\n")
        assert path.read_bytes() == b"caf\xc3\xa9 \\udcff\n"
    complain("so")
    assert (tmp_path / "stderr").read_bytes().endswith(b"codemap: so\n")


def test_a_full_disk_is_an_error_for_an_answer_only(stream: Stream) -> None:
    stream("stdout", os.open(FULL, os.O_WRONLY))
    with pytest.raises(Unwritten, match=r"The answer cannot be written: No space left on device\."):
        answer("x")
    sys.stdout.flush()  # nothing is left that fails again at the end
    stream("stderr", os.open(FULL, os.O_WRONLY))
    remark("x")
    sys.stderr.flush()


def test_closed_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.raises(Unwritten, match="stdout is closed"):
        answer("x")
    remark("x")
    assert (width(), is_watched()) == (None, False)


def test_a_reader_that_has_enough(stream: Stream) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    stream("stdout", writer)
    assert not answer(LONG)
    assert not answer("more")


@pytest.mark.parametrize("is_blocking", [True, False])
def test_a_slow_reader_gets_all(stream: Stream, is_blocking: bool) -> None:
    """Also from a pipe that was set not to wait, as Node.js leaves a terminal."""
    reader, writer = os.pipe()
    os.set_blocking(writer, is_blocking)
    stream("stdout", writer)
    received = bytearray()

    def read() -> None:
        while chunk := os.read(reader, 1000):
            received.extend(chunk)

    thread = Thread(target=read)
    thread.start()
    assert answer(LONG)
    sys.stdout.close()
    thread.join()
    os.close(reader)
    assert received == LONG.encode()


OTHERS = {
    "actors/messaging/output.py": "is the place",
    "actors/workers/extraction.py": "a process of its own, whose stderr is the log",
    "actors/workers/versions.py": "the same",
}


def test_nothing_else_writes_to_a_stream() -> None:
    pattern = re.compile(r"^[^\"'#]*(?:\bprint\(|sys\.std(?:out|err)\b|sys\.__std)", re.MULTILINE)
    found = {name(path) for path in SOURCES if pattern.search(path.read_text(encoding="utf-8"))}
    assert found == set(OTHERS)
