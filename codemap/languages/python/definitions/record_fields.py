"""The parameters that the fields of a class make: dataclasses and named tuples that inherit none.

Source: Python documentation, `dataclasses` and `typing.NamedTuple`.
"""

from __future__ import annotations

from tree_sitter import Node

from codemap.calls.lists import Parameter, ParameterKind, ParameterList

_PLAIN_BASES = frozenset((b"object", b"NamedTuple", b"Generic", b"Protocol", b"ABC"))


def fields(node: Node) -> ParameterList | None:
    """Of a class; None where its fields make no parameters, or others do as well."""
    if node.type != "class_definition":
        return None
    bases = [_last_name(one) for one in _children(node.child_by_field_name("superclasses"))]
    decorators = [one.named_children[0] for one in _decorators(node) if one.named_child_count]
    dataclass = next((one for one in decorators if _last_name(one) == b"dataclass"), None)
    if dataclass is None and b"NamedTuple" not in bases:
        return None
    if not _PLAIN_BASES.issuperset(bases) or len(decorators) > (dataclass is not None):
        return ParameterList((), is_doubtful=True)
    given = {} if dataclass is None else _options(dataclass)
    if given.get(b"init") == b"False":
        return None
    only_keyword = given.get(b"kw_only") == b"True"
    items: list[Parameter] = []
    for statement in _children(node.child_by_field_name("body")):
        field = statement.named_children[0] if statement.type == "expression_statement" else statement
        if field.type == "function_definition" and _text(field.child_by_field_name("name")) == b"__init__":
            return None
        if field.type != "assignment" or field.child_by_field_name("type") is None:
            continue
        name, stated = field.child_by_field_name("left"), _text(field.child_by_field_name("type"))
        value = field.child_by_field_name("right")
        if name is None or name.type != "identifier" or b"ClassVar" in stated:
            continue
        if stated.rpartition(b".")[2] == b"KW_ONLY":
            only_keyword = True
            continue
        options = {} if value is None or _last_name(value) != b"field" else _options(value)
        if options.get(b"init") == b"False":
            continue
        is_field = value is not None and value.type == "call" and _last_name(value) == b"field"
        has_default = b"default" in options or b"default_factory" in options if is_field else value is not None
        by_name = only_keyword if b"kw_only" not in options else options[b"kw_only"] == b"True"
        kind = ParameterKind.KEYWORD if by_name else ParameterKind.EITHER
        items.append(Parameter(_text(name).decode("utf-8", "replace"), kind, not has_default))
    return ParameterList(tuple(items))


def _options(call: Node) -> dict[bytes, bytes]:
    """The arguments by name of a call."""
    given = [one for one in _children(call.child_by_field_name("arguments")) if one.type == "keyword_argument"]
    return {_text(one.child_by_field_name("name")): _text(one.child_by_field_name("value")) for one in given}


def _decorators(node: Node) -> list[Node]:
    around = node.parent
    return [] if around is None else [one for one in around.named_children if one.type == "decorator"]


def _children(node: Node | None) -> list[Node]:
    return [] if node is None else [one for one in node.named_children if one.type != "comment"]


def _last_name(node: Node) -> bytes:
    """Of a name, a member, a call or a subscript of one."""
    return _text(node).partition(b"(")[0].partition(b"[")[0].rpartition(b".")[2].strip()


def _text(node: Node | None) -> bytes:
    return b"" if node is None else node.text or b""
