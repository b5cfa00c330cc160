"""Imports across roots: what lies outside one root, another may publish.

Each import is resolved in its own root first, as if there were no other. Only a package that this does not have, and
that another root publishes by that name, is looked for there, as whatever imports that root's packages finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codemap.graph.model.root_paths import split_path
from codemap.languages.project import External, Missing, Module, ModuleResolver, Resolution


class JoinedModules:
    """The modules of one language in several roots, by the prefix of each."""

    def __init__(self, resolvers: Mapping[str, ModuleResolver], publishers: Mapping[str, Sequence[str]]) -> None:
        """`publishers` are the prefixes of the roots that publish a package, by its name; the first is meant."""
        self._resolvers = resolvers
        self._publishers = publishers

    def resolve(self, specifier: str, importer: str) -> Resolution:
        prefix, path = split_path(importer, self._resolvers)
        resolver = self._resolvers.get(prefix)
        found: Resolution = Missing() if resolver is None else resolver.resolve(specifier, path)
        if isinstance(found, External):
            for other in self._publishers.get(found.package, ()):
                published = self._resolvers[other].resolve(specifier, "")
                if isinstance(published, Module):
                    return _moved(published, other)
        return _moved(found, prefix) if isinstance(found, Module) else found

    def child(self, module: Module, name: str) -> Module | None:
        if module.directory is None:
            return None
        prefix, folder = split_path(module.directory, self._resolvers)
        resolver = self._resolvers.get(prefix)
        found = None if resolver is None else resolver.child(Module(None, folder), name)
        return None if found is None else _moved(found, prefix)


def _moved(module: Module, prefix: str) -> Module:
    """A module of a root as the map of several names it."""
    if not prefix:
        return module
    return Module(
        None if module.file is None else prefix + module.file,
        None if module.directory is None else prefix + module.directory,
        frozenset(prefix + file for file in module.files),
        module.within,
    )
