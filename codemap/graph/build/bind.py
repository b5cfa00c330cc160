"""One file's uses become edges.

Each use is evaluated once per (owner, role, expression); its values are the targets. What stays unknown and is used as
a member is kept as unresolved under its name, so that questions about any definition of that name can list it.

The file is long because it has in one place what each kind of value means for each kind of use.
"""

from __future__ import annotations

from collections.abc import Sequence

from codemap.facts import (
    AROUND,
    EXPR_WIDTH,
    Binding,
    Export,
    Import,
    ImportFlag,
    Op,
    Source,
    SourceKind,
    Symbol,
    SymbolFlag,
    SymbolKind,
    Use,
    UseRole,
)
from codemap.graph.build import aliased_bases, bind_across_files, held_calls
from codemap.graph.build.bound_file import Bound, OpenUses, Span
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.incremental.edge_reuse import Kept
from codemap.graph.model.edges import BARE, BESIDE, EdgeKind
from codemap.graph.model.values import (
    BEHIND,
    CLASS_KINDS,
    NOTHING,
    Confidence,
    ContainerMethod,
    Definition,
    Instance,
    Meaning,
    ModuleObject,
    Outside,
    Value,
    join,
)
from codemap.graph.resolve import alike_overloads, class_members, import_resolution, overloads, stored_values
from codemap.graph.resolve.outside import outside_bases
from codemap.graph.resolve.outside.unknown_receivers import (
    OF_UNKNOWN,
    is_of_held,
    is_partly_unknown,
    is_undecided,
    list_mixed,
)
from codemap.graph.resolve.stored_values import ACCESSOR
from codemap.mangled_names import demangle
from codemap.project import External, Missing, Module

_KINDS = {
    UseRole.CALL: EdgeKind.CALLS,
    UseRole.REFERENCE: EdgeKind.REFERENCES,
    UseRole.EXTENDS: EdgeKind.EXTENDS,
    UseRole.IMPLEMENTS: EdgeKind.IMPLEMENTS,
}
_KIND_OF_ROLE = tuple(_KINDS[role] for role in UseRole)
CANDIDATE = Confidence.CANDIDATE
_CALL, _EXTENDS = int(UseRole.CALL), int(UseRole.EXTENDS)
_ATTR, _GLOBAL, _NAME, _OVERLOAD = int(Op.ATTR), int(Op.GLOBAL), int(Op.NAME), int(Op.OVERLOAD)
_ELSE = int(Op.ELSE)
_VARIABLE = (int(Op.NAME), int(Op.UNION), *AROUND)
_AROUND_NAME = (_OVERLOAD, int(Op.APPLY))
_PLACES = (int(SymbolKind.VARIABLE), int(SymbolKind.PROPERTY))
_OF_OUTSIDE = (Outside, ContainerMethod)
_TYPES = (int(SymbolKind.INTERFACE), int(SymbolKind.TYPE_ALIAS))
_NAMED_TYPES = (*CLASS_KINDS, int(SymbolKind.TYPE_ALIAS))
_ALIAS = int(SymbolFlag.ALIAS)
PLAIN, PLACE, TYPE, CONVERTED, READ = 0, 1, 2, 3, 4
_HOLDING = (PLACE, READ)
_NO_STATEMENT = int(ImportFlag.IMPLICIT | ImportFlag.HEAD)


def bind(ev: Evaluator, file: GraphFile, kept: Kept | None = None) -> Bound:
    """All edges that leave the definitions of one file, but for those that are kept where that can be."""
    bound = Bound(file, kept)
    ev.solver.frame = file
    several = _bind_imports(ev, file, bound)
    if several:
        bound.kept = None  # which files they mean depends on all that is used
    _bind_exports(ev, file, bound)
    _bind_uses(ev, file, bound)
    bind_across_files.add_parts(ev, file, bound)
    bind_across_files.add_imports(ev, file, bound, several)
    bind_across_files.add_implemented(ev, file, bound)
    return bound


