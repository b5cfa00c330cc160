"""Translates the advice in answers into words of the command line: `mentions:true` becomes `--mentions`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from functools import cache
from typing import Any

from actors.command_line.flags import flag_of, takes_one_or_more, takes_place, words_of
from codemap.tools import TOOLS, schema_of

_TOOL = re.compile(r"\b((?:map|nav)_[A-Za-z]+|resolve(?= \{))(?: (?=\{))?")
_GIVEN = re.compile(r"\b([a-z][A-Za-z]*):([\w/.*-]*\w)")
_PAIR = re.compile(r" ([a-z][A-Za-z]*):((?:`[^`]*`|[^\s`])+(?<![.,;)]))")
"""An argument behind the name of a tool."""
_CAMEL = re.compile(r"""(?<![\w.#/'"`-])[a-z]+[A-Z][A-Za-z]*(?![\w('"`/]|\.\w)""")
"""Matches a camelCase name that is not part of a node ID and not quoted, as those belong to the repository."""
_PLAIN = {"nodeId": "ID", "nodeIds": "IDs"}
"""Parameters for which prose has a plain word."""


def for_command_line(text: str) -> str:
    """Translates advice. Unknown parameters and tools stay as they are."""
    said, at = "", 0
    for found in _TOOL.finditer(text):
        if found.start() < at or found[1] not in _commands():
            continue
        command, end = f"codemap {_commands()[found[1]]}", found.end()
        if text[end : end + 1] == "{":
            try:
                arguments, end = json.JSONDecoder().raw_decode(text, end)
            except ValueError:
                continue
            command = f"`{' '.join([command, *_spell(_schema(found[1]), arguments)])}`"
        else:
            arguments = {}
            while (pair := _PAIR.match(text, end)) and pair[1] in _schema(found[1])["properties"]:
                arguments[pair[1]], end = pair[2], pair.end()
            command = " ".join([command, *_spell(_schema(found[1]), arguments)])
        said += _say_parameters(text[at : found.start()]) + command
        at = end
    said += _say_parameters(text[at:])
    return said.replace("call codemap ", "run codemap ").replace("call `codemap ", "run `codemap ")


def _say_parameters(text: str) -> str:
    return _CAMEL.sub(_say_name, _GIVEN.sub(_say_given, text))


def _spell(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    """Spells the arguments of a call as words and flags of its command."""
    words = [word for name in words_of(schema) for word in _list(arguments.get(name, ()))]
    flags = []
    for name, value in arguments.items():
        if name in words_of(schema):
            continue
        if name == "nodeId" and (takes_place(schema) or takes_one_or_more(schema)):
            words.append(str(value))
        elif isinstance(value, bool) or value in ("true", "false"):
            flags.append(flag_of(name, is_on=value in (True, "true")))
        else:
            flags += [flag_of(name), ",".join(_list(value))]
    return [shlex.quote(word) for word in (*words, *flags)]


def _list(value: Any) -> list[str]:
    return [*map(str, value)] if isinstance(value, (list, tuple)) else [str(value)]


def _say_given(found: re.Match[str]) -> str:
    name, value = found.groups()
    if name not in _parameters():
        return found[0]
    return flag_of(name, is_on=value == "true") if value in ("true", "false") else f"{flag_of(name)} {value}"


def _say_name(found: re.Match[str]) -> str:
    name = found[0]
    return _PLAIN.get(name) or (flag_of(name) if name in _parameters() else name)


@cache
def _commands() -> dict[str, str]:
    return {tool.name: tool.command for tool in TOOLS}


@cache
def _schema(name: str) -> Mapping[str, Any]:
    return schema_of(next(tool for tool in TOOLS if tool.name == name))


@cache
def _parameters() -> frozenset[str]:
    """The names of all tools' parameters; their schemas would take longer to make than most answers."""
    return frozenset(name for tool in TOOLS for name in tool.params.__struct_encode_fields__)
