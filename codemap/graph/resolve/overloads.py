"""Overload resolution: which definitions of one name accept the arguments of a call.

An overload is excluded where a type that it states is known not to admit its argument, or where it has no parameter of
a name that an argument is passed by. Of the others those with a
parameter for each argument are preferred, and of these the ones whose stated types are nearest to the arguments'. Where
several are left, one of them is called: each is a candidate. Where all are excluded, the call means a member of that
name of another class or outside.

The file is long because every kind of value is held against every kind of type here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codemap.facts import RECEIVER, Op, Symbol, SymbolFlag, SymbolKind
from codemap.graph.evaluate import stated_types
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    CLASS_KINDS,
    NOTHING,
    Confidence,
    ContainerInstance,
    ContainerMethod,
    Definition,
    FunctionInstance,
    Instance,
    Meaning,
    Outside,
    OutsideInstance,
    ParameterInstance,
    Value,
    join,
    one,
)
from codemap.graph.resolve import generics, method_resolution_order, partial_definitions, protocols, type_arguments
from codemap.graph.resolve.class_members import find_constructors, find_member
from codemap.languages.language import Language
from codemap.mangled_names import mangle_method

SAME, NEAR, CONVERTED, MAYBE, UNLIKELY, NEVER = 1_000, 100, 3, 2, 1, 0
"""How well a value matches a stated type; each step between their classes subtracts one from NEAR."""
_OUTSIDE = (Outside, OutsideInstance, ContainerMethod)
_UNCALLED = (*_OUTSIDE, ContainerInstance)
_NAMED = (OutsideInstance, ContainerInstance)
_NAME, _OPERATION, _OVERLOAD = int(Op.NAME), int(Op.SPECIAL), int(Op.OVERLOAD)
_FUNCTIONS = (int(SymbolKind.FUNCTION), int(SymbolKind.METHOD))
_NONE: frozenset[int] = frozenset()


class Arguments(NamedTuple):
    """What the arguments of a call are: those passed by position, and those passed by name."""

    listed: list[Meaning]
    named: Mapping[str, Meaning]

    @property
    def size(self) -> int:
        return len(self.listed) + len(self.named)


def choose_nearer(ev: Evaluator, file: GraphFile, near: int, far: int) -> Meaning:
    """What `near` means in the repository, else what `far` means; what may lie outside and has no name comes last."""
    found = ev.expr(file, near)
    uncalled = _UNCALLED if _is_variable_before_method(file, near, far) else _OUTSIDE
    is_inside = any(not isinstance(value, uncalled) for value in found.values)
    if is_inside and not _is_refused(ev, file, near, far, found):
        return found
    other = ev.expr(file, far)
    return other if other.values else found


def _is_variable_before_method(file: GraphFile, near: int, far: int) -> bool:
    """Whether a variable is asked whether it is what a call calls, before a method of its name."""
    return file.language.has_overloads and file.exprs[near * 3] == file.exprs[far * 3] == _NAME


def _is_refused(ev: Evaluator, file: GraphFile, near: int, far: int, found: Meaning) -> bool:
    """Whether the only member that a value has takes no such arguments, so that an extension is meant if there is
    one."""
    exprs = file.exprs
    if not file.language.has_extensions or not exprs[near * 3] == exprs[far * 3] == _OVERLOAD:
        return False
    if len(found.values) != 1:
        return False
    callee, listed = exprs[near * 3 + 1], exprs[near * 3 + 2]
    given = read_arguments(ev, file, listed)
    return _rank_overload(ev, file, found.values[0], callee, given) < 0


def select_overloads(ev: Evaluator, file: GraphFile, callee: int, arguments: int) -> Meaning:
    """The definitions among what `callee` means that take these arguments; none where an operation takes others."""
    found = ev.expr(file, callee)
    is_operation = file.exprs[callee * 3] == _OPERATION
    defined = sum(isinstance(value, Definition) for value in found.values)
    if defined < (1 if is_operation else 2):
        may_be_above = len(found.values) == defined == 1 and file.language.has_overloads
        return _select_with_inherited(ev, file, found, callee, arguments) if may_be_above else found
    given = read_arguments(ev, file, arguments)
    ranks = [_rank_overload(ev, file, value, callee, given) for value in found.values]
    best = max(ranks)
    if best < 0:  # what is inherited runs it, what nobody wrote, or what lies outside
        return NOTHING if is_operation else _select_inherited(ev, file, found, callee, given)
    fits = tuple(value for value, rank in zip(found.values, ranks, strict=True) if rank == best)
    if not is_operation:
        return Meaning(found.confidence, fits)
    return Meaning(Confidence.CANDIDATE if len(fits) > 1 else found.confidence, fits)


def _select_with_inherited(ev: Evaluator, file: GraphFile, found: Meaning, callee: int, arguments: int) -> Meaning:
    """The only method that a class itself has of a name, or one that it inherits, where it takes no such arguments."""
    count = len(ev.arguments(file, arguments)) + len(ev.named_arguments(file, arguments))
    if not _find_inherited(ev, found.values, count).values:
        return found
    given = read_arguments(ev, file, arguments)
    if _rank_overload(ev, file, found.values[0], callee, given) >= 0:
        return found
    inherited = _select_inherited(ev, file, found, callee, given)
    return inherited if inherited.values else found


def _select_inherited(ev: Evaluator, file: GraphFile, found: Meaning, callee: int, given: Arguments) -> Meaning:
    """The methods of the same name above some that take these arguments: those of the nearest classes that have any."""
    seen = set(found.values)
    above = found
    while (above := _find_inherited(ev, above.values, given.size)).values and not seen.issuperset(above.values):
        seen.update(above.values)
        ranks = [_rank_overload(ev, file, value, callee, given) for value in above.values]
        if (best := max(ranks)) >= 0:
            fits = tuple(value for value, rank in zip(above.values, ranks, strict=True) if rank == best)
            return Meaning(max(found.confidence, above.confidence), fits)
    return NOTHING


def _find_inherited(ev: Evaluator, methods: Sequence[Value], count: int) -> Meaning:
    """The methods with so many parameters that the classes of some methods inherit under their name."""
    found = NOTHING
    for method in methods:
        if not isinstance(method, Definition):
            continue
        file = ev.file_of_node(method.node)
        row = method.node - file.base
        name = file.name_of(row)
        if file.cell(row, Symbol.KIND) != SymbolKind.METHOD or name in file.language.constructors:
            continue
        owner = partial_definitions.resolve_node(ev, file, file.cell(row, Symbol.PARENT))
        for base in method_resolution_order.evaluate_bases(ev, owner).values:
            if isinstance(base, Definition):
                above = find_member(ev, Instance(base.node), mangle_method(name, count))
                values = tuple(Definition(v.node, method.receiver) for v in above.values if isinstance(v, Definition))
                found = join(found, Meaning(above.confidence, values)) if values else found
    return found


def read_arguments(ev: Evaluator, file: GraphFile, listed: int) -> Arguments:
    """The arguments of an ARG list."""
    named = ev.named_arguments(file, listed) if file.language.has_named_arguments else {}
    return Arguments(
        [ev.value_of(ev.expr(file, argument)) for argument in ev.arguments(file, listed)],
        {name: ev.value_of(ev.expr(file, argument)) for name, argument in named.items()},
    )


def is_accepted(ev: Evaluator, file: GraphFile, found: Meaning, callee: int, arguments: int) -> bool:
    """Whether any of some definitions, called as `callee`, takes these arguments."""
    given = read_arguments(ev, file, arguments)
    return any(_rank_overload(ev, file, value, callee, given) >= 0 for value in found.values)


def _rank_overload(ev: Evaluator, file: GraphFile, callee: Value, expr: int, given: Arguments) -> int:
    """How well a definition, which an expression means, accepts some arguments: first of all, whether it has a
    parameter for each; -1 where it does not accept them."""
    if not isinstance(callee, Definition):
        return 0
    owner = ev.file_of_node(callee.node)
    row = callee.node - owner.base
    stated = owner.parameters_of.get(row, [])
    is_variadic = owner.cell(row, Symbol.FLAGS) & SymbolFlag.VARIADIC
    rank = 0
    listed, named = given
    if listed and stated_types.is_passed_receiver(file.language, owner, row):
        fit = rank_match(ev, file.spoken, listed[0], stated_types.evaluate_receiver(ev, callee.node))
        if fit == NEVER:
            return -1
        rank, listed = fit, listed[1:]
    places = _find_places(owner, row, named)
    if places is None:
        return -1
    count = len(listed) + len(named)
    if len(stated) == count:
        rank += SAME * (count + 1)
    elif is_variadic and count >= len(stated) - 1:
        rank += SAME * (count + 1) - 1
    types = type_arguments.evaluate_stated(ev, file, callee, expr)
    if isinstance(callee.receiver, Instance) and callee.receiver.arguments is not None and file.language.has_overloads:
        cls = owner.base + max(owner.cell(row, Symbol.PARENT), 0)
        types = {**generics.map_arguments_above(ev, callee.receiver, cls), **types}
    behind = len(listed) - 1 if file.language.has_trailing_functions and listed and _is_function(listed[-1]) else -1
    placed = [
        (-1 if at == behind else at, listed[at])
        for at in range(len(listed) if is_variadic else min(len(listed), len(stated)))
    ]
    for position, argument in (*placed, *places):
        at = len(stated) - 1 if position < 0 else min(position, len(stated) - 1)
        if at < 0:
            break
        wanted = stated_types.evaluate_parameter_type(ev, owner, row, at)
        wanted_here = generics.substitute(wanted, types)
        fit = rank_match(ev, file.spoken, argument, wanted_here)
        if fit not in (SAME, NEVER) and _is_of_other_type(ev, callee.node, argument, wanted_here):
            fit = NEVER
        if is_variadic and at == len(stated) - 1 and position >= 0:
            of_one = _rank_one_of(ev, file, argument, wanted, types)
            fit = max(fit if position == at else NEVER, of_one)
            if fit == of_one:
                rank -= 1  # what takes it as it is comes before what takes any number
        if fit == NEVER:
            return -1
        rank += fit
    return rank


def _find_places(file: GraphFile, row: int, named: Mapping[str, Meaning]) -> list[tuple[int, Meaning]] | None:
    """The arguments passed by name with the places of their parameters; None where a definition has no such one."""
    names = file.parameter_names_of.get(row, []) if named else []
    if not named.keys() <= {*names}:
        return None if file.cell(row, Symbol.KIND) in _FUNCTIONS else []
    return [(names.index(name), argument) for name, argument in named.items()]


def _is_of_other_type(ev: Evaluator, callee: int, argument: Meaning, wanted: Meaning) -> bool:
    """Whether a value of a class is held against what a type parameter of the code around the call stands for, which
    the callee, or a class that it is in, has been given."""
    stated = [value.node for value in wanted.values if isinstance(value, ParameterInstance)]
    if not stated or len(stated) < len(wanted.values):
        return False
    if not argument.values or not all(isinstance(value, Instance) for value in argument.values):
        return False
    file = ev.file_of_node(callee)
    while file.language.has_overloads and callee not in stated:
        if callee == file.base:
            return True
        callee = file.base + max(file.cell(callee - file.base, Symbol.PARENT), 0)
    return False


def _is_function(argument: Meaning) -> bool:
    return bool(argument.values) and isinstance(argument.values[0], FunctionInstance)


def _rank_one_of(
    ev: Evaluator, file: GraphFile, argument: Meaning, wanted: Meaning, types: type_arguments.Given
) -> int:
    """How well an argument suits a parameter that takes any number, which states an array of them."""
    held = [value.contents.element for value in wanted.values if isinstance(value, ContainerInstance)]
    fits = [rank_match(ev, file.spoken, argument, generics.substitute(each, types)) for each in held]
    best = max(fits, default=MAYBE)
    return best - 1 if best > MAYBE else best


def rank_match(ev: Evaluator, language: Language, given: Meaning, wanted: Meaning) -> int:
    """The best match of any of the values with any of the types."""
    if not given.values or not wanted.values:
        return MAYBE
    if len(given.values) == len(wanted.values) == 1:
        return _rank_value(ev, language, given.values[0], wanted.values[0])
    return max(_rank_value(ev, language, value, type_) for value in given.values for type_ in wanted.values)


def _rank_value(ev: Evaluator, language: Language, value: Value, wanted: Value) -> int:
    if isinstance(value, ParameterInstance) or isinstance(wanted, ParameterInstance):
        return _rank_parameter(ev, language, value, wanted)
    if isinstance(value, Instance) and isinstance(wanted, Instance):
        return _rank_subclass(ev, language, value, wanted)
    if isinstance(value, ContainerInstance) and isinstance(wanted, ContainerInstance) and value.name == wanted.name:
        fit = _rank_contents(ev, language, value, wanted)
        return NEVER if fit == NEVER else max(fit, NEAR + 2 if _holds_any(wanted) else NEAR + 1)
    outside, type_name = language.outside, _find_type_name(wanted)
    if type_name in outside.converts.get("*", ()):
        return NEAR + 1 if _is_known(value) else MAYBE
    name = _find_type_name(value)
    if language.has_alike:
        return _rank_plain(language, name, type_name)
    if isinstance(value, FunctionInstance):
        return _rank_function(ev, language, value, wanted)
    if isinstance(value, Definition) and isinstance(wanted, FunctionInstance):
        return _rank_reference(ev, value, wanted)
    if isinstance(wanted, Instance):
        if name in outside.converts or name in outside.above:
            return NEVER
        return UNLIKELY if name and name not in outside.converts.get("*", ()) else MAYBE
    if not type_name:
        return NEVER if isinstance(wanted, FunctionInstance) and name in outside.converts else MAYBE
    if name == type_name:
        return SAME
    if isinstance(value, Instance) and isinstance(wanted, ContainerInstance):
        return _rank_held(ev, language, value, wanted)
    if name in outside.converts:
        others = outside.converts[name]
        return NEAR - others.index(type_name) if type_name in others else NEVER
    if name in outside.above:
        return _rank_above(ev, language, value, wanted)
    return NEVER if type_name in outside.converts and (name or isinstance(value, Instance)) else MAYBE


def _rank_function(ev: Evaluator, language: Language, value: FunctionInstance, wanted: Value) -> int:
    """A lambda, which types of functions take that have as many parameters, and no class but an interface."""
    match wanted:
        case FunctionInstance():
            counts = {len(value.parameters), len(wanted.parameters)} - {0}
            return NEVER if len(counts) > 1 and max(counts) <= RECEIVER else NEAR
        case ContainerInstance():
            count = language.containers.function_types.get(wanted.name or "", 0)
            if count and value.parameters:
                return NEAR if len(value.parameters) == count else NEVER
            return NEAR if wanted.contents.result.values else MAYBE if count else UNLIKELY
        case Instance():
            return NEVER if ev.kind_of_node(wanted.node) == SymbolKind.CLASS else MAYBE
        case _:
            return NEVER if _find_type_name(wanted) in language.outside.converts else MAYBE


def _rank_reference(ev: Evaluator, value: Definition, wanted: FunctionInstance) -> int:
    """A function, or a class whose constructor is meant, as a type of functions: by how many parameters both have. A
    method may take its receiver first, and what has a default may be left out."""
    file = ev.file_of_node(value.node)
    callees: Sequence[Value] = [value]
    if file.cell(value.node - file.base, Symbol.KIND) in CLASS_KINDS:
        callees = find_constructors(ev, value).values or callees
    counts = set()
    for callee in callees:
        if isinstance(callee, Definition):
            owner = ev.file_of_node(callee.node)
            counts.add(len(owner.parameters_of.get(callee.node - owner.base, [])))
    count = len(wanted.parameters)
    if not counts or count > RECEIVER or count - 1 in counts:
        return MAYBE
    return NEAR if count in counts else UNLIKELY


def _rank_plain(language: Language, name: str, type_name: str) -> int:
    """A value of a builtin type, or a parameter of one, where all conversions but that to the first of `converts` are
    alike. A class may say what converts to it, and what it converts to."""
    converts = language.outside.converts
    if name and name == type_name:
        return SAME
    if name not in converts or type_name not in converts:
        return MAYBE
    others = converts[name]
    return NEAR if others[0] == type_name else CONVERTED if type_name in others else NEVER


def _is_known(value: Value) -> bool:
    """Whether anything is known of a value's type."""
    return not isinstance(value, OutsideInstance) or bool(value.name)