def _bind_uses(ev: Evaluator, file: GraphFile, bound: Bound) -> None:
    memo = file.memo or file.make_memo()
    base, forms, edges, exprs = file.base, ev.forms, bound.edges, file.exprs
    calls_overrides, holds_functions = file.language.outside.calls_overrides, file.language.holds_functions
    parts_interfaces = file.language.parts_interfaces
    overriding: dict[outside_bases.Sought, list[int]] = {}
    mixed = list_mixed(file) if file.language.has_open_parameters else {}
    cells = iter(file.uses.tolist() if bound.kept is None else bound.kept.others(file.facts))
    for owner, role, expr, first, count in zip(*[cells] * Use.WIDTH, strict=True):
        source = base + owner
        spans = [(first, count)]
        known = memo[expr]
        meaning = known if known.__class__ is Meaning else _evaluated(ev, file, expr)
        confidence, values = meaning.confidence, meaning.values
        kind = _KIND_OF_ROLE[role]
        if role == _EXTENDS and parts_interfaces and _is_implemented(ev, file, owner, values):
            kind = EdgeKind.IMPLEMENTS
        if role >= _EXTENDS:
            _add_aliased_bases(ev, bound, source, kind, meaning, spans)
        may_be_held = holds_functions and role == _CALL
        is_variable = may_be_held and exprs[expr * EXPR_WIDTH] in _VARIABLE
        holds_more = is_variable and (confidence is CANDIDATE or held_calls.may_hold_more(file, expr, values))
        if holds_more:
            held_calls.add_call(ev, file, source, expr, spans, bound)
        if role == _CALL and expr in mixed and _is_decided_in_part(ev, file, mixed[expr], values):
            _leave_open(file, source, role, expr, spans, bound.unknown, bound.unknown, BESIDE)
        if len(values) == 1:
            value = values[0]
            if (
                value.__class__ is Definition
                and value.receiver is not BEHIND
                and confidence is not CANDIDATE
                and (role != _CALL or forms.get(value.node) == PLAIN)
            ):
                # What most uses are, and what `_add_target` comes to.
                key = source, value.node, kind
                if key in edges:
                    bound.add(*key, confidence, spans)
                else:
                    edges[key] = confidence, spans
                continue
        if may_be_held and not holds_more and held_calls.is_of_unknown(ev, file, meaning):
            held_calls.add_call(ev, file, source, expr, spans, bound)
        if not values:
            below = outside_bases.find_places_below(ev, file, expr) if may_be_held else []
            if below:
                _call_places_below(ev, bound, source, below, spans)
                continue
            may_guess = role != _CALL or not _is_of_module(ev, file, expr)
            _leave_open(
                file, source, role, expr, spans, bound.unresolved if may_guess else bound.unknown, bound.unknown
            )
            continue
        if isinstance(values[0], _OF_OUTSIDE) and is_undecided(file, expr, meaning):
            _leave_open(file, source, role, expr, spans, bound.unknown, bound.unknown)
            continue
        if calls_overrides and role == _CALL and Outside in [value.__class__ for value in values]:
            for node in outside_bases.find_overrides(ev, file, expr, overriding):
                _add_candidate(ev, bound, source, kind, node, spans)
        if len(values) == 1:
            _add_target(ev, file, bound, source, kind, confidence, values[0], expr, spans)
            continue
        if role == _CALL and file.spoken.has_alike:
            meaning = _open_objects(ev, file, meaning, expr)
            values = meaning.values
        if is_partly_unknown(file, expr, meaning):
            is_decided = any(isinstance(value, Definition) for value in values)
            _leave_open(file, source, role, expr, spans, bound.unknown, bound.unknown, BESIDE if is_decided else 0)
        guessed = overloads.find_ambiguous(ev, meaning) if role == _CALL else frozenset()
        is_either = bool(guessed) and alike_overloads.are_for_constants_and_others(ev, meaning)
        for value in values:
            is_guess = isinstance(value, Definition) and value.node in guessed
            doubt = max(confidence, Confidence.NAME) if is_either else CANDIDATE
            _add_target(ev, file, bound, source, kind, doubt if is_guess else confidence, value, expr, spans)


def _is_decided_in_part(ev: Evaluator, file: GraphFile, given: Sequence[int], members: tuple[Value, ...]) -> bool:
    """Whether a member is known of some of the values that a variable is given, and nothing of others of these."""
    is_known = OF_UNKNOWN not in members and any(isinstance(member, Definition) for member in members)
    return is_known and not all(_evaluated(ev, file, value).values for value in given)


