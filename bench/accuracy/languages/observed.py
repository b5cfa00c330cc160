"""Calls seen while a program runs, as an oracle: Ruby's own trace of a driver that uses a library.

Rules of the file:
- A call counts where the line that makes it has its name (`new` for a constructor): what runs by a hook, an operator or
  a name that is made is left out.
- At a line that was run, what was called there is what is meant; other definitions are wrong, but for overrides.
- A class has the methods of all modules that it had when the program ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.accuracy.edges import Definition, Oracle, Relation, Use

CONSTRUCTOR = "initialize"
_FUNCTIONS = ("DEFN", "DEFS")

_INDEXED = r"(?<=[\w)\]}?!])\["
"""How a call of `[]` is written."""


class Seen(msgspec.Struct, frozen=True):
    """What `ruby/observe.rb` wrote."""

    calls: tuple[tuple[str, int, str, str, int], ...]
    definitions: tuple[tuple[str, str, str, int, int, int], ...]
    classes: tuple[tuple[str, tuple[str, ...]], ...]


class _Defined(NamedTuple):
    path: str
    is_function: bool
    name: str
    first: int
    last: int
    place: str


def observed_oracle(root: Path, seen: Seen) -> Oracle:
    """The definitions of a root, and what was called where."""
    known = _Known(root, seen)
    return Oracle(tuple(known.definitions()), (*known.calls(seen), *known.bases(seen)))


class _Known:
    def __init__(self, root: Path, seen: Seen) -> None:
        paths = {path for path, *_ in seen.definitions}
        self._lines: Mapping[str, list[str]] = {
            path: (root / path).read_text("utf-8", errors="replace").split("\n") for path in paths
        }
        self._by_path: dict[str, list[_Defined]] = {}
        for path, kind, name, first, column, last in seen.definitions:
            line = self._lines[path][first - 1]
            before = line.encode()[:column].decode(errors="ignore")
            at = _after_owner(line, len(before), name.rpartition("::")[2])
            place = f"{path}:{first}:{len(line[:at].encode('utf-16-le')) // 2 + 1}"
            self._by_path.setdefault(path, []).append(_Defined(path, kind in _FUNCTIONS, name, first, last, place))
        self._keys = {each.place: self._key(each) for found in self._by_path.values() for each in found}

    def definitions(self) -> Iterator[Definition]:
        for found in self._by_path.values():
            for each in found:
                around = [cls for cls in self._around(each.path, each.first) if not cls.is_function and cls != each]
                holder = max(around, key=lambda cls: cls.first).place if around else ""
                yield Definition(each.place, self._keys[each.place], each.name.rpartition("::")[2], holder)

    def calls(self, seen: Seen) -> Iterator[Use]:
        targets: dict[tuple[str, int, str], set[str]] = {}
        for path, line, name, called, at in seen.calls:
            begun = [each for each in self._by_path.get(called, ()) if each.is_function and each.first == at]
            if line <= len(self._lines.get(path, ())) and begun:  # what is evaluated may count on behind the file
                word = "new" if name == CONSTRUCTOR else name
                targets.setdefault((path, line, word), set()).update(self._keys[each.place] for each in begun[:1])
        for (path, line, word), keys in targets.items():
            text = self._lines[path][line - 1]
            written = _INDEXED if word == "[]" else rf"(?<![\w:@$]){re.escape(word)}(?![\w:]|\s*=[^=~>])"
            for found in re.finditer(written, text):
                col = len(text[: found.start()].encode("utf-16-le")) // 2 + 1
                yield Use(path, line, col, self.source(path, line), word, Relation.CALLS, tuple(sorted(keys)), True)

    def bases(self, seen: Seen) -> Iterator[Use]:
        places: dict[str, str] = {}
        for path, found in self._by_path.items():
            for each in found:
                if not each.is_function:
                    around = [cls for cls in self._around(path, each.first) if not cls.is_function]
                    nested = sorted((cls for cls in around if cls.last >= each.last), key=lambda cls: cls.first)
                    places.setdefault("::".join(cls.name for cls in nested), each.place)
        for name, above in seen.classes:
            own = places.get(name)
            keys = {places[each] for each in above if each in places} - {own}
            if own and keys:
                yield Use(own.rpartition(":")[0], 0, 0, own, "", Relation.INHERITS, tuple(sorted(keys)), True)

    def source(self, path: str, line: int) -> str:
        around = self._around(path, line)
        return self._keys[max(around, key=lambda each: (each.first, -each.last)).place] if around else path

    def _around(self, path: str, line: int) -> list[_Defined]:
        return [each for each in self._by_path.get(path, ()) if each.first <= line <= each.last]

    def _key(self, defined: _Defined) -> str:
        """A function inside a function is part of the outermost one; a constructor is its class."""
        around = [each for each in self._around(defined.path, defined.first) if each.last >= defined.last]
        functions = [each for each in around if each.is_function]
        outermost = min(functions, key=lambda each: (each.first, -each.last)) if functions else defined
        if outermost.name == CONSTRUCTOR:
            classes = [each for each in around if not each.is_function and each.first <= outermost.first]
            return max(classes, key=lambda each: each.first).place if classes else outermost.place
        return outermost.place


def _after_owner(line: str, start: int, name: str) -> int:
    """Where a definition's name stands, behind its keyword and owner (`self.`, `A::`)."""
    found = re.compile(rf"(?:(?:def|class|module)\s+)?(?:[\w:]+(?:\.|::))*({re.escape(name)})").search(line, start)
    return found.start(1) if found else start
