"""The stdio transport on real descriptors: pipes, sockets (as Node gives its children) and files."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from actors.front.transports.line_framing import TooLong
from actors.front.transports.stdio import Claimed, open_stdio

DEADLINE_S = 10


async def test_lines_go_both_ways() -> None:
    (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
    with trio.fail_after(DEADLINE_S):
        async with open_stdio(Claimed(ours_in, ours_out), max_bytes=8) as stdio:
            os.write(theirs_out, b"one\ntw")
            assert await stdio.receive() == b"one"
            os.write(theirs_out, b"o\n123456789\nlast")
            os.close(theirs_out)
            assert [await stdio.receive() for _ in range(4)] == [b"two", TooLong(8), b"last", None]
            assert await stdio.receive() is None
            await stdio.send(b"answer")
            assert os.read(theirs_in, 100) == b"answer\n"
    os.close(theirs_in)


@pytest.mark.parametrize("kind", ["pipe", "socket"])
async def test_a_peer_that_closes_our_output_ends_it(kind: str) -> None:
    if kind == "pipe":
        theirs, ours = os.pipe()
    else:
        left, right = socket.socketpair()
        theirs, ours = left.detach(), right.detach()
    ours_in, theirs_out = os.pipe()
    is_ended = False
    with trio.fail_after(DEADLINE_S):
        async with trio.open_nursery() as nursery:

            async def serve() -> None:
                nonlocal is_ended
                async with open_stdio(Claimed(ours_in, ours)) as stdio:
                    await stdio.receive()
                is_ended = True

            nursery.start_soon(serve)
            await wait_all_tasks_blocked()
            assert not is_ended
            os.close(theirs)
    assert is_ended
    os.close(theirs_out)


async def test_something_to_read_on_our_output_is_no_end_of_it() -> None:
    left, right = socket.socketpair()
    ours_in, theirs_out = os.pipe()
    with left, trio.fail_after(DEADLINE_S):
        async with open_stdio(Claimed(ours_in, right.detach())) as stdio:
            left.send(b"?")
            await wait_all_tasks_blocked()
            await stdio.send(b"answer")
            assert left.recv(100) == b"answer\n"
    os.close(theirs_out)


async def test_files_will_do(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"one\n")
    ours_in = os.open(tmp_path / "in", os.O_RDONLY)
    ours_out = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    with trio.fail_after(DEADLINE_S):
        async with open_stdio(Claimed(ours_in, ours_out)) as stdio:
            assert [await stdio.receive() for _ in range(2)] == [b"one", None]
            await stdio.send(b"answer")
    assert (tmp_path / "out").read_bytes() == b"answer\n"


async def test_writing_to_a_peer_that_is_gone_is_reported() -> None:
    theirs, ours = os.pipe()
    ours_in, theirs_out = os.pipe()
    os.close(theirs)
    with trio.fail_after(DEADLINE_S):
        async with open_stdio(Claimed(ours_in, ours)) as stdio:
            with pytest.raises(trio.BrokenResourceError):
                await stdio.send(b"answer")
    os.close(theirs_out)
