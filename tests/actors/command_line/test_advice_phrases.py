"""What answers advise, in words of the command line."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

import pytest

from actors.command_line.advice_phrases import for_command_line
from actors.command_line.flags import arguments_of, takes_one_or_more
from actors.command_line.subcommands import parse
from codemap.tools import TOOLS, Tool, schema_of


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
        ("map_neighbors nodeId:a.php#A.$b direction:in", "codemap neighbors 'a.php#A.$b' --direction in"),
        ("map_neighbors nodeId:a.kt#A.`b c` mentions:true.", "codemap neighbors 'a.kt#A.`b c`' --mentions."),
        (
            "run map_overview focus:src, or map_search note:this",
            "run codemap overview --focus src, or codemap search note:this",
        ),
        ('Ask map_path {"from": "a", "to": "b"}.', "Ask `codemap path a b`."),
        ("what map_nothing does: py:a.py#f, note:this", "what map_nothing does: py:a.py#f, note:this"),
        ("map_search {broken", "map_search {broken"),
        (
            "Nothing is called 'maxLen'; see py:a.py#Way.maxLen(2)",
            "Nothing is called 'maxLen'; see py:a.py#Way.maxLen(2)",
        ),
        (
            'Ask map_code {"nodeIds": ["js:a.js#nodeId"]}; pass fileFilter.',
            "Ask `codemap code 'js:a.js#nodeId'`; pass --file-filter.",
        ),
        (
            'call map_neighbors {"nodeIds": ["a.py#f", "a.py#g"], "direction": "in"}',
            "run `codemap neighbors 'a.py#f' 'a.py#g' --direction in`",
        ),
        ("The map is resolved; a file.py:12 stays", "The map is resolved; a file.py:12 stays"),
    ],
)
def test_advice_is_said_in_flags_and_commands(advice: str, said: str) -> None:
    assert for_command_line(advice) == said


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_call_is_a_command_that_means_the_same(tool: Tool, *, is_whole: bool) -> None:
    schema = schema_of(tool)
    first, left_out = (("nodeId",), ("nodeIds",)) if takes_one_or_more(schema) else ((), ("line", "col"))
    given = schema["properties"] if is_whole else (*schema.get("required", ()), *first)
    arguments = {name: value_of(name, schema["properties"][name]) for name in given if name not in left_out}
    said = for_command_line(f"{tool.name} {json.dumps(arguments)}").strip("`")
    parsed = parse(shlex.split(said)[1:])
    assert parsed.command == tool.command
    assert arguments_of(parsed).items() >= arguments.items()


def value_of(name: str, prop: Mapping[str, Any]) -> Any:
    """A value that differs from the default, as a caller would give it."""
    match prop:
        case {"enum": [*_, last]}:
            return last
        case {"type": "boolean"}:
            return prop.get("default") is not True
        case {"type": "integer"}:
            return 200 if name == "tokenBudget" else prop.get("minimum", 1)
        case {"type": "array", "items": {"enum": [first, *_]}}:
            return [first]
        case {"type": "array"}:
            return ["one", "an other"]
    return "it's one"
