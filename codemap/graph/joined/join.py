"""The map of several roots: built like that of one that holds them as folders, but that imports meet by what is
published.

Every edge is therefore what it would be in one root, with its confidence. The map is made from the facts of the roots'
own maps, which nobody parses again, and from the map of before by what differs from that. It is for questions that
lead out of a root, and is never stored.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Set
from typing import Protocol

from codemap.graph.build.build import build
from codemap.graph.build.rebinding import Progress
from codemap.graph.joined.links import Names, publishers_of
from codemap.graph.joined.module_resolution import JoinedModules, JoinedNamespaces
from codemap.graph.model.indexed_file import Extracted, IndexedFile
from codemap.graph.model.snapshot import Snapshot
from codemap.graph.verified.overlay import confirm, overlay_of, without_overlay
from codemap.languages import by_name
from codemap.project import ModuleResolver, Project
from codemap.root_paths import OWN, Roots, prefix_of, split_path


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
    roots = Roots(prefix_of(asked), tuple(sorted(members.keys() - {OWN})), _publishers(asked, names))
    resolvers = _resolvers(roots, {prefix: member.resolvers for prefix, member in members.items()}, paths, configs)
    built_at = max(member.built_at for member in members.values())
    steps = build(previous, changed, removed, configs, built_at=built_at, resolvers=resolvers, roots=roots)
    return (yield from steps)


def join_version(
    joined: Snapshot, changed: Mapping[str, Extracted], removed: Set[str], configs: Mapping[str, bytes]
) -> Generator[Progress, None, Snapshot]:
    """A map of several roots with some files as they are in another version, and these configuration files."""
    roots = joined.roots
    assert roots is not None, "it is of several"
    files: dict[str, _Placed] = {file.path: file for file in joined.files if file.path not in removed}
    files |= {path: one.facts for path, one in changed.items()}
    of_root: dict[str, dict[str, _Placed]] = {prefix: {} for prefix in (OWN, *roots.others)}
    for path, file in files.items():
        prefix, rest = split_path(path, of_root)
        of_root[prefix][rest] = file
    resolvers: dict[str, dict[str, ModuleResolver]] = {}
    for prefix, its in of_root.items():
        mine = {rest: text for at, text in configs.items() for own, rest in (split_path(at, of_root),) if own == prefix}
        project = Project(
            files=frozenset(its),
            configs=mine,
            packages={path: file.packages for path, file in its.items() if file.packages},
        )
        used = sorted({file.lang for file in its.values()})
        resolvers[prefix] = {name: by_name()[name].modules(project) for name in used}
    made = _resolvers(roots, resolvers, files, configs)
    built_at = joined.built_at
    return (yield from build(joined, changed, removed, configs, built_at=built_at, resolvers=made, roots=roots))


def with_confirmed(joined: Snapshot, own: Snapshot) -> Snapshot:
    """The same with what language servers confirmed in the root that is asked."""
    overlay = overlay_of(own)
    return joined if overlay is None else confirm(joined, overlay.found)


class _Placed(Protocol):
    """What resolvers read of a file."""

    @property
    def lang(self) -> str: ...
    @property
    def packages(self) -> tuple[str, ...]: ...


def _publishers(asked: str, names: Mapping[str, Names]) -> dict[str, dict[str, list[str]]]:
    """See `Roots.publishers`. What the asked root publishes is meant first: it may be one of two checkouts."""
    publishers: dict[str, dict[str, list[str]]] = {}
    for (family, package), listed in publishers_of(names).items():
        found = sorted((OWN if name == asked else prefix_of(name) for name in listed), key=lambda one: one != OWN)
        publishers.setdefault(family, {})[package] = found
    return publishers


def _resolvers(
    roots: Roots,
    members: Mapping[str, Mapping[str, ModuleResolver]],
    files: Mapping[str, _Placed],
    configs: Mapping[str, bytes],
) -> dict[str, ModuleResolver]:
    """Module resolvers by language, over all roots: from those of each, by prefix, or where namespaces are the same in
    all, from the files of all."""
    used = sorted({name for member in members.values() for name in member})
    made: dict[str, ModuleResolver] = {}
    for name in used:
        language = by_name()[name]
        if not language.packaging.shares_namespaces:
            resolving = {prefix: _resolver_of(member, name) for prefix, member in members.items()}
            those = {prefix: one for prefix, one in resolving.items() if one is not None}
            known = {
                package: [prefix for prefix in listed if prefix in those]
                for package, listed in roots.publishers.get(language.family, {}).items()
            }
            made[name] = JoinedModules(those, known, language.packaging.specifier_outside)
    shared = [name for name in used if by_name()[name].packaging.shares_namespaces]
    if shared:
        below, own = JoinedNamespaces.below, roots.own
        project = Project(
            files=frozenset(below(own, path, members) for path in files),
            configs={below(own, path, members): text for path, text in configs.items()},
            packages={below(own, path, members): file.packages for path, file in files.items() if file.packages},
        )
        made |= {name: JoinedNamespaces(by_name()[name].modules(project), own, members) for name in shared}
    return made


def _resolver_of(member: Mapping[str, ModuleResolver], language: str) -> ModuleResolver | None:
    """The resolver of a language, or of one of its family, which resolves alike."""
    family = by_name()[language].family
    alike = [name for name in member if by_name()[name].family == family]
    return member.get(language) or (member[alike[0]] if alike else None)
