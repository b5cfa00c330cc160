"""Reads what a file imports, and what it offers by statements of its own, so that two versions can be compared.

That a file offers a definition, or does not any more, counts where both versions have the definition; where it came or
went, that is a change of the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from codemap.changes.version import Version
from codemap.facts import Binding, Export, FileFacts, Import, ImportFlag, Source, SourceKind, rows

_UNWRITTEN = int(ImportFlag.IMPLICIT | ImportFlag.HEAD)
_STAR = "*"


class Named(msgspec.Struct, frozen=True):
    """The first statement for it."""

    line: int
    name: str
    """What the file calls it, or what it is imported from where it has no name."""


Asked = Mapping[tuple[str, str], Named]
"""By what it is imported from, and the name that it has there, or ""."""


def list_imports(version: Version) -> Asked:
    """What is imported, without what is only passed on."""
    facts = version.facts
    passed = {cells[Export.IMPORT] for cells in _rows(facts.exports, Export.WIDTH)}
    local = _name_imports(version)
    found: dict[tuple[str, str], Named] = {}
    for row, cells in enumerate(_rows(facts.imports, Import.WIDTH)):
        if row not in passed and not cells[Import.FLAGS] & _UNWRITTEN:
            source, name = _read_import(version, cells)
            found.setdefault((source, name), Named(cells[Import.LINE], local.get(row, source)))
    return found


def list_exports(version: Version) -> Asked:
    """What is offered under which name: by meaning and name."""
    imports = list(_rows(version.facts.imports, Import.WIDTH))
    names = version.facts.names
    found: dict[tuple[str, str], Named] = {}
    for cells in _rows(version.facts.exports, Export.WIDTH):
        name = names[cells[Export.NAME]] if cells[Export.NAME] >= 0 else _STAR
        shown = name
        if cells[Export.IMPORT] >= 0:
            source, asked = _read_import(version, imports[cells[Export.IMPORT]])
            meaning, shown = f"{source} {asked}", source if name == _STAR else name
        elif cells[Export.BINDING] >= 0:
            meaning = _name_of_binding(version, cells[Export.BINDING])
        else:
            meaning = ""
        found.setdefault((meaning, name), Named(cells[Export.LINE], shown))
    return found


def list_gone(read: Callable[[Version], Asked], before: Version, after: Version) -> list[Named]:
    """What one version has that the other lacks, but for definitions that the other lacks altogether."""
    kept, defined = read(after), set(after.qualified_names)
    went = set(before.qualified_names) - defined
    return [one for key, one in read(before).items() if key not in kept and not (key[0] == key[1] and key[0] in went)]


def list_unbound(version: Version) -> Asked:
    """What is imported that binds no name here."""
    imports = list(_rows(version.facts.imports, Import.WIDTH))
    found = {}
    for row in unbound(version.facts):
        source, name = _read_import(version, imports[row])
        found[source, name] = Named(imports[row][Import.LINE], source)
    return found


def unbound(facts: FileFacts) -> list[int]:
    """The rows of the written imports that bind no name, and pass none on."""
    used = {cells[Source.A] for cells in _rows(facts.sources, Source.WIDTH) if cells[Source.KIND] == SourceKind.IMPORT}
    used |= {cells[Export.IMPORT] for cells in _rows(facts.exports, Export.WIDTH)}
    imports = enumerate(_rows(facts.imports, Import.WIDTH))
    return [row for row, cells in imports if row not in used and not cells[Import.FLAGS] & _UNWRITTEN]


def _read_import(version: Version, cells: list[int]) -> tuple[str, str]:
    names, name = version.facts.names, cells[Import.IMPORTED]
    asked = _STAR if name == Import.STAR else names[name] if name >= 0 else ""
    return names[cells[Import.SPECIFIER]], asked


def _name_imports(version: Version) -> dict[int, str]:
    """Row of an import -> the name that it binds."""
    sources = list(_rows(version.facts.sources, Source.WIDTH))
    found: dict[int, str] = {}
    for binding, cells in enumerate(_rows(version.facts.bindings, Binding.WIDTH)):
        for kind, row, _ in sources[cells[Binding.FIRST] : cells[Binding.FIRST] + cells[Binding.COUNT]]:
            if kind == SourceKind.IMPORT:
                found.setdefault(row, _name_of_binding(version, binding))
    return found


def _name_of_binding(version: Version, binding: int) -> str:
    table = rows(version.facts.bindings)
    return version.facts.names[table[binding * Binding.WIDTH + Binding.NAME]]


def _rows(table: bytes, width: int) -> Iterator[list[int]]:
    cells = rows(table)
    for at in range(0, len(cells), width):
        yield cells[at : at + width].tolist()
