"""Reads the output of `git log` into commits while git prints it.

git compares contents only, without whatever a repository's configuration names (`codemap.history.log_words`): no
filter, no text conversion, no other diff program, no signature check, no attributes of the user, no fetch. Contents
of files that have no definitions are not compared: that is up to a third of git's work.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import NamedTemporaryFile

import msgspec
import trio

from actors.messaging.yielding import Turns
from actors.ports import NoGit, Ports
from codemap.history.commits import Commit
from codemap.history.log_reader import BadLog, LogReader
from codemap.history.log_words import (
    COMBINED_WORDS,
    MERGE_WORDS,
    RENAMED_WORDS,
    WORDS,
    attributes_text,
    log_format,
    merge_format,
    words_before,
    words_without,
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


class _Reading(msgspec.Struct, frozen=True):
    """One pass."""

    ports: Ports
    attributes: str
    """The path of a file of attributes."""
    into: LogRead
    silence_s: float
    left_out: tuple[str, ...] = ()
    """Paths that are not compared."""
    merges: dict[str, Commit] = {}
    """What is known of them, by ID."""


async def read_log(
    ports: Ports, revisions: Sequence[str], into: LogRead, silence_s: float, left_out: Sequence[str] = ()
) -> None:
    """Reads the commits of some revisions, without what they changed of some paths. When cancelled, git is killed, and
    what was read stays.

    Merges are asked about first, so that what was read by then is right at any time.
    """
    with _reading(ports, into, silence_s, left_out) as reading:
        await _ask_about_merges(reading, revisions)
        if not into.trouble:
            await _read(reading, WORDS, revisions, into)


async def read_new(ports: Ports, revisions: Sequence[str], into: LogRead, silence_s: float) -> None:
    """Reads the commits of some revisions where they are few: all at once, or none and why not.

    Merges are asked about only where there are some: a start of git costs more than a few commits.
    """
    with _reading(ports, into, silence_s) as reading:
        read = LogRead()
        await _read(reading, WORDS, revisions, read)
        into.trouble = read.trouble
        if any(one.is_merge for one in read.commits):
            await _ask_about_merges(reading, revisions)
        if not into.trouble:
            _take(read.commits, into, reading.merges)


@contextmanager
def _reading(ports: Ports, into: LogRead, silence_s: float, left_out: Sequence[str] = ()) -> Iterator[_Reading]:
    with NamedTemporaryFile("w", prefix="codemap-", suffix=".attributes") as file:
        file.write(attributes_text())
        file.flush()
        yield _Reading(ports, file.name, into, silence_s, tuple(left_out))


async def _ask_about_merges(reading: _Reading, revisions: Sequence[str]) -> None:
    """Asks which files of merges are not as in the first parent, and where there are any, what differs from all
    parents. That takes least where no renames are looked for, which files of few merges need."""
    await _add_merges(reading, MERGE_WORDS, revisions)
    merges = reading.merges
    if any(one.from_others for one in merges.values()):
        await _add_merges(reading, COMBINED_WORDS, revisions)
    renamed = [one.id for one in merges.values() if any(not s.path for entry in one.entries for s in entry.sides)]
    for begin in range(0, len(renamed), ASKED_MAX):
        await _add_merges(reading, RENAMED_WORDS, renamed[begin : begin + ASKED_MAX])


async def _add_merges(reading: _Reading, words: Sequence[str], revisions: Sequence[str]) -> None:
    """Adds what an answer says of merges to what is known of them."""
    read = LogRead()
    if not reading.into.trouble:
        await _read(reading, words, revisions, read)
        reading.into.trouble = read.trouble
    reading.merges.update((one.id, one) for one in read.commits)


async def _read(reading: _Reading, words: Sequence[str], revisions: Sequence[str], into: LogRead) -> None:
    silence_s, merges = reading.silence_s, reading.merges
    token = secrets.token_hex(16)
    reader = LogReader(token)
    turns = Turns()
    form = log_format(token) if words is WORDS else merge_format(token)
    paths = words_without(reading.left_out)
    asked = [*words_before(reading.attributes), "log", *words, *paths.options, f"--format={form}", *revisions, "--"]
    asked += paths.patterns
    async with reading.ports.stream_git(asked) as stream:
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
