"""What compilers wrote as an oracle: the calls in the instructions of compiled code, by the lines that they came from.

Rules of the file:
- Definitions and calls are found by characters: a call is a name before an opening bracket, in the lines of an
  instruction that calls something of that name. What is called without its name (properties, operators, delegates),
  and what a compiler evaluated or left out, is neither right nor wrong.
- Instructions inside a function that a compiler made (closures, iterators) are those of the definition they were in;
  of accessors, initializers and constructors, those of the class.
- A call is not counted where several definitions may be the one that is called: an abstract method without lines has
  namesakes with as many parameters. Nor is a call of a method outside that a type of the repository may override.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from bench.accuracy.claims import Exported
from bench.accuracy.edges import Definition, Oracle, Relation, Use
from bench.accuracy.languages.lexical import Text

CONSTRUCTOR = ".ctor"
_COMPILED = frozenset(("class", "interface", "enum", "method", "function"))
_NAMED = re.compile(r"[#.]\w+(?:~\d+)?$")
"""The end of an ID of what has a name of its own, unlike constructors and operators."""


class Method(NamedTuple):
    number: str
    type: str
    """Full name, `A.B/C` for a type inside a type."""
    name: str
    parameters: tuple[str, ...]
    """Bare names of their types; those of generic parameters are `*`."""
    path: str
    """Empty where it has no lines."""
    line: int


class Call(NamedTuple):
    caller: str
    """Number of the method."""
    path: str
    first: int
    last: int
    name: str
    """As it is written; of a constructor the class's."""
    target: str
    """Number of a method; empty where it leads outside."""
    outside: str
    """The type outside whose member is called."""


class Compiled(NamedTuple):
    """What a compiler wrote."""

    methods: Sequence[Method]
    bases: Mapping[str, Sequence[str]]
    """Type -> what it extends and implements, outside ones included."""
    calls: Sequence[Call]


class Grammar(NamedTuple):
    """What has to be known of a language."""

    name: str
    suffix: str
    type: re.Pattern[str]
    """Introduces a type; its group is the name."""
    package: str
    """A pattern of what says the package, with `{}` for its name."""
    definition: str
    """A pattern that ends where the name of a function begins that is defined there."""
    made: Callable[[str, str], tuple[str, str]]
    """(type, name) of a method -> those of the definition that it is part of, its name empty where that is the type."""


class _Type(NamedTuple):
    path: str
    names: tuple[str, ...]
    """Its own and those around it, the outermost first."""
    start: int
    """Offset of the name."""
    end: int
    """Offset behind its body."""


class _Source(Text):
    def __init__(self, path: str, source: str, grammar: Grammar) -> None:
        super().__init__(source, grammar.name)
        self.path = path
        self.words = [*self.calls()]
        self._ends = dict(_braces(self.visible))
        self.types: list[_Type] = []
        for found in grammar.type.finditer(self.visible):
            body = re.compile(r"[{;]|\Z").search(self.visible, found.end())
            end = self._ends.get(body.start(), body.start()) if body else found.end()
            following = grammar.type.search(self.visible, found.end())
            if following and body and following.start() < body.start():
                end = found.end()
            around = [each for each in self.types if each.start < found.start(1) < each.end]
            names = (*(each.names[-1] for each in around), found[1])
            self.types.append(_Type(path, names, found.start(1), end))

    def place(self, offset: int) -> str:
        return "{}:{}:{}".format(self.path, *self.position(offset))

    def depth(self, start: int, offset: int) -> int:
        """How many braces are open at an offset that are not at another one before it."""
        part = self.visible[start:offset]
        return part.count("{") - part.count("}")

    def arity(self, offset: int) -> int:
        """Number of parameters in the brackets that open behind a name."""
        depth, count, is_empty = 0, 0, True
        for character in self.visible[self.visible.index("(", offset) :]:
            depth += (character in "([{<") - (character in ")]}>")
            if depth == 0 and character == ")":
                return 0 if is_empty else count + 1
            if not (character == "(" and depth == 1) and not character.isspace():
                is_empty = False
            count += character == "," and depth == 1
        return -1