def _rank_parameter(ev: Evaluator, language: Language, value: Value, wanted: Value) -> int:
    """A value of a type that a type parameter stands for is of its bound; a parameter of such a type takes what its
    bound admits."""
    if value == wanted:
        return SAME
    if isinstance(value, ParameterInstance):
        bound = _evaluate_bound(ev, value)
        return max(UNLIKELY, rank_match(ev, language, bound, one(Confidence.TYPE, wanted))) if bound.values else MAYBE
    bound = _evaluate_bound(ev, wanted) if isinstance(wanted, ParameterInstance) else NOTHING
    return min(rank_match(ev, language, one(Confidence.TYPE, value), bound), NEAR + 1)


def _evaluate_bound(ev: Evaluator, parameter: ParameterInstance) -> Meaning:
    """What a type parameter admits at most, through the parameters that bound it. The type arguments of that say
    nothing where they are parameters, which may be bounded by what they are arguments of (`T : Comparable<T>`)."""
    found: list[Value] = []
    pending, seen = [parameter], {parameter}
    for each in pending:
        for value in generics.evaluate_bound(ev, each).values:
            if not isinstance(value, ParameterInstance):
                found.append(value)
            elif value not in seen:
                seen.add(value)
                pending.append(value)
    return generics.erase_parameters(Meaning(Confidence.TYPE, tuple(found)))


