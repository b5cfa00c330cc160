"""The map of several roots: built like that of one that holds them as folders, but that imports meet by what is
published.

Every edge is therefore what it would be in one root, with its confidence. The map is made from the facts of the roots'
own maps, which nobody parses again, and from the map of before by what differs from that. It is for questions that
lead out of a root, and is never stored.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping

from codemap.graph.build.build import build
from codemap.graph.build.rebinding import Progress
from codemap.graph.joined.links import Names, publishers_of
from codemap.graph.joined.module_resolution import JoinedModules, JoinedNamespaces
from codemap.graph.model.indexed_file import Extracted, IndexedFile
from codemap.graph.model.root_paths import OWN, prefix_of
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.overlay import confirm, overlay_of, without_overlay
from codemap.languages import by_name
from codemap.languages.project import ModuleResolver, Project


def join(
    asked: str,
    snapshots: Mapping[str, Snapshot],
    names: Mapping[str, Names],
    previous: Snapshot | None,
    whole: Collection[str] = (),
) -> Generator[Progress, None, Snapshot]:
    """The map of some roots, by name, for questions to one of them: its own files keep their paths, those of others
    have the root's name before theirs.

    `previous` is the last one of the same roots for the same, without what was confirmed. Of other roots than those in
    `whole`, only files of languages are in it by whose packages roots are linked.
    """
    families = {family for one in names.values() for family, _ in one.published}
    all_of = {OWN, *map(prefix_of, whole)}
    members = {(OWN if name == asked else prefix_of(name)): without_overlay(one) for name, one in snapshots.items()}
    known = {} if previous is None else previous.by_path
    changed: dict[str, Extracted] = {}
    configs: dict[str, bytes] = {}
    paths: dict[str, IndexedFile] = {}
    for prefix, member in members.items():
        configs |= {prefix + path: text for path, text in member.configs.items()}
        for file in member.files:
            if prefix in all_of or file.family in families:
                path = prefix + file.path
                paths[path] = file
                before = known.get(path)
                if before is None or before.stamp.digest != file.stamp.digest or before.lang != file.lang:
                    changed[path] = Extracted(file.facts, file.stamp)
    removed = frozenset(known) - paths.keys()
    if previous is not None and not changed and not removed and previous.configs == configs:
        return previous
    resolvers = _joined_resolvers(asked, members, names) | _of_namespaces(asked, members, paths, configs)
    built_at = max(member.built_at for member in members.values())
    return (yield from build(previous, changed, removed, configs, built_at=built_at, resolvers=resolvers))


def with_confirmed(joined: Snapshot, own: Snapshot) -> Snapshot:
    """The same with what language servers confirmed in the root that is asked."""
    overlay = overlay_of(own)
    return joined if overlay is None else confirm(joined, overlay.found)


def _joined_resolvers(
    asked: str, members: Mapping[str, Snapshot], names: Mapping[str, Names]
) -> dict[str, ModuleResolver]:
    """Module resolvers by language, over all roots."""
    publishers: dict[str, dict[str, list[str]]] = {}
    for (family, package), roots in publishers_of(names).items():
        # What the asked root publishes is meant first: it may be one of two checkouts.
        found = sorted((OWN if name == asked else prefix_of(name) for name in roots), key=lambda one: one != OWN)
        publishers.setdefault(family, {})[package] = found
    resolvers: dict[str, ModuleResolver] = {}
    for name in sorted(_used(members)):
        language = by_name()[name]
        if language.shares_namespaces:
            continue
        family = language.family
        resolving = {prefix: _resolver_of(member, name) for prefix, member in members.items()}
        those = {prefix: one for prefix, one in resolving.items() if one is not None}
        known = {
            package: [prefix for prefix in listed if prefix in those]
            for package, listed in publishers.get(family, {}).items()
        }
        resolvers[name] = JoinedModules(those, known, language.specifier_outside)
    return resolvers


def _of_namespaces(
    asked: str, members: Mapping[str, Snapshot], files: Mapping[str, IndexedFile], configs: Mapping[str, bytes]
) -> dict[str, ModuleResolver]:
    """Module resolvers by language, of those whose namespaces are the same in all roots."""
    shared = [name for name in sorted(_used(members)) if by_name()[name].shares_namespaces]
    if not shared:
        return {}
    own = prefix_of(asked)
    below = JoinedNamespaces.below
    project = Project(
        files=frozenset(below(own, path, members) for path in files),
        configs={below(own, path, members): text for path, text in configs.items()},
        packages={below(own, path, members): file.packages for path, file in files.items() if file.packages},
    )
    return {name: JoinedNamespaces(by_name()[name].modules(project), own, members) for name in shared}


def _used(members: Mapping[str, Snapshot]) -> set[str]:
    return {language for member in members.values() for language in member.resolvers}


def _resolver_of(member: Snapshot, language: str) -> ModuleResolver | None:
    """The resolver of a language, or of one of its family, which resolves alike."""
    family = by_name()[language].family
    alike = [name for name in member.resolvers if by_name()[name].family == family]
    return member.resolvers.get(language) or (member.resolvers[alike[0]] if alike else None)
