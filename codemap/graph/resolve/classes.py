"""Classes: the order of their bases, and their members.

The order is C3 (Python's), or depth first where C3 has no answer or the language says so. A class that has a base whose
definition is not in the repository, or not known, ends in an OUTSIDE value: what is not found may be there.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, takewhile
from typing import TYPE_CHECKING

from codemap.facts import Symbol, plain_name
from codemap.graph.model.values import BEHIND, CLASS_KINDS, NOTHING, Confidence, Meaning, Tag, Value, one
from codemap.graph.resolve import generics, linkage, stand_ins
from codemap.graph.resolve.files import GraphFile

if TYPE_CHECKING:
    from codemap.graph.resolve.evaluate import Evaluator

SYMBOL, INSTANCE = Tag.SYMBOL, Tag.INSTANCE
_KIND = Symbol.KIND
_OUTSIDE = Value(Tag.OUTSIDE, "", "")
_ONE_OUTSIDE = one(Confidence.EXACT, _OUTSIDE)
_NO_NAMES: Mapping[str, int] = {}
Space = tuple[Mapping[str, int], Mapping[str, int], GraphFile, int]
"""The bindings and the child symbols of a class by name; its file, and its row there."""
Stated = tuple[GraphFile, int]
"""The file and row of a class that states a metaclass."""


def has_members(file: GraphFile, row: int) -> bool:
    """Whether a symbol is a namespace: a class, an object literal, a function with prototype members."""
    return row in file.members or row in file.children


def order(ev: Evaluator, cls: int) -> Meaning:
    """A class, its parts and its bases in the order that members are looked up; OUTSIDE last where some base is not
    known. Parts are marked."""
    return ev.ask(ev.file_of_node(cls), ("order", cls), lambda: _order(ev, cls))


def _order(ev: Evaluator, cls: int) -> Meaning:
    file = ev.file_of_node(cls)
    whole = stand_ins.node_meant(ev, file, cls - file.base)
    if whole != cls:
        return order(ev, whole)
    own = Value(Tag.SYMBOL, cls)
    parts = [Value(Tag.SYMBOL, part, stand_ins.PART) for part in stand_ins.parts_of(ev, file, cls - file.base)]
    bases, is_open = _bases(ev, cls)
    sequences: list[list[Value]] = []
    known: list[Value] = []
    for base in bases:
        assert isinstance(base.a, int)
        known.append(base)
        if _is_above(ev, cls, base.a):
            sequences.append([base])
            continue  # whichever of the classes that stand on one another is asked first, the answers are the same
        linear = list(order(ev, base.a).values)
        if linear and linear[-1] == _OUTSIDE:
            is_open = True
            linear.pop()
        sequences.append(linear)
    is_chain = len(sequences) == 1 and sequences[0][:1] == known
    merged = None
    if is_chain:
        merged = sequences[0]
    elif file.language.linearize == "c3":
        merged = _merge([*sequences, known])
    if merged is None:
        flat = list(chain.from_iterable(sequences))
        if file.language.linearize == "breadth":
            depths = _depths(ev, known)
            flat.sort(key=lambda value: depths.get(value.a, len(depths)))
        merged = list(dict.fromkeys(flat))
    return Meaning(Confidence.EXACT, (own, *parts, *merged, _OUTSIDE) if is_open else (own, *parts, *merged))


def _bases(ev: Evaluator, cls: int) -> tuple[tuple[Value, ...], bool]:
    """What a class and its parts state as bases, once each; and whether others are not known."""
    found = stated_bases(ev, cls).values
    is_open = found[-1:] == (_OUTSIDE,)
    return (found[:-1] if is_open else found), is_open


def stated_bases(ev: Evaluator, cls: int) -> Meaning:
    """What a class and its parts state as bases; OUTSIDE last where others are not known."""
    return ev.ask(ev.file_of_node(cls), ("bases", cls), lambda: _stated_bases(ev, cls))


def _stated_bases(ev: Evaluator, cls: int) -> Meaning:
    file = ev.file_of_node(cls)
    bases: dict[Value, None] = {}
    is_open = False
    for node in (cls, *stand_ins.parts_of(ev, file, cls - file.base)):
        of_part = bases_of_part(ev, node)
        found = [v for v in of_part.values if v.tag == Tag.SYMBOL and v.a != cls]
        is_open |= len(found) < len(of_part.values)
        bases.update(dict.fromkeys(found))
    return Meaning(Confidence.EXACT, (*bases, _OUTSIDE) if is_open else tuple(bases))


def bases_of_part(ev: Evaluator, node: int) -> Meaning:
    """What one part of a class states as bases; OUTSIDE last where others are not known."""
    file = ev.file_of_node(node)
    if ev.solver.frame is file:
        return _bases_of_part(ev, file, node)
    return ev.ask(file, ("bases of part", node), lambda: _bases_of_part(ev, file, node))


def _bases_of_part(ev: Evaluator, file: GraphFile, node: int) -> Meaning:
    bases: dict[Value, None] = {}
    is_open = False
    for base_row in file.base_rows.get(node - file.base, []):
        meaning = ev.value_of(ev.expr(file, file.bases[base_row * 5 + 2]))
        found = [Value(Tag.SYMBOL, v.a) for v in meaning.values if v.tag == Tag.SYMBOL]
        is_open |= len(found) < len(meaning.values) or not found
        bases.update(dict.fromkeys(found))
    return Meaning(Confidence.EXACT, (*bases, _OUTSIDE) if is_open else tuple(bases))


def _is_above(ev: Evaluator, cls: int, of: int) -> bool:
    """Whether a class stands above another one."""
    seen, todo = {of}, [of]
    while todo:
        for base in _bases(ev, todo.pop())[0]:
            if base.a == cls:
                return True
            if base.a not in seen:
                assert isinstance(base.a, int)
                seen.add(base.a)
                todo.append(base.a)
    return False


def _depths(ev: Evaluator, bases: list[Value]) -> dict[object, int]:
    """Node of each class above, and of its parts -> how many steps it is away."""
    found: dict[object, int] = {}
    depth, level = 0, [value.a for value in bases]
    while level:
        above: list[object] = []
        for node in level:
            assert isinstance(node, int)
            if node in found:
                continue
            file = ev.file_of_node(node)
            found.update(dict.fromkeys((node, *stand_ins.parts_of(ev, file, node - file.base)), depth))
            above += [value.a for value in _bases(ev, node)[0]]
        depth, level = depth + 1, above
    return found


def _merge(sequences: list[list[Value]]) -> list[Value] | None:
    """The C3 merge; None where the bases contradict one another."""
    result: list[Value] = []
    sequences = [list(sequence) for sequence in sequences if sequence]
    while sequences:
        for sequence in sequences:
            head = sequence[0]
            if not any(head in other[1:] for other in sequences):
                break
        else:
            return None
        result.append(head)
        sequences = [rest for s in sequences if (rest := s[1:] if s[0] == head else s)]
    return result


def member(ev: Evaluator, of: Value, name: str) -> Meaning:
    """The member `name` of a class, of an instance of it, or of another namespace."""
    if of.b.__class__ is tuple:
        return generics.through(of, member(ev, Value(of.tag, of.a), name))
    if of.b.__class__ is Value:  # whose class it was reached through changes nothing
        of = Value(of.tag, of.a)
    key = (of.a, of.b, of.tag is SYMBOL, name)
    solver = ev.solver
    frame = solver.frame
    frame.asked.add(key)
    known = ev.members.get(key)
    if known is not None:
        return known
    outer_low = solver.begin()
    assert isinstance(of.a, int)
    solver.frame = ev.file_of_node(of.a)
    found = _member(ev, of, name)
    solver.frame = frame
    if ev.solver.end(outer_low, found) is found:
        ev.members[key] = found
    return found


def _member(ev: Evaluator, of: Value, name: str) -> Meaning:
    node = of.a
    assert isinstance(node, int)
    file = ev.file_of_node(node)
    if file.cell(node - file.base, _KIND) not in CLASS_KINDS:
        behind = BEHIND if of.b == BEHIND else None
        own = _own_member(ev, file, node - file.base, name, behind) or NOTHING
        return own if own.values else linkage.star_imported_by(ev, file, node - file.base, name)
    receiver = of.b if isinstance(of.b, int) else node
    classes = order(ev, node).values
    spaces, stated = _spaces(ev, node, classes)
    if of.b == "super" and of.tag is INSTANCE:
        spaces = spaces[1 + sum(1 for _ in takewhile(lambda cls: cls.b == stand_ins.PART, classes[1:])) :]
    for members, children, owner, row in spaces:
        if name in members or name in children:
            if row in owner.mixins and plain_name(name) != name and not _is_part_of(classes, owner.base + row):
                continue  # of what the class has itself, nothing comes from a mixin
            found = _own_member(ev, owner, row, name, receiver)
            if found is not None and found.values:
                return found
    is_open = classes[-1:] == (_OUTSIDE,)
    if not is_open and plain_name(name) in file.language.in_every_class:
        return _ONE_OUTSIDE
    found = _of_metaclass(ev, stated, name, node) if stated and of.tag is SYMBOL else NOTHING
    return _ONE_OUTSIDE if is_open and not found.values else found


def _is_part_of(classes: tuple[Value, ...], node: int) -> bool:
    """Whether a node is the class, or a part of the class, whose order this is."""
    return classes[0].a == node or any(
        value.a == node for value in takewhile(lambda cls: cls.b == stand_ins.PART, classes[1:])
    )


def _spaces(ev: Evaluator, cls: int, classes: tuple[Value, ...]) -> tuple[list[Space], list[Stated]]:
    """The namespaces of the classes in an order, which is that of one of them, and the metaclasses that these state.
    They are kept as long as the order stands: most names are looked for in each class, and are in none."""
    known = ev.spaces.get(cls)
    if known is None or known[0] is not classes:
        spaces: list[Space] = []
        stated: list[Stated] = []
        for each in classes:
            if isinstance(each.a, int):
                file = ev.file_of_node(each.a)
                row = each.a - file.base
                spaces.append((file.members.get(row, _NO_NAMES), file.children.get(row, _NO_NAMES), file, row))
                if row in file.metaclasses and (row not in file.mixins or _is_part_of(classes, each.a)):
                    stated.append((file, row))
        known = ev.spaces[cls] = (classes, spaces, stated)
    return known[1:]


def _of_metaclass(ev: Evaluator, stated: list[Stated], name: str, receiver: int) -> Meaning:
    """The member that a class has by the class that it is an instance of, as itself and its bases state it.

    Where methods are bound apart from what else there is (`has_overloads`), it is one of those.
    """
    plain = plain_name(name)
    if plain == name and ev.file_of_node(receiver).language.has_overloads:
        return NOTHING
    for file, row in stated:
        for meta in metaclass(ev, file.base + row).values:
            if meta.tag == Tag.SYMBOL and isinstance(meta.a, int) and meta.a != file.base + row:
                found = member(ev, Value(Tag.INSTANCE, meta.a), plain)
                known = tuple(Value(value.tag, value.a, receiver) for value in found.values if value.tag == Tag.SYMBOL)
                if known:
                    return Meaning(found.confidence, known)
    return NOTHING


def metaclass(ev: Evaluator, node: int) -> Meaning:
    """What a class itself states as its metaclass."""
    file = ev.file_of_node(node)
    expr = file.metaclasses.get(node - file.base, -1)
    return ev.ask(file, ("metaclass", node), lambda: ev.value_of(ev.expr(file, expr)))


def _own_member(ev: Evaluator, file: GraphFile, row: int, name: str, receiver: int | str | None) -> Meaning | None:
    members = file.members.get(row)
    binding = None if members is None else members.get(name)
    if binding is not None:
        found = ev.binding(file, binding) if ev.solver.frame is file else ev.bound(file, row, name)
        if receiver is None:
            return found
        if len(found.values) == 1:
            only = found.values[0]
            return one(found.confidence, Value(SYMBOL, only.a, receiver)) if only.tag is SYMBOL else found
        bound = tuple(Value(SYMBOL, v.a, receiver) if v.tag is SYMBOL else v for v in found.values)
        return Meaning(found.confidence, bound)
    children = file.children.get(row)
    child = None if children is None else children.get(name)
    if child is None:
        return None
    return one(Confidence.EXACT, Value(SYMBOL, stand_ins.node_meant(ev, file, child), receiver))


def is_class(ev: Evaluator, node: int) -> bool:
    file = ev.file_of_node(node)
    return file.cell(node - file.base, Symbol.KIND) in CLASS_KINDS
