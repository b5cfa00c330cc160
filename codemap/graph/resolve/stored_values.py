"""What reading a definition gives: the value of a variable, a property or an accessor, the type that an alias names."""

from __future__ import annotations

from codemap.facts import EXPR_WIDTH, Op, SourceKind, Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    BEHIND,
    NOTHING,
    WITHIN,
    Confidence,
    Definition,
    Instance,
    Meaning,
    Value,
    join,
    one,
    weaken,
)
from codemap.graph.resolve import (
    bindings,
    calls,
    class_members,
    generics,
    protocols,
    type_expressions,
)
from codemap.graph.resolve.outside import unknown_receivers

TYPE = Confidence.TYPE
ACCESSOR = int(SymbolFlag.ACCESSOR)
_VALUE_KINDS = (int(SymbolKind.VARIABLE), int(SymbolKind.PROPERTY))
_TYPE_ALIAS = int(SymbolKind.TYPE_ALIAS)
_SYMBOL_WIDTH, _KIND, _FLAGS = Symbol.WIDTH, Symbol.KIND, Symbol.FLAGS


def read_value(ev: Evaluator, value: Value, confidence: Confidence) -> Meaning:
    """What reading one value gives."""
    if value.__class__ is not Definition:
        return one(confidence, value)
    node = value.node
    file = ev.file_of_node(node)
    row = node - file.base
    symbols, at = file.symbols, row * _SYMBOL_WIDTH
    kind = symbols[at + _KIND]
    if symbols[at + _FLAGS] & ACCESSOR:
        return weaken(calls.evaluate_result(ev, value), max(confidence, TYPE))
    if kind in _VALUE_KINDS:
        held = evaluate_variable(ev, node)
        if value.receiver is not None:
            held = protocols.read_descriptors(ev, held)
            held = generics.substitute_receiver(ev, file, row, value.receiver, held)
        held = weaken(held, max(confidence, TYPE))
        if not class_members.has_members(file, row):
            return held
        is_stated = file.cell(row, Symbol.TYPE) >= 0 and any(isinstance(v, Instance) for v in held.values)
        within = tuple(
            Definition(v.node, WITHIN) if isinstance(v, Definition) and v.receiver is None else v for v in held.values
        )
        own = Definition(node, BEHIND) if is_stated else value
        return join(one(confidence, own), Meaning(held.confidence, within))
    if kind == _TYPE_ALIAS:
        return weaken(evaluate_alias(ev, node), confidence)
    return one(confidence, value)


def evaluate_variable(ev: Evaluator, node: int) -> Meaning:
    """What a variable or property holds."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("held", node), lambda: _evaluate_variable(ev, file, node - file.base))


def evaluate_assigned(ev: Evaluator, node: int) -> Meaning:
    """What a variable is assigned, whatever type is stated for it."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("assigned", node), lambda: ev.expr(file, file.cell(node - file.base, Symbol.VALUE)))


def evaluate_alias(ev: Evaluator, node: int) -> Meaning:
    """What the type of an alias denotes."""
    file = ev.file_of_node(node)
    return ev.ask(file, ("alias", node), lambda: ev.expr(file, file.cell(node - file.base, Symbol.TYPE)))


def is_aliased(ev: Evaluator, node: int) -> bool:
    """Whether a definition is another name of a function."""
    file = ev.file_of_node(node)
    return bool(file.cell(node - file.base, _FLAGS) & SymbolFlag.ALIAS)


def evaluate_aliased(ev: Evaluator, node: int) -> Meaning:
    """The function of which a definition is another name."""
    file = ev.file_of_node(node)
    return ev.ask(
        file, ("aliased", node), lambda: _evaluate_callee(ev, file, file.cell(node - file.base, Symbol.VALUE))
    )


def _evaluate_callee(ev: Evaluator, file: GraphFile, call: int) -> Meaning:
    if call < 0 or file.exprs[call * EXPR_WIDTH] != Op.CALL:
        return NOTHING
    meaning = NOTHING
    for value in ev.expr(file, file.exprs[call * EXPR_WIDTH + 1]).values:
        if isinstance(value, Definition) and is_aliased(ev, value.node):
            meaning = join(meaning, evaluate_aliased(ev, value.node))
        else:
            meaning = join(meaning, one(TYPE, value))
    return meaning


def read_values(ev: Evaluator, meaning: Meaning) -> Meaning:
    """What reading several values gives, definitions among them."""
    values = meaning.values
    result = NOTHING
    for value in values:
        if not isinstance(value, Definition) or not _is_type_beside(ev, value, values):
            result = join(result, read_value(ev, value, meaning.confidence))
    return result


def _is_type_beside(ev: Evaluator, value: Definition, values: tuple[Value, ...]) -> bool:
    """Whether a value is the alias of a type beside a variable of the same name: only that is there at run time."""
    file = ev.file_of_node(value.node)
    row = value.node - file.base
    if file.cell(row, _KIND) != _TYPE_ALIAS:
        return False
    same = (file.cell(row, Symbol.PARENT), file.cell(row, Symbol.NAME))
    others = [v.node - file.base for v in values if isinstance(v, Definition)]
    return any(
        0 < other < file.symbol_count
        and file.cell(other, _KIND) in _VALUE_KINDS
        and (file.cell(other, Symbol.PARENT), file.cell(other, Symbol.NAME)) == same
        for other in others
    )


def _evaluate_variable(ev: Evaluator, file: GraphFile, row: int) -> Meaning:
    """What a variable or property holds: by the stated type, or else by the values assigned anywhere."""
    stated = file.cell(row, Symbol.TYPE)
    if stated >= 0:
        admitted = ev.evaluate_type(file, stated)
        if admitted.values:
            value = file.cell(row, Symbol.VALUE)
            if value >= 0 and type_expressions.is_abstract(ev, admitted):
                return type_expressions.add_implementing(ev, admitted, ev.value_of(ev.expr(file, value)))
            if value < 0 or type_expressions.is_informative(file.language, admitted):
                return admitted
            return join(admitted, type_expressions.select_definitions(ev.value_of(ev.expr(file, value))))
    meaning = ev.value_of(ev.expr(file, file.cell(row, Symbol.VALUE)))
    if unknown_receivers.may_be_own_class(file, row, meaning):
        meaning = join(meaning, unknown_receivers.UNKNOWN)
    parent = file.cell(row, Symbol.PARENT)
    binding = file.members.get(parent, {}).get(file.name_of(row))
    if binding is None:
        return meaning
    sources = ev.sources(file, binding)
    held = bindings.evaluate_sources(ev, file, sources)
    is_typed = held.values and any(kind == SourceKind.TYPED for kind, _, _ in sources)
    return held if is_typed else unknown_receivers.add_given(file, join(meaning, held), sources)