def _is_implemented(ev: Evaluator, file: GraphFile, owner: int, bases: tuple[Value, ...]) -> bool:
    """Whether what a class extends by its text is an interface: `new Listener() {…}`."""
    base = bases[0] if bases else None
    if not isinstance(base, Definition) or file.cell(owner, Symbol.KIND) == SymbolKind.INTERFACE:
        return False
    return ev.kind_of_node(base.node) == SymbolKind.INTERFACE


def _add_aliased_bases(
    ev: Evaluator, bound: Bound, source: int, kind: int, meaning: Meaning, spans: list[Span]
) -> None:
    for base in meaning.values:
        if isinstance(base, Definition) and ev.kind_of_node(base.node) not in CLASS_KINDS:
            for node, confidence in aliased_bases.find_aliased(ev, base, meaning.confidence):
                if node != source:
                    bound.add(source, node, kind, confidence, spans)


def _evaluated(ev: Evaluator, file: GraphFile, expr: int) -> Meaning:
    """What an expression denotes; nothing where it nests deeper than can be followed."""
    try:
        return ev.expr(file, expr)
    except RecursionError:
        ev.solver.reset()
        ev.solver.frame = file
        return NOTHING


def _add_target(
    ev: Evaluator,
    file: GraphFile,
    bound: Bound,
    source: int,
    kind: int,
    confidence: Confidence,
    value: Value,
    expr: int,
    spans: list[Span],
) -> None:
    match value:
        case Definition(node):
            called = PLAIN if kind != EdgeKind.CALLS else _form(ev, node)
            if called == CONVERTED:
                kind, called = EdgeKind.REFERENCES, PLAIN
            if confidence == Confidence.CANDIDATE or value.receiver is BEHIND:
                _add_candidate(ev, bound, source, kind, node, spans)
            elif called == PLAIN:
                bound.add(source, node, kind, confidence, spans)
            elif called in _HOLDING:
                _call_held(ev, bound, source, confidence, value, expr, spans)
        case Outside(package) if package:
            bound.add(source, (file.language.family, package), kind, Confidence.IMPORT, spans)
        case Instance() if kind == EdgeKind.CALLS and not value.is_super:
            method = file.language.protocols.get("call")
            if method is not None:
                found = class_members.find_member(ev, value, method)
                _add_callable(ev, bound, source, _choose(ev, file, found, expr), Confidence.TYPE, spans)
        case ModuleObject(module) if kind == EdgeKind.CALLS:
            _add_callable(
                ev, bound, source, import_resolution.resolve_module_value(ev, module), Confidence.IMPORT, spans
            )
        case ModuleObject(module):
            for offered in import_resolution.resolve_module_value(ev, module).values:
                if isinstance(offered, Definition):
                    bound.add(source, offered.node, kind, Confidence.IMPORT, spans)


def _form(ev: Evaluator, node: int) -> int:
    """What calling a node calls: itself (PLAIN); what it holds, as a variable, property or alias (PLACE); nothing,
    where nothing at run time stands for it (TYPE): then what shares its name, here or outside, is meant; or a value is
    made a value of it (CONVERTED); or what reading it gives, as an accessor (READ)."""
    known = ev.forms.get(node)
    if known is None:
        file = ev.file_of_node(node)
        row = node - file.base
        kind = file.cell(row, Symbol.KIND)
        if file.language.calls_convert and kind in _NAMED_TYPES:
            known = CONVERTED
        elif kind in _TYPES or (kind == SymbolKind.ENUM and not file.language.calls_enums):
            known = TYPE
        else:
            flags = file.cell(row, Symbol.FLAGS)
            known = PLACE if flags & _ALIAS or (kind in _PLACES and not flags & ACCESSOR) else PLAIN
            known = READ if known == PLAIN and flags & ACCESSOR and file.language.holds_functions else known
        ev.forms[node] = known
    return known


def _is_place(ev: Evaluator, node: int) -> bool:
    return _form(ev, node) == PLACE


