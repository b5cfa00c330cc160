"""Which files an edit makes the graph bind again.

A file must be bound again when it changed itself, or when it mentions a name whose meaning may have changed elsewhere.
Those names begin with the differences of the changed files' surfaces, and grow by every public name whose meaning
depends on one of them. Where that reasoning does not reach (bases of a class, configuration), everything is bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from codemap.facts import MODULE_VALUE, Import, rows
from codemap.graph.indexed import IndexedFile
from codemap.graph.surface import Surface
from codemap.languages import languages
from codemap.languages.language import Module, ModuleResolver

Everything = None
"""The answer where the whole graph is to be bound again."""

_DIRTY_SHARE_MAX = 0.4
"""Beyond this share of the files, binding everything costs no more than finding out."""


def affected(
    before: Mapping[str, IndexedFile],
    files: Sequence[IndexedFile],
    changed: Set[str],
    removed: Set[str],
    old_resolvers: Mapping[str, ModuleResolver],
    resolvers: Mapping[str, ModuleResolver],
) -> set[str] | None:
    """Paths of the files to bind again, or Everything.

    `before` are the files of the previous snapshot by path, `files` those of the next; `changed` are new or have other
    contents. Cost: the changed files, and a scan of the other files' names when a surface changed.
    """
    after = {file.path: file for file in files}
    names: set[str] = set()
    dirty = set(changed)
    for path in changed | removed:
        old, new = before.get(path), after.get(path)
        difference = _difference(old, new)
        if difference is None:
            return Everything
        names |= difference
        stars = _stars(old, new)
        if stars:
            names |= _offered(stars, path, after, new.lang if new is not None else "", resolvers)
    is_layout_new = before.keys() != after.keys()
    if is_layout_new:
        moved = _moved_imports(before, files, changed, old_resolvers, resolvers)
        dirty |= moved.keys()
        names |= {name for found in moved.values() for name in found}
        names |= {_module_name(path) for path in changed | removed if (path in before) != (path in after)}
    if not names:
        return dirty
    if not names.isdisjoint(_implied()):
        return Everything
    return _spread(names, dirty, files)


def _implied() -> set[str]:
    """Names that an expression may use without mentioning them: methods behind operations, a module's own value."""
    return {MODULE_VALUE}.union(*(language.protocols.values() for language in languages()))


def _difference(old: IndexedFile | None, new: IndexedFile | None) -> set[str] | None:
    """The names of which two versions of a file say different things; None where their classes have other bases."""
    if old is not None and new is not None and old.facts.is_script != new.facts.is_script:
        return Everything
    left = old.surface if old is not None else None
    right = new.surface if new is not None else None
    if left is not None and right is not None and _rebased(left, right):
        return Everything
    shown_left = left.shown if left is not None else {}
    shown_right = right.shown if right is not None else {}
    return {n for n in shown_left.keys() | shown_right.keys() if shown_left.get(n) != shown_right.get(n)}


def _rebased(left: Surface, right: Surface) -> bool:
    """Whether a class that both versions have stands on other bases."""
    return any(
        left.bases.get(cls) != right.bases.get(cls) and _has_class(left, cls) and _has_class(right, cls)
        for cls in left.bases.keys() | right.bases.keys()
    )


def _has_class(surface: Surface, path: object) -> bool:
    assert isinstance(path, tuple)
    return any(isinstance(said, tuple) and said[0] == path for said in surface.shown.get(path[0], ()))


def _stars(old: IndexedFile | None, new: IndexedFile | None) -> set[str]:
    """Specifiers whose every name a file began or ceased to bring."""
    left = old.surface.stars if old is not None else set()
    right = new.surface.stars if new is not None else set()
    return left ^ right


def _offered(
    specifiers: Iterable[str],
    importer: str,
    files: Mapping[str, IndexedFile],
    lang: str,
    resolvers: Mapping[str, ModuleResolver],
) -> set[str]:
    """Every name that these modules may offer, through their own stars too."""
    names: set[str] = set()
    todo = [(specifier, importer) for specifier in specifiers]
    seen: set[str] = set()
    while todo:
        specifier, path = todo.pop()
        module = resolvers[lang].resolve(specifier, path) if lang in resolvers else None
        if not isinstance(module, Module) or module.file is None or module.file in seen or module.file not in files:
            continue
        seen.add(module.file)
        surface = files[module.file].surface
        names |= surface.shown.keys()
        todo += [(star, module.file) for star in surface.stars]
    return names


def _moved_imports(
    before: Mapping[str, IndexedFile],
    files: Sequence[IndexedFile],
    changed: Set[str],
    old_resolvers: Mapping[str, ModuleResolver],
    resolvers: Mapping[str, ModuleResolver],
) -> dict[str, set[str]]:
    """Unchanged files of which an import now leads elsewhere -> the public names that depend on their imports."""
    moved: dict[str, set[str]] = {}
    for file in files:
        if file.path in changed or file.path not in before:
            continue
        cells = rows(file.facts.imports)
        old, new = old_resolvers.get(file.lang), resolvers[file.lang]
        specifiers = {cells[at + Import.SPECIFIER] for at in range(0, len(cells), Import.WIDTH)}
        for number in specifiers:
            specifier = file.facts.names[number]
            if old is None or old.resolve(specifier, file.path) != new.resolve(specifier, file.path):
                moved[file.path] = set(file.surface.shown)
                break
    return moved


def _module_name(path: str) -> str:
    """The name by which a parent package knows a module."""
    parts = path.split("/")
    stem = parts[-1].partition(".")[0]
    return parts[-2] if stem.startswith("__") and len(parts) > 1 else stem


def _spread(names: set[str], dirty: set[str], files: Sequence[IndexedFile]) -> set[str] | None:
    """Adds the files that mention the names, and the public names that depend on them, until nothing is added."""
    fresh = names
    limit = max(8, int(len(files) * _DIRTY_SHARE_MAX))
    while fresh:
        found: set[str] = set()
        for file in files:
            if fresh.isdisjoint(file.facts.names):
                continue
            dirty.add(file.path)
            if len(dirty) > limit:
                return Everything
            surface = file.surface
            if not surface.base_mentions.isdisjoint(fresh):
                return Everything
            found |= {name for name, mentioned in surface.mentions.items() if not mentioned.isdisjoint(fresh)}
        fresh = found - names
        names |= fresh
    return dirty
