"""Which roots belong together: a package that one publishes and another imports is one and the same.

Nothing but names is compared: those that a root publishes with those of the external packages of another's map, and
what its manifests say that it makes with what those of another ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

import msgspec

from codemap.file_roles import Role, role_of
from codemap.graph.build.inventory import project_of
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import languages

Named = tuple[str, str]
"""The family of a language, and the name of a package."""
Belongs = Callable[[str, Set[str]], bool]
"""Whether a root belongs to some others."""


class Names(msgspec.Struct, frozen=True):
    """What a root has in common with others."""

    published: frozenset[Named]
    used: frozenset[Named]
    """The packages outside that it imports, or that its manifests ask for."""


def names_of(snapshot: Snapshot) -> Names:
    """The names of one root. What tests and examples state is published nowhere. Cost: its paths and configuration
    files."""
    configs = {path: text for path, text in snapshot.configs.items() if role_of(path) is Role.PRODUCT}
    project = project_of(snapshot.files, configs)
    present = {file.family for file in snapshot.files}
    those = [language for language in languages() if language.family in present]
    published: set[Named] = set()
    used = set(snapshot.externals)
    for family, names in {
        (one.family, one.packaging.publishes) for one in those if one.packaging.publishes is not None
    }:
        published |= {(family, name) for name in names(project)}
    for family, stated in {
        (one.family, one.packaging.distributions) for one in those if one.packaging.distributions is not None
    }:
        found = stated(project)
        published |= {(family, name) for name in found.made}
        used |= {(family, name) for name in found.used - found.made}
    return Names(frozenset(published), frozenset(used))


def linked_roots(asked: str, roots: Mapping[str, Names]) -> list[str]:
    """The other roots whose code a question about one may lead to, in order: those that use what it publishes, and so
    on, and those that publish what any of these use."""
    found = {asked}
    _grow(found, roots, lambda one, others: any(roots[one].used & roots[other].published for other in others))
    _grow(found, roots, lambda one, others: any(roots[one].published & roots[other].used for other in others))
    return [name for name in roots if name in found and name != asked]


def _grow(found: set[str], roots: Mapping[str, Names], belongs: Belongs) -> None:
    """Adds the roots that belong to those found, and to those added."""
    fresh = set(found)
    while fresh:
        fresh = {name for name in roots.keys() - found if belongs(name, fresh)}
        found |= fresh


def publishers_of(roots: Mapping[str, Names]) -> dict[Named, list[str]]:
    """Package -> the roots that publish it, in order."""
    found: dict[Named, list[str]] = {}
    for name, names in roots.items():
        for package in names.published:
            found.setdefault(package, []).append(name)
    return found


def published_twice(roots: Mapping[str, Names]) -> dict[str, list[str]]:
    """Package -> roots, of those that several publish and some root uses."""
    used = frozenset[Named]().union(*(names.used for names in roots.values()))
    return {
        package[1]: listed
        for package, listed in sorted(publishers_of(roots).items())
        if len(listed) > 1 and package in used
    }
