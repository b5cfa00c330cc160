"""What answers advise, in words of the command line."""

from __future__ import annotations

import json
import shlex

import pytest

from actors.command_line.phrases import for_command_line
from actors.command_line.subcommands import parse
from codemap.tools import TOOLS, Tool, schema_of
from tests.system.traps.visit import ARGUMENTS


@pytest.mark.parametrize(
    ("advice", "said"),
    [
        ("pass mentions:true", "pass --mentions"),
        ("pass directed:false", "pass --no-directed"),
        ("pass maxLen:10; see it with map_neighbors", "pass --max-len 10; see it with codemap neighbors"),
        ("pass fileFilter, or fewer nodeIds", "pass --file-filter, or fewer IDs"),
        ("pass fileFilter, such as src/**", "pass --file-filter, such as src/**"),
        ("pass tests:include.", "pass --tests include."),
        ("call map_rebuild", "run codemap rebuild"),
        (
            'Ask map_neighbors {"nodeId": "py:a b.py#f", "verify": true, "edgeKinds": ["calls"]} again.',
            "Ask `codemap neighbors 'py:a b.py#f' --verify --edge-kinds calls` again.",
        ),
        ('Ask map_path {"from": "a", "to": "b"}.', "Ask `codemap path a b`."),
        ("what map_nothing does: py:a.py#f, note:this", "what map_nothing does: py:a.py#f, note:this"),
        ("map_search {broken", "map_search {broken"),
        ("The map is resolved; a file.py:12 stays", "The map is resolved; a file.py:12 stays"),
    ],
)
def test_advice_is_said_in_flags_and_commands(advice: str, said: str) -> None:
    assert for_command_line(advice) == said


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_call_is_a_command_that_is_taken(tool: Tool) -> None:
    arguments = {name: ARGUMENTS[name] for name in schema_of(tool).get("required", ())}
    said = for_command_line(f"{tool.name} {json.dumps(arguments)}").strip("`")
    assert parse(shlex.split(said)[1:]).command == tool.command
