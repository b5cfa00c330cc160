"""Types that documentation states: `@param Foo $x`, `@return Foo[]`, `@var array<int, Foo>`.

Names in them are made full as in code. They are no uses: a comment uses nothing.

Source: the phpDocumentor reference, PSR-19; the PHPStan manual, "PHPDoc Types".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

import msgspec

from codemap.fact_building.builder import NONE
from codemap.fact_building.spelling import decoded
from codemap.languages.php.builtins import ARRAY
from codemap.languages.php.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

_TAG = re.compile(
    r"@(?:phpstan-|psalm-)?(param|return|var|global|template(?:-covariant)?|property(?:-read|-write)?)\s+"
)
_VARIABLE = re.compile(r"\s*(?:&\s*)?(?:\.\.\.\s*)?(\$\w+)")
_NAME = re.compile(r"\\?[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:\\[A-Za-z_\x80-\xff][\w\x80-\xff]*)*")
_MARGIN = re.compile(r"\n[ \t]*\*[ \t]?")
_SPACED = re.compile(r"\s*([|&,])\s*")
_OPEN, _CLOSE = "<({[", ">)}]"
_SELF = frozenset({"$this", "static"})
_LAST = frozenset({"array", "iterable", "list", "non-empty-array", "non-empty-list", "traversable", "iterator"})
"""Generic types whose last argument is what they hold."""
_WORDS = (
    "array iterable list bool boolean callable double false float int integer mixed never null number numeric"
    " object resource scalar string true void key-of value-of class-string positive-int negative-int"
    " non-empty-string non-empty-array non-empty-list callable-string numeric-string array-key no-return empty"
)
_NOTHING = frozenset(_WORDS.split())
"""Names of types that say nothing of a class."""
_TEXT_MAX = 20_000
_DEPTH_MAX = 20
_NO_NAMES: frozenset[str] = frozenset()


class Doc(msgspec.Struct, frozen=True):
    """What the documentation of a definition states, each as it is spelled."""

    parameters: dict[str, str] = {}
    """Parameter, with `$` -> its type."""
    properties: dict[str, str] = {}
    result: str = ""
    variable: str = ""
    """The type of the variable, property or constant that it documents."""
    variables: dict[str, str] = {}
    """The types of variables that it names."""
    globals: dict[str, str] = {}
    """The types of global variables that a function names."""
    templates: frozenset[str] = _NO_NAMES
    is_inherited: bool = False
    """Whether it inherits the comment of the method that this one overrides."""


NO_DOC = Doc()


def find_above(w: Walk, start: int) -> Doc:
    """The documentation that ends right before an offset."""
    chars = w.chars
    end = start
    while end and chars[end - 1].isspace():
        end -= 1
    if chars[end - 2 : end] != "*/":
        return NO_DOC
    begin = chars.rfind("/**", max(0, end - _TEXT_MAX), end)
    if begin < 0 or chars.find("*/", begin, end - 2) >= 0 or "@" not in chars[begin:end]:
        return NO_DOC
    return read(decoded(chars[begin + 3 : end - 2]))


def read(text: str) -> Doc:
    text = _MARGIN.sub("\n", text)
    parameters: dict[str, str] = {}
    properties: dict[str, str] = {}
    variables: dict[str, str] = {}
    globals_: dict[str, str] = {}
    templates: set[str] = set()
    result = variable = ""
    for tag in _TAG.finditer(text):
        stated, end = _type_at(text, tag.end())
        named = _VARIABLE.match(text, end)
        word = tag[1]
        if word == "param" and named is not None:
            parameters.setdefault(named[1], stated)
        elif word == "return":
            result = result or stated
        elif word == "global" and named is not None:
            globals_.setdefault(named[1], stated)
        elif word == "var" and named is not None:
            variables.setdefault(named[1], stated)
        elif word == "var":
            variable = variable or stated
        elif word.startswith("property") and named is not None:
            properties.setdefault(named[1], stated)
        elif word.startswith("template"):
            templates.add(stated)
    is_inherited = "@inheritdoc" in text.lower()
    return Doc(parameters, properties, result, variable, variables, globals_, frozenset(templates), is_inherited)


def _type_at(text: str, at: int) -> tuple[str, int]:
    """The type that is spelled at an offset, and where it ends."""
    depth, start = 0, at
    while at < len(text):
        char = text[at]
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
            if depth < 0:
                break
        elif char.isspace() and depth == 0:
            spaced = _SPACED.match(text, at)
            if spaced is None or spaced[1] == ",":
                if text[at - 1 : at] not in ("|", "&"):
                    break
            else:
                at = spaced.end()
                continue
        at += 1
    return text[start:at], at


def type_of(w: Walk, spelled: str, at: int) -> int:
    """The type that a spelling in the documentation at an offset means; NONE where it says nothing of a class."""
    names: set[str] = set()
    if w.classes:
        names |= w.classes[-1].templates
    if w.functions:
        names |= w.functions[-1].templates
    return _union(w, spelled, at, names, 0) if spelled else NONE


def _union(w: Walk, spelled: str, at: int, templates: Set[str], depth: int) -> int:
    if depth > _DEPTH_MAX:
        return NONE
    return w.b.unions(_one(w, part.strip(), at, templates, depth) for part in _split(spelled, "|&"))


def _split(spelled: str, marks: str) -> Iterator[str]:
    """The parts of a spelling between some marks that are in no brackets."""
    depth = start = 0
    for index, char in enumerate(spelled):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif depth == 0 and char in marks:
            yield spelled[start:index]
            start = index + 1
    yield spelled[start:]


def _one(w: Walk, spelled: str, at: int, templates: Set[str], depth: int) -> int:
    b = w.b
    spelled = spelled.lstrip("?")
    if spelled.endswith("[]"):
        return _array(w, _union(w, spelled[:-2], at, templates, depth + 1))
    if spelled.startswith("(") and spelled.endswith(")"):
        return _union(w, spelled[1:-1], at, templates, depth + 1)
    name, bracket, rest = spelled.partition("<")
    lower = name.lower().lstrip("\\")
    if bracket and rest.endswith(">"):
        arguments = list(_split(rest[:-1], ","))
        if lower in _LAST:
            return _array(w, _union(w, arguments[-1], at, templates, depth + 1))
        if lower == "generator":
            return _array(w, _union(w, arguments[min(1, len(arguments) - 1)], at, templates, depth + 1))
    if name in _SELF:
        return b.literal("static")
    if lower in _NOTHING or name in templates or _NAME.fullmatch(name) is None:
        return NONE
    return w.class_(name, at)


def _array(w: Walk, element: int) -> int:
    return NONE if element == NONE else w.b.apply(w.b.name(ARRAY), [element])


def read_doc(w: Walk, node: Node) -> Doc:
    """The documentation of a definition."""
    return find_above(w, node.start_byte)
