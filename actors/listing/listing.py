"""Lists the files to index: the paths under a root that git would track, with their stats.

A walk finds them by the rules of the ignore files; git is asked for what only it knows: which files it tracks though
ignore files name them, and where the user's own ignore file is. No content is read, nothing is written, and nothing of
the repository is run.

A warning is a sentence for people: the listing went another way than it should, or saw less.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import islice

import msgspec
import trio

from actors.files.paths import check_root
from actors.files.repository import Chapter, Repository, Rulebook, ignore_file, repository_around, rulebook_of
from actors.listing import git
from actors.listing.exclusions import DERIVED_FOLDERS
from actors.listing.git import Git, Refusal, find_git
from actors.listing.ignored import Ignored
from actors.listing.walk import GIT_FOLDER, TreeListing, Walk
from actors.ports import Glance
from codemap.settings import Settings

_BATCH = 4096
"""Paths per call in a thread: some 20 ms, so that a cancelled listing ends soon."""

_INLINE = 64
"""Up to so many paths are checked on the event loop: some microseconds each."""

_ASKED_MAX = 256
"""Most paths that are checked one by one; beyond that, listing everything costs less."""


async def list_tree(root: str, settings: Settings, scope: str = "") -> TreeListing:
    """Lists the files to index under `root`, all or those at or under the path `scope`, relative to it, with `/`.

    Raises RefusedRoot for a root that is never indexed. When cancelled, git is killed, and the thread at work ends
    after its batch.
    """
    real = os.fsencode(await trio.to_thread.run_sync(check_root, root))
    walk = Walk(real, settings)
    around = await trio.to_thread.run_sync(repository_around, real)
    program = await trio.to_thread.run_sync(find_git, os.environ, os.fsdecode(real))
    if around is None:
        await _in_batches(walk.list_folder(b"", Rulebook(), DERIVED_FOLDERS))
    else:
        await _list_repository(walk, program, b"", around)
    pending = walk.take_nested()[::-1]
    while pending:
        await _list_repository(walk, program, *pending.pop())
        pending += reversed(walk.take_nested())
    await trio.to_thread.run_sync(walk.warn_of_nothing, around)
    return walk.listing(scope)


async def list_paths(root: str, settings: Settings, paths: Collection[str], known: Collection[str]) -> Glance | None:
    """Lists only some paths, see `Ports.list_paths`. A known path costs a stat; git is asked about ignored paths and
    about folders."""
    real = os.fsencode(root)
    walk = Walk(real, settings)
    if len(paths) <= _INLINE:
        await trio.lowlevel.checkpoint()
        asked = walk.glance(paths, known)
    else:
        asked = await trio.to_thread.run_sync(walk.glance, paths, known)
    if len(asked) > _ASKED_MAX:
        return None
    ignored: frozenset[str] = frozenset()
    if asked:
        around = await trio.to_thread.run_sync(_repository_of_all, walk, asked)
        if around is None:
            return None
        names = await _list_asked(walk, around, asked)
        if names is None:
            return None
        ignored = frozenset(map(os.fsdecode, names))
    found = walk.listing("")
    return Glance(files=found.files, skipped=found.skipped, configs=found.configs, ignored=ignored)


async def ask_for_tracked(
    program: Git | None, repository: Repository, folder: bytes, only: Collection[bytes] = ()
) -> list[bytes] | Refusal:
    """Runs `tracked` within git's deadline."""
    with trio.move_on_after(git.PATIENCE_S):
        return await git.tracked(program, repository, folder, list(only))
    return git.late(folder)


async def ask_for_excludes(program: Git | None, repository: Repository) -> Chapter | None:
    """Asks for the user's own ignore file; none where git does not name one within its deadline."""
    with trio.move_on_after(git.PATIENCE_S):
        file = await git.excludes_file(program, repository, os.environ)
        rules = await trio.to_thread.run_sync(ignore_file, file)
        return None if rules is None else Chapter(file, b"", 0, rules)
    return None


