"""What a process and all that it starts asks of the system, as `strace` sees it.

Only calls that start programs, change files, map code or reach a network are stopped at (`--seccomp-bpf`), so that the
traced processes are hardly slower.

Source: strace(1), "-f", "-y"; the pinned version is Debian's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from tests.system.debian import unpacked

PACKAGES = {"strace": "6.1-0.1", "libunwind8": "1.6.2-3"}

CALLS = (
    "execve execveat open openat openat2 creat rename renameat renameat2 unlink unlinkat rmdir mkdir mkdirat "
    "link linkat symlink symlinkat mknod mknodat truncate chmod fchmodat chown lchown fchownat utimensat "
    "setxattr lsetxattr removexattr lremovexattr connect sendto bind chdir fchdir mmap clone clone3 fork vfork"
)
"""No system has them all."""


class Started(msgspec.Struct, frozen=True):
    """A program that was started, or was tried to."""

    process: int
    path: str
    words: str
    """Its command line, for people."""
    folder: str
    """Where it runs; empty: not known."""
    is_done: bool


class Changed(msgspec.Struct, frozen=True):
    """A file or folder that was made, written, renamed or removed, or was tried to."""

    path: str
    call: str
    by: str
    """The command line of who did."""
    is_done: bool


class Mapped(msgspec.Struct, frozen=True):
    """A file that was mapped as code."""

    path: str
    by: str


class Reached(msgspec.Struct, frozen=True):
    """An address of a network that something was sent to."""

    address: str
    by: str


class Stillborn(msgspec.Struct, frozen=True):
    """A process that was killed before its interpreter had read more than what every interpreter begins with."""

    process: int


Event = Started | Changed | Mapped | Reached | Stillborn


def strace(log: Path) -> list[str]:
    """The words before a command line that is to be traced into a file."""
    root = unpacked("strace", PACKAGES)
    return [
        str(root / "usr/bin/strace"),
        *("-f", "--seccomp-bpf", "--quiet=attach,personality", "-y", "-s", "4096", "-E", "LD_LIBRARY_PATH"),
        *("-e", f"trace={','.join(f'?{call}' for call in CALLS.split())}", "-e", "signal=none", "-o", str(log), "--"),
    ]


def strace_variables() -> dict[str, str]:
    """What `strace` itself needs to start; it takes them away from what it traces."""
    [libraries] = unpacked("strace", PACKAGES).glob("usr/lib/*-linux-gnu*")
    return {"LD_LIBRARY_PATH": str(libraries)}


def events(log: Path, folder: str) -> Iterator[Event]:
    """What a trace shows, in its order; `folder` is where the first process was started."""
    return _Reader(folder).events(log.read_text(encoding="utf-8", errors="surrogateescape").splitlines())


_LINE = re.compile(r"(\d+) +(?:<\.\.\. (\w+) resumed>(.*)|(\w+)\((.*))", re.DOTALL)
_UNFINISHED = " <unfinished ...>"
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_AT = re.compile(r"(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>")
_RESULT = re.compile(r"\) += (-?\d+|\?)(?!.*\) += )")
_WRITES = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)")
_ADDRESS = re.compile(r"sa_family=AF_INET6?, .*?(?:inet_addr\(|inet_pton\(AF_INET6, )?\"([^\"]+)\"")
_PORT = re.compile(r"port=htons\((\d+)\)")
_BOUND = re.compile(r'sun_path="((?:[^"\\]|\\.)*)"')


_EXITED = re.compile(r"(\d+) +\+\+\+ exited with ")
"""Of what is killed at the very end, the trace may not say so."""
_PYTHON = re.compile(r'\.py(?:c(?:\.\d+)?)?"')
_FIRST_READ = re.compile(
    r'/(?:encodings/(?:__pycache__/)?|(?:__pycache__/)?(?:codecs|__future__|trap_witness)\.)[^/"]*"'
)
"""Files of Python that an interpreter reads until the witness in its encodings has begun."""

_GENERATIONS_MAX = 20
"""A number may come back: a trace need not be a tree."""
_OPENS = ("open", "openat", "openat2")
_BIRTHS = ("clone", "clone3", "fork", "vfork")


def _calls(lines: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Process, call, and what stands after its parenthesis, of each call that ended."""
    halves: dict[str, str] = {}
    for line in lines:
        found = _LINE.match(line)
        if found is None:
            continue
        process, resumed, rest, call, given = found.groups()
        if resumed:
            yield process, resumed, halves.pop(process, "") + rest
        elif given.endswith(_UNFINISHED):
            halves[process] = given.removesuffix(_UNFINISHED)
        else:
            yield process, call, given


