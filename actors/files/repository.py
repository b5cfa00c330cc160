"""Reads a repository's layout from its files, without git: its top, its checkout, and its ignore rules.

Source: gitrepository-layout(5), gitignore(5).
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

import msgspec

from codemap.ignore import Kind, Rule, Rules, Verdict, rules_in

_SMALL_FILE_MAX_BYTES = 1024 * 1024


IGNORE_FILE = b".gitignore"


class Chapter(msgspec.Struct, frozen=True):
    """The rules of one ignore file, for paths under a root."""

    file: bytes
    """Relative to the root where it lies under it, else absolute."""
    above: bytes
    """Prefix that the rules expect before paths: the root's path in its repository."""
    start: int
    """Bytes at the beginning of a path that the rules do not see: the ignore file's folder under the root."""
    rules: Rules

    def deciding(self, path: bytes, name: bytes, kind: Kind) -> Rule | None:
        return self.rules.deciding(self.above + path[self.start :], name, kind)


class Rulebook(msgspec.Struct, frozen=True):
    """The ignore files that apply in a folder, the strongest first."""

    chapters: tuple[Chapter, ...] = ()

    def within(self, before: bytes, rules: Rules | None) -> Rulebook:
        """Adds the rules of a deeper folder; `before` is its path with a slash, or empty."""
        if rules is None:
            return self
        return Rulebook((Chapter(before + IGNORE_FILE, b"", len(before), rules), *self.chapters))

    def ignores(self, path: bytes, name: bytes, kind: Kind) -> bool:
        found = self.deciding(path, name, kind)
        return found is not None and found[1].verdict is Verdict.IGNORED

    def deciding(self, path: bytes, name: bytes, kind: Kind) -> tuple[Chapter, Rule] | None:
        """Finds the rule that decides about a path, and its ignore file."""
        for chapter in self.chapters:
            rule = chapter.deciding(path, name, kind)
            if rule is not None:
                return chapter, rule
        return None


class Repository(msgspec.Struct, frozen=True):
    top: bytes
    """The folder with `.git`."""
    store: bytes
    """The real path of the folder that all its checkouts share."""
    has_files: bool
    """Whether something is checked out here."""
    own: bytes
    """The folder of this checkout alone, with its index."""
    is_real: bool = True
    """False: it stands for a folder without one."""


def repository_at(folder: bytes) -> Repository | None:
    """Finds the repository whose top is this folder. A `.git` file names a folder elsewhere (worktrees and
    submodules)."""
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


def head_stamp(repository: Repository) -> object:
    """Stamps the commit that is checked out: stamps differ wherever it may be another."""
    head = b""
    with suppress(OSError):
        head = _start_of(os.path.join(repository.own, b"HEAD"))
    named = head.removeprefix(b"ref:").strip() if head.startswith(b"ref:") else b""
    paths = [os.path.join(repository.own, b"HEAD")]
    paths += [os.path.join(repository.store, name) for name in (b"packed-refs", b"reftable/tables.list", b"shallow")]
    if named and b"\0" not in named:
        paths += [os.path.join(repository.store, named), os.path.join(repository.own, named)]
    return (head, *map(_stamp, paths))


def _stamp(path: bytes) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def rulebook_of(root: bytes, folder: bytes, around: Repository | None, excludes: Chapter | None) -> Rulebook | None:
    """Collects the rules that apply in a folder, at `folder` under the root, before its own ignore file is read.

    `around` is the repository around the root, where that is the folder meant; `excludes` holds in all repositories.
    None when the rules ignore the folder.
    """
    at = root + b"/" + folder if folder else root
    repository = around or repository_at(at)
    if repository is None:
        return Rulebook()
    start = len(folder) + 1 if folder else 0
    parts = [] if repository.top == at else os.path.relpath(at, repository.top).split(b"/")
    above = b"".join(part + b"/" for part in parts)
    chapters: list[Chapter] = []
    exclude = os.path.join(repository.store, b"info", b"exclude")
    own = ignore_file(exclude)
    if own is not None:
        chapters.append(Chapter(exclude, above, start, own))
    if excludes is not None:
        chapters.append(Chapter(excludes.file, above, start, excludes.rules))
    for depth, name in enumerate(parts):
        file = os.path.join(repository.top, *parts[:depth], IGNORE_FILE)
        rules = ignore_file(file)
        if not repository.is_real:
            rules = obeyed_outside(repository.top, rules)[0] if depth == 0 else rules
        if rules is not None:
            chapters.insert(0, Chapter(file, b"".join(part + b"/" for part in parts[depth:]), start, rules))
        below = len(b"/".join(parts[depth + 1 :])) + 1  # what stands after this part, and the slash before it
        for chapter in chapters:
            rule = chapter.rules.deciding(chapter.above[: len(chapter.above) - below], name, Kind.FOLDER)
            if rule is not None:
                if rule.verdict is Verdict.IGNORED:
                    return None
                break
    return Rulebook(tuple(chapters))


def obeyed_outside(root: bytes, rules: Rules | None) -> tuple[Rules | None, list[Rule]]:
    """Splits the rules of a root's own ignore file where they hide everything: those to obey, and those to ignore.

    Where there is no repository, nothing vouches for such a rule: sources that were unpacked from an archive bring the
    ignore file of whoever packed them, which may end in `/*`.
    """
    dropped: list[Rule] = []
    while rules is not None and hiding_rule(root, Rulebook().within(b"", rules)) is not None:
        rule = rules.deciding(_ANY, _ANY, Kind.FOLDER)
        if rule is None or rule.verdict is Verdict.KEPT:
            break
        dropped.append(rule)
        rules = rules.without(rule)
    return rules, dropped


def hiding_rule(root: bytes, rulebook: Rulebook) -> tuple[Chapter, Rule] | None:
    """Finds the rule that hides most of the root's content, and its file; None where something is not hidden, or
    the root is empty."""
    hidden: dict[tuple[bytes, int], list[tuple[Chapter, Rule]]] = {}
    try:
        with os.scandir(root) as scan:
            for entry in scan:
                if entry.name not in NO_CONTENT:
                    kind = Kind.FOLDER if entry.is_dir(follow_symlinks=False) else Kind.FILE
                    found = rulebook.deciding(entry.name, entry.name, kind)
                    if found is None or found[1].verdict is Verdict.KEPT:
                        return None
                    hidden.setdefault((found[0].file, found[1].line), []).append(found)
    except OSError:
        return None
    return max(hidden.values(), key=len)[0] if hidden else None


NO_CONTENT = frozenset((b".git", IGNORE_FILE))
_ANY = b"\1"
"""A name that no rule matches."""


def ignore_file(path: bytes) -> Rules | None:
    """Reads the rules of an ignore file; none where it is missing, no regular file or unreadable, as in git."""
    try:
        return rules_in(_start_of(path))
    except OSError:
        return None


def _start_of(path: bytes) -> bytes:
    """Reads the first bytes of a small regular file. Links are not followed. Raises OSError."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        return os.read(descriptor, _SMALL_FILE_MAX_BYTES)
    finally:
        os.close(descriptor)
