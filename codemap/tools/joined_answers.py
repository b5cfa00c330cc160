"""One answer about several nodes, each as if it alone had been asked for.

{"nodes": [{"node": "py:app/store.py#make 31", "neighbors": […]}, …], "missing": [{"id": "mkae", "code": …}]}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from msgspec.structs import replace

from codemap.envelope.answer import Answer, CutList, Failure, Spare
from codemap.tools.tool import Replied

NODES_MAX = 20
_NODES = "nodes"
_OF_ALL = ("staleFiles",)
"""Members that are the same in each."""


class Missing(TypedDict, total=False):
    """What was asked for and not found."""

    id: str
    code: str
    message: str


def join_answers(found: Mapping[str, Replied]) -> Replied:
    """The answers by what was asked for; the first failure where nothing was found."""
    answers = {text: one for text, one in found.items() if isinstance(one, Answer)}
    failures = {text: one for text, one in found.items() if isinstance(one, Failure)}
    if not answers:
        return next(iter(failures.values()))
    views: dict[str, dict[str, Any]] = {}
    data: dict[str, Any] = {_NODES: []}
    for one in answers.values():
        views.setdefault(str(one.data["node"]), {k: v for k, v in one.data.items() if k not in _OF_ALL})
        data |= {name: one.data[name] for name in _OF_ALL if name in one.data}
    data[_NODES] = list(views.values())
    if failures:
        data["missing"] = list_missing(failures)
    lists = {cut.path: _inside(cut) for one in answers.values() for cut in one.lists}
    return Answer(
        data,
        (
            *lists.values(),
            CutList(("missing",), "missing nodes", "ask for fewer"),
            CutList((_NODES,), _NODES, "ask for fewer", key=("node",)),
        ),
        _join_warnings(answers),
        tuple(dropped for one in answers.values() for dropped in one.already_dropped),
        incomplete=" ".join(dict.fromkeys(one.incomplete for one in answers.values() if one.incomplete)),
        rests_on=frozenset(path for one in answers.values() for path in one.rests_on),
        learned={path: uses for one in answers.values() for path, uses in one.learned.items()},
    )


def list_missing(failures: Mapping[str, Failure]) -> list[Missing]:
    """By what was asked for, why it was not found, and what may be meant."""
    return [
        {"id": text, "code": one.code.value, "message": " ".join(filter(None, (one.message, one.suggestion)))}
        for text, one in failures.items()
    ]


def _inside(cut: CutList | Spare) -> CutList | Spare:
    """The list as it is in each node; of the lists of a node one element stays while nodes are cut."""
    if cut.path[0] in _OF_ALL:
        return cut
    path = (_NODES, "*", *cut.path)
    return replace(cut, path=path) if isinstance(cut, Spare) else replace(cut, path=path, keep=max(cut.keep, 1))


def _join_warnings(answers: Mapping[str, Answer]) -> tuple[str, ...]:
    """Those of all once, before those of one, which say of which they are."""
    first = next(iter(answers.values()))
    shared = [text for text in first.warnings if all(text in one.warnings for one in answers.values())]
    own = [f"{name}: {text}" for name, one in answers.items() for text in one.warnings if text not in shared]
    return (*shared, *own)
