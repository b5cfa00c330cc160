"""The edits that are measured: pinned beside their corpus, a line more before a line that is there."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bench.corpora import Corpus


class Edit(msgspec.Struct, frozen=True):
    """One file, and what to write into it."""

    path: str
    original: bytes
    """What the file holds as released."""
    before: bytes
    """A whole line, with both of its ends."""
    text: bytes
    otherwise: bytes

    def content(self, number: int) -> bytes:
        """The file with the edit in it, in a form of that number; 0 is the file as released."""
        if not number:
            return self.original
        text = self.text if number % 2 or not self.otherwise else self.otherwise
        line = b"\n" + text.replace(b"{n}", b"%d" % number)
        return self.original.replace(self.before, line + self.before, 1)


def edit_named(corpus: Corpus, name: str, root: Path) -> Edit:
    """An edit of a corpus that lies at `root`. Raises KeyError where the pin does not fit what is there."""
    pinned = corpus.edits[name]
    before, text, otherwise = f"\n{pinned.before}\n".encode(), pinned.text.encode(), pinned.otherwise.encode()
    edit = Edit(pinned.path, (root / pinned.path).read_bytes(), before, text, otherwise)
    if edit.before not in edit.original:
        raise KeyError(f"{pinned.path} has no line {pinned.before!r}")
    return edit
