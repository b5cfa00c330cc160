"""One file's uses become edges.

Each use is evaluated once per (owner, role, expression); its values are the targets. What stays unknown and is used as
a member is kept as unresolved under its name, so that questions about any definition of that name can list it.
"""

from __future__ import annotations

from codemap.facts import Export, Import, Op, Symbol, SymbolFlag, SymbolKind, Use, UseRole, rows
from codemap.graph import classes, linkage
from codemap.graph.edges import EdgeKind
from codemap.graph.evaluate import Evaluator
from codemap.graph.files import GraphFile
from codemap.graph.snapshot import BARE
from codemap.graph.values import Confidence, Meaning, Tag, Value
from codemap.languages.language import External, Missing, Module

_KIND_OF_ROLE = {
    UseRole.CALL: EdgeKind.CALLS,
    UseRole.REFERENCE: EdgeKind.REFERENCES,
    UseRole.EXTENDS: EdgeKind.EXTENDS,
    UseRole.IMPLEMENTS: EdgeKind.IMPLEMENTS,
}
_PLACES = (SymbolKind.VARIABLE, SymbolKind.PROPERTY)

Site = tuple[int, int]


class Bound:
    """What binding one file found. Targets are nodes, or (language, package) for what lies outside."""

    __slots__ = ("edges", "missing_imports", "unresolved")

    def __init__(self) -> None:
        self.edges: dict[tuple[int, int | tuple[str, str], EdgeKind], tuple[Confidence, list[Site]]] = {}
        self.unresolved: dict[tuple[int, str, int], list[Site]] = {}
        """(source node, name, kind, plus BARE) -> sites"""
        self.missing_imports = 0

    def add(
        self,
        source: int,
        target: int | tuple[str, str],
        kind: EdgeKind,
        confidence: Confidence,
        sites: list[Site],
    ) -> None:
        key = (source, target, kind)
        known = self.edges.get(key)
        if known is None:
            self.edges[key] = (confidence, sites)
        else:
            self.edges[key] = (min(known[0], confidence), sorted({*known[1], *sites}))


def bind(ev: Evaluator, file: GraphFile) -> Bound:
    """All edges that leave the definitions of one file."""
    bound = Bound()
    _bind_imports(ev, file, bound)
    _bind_exports(ev, file, bound)
    _bind_uses(ev, file, bound)
    return bound


def _bind_uses(ev: Evaluator, file: GraphFile, bound: Bound) -> None:
    uses = file.uses
    cells = rows(file.facts.sites).tolist()
    lines, cols = cells[::2], cells[1::2]
    for at in range(0, len(uses), Use.WIDTH):
        role, expr, first, count = uses[at + 1], uses[at + 2], uses[at + 3], uses[at + 4]
        source = file.base + uses[at]
        sites = list(zip(lines[first : first + count], cols[first : first + count], strict=True))
        meaning = ev.expr(file, expr)
        if not meaning.values:
            _leave_open(file, source, role, expr, sites, bound)
            continue
        kind = _KIND_OF_ROLE[UseRole(role)]
        for value in meaning.values:
            _add_target(ev, file, bound, source, kind, meaning.confidence, value, sites)


def _add_target(
    ev: Evaluator,
    file: GraphFile,
    bound: Bound,
    source: int,
    kind: EdgeKind,
    confidence: Confidence,
    value: Value,
    sites: list[Site],
) -> None:
    match value.tag:
        case Tag.SYMBOL:
            node = value.a
            assert isinstance(node, int)
            if kind == EdgeKind.CALLS and _is_place(ev, node):
                _call_held(ev, bound, source, confidence, value, sites)
            else:
                bound.add(source, node, kind, confidence, sites)
        case Tag.OUTSIDE if value.a:
            bound.add(source, (file.language.family, str(value.a)), kind, Confidence.IMPORT, sites)
        case Tag.INSTANCE if kind == EdgeKind.CALLS and value.b != "super":
            method = file.language.protocols.get("call")
            if method is not None:
                _add_callable(ev, bound, source, classes.member(ev, value, method), Confidence.TYPE, sites)
        case Tag.MODULE if kind == EdgeKind.CALLS:
            assert isinstance(value.a, Module)
            _add_callable(ev, bound, source, linkage.module_value(ev, value.a), Confidence.IMPORT, sites)


