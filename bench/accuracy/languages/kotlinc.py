"""What Kotlin's compiler resolves, as an oracle: a plug-in of it, `kotlin/Calls.kt`, writes its tree with the offsets.

Rules of the file:
- A call is counted where its name, or that of the variable that is called, is written where the compiler says that the
  call begins. Operators, properties and what is made without being written are neither right nor wrong.
- A constructor is its class; an accessor and an initializer are the class around, or the file.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.accuracy.edges import Definition, Oracle, Relation, Use
from bench.accuracy.languages.lexical import Text

SOURCE = Path(__file__).parent / "kotlin" / "Calls.kt"
_SERVICE = "META-INF/services/org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar"
_OWN_JARS = (
    "kotlin-compiler",
    "kotlin-stdlib",
    "kotlin-script-runtime",
    "kotlin-reflect",
    "kotlinx-coroutines-core-jvm",
)
_NAME = re.compile(r"`[^`\n]+`|\w+")
_OPENING = re.compile(r"\s*(?:<[^(){};]*>\s*)?[({]")
_GAP = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)


class _Written(NamedTuple):
    """A class or function."""

    path: str
    start: int
    kind: str
    name: str
    arity: str
    holder: str
    owner: str


class _Source(Text):
    def __init__(self, path: str, source: str) -> None:
        super().__init__(source, "kt")
        self.path, self.text = path, source
        wide = (at for at, character in enumerate(source) if character > "\uffff")
        self._wide = [at + before for before, at in enumerate(wide)]

    def at(self, offset: int) -> int:
        """The place in the text of an offset in UTF-16 code units."""
        return offset - bisect_right(self._wide, offset - 1)

    def place(self, offset: int) -> str:
        return "{}:{}:{}".format(self.path, *self.position(offset))

    def name_at(self, start: int) -> str:
        found = _NAME.match(self.text, start)
        return found[0] if found else ""


def kotlinc_oracle(root: Path, lib: Path, jars: Sequence[Path], flags: Sequence[str]) -> Oracle:
    """Compiles all sources below a root with the compiler whose jars are in a folder. Raises RuntimeError."""
    with tempfile.TemporaryDirectory() as folder:
        plugin, told = Path(folder) / "plugin", Path(folder) / "told"
        (plugin / _SERVICE).parent.mkdir(parents=True)
        (plugin / _SERVICE).write_text("Registrar\n")
        _compile(lib, folder, [lib / "kotlin-compiler.jar"], "-d", str(plugin), str(SOURCE))
        _compile(lib, folder, jars, f"-Xplugin={plugin}", *flags, "-d", f"{folder}/classes", str(root))
        return read(root, told.read_text("utf-8"))


def _compile(lib: Path, folder: str, jars: Sequence[Path], *words: str) -> None:
    own = ":".join(str(lib / f"{name}.jar") for name in _OWN_JARS)
    beside = ":".join(str(jar) for jar in (lib / "kotlin-stdlib.jar", *jars))
    command = ["java", f"-Dcalls.out={folder}/told", "-cp", own, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"]
    command += ["-no-stdlib", "-no-reflect", "-nowarn", "-cp", beside, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"kotlinc failed: {done.stderr[:1600]}")


def read(root: Path, told: str) -> Oracle:
    """What the plug-in wrote of the sources below a root."""
    known = _Known(root, [line.split("\t") for line in told.splitlines()])
    return Oracle(tuple(known.definitions()), (*known.calls(), *known.bases()))


class _Known:
    def __init__(self, root: Path, rows: Sequence[Sequence[str]]) -> None:
        self._root = root.resolve()
        self._sources: dict[str, _Source] = {}
        self._rows = rows
        self._written: dict[str, _Written] = {}
        for kind, *words in rows:
            if kind == "D":
                number, path, start, *rest = words
                source = self._source(path)
                self._written[number] = _Written(source.path, source.at(int(start)), *rest)
        self._places = {number: self._place(each) for number, each in self._written.items()}
        self._java = {file.stem for file in root.rglob("*.java")}

    def definitions(self) -> Iterator[Definition]:
        for number, each in self._written.items():
            place = self._places[number]
            if place and each.kind != "companion":
                yield Definition(place, self._key(number), f"{each.name}({each.arity})", self._key(each.holder))

    def calls(self) -> Iterator[Use]:
        for row in self._rows:
            if row[0] != "C":
                continue
            path, start, end, behind, name, target, outside, owner, kind = row[1:]
            source = self._source(path)
            places = [source.at(int(offset)) if int(offset) >= 0 else -1 for offset in (start, end, behind)]
            at = _called(source, name, kind, *places)
            if at < 0:
                continue
            line, col = source.position(at)
            key = self._key(target)
            is_resolved = bool(key) or not self._java & set(outside.split("."))
            around = self._key(owner) or source.path
            called = source.name_at(at)
            yield Use(source.path, line, col, around, called, Relation.CALLS, (key,) if key else (), is_resolved)

    def bases(self) -> Iterator[Use]:
        for row in self._rows:
            if row[0] != "B":
                continue
            number, name, target, outside = row[1:]
            own, key = self._written[number], self._key(target)
            source = self._sources[own.path]
            line, col = self._at(number)
            named = source.bases(line, col + len(own.name)) if own.kind == "class" else ()
            found = next(((word.line, word.col) for word in named if word.name == name), (0, 0))
            is_resolved = bool(key) or not self._java & set(outside.split("."))
            targets = (key,) if key else ()
            if own.kind != "companion":
                yield Use(own.path, *found, self._key(number), name, Relation.INHERITS, targets, is_resolved)

    def _source(self, path: str) -> _Source:
        if path not in self._sources:
            within = Path(path).resolve().relative_to(self._root).as_posix()
            self._sources[path] = self._sources[within] = _Source(within, Path(path).read_text("utf-8-sig"))
        return self._sources[path]

    def _at(self, number: str) -> tuple[int, int]:
        _, line, col = self._places[number].rsplit(":", 2)
        return int(line), int(col)

    def _key(self, number: str) -> str:
        """Where the outermost function around is, or what it is itself."""
        each = self._written.get(number)
        if each is None:
            return ""
        outer = self._written.get(each.owner)
        if outer is None or outer.kind == "function":
            return self._places.get(each.owner if outer else number, "")
        return self._places[number]

    def _place(self, each: _Written) -> str:
        source = self._sources[each.path]
        name = rf"(?:`{re.escape(each.name)}`|\b{re.escape(each.name)}\b)"
        written = {
            "function": rf"\bfun\b[^={{}}]*?({name})\s*\(",
            "class": rf"\b(?:class|interface|object)\s+({name})",
            "entry": rf"({name})",
            "object": r"\b(object)\b",
            "companion": r"\b(companion)\b",
        }[each.kind]
        text = source.text if "`" in source.text else source.visible
        found = re.compile(written).search(text, each.start)
        return source.place(found.start(1)) if found else ""


def _called(source: _Source, name: str, kind: str, start: int, end: int, behind: int) -> int:
    """Where what is called is written; -1 where it is not."""
    text = source.text
    first = source.name_at(start)
    bare = first.strip("`")
    if kind == "delegation":
        if bare in ("this", "super"):
            return start
        found = re.compile(rf"\b{re.escape(name)}\b\s*(?:<[^(){{}};]*>\s*)?\(").search(_header(source, start, end))
        return start + found.start() if found and not re.match(r"\w+\s*\(", text[start:end]) else -1
    if bare == name and _OPENING.match(text, start + len(first)):
        return start
    if behind >= 0:
        other = _GAP.match(text, behind)
        second = source.name_at(other.end()) if other else ""
        if other and second.strip("`") == name and kind != "operator":
            return other.end()
        if name == "invoke":
            before = re.search(r"(`[^`\n]+`|\w+)$", text[max(0, behind - 100) : behind])
            return behind - len(before[0]) if before and _OPENING.match(text, behind) else -1
    if kind in ("constructor", "function") and first and bare != name and _OPENING.match(text, start + len(first)):
        return start
    return -1


def _header(source: _Source, start: int, end: int) -> str:
    """From the start of a class to its body, without what is in brackets before its bases."""
    depth = 0
    kept = []
    for character in source.visible[start:end]:
        depth -= character == ")"
        kept.append(" " if depth else character)
        depth += character == "("
        if character == "{" and not depth:
            break
    return "".join(kept)
