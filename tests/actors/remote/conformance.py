"""What every kind of shared store does, and the sharer of facts relies on."""

from __future__ import annotations

import trio

from actors.remote.opening import Sharing, find_sharing
from actors.remote.remote import Remote
from codemap.settings import Settings

NAMES = [f"{number:064x}" for number in range(200)]


def opened(address: str, secret: str = "") -> Remote:
    sharing = find_sharing(Settings(facts_remote=address, facts_trusted="on"), {"CODEMAP_FACTS_TOKEN": secret})
    assert isinstance(sharing, Sharing)
    return sharing.remote


async def read(remote: Remote, names: list[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    await remote.get_many(names, found.__setitem__)
    return found


async def check_what_was_written_is_read(remote: Remote) -> None:
    """Also: the rest is missing, and a later value replaces an earlier one."""
    values = {name: name.encode() * 9 for name in NAMES[:150]}
    with trio.fail_after(60):
        assert await read(remote, NAMES) == {}
        await remote.put_many(values)
        assert await read(remote, NAMES) == values
        assert await remote.having(NAMES) == values.keys()
        await remote.put_many({NAMES[0]: b"other", NAMES[1]: bytes(range(256)) * 4_000})
        assert await read(remote, NAMES[:3]) == {
            NAMES[0]: b"other",
            NAMES[1]: bytes(range(256)) * 4_000,
            NAMES[2]: values[NAMES[2]],
        }


async def check_several_tasks_use_it_at_a_time(remote: Remote) -> None:
    values = {name: name.encode() for name in NAMES}
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            for start in range(0, len(NAMES), 50):
                nursery.start_soon(remote.put_many, {name: values[name] for name in NAMES[start : start + 50]})
        found: dict[str, bytes] = {}
        async with trio.open_nursery() as nursery:
            for start in range(0, len(NAMES), 50):
                nursery.start_soon(remote.get_many, NAMES[start : start + 50], found.__setitem__)
        assert found == values
