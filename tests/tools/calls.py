"""Golden calls: Markdown in which files stand beside calls of tools and the whole replies that they must give.

A second-level heading is a case; its files (```` ```py app/store.py ````) and those of its chapter make a map. A `call`
block holds the name of a tool and its arguments as JSON; the `reply` block after it holds the reply, indented. A
`world` block (JSON) says what else is known: `stale` and `deleted` files, `progress` (two numbers), `partial`,
`behind`, `status`, `rebuilt`, `built` (false: no map). A `defaults` block (JSON) at the top of a chapter holds
arguments of all of its calls whose tools take them. A file whose path ends in ` now` is what the disk holds instead of
what the map was made from, one that ends in ` base` what a commit has of it, nothing where that has no such file; a
`server` block is the script of a language server (see `live`), a `commits` block the history (see
`tests.history.scripted`). `pytest --update` rewrites the replies in place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

from codemap.envelope.answer import Answer, Failure
from codemap.envelope.cursor import Origin, decode_cursor
from codemap.envelope.native import Reply, render
from codemap.graph.build.build import build_snapshot
from codemap.graph.model.snapshot import Snapshot
from codemap.tools import (
    TOOLS,
    BuildProgress,
    Disk,
    Tool,
    World,
    budget_of,
    decode_params,
    mentioned_files,
    output_schema_of,
    whole_schema_of,
)
from tests.history.scripted import past_of
from tests.tools.live import Script

FIRST = frozenset(
    (
        *("map_overview", "map_search", "map_neighbors", "map_path", "map_rebuild", "map_status"),
        *("nav_definition", "nav_references", "nav_implementations", "nav_type", "nav_callHierarchy", "nav_symbols"),
        *("nav_workspaceSymbols", "resolve"),
    )
)
"""The fourteen tools whose listing has a limit of its own."""
_FENCE = re.compile(r"(`{3,})\s*(\S*)\s*(.*?)\s*")
NOW = " now"
BASE = " base"
_HEADING = re.compile(r"(#+)\s+(.*?)\s*")


class Call(msgspec.Struct, frozen=True):
    """One call of a case; the reply stands in lines `start` to `end` (0-based, end exclusive)."""

    tool: str
    arguments: dict[str, Any]
    world: dict[str, Any]
    server: dict[str, Any]
    start: int
    end: int


class Case(msgspec.Struct, frozen=True):
    title: str
    files: dict[str, bytes]
    calls: tuple[Call, ...]
    now: dict[str, bytes]
    """What the disk holds of some files, where the map is behind."""
    base: dict[str, bytes | None]
    """What a commit has of those that changed since; None where it has none."""
    commits: str = ""
    """The history; empty: there is no repository."""


def cases(text: str) -> Iterator[Case]:
    """The cases of a document, in order. Raises ValueError where a call has no reply block."""
    lines = text.split("\n")
    shared: dict[str, bytes] = {}
    defaults: dict[str, Any] = {}
    case = Case("", shared, (), {}, {})
    commits = ""
    waiting: tuple[str, dict[str, Any]] | None = None
    world: dict[str, Any] = {}
    server: dict[str, Any] = {}
    at = 0
    while at < len(lines):
        heading, fence = _HEADING.fullmatch(lines[at]), _FENCE.fullmatch(lines[at])
        at += 1
        if heading:
            if case.calls:
                yield case
            if heading[1] == "#":
                shared, defaults, commits = {}, {}, ""
                case = Case(heading[2], shared, (), {}, {})
            else:
                case = Case(heading[2], dict(shared), (), {}, {}, commits)
            world, server = {}, {}
        elif fence:
            end = next(n for n in range(at, len(lines)) if lines[n].rstrip() == fence[1])
            body = "\n".join(lines[at:end])
            if fence[3].endswith(NOW):
                case.now[fence[3].removesuffix(NOW)] = f"{body}\n".encode()
            elif fence[3].endswith(BASE):
                text = f"{body}\n".encode() if body else None
                case.base[fence[3].removesuffix(BASE)] = text
            elif fence[3]:
                case.files[fence[3]] = f"{body}\n".encode()
            elif fence[2] == "world":
                world = json.loads(body)
            elif fence[2] == "defaults":
                defaults = json.loads(body)
            elif fence[2] == "commits":
                commits = body if case.files is shared else commits
                case = msgspec.structs.replace(case, commits=body)
            elif fence[2] == "server":
                server = json.loads(body)
            elif fence[2] == "call":
                if waiting:
                    raise ValueError(f"a call of {case.title!r} has no reply")
                name, _, arguments = body.strip().partition(" ")
                known = tool_named(name).params.__struct_encode_fields__
                usual = {argument: value for argument, value in defaults.items() if argument in known}
                waiting = name, usual | json.loads(arguments or "{}")
            elif fence[2] == "reply":
                assert waiting, "a reply stands after its call"
                call = Call(*waiting, world, server, at, end)
                case, waiting = msgspec.structs.replace(case, calls=(*case.calls, call)), None
            at = end + 1
    if waiting:
        raise ValueError(f"a call of {case.title!r} has no reply")
    if case.calls:
        yield case


def replies(case: Case) -> list[list[str]]:
    """The lines of the reply to each call of a case."""
    snapshot = build_snapshot(case.files)
    return [_shown(_reply_of(case, snapshot, call)) for call in case.calls]


def _reply_of(case: Case, snapshot: Snapshot, call: Call) -> Reply:
    world = _world(snapshot, call.world)
    differing = frozenset(path for path, source in case.now.items() if case.files.get(path) != source)
    disk = Disk(world.disk.stale | differing, world.disk.deleted)
    files = {path: source for path, source in (case.files | case.now).items() if path not in disk.deleted}
    world = msgspec.structs.replace(world, disk=disk, root="/repository")
    past = past_of(case.commits, case.files) if case.commits else None
    return reply(world, call.tool, call.arguments, Script(call.server, files, case.base or None, past))


def tool_named(name: str) -> Tool:
    return next(tool for tool in TOOLS if tool.name == name)


def reply(world: World, name: str, arguments: dict[str, Any], script: Script | None = None) -> Reply:
    """What a client gets: the way of a call through arguments, tool, cursor and envelope."""
    tool = tool_named(name)
    answer = answered(world, tool, arguments, script)
    origin = Origin(name, arguments, world.snapshot.token if world.snapshot else "")
    if isinstance(answer, Answer) and arguments.get("cursor"):
        answer = msgspec.structs.replace(answer, resume=decode_cursor(arguments["cursor"], origin))
    return checked(name, render(answer, budget_of(arguments), origin))


def checked(name: str, found: Reply) -> Reply:
    """The reply, held to the schemas of its tool: to the whole one, and to that which clients get."""
    for validator in validators(name):
        validator.validate(json.loads(found.text))
    return found


@cache
def validators(name: str) -> tuple[jsonschema.Draft202012Validator, ...]:
    tool = tool_named(name)
    return tuple(jsonschema.Draft202012Validator(made(tool)) for made in (whole_schema_of, output_schema_of))


def answered(world: World, tool: Tool, arguments: dict[str, Any], script: Script | None = None) -> Answer | Failure:
    """A tool's answer in two steps, as the shell gives it: only the files that it mentions are looked at."""
    params = decode_params(tool, arguments)
    if isinstance(params, Failure):
        return params
    script = script or Script({}, {})
    script.snapshot = world.snapshot
    first = script.run(tool.answer(msgspec.structs.replace(world, disk=Disk()), params))
    mentioned = mentioned_files(first)
    if tool.checks_all_files and world.snapshot is not None:
        mentioned |= {file.path for file in world.snapshot.files}
    seen = Disk(world.disk.stale & mentioned, world.disk.deleted & mentioned)
    return script.run(tool.answer(msgspec.structs.replace(world, disk=seen), params)) if seen != Disk() else first