class _Reader:
    def __init__(self, folder: str) -> None:
        self._first = folder
        self._folders: dict[str, str] = {}
        self._words: dict[str, str] = {}
        self._parents: dict[str, str] = {}
        """Of processes and threads; the first lines of a child may stand before its birth."""

    def events(self, lines: Sequence[str]) -> Iterator[Event]:
        calls = list(_calls(lines))
        for process, call, given in calls:
            if call in _BIRTHS and (result := _RESULT.search(given)) is not None:
                self._parents[result[1]] = process
        for process, call, given in calls:
            if call not in _BIRTHS:
                yield from self._event(process, call, given)
        opened = [(process, given) for process, call, given in calls if call.startswith("open")]
        began = {process for process, given in opened if _PYTHON.search(given) and not _FIRST_READ.search(given)}
        exited = {found[1] for found in map(_EXITED.match, lines) if found is not None}
        yield from (Stillborn(int(process)) for process in sorted({one for one, _, _ in calls} - exited - began))

    def _event(self, process: str, call: str, given: str) -> Iterator[Event]:
        if given.startswith("AT_FDCWD") and (at := _AT.match(given)) is not None:
            self._folders[process] = _text(at[1])
        if (call in _OPENS and not _WRITES.search(given)) or (call == "mmap" and "PROT_EXEC" not in given):
            return  # as nearly all lines of a trace
        result = _RESULT.search(given)
        is_done = result is not None and not result[1].startswith("-")
        by = self._known(self._words, process, "?")
        match call:
            case "execve" | "execveat":
                strings = [_text(each) for each in _STRING.findall(given)]
                path = self._absolute(process, strings[0])
                words = " ".join(word.partition("\n")[0][:300] for word in strings[1:])
                if is_done:
                    self._words[process] = words
                yield Started(int(process), path, words, self._known(self._folders, process, ""), is_done)
            case "chdir" | "fchdir":
                named = _STRING.search(given) if call == "chdir" else _AT.match(given)
                if named is not None and is_done:
                    self._folders[process] = self._absolute(process, _text(named[1]))
            case "mmap":
                mapped = re.search(r", \d+<((?:[^>\\]|\\.)*)>, ", given)
                if mapped is not None:
                    yield Mapped(_text(mapped[1]), by)
            case "connect" | "sendto" | "bind":
                address, port, bound = _ADDRESS.search(given), _PORT.search(given), _BOUND.search(given)
                if address is not None and call != "bind":
                    yield Reached(f"{address[1]}:{port[1] if port else '?'}", by)
                if bound is not None and call == "bind":
                    yield Changed(_text(bound[1]), call, by, is_done)
            case "open" | "openat" | "openat2" | "creat":
                [path] = self._paths(process, given)[:1] or [""]
                yield Changed(path, call, by, is_done)
            case _:
                for path in self._paths(process, given):
                    yield Changed(path, call, by, is_done)

    def _paths(self, process: str, given: str) -> list[str]:
        """The paths of a call, each with the folder that it is relative to before it where the call has one."""
        paths = []
        for found in re.finditer(rf"(?:{_AT.pattern}, )?{_STRING.pattern}", given):
            folder, path = found.groups()
            before = _text(folder) if folder is not None else self._known(self._folders, process, self._first)
            paths.append(os.path.normpath(os.path.join(before, _text(path))))
        return paths

    def _known(self, table: Mapping[str, str], process: str, otherwise: str) -> str:
        """What is known of a process, or of the nearest one that it stems from."""
        for _ in range(_GENERATIONS_MAX):
            if process in table:
                return table[process]
            process = self._parents.get(process, process)
        return otherwise

    def _absolute(self, process: str, path: str) -> str:
        return os.path.normpath(os.path.join(self._known(self._folders, process, self._first), path))


def _text(quoted: str) -> str:
    """What stands between the quotes of a trace."""
    if "\\" not in quoted:
        return quoted
    plain = quoted.encode("utf-8", "surrogateescape").decode("unicode_escape")
    return plain.encode("latin-1", "replace").decode("utf-8", "surrogateescape")
