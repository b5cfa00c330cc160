"""What would be indexed: the paths under a root that git would track, with their size and time of change.

With git, `git ls-files` says which; where git is missing, refuses or fails, a walk gives the same by the same rules. No
content is read, nothing is written, and nothing of the repository is run.

Rules of the file:
- A nested repository (a submodule or a clone) is listed by its own rules, under the path at which it stands. A second
  checkout of a repository that is listed already (a worktree) is not: every symbol would be there twice.
- Links are not followed: what they name inside the root stands there under its own name.
- A folder without any repository has no one to say what is derived, so `DERIVED_FOLDERS` are left out
  there, and only there.
- Paths are bytes in here, as the system gives them; they leave as text with surrogate escapes.
- A warning is a sentence for people: the listing went another way than it should, or saw less.

The file is long because the whole listing and the look at single paths must never differ.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from fnmatch import translate
from functools import cache, partial
from itertools import islice

import trio

from actors.git import Refusal, find_git, tracked
from actors.messages import FileStat
from actors.paths import check_root
from actors.ports import Glance, Listing
from actors.reading import stat_of
from actors.repository import Repository, Rulebook, ignore_file, repository_around, repository_at, rulebook_of
from actors.selection import DERIVED_FOLDERS, Selection, is_environment
from codemap.extract.skip import SkipReason
from codemap.ignore import Kind
from codemap.languages import language_of, languages
from codemap.settings import Settings

_BATCH = 4096
"""Paths looked at in one go in a thread: some 20 ms, so that a cancelled listing ends soon."""

_INLINE = 64
"""So many paths are looked at on the loop: some microseconds each."""

_ASKED_MAX = 256
"""Paths that git is asked about one by one; for more, a list of everything costs less."""

_NO_CONTENT = frozenset([b".git", b".gitignore"])

ALL_IGNORED = (
    "Nothing is indexed: what is under the root is ignored by a .gitignore, left out by the settings or as derived, or "
    "empty."
)

_GIT_FOLDER = frozenset([b".git"])


class TreeListing(Listing, frozen=True):
    """A listing, with what else was seen on the way."""

    configs: Mapping[str, FileStat] = {}
    """The configuration files that the languages ask for, by path."""
    others: Mapping[str, int] = {}
    """How many files no language knows, by the ending of their name (`.rst`, or empty)."""

    def counts(self) -> dict[SkipReason, int]:
        """How many files and folders were skipped, by reason."""
        return dict(Counter(self.skipped.values()))


async def list_tree(root: str, settings: Settings, scope: str = "") -> TreeListing:
    """The files to index under `root`, all or those at or under the path `scope`, relative to it, with `/`.

    Raises RefusedRoot for a root that is never indexed. When cancelled, git is killed, and the thread at work ends
    after its batch.
    """
    real = os.fsencode(await trio.to_thread.run_sync(check_root, root))
    tree = _Tree(real, settings)
    around = await trio.to_thread.run_sync(repository_around, real)
    if around is None:
        await _in_batches(tree.walk(b"", Rulebook(), DERIVED_FOLDERS))
    else:
        await _list_repository(tree, around)
    await trio.to_thread.run_sync(tree.warn_of_nothing)
    return tree.listing(scope)


async def list_paths(root: str, settings: Settings, paths: Collection[str], known: Collection[str]) -> Glance | None:
    """See `Ports.list_paths`. A path that is known costs a stat; git is asked about the others, and about folders."""
    real = os.fsencode(root)
    tree = _Tree(real, settings)
    if len(paths) <= _INLINE:
        await trio.lowlevel.checkpoint()
        asked = tree.glance(paths, known)
    else:
        asked = await trio.to_thread.run_sync(tree.glance, paths, known)
    if len(asked) > _ASKED_MAX:
        return None
    ignored: list[str] = []
    if asked:
        if await trio.to_thread.run_sync(_needs_all, tree, asked):
            return None
        git = await trio.to_thread.run_sync(find_git, os.environ.get("PATH", os.defpath))
        said = await tracked(git, real, asked)
        nested: list[bytes] = []
        if isinstance(said, Refusal):
            return None
        await _in_batches(tree.take(b"", said.names, nested))
        if nested or said.unlisted:
            return None
        names = set(said.names)
        ignored = [_text(path) for path in asked if path not in names and not path.endswith(b"/")]
    found = tree.listing("")
    return Glance(files=found.files, skipped=found.skipped, configs=found.configs, ignored=frozenset(ignored))


def _needs_all(tree: _Tree, asked: Iterable[bytes]) -> bool:
    """Whether git cannot be asked about these paths alone: they lie in no repository, or in a nested one."""
    around = repository_around(tree.root)
    if around is None or rulebook_of(tree.root, b"", around) is None:
        return True
    above: set[bytes] = set()
    for path in asked:
        folder = path.rstrip(b"/") if path.endswith(b"/") else path.rpartition(b"/")[0]
        while folder and folder not in above:
            above.add(folder)
            folder = folder.rpartition(b"/")[0]
    return any(os.path.lexists(tree.at(folder) + b"/.git") for folder in above)


async def _list_repository(tree: _Tree, around: Repository) -> None:
    """Lists the repository around the root, as far as it is under it, and those nested in it."""
    git = await trio.to_thread.run_sync(find_git, os.environ.get("PATH", os.defpath))
    pending = [b""]
    while pending:
        folder = pending.pop()
        said = await tracked(git, tree.at(folder))
        if isinstance(said, Refusal):
            tree.warn(said.sentence)
            start = None if folder else around
            rulebook = await trio.to_thread.run_sync(rulebook_of, tree.root, folder, start)
            tree.note(start)
            derived = DERIVED_FOLDERS if rulebook is None else _GIT_FOLDER
            await _in_batches(tree.walk(folder, rulebook or Rulebook(), derived))
            continue
        tree.skip_folders(folder, said.unlisted)
        if not folder:
            tree.note(around)
            if not said.names and await trio.to_thread.run_sync(rulebook_of, tree.root, b"", around) is None:
                # The root is ignored by the repository around it, and was named nevertheless.
                await _in_batches(tree.walk(b"", Rulebook(), DERIVED_FOLDERS))
                continue
        nested: list[bytes] = []
        await _in_batches(tree.take(folder, said.names, nested))
        pending += reversed(nested)


async def _in_batches(steps: Iterator[None]) -> None:
    """Runs an iterator to its end in a thread, some steps at a time."""
    while await trio.to_thread.run_sync(partial(_advance, steps)):
        pass


def _advance(steps: Iterator[None]) -> bool:
    return sum(1 for _ in islice(steps, _BATCH)) == _BATCH


class _Tree:
    """Collects one listing. Its generators touch the disk; they yield after each path."""

    def __init__(self, root: bytes, settings: Settings) -> None:
        self.root = root
        self.warnings: list[str] = []
        self._files: dict[str, FileStat] = {}
        self._configs: dict[str, FileStat] = {}
        self._skipped: dict[str, SkipReason] = {}
        self._others: Counter[str] = Counter()
        self._settings = settings
        self._include = Selection(settings.include)
        self._exclude = Selection(settings.exclude)
        self._is_config = _config_pattern().match
        self._seen_repositories: set[bytes] = set()
        self._real_folders: dict[bytes, bool] = {b"": True}

    def at(self, path: bytes) -> bytes:
        """Where a path is on disk."""
        return self.root + b"/" + path if path else self.root

    def warn(self, sentence: str) -> None:
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def warn_of_nothing(self) -> None:
        """Says so when there is something under the root, and nothing of it was seen."""
        if self._files or self._skipped or self._others:
            return
        with suppress(OSError), os.scandir(self.root) as scan:
            if any(entry.name not in _NO_CONTENT for entry in scan):
                self.warn(ALL_IGNORED)

    def note(self, repository: Repository | None) -> None:
        """Remembers a repository as listed, so that its other checkouts are not; one without files doubles none."""
        if repository is not None and repository.has_files:
            self._seen_repositories.add(repository.store)

    def take(self, folder: bytes, names: Iterable[bytes], nested: list[bytes]) -> Iterator[None]:
        """Looks at the names that git gave for a folder; nested repositories are added to `nested`."""
        before = folder + b"/" if folder else b""
        root = self.root + b"/"
        for name in names:
            yield
            path = before + name.removesuffix(b"/")
            if not self._is_real_folder(path.rpartition(b"/")[0]):
                continue
            try:
                status = os.lstat(root + path)
            except (FileNotFoundError, NotADirectoryError):
                continue  # deleted and still tracked, or gone this moment
            except OSError:
                self._skip(path, SkipReason.UNREADABLE)
                continue
            if not stat.S_ISDIR(status.st_mode):
                self._look(path, status)
            else:
                repository = repository_at(self.at(path))
                if repository is not None and self._is_new(path, repository):
                    nested.append(path)

    def glance(self, paths: Iterable[str], known: Collection[str]) -> list[bytes]:
        """Looks at known files; gives the other paths that are there and could be indexed, folders with a slash."""
        asked: list[bytes] = []
        for text in paths:
            path = os.fsencode(text)
            bare = path.rstrip(b"/")
            if b"\0" in path or any(part in (b"", b".", b"..") for part in bare.split(b"/")):
                continue  # no listing would name it so
            if not self._is_real_folder(bare.rpartition(b"/")[0]):
                continue
            try:
                status = os.lstat(self.at(bare))
            except OSError as error:
                if not isinstance(error, FileNotFoundError | NotADirectoryError):
                    self._skip(bare, SkipReason.UNREADABLE)
                continue
            if path != bare or stat.S_ISDIR(status.st_mode):
                if path != bare and stat.S_ISDIR(status.st_mode):
                    asked.append(path)
            elif text in known:
                self._look(path, status)
            elif stat.S_ISLNK(status.st_mode) or could_be_indexed(text):
                asked.append(path)
        return asked

    def walk(self, folder: bytes, rulebook: Rulebook, derived: frozenset[bytes]) -> Iterator[None]:
        """Walks a folder by the rules, and the repositories nested in it by theirs."""
        pending = [(folder, rulebook, derived)]
        while pending:
            yield
            folder, rulebook, derived = pending.pop()
            try:
                with os.scandir(self.at(folder)) as scan:
                    entries = sorted(scan, key=_entry_name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                self._skipped[_text(folder) + "/"] = SkipReason.UNREADABLE
                continue
            if derived is DERIVED_FOLDERS and folder and is_environment(entries):
                continue
            before = folder + b"/" if folder else b""
            if any(entry.name == b".gitignore" for entry in entries):
                rulebook = rulebook.within(before, ignore_file(self.at(before + b".gitignore")))
            folders: list[tuple[bytes, Rulebook, frozenset[bytes]]] = []
            for entry in entries:
                yield
                path = before + entry.name
                is_folder = _is_folder(entry)
                if entry.name == b".git" or (is_folder and entry.name in derived):
                    continue
                if rulebook.ignores(path, entry.name, Kind.FOLDER if is_folder else Kind.FILE):
                    continue
                if is_folder:
                    repository = repository_at(self.at(path))
                    if repository is None:
                        folders.append((path, rulebook, derived))
                    elif self._is_new(path, repository):
                        folders.append((path, rulebook_of(self.root, path, repository) or Rulebook(), _GIT_FOLDER))
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                except OSError:
                    self._skip(path, SkipReason.UNREADABLE)
                    continue
                self._look(path, status)
            pending += reversed(folders)

    def skip_folders(self, folder: bytes, unlisted: Iterable[bytes]) -> None:
        """Notes folders, told relative to `folder`, that could not be listed."""
        before = folder + b"/" if folder else b""
        for path in unlisted:
            self._skipped[_text(before + path) + "/"] = SkipReason.UNREADABLE

    def listing(self, scope: str) -> TreeListing:
        """What was collected, at or under the scope; configuration files are told whatever the scope."""
        files, skipped = self._files, self._skipped
        scope = scope.strip("/")
        if scope not in ("", "."):
            under = scope + "/"
            files = {path: at for path, at in files.items() if path == scope or path.startswith(under)}
            skipped = {path: why for path, why in skipped.items() if path == scope or path.startswith(under)}
        return TreeListing(
            files=files,
            skipped=skipped,
            warnings=tuple(self.warnings),
            configs=self._configs,
            others=dict(self._others),
        )

    def _look(self, path: bytes, status: os.stat_result) -> None:
        """Sorts one path that is no folder into where it belongs."""
        text = _text(path)
        language = language_of(text)
        name = text.rpartition("/")[2]
        is_config = self._is_config(name) is not None
        mode = status.st_mode
        if stat.S_ISLNK(mode):
            # A link to a folder has no language, and would hide what it leads to.
            self._skipped[text] = self._where_link_leads(path)
            return
        if not stat.S_ISREG(mode):
            if language is not None:
                self._skipped[text] = SkipReason.SPECIAL
            return
        at = stat_of(status)
        if is_config and at.size <= self._settings.file_max_bytes:
            self._configs[text] = at
        if language is None or (self._settings.languages and language.name not in self._settings.languages):
            stem, dot, ending = name.rpartition(".")
            self._others[dot + ending.lower() if stem else ""] += 1
        elif self._exclude.covers(path) or (self._settings.include and not self._include.covers(path)):
            self._skipped[text] = SkipReason.EXCLUDED
        elif at.size > self._settings.file_max_bytes:
            self._skipped[text] = SkipReason.OVERSIZED
        else:
            self._files[text] = at

    def _skip(self, path: bytes, reason: SkipReason) -> None:
        text = _text(path)
        if language_of(text) is not None:
            self._skipped[text] = reason

    def _where_link_leads(self, path: bytes) -> SkipReason:
        target = os.path.realpath(self.at(path))
        is_inside = (target + b"/").startswith(self.root + b"/") and os.path.exists(target)
        return SkipReason.SYMLINK if is_inside else SkipReason.OUTSIDE

    def _is_real_folder(self, folder: bytes) -> bool:
        """Whether the folder is one and no link: git's index may still name files beyond a link that took its place."""
        known = self._real_folders.get(folder)
        if known is None:
            known = self._is_real_folder(folder.rpartition(b"/")[0])
            if known:
                try:
                    known = stat.S_ISDIR(os.lstat(self.at(folder)).st_mode)
                except OSError:
                    known = False
            self._real_folders[folder] = known
        return known

    def _is_new(self, path: bytes, repository: Repository) -> bool:
        """Whether no checkout of the repository is listed yet; one is from now on."""
        if repository.store in self._seen_repositories:
            self._skipped[_text(path) + "/"] = SkipReason.WORKTREE
            return False
        self._seen_repositories.add(repository.store)
        return True


def could_be_indexed(path: str) -> bool:
    """Whether a file of this path is of a language, or a configuration file of one."""
    return language_of(path) is not None or _config_pattern().match(path.rpartition("/")[2]) is not None


@cache
def _config_pattern() -> re.Pattern[str]:
    """Matches the base names of the languages' configuration files."""
    globs = sorted({glob for language in languages() for glob in language.config_files})
    return re.compile("|".join(map(translate, globs)) or r"(?!)")


def _entry_name(entry: os.DirEntry[bytes]) -> bytes:
    return entry.name


def _is_folder(entry: os.DirEntry[bytes]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