def _rank_subclass(ev: Evaluator, language: Language, value: Instance, wanted: Instance) -> int:
    """How near a class of the repository is to one above it; not near at all where their type arguments differ."""
    if value.node == wanted.node:
        return SAME if _may_hold(ev, language, value, wanted) else NEVER
    order = method_resolution_order.compute_order(ev, value.node).values
    for steps, cls in enumerate(order):
        if isinstance(cls, Definition) and cls.node == wanted.node:
            return max(MAYBE, NEAR - steps) if _may_hold(ev, language, value, wanted) else NEVER
    return NEVER if isinstance(order[-1], Definition) else MAYBE


def _may_hold(ev: Evaluator, language: Language, value: Instance, wanted: Instance) -> bool:
    """Whether the type arguments of a value may be those that a type states for its class, or for one above it: of each
    pair, one suits the other."""
    if wanted.arguments is None:
        return True
    given = generics.map_arguments_above(ev, value, wanted.node)
    for parameter, wants in zip(generics.find_type_parameters(ev, wanted.node), wanted.arguments, strict=False):
        has = given.get(parameter, NOTHING)
        if rank_match(ev, language, has, wants) == NEVER and rank_match(ev, language, wants, has) == NEVER:
            return False
    return True


def _rank_held(ev: Evaluator, language: Language, value: Instance, wanted: ContainerInstance) -> int:
    """A value of a class of the repository as a container from outside: where it can be one, by what it gives."""
    order = method_resolution_order.compute_order(ev, value.node).values
    if isinstance(order[-1], Definition):
        return NEVER
    held = protocols.apply_protocol(ev, one(Confidence.TYPE, value), "iter")
    if not held.values or not wanted.contents.element.values:
        return MAYBE
    fit = rank_match(ev, language, held, wanted.contents.element)
    return NEVER if fit == NEVER else NEAR // 2 if fit > MAYBE else MAYBE


