"""The Python oracle: every use that the standard parser finds, resolved by a language server's go to definition.

Rules of the file:
- An answer that lies outside the repository says that no definition of it is meant. One at a parameter or variable says
  nothing, and leaves open what else may be meant.
- A server that answers with the constructor behind a value (`self.kind()`) may mean any class that inherits it: it
  counts where no class does. One that adds the `__call__` of what a decorator made to the function says nothing by it.
- A call of the value of a property runs what `properties` says; reading it runs the property.
- A stub and the source beside it are one module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

from bench.accuracy.edges import Definition, Oracle, Relation, Use
from bench.accuracy.lsp import LanguageServer
from bench.accuracy.properties import follow_properties
from bench.accuracy.python_sites import CONSTRUCTORS, Module, Site, read

IMPLIED = (*CONSTRUCTORS, "__call__")
"""What a call reaches without naming it."""

Target = tuple[str, int, int]


def modules_of(root: Path) -> dict[str, Module]:
    """What each source of a root defines and uses; sources with syntax errors are left out."""
    found: dict[str, Module] = {}
    for file in sorted([*root.rglob("*.py"), *root.rglob("*.pyi")]):
        path = file.relative_to(root).as_posix()
        try:
            found[path] = read(path, file.read_text("utf-8"))
        except (SyntaxError, ValueError):
            continue
    return found


def python_oracle(root: Path, command: Sequence[str], ready: str = "") -> Oracle:
    """Asks a language server about every use of a root, where it says so when it is `ready`. Raises TimeoutError."""
    modules = modules_of(root)
    sites = [(path, site) for path, module in modules.items() for site in module.sites]
    with LanguageServer(command, root) as server:
        if ready:
            server.wait_logged(ready)
        in_bytes = server.encoding == "utf-8"
        places = [(path, site.line - 1, site.column if in_bytes else site.col - 1) for path, site in sites]
        answers = server.definitions(places)
    known = Known(root, modules, in_bytes=in_bytes)
    pairs = list(zip(sites, answers, strict=True))
    subclassed = {
        key
        for (path, site), answer in pairs
        if site.relation is Relation.INHERITS
        for key in known.use(path, site, answer, frozenset()).targets
    }
    uses = [known.use(path, site, answer, subclassed) for (path, site), answer in pairs]
    uses += [use for path, module in modules.items() for use in known.packages(path, module)]
    given = {key: places for module in modules.values() for key, places in module.given.items()}
    definitions = tuple(known.definitions())
    return Oracle(definitions, tuple(follow_properties(uses, definitions, given)))


class Known:
    """The definitions of a root, to be found by place. A stub stands for the source beside it."""

    def __init__(self, root: Path, modules: Mapping[str, Module], *, in_bytes: bool = True) -> None:
        """`in_bytes`: columns of answers count bytes of UTF-8, and not UTF-16 code units."""
        self._root = root
        self._in_bytes = in_bytes
        self._modules = modules
        self._beside: dict[str, str] = {}
        """Key, or path, in a stub -> key, or path, in its source."""
        for path, module in modules.items():
            source = modules.get(path.removesuffix("i")) if path.endswith(".pyi") else None
            if source is not None:
                self._beside[path] = path.removesuffix("i")
                self._beside |= {
                    key: source.chains[chain] for chain, key in module.chains.items() if chain in source.chains
                }
        self._by_place = {definition.place: definition for definition in self.definitions()}
        self._lines: dict[str, list[bytes]] = {}

    def definitions(self) -> Iterator[Definition]:
        for module in self._modules.values():
            for found in module.definitions:
                yield Definition(found.place, self._key(found.key), found.name, self._key(found.holder))

    def use(self, path: str, site: Site, answer: Sequence[Target], subclassed: Set[str]) -> Use:
        """A site with its targets; `subclassed` are the classes that others extend."""
        inside = [target for target in answer if target[0] in self._modules]
        meant = [self._definition(target) for target in inside]
        definitions = [definition for definition in meant if definition is not None]
        stated = [d for d in definitions if d.name not in IMPLIED or site.name in IMPLIED or d.name == site.name]
        if stated or site.relation is not Relation.CALLS:
            chosen = stated
        else:
            chosen = [d for d in definitions if d.name == "__call__" or self._key(d.key) not in subclassed]
        targets = {definition.key for definition in chosen}
        if site.relation is Relation.IMPORTS:
            targets |= {self._key(file) for file, line, column in inside if (line, column) == (0, 0)}
        is_known = len(chosen) == len(inside) or (site.relation is Relation.IMPORTS and bool(targets))
        is_resolved = bool(answer) and is_known and not site.is_called_again
        return Use(
            path,
            site.line,
            site.col,
            self._key(site.source),
            site.name,
            site.relation,
            tuple(sorted(targets)),
            is_resolved,
        )

    def packages(self, path: str, module: Module) -> Iterator[Use]:
        """`from . import x` imports the package whatever x is; a server tells of x only."""
        source = self._key(path)
        for site in module.packages:
            package = "/".join([*path.split("/")[: -site.level], "__init__.py"])
            if package in self._modules and package != source:
                yield Use(path, site.line, site.col, source, "", Relation.IMPORTS, (package,), True)

    def _key(self, key: str) -> str:
        return self._beside.get(key, key)

    def _definition(self, target: Target) -> Definition | None:
        file, line, column = target
        if file not in self._lines:
            self._lines[file] = (self._root / file).read_bytes().split(b"\n")
        before = self._lines[file][line][:column].decode() if self._in_bytes else ""
        col = (len(before.encode("utf-16-le")) // 2 if self._in_bytes else column) + 1
        return self._by_place.get(f"{file}:{line + 1}:{col}")
