"""Commits of a clone, each with the map of its parent.

Rules of the file:
- A content is read and parsed once, however many commits have it: it is known by its blob.
- The map of one commit is made from that of the commit before, as a running codemap makes it after an edit.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from codemap.extract.skipped_files import skip_reason
from codemap.file_roles import Role, role_of
from codemap.graph.build.build import build, extracted, ranked
from codemap.graph.model.indexed_file import Extracted, IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.model.steps import finish
from codemap.graph.query.index_warming import warm
from codemap.languages import is_config_file, language_of

FILES_MAX = 5
"""Changed files of a commit that is about one thing."""
MAX_BYTES = 1 << 20
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", re.MULTILINE)


class Commit(msgspec.Struct, frozen=True):
    message: str
    snapshot: Snapshot
    """Of its parent."""
    sources: Mapping[str, bytes]
    facts: Mapping[str, Extracted]
    files: frozenset[str]
    """Those of the product that it changes."""
    definitions: frozenset[str]
    """The innermost ones that its hunks lie in, at its parent, as `path#qualified name`."""


class Clone:
    """A clone with history."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._contents: dict[str, bytes] = {}
        """By blob."""
        self._facts: dict[tuple[str, str], Extracted | None] = {}
        """By path and blob; None for what is not indexed."""
        self._tree: dict[str, str] = {}
        self._snapshot: Snapshot | None = None
        """Of the files of `_tree`."""

    @property
    def title(self) -> str:
        """Where it comes from, and its head."""
        has_remote = bool(self._git("remote").strip())
        url = self._git("remote", "get-url", "origin").strip() if has_remote else self._place.parent.name
        return f"{url.removesuffix('.git')} {self._git('rev-parse', '--short', 'HEAD').strip()}"

    def commits(self, most: int) -> Iterator[Commit]:
        """The latest commits that change a few indexed files of the product and nothing else of it."""
        found = 0
        for commit in self._git("log", "--min-parents=1", "--max-parents=1", "--format=%H", f"-{most * 12}").split():
            if found == most:
                return
            names = self._git("diff", "--name-only", "--diff-filter=M", f"{commit}^", commit).splitlines()
            files = [name for name in names if language_of(name) is not None and role_of(name) is Role.PRODUCT]
            message = self._git("log", "-1", "--format=%B", commit).strip()
            if not 1 <= len(files) <= FILES_MAX or len(message.split()) <= 2:
                continue
            snapshot = self._map(f"{commit}^")
            changed = [name for name in files if name in snapshot.by_path]
            definitions = {one for name in changed for one in self._changed(commit, snapshot.by_path[name])}
            if definitions:
                found += 1
                yield self._commit(message, snapshot, frozenset(changed), frozenset(definitions))

    def _commit(self, message: str, snapshot: Snapshot, changed: frozenset[str], definitions: frozenset[str]) -> Commit:
        sources = {path: self._contents[self._tree[path]] for path in snapshot.by_path}
        facts = {path: one for path in sources if (one := self._facts[path, self._tree[path]]) is not None}
        return Commit(message, snapshot, sources, facts, changed, definitions)

    def _map(self, revision: str) -> Snapshot:
        """The map of a revision."""
        tree = self._list(revision)
        self._read({blob for blob in tree.values() if blob not in self._contents})
        before = self._tree if self._snapshot is not None else {}
        changed: dict[str, Extracted] = {}
        removed = before.keys() - tree.keys()
        for path, blob in tree.items():
            if before.get(path) == blob or language_of(path) is None:
                continue
            found = self._extracted(path, blob)
            if found is None:
                removed.add(path)
            else:
                changed[path] = found
        configs = {path: self._contents[blob] for path, blob in tree.items() if language_of(path) is None}
        steps = build(self._snapshot, changed, removed, configs, built_at="2000-01-01T00:00:00Z")
        self._tree, self._snapshot = tree, finish(ranked(finish(steps)))
        for _ in warm(self._snapshot, for_words=True):
            pass
        return self._snapshot

    def _list(self, revision: str) -> dict[str, str]:
        """Path -> blob, of what a map is made from."""
        entries = (entry.partition("\t") for entry in self._git("ls-tree", "-r", "-z", revision).split("\0") if entry)
        blobs = {path: head.split(" ") for head, _, path in entries}
        return {
            path: blob
            for path, (mode, kind, blob) in blobs.items()
            if kind == "blob" and mode != "120000" and (language_of(path) is not None or is_config_file(path))
        }

    def _read(self, blobs: set[str]) -> None:
        asked = "".join(f"{blob}\n" for blob in sorted(blobs)).encode()
        command = ("git", "-C", str(self._place), "cat-file", "--batch")
        text = subprocess.run(command, input=asked, capture_output=True, check=True).stdout
        at = 0
        for blob in sorted(blobs):
            end = text.index(b"\n", at)
            head = text[at:end].split(b" ")
            size = int(head[2]) if len(head) > 2 else 0
            self._contents[blob] = text[end + 1 : end + 1 + size]
            at = end + 1 + (size + 1 if len(head) > 2 else 0)

    def _extracted(self, path: str, blob: str) -> Extracted | None:
        if (path, blob) not in self._facts:
            content = self._contents[blob]
            is_skipped = skip_reason(path, content, len(content), max_bytes=MAX_BYTES) is not None
            self._facts[path, blob] = None if is_skipped else extracted(path, content)
        return self._facts[path, blob]

    def _changed(self, commit: str, file: IndexedFile) -> Iterator[str]:
        patch = self._git("diff", "-U0", f"{commit}^", commit, "--", file.path)
        for start, count in _HUNK.findall(patch):
            first, length = int(start), int(count or 1)
            for line in range(first, first + max(1, length)):
                if row := file.innermost_row(line):
                    yield f"{file.path}#{file.qualified_name(row)}"

    def _git(self, *words: str) -> str:
        done = subprocess.run(("git", "-C", str(self._place), *words), capture_output=True, check=True)
        return done.stdout.decode("utf-8", "replace")
