"""Reads the output of `git log` into commits while git prints it.

git compares contents only, without whatever a repository's configuration names (`codemap.history.log_words`): no
filter, no text conversion, no other diff program, no signature check, no attributes of the user, no fetch.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

import msgspec
import trio

from actors.messaging.yielding import Turns
from actors.ports import NoGit, Ports
from codemap.history.commits import Commit
from codemap.history.log_reader import BadLog, LogReader
from codemap.history.log_words import (
    BEFORE,
    COMBINED_WORDS,
    MERGE_WORDS,
    RENAMED_WORDS,
    WORDS,
    log_format,
    merge_format,
)

SILENCE_S = 60.0
"""git counts as hung after so long without output: a commit of the largest files takes a few seconds."""

ASKED_MAX = 500
"""Merges that one git is asked about by their IDs: the words of a command have an end."""


class LogRead(msgspec.Struct):
    """The commits read so far: grows while git prints."""

    commits: list[Commit] = []
    """Commits, the latest first as a rule."""
    trouble: str = ""
    """Why reading ended early, as a clause; empty where it did not."""


async def read_log(ports: Ports, revisions: Sequence[str], into: LogRead, silence_s: float) -> None:
    """Reads the commits of some revisions. When cancelled, git is killed, and what was read stays.

    Merges are asked about first: that takes least where no renames are looked for, which files of few merges need.
    """
    merges: dict[str, Commit] = {}
    for words in (MERGE_WORDS, COMBINED_WORDS):
        if not await _add_merges(ports, words, revisions, merges, into, silence_s) or not merges:
            break
    renamed = [one.id for one in merges.values() if any(not side.path for entry in one.entries for side in entry.sides)]
    for begin in range(0, len(renamed), ASKED_MAX):
        await _add_merges(ports, RENAMED_WORDS, renamed[begin : begin + ASKED_MAX], merges, into, silence_s)
    if not into.trouble:
        await _read(ports, WORDS, revisions, into, merges, silence_s)


async def _add_merges(
    ports: Ports,
    words: Sequence[str],
    revisions: Sequence[str],
    merges: dict[str, Commit],
    into: LogRead,
    silence_s: float,
) -> bool:
    """Adds what an answer says of merges to what is known of them; False where git failed."""
    read = LogRead()
    if not into.trouble:
        await _read(ports, words, revisions, read, merges, silence_s)
        into.trouble = read.trouble
    merges.update((one.id, one) for one in read.commits)
    return not into.trouble


async def _read(
    ports: Ports,
    words: Sequence[str],
    revisions: Sequence[str],
    into: LogRead,
    merges: Mapping[str, Commit],
    silence_s: float,
) -> None:
    token = secrets.token_hex(16)
    reader = LogReader(token)
    turns = Turns()
    form = log_format(token) if words is WORDS else merge_format(token)
    asked = [*BEFORE, "log", *words, f"--format={form}", *revisions, "--"]
    async with ports.stream_git(asked) as stream:
        if isinstance(stream, NoGit):
            into.trouble = stream.why
            return
        try:
            with trio.fail_after(silence_s) as scope:
                while chunk := await stream.read():
                    scope.deadline = trio.current_time() + silence_s
                    _take(reader.feed(chunk), into, merges)
                    await turns.step()
                    scope.deadline = trio.current_time() + silence_s
                into.trouble = await stream.failure()
            if not into.trouble:
                _take(reader.finish(), into, merges)
        except trio.TooSlowError:
            into.trouble = f"it printed nothing for {silence_s:g} s"
        except BadLog as error:
            into.trouble = f"what it printed does not read as a log ({error})"


def _take(commits: Sequence[Commit], into: LogRead, merges: Mapping[str, Commit]) -> None:
    """Adds commits; merges with what is known of them besides."""
    for one in commits:
        known = merges.get(one.id)
        if known is not None:
            one = msgspec.structs.replace(
                one, entries=one.entries or known.entries, from_others=one.from_others or known.from_others
            )
        into.commits.append(one)