def _call_held(
    ev: Evaluator, bound: Bound, source: int, confidence: Confidence, value: Definition, expr: int, spans: list[Span]
) -> None:
    """A call of a variable or alias: of the functions it is known to hold, else of itself; an accessor is run, too."""
    is_aliased = stored_values.is_aliased(ev, value.node)
    held = stored_values.evaluate_aliased(ev, value.node) if is_aliased else ev.value_of(Meaning(confidence, (value,)))
    is_variable = ev.kind_of_node(value.node) == SymbolKind.VARIABLE
    if is_variable and held.values and is_of_held(bound.file, held):
        held = join(held, ev.value_of(stored_values.evaluate_assigned(ev, value.node)))
    targets = tuple(dict.fromkeys(Definition(node) for v in held.values for node in _called(ev, v)))
    if not targets:
        bound.add(source, value.node, EdgeKind.CALLS, confidence, spans)
        if bound.file.language.holds_functions and is_of_held(bound.file, held):
            held_calls.add_call_of_place(ev, bound, source, value.node, spans)
        return
    is_run = _form(ev, value.node) == READ
    if bound.file.language.holds_functions and outside_bases.find_places_below(ev, bound.file, expr):
        held_calls.add_call_of_place(ev, bound, source, value.node, spans)  # a class below may hold another
    bound.add(source, value.node, EdgeKind.CALLS if is_run else EdgeKind.REFERENCES, confidence, spans)
    called = Meaning(held.confidence, targets)
    if any(isinstance(each, Instance) for each in held.values):
        called = _choose(ev, bound.file, called, expr)
    _add_callable(ev, bound, source, called, Confidence.TYPE, spans)


def _call_places_below(ev: Evaluator, bound: Bound, source: int, nodes: list[int], spans: list[Span]) -> None:
    """A call of an attribute that only classes below the receiver's have: the only one is guessed."""
    for node in nodes:
        held = ev.value_of(stored_values.evaluate_variable(ev, node))
        _add_callable(ev, bound, source, held, CANDIDATE if len(nodes) > 1 else Confidence.NAME, spans)
    if len(nodes) == 1:
        bound.add(source, nodes[0], EdgeKind.REFERENCES, Confidence.NAME, spans)


def _open_objects(ev: Evaluator, file: GraphFile, callees: Meaning, expr: int) -> Meaning:
    """Some values that a call calls, with what runs in the place of objects: one, where the arguments say which."""
    if not any(isinstance(value, Instance) and not value.is_super for value in callees.values):
        return callees
    opened: dict[Value, None] = {}
    for value in callees.values:
        nodes = _called(ev, value) if isinstance(value, Instance) and not value.is_super else []
        opened.update((Definition(node), None) for node in nodes)
        if not nodes:
            opened[value] = None
    return _choose(ev, file, Meaning(callees.confidence, tuple(opened)), expr)


def _choose(ev: Evaluator, file: GraphFile, called: Meaning, expr: int) -> Meaning:
    """Of the overloads that a call of an object may run, those that its arguments suit; candidates where several do."""
    if len(called.values) < 2 or not file.spoken.has_alike:
        return called
    is_chosen = file.exprs[expr * EXPR_WIDTH] == _OVERLOAD
    arguments = file.exprs[expr * EXPR_WIDTH + 2] if is_chosen else -1
    found = alike_overloads.select_among(ev, file, called, expr, arguments)
    return Meaning(CANDIDATE, found.values) if overloads.find_ambiguous(ev, found) else found


def _called(ev: Evaluator, value: Value) -> list[int]:
    """The definitions that run when a value is called: itself, or what its class has for calls."""
    if isinstance(value, Definition):
        return [] if _is_place(ev, value.node) else [value.node]
    if not isinstance(value, Instance):
        return []
    method = ev.file_of_node(value.node).language.protocols.get("call")
    if method is None:
        return []
    found = class_members.find_member(ev, value, method).values
    return [v.node for v in found if isinstance(v, Definition) and not _is_place(ev, v.node)]


def _add_callable(
    ev: Evaluator, bound: Bound, source: int, meaning: Meaning, confidence: Confidence, spans: list[Span]
) -> None:
    for value in meaning.values:
        if not isinstance(value, Definition) or _is_place(ev, value.node):
            continue
        if max(confidence, meaning.confidence) == Confidence.CANDIDATE:
            _add_candidate(ev, bound, source, EdgeKind.CALLS, value.node, spans)
        else:
            bound.add(source, value.node, EdgeKind.CALLS, max(confidence, meaning.confidence), spans)