def _rank_above(ev: Evaluator, language: Language, value: Value, wanted: Value) -> int:
    """A type outside as one that it inherits from, as near as that is, if what they hold suits."""
    outside, type_name = language.outside, _find_type_name(wanted)
    others = outside.above[_find_type_name(value)]
    if type_name not in others:
        return NEVER if type_name in outside.above or type_name in outside.converts else MAYBE
    near = NEAR - others.index(type_name)
    if not isinstance(value, ContainerInstance) or not isinstance(wanted, ContainerInstance):
        return near
    fit = _rank_contents(ev, language, value, wanted)
    return NEVER if fit == NEVER else near if fit > MAYBE else near // 2


def _rank_contents(ev: Evaluator, language: Language, value: ContainerInstance, wanted: ContainerInstance) -> int:
    """Containers of one name match as well as their elements do, which are not converted."""
    fit = rank_match(ev, language, value.contents.value, wanted.contents.value)
    unboxed = language.outside.unboxed
    if _holds_any(wanted) and any(_find_type_name(held) in unboxed for held in value.contents.value.values):
        return NEVER
    if fit == MAYBE:
        fit = rank_match(ev, language, value.contents.result, wanted.contents.result)
    names = {_find_type_name(held) for held in (*value.contents.value.values, *wanted.contents.value.values)}
    is_plain = len(names) == 2 and names <= language.outside.converts.keys()
    return NEVER if is_plain else fit


