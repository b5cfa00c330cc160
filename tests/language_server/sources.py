"""What the scripted server knows of code: definitions and names in Python sources, by regular expressions.

Like the servers it stands for, it reads a file once and believes what it read until it is told otherwise. Standard
library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

DEFINITION = re.compile(r"^([ \t]*)(def|class)[ \t]+(\w+)(?:\(([\w, ]*)\))?", re.MULTILINE)
FUNCTION, CLASS, METHOD = 12, 5, 6
BUILT_IN = frozenset(("print", "len"))

Position = dict[str, int]
Range = dict[str, Position]


@dataclass(frozen=True)
class Definition:
    file: str
    name: str
    kind: int
    line: int
    """From 0, like everything here."""
    column: int
    """Of the name, in characters."""
    last_line: int
    indent: int
    bases: tuple[str, ...]


class Code:
    """The sources under a root as this server sees them."""

    def __init__(self, root: str, read: Callable[[str], str | None], names: Callable[[], Iterable[str]]) -> None:
        """`read` gives the text of an absolute path, `names` all absolute paths."""
        self.root = root
        self.encoding = "utf-16"
        self._read = read
        self._names = names
        self._files: set[str] | None = None
        self._texts: dict[str, str | None] = {}
        self.opened: dict[str, str] = {}

    # -- what it is told --------------------------------------------------------------------------------------------

    def changed(self, path: str, kind: int) -> None:
        """A file was created (1), changed (2) or deleted (3)."""
        self._texts.pop(path, None)
        if self._files is not None:
            (self._files.discard if kind == 3 else self._files.add)(path)

    # -- what it is asked -------------------------------------------------------------------------------------------

    def definition(self, file: str, position: Position) -> list[dict[str, object]]:
        name = self.name_at(file, position)
        return [self.location(one) for one in self.definitions() if one.name == name]

    def references(self, file: str, position: Position, with_declaration: bool) -> list[dict[str, object]]:
        name = self.name_at(file, position)
        declared = {(one.file, one.line, one.column) for one in self.definitions()}
        found: list[dict[str, object]] = []
        for path in self.files():
            for line, text in enumerate(self.lines(path)):
                found += [
                    {"uri": to_uri(path), "range": self._range(path, line, match.start(), match.end())}
                    for match in (re.finditer(rf"\b{name}\b", text) if name else ())
                    if with_declaration or (path, line, match.start()) not in declared
                ]
        return found

    def rename(self, file: str, position: Position, new_name: str) -> dict[str, object]:
        edits: dict[object, list[object]] = {}
        for one in self.references(file, position, with_declaration=True):
            edits.setdefault(one["uri"], []).append({"range": one["range"], "newText": new_name})
        return {"changes": edits}

    def implementation(self, file: str, position: Position) -> list[object]:
        name = self.name_at(file, position)
        return [self.location(one) for one in self.definitions() if name in one.bases]

    def hover(self, file: str, position: Position) -> object:
        name = self.name_at(file, position)
        for one in self.definitions():
            if one.name == name:
                return {
                    "contents": {
                        "kind": "markdown",
                        "value": f"```python\n{self.lines(one.file)[one.line].strip()}\n```",
                    }
                }
        return None

    def outline(self, file: str) -> list[object]:
        roots: list[object] = []
        above: list[tuple[int, list[object]]] = [(-1, roots)]
        for one in self.definitions_of(file):
            while above[-1][0] >= one.indent:
                above.pop()
            symbol: dict[str, object] = {
                "name": one.name,
                "kind": one.kind,
                "range": self.whole(one),
                "selectionRange": self.own(one),
                "children": [],
            }
            above[-1][1].append(symbol)
            above.append((one.indent, symbol["children"]))  # type: ignore[arg-type]
        return roots

    def symbols(self, query: str) -> list[object]:
        return [
            {"name": one.name, "kind": one.kind, "location": self.location(one)}
            for one in self.definitions()
            if query.lower() in one.name.lower()
        ]

    def call_items(self, file: str, position: Position) -> list[object]:
        name = self.name_at(file, position)
        return [self.item(one) for one in self.definitions() if one.name == name]

    def callers(self, item: dict[str, object]) -> list[object]:
        found: list[object] = []
        for caller in self.definitions():
            ranges = list(self._calls(caller, str(item["name"])))
            if ranges:
                found.append({"from": self.item(caller), "fromRanges": ranges})
        return found

    def callees(self, item: dict[str, object]) -> list[object]:
        definitions = list(self.definitions())
        found: list[object] = []
        for caller in definitions:
            if caller.name != item["name"]:
                continue
            for callee in definitions:
                ranges = list(self._calls(caller, callee.name))
                if ranges:
                    found.append({"to": self.item(callee), "fromRanges": ranges})
        return found

    def diagnostics(self, file: str) -> list[object]:
        """What is imported from a file that does not define it, and what is called and known nowhere."""
        found: list[object] = []
        known = {one.name for one in self.definitions_of(file)} | BUILT_IN
        for number, line in enumerate(self.lines(file)):
            imported = re.match(r"from (\w+) import (\w+)", line)
            if imported:
                known.add(imported[2])
                other = f"{file.rpartition('/')[0]}/{imported[1]}.py"
                if imported[2] not in {one.name for one in self.definitions_of(other)}:
                    found.append(self._problem(file, number, imported.span(2), f"{imported[1]} has no {imported[2]}"))
                continue
            calls = [] if DEFINITION.match(line) else list(re.finditer(r"(?<![\w.])(\w+)\(", line))
            unknown = [call for call in calls if call[1] not in known]
            found += [self._problem(file, number, call.span(1), f"{call[1]} is not defined") for call in unknown]
        return found

    def _problem(self, file: str, line: int, span: tuple[int, int], message: str) -> object:
        return {"range": self._range(file, line, *span), "severity": 1, "code": "unknown-name", "message": message}

    # -- the parts --------------------------------------------------------------------------------------------------

    def files(self) -> list[str]:
        if self._files is None:
            self._files = {path for path in self._names() if path.endswith(".py")}
        return sorted(self._files)

    def text(self, path: str) -> str:
        if path in self.opened:
            return self.opened[path]
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path] or ""

    def lines(self, path: str) -> list[str]:
        return self.text(path).split("\n")

    def definitions(self) -> Iterator[Definition]:
        for path in self.files():
            yield from self.definitions_of(path)

    def definitions_of(self, path: str) -> Iterator[Definition]:
        text = self.text(path)
        lines = text.split("\n")
        for match in DEFINITION.finditer(text):
            line = text.count("\n", 0, match.start())
            indent, is_class = len(match[1]), match[2] == "class"
            last = line
            for below in range(line + 1, len(lines)):
                if lines[below].strip():
                    if len(lines[below]) - len(lines[below].lstrip()) <= indent:
                        break
                    last = below
            kind = CLASS if is_class else METHOD if indent else FUNCTION
            column = match.start(3) - (text.rfind("\n", 0, match.start(3)) + 1)
            bases = tuple(base.strip() for base in (match[4] or "").split(",")) if is_class else ()
            yield Definition(path, match[3], kind, line, column, last, indent, bases)

    def name_at(self, file: str, position: Position) -> str:
        lines = self.lines(file)
        if position["line"] >= len(lines):
            return ""
        line = lines[position["line"]]
        at = self._characters(line, position["character"])
        return next((m[0] for m in re.finditer(r"\w+", line) if m.start() <= at <= m.end()), "")

    def location(self, one: Definition) -> dict[str, object]:
        return {"uri": to_uri(one.file), "range": self.own(one)}

    def item(self, one: Definition) -> dict[str, object]:
        return {
            "name": one.name,
            "kind": one.kind,
            "uri": to_uri(one.file),
            "range": self.whole(one),
            "selectionRange": self.own(one),
        }

    def own(self, one: Definition) -> Range:
        return self._range(one.file, one.line, one.column, one.column + len(one.name))

    def whole(self, one: Definition) -> Range:
        lines = self.lines(one.file)
        start = {"line": one.line, "character": self._units(lines[one.line], one.indent)}
        last = lines[one.last_line]
        return {"start": start, "end": {"line": one.last_line, "character": self._units(last, len(last))}}

    def _calls(self, caller: Definition, name: str) -> Iterator[Range]:
        lines = self.lines(caller.file)
        for line in range(caller.line + 1, caller.last_line + 1):
            for match in re.finditer(rf"\b{name}(?=\()", lines[line]):
                yield self._range(caller.file, line, match.start(), match.end())

    def _range(self, path: str, line: int, start: int, end: int) -> Range:
        text = self.lines(path)[line]
        return {
            "start": {"line": line, "character": self._units(text, start)},
            "end": {"line": line, "character": self._units(text, end)},
        }

    def _units(self, line: str, characters: int) -> int:
        unit = 1 if self.encoding == "utf-8" else 2
        return len(line[:characters].encode(self.encoding if unit == 1 else "utf-16-le")) // unit

    def _characters(self, line: str, units: int) -> int:
        return next((at for at in range(len(line) + 1) if self._units(line, at) >= units), len(line))


def to_uri(path: str) -> str:
    return "file://" + quote(path)


def to_path(uri: str) -> str:
    return unquote(uri.removeprefix("file://"))