def _add_candidate(ev: Evaluator, bound: Bound, source: int, kind: int, node: int, spans: list[Span]) -> None:
    """Keeps a call of one of several as undecided, under the name of each; references of such are left out."""
    if kind == EdgeKind.CALLS:
        file = ev.file_of_node(node)
        row = node - file.base
        form = kind if file.cell(row, Symbol.PARENT) else kind | BARE
        bound.several.setdefault((source, file.name_of(row), form), []).extend(spans)


def _leave_open(
    file: GraphFile,
    source: int,
    role: int,
    expr: int,
    spans: list[Span],
    found: OpenUses,
    unknown: OpenUses,
    beside: int = 0,
) -> None:
    """Keeps a use that could not be decided, where a definition of its name could be meant; among `unknown` what must
    not be guessed. `beside` is BESIDE where something else is known of it."""
    exprs, at = file.exprs, expr * EXPR_WIDTH
    op = exprs[at]
    while op in AROUND:
        chosen, other = exprs[at + 1] * EXPR_WIDTH, exprs[at + 2] * EXPR_WIDTH
        is_free = op == _ELSE and exprs[chosen] == _GLOBAL and exprs[other] == _ATTR
        at = other if is_free and not file.facts.is_script else chosen
        op = exprs[at]
    kind: int = _KIND_OF_ROLE[role] | beside
    if op == _ATTR:
        name = demangle(file.names[exprs[at + 2]])
    elif op == _NAME and exprs[expr * EXPR_WIDTH] == _OVERLOAD:
        first = file.sources[file.bindings[exprs[at + 1] * Binding.WIDTH + Binding.FIRST] * Source.WIDTH :]
        if first[Source.KIND] != SourceKind.SYMBOL:
            return
        name = file.name_of(first[Source.A])
        kind |= 0 if file.cell(first[Source.A], Symbol.PARENT) else BARE
    elif op == _GLOBAL and file.facts.is_script:
        name = file.names[exprs[at + 1]]
        kind |= BARE
    elif op == _GLOBAL and role == _CALL and file.spoken.finds_by_arguments:
        name = file.names[exprs[at + 1]]
        found = unknown
    else:
        return
    found.setdefault((source, name, kind), []).extend(spans)
    if role == _CALL and file.spoken.finds_by_arguments and _is_said_by_name(exprs, expr * EXPR_WIDTH):
        unknown.setdefault((source, name, kind | BARE), []).extend(spans)


def _is_of_module(ev: Evaluator, file: GraphFile, expr: int) -> bool:
    """Whether something is asked of modules of the repository alone, which have no methods. What a namespace has that
    files include may be of another, whose names it uses."""
    if file.language.scopes.sees == "includes":
        return False
    exprs, at = file.exprs, expr * EXPR_WIDTH
    while exprs[at] in AROUND:
        at = exprs[at + 1] * EXPR_WIDTH
    of = _evaluated(ev, file, exprs[at + 1]).values if exprs[at] == _ATTR else ()
    for value in of:
        if value.__class__ is not ModuleObject and not _is_inner_module(ev, value):
            return False
    return bool(of)


def _is_inner_module(ev: Evaluator, value: Value) -> bool:
    return isinstance(value, Definition) and ev.kind_of_node(value.node) == SymbolKind.MODULE


def _is_said_by_name(exprs: Sequence[int], at: int) -> bool:
    """Whether no value stands before what is used: `f`, or `a::f`."""
    while exprs[at] in _AROUND_NAME:
        at = exprs[at + 1] * EXPR_WIDTH
    return exprs[at] in (_GLOBAL, _ELSE)