def _is_place(ev: Evaluator, node: int) -> bool:
    """Whether a node is a variable or property: calling it calls what it holds."""
    file = ev.file_of_node(node)
    row = node - file.base
    is_accessor = file.cell(row, Symbol.FLAGS) & SymbolFlag.ACCESSOR
    return file.cell(row, Symbol.KIND) in _PLACES and not is_accessor


def _call_held(
    ev: Evaluator, bound: Bound, source: int, confidence: Confidence, value: Value, sites: list[Site]
) -> None:
    """A call of a variable: of the functions it is known to hold, else of the variable itself."""
    held = ev.value_of(Meaning(confidence, (value,)))
    found = [v for v in held.values if v.tag == Tag.SYMBOL and isinstance(v.a, int) and not _is_place(ev, v.a)]
    assert isinstance(value.a, int)
    if not found:
        bound.add(source, value.a, EdgeKind.CALLS, confidence, sites)
        return
    bound.add(source, value.a, EdgeKind.REFERENCES, confidence, sites)
    for target in found:
        assert isinstance(target.a, int)
        bound.add(source, target.a, EdgeKind.CALLS, max(held.confidence, Confidence.TYPE), sites)


def _add_callable(
    ev: Evaluator, bound: Bound, source: int, meaning: Meaning, confidence: Confidence, sites: list[Site]
) -> None:
    for value in meaning.values:
        if value.tag == Tag.SYMBOL and isinstance(value.a, int) and not _is_place(ev, value.a):
            bound.add(source, value.a, EdgeKind.CALLS, max(confidence, meaning.confidence), sites)


def _leave_open(file: GraphFile, source: int, role: int, expr: int, sites: list[Site], bound: Bound) -> None:
    """Keeps a use that could not be decided, where a definition of its name could be meant."""
    op, a, b = file.exprs[expr * 3 : expr * 3 + 3]
    kind = int(_KIND_OF_ROLE[UseRole(role)])
    if op == Op.ATTR:
        name = file.names[b]
    elif op == Op.GLOBAL and file.facts.is_script:
        name = file.names[a]
        kind |= BARE
    else:
        return
    key = (source, name, kind)
    known = bound.unresolved.get(key)
    bound.unresolved[key] = sites if known is None else sorted({*known, *sites})


def _bind_imports(ev: Evaluator, file: GraphFile, bound: Bound) -> None:
    imports = file.imports
    for row in range(len(imports) // Import.WIDTH):
        at = row * Import.WIDTH
        sites = [(imports[at + Import.LINE], imports[at + Import.COL])]
        module = linkage.resolve(ev, file, row)
        match module:
            case External(package):
                bound.add(file.base, (file.language.family, package), EdgeKind.IMPORTS, Confidence.EXACT, sites)
                continue
            case Missing():
                bound.missing_imports += 1
                continue
            case Module(path):
                target = ev.files.get(path) if path is not None else None
                if target is not None and target is not file:
                    bound.add(file.base, target.base, EdgeKind.IMPORTS, Confidence.EXACT, sites)
        if imports[at + Import.IMPORTED] < 0:
            continue
        for value in linkage.imported(ev, file, row).values:
            if value.tag == Tag.SYMBOL and isinstance(value.a, int):
                bound.add(file.base, value.a, EdgeKind.IMPORTS, Confidence.IMPORT, sites)
            elif value.tag == Tag.MODULE and isinstance(value.a, Module) and value.a.file is not None:
                bound.add(file.base, ev.files[value.a.file].base, EdgeKind.IMPORTS, Confidence.EXACT, sites)


def _bind_exports(ev: Evaluator, file: GraphFile, bound: Bound) -> None:
    """Re-exports: a module offers what another defines."""
    exports = file.exports
    for row in range(len(exports) // Export.WIDTH):
        at = row * Export.WIDTH
        sites = [(exports[at + Export.LINE], exports[at + Export.COL])]
        if exports[at + Export.NAME] < 0:
            module = linkage.resolve(ev, file, exports[at + Export.IMPORT])
            if isinstance(module, Module) and module.file is not None and module.file in ev.files:
                bound.add(file.base, ev.files[module.file].base, EdgeKind.EXPORTS, Confidence.EXACT, sites)
            continue
        for value in linkage.export_target(ev, file, row).values:
            if value.tag == Tag.SYMBOL and isinstance(value.a, int) and ev.file_of_node(value.a) is not file:
                bound.add(file.base, value.a, EdgeKind.EXPORTS, Confidence.IMPORT, sites)
