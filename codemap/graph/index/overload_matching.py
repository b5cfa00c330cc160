"""Which of the overloads of a name override which, by what their signatures spell.

A method overrides one with as many parameters. Where types are spelled alike, those two belong together; types that
differ may be what a type parameter stands for, so they count only where neither has a namesake that is spelled alike.
"""

from __future__ import annotations

import re

import numpy as np

from codemap.facts import Symbol
from codemap.graph.index.columns import columns_of
from codemap.graph.index.type_methods import MEMBERS
from codemap.graph.model.edges import Ints, Mask
from codemap.graph.model.index_slots import Slot
from codemap.graph.model.snapshot import Snapshot
from codemap.languages import by_name, languages

_OPENS, _CLOSES = "([{<", ")]}>"
_ANNOTATION = re.compile(r"@[\w.]+(?:\([^()]*\))?|\[\[[^\]]*\]\]|\[[A-Z][^\]]*\](?=\s*\w)")
_WORDS = re.compile(
    r"\b(?:final|const|volatile|vararg|noinline|crossinline|in|out|ref|params|this|struct|class|typename)\b"
)
_ARGUMENTS = re.compile(r"<[^<>]*>")
_QUALIFIER = re.compile(r"\w+\s*(?:\.|::)\s*(?=\w)")
Spelling = tuple[tuple[str, ...], bool]
"""The types of the parameters, without qualifiers and arguments; whether the method is one for constant objects."""


def keep_matching(snapshot: Snapshot, own: Ints, others: Ints) -> tuple[Ints, Ints]:
    """Of pairs of methods of one name in classes above one another, those that may be one overriding the other."""
    if not len(own):
        return own, others
    is_overloaded = _OVERLOADED.of(snapshot)
    doubtful = np.flatnonzero(is_overloaded[own] | is_overloaded[others])
    if not len(doubtful):
        return own, others
    spelled = _SPELLED.of(snapshot)
    kept = np.ones(len(own), dtype=np.bool_)
    for at in doubtful.tolist():
        kept[at] = spelled.match(int(own[at]), int(others[at]))
    return own[kept], others[kept]


class _Spelled:
    """The signatures of a snapshot's methods, each read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[int, Spelling | None] = {}
        self._alike: dict[tuple[int, int], bool] = {}

    def match(self, one: int, other: int) -> bool:
        """Whether one of two methods may override the other."""
        left, right = self._of(one), self._of(other)
        if left is None or right is None or left == right:
            return True
        if len(left[0]) != len(right[0]) or left[1] != right[1]:
            return False
        return not self._has_alike(one, other) and not self._has_alike(other, one)

    def _has_alike(self, node: int, other: int) -> bool:
        """Whether the class of `other` has a method that is spelled as `node` is."""
        snapshot = self._snapshot
        columns, members = columns_of(snapshot), MEMBERS.of(snapshot)
        owner = int(columns.parent[other])
        known = self._alike.get((node, owner))
        if known is None:
            names = snapshot.node_names
            key = owner * np.int64(len(names.names)) + names.of_node[other]
            first, end = members.key.searchsorted(key), members.key.searchsorted(key, "right")
            spelling = self._of(node)
            known = any(self._of(each) == spelling for each in members.node[first:end].tolist())
            self._alike[node, owner] = known
        return known

    def _of(self, node: int) -> Spelling | None:
        if node not in self._known:
            self._known[node] = read_parameters(
                self._snapshot.text_of(node, Symbol.SIGNATURE), self._snapshot.name_of(node)
            )
        return self._known[node]


def read_parameters(signature: str, name: str) -> Spelling | None:
    """What a signature states of the parameters of what has the name; None where it has none in parentheses."""
    begin = re.search(rf"(?<!\w){re.escape(name)}\s*(?:<[^()]*>\s*)?\(", signature)
    if begin is None:
        return None
    depth, start = 0, begin.end()
    listed: list[str] = []
    for at in range(start, len(signature)):
        char = signature[at]
        if char == ">" and signature[at - 1] in "-=":
            continue
        if char == ")" and depth <= 0:
            last = signature[start:at]
            listed += [last] if last.strip() not in ("", "void") else []
            return tuple(map(_read_type, listed)), re.match(r"\s*const\b", signature[at + 1 :]) is not None
        if char == "," and depth <= 0:
            listed.append(signature[start:at])
            start = at + 1
        depth += (char in _OPENS) - (char in _CLOSES)
    return None


def _read_type(parameter: str) -> str:
    """The type of `final List<T> names`, `names: List<T>?` or `const std::string& name = ""`: `List`, `string&`."""
    text = _ANNOTATION.sub(" ", parameter.partition("=")[0])
    while (bare := _ARGUMENTS.sub("", text)) != text:
        text = bare
    name, colon, type_ = text.replace("::", "\0").partition(":")
    text = _QUALIFIER.sub("", _WORDS.sub(" ", type_ if colon else name).replace("\0", "::"))
    words = re.findall(r"\w+|[^\w\s]+", text)
    if not colon and len(words) > 1 and words[-1].isidentifier():
        words.pop()  # the name of the parameter
    return "".join(words)


def _find_overloaded(snapshot: Snapshot) -> Mask:
    """Methods that share their name with another of their class, in languages that tell them apart by parameters."""
    members = MEMBERS.of(snapshot)
    found = np.zeros(snapshot.node_count, dtype=np.bool_)
    same = np.flatnonzero(members.key[1:] == members.key[:-1])
    nodes = np.concatenate((members.node[same], members.node[same + 1]))
    families = {language.family for language in languages() if language.has_overloads or language.has_alike}
    has = np.array([by_name()[file.lang].family in families for file in snapshot.files], dtype=np.bool_)
    found[nodes[has[columns_of(snapshot).file[nodes]]]] = True
    return found


_OVERLOADED = Slot[Mask](_find_overloaded)
_SPELLED = Slot[_Spelled](_Spelled)