def rewrite(path: Path, title: str) -> None:
    """Puts the actual replies of one case into its document."""
    text = path.read_text(encoding="utf-8")
    case = next(case for case in cases(text) if case.title == title)
    lines = text.split("\n")
    for call, shown in reversed(list(zip(case.calls, replies(case), strict=True))):
        lines[call.start : call.end] = shown
    path.write_text("\n".join(lines), encoding="utf-8")


def _world(snapshot: Any, members: dict[str, Any]) -> World:
    progress = members.get("progress")
    if members.get("partial"):
        snapshot = msgspec.structs.replace(snapshot, is_partial=True)
    return World(
        snapshot=snapshot if members.get("built", True) else None,
        progress=BuildProgress(*progress) if progress else None,
        disk=Disk(frozenset(members.get("stale", ())), frozenset(members.get("deleted", ()))),
        status=members.get("status", {}),
        rebuilt=members.get("rebuilt", {}),
        behind=members.get("behind", ""),
        others=members.get("unread", {}),
    )


def _shown(answer: Reply) -> list[str]:
    """The reply, an object or list of plain values on one line where it is short enough."""
    return _lines(json.loads(answer.text), "", 110)


def _lines(value: Any, indent: str, width: int) -> list[str]:
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= width or not isinstance(value, dict | list) or not value:
        return [indent + flat]
    is_object = isinstance(value, dict)
    items = list(value.items()) if is_object else [(None, item) for item in value]
    lines = [indent + ("{" if is_object else "[")]
    for place, (name, item) in enumerate(items):
        shown = _lines(item, indent + "  ", width - 1)
        if name is not None:
            shown[0] = f"{indent}  {json.dumps(name)}: {shown[0].lstrip()}"
        shown[-1] += "," if place < len(items) - 1 else ""
        lines += shown
    return [*lines, indent + ("}" if is_object else "]")]
