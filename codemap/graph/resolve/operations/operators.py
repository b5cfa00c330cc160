"""The methods that operations run: `str(x)`, `x == y`, `for y in x`.

An operation names no method: it runs the one that the class of its operand has for it. Of several that would do, the
first that the class has is run; one that a base outside the repository may have ends the search. Methods that are run
one after the other (`__enter__`, `__exit__`) are looked for each on its own.
"""

from __future__ import annotations

from codemap.facts import ALSO
from codemap.graph.evaluate.evaluator import Evaluator
from codemap.graph.evaluate.file_views import GraphFile
from codemap.graph.model.values import (
    NOTHING,
    ContainerInstance,
    Definition,
    Instance,
    Meaning,
    ParameterInstance,
    TupleInstance,
    join,
    weaken,
)
from codemap.graph.resolve import calls, class_members, extension_methods, generics
from codemap.languages.language import Language

_OPERANDS = (Instance, TupleInstance, ContainerInstance)

Names = list[tuple[str, bool]]
"""Methods, each with whether the next one is run, too."""


def find_methods(ev: Evaluator, file: GraphFile, of: int, names: int) -> Meaning:
    """The methods that an operation on the expression `of` runs; `names` is an ARG list of LITERALs."""
    whole = ev.value_of(ev.expr(file, of))
    if not whole.values:
        return NOTHING
    result = NOTHING
    listed: Names = []
    for value in whole.values:
        if value.__class__ is ParameterInstance:
            listed = listed or _read_names(ev, file, names)
            found = _find_in_instances(ev, file.language, generics.evaluate_bound(ev, value), listed)
            result = join(result, weaken(found, whole.confidence))
            continue
        if value.__class__ not in _OPERANDS:
            continue
        listed = listed or _read_names(ev, file, names)
        if not isinstance(value, Instance):
            shared = [name for name in listed if name[0] in file.language.elementwise]
            found = _find_in_parts(ev, file.language, value, shared) if shared else NOTHING
        elif value.is_super:
            continue
        else:
            found = _find_in_instance(ev, file.language, value, listed)
        result = join(result, weaken(found, whole.confidence))
    if not result.values and whole.values and file.language.extends_any:
        for name, _ in _read_names(ev, file, names):
            result = join(result, extension_methods.find_in_scope(ev, file, whole, name))
    return result


def _read_names(ev: Evaluator, file: GraphFile, names: int) -> Names:
    exprs = file.exprs
    literals = [name * 3 for name in ev.arguments(file, names)]
    return [(file.names[exprs[literal + 1]], exprs[literal + 2] == ALSO) for literal in literals]


def _find_in_instances(ev: Evaluator, language: Language, whole: Meaning, names: Names) -> Meaning:
    result = NOTHING
    for value in whole.values:
        if isinstance(value, Instance) and not value.is_super:
            result = join(result, weaken(_find_in_instance(ev, language, value, names), whole.confidence))
    return result


def _find_in_instance(ev: Evaluator, language: Language, value: Instance, names: Names) -> Meaning:
    result = NOTHING
    for name, is_also in names:
        found = ev.value_of(class_members.find_member(ev, value, name))
        if found.values:
            run = Meaning(found.confidence, tuple(v for v in found.values if isinstance(v, Definition)))
            result = join(result, run)
            after = language.repeats.get(name)
            if after is not None and run.values:
                iterators = calls.evaluate_results(ev, run)
                result = join(result, _find_in_instances(ev, language, iterators, [(language.protocols[after], False)]))
            if not is_also:
                return result
    return result


def _find_in_parts(
    ev: Evaluator, language: Language, whole: ContainerInstance | TupleInstance, names: Names
) -> Meaning:
    """The methods that a container runs on its elements, except for containers in it."""
    if isinstance(whole, ContainerInstance):
        return _find_in_instances(ev, language, whole.contents.element, names)
    result = NOTHING
    for part in whole.parts:
        result = join(result, _find_in_instances(ev, language, part, names))
    return result
