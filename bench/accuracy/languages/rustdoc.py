"""The Rust compiler as an oracle: rustdoc's pages of source link each name to what it means.

Rules of the file:
- Definitions and calls are found by characters, as comments and strings are marked in the pages. What a macro is given
  has no links, so that calls inside are left out, and so are types and variants that look called.
- The compiler names the method of the trait where an implementation runs; a method that implements one of the
  repository's own traits is one with it. Where the trait lies outside, the call says nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from bench.accuracy.edges import Definition, Oracle, Relation, Use

_HIDDEN = frozenset(("comment", "doccomment", "string", "attr"))
_DEFINED = re.compile(r"\b(fn|struct|enum|union|trait)\s+(\w+)|\b(macro_rules)!\s*(\w+)")
_CALLED = re.compile(r"\b([^\W\d]\w*)\s*(?:::\s*<[^;(){}]*>\s*)?(?=\()")
_IMPLEMENTED = re.compile(r"\bimpl\b[^;{]*\{")
_LINES = re.compile(r"(\d+)(?:-(\d+))?$")
_BRACKETS = re.compile(r"[{};]")


class Page(HTMLParser):
    """One source: its text, the same with comments and strings blank, and its links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: dict[int, str] = {}
        """Offset where a link begins -> what it leads to, as it is written."""
        self._parts: list[str] = []
        self._shown: list[str] = []
        self._length = 0
        self._open: list[str] = []
        self._number = 0
        code = html.partition("<code>")[2].rpartition("</code>")[0]
        self.feed(code)
        self.close()
        self.text = "".join(self._parts)
        self.shown = "".join(self._shown)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if "data-nosnippet" in named:
            self._number = 1
        elif tag == "a" and named.get("href"):
            self.links[self._length] = named["href"] or ""
        self._open.append(named.get("class") or "")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser's own naming
        self._number = 0
        if self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._number:
            return
        self._parts.append(data)
        is_hidden = not _HIDDEN.isdisjoint(" ".join(self._open).split())
        self._shown.append(re.sub(r"[^\n]", " ", data) if is_hidden else data)
        self._length += len(data)


class Defined(NamedTuple):
    path: str
    line: int
    """1-based."""
    place: str
    name: str
    is_function: bool
    span: tuple[int, int]
    """Offsets."""


class Source:
    """A page under its path in the repository."""

    def __init__(self, path: str, page: Page) -> None:
        self.path = path
        self.page = page
        self._starts = [0, *(found.end() for found in re.finditer("\n", page.text))]
        self._ends = _ends(page.shown)
        self.definitions = tuple(self._definitions())

    def place(self, offset: int) -> tuple[int, int]:
        """(line, column), both 1-based, columns in UTF-16 code units."""
        line = self.page.text.count("\n", 0, offset) + 1
        return line, len(self.page.text[self._starts[line - 1] : offset].encode("utf-16-le")) // 2 + 1

    def end_after(self, offset: int) -> int:
        """Where the braces end that open next, or the statement."""
        found = _BRACKETS.search(self.page.shown, offset)
        return self._ends.get(found.start(), len(self.page.text)) if found else len(self.page.text)

    def implementations(self) -> Iterator[tuple[int, int, str]]:
        """(start, end, where the link of the trait leads) of each block that implements one."""
        for found in _IMPLEMENTED.finditer(self.page.shown):
            trait, is_for, _ = found[0].partition(" for ")
            links = [at for at in self.page.links if found.start() <= at < found.start() + len(trait)]
            if is_for and links:
                head = _outermost(trait)
                outer = [at for at in sorted(links) if head[at - found.start()] != " "]
                if outer:
                    yield (
                        found.start(),
                        self._ends.get(found.end() - 1, len(self.page.text)),
                        self.page.links[outer[-1]],
                    )

    def _definitions(self) -> Iterator[Defined]:
        macros: list[tuple[int, int]] = []
        for found in _DEFINED.finditer(self.page.shown):
            if any(start < found.start() < end for start, end in macros):
                continue
            group = 2 if found[2] else 4
            span = (found.start(), self.end_after(found.end()))
            if group == 4:
                macros.append(span)
            line, col = self.place(found.start(group))
            place = f"{self.path}:{line}:{col}"
            yield Defined(self.path, line, place, found[group], found[1] in ("fn", None), span)


