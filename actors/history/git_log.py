"""Reads the output of `git log` into commits while git prints it.

git compares contents only, without whatever a repository's configuration names (`codemap.history.log_words`): no
filter, no text conversion, no other diff program, no signature check, no attributes of the user, no fetch.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import msgspec
import trio

from actors.messaging.yielding import Turns
from actors.ports import NoGit, Ports
from codemap.history.commits import Commit
from codemap.history.log_reader import BadLog, LogReader
from codemap.history.log_words import BEFORE, MERGE_WORDS, WORDS, log_format

SILENCE_S = 60.0
"""git counts as hung after so long without output: a commit of the largest files takes a few seconds."""


class LogRead(msgspec.Struct):
    """The commits read so far: grows while git prints."""

    commits: list[Commit] = []
    """Commits, the latest first as a rule."""
    trouble: str = ""
    """Why reading ended early, as a clause; empty where it did not."""


async def read_log(ports: Ports, revisions: Sequence[str], into: LogRead, silence_s: float) -> None:
    """Reads the commits of some revisions. When cancelled, git is killed, and what was read stays."""
    merges = LogRead()
    await _read(ports, MERGE_WORDS, revisions, merges, {}, silence_s)
    if merges.trouble:
        into.trouble = merges.trouble
        return
    others = {one.id: one.from_others for one in merges.commits if one.from_others}
    await _read(ports, WORDS, revisions, into, others, silence_s)


async def _read(
    ports: Ports,
    words: Sequence[str],
    revisions: Sequence[str],
    into: LogRead,
    others: dict[str, tuple[str, ...]],
    silence_s: float,
) -> None:
    token = secrets.token_hex(16)
    reader = LogReader(token)
    turns = Turns()
    asked = [*BEFORE, "log", *words, f"--format={log_format(token)}", *revisions, "--"]
    async with ports.stream_git(asked) as stream:
        if isinstance(stream, NoGit):
            into.trouble = stream.why
            return
        try:
            with trio.fail_after(silence_s) as scope:
                while chunk := await stream.read():
                    scope.deadline = trio.current_time() + silence_s
                    _take(reader.feed(chunk), into, others)
                    await turns.step()
                    scope.deadline = trio.current_time() + silence_s
                into.trouble = await stream.failure()
            if not into.trouble:
                _take(reader.finish(), into, others)
        except trio.TooSlowError:
            into.trouble = f"it printed nothing for {silence_s:g} s"
        except BadLog as error:
            into.trouble = f"what it printed does not read as a log ({error})"


def _take(commits: Sequence[Commit], into: LogRead, others: dict[str, tuple[str, ...]]) -> None:
    for one in commits:
        known = others.get(one.id)
        into.commits.append(one if known is None else msgspec.structs.replace(one, from_others=known))
