"""Import resolution: what an import binds, and which names a module exports.

Re-exports are followed to any depth. A module's names are its exports; where the language lets every module-level name
be imported (`Scopes.exports_bindings`), also those, then what its star imports bring, then its submodules.
"""

from __future__ import annotations

from functools import partial

from codemap.facts import MODULE_VALUE, Import, SourceKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    Definition,
    Meaning,
    ModuleObject,
    Outside,
    join,
    join_all,
    one,
    weaken,
)
from codemap.graph.resolve import namespaces
from codemap.graph.resolve.outside import ambient_definitions
from codemap.project import External, Module, Resolution

IMPORT = Confidence.IMPORT
DEFAULT = "default"
_YES = one(Confidence.EXACT, Outside("", "yes"))


def resolve_module(ev: Evaluator, file: GraphFile, row: int) -> Resolution:
    """The module that an import row asks for."""
    known = file.resolved.get(row)
    if known is None:
        resolver = ev.resolvers[file.language.name]
        known = file.resolved[row] = resolver.resolve(specifier_of(file, row), file.path)
    return known


def specifier_of(file: GraphFile, row: int) -> str:
    """What an import row asks for, as written."""
    return file.names[file.imports[row * Import.WIDTH + Import.SPECIFIER]]


def resolve_modules(ev: Evaluator, file: GraphFile) -> None:
    """Resolves every module that a file imports, so that the resolver has it cached before binding asks for it.

    What it remembers outlives the build. Made among all that binding makes for itself, each answer would keep a piece
    of that memory from going back to the system (of Django 5.2 a hundred megabytes).
    """
    imports, names = file.imports, file.names
    resolver = ev.resolvers[file.language.name]
    for specifier in {imports[at] for at in range(Import.SPECIFIER, len(imports), Import.WIDTH)}:
        resolver.resolve(names[specifier], file.path)


def evaluate_path(ev: Evaluator, file: GraphFile, row: int) -> Meaning | None:
    """What an import row asks something of that is written as a path; None where it asks a module."""
    expr = file.imports[row * Import.WIDTH + Import.PATH]
    return None if expr < 0 else ev.expr(file, expr)