def rustdoc_oracle(root: Path, pages: Path) -> Oracle:
    """What the pages of a crate say; `root` holds its `src`. Pages that do not show a source as it is are left out."""
    sources: dict[str, Source] = {}
    for html in sorted(pages.rglob("*.rs.html")):
        path = "src/" + html.relative_to(pages).as_posix().removesuffix(".html")
        page = Page(html.read_text("utf-8"))
        if (root / path).read_text("utf-8").rstrip("\n") == page.text.rstrip("\n"):
            sources[path] = Source(path, page)
    known = _Known(sources)
    return Oracle(tuple(known.definitions()), tuple(known.uses()))


class _Known:
    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self._outer: dict[str, str] = {}
        """Place -> the outermost function around it, or itself."""
        for source in sources.values():
            for each in source.definitions:
                around = self._around(source, each.span[0])
                self._outer[each.place] = around[0].place if around else each.place
        self._implements = dict(self._implementing())

    def definitions(self) -> Iterator[Definition]:
        for source in self._sources.values():
            for each in source.definitions:
                yield Definition(each.place, self.key(each), each.name)

    def key(self, defined: Defined) -> str:
        return self._implements.get(defined.place, self._outer[defined.place])

    def uses(self) -> Iterator[Use]:
        for source in self._sources.values():
            starts = {found.start(group) for found in _DEFINED.finditer(source.page.shown) for group in (2, 4)}
            for found in _CALLED.finditer(source.page.shown):
                link = source.page.links.get(found.start())
                if link is not None and found.start() not in starts:
                    yield self._use(source, found.start(), found[1], link)

    def _use(self, source: Source, offset: int, name: str, link: str) -> Use:
        line, col = source.place(offset)
        around = self._around(source, offset)
        owner = self.key(around[0]) if around else source.path
        target = self._target(source, link, name)
        is_outside = "://" in link and "/trait." not in link and "variant." not in link and "#" in link
        targets = (self.key(target),) if target is not None and target.is_function else ()
        return Use(source.path, line, col, owner, name, Relation.CALLS, targets, bool(targets) or is_outside)

    def _around(self, source: Source, offset: int) -> list[Defined]:
        """Functions around an offset, the outermost first."""
        return [each for each in source.definitions if each.is_function and each.span[0] < offset < each.span[1]]

    def _target(self, source: Source, link: str, name: str) -> Defined | None:
        """The definition of a name at the lines that a link leads to."""
        page, _, lines = link.partition("#")
        found = _LINES.match(lines)
        if "://" in link or found is None:
            return None
        path = urljoin(f"/{source.path}", page.removesuffix(".html")).removeprefix("/") if page else source.path
        first, last = int(found[1]), int(found[2] or found[1])
        named = [each for each in self._sources[path].definitions if each.name == name] if path in self._sources else []
        inside = [each for each in named if first <= each.line <= last]
        return inside[0] if inside else None

    def _implementing(self) -> Iterator[tuple[str, str]]:
        for source in self._sources.values():
            for start, end, link in source.implementations():
                page, _, lines = link.partition("#")
                found = _LINES.match(lines)
                if "://" in link or found is None:
                    continue
                path = urljoin(f"/{source.path}", page.removesuffix(".html")).removeprefix("/") if page else source.path
                first, last = int(found[1]), int(found[2] or found[1])
                theirs = {
                    each.name: each.place
                    for each in (self._sources[path].definitions if path in self._sources else ())
                    if first <= each.line <= last
                }
                for each in source.definitions:
                    if start < each.span[0] < end and each.name in theirs and self._outer[each.place] == each.place:
                        yield each.place, theirs[each.name]


def _ends(shown: str) -> dict[int, int]:
    """Offset of an opening brace, or of a semicolon -> the end of what it ends."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for bracket in _BRACKETS.finditer(shown):
        if bracket[0] == "{":
            waiting.append(bracket.start())
        elif bracket[0] == "}" and waiting:
            found[waiting.pop()] = bracket.end()
        else:
            found[bracket.start()] = bracket.end()
    return found


def _outermost(header: str) -> str:
    """A header with what stands in angle brackets blank."""
    depth, shown = 0, []
    for at, character in enumerate(header):
        depth += character == "<"
        shown.append(" " if depth else character)
        depth -= character == ">" and header[at - 1] != "-"
    return "".join(shown)


class Crate(NamedTuple):
    """How a crate is compiled."""

    name: str
    folder: Path
    edition: str
    flags: Sequence[str]


def crate(folder: Path, flags: Sequence[str]) -> Crate:
    """By its manifest; `flags` are what its features and build script would set."""
    package = tomllib.loads((folder / "Cargo.toml").read_text("utf-8"))["package"]
    values = [word for flag in flags for word in ("--cfg", flag)]
    return Crate(package["name"].replace("-", "_"), folder, package.get("edition", "2015"), values)