def _holds_any(wanted: ContainerInstance) -> bool:
    """Whether a type of containers leaves open what they hold: a type parameter without a bound, or nothing."""
    values = wanted.contents.value.values
    return all(isinstance(held, ParameterInstance) for held in values)


def _find_type_name(value: Value) -> str:
    """The last name of a type from outside; empty where it has none."""
    if isinstance(value, _NAMED):
        name = value.name or ""
        return name.rpartition(".")[2] if "." in name else name
    return ""


def find_ambiguous(ev: Evaluator, meaning: Meaning) -> frozenset[int]:
    """The nodes of which a call can mean only one, because they are overloads of one name in one class, or in classes
    of one name, as specializations of a template are, or extensions of one name in one file; or functions of one
    namespace that differ by their parameters, in whichever files.

    Nodes, not values: to hash what containers hold can take time without end.
    """
    if len(meaning.values) < 2:
        return _NONE
    sets: dict[object, set[int]] = {}  # one node may be reached through several values
    functions: dict[tuple[str, ...], dict[int, object]] = {}
    for value in meaning.values:
        if isinstance(value, Definition):
            file = ev.file_of_node(value.node)
            if file.spoken.has_overloads or file.spoken.has_alike:
                row = value.node - file.base
                name = file.name_of(row)
                parent = file.cell(row, Symbol.PARENT)
                if file.spoken.extends_any and file.cell(row, Symbol.FLAGS) & SymbolFlag.EXTENSION:
                    sets.setdefault((file.base, name), set()).add(value.node)  # chosen by what it is called on
                if parent in file.stand_ins:  # a part of a class that another file has
                    whole = partial_definitions.resolve_node(ev, file, parent)
                    file = ev.file_of_node(whole)
                    parent = whole - file.base
                owner = (file.cell(parent, Symbol.PARENT), file.cell(parent, Symbol.NAME)) if parent else (0, 0)
                key = (file.base, owner, name)
                sets.setdefault(key, set()).add(value.node)
                if file.spoken.has_alike and value.receiver.__class__ is int:  # of a class, and of a base that it uses
                    sets.setdefault((value.receiver, name), set()).add(value.node)
                if file.spoken.has_alike and ev.kind_of_node(value.node) == SymbolKind.FUNCTION:
                    of_name = functions.setdefault(_spell_name(file, row), {})
                    of_name[value.node] = list_parameters(ev, value.node)
    found = {node for nodes in sets.values() if len(nodes) > 1 for node in nodes}
    for shapes in functions.values():
        found.update(shapes if len({*shapes.values()}) > 1 else ())
    return frozenset(found)


def _spell_name(file: GraphFile, row: int) -> tuple[str, ...]:
    """The name of a definition and those of what it is in, the innermost first."""
    found = [file.name_of(row)]
    while row := file.cell(row, Symbol.PARENT):
        found.append(file.name_of(row))
    return tuple(found)


def list_parameters(ev: Evaluator, node: int) -> tuple[tuple[object, ...], ...]:
    """What tells the parameters of a function from those of another; nothing of one of which nothing is known."""
    file = ev.file_of_node(node)
    row = node - file.base
    stated = range(len(file.parameters_of.get(row, ())))
    wanted = (stated_types.evaluate_parameter_type(ev, file, row, position).values for position in stated)
    return tuple(
        tuple(value.node if isinstance(value, Instance) else (value.weight, _spell_type(value)) for value in values)
        for values in wanted
    )


def _spell_type(value: Value) -> str:
    """What tells a type from outside, or that stands for one, from others."""
    return f"#{value.position}" if isinstance(value, ParameterInstance) else _find_type_name(value)
