"""Walks a root by its ignore files: collects the files to index, and what was left out and why.

Rules of the file:
- A nested repository (a submodule or a clone) is listed by its own rules, under the path at which it is. A second
  checkout of a repository that is listed already (a worktree) is not: every symbol would be there twice.
- Links are not followed: what they name inside the root is there under its own name.
- A folder without any repository has no one to say what is derived, so `DERIVED_FOLDERS` are left out
  there, and only there.
- Paths are bytes in here, as the system gives them; they leave as text with surrogate escapes.
- Nothing but folders and ignore files is opened, and of those only what is one: a pipe, a device or a folder in the
  place of an ignore file has no rules.

The file is long because the whole listing and the look at single paths must never differ.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from actors.files.paths import is_canonical
from actors.files.reading import stat_of
from actors.files.repository import (
    IGNORE_FILE,
    NO_CONTENT,
    Chapter,
    Repository,
    Rulebook,
    hiding_rule,
    ignore_file,
    obeyed_outside,
    repository_at,
    rulebook_of,
)
from actors.listing.exclusions import DERIVED_FOLDERS, Selection, is_environment
from actors.listing.inherited import find_inherited
from actors.messaging.messages import FileStat
from actors.ports import Listing
from codemap.extract.skipped_files import SkipReason
from codemap.ignore import Kind, Rule, Rules
from codemap.languages import is_config_file, language_of
from codemap.mentions.other_texts import ending_of
from codemap.settings import Settings

GIT_FOLDER = frozenset([b".git"])

_IGNORE_NAME = IGNORE_FILE.decode()

NOTHING = "Nothing is indexed: what is under the root is left out by the settings or as derived, or empty."


class TreeListing(Listing, frozen=True):
    """A listing that counts what was skipped."""

    def counts(self) -> dict[SkipReason, int]:
        """Counts skipped files and folders by reason."""
        return dict(Counter(self.skipped.values()))


class Walk:
    """Collects one listing. Its generators read the disk; they yield after each path."""

    def __init__(self, root: bytes, settings: Settings) -> None:
        self.root = root
        self.warnings: list[str] = []
        self.excludes: Chapter | None = None
        """The user's own ignore file, which holds in every repository."""
        self._tracked: set[bytes] = set()
        """Paths that git tracks, whatever ignore files say, and that were not looked at yet."""
        self._nested: dict[bytes, Repository] = {}
        self._files: dict[str, FileStat] = {}
        self._configs: dict[str, FileStat] = {}
        self._skipped: dict[str, SkipReason] = {}
        self._others: Counter[str] = Counter()
        self._unknown: dict[str, FileStat] = {}
        self._settings = settings
        self._include = Selection(settings.include)
        self._exclude = Selection(settings.exclude)
        self._seen_repositories: set[bytes] = set()
        self._real_folders: dict[bytes, bool] = {b"": True}

    def at(self, path: bytes) -> bytes:
        """Absolute path on disk."""
        return self.root + b"/" + path if path else self.root

    def warn(self, sentence: str) -> None:
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def warn_of_nothing(self, around: Repository | None) -> None:
        """Warns if the root has files and none was listed; names the rule that hides them."""
        if self._files or self._skipped or self._others:
            return
        with suppress(OSError), os.scandir(self.root) as scan:
            if all(entry.name in NO_CONTENT for entry in scan):
                return
        rulebook = rulebook_of(self.root, b"", around, self.excludes)
        own = ignore_file(self.at(IGNORE_FILE))
        hiding = None if rulebook is None else hiding_rule(self.root, rulebook.within(b"", own))
        if hiding is None:
            self.warn(NOTHING)
        else:
            self.warn(f"Nothing is indexed: {_where(hiding[0].file, hiding[1])} hides what is under the root.")

    def note(self, repository: Repository | None) -> None:
        """Remembers a repository as listed, so that its other checkouts are not listed, unless it has no files."""
        if repository is not None and repository.has_files:
            self._seen_repositories.add(repository.store)

    def take_nested(self) -> list[tuple[bytes, Repository]]:
        """Takes the repositories that were found since the last call and not walked yet, in order."""
        nested, self._nested = self._nested, {}
        return list(nested.items())

    def list_folder(
        self, folder: bytes, rulebook: Rulebook | None, derived: frozenset[bytes], tracked: Iterable[bytes] = ()
    ) -> Iterator[None]:
        """Lists what is not ignored in a folder, and tracked files that are ignored (relative to it).

        The rules are None where the folder itself is ignored.
        """
        before = folder + b"/" if folder else b""
        self._tracked = {before + name for name in tracked}
        if rulebook is not None:
            yield from self._walk(folder, rulebook, derived)
        yield from self._take()

    def look_at(self, paths: Iterable[bytes]) -> Iterator[None]:
        """Lists some files, regardless of rules."""
        self._tracked = set(paths)
        yield from self._take()

    def _take(self) -> Iterator[None]:
        """Lists the tracked paths that are left."""
        for path in sorted(self._tracked):
            yield
            if not self._is_real_folder(path.rpartition(b"/")[0]):
                continue
            try:
                status = os.lstat(self.at(path))
            except (FileNotFoundError, NotADirectoryError):
                continue  # deleted and still tracked, or gone this moment
            except OSError:
                self._skip(path, SkipReason.UNREADABLE)
                continue
            if not stat.S_ISDIR(status.st_mode):
                self._look(path, status)
            elif not self._meet(path):
                self._leave_out(path + b"/")  # a submodule that is not checked out: git looks at nothing in its place
        self._tracked = set()

    def glance(self, paths: Iterable[str], known: Collection[str]) -> list[bytes]:
        """Lists known files; yields other existing paths that could be indexed, folders with a slash."""
        asked: list[bytes] = []
        for text in paths:
            path = os.fsencode(text)
            bare = path.rstrip(b"/")
            if not is_canonical(_text(bare)):
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

    def _walk(self, folder: bytes, rulebook: Rulebook, derived: frozenset[bytes]) -> Iterator[None]:
        """Walks a folder by the rules."""
        pending = [(folder, rulebook)]
        while pending:
            yield
            folder, rulebook = pending.pop()
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
            if any(entry.name == IGNORE_FILE for entry in entries):
                rulebook = rulebook.within(before, self._own_rules(before, derived))
            folders: list[tuple[bytes, Rulebook]] = []
            for entry in entries:
                yield
                path = before + entry.name
                is_folder = is_folder_entry(entry)
                if entry.name == b".git" or (is_folder and entry.name in derived):
                    continue
                is_tracked = path in self._tracked and not is_folder
                if not is_tracked and rulebook.ignores(path, entry.name, Kind.FOLDER if is_folder else Kind.FILE):
                    continue
                if is_folder:
                    if not self._meet(path):
                        folders.append((path, rulebook))
                    continue
                self._tracked.discard(path)
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                except OSError:
                    self._skip(path, SkipReason.UNREADABLE)
                    continue
                self._look(path, status)
            pending += reversed(folders)

    def listing(self, scope: str) -> TreeListing:
        """The files collected at or under the scope; configuration files are listed whatever the scope."""
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
            unknown=self._unknown,
        )

    def _look(self, path: bytes, status: os.stat_result) -> None:
        """Adds one path that is no folder to the right list."""
        text = _text(path)
        language = language_of(text)
        name = text.rpartition("/")[2]
        if name == _IGNORE_NAME:
            return
        mode = status.st_mode
        if stat.S_ISLNK(mode):
            # A link to a folder has no language, and would hide what it leads to.
            self._skipped[text] = self._where_link_leads(path)
            return
        if not stat.S_ISREG(mode):
            if language is not None or is_config_file(name):
                self._skipped[text] = SkipReason.SPECIAL
            return
        at = stat_of(status)
        if is_config_file(name):
            if at.size <= self._settings.file_max_bytes:
                self._configs[text] = at
            else:
                self._skipped[text] = SkipReason.OVERSIZED
        if language is None or (self._settings.languages and language.name not in self._settings.languages):
            self._others[ending_of(name)] += 1
            self._unknown[text] = at
        elif self._exclude.covers(path) or (self._settings.include and not self._include.covers(path)):
            self._skipped[text] = SkipReason.EXCLUDED
        elif at.size > self._settings.file_max_bytes:
            self._skipped[text] = SkipReason.OVERSIZED
        else:
            self._files[text] = at

    def _own_rules(self, before: bytes, derived: frozenset[bytes]) -> Rules | None:
        """Reads the rules of the ignore file of a folder, given as a path with a slash."""
        file = before + IGNORE_FILE
        rules = ignore_file(self.at(file))
        if not before and derived is DERIVED_FOLDERS:
            rules, dropped = obeyed_outside(self.root, rules)
            for rule in dropped:
                self.warn(
                    f"{_where(file, rule)} is not obeyed: it would hide all there is, and there is no repository here."
                )
        if rules is not None and rules.left_out:
            left_out = f"{rules.left_out} patterns of {_text(file)} are left out"
            self.warn(f"{left_out}: there are too many with wildcards, or they are too long.")
        return rules

    def _meet(self, path: bytes) -> bool:
        """Whether a folder is the top of a repository; it is queued, unless a checkout of it was listed."""
        repository = repository_at(self.at(path))
        if repository is not None and path not in self._nested:
            if repository.store in self._seen_repositories:
                self._skipped[_text(path) + "/"] = SkipReason.WORKTREE
            else:
                self._seen_repositories.add(repository.store)
                self._nested[path] = repository
        return repository is not None

    def _leave_out(self, below: bytes) -> None:
        """Removes what was found below a folder, given as a path with a slash."""
        start = _text(below)
        for found in (self._files, self._configs, self._skipped, self._unknown):
            for path in [path for path in found if path.startswith(start)]:
                del found[path]

    def _skip(self, path: bytes, reason: SkipReason) -> None:
        text = _text(path)
        if language_of(text) is not None:
            self._skipped[text] = reason

    def _where_link_leads(self, path: bytes) -> SkipReason:
        target = os.path.realpath(self.at(path))
        is_inside = (target + b"/").startswith(self.root + b"/") and os.path.exists(target)
        return SkipReason.SYMLINK if is_inside else SkipReason.OUTSIDE

    def _is_real_folder(self, folder: bytes) -> bool:
        """Whether the path is a folder and no link: git's index may still name files beyond a link that replaced a
        folder."""
        return find_inherited(self._real_folders, folder, self._is_real_inside)

    def _is_real_inside(self, folder: bytes, is_around_real: bool) -> bool:
        try:
            return is_around_real and stat.S_ISDIR(os.lstat(self.at(folder)).st_mode)
        except OSError:
            return False


def could_be_indexed(path: str) -> bool:
    """Whether a path names a file of a language, or a configuration file of one."""
    return language_of(path) is not None or is_config_file(path)


def _where(file: bytes, rule: Rule) -> str:
    """Describes a rule and its place; the text of files outside the root is not shown."""
    line = f"line {rule.line} of {_text(file)}"
    return line if os.path.isabs(file) else f"the rule {_text(rule.text)} ({line})"


def _entry_name(entry: os.DirEntry[bytes]) -> bytes:
    return entry.name


def is_folder_entry(entry: os.DirEntry[bytes]) -> bool:
    """Whether an entry is a folder, and no link to one; False where it is gone."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
