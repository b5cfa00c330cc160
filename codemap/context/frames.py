"""Stack frames and places in pasted text: traces, failing tests and compilers' messages of all languages.

A place is a file and a line. Its path may be that of another machine, of a container or of a compiled tree: the file of
the repository is meant whose path has the longest end in common with it.

Sources: the traces of CPython, V8, Go, Rust, the JVM, .NET, PHP and Ruby, gdb and sanitizers, pytest's short form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from codemap.languages import language_of

FRAMES_MAX = 60
"""Places that are read of one text: more than any trace has in one repository."""

_PYTHON = re.compile(r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)')
_DOTNET = re.compile(r" in (?P<path>[^\n:]*(?::\\[^\n:]*)?):line (?P<line>\d+)")
_BRACKETED = re.compile(r"(?P<path>[^\s(]+\.\w+)(?:\((?P<line>\d+)(?:,\d+)?\)| on line (?P<other>\d+))")
_TEST = re.compile(r"(?P<path>[\w./\\-]+\.\w+)::(?P<name>[\w:]+)")
_PLACE = re.compile(r"(?P<path>(?:(?<![A-Za-z])[A-Za-z]:)?[\w@.+~/\\-]*[\w+-]\.[A-Za-z]\w{0,5}):(?P<line>\d+)(?::\d+)?")
_FORMS = (_PYTHON, _DOTNET, _BRACKETED, _PLACE)
_LAST_IS_INNERMOST = re.compile(r"Traceback \(most recent call last\)|^\S+:\d+: in \w+$|^=+ FAILURES =+$", re.MULTILINE)
"""Python's own traces, and pytest's."""
_LINE_MAX = 10_000_000


class Frame(msgspec.Struct, frozen=True):
    """A place that a text names."""

    path: str
    """As it is written, with `/`."""
    line: int
    """From 1; 0 where only a test is named."""
    name: str = ""
    """The test, where one is named: `TestShop.test_sell`."""


def frames_in(text: str) -> list[Frame]:
    """The places in a text, the innermost frame first."""
    found: dict[tuple[int, int], Frame] = {}
    taken: list[tuple[int, int]] = []
    for form in _FORMS:
        for match in form.finditer(text):
            if any(begin < match.end() and match.start() < end for begin, end in taken):
                continue
            line = int(match["line"] or match.groupdict().get("other") or 0)
            path = _written(match["path"])
            if 0 < line < _LINE_MAX and language_of(path) is not None:
                taken.append(match.span())
                found[match.span()] = Frame(path, line)
    for match in _TEST.finditer(text):
        path, name = _written(match["path"]), ".".join(part for part in match["name"].split(":") if part)
        if name and language_of(path) is not None:
            found[match.span()] = Frame(path, 0, name)
    frames = [found[span] for span in sorted(found)]
    if _LAST_IS_INNERMOST.search(text):
        frames.reverse()
    return list(dict.fromkeys(frames))[:FRAMES_MAX]


def _written(path: str) -> str:
    """A path with `/`, without the scheme of a URL."""
    return re.sub(r"\A(?:file:)?/{2,}", "/", path.replace("\\", "/"))


def files_meant(frames: Iterable[Frame], paths: Sequence[str]) -> dict[str, str]:
    """The path of each frame -> the file of the repository that it means; those outside are left out."""
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    meant = {frame.path: _file(frame.path, by_name) for frame in frames}
    return {written: path for written, path in meant.items() if path}


def _file(written: str, by_name: Mapping[str, list[str]]) -> str:
    """The only file with the longest common end; empty where none or several have it."""
    parts = [part for part in written.split("/") if part not in ("", ".")]
    known = by_name.get(parts[-1], []) if parts else []
    if not known:
        return ""
    lengths = {path: _common_end(parts, _parts(path)) for path in known}
    best = max(lengths.values())
    longest = [path for path, length in lengths.items() if length == best]
    is_whole = any(best == len(_parts(path)) for path in longest)
    return longest[0] if len(longest) == 1 and (is_whole or best > 1 or len(parts) == 1) else ""


@lru_cache(maxsize=4096)
def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _common_end(one: Sequence[str], other: Sequence[str]) -> int:
    return next((n for n, (a, b) in enumerate(_pairs(one, other)) if a != b), min(len(one), len(other)))


def _pairs(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip(reversed(one), reversed(other), strict=False)