class Said(msgspec.Struct, frozen=True):
    """git's answers about a folder of a repository."""

    tracked: Collection[bytes] = ()
    """Tracked files, relative to the folder."""
    excludes: Chapter | None = None
    """The user's own ignore file."""
    warning: str = ""


async def ask_git(program: Git | None, repository: Repository, folder: bytes) -> Said:
    """Asks git both questions at the same time."""
    tracked: list[bytes] | Refusal = []
    excludes: Chapter | None = None

    async def take_tracked() -> None:
        nonlocal tracked
        tracked = await ask_for_tracked(program, repository, folder)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(take_tracked)
        excludes = await ask_for_excludes(program, repository)
    return Said((), excludes, tracked.sentence) if isinstance(tracked, Refusal) else Said(tracked, excludes)


async def _list_repository(walk: Walk, program: Git | None, folder: bytes, repository: Repository) -> None:
    """Lists one repository: the part of the one around the root that is under it, or one inside."""
    said = await ask_git(program, repository, walk.at(folder))
    if said.warning:
        walk.warn(said.warning)
    walk.excludes = said.excludes
    around = None if folder else repository
    rulebook = await trio.to_thread.run_sync(rulebook_of, walk.root, folder, around, said.excludes)
    walk.note(repository)
    if rulebook is None and not said.tracked:
        # The root is ignored by the repository around it, and was named nevertheless.
        await _in_batches(walk.list_folder(b"", Rulebook(), DERIVED_FOLDERS))
    else:
        await _in_batches(walk.list_folder(folder, rulebook, GIT_FOLDER, said.tracked))


async def _list_asked(walk: Walk, around: Repository, asked: Collection[bytes]) -> list[bytes] | None:
    """Checks paths of the repository around the root, folders with a slash; returns the ignored files. None where a
    folder contains a repository."""
    program = await trio.to_thread.run_sync(find_git, os.environ, os.fsdecode(walk.root))
    excludes = await ask_for_excludes(program, around)
    files = [path for path in asked if not path.endswith(b"/")]
    folders = [path.rstrip(b"/") for path in asked if path.endswith(b"/")]
    named = await trio.to_thread.run_sync(_ignored, walk.root, around, excludes, files)
    tracked: set[bytes] = set()
    if named or folders:
        said = await ask_for_tracked(program, around, walk.root, [*named, *folders])
        tracked = set() if isinstance(said, Refusal) else set(said)
    left_out = [path for path in named if path not in tracked]
    await _in_batches(walk.look_at(set(files).difference(left_out)))
    for folder in folders:
        rulebook = await trio.to_thread.run_sync(rulebook_of, walk.root, folder, around, excludes)
        before = folder + b"/"
        below = [path.removeprefix(before) for path in tracked if path.startswith(before)]
        await _in_batches(walk.list_folder(folder, rulebook, GIT_FOLDER, below))
    return None if walk.take_nested() else left_out


def _ignored(root: bytes, around: Repository, excludes: Chapter | None, paths: Iterable[bytes]) -> list[bytes]:
    ignored = Ignored(root, around, excludes)
    return [path for path in paths if ignored.is_ignored(path)]


def _repository_of_all(walk: Walk, asked: Iterable[bytes]) -> Repository | None:
    """Finds the repository that all these paths lie in; None where one lies in none, or in a nested one."""
    around = repository_around(walk.root)
    if around is None or rulebook_of(walk.root, b"", around, None) is None:
        return None
    above: set[bytes] = set()
    for path in asked:
        folder = path.rstrip(b"/") if path.endswith(b"/") else path.rpartition(b"/")[0]
        while folder and folder not in above:
            above.add(folder)
            folder = folder.rpartition(b"/")[0]
    return None if any(os.path.lexists(walk.at(folder) + b"/.git") for folder in above) else around


async def _in_batches(steps: Iterator[None]) -> None:
    """Runs an iterator to its end in a thread, in batches."""
    while await trio.to_thread.run_sync(partial(_advance, steps)):
        pass


def _advance(steps: Iterator[None]) -> bool:
    return sum(1 for _ in islice(steps, _BATCH)) == _BATCH
