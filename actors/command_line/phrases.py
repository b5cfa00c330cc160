"""Says in words of the command line what answers advise a caller of tools to do: `mentions:true` is `--mentions`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from functools import cache
from typing import Any

from actors.command_line.flags import flag_of
from codemap.tools import TOOLS, schema_of

_TOOL = re.compile(r"\b((?:map|nav)_[A-Za-z]+|resolve(?= \{))(?: (?=\{))?")
_GIVEN = re.compile(r"\b([a-z][A-Za-z]*):([\w/.*-]*\w)")
_CAMEL = re.compile(r"(?<![\w-])[a-z]+[A-Z][A-Za-z]*")
_PLAIN = {"nodeId": "ID", "nodeIds": "IDs"}
"""Parameters that are words of a command line, and no flags."""


def for_command_line(text: str) -> str:
    """The same advice for who types commands. Parameters and tools that are not known stay as they are."""
    commands = _say_calls(text).replace("call codemap ", "run codemap ").replace("call `codemap ", "run `codemap ")
    return _CAMEL.sub(_say_name, _GIVEN.sub(_say_given, commands))


def _say_calls(text: str) -> str:
    """Calls with arguments, and tools that are only named, as commands."""
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
            command = f"`{' '.join([command, *_words_of(found[1], arguments)])}`"
        said += text[at : found.start()] + command
        at = end
    return said + text[at:]


def _words_of(tool: str, arguments: Mapping[str, Any]) -> list[str]:
    required = _required()[tool]
    words = [shlex.quote(str(arguments[name])) for name in required if name in arguments]
    for name, value in arguments.items():
        if name in required:
            continue
        if name in _PLAIN:
            words += [shlex.quote(one) for one in ([value] if isinstance(value, str) else value)]
        elif isinstance(value, bool):
            words.append(flag_of(name, is_on=value))
        else:
            words += [flag_of(name), shlex.quote(",".join(value) if isinstance(value, list) else str(value))]
    return words


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
def _required() -> dict[str, tuple[str, ...]]:
    """The parameters of each tool that are words of its command, in their order."""
    return {tool.name: tuple(schema_of(tool).get("required", ())) for tool in TOOLS}


@cache
def _parameters() -> frozenset[str]:
    return frozenset(name for tool in TOOLS for name in schema_of(tool)["properties"])
