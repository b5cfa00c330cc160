"""Imports across roots: what lies outside one root, another may publish.

Where a root publishes packages by names of its own, each import is resolved in its own root first, as if there were no
other. Only a package that this does not have, and that another root publishes by that name, is looked for there, as
whatever imports that root's packages finds it. Where imports name namespaces, of which several roots may have a part,
they are resolved over the files of all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from codemap.project import External, Missing, Module, ModuleResolver, Resolution
from codemap.root_paths import OWN, split_path


class JoinedModules:
    """The modules of one language in several roots, by the prefix of each."""

    def __init__(
        self,
        resolvers: Mapping[str, ModuleResolver],
        publishers: Mapping[str, Sequence[str]],
        specifier_outside: Callable[[str, str], str] | None = None,
    ) -> None:
        """`publishers` are the prefixes of the roots that publish a package, by its name; the first is meant.
        `specifier_outside` is that of the language."""
        self._resolvers = resolvers
        self._publishers = publishers
        self._specifier_outside = specifier_outside

    def resolve(self, specifier: str, importer: str) -> Resolution:
        prefix, path = split_path(importer, self._resolvers)
        resolver = self._resolvers.get(prefix)
        found: Resolution = Missing() if resolver is None else resolver.resolve(specifier, path)
        if isinstance(found, External):
            outside = self._specifier_outside
            for other in self._publishers.get(found.package, ()):
                meant = specifier if outside is None else outside(found.package, specifier)
                published = self._resolvers[other].resolve(meant, "")
                if isinstance(published, Module):
                    return _moved(published, other)
        if isinstance(found, Missing) and found.perhaps:
            return Missing(frozenset(prefix + file for file in found.perhaps))
        return _moved(found, prefix) if isinstance(found, Module) else found

    def child(self, module: Module, name: str) -> Module | None:
        if module.directory is None:
            return None
        prefix, folder = split_path(module.directory, self._resolvers)
        resolver = self._resolvers.get(prefix)
        found = None if resolver is None else resolver.child(Module(None, folder), name)
        return None if found is None else _moved(found, prefix)


class JoinedNamespaces:
    """The namespaces of one language in several roots. In the project behind them, each root is a folder, that which is
    asked, too: so what is near to a file is in its own root."""

    def __init__(self, resolver: ModuleResolver, own: str, prefixes: Collection[str]) -> None:
        """`own` is the folder of the root that is asked, with a slash; `prefixes` are those of all roots."""
        self._resolver = resolver
        self._own = own
        self._prefixes = prefixes
        self._named: dict[Module, Module] = {}
        """As the project behind has them -> as the map names them."""

    @staticmethod
    def below(own: str, path: str, prefixes: Collection[str]) -> str:
        """A path of the map as the project behind it has it."""
        return own + path if split_path(path, prefixes)[0] == OWN else path

    def resolve(self, specifier: str, importer: str) -> Resolution:
        found = self._resolver.resolve(specifier, self.below(self._own, importer, self._prefixes))
        return self._name(found) if isinstance(found, Module) else found

    def child(self, module: Module, name: str) -> Module | None:
        # Namespaces are no folders: what holds them is named alike in every root.
        found = self._resolver.child(module, name)
        return None if found is None else self._name(found)

    def _name(self, module: Module) -> Module:
        known = self._named.get(module)
        if known is None:
            known = self._named[module] = Module(
                None if module.file is None else module.file.removeprefix(self._own),
                module.directory,
                frozenset(file.removeprefix(self._own) for file in module.files),
                module.within,
                module.is_union,
            )
        return known


def _moved(module: Module, prefix: str) -> Module:
    """A module of a root as the map of several names it."""
    if not prefix:
        return module
    return Module(
        None if module.file is None else prefix + module.file,
        None if module.directory is None else prefix + module.directory,
        frozenset(prefix + file for file in module.files),
        module.within,
        module.is_union,
    )
