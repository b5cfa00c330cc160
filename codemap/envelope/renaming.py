"""Renames members of a payload for dialects that call them otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from codemap.envelope.answer import Answer


def renamed(answer: Answer, names: Mapping[str, str]) -> Answer:
    """The answer with some members of its payload under other names."""
    if not isinstance(answer.data, Mapping) or not names.keys() & answer.data.keys():
        return answer
    data = {names.get(name, name): value for name, value in answer.data.items()}
    lists = tuple(
        msgspec.structs.replace(cut, path=(names.get(cut.path[0], cut.path[0]), *cut.path[1:])) for cut in answer.lists
    )
    return msgspec.structs.replace(answer, data=data, lists=lists)