def resolve_import(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    """What an import row binds: a module, or the definition that the module exports under that name."""
    assert ev.solver.frame is file
    memo = file.import_memo
    cell = memo[row]
    known = ev.solver.known(cell)
    if known is not None:
        return known
    return ev.solver.solve(cell, partial(memo.__setitem__, row), partial(_resolve_import, ev, file, row))


def _resolve_import(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    wanted = file.imports[row * Import.WIDTH + Import.IMPORTED]
    name = file.names[wanted] if wanted >= 0 else ""
    of = evaluate_path(ev, file, row)
    if of is not None:
        return weaken(of if wanted < 0 else ev.find_attribute(of, name), IMPORT)
    module = resolve_module(ev, file, row)
    if not isinstance(module, Module):
        outside = one(IMPORT, Outside(module.package, name)) if isinstance(module, External) else NOTHING
        if not file.language.scopes.has_ambient:
            return outside
        declared = ambient_definitions.find_declared(ev, file, specifier_of(file, row), name)
        return declared if declared.values else outside
    if wanted < 0:
        return one(IMPORT, ModuleObject(module, file.language.name))
    return weaken(find_module_member(ev, module, name, file.language.name), IMPORT)


def find_module_member(ev: Evaluator, module: Module, name: str, language: str) -> Meaning:
    """What a module exports under a name to a file of `language`."""
    if module.is_union:
        return join_all([find_module_member(ev, Module(path), name, language) for path in sorted(module.files)])
    if module.within and not module.files:
        found = one(IMPORT, ModuleObject(Module(module.file), language))
        for part in module.within.split("."):
            found = ev.find_attribute(found, part)
        return ev.find_attribute(found, name)
    file = ev.files.get(module.file) if module.file is not None and not module.files else None
    if file is None:
        frame = ev.solver.frame
        key: tuple[object, ...] = ("of several", frame, module, name)
        return ev.ask(frame, key, lambda: _find_module_member(ev, module, name, language))
    key = ("offered", file.base, name, module.directory, language)
    return ev.ask(file, key, lambda: _find_module_member(ev, module, name, language))


def _find_module_member(ev: Evaluator, module: Module, name: str, language: str) -> Meaning:
    if module.files:
        found = namespaces.find_member(ev, module, name, language)
        if found.values:
            return found
    file = ev.files.get(module.file) if module.file is not None and not module.files else None
    if file is not None:
        found = _find_export(ev, file, name)
        if found.values:
            return found
    if file is not None:
        found = resolve_starred(ev, file, name)
        if found.values:
            return found
    if module.directory is not None:
        ev.note("child", language, module.directory, name)
    child = ev.resolvers[language].child(module, name)
    return NOTHING if child is None else one(IMPORT, ModuleObject(child, language))


def _find_export(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    row = file.export_rows.get(name)
    if row is not None:
        found = resolve_export(ev, file, row)
        if found.values:
            return found
    if file.language.scopes.exports_bindings:
        binding = file.module_names.get(name)
        if binding is not None:
            return ev.binding(file, binding)
    own = file.export_rows.get(MODULE_VALUE)
    if own is not None:
        value = resolve_export(ev, file, own)
        if name == DEFAULT:
            return value
        found = ev.find_attribute(ev.value_of(value), name)
        if found.values:
            return found
    if name != DEFAULT:
        for star in file.star_exports:
            found = _find_through_star(ev, file, star, name)
            if found.values:
                return found
    return NOTHING


def resolve_export(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    """What a row of `exports` denotes."""
    binding, import_ = file.exports[row * 5 + 1], file.exports[row * 5 + 2]
    if binding >= 0:
        return ev.binding(file, binding)
    return resolve_import(ev, file, import_) if import_ >= 0 else NOTHING


def resolve_module_value(ev: Evaluator, module: Module) -> Meaning:
    """The value of the module itself, where it assigns one (`module.exports = f`)."""
    file = ev.files.get(module.file) if module.file is not None else None
    if file is None:
        return NOTHING
    return weaken(evaluate_module_value(ev, file.base), IMPORT)


def read_modules(ev: Evaluator, meaning: Meaning) -> Meaning:
    """Some values, with what modules among them say that they are in their place."""
    if not any(isinstance(value, ModuleObject) for value in meaning.values):
        return meaning
    result = NOTHING
    for value in meaning.values:
        own = resolve_module_value(ev, value.module) if isinstance(value, ModuleObject) else NOTHING
        result = join(result, own if own.values else one(meaning.confidence, value))
    return result


def evaluate_module_value(ev: Evaluator, node: int) -> Meaning:
    """What a file says that the module itself is."""
    file = ev.file_of_node(node)
    row = file.export_rows.get(MODULE_VALUE)
    return ev.ask(file, ("module value", node), lambda: NOTHING if row is None else resolve_export(ev, file, row))


def resolve_starred(ev: Evaluator, file: GraphFile, name: str) -> Meaning:
    """What a bare name denotes that only a star import can have bound."""
    return resolve_starred_in(ev, file, 0, name)


def resolve_starred_in(ev: Evaluator, file: GraphFile, space: int, name: str) -> Meaning:
    """The same of a name in a namespace of the file, by its symbol."""
    binding = file.members.get(space, {}).get("*")
    if binding is None or name == "*":
        return NOTHING
    return ev.ask(file, ("star", file.base + space, name), lambda: _resolve_starred(ev, file, binding, name))


def _resolve_starred(ev: Evaluator, file: GraphFile, binding: int, name: str) -> Meaning:
    result = NOTHING
    for kind, import_, _ in ev.sources(file, binding):
        if kind != SourceKind.IMPORT:  # a key of that name: `{"*": value}`
            continue
        is_implicit = file.is_implicit(import_)
        if is_implicit and result.values:
            return result
        found = _find_through_star(ev, file, import_, name)
        if is_implicit and found.values:
            return found
        result = join(found, result)
    return result


def _find_through_star(ev: Evaluator, file: GraphFile, import_: int, name: str) -> Meaning:
    of = evaluate_path(ev, file, import_)
    if of is not None:
        inside = Meaning(of.confidence, tuple(v for v in of.values if isinstance(v, (ModuleObject, Definition))))
        found = ev.find_attribute(inside, name)
        if any(isinstance(value, Definition) for value in inside.values):
            # a base outside is not known to have every name
            found = Meaning(found.confidence, tuple(v for v in found.values if not isinstance(v, Outside) or v.package))
        return weaken(found, IMPORT)
    module = resolve_module(ev, file, import_)
    if not isinstance(module, Module):
        return NOTHING
    target = ev.files.get(module.file) if module.file is not None else None
    if target is not None and not module.files and not find_public(ev, target, 0, name).values:
        return NOTHING
    return weaken(find_module_member(ev, module, name, file.language.name), IMPORT)


def find_public(ev: Evaluator, file: GraphFile, space: int, name: str) -> Meaning:
    """Something where a star import of the file brings a name."""
    return ev.ask(file, ("public", file.base + space, name), lambda: _YES if _is_public(ev, file, name) else NOTHING)


def _is_public(ev: Evaluator, file: GraphFile, name: str) -> bool:
    """Whether a star import binds a name: one that the module lists, or else one that is not private by convention."""
    if not file.language.scopes.exports_bindings or not file.language.scopes.exports_hide:
        return True
    if file.export_rows or file.star_exports:
        listed_elsewhere = any(_find_through_star(ev, file, star, name).values for star in file.star_exports)
        return name in file.export_rows or listed_elsewhere
    prefix = file.language.scopes.private_prefix
    return not (prefix and name.startswith(prefix))
