"""Finds stack frames and places in pasted text: traces, failing tests and compilers' messages of all languages.

A place is a file and a line. Its path may be that of another machine, of a container or of a compiled tree: the file of
the repository is meant whose path has the longest end in common with it.

Sources: the traces of CPython, V8, Go, Rust, the JVM, .NET, PHP and Ruby, gdb and sanitizers, pytest's short form.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from codemap.context.ran_functions import function_before
from codemap.languages import language_of
from codemap.root_paths import OWN, split_path

FRAMES_MAX = 60
"""Places that are read of one trace: more than any has in one repository."""
TRACES_MAX = 40

_FORMS = (
    r'File "(?P<python>[^"\n]+)", line (?P<python_line>\d+)(?:, in (?P<python_in>\w+))?',
    r" in (?P<dotnet>[^\n:]{1,400}(?::\\[^\n:]{1,400})?):line (?P<dotnet_line>\d+)",
    r"(?<![^\s(])(?P<call>[^\s(]+\.\w+)(?:\((?P<call_line>\d+)(?:,\d+)?\)| on line (?P<php_line>\d+))",
    r"(?<![\w./\\-])(?P<test>[\w./\\-]+\.\w+)::(?P<name>[\w:]+)",
    r"(?<![\w@.+~/\\-])(?P<place>(?:[A-Za-z]:)?[\w@.+~/\\-]*[\w+-]\.[A-Za-z]\w{0,5}):(?P<place_line>\d+)(?::\d+)?"
    r"(?::in [`'](?:[^`'\n]{0,400}[#. ])?(?P<ruby_in>\w+[?!]?)'|: in (?P<pytest_in>\w+)$)?",
)
"""Each begins where a word does, or is of bounded length: a text is read in time linear in it."""
_PLACE = re.compile("|".join(_FORMS), re.MULTILINE)
_PATHS = ("python", "dotnet", "call", "test", "place")
_LINES = ("python_line", "dotnet_line", "call_line", "php_line", "place_line")
_FUNCTIONS = ("python_in", "ruby_in", "pytest_in")
_LAST_IS_INNERMOST = re.compile(r"Traceback \(most recent call last\)|^\S+:\d+: in \w+$|^=+ FAILURES =+$", re.MULTILINE)
"""Python's own traces, and pytest's."""
_BETWEEN = re.compile(
    r"^(?:_{3,} .* _{3,}|=+ short test summary info =+|Traceback \(most recent call last\):)$", re.MULTILINE
)
_FAILURES = re.compile(r"^(?:E  +\S|_{3,} .* _{3,}$|=+ FAILURES =+$)", re.MULTILINE)
_HEADING = re.compile(r"^(?:={3,}|_{3,}) .*$", re.MULTILINE)
_MARKED = re.compile(r"^(?:E  +|FAILED \S+ - |ERROR \S+ - )(.*)$", re.MULTILINE)
"""pytest's: what divides traces, what its failures look like, the lines of them that say what is wrong."""
_LINE_MAX = 10_000_000


class Frame(msgspec.Struct, frozen=True):
    """A place that a text names."""

    path: str
    """As it is written, with `/`."""
    line: int
    """From 1; 0 where only a test is named."""
    name: str = ""
    """The test, where one is named: `TestShop.test_sell`."""
    function: str = ""
    """The name of the function that ran, where the trace says it."""


def frames_in(text: str) -> list[Frame]:
    """The places in a text, the innermost frame first; of several traces the last one's first."""
    frames = list(_read_frames(text))
    if _LAST_IS_INNERMOST.search(text):
        frames.reverse()
    return list(dict.fromkeys(frames))[:FRAMES_MAX]


def traces_in(text: str) -> list[list[Frame]]:
    """The places of each trace in a text that has several: of each the innermost frame first, the last trace first."""
    is_reversed = _LAST_IS_INNERMOST.search(text) is not None
    traces = []
    for part in reversed(_BETWEEN.split(text)):
        frames = list(dict.fromkeys(reversed(list(_read_frames(part))) if is_reversed else _read_frames(part)))
        if frames:
            traces.append(frames[:FRAMES_MAX])
    return traces[:TRACES_MAX]


def message_in(text: str) -> str:
    """What went wrong, without what a runner prints around it: the lines that say so where they are marked (pytest),
    else all that are neither frames nor code below them."""
    if _FAILURES.search(text):
        said = text[: match.start()] if (match := _HEADING.search(text)) else ""
        return "\n".join((said, *(match[1] for match in _MARKED.finditer(text))))
    kept = [line for line in text.split("\n") if not _is_of_trace(line)]
    return "\n".join(kept)


def _is_of_trace(line: str) -> bool:
    return line.startswith((" ", "\t", "Traceback")) or next(_read_frames(line), None) is not None


def _read_frames(text: str) -> Iterator[Frame]:
    for match in _PLACE.finditer(text):
        frame = _read_frame(match)
        if frame is not None:
            yield (
                frame
                if frame.function
                else msgspec.structs.replace(frame, function=function_before(text, match.start()))
            )


def _read_frame(match: re.Match[str]) -> Frame | None:
    """The place that was found; None where it is no line of a source file."""
    path = _write_path(next(filter(None, match.group(*_PATHS))))
    line = int(next(filter(None, match.group(*_LINES)), 0))
    name = ".".join(part for part in (match["name"] or "").split(":") if part)
    if language_of(path) is None or line >= _LINE_MAX or not (line or name):
        return None
    return Frame(path, line, name, next(filter(None, match.group(*_FUNCTIONS)), ""))


def _write_path(path: str) -> str:
    """A path with `/`, without the scheme of a URL."""
    return re.sub(r"\A(?:file:)?/{2,}", "/", path.replace("\\", "/"))


def files_meant(frames: Iterable[Frame], paths: Sequence[str], prefixes: Collection[str] = ()) -> dict[str, str]:
    """The path of each frame -> the file of the repository that it means; those outside are left out. `prefixes` are
    those of other roots."""
    by_name: dict[str, list[_Known]] = {}
    for path in paths:
        prefix, rest = split_path(path, prefixes)
        by_name.setdefault(path.rpartition("/")[2], []).append(_Known(path, rest.split("/"), prefix == OWN))
    meant = {frame.path: _find_file(frame.path, by_name) for frame in frames}
    return {written: path for written, path in meant.items() if path}


class _Known(NamedTuple):
    path: str
    steps: list[str]
    """Of the path in its own root."""
    is_own: bool
    """Whether that is the root that is asked."""


def _find_file(written: str, by_name: Mapping[str, list[_Known]]) -> str:
    """The only file with the longest common end, in the root that is asked where it has any; empty where none or
    several have it."""
    parts = [part for part in written.split("/") if part not in ("", ".")]
    known = by_name.get(parts[-1], []) if parts else []
    if not known:
        return ""
    lengths = [_count_common_end(parts, one.steps) for one in known]
    best = max(lengths)
    longest = [one for one, length in zip(known, lengths, strict=True) if length == best]
    longest = [one for one in longest if one.is_own] or longest
    is_whole = any(best == len(one.steps) for one in longest)
    return longest[0].path if len(longest) == 1 and (is_whole or best > 1 or len(parts) == 1) else ""


def _count_common_end(one: Sequence[str], other: Sequence[str]) -> int:
    """Counts the elements that both have in common at their ends."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
