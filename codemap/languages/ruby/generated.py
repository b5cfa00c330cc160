"""Methods that code makes under names that it is given: in a loop over a list of names, or by a method of the file that
defines one for each name that it is called with.

    %i[debug info].each { |name| define_method(name) { … } }      # the methods `debug` and `info`

    def self.setting(name) = define_method("#{name}?") { … }
    setting :fast                                                 # the method `fast?`

Each stands where its name is given. Names that only another file gives are not known.

Source: the Ruby documentation of Module#define_method, Module#class_eval, Module#attr_accessor; Rails' of
ActiveModel::Attributes, ActiveRecord::Associations, ActiveRecord::Scoping.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from codemap.languages.ruby import methods
from codemap.languages.ruby.walk import Definer, Pattern

if TYPE_CHECKING:
    from tree_sitter import Node

    from codemap.languages.ruby.walk import Class, Walk

_LOOPS = frozenset({"each", "each_pair", "each_key", "each_with_index"})
_SAME = frozenset({"freeze", "keys", "dup", "to_a", "to_set"})
"""What gives a list the names that another one has."""
_TEXTS = ("string", "delimited_symbol")
_DEFINES = {
    "define_method": ("",),
    "define_singleton_method": ("",),
    "alias_method": ("",),
    "attr_reader": ("",),
    "attr_writer": ("=",),
    "attr_accessor": ("", "="),
}
_SENDS = frozenset({"send", "public_send", "__send__"})
_OWN = frozenset({"define_singleton_method"})
_EVALUATES = re.compile(r"\b(?:class|module|instance)_eval\b")
_WORDS = re.compile(r"define_(?:singleton_)?method|attr_(?:reader|writer|accessor)|alias_method|_eval\b")
_TEXT_MAX = 20_000
"""Characters of a body that are looked at."""
_NAMES_MAX = 500
"""That a list has."""
_NAME = re.compile(r"[A-Za-z_]\w*[?!=]?")


_READ, _WRITTEN = Pattern("", "", is_own=False), Pattern("", "=", is_own=False)
_ATTRIBUTE = Definer(0, is_rest=False, patterns=(_READ, _WRITTEN))
_KNOWN: Mapping[str, Definer] = {
    **dict.fromkeys(("attribute", "has_one", "has_many", "belongs_to", "has_and_belongs_to_many"), _ATTRIBUTE),
    "scope": Definer(0, is_rest=False, patterns=(Pattern("", "", is_own=True),)),
}
"""What defines methods by a convention that Rails began."""


def method(w: Walk, node: Node) -> int:
    _note_definer(w, node)
    return methods.method(w, node)


def singleton_method(w: Walk, node: Node) -> int:
    _note_definer(w, node)
    return methods.singleton_method(w, node)


def visit_loop(w: Walk, cls: Class, receiver: Node, name: str, block: Node) -> None:
    """`LIST.each do |name| define_method(name) … end` in the body of a class: what it defines."""
    if name not in _LOOPS or not _may_define(w, block):
        return
    variables = [child for child in _parameters(block) if child.type == "identifier"]
    if not variables:
        return
    patterns = tuple(_patterns(w, block, w.text(variables[0])))
    for item in _items(w, receiver) if patterns else ():
        _define(w, cls, item, patterns)


def visit_call(w: Walk, cls: Class, name: str, arguments: list[Node]) -> None:
    """A call in the body of a class of a method that defines others: what it defines."""
    definer = w.definers.get(name) or _KNOWN.get(name)
    if definer is None:
        return
    last = len(arguments) if definer.is_rest else definer.position + 1
    for argument in arguments[definer.position : last]:
        if methods.literal_name(w, argument):
            _define(w, cls, argument, definer.patterns)


def _note_definer(w: Walk, node: Node) -> None:
    """Keeps what a method defines under the name that it is given, if it does."""
    name = node.child_by_field_name("name")
    if name is None or not w.classes or not _may_define(w, node):
        return
    parameters = node.child_by_field_name("parameters")
    for position, child in enumerate(parameters.named_children if parameters is not None else ()):
        is_rest = child.type == "splat_parameter"
        named = child if child.type == "identifier" else child.child_by_field_name("name")
        if named is None or child.type not in ("identifier", "splat_parameter", "optional_parameter"):
            continue
        word = w.text(named)
        patterns = tuple(_patterns_of_each(w, node, word) if is_rest else _patterns(w, node, word))
        if patterns:
            w.definers[w.text(name)] = Definer(position, is_rest, patterns)
            return


def _may_define(w: Walk, node: Node) -> bool:
    if node.end_byte - node.start_byte > _TEXT_MAX:
        return False
    return _WORDS.search(w.chars, node.start_byte, node.end_byte) is not None


def _parameters(block: Node) -> list[Node]:
    parameters = block.child_by_field_name("parameters")
    found = list(parameters.named_children) if parameters is not None else []
    if len(found) == 1 and found[0].type == "destructured_parameter":
        return list(found[0].named_children)
    return found


def _patterns_of_each(w: Walk, node: Node, word: str) -> Iterator[Pattern]:
    """The patterns of loops over a parameter that takes all arguments."""
    for call in _calls(node):
        receiver, name = call.child_by_field_name("receiver"), call.child_by_field_name("method")
        block = call.child_by_field_name("block")
        if receiver is None or name is None or block is None or w.text(name) not in _LOOPS:
            continue
        variables = _parameters(block)
        if w.text(receiver) == word and variables:
            yield from _patterns(w, block, w.text(variables[0]))


def _patterns(w: Walk, node: Node, word: str) -> Iterator[Pattern]:
    """How what a body defines is called, by what a variable holds."""
    for call in _calls(node):
        name, listed = call.child_by_field_name("method"), call.child_by_field_name("arguments")
        if name is None or listed is None or not listed.named_children:
            continue
        called, arguments = w.text(name), listed.named_children
        if called in _SENDS and len(arguments) > 1:
            called, arguments = methods.literal_name(w, arguments[0]), arguments[1:]
        marks = _DEFINES.get(called)
        around = _around(w, arguments[0], word) if marks is not None else None
        for mark in marks if marks is not None and around is not None else ():
            assert around is not None
            yield Pattern(around[0], around[1] + mark, called in _OWN)
    text = w.chars[node.start_byte : node.end_byte]
    if _EVALUATES.search(text):
        for found in re.finditer(rf"\bdef\s+(self\.)?(\w*)#\{{{re.escape(word)}(?:\.\w+)?\}}(\w*[?!=]?)", text):
            yield Pattern(found[2], found[3], found[1] is not None)


def _calls(node: Node) -> Iterator[Node]:
    pending = [node]
    while pending:
        each = pending.pop()
        if each.type == "call":
            yield each
        pending.extend(each.named_children)


def _around(w: Walk, node: Node, word: str) -> tuple[str, str] | None:
    """What stands before and behind a variable in a name: `on_` and `=` in `"on_#{name}="`; None for any other node."""
    if node.type == "identifier":
        return ("", "") if w.text(node) == word else None
    if node.type not in _TEXTS:
        return None
    parts = [(child.type, w.text(child)) for child in node.named_children]
    inside = [at for at, (kind, _) in enumerate(parts) if kind == "interpolation"]
    if len(inside) != 1 or any(kind not in ("interpolation", "string_content") for kind, _ in parts):
        return None
    at = inside[0]
    if re.fullmatch(rf"#\{{\s*{re.escape(word)}(?:\.\w+)?\s*\}}", parts[at][1]) is None:
        return None
    return "".join(text for _, text in parts[:at]), "".join(text for _, text in parts[at + 1 :])


def _items(w: Walk, node: Node) -> Iterator[Node]:
    """The names in a list, which a constant of the file may hold."""
    for _ in range(3):
        if node.type == "constant" and (held := w.lists.get(w.text(node))) is not None:
            node = held
        elif node.type == "call" and (inner := node.child_by_field_name("receiver")) is not None:
            name = node.child_by_field_name("method")
            if name is None or w.text(name) not in _SAME:
                return
            node = inner
    for child in node.named_children[:_NAMES_MAX]:
        item: Node | None = child
        if child.type == "pair":
            item = child.child_by_field_name("key")
        elif child.type == "array":
            item = child.named_children[0] if child.named_children else None
        if item is not None:
            yield item


def _define(w: Walk, cls: Class, item: Node, patterns: tuple[Pattern, ...]) -> None:
    name = w.text(item) if item.type in ("bare_string", "bare_symbol", "hash_key_symbol") else ""
    name = name or methods.literal_name(w, item)
    at = item.start_byte + (item.type in ("simple_symbol", "string"))
    for pattern in dict.fromkeys(patterns):
        whole = f"{pattern.before}{name}{pattern.after}"
        if name and _NAME.fullmatch(whole):
            methods.generated(w, cls, whole, item, at, is_own=pattern.is_own)