def _bind_imports(ev: Evaluator, file: GraphFile, bound: Bound) -> list[tuple[Module, list[Span]]]:
    """Adds the edges of imports; gives those of modules of several files, of which it is not known yet which are
    meant."""
    imports = file.imports
    several: list[tuple[Module, list[Span]]] = []
    has_ambient = file.language.scopes.has_ambient
    for row in range(len(imports) // Import.WIDTH):
        at = row * Import.WIDTH
        if imports[at + Import.FLAGS] & _NO_STATEMENT:
            continue
        spans = bound.own_site(imports[at + Import.LINE], imports[at + Import.COL])
        asked = import_resolution.evaluate_path(ev, file, row)
        if asked is not None:
            _bind_path(ev, file, bound, asked, row, spans)
            continue
        module = import_resolution.resolve_module(ev, file, row)
        match module:
            case External(package):
                bound.add(file.base, (file.language.family, package), EdgeKind.IMPORTS, Confidence.EXACT, spans)
                if has_ambient:
                    _bind_brought(ev, file, bound, import_resolution.resolve_import(ev, file, row), spans)
                continue
            case Missing():
                declared = import_resolution.resolve_import(ev, file, row) if has_ambient else NOTHING
                bound.missing_imports += not declared.values
                _bind_brought(ev, file, bound, declared, spans)
                continue
            case Module() if module.files:
                if imports[at + Import.IMPORTED] < 0:
                    several.append((module, spans))
                elif not import_resolution.resolve_import(ev, file, row).values:
                    bound.missing_imports += 1
            case Module(path):
                target = ev.files.get(path) if path is not None else None
                if target is not None and target is not file:
                    bound.add(file.base, target.base, EdgeKind.IMPORTS, Confidence.EXACT, spans)
        if imports[at + Import.IMPORTED] < 0:
            continue
        for value in import_resolution.resolve_import(ev, file, row).values:
            if isinstance(value, Definition):
                if module.files and (definer := ev.file_of_node(value.node)) is not file:
                    bound.add(file.base, definer.base, EdgeKind.IMPORTS, Confidence.EXACT, spans)
                bound.add(file.base, value.node, EdgeKind.IMPORTS, Confidence.IMPORT, spans)
            elif isinstance(value, ModuleObject) and value.module.file is not None:
                bound.add(file.base, ev.files[value.module.file].base, EdgeKind.IMPORTS, Confidence.EXACT, spans)
    return several


def _bind_path(ev: Evaluator, file: GraphFile, bound: Bound, asked: Meaning, row: int, spans: list[Span]) -> None:
    """Adds the edges of an import that is written as a path: to what it brings, and to the files that hold that."""
    is_star = file.imports[row * Import.WIDTH + Import.IMPORTED] == Import.STAR
    brought = asked if is_star else import_resolution.resolve_import(ev, file, row)
    bound.missing_imports += not brought.values
    for value in brought.values:
        if isinstance(value, Outside) and value.package:
            bound.add(file.base, (file.language.family, value.package), EdgeKind.IMPORTS, Confidence.EXACT, spans)
    _bind_brought(ev, file, bound, brought, spans)


def _bind_brought(ev: Evaluator, file: GraphFile, bound: Bound, brought: Meaning, spans: list[Span]) -> None:
    """Adds the edges to what an import brings of the repository, and to the files that hold that."""
    for value in brought.values:
        if isinstance(value, Definition):
            definer = ev.file_of_node(value.node)
            if definer is not file:
                bound.add(file.base, definer.base, EdgeKind.IMPORTS, Confidence.EXACT, spans)
            bound.add(file.base, value.node, EdgeKind.IMPORTS, Confidence.IMPORT, spans)
        elif isinstance(value, ModuleObject):
            target = ev.files.get(value.module.file)
            if target is not None and target is not file:
                bound.add(file.base, target.base, EdgeKind.IMPORTS, Confidence.EXACT, spans)


def _bind_exports(ev: Evaluator, file: GraphFile, bound: Bound) -> None:
    """Re-exports: a module offers what another defines."""
    exports = file.exports
    for row in range(len(exports) // Export.WIDTH):
        at = row * Export.WIDTH
        spans = bound.own_site(exports[at + Export.LINE], exports[at + Export.COL])
        if exports[at + Export.NAME] < 0:
            import_ = exports[at + Export.IMPORT]
            asked = import_resolution.evaluate_path(ev, file, import_)
            modules = [import_resolution.resolve_module(ev, file, import_)]
            if asked is not None:
                modules = [value.module for value in asked.values if isinstance(value, ModuleObject)]
            for module in modules:
                target = ev.files.get(module.file) if isinstance(module, Module) else None
                if target is not None and target is not file:
                    bound.add(file.base, target.base, EdgeKind.EXPORTS, Confidence.EXACT, spans)
            continue
        for value in import_resolution.resolve_export(ev, file, row).values:
            if isinstance(value, Definition) and ev.file_of_node(value.node) is not file:
                bound.add(file.base, value.node, EdgeKind.EXPORTS, Confidence.IMPORT, spans)