def bytecode_oracle(root: Path, compiled: Compiled, grammar: Grammar) -> Oracle:
    """What compiled code says of the sources below a root."""
    known = _Known(root, compiled, grammar)
    return Oracle(tuple(known.definitions()), (*known.calls(), *known.bases()))


def without_left_out(exported: Exported, oracle: Oracle) -> Exported:
    """A map without edges to what the compiler left out, which other builds may have: nothing is said of those."""
    known = {definition.place for definition in oracle.definitions}
    gone = {
        node.id
        for node in exported.nodes
        if node.kind in _COMPILED and f"{node.file}:{node.line}:{node.col}" not in known and _NAMED.search(node.id)
    }
    edges = (edge for edge in exported.edges if edge.target not in gone)
    kept = (replace(edge, candidates=tuple(set(edge.candidates) - gone)) for edge in edges)
    return Exported(exported.nodes, tuple(kept))


class _Known:
    def __init__(self, root: Path, compiled: Compiled, grammar: Grammar) -> None:
        self._compiled, self._grammar = compiled, grammar
        self._sources = {
            (path := file.relative_to(root).as_posix()): _Source(
                path, file.read_text("utf-8-sig", errors="replace"), grammar
            )
            for file in sorted(root.rglob(f"*{grammar.suffix}"))
        }
        self._named: dict[tuple[str, ...], list[_Type]] = {}
        for source in self._sources.values():
            for each in source.types:
                self._named.setdefault(each.names, []).append(each)
        self._types = {name: self._parts(name) for name in compiled.bases}
        self._methods = {each.number: each for each in compiled.methods}
        self._places: dict[str, str] = {}
        """Number of a method -> place of its definition."""
        self._defined: dict[tuple[str, str], list[tuple[str, int, str]]] = {}
        """(type, name) -> (path, line, place) of the definitions."""
        for method in compiled.methods:
            is_written = grammar.made(method.type, method.name) == (method.type, method.name)
            if is_written and (place := self._placed(method)):
                self._places[method.number] = place
                path, line, _ = place.rsplit(":", 2)
                self._defined.setdefault((method.type, method.name), []).append((path, int(line), place))

    def definitions(self) -> Iterator[Definition]:
        for name, parts in self._types.items():
            holder = self._type_key(name.rpartition("/")[0])
            for part in parts:
                place = self._sources[part.path].place(part.start)
                yield Definition(place, self._type_key(name), part.names[-1], holder)
        for number, place in self._places.items():
            method = self._methods[number]
            name = f"{method.name.rpartition('.')[2]}({','.join(method.parameters)})"
            yield Definition(place, place, name, self._type_key(method.type))

    def calls(self) -> Iterator[Use]:
        answers: dict[tuple[str, int, int, str, str], list[tuple[str, bool]]] = {}
        for call in self._compiled.calls:
            source = self._sources.get(call.path)
            if source is None:
                continue
            key, is_resolved = self._meant(call)
            owner = self._owner(self._methods[call.caller], call.path, call.first)
            for word in source.words:
                if call.first <= word.line <= call.last and word.name == call.name:
                    site = (call.path, word.line, word.col, word.name, owner)
                    answers.setdefault(site, []).append((key, is_resolved))
        for (path, line, col, name, owner), found in answers.items():
            place = f"{path}:{line}:{col}"
            if place in self._places.values():
                continue
            targets = tuple(sorted({key for key, _ in found if key}))
            is_resolved = all(is_known for _, is_known in found)
            yield Use(path, line, col, owner, name, Relation.CALLS, targets, is_resolved)

    def bases(self) -> Iterator[Use]:
        for name, above in self._compiled.bases.items():
            own = self._type_key(name)
            keys = {self._type_key(each) for each in above} - {"", own}
            if own and keys:
                path = own.rsplit(":", 2)[0]
                yield Use(path, 0, 0, own, "", Relation.INHERITS, tuple(sorted(keys)), True)

    def _meant(self, call: Call) -> tuple[str, bool]:
        """(key of what is called or nothing, whether it is known that nothing else is)."""
        if not call.target:
            return "", not self._may_run_here(call)
        method = self._methods[call.target]
        type_, name = self._grammar.made(method.type, method.name)
        if method.name == CONSTRUCTOR or not name:
            key = self._type_key(type_)
        elif (type_, name) != (method.type, method.name):
            key = self._owner(method, method.path, method.line)
        else:
            key = self._places.get(method.number, "")
        return key, bool(key)

    def _may_run_here(self, call: Call) -> bool:
        """Whether a type of the repository has a member that may stand for one outside."""
        return any(
            method.name == call.name and call.outside in self._above(method.type) for method in self._methods.values()
        )

    def _above(self, name: str) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for above in self._compiled.bases.get(waiting.pop(), ()):
                if above not in found:
                    found.add(above)
                    waiting.append(above)
        return found

    def _owner(self, method: Method, path: str, line: int) -> str:
        """Key of the definition that a method is, or is part of, at a line."""
        type_, name = self._grammar.made(method.type, method.name)
        if (type_, name) == (method.type, method.name) and method.number in self._places:
            return self._places[method.number]
        before = [found for found in self._defined.get((type_, name), ()) if found[0] == path and found[1] <= line]
        if name and before:
            return max(before, key=lambda found: found[1])[2]
        return self._type_key(type_) or path

    def _type_key(self, name: str) -> str:
        parts = self._types.get(name) or ()
        places = [self._sources[part.path].place(part.start) for part in parts]
        return places[0] if places else ""

    def _parts(self, name: str) -> list[_Type]:
        """Where a type is written: by its names, and what the files say of their package."""
        package, _, last = name.rpartition(".")
        names = tuple(re.sub(r"`\d+$", "", each) for each in last.split("/"))
        found = self._named.get(names, [])
        said = re.compile(self._grammar.package.format(re.escape(package)), re.MULTILINE)
        exact = [each for each in found if said.search(self._sources[each.path].visible)] if package else found
        return exact if len({each.path for each in found}) > 1 else found

    def _placed(self, method: Method) -> str:
        """Where the name of a method is written; empty where it is not, or where several places may be the one."""
        if method.name == CONSTRUCTOR:
            return ""
        written = re.compile(
            rf"(?:{self._grammar.definition})({re.escape(method.name.rpartition('.')[2])})\s*(?:<[^()]*?>\s*)?\("
        )
        if method.path:
            source = self._sources.get(method.path)
            if source is None:
                return ""
            end = source.offset(method.line + 1)
            found = list(written.finditer(source.visible, 0, end))
            inside = [part for part in self._types.get(method.type, ()) if part.path == method.path]
            if inside:
                found = [each for each in found if any(part.start < each.start(1) < part.end for part in inside)]
            return source.place(found[-1].start(1)) if found else ""
        places = [
            source.place(each.start(1))
            for part in self._types.get(method.type, ())
            for source in (self._sources[part.path],)
            for each in written.finditer(source.visible, part.start, part.end)
            if source.depth(part.start, each.start(1)) == 1 and source.arity(each.end(1)) == len(method.parameters)
        ]
        return places[0] if len(places) == 1 else ""


def _braces(visible: str) -> Iterator[tuple[int, int]]:
    """(offset of an opening brace, offset behind the one that closes it)."""
    waiting: list[int] = []
    for found in re.finditer(r"[{}]", visible):
        if found[0] == "{":
            waiting.append(found.start())
        elif waiting:
            yield waiting.pop(), found.end()
