"""The rules of evaluation, registered: what each operator of an expression denotes, and what bindings and types mean.

No rule names a language: what differs is a field of its `Language` record. Confidence is the weakest step's: scope and
`self` are `exact`, an import binding is `import`, and whatever needed the type of a value is `type`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from codemap.facts import Op, SymbolKind
from codemap.graph.evaluate import specializations
from codemap.graph.evaluate.evaluator import Evaluator, Rules
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.evaluate.graph_files import GraphFiles
from codemap.graph.model.definitions import Definitions
from codemap.graph.model.values import (
    NOTHING,
    Confidence,
    Definition,
    Instance,
    Meaning,
    OutsideInstance,
    join,
    make_container,
    make_tuple,
    one,
    weaken,
)
from codemap.graph.resolve import (
    alike_overloads,
    argument_types,
    bindings,
    calls,
    extension_methods,
    generics,
    members,
    overloads,
    partial_definitions,
    protocols,
    stored_values,
    type_arguments,
    type_expressions,
)
from codemap.graph.resolve.operations import computed_names, expansions, operator_functions, operators
from codemap.graph.resolve.outside import contents, unknown_receivers
from codemap.project import ModuleResolver

EXACT, TYPE = Confidence.EXACT, Confidence.TYPE
_APPLY = int(Op.APPLY)
_NO_SCOPES = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.VARIABLE, SymbolKind.PROPERTY)


def make_evaluator(files: GraphFiles, resolvers: Mapping[str, ModuleResolver], definitions: Definitions) -> Evaluator:
    """An evaluator of some files by all rules."""
    return Evaluator(files, resolvers, definitions, RULES)


def _evaluate_name(ev: Evaluator, file: GraphFile, binding: int, _: int) -> Meaning:
    return ev.binding(file, binding)


def _evaluate_global(ev: Evaluator, file: GraphFile, name: int, _: int) -> Meaning:
    return bindings.evaluate_global(ev, file, file.names[name])


def _evaluate_attribute(ev: Evaluator, file: GraphFile, of: int, name: int) -> Meaning:
    found = members.find_attribute(ev, ev.value_of(ev.expr(file, of)), file.names[name], file)
    if file.exprs[of * 3] == _APPLY:  # a member of a class, with its type arguments
        for stated in ev.evaluate_type(file, of).values:
            if isinstance(stated, Instance) and stated.arguments is not None:
                found = generics.attach_receiver(ev, stated, found)
    return found


def _evaluate_instance(ev: Evaluator, file: GraphFile, type_: int, _: int) -> Meaning:
    return ev.evaluate_type(file, type_)


def _evaluate_union(ev: Evaluator, file: GraphFile, left: int, right: int) -> Meaning:
    either = join(ev.value_of(ev.expr(file, left)), ev.value_of(ev.expr(file, right)))
    return unknown_receivers.add_unknown(file, either, (left, right))


def _evaluate_super(ev: Evaluator, file: GraphFile, cls: int, _: int) -> Meaning:
    return one(EXACT, Instance(partial_definitions.resolve_node(ev, file, cls), is_super=True))


def _evaluate_this(ev: Evaluator, file: GraphFile, cls: int, _: int) -> Meaning:
    return one(EXACT, Instance(partial_definitions.resolve_node(ev, file, cls)))


def _evaluate_symbol(ev: Evaluator, file: GraphFile, symbol: int, _: int) -> Meaning:
    return partial_definitions.resolve_symbol(ev, file, symbol)


def _evaluate_literal(_ev: Evaluator, file: GraphFile, name: int, _: int) -> Meaning:
    return one(EXACT, OutsideInstance("", file.names[name]))


def _evaluate_container(ev: Evaluator, file: GraphFile, name: int, held: int) -> Meaning:
    element = weaken(ev.value_of(ev.expr(file, held)), TYPE)
    return one(EXACT, make_container(element, element, NOTHING, file.names[name]))


def _evaluate_tuple(ev: Evaluator, file: GraphFile, parts: int, _: int) -> Meaning:
    named = ev.named_arguments(file, parts)
    held = [ev.value_of(ev.expr(file, part)) for part in (named.values() if named else ev.arguments(file, parts))]
    return one(EXACT, make_tuple(held, tuple(named)))


def _evaluate_applied(ev: Evaluator, file: GraphFile, type_: int, arguments: int) -> Meaning:
    return specializations.select_specializations(ev, file, ev.expr(file, type_), ev.arguments(file, arguments))


def _evaluate_iteration(ev: Evaluator, file: GraphFile, of: int, _: int) -> Meaning:
    return protocols.apply_protocol(ev, ev.value_of(ev.expr(file, of)), "iter")


def _evaluate_entering(ev: Evaluator, file: GraphFile, of: int, _: int) -> Meaning:
    return protocols.apply_protocol(ev, ev.value_of(ev.expr(file, of)), "enter")


def _evaluate_await(ev: Evaluator, file: GraphFile, of: int, _: int) -> Meaning:
    return protocols.apply_protocol(ev, ev.value_of(ev.expr(file, of)), "await")


def _evaluate_item(ev: Evaluator, file: GraphFile, of: int, position: int) -> Meaning:
    return protocols.unpack_item(ev, ev.value_of(ev.expr(file, of)), position)


def _evaluate_named_slot(ev: Evaluator, file: GraphFile, callee: int, name: int) -> Meaning:
    return type_arguments.find_parameter_type(ev, file, callee, file.names[name])


def _evaluate_parameter(ev: Evaluator, file: GraphFile, function: int, position: int) -> Meaning:
    return argument_types.find_given_type(ev, file, ev.value_of(ev.expr(file, function)), position)


def _evaluate_other(ev: Evaluator, file: GraphFile, of: int, type_: int) -> Meaning:
    return type_expressions.exclude_types(ev, ev.value_of(ev.expr(file, of)), ev.evaluate_type(file, type_))


def _evaluate_prefix(ev: Evaluator, file: GraphFile, of: int, prefix: int) -> Meaning:
    text = file.names[file.exprs[prefix * 3 + 1]]
    return computed_names.find_by_prefix(ev, file, ev.value_of(ev.expr(file, of)), text)


def _evaluate_overload(ev: Evaluator, file: GraphFile, callee: int, arguments: int) -> Meaning:
    if file.spoken.finds_by_arguments and file.exprs[callee * 3] == Op.SPECIAL:
        return operator_functions.select_operator(ev, file, callee, arguments)
    select = alike_overloads.select_alike if file.spoken.has_alike else extension_methods.select_overloads
    return select(ev, file, callee, arguments)


def _evaluate_extension(ev: Evaluator, file: GraphFile, of: int, name: int) -> Meaning:
    text = file.names[file.exprs[name * 3 + 1]]
    return extension_methods.find_extensions(ev, file, ev.value_of(ev.expr(file, of)), text)


def _evaluate_named(ev: Evaluator, file: GraphFile, argument: int, _: int) -> Meaning:
    return ev.expr(file, argument)


def _evaluate_text(_ev: Evaluator, file: GraphFile, literal: int, text: int) -> Meaning:
    return one(EXACT, OutsideInstance("", file.names[file.exprs[literal * 3 + 1]], file.names[text]))


def _evaluate_case(ev: Evaluator, file: GraphFile, member: int, text: int) -> Meaning:
    of, name = file.exprs[member * 3 + 1], file.names[file.exprs[member * 3 + 2]]
    return type_expressions.select_by_text(
        ev, ev.value_of(ev.expr(file, of)), name, file.names[file.exprs[text * 3 + 2]]
    )


def _evaluate_address(ev: Evaluator, file: GraphFile, of: int, _: int) -> Meaning:
    return contents.point_to(ev.value_of(ev.expr(file, of)))


def _evaluate_pointed(ev: Evaluator, file: GraphFile, of: int, _: int) -> Meaning:
    return contents.follow_pointers(ev.value_of(ev.expr(file, of)))


def _evaluate_scope(ev: Evaluator, file: GraphFile, of: int, _: int) -> Meaning:
    found = ev.expr(file, of)
    kept = tuple(
        value
        for value in found.values
        if not isinstance(value, Definition) or ev.kind_of_node(value.node) not in _NO_SCOPES
    )
    return found if len(kept) == len(found.values) else Meaning(found.confidence, kept) if kept else NOTHING


def _evaluate_nothing(_ev: Evaluator, _file: GraphFile, _a: int, _b: int) -> Meaning:
    return NOTHING


_EXPRESSIONS: Mapping[Op, Callable[[Evaluator, GraphFile, int, int], Meaning]] = {
    Op.NAME: _evaluate_name,
    Op.GLOBAL: _evaluate_global,
    Op.ATTR: _evaluate_attribute,
    Op.CALL: calls.evaluate_call,
    Op.INDEX: protocols.evaluate_subscript,
    Op.ITER: _evaluate_iteration,
    Op.ENTER: _evaluate_entering,
    Op.AWAIT: _evaluate_await,
    Op.ITEM: _evaluate_item,
    Op.UNION: _evaluate_union,
    Op.INSTANCE: _evaluate_instance,
    Op.SUPER: _evaluate_super,
    Op.LITERAL: _evaluate_literal,
    Op.CONTAINER: _evaluate_container,
    Op.APPLY: _evaluate_applied,
    Op.ARG: _evaluate_nothing,
    Op.SYMBOL: _evaluate_symbol,
    Op.THIS: _evaluate_this,
    Op.TUPLE: _evaluate_tuple,
    Op.FUNCTION: type_expressions.evaluate_function_type,
    Op.SLOT: type_arguments.find_parameter_type,
    Op.PARAM: _evaluate_parameter,
    Op.SPECIAL: operators.find_methods,
    Op.PREFIX: _evaluate_prefix,
    Op.OTHER: _evaluate_other,
    Op.ELSE: overloads.choose_nearer,
    Op.OVERLOAD: _evaluate_overload,
    Op.EXTENSION: _evaluate_extension,
    Op.NAMED: _evaluate_named,
    Op.TEXT: _evaluate_text,
    Op.CASE: _evaluate_case,
    Op.ADDRESS: _evaluate_address,
    Op.POINTED: _evaluate_pointed,
    Op.SCOPE: _evaluate_scope,
    Op.SLOT_NAMED: _evaluate_named_slot,
    Op.EXPANDED: expansions.expand,
}
RULES = Rules(
    expressions=tuple(_EXPRESSIONS[op] for op in Op),
    binding=bindings.evaluate_binding,
    read_value=stored_values.read_value,
    read_values=stored_values.read_values,
    type=type_expressions.evaluate_type,
    attribute=members.find_attribute,
)
