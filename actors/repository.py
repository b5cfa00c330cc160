"""A repository as its files show it, without git: where it is, which checkout, and its ignore rules.

Source: gitrepository-layout(5), gitignore(5).
"""

from __future__ import annotations

import os
import stat

import msgspec

from codemap.ignore import Kind, Rules, Verdict, rules_in

_SMALL_FILE_MAX_BYTES = 1024 * 1024


class Rulebook(msgspec.Struct, frozen=True):
    """The ignore files that bear on a folder, the strongest first."""

    chapters: tuple[tuple[bytes, int, Rules], ...] = ()
    """What paths have before them for the rules to see (the root's place in its repository), how many bytes of the path
    to leave out, and the rules."""

    def within(self, before: bytes, rules: Rules | None) -> Rulebook:
        """The rulebook with the rules of a deeper folder; `before` is its path with a slash, or empty."""
        return self if rules is None else Rulebook(((b"", len(before), rules), *self.chapters))

    def ignores(self, path: bytes, name: bytes, kind: Kind) -> bool:
        for above, start, rules in self.chapters:
            verdict = rules.verdict(above + path[start:], name, kind)
            if verdict is not None:
                return verdict is Verdict.IGNORED
        return False


class Repository(msgspec.Struct, frozen=True):
    top: bytes
    """The folder with `.git`."""
    store: bytes
    """The real path of the folder that all its checkouts share."""
    has_files: bool
    """Whether something is checked out here."""
    own: bytes
    """The folder of this checkout alone, with its index."""


def repository_at(folder: bytes) -> Repository | None:
    """The repository whose top is this folder. A `.git` file names a folder elsewhere (worktrees and submodules)."""
    git = os.path.join(folder, b".git")
    try:
        if stat.S_ISDIR(os.stat(git).st_mode):
            found = git
        else:
            word, _, rest = _start_of(git).partition(b": ")
            if word != b"gitdir":
                return None
            found = os.path.join(folder, rest.rstrip(b"\r\n"))
        if not os.path.lexists(os.path.join(found, b"HEAD")):
            return None
        try:
            store = os.path.join(found, _start_of(os.path.join(found, b"commondir")).rstrip(b"\r\n"))
        except FileNotFoundError:
            store = found
        return Repository(folder, os.path.realpath(store), os.path.lexists(os.path.join(found, b"index")), found)
    except (OSError, ValueError):
        return None


def repository_around(folder: bytes) -> Repository | None:
    while True:
        repository = repository_at(folder)
        parent = os.path.dirname(folder)
        if repository is not None or parent == folder:
            return repository
        folder = parent


def rulebook_of(root: bytes, folder: bytes, around: Repository | None) -> Rulebook | None:
    """The rules that hold in a folder, at `folder` under the root, before its own ignore file is read.

    `around` is the repository around the root, where that is the folder meant. None when the rules ignore the folder.
    """
    at = root + b"/" + folder if folder else root
    repository = around or repository_at(at)
    if repository is None:
        return Rulebook()
    chapters: list[tuple[bytes, int, Rules]] = []
    start = len(folder) + 1 if folder else 0
    parts = [] if repository.top == at else os.path.relpath(at, repository.top).split(b"/")
    exclude = ignore_file(os.path.join(repository.store, b"info", b"exclude"))
    if exclude is not None:
        chapters.append((b"".join(part + b"/" for part in parts), start, exclude))
    for depth, name in enumerate(parts):
        rules = ignore_file(os.path.join(repository.top, *parts[:depth], b".gitignore"))
        if rules is not None:
            chapters.insert(0, (b"".join(part + b"/" for part in parts[depth:]), start, rules))
        below = len(b"/".join(parts[depth + 1 :])) + 1  # what stands after this part, and the slash before it
        for above, _, rules_above in chapters:
            verdict = rules_above.verdict(above[: len(above) - below], name, Kind.FOLDER)
            if verdict is Verdict.IGNORED:
                return None
            if verdict is Verdict.KEPT:
                break
    return Rulebook(tuple(chapters))


def ignore_file(path: bytes) -> Rules | None:
    """The rules of an ignore file; none where it is missing, no regular file or unreadable: git says the same."""
    try:
        return rules_in(_start_of(path))
    except OSError:
        return None


def _start_of(path: bytes) -> bytes:
    """The first bytes of a small regular file; a link is not followed. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        return file.read(_SMALL_FILE_MAX_BYTES)
