"""Flags made from the settings and from the tools' schemas."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

import pytest

from actors.command_line.flags import (
    add_arguments,
    add_root,
    add_settings,
    arguments_of,
    kebab,
    settings_of,
    takes_one_or_more,
)
from actors.command_line.settings_help import WIDTH, settings_help
from actors.command_line.subcommands import COMMANDS, parse
from codemap.settings import all_settings
from codemap.tools import TOOLS, decode_params, schema_of


def parser_of(command: str) -> ArgumentParser:
    parser = ArgumentParser(exit_on_error=False, allow_abbrev=False)
    add_arguments(parser, schema_of(next(tool for tool in TOOLS if tool.command == command)))
    return parser


@pytest.mark.parametrize(
    ("command", "words", "wanted"),
    [
        ("search", "refresh", {"query": "refresh"}),
        ("search", "session cookie --limit 3", {"query": "session cookie", "limit": 3}),
        ("neighbors", "ID --depth 5", {"nodeId": "ID", "depth": 5}),
        ("search", "refresh --class --limit 3", {"query": "refresh", "kind": "class", "limit": 3}),
        ("neighbors", "ID --in --calls", {"nodeId": "ID", "direction": "in", "edgeKinds": ["calls"]}),
        ("neighbors", "A B --in", {"nodeIds": ["A", "B"], "direction": "in"}),
        ("neighbors", "ID --in --out", {"nodeId": "ID", "direction": "both"}),
        ("neighbors", "ID --out --in --out", {"nodeId": "ID", "direction": "both"}),
        ("neighbors", "ID --calls --imports", {"nodeId": "ID", "edgeKinds": ["calls", "imports"]}),
        ("neighbors", "ID --edge-kinds calls,imports", {"nodeId": "ID", "edgeKinds": ["calls", "imports"]}),
        ("neighbors", "ID --direction out --max-nodes 7", {"nodeId": "ID", "direction": "out", "maxNodes": 7}),
        ("path", "A B --include-references", {"from": "A", "to": "B", "includeReferences": True}),
        ("overview", "--focus src --hubs-per-cluster 2", {"focus": "src", "hubsPerCluster": 2}),
        ("path", "A B --no-directed", {"from": "A", "to": "B", "directed": False}),
        ("overview", "--token-budget 500", {"tokenBudget": 500}),
        ("status", "", {}),
        ("definition", "app/store.py:21:9", {"file": "app/store.py", "line": 21, "col": 9}),
        ("definition", "app/store.py:21", {"file": "app/store.py", "line": 21}),
        ("definition", "py:app/store.py#Store.get~2", {"nodeId": "py:app/store.py#Store.get~2"}),
        ("definition", "py:a.py#f:3", {"nodeId": "py:a.py#f:3"}),
        ("definition", "--file a.py --line 2 --col 3", {"file": "a.py", "line": 2, "col": 3}),
        (
            "call-hierarchy",
            "incoming a.py:2 --depth 2",
            {"direction": "incoming", "depth": 2, "file": "a.py", "line": 2},
        ),
        (
            "code",
            "a.py#f b.py --callees --detail full",
            {"nodeIds": ["a.py#f", "b.py"], "include": ["callees"], "detail": "full"},
        ),
        (
            "code",
            "a.py#f --include callees,tests --rows full",
            {"nodeIds": ["a.py#f"], "include": ["callees", "tests"], "rows": "full"},
        ),
        ("impact", "a.py#f b.py#g", {"nodeIds": ["a.py#f", "b.py#g"]}),
        ("impact", "--file a.py", {"file": "a.py"}),
        ("history", "a.py#f", {"nodeId": "a.py#f"}),
        ("unused", "src --possible", {"focus": "src", "tier": "possible"}),
        ("metrics", "src --scope lib", {"scope": "lib"}),
        ("findings", "report.sarif", {"sarif": "report.sarif"}),
        ("references", "a.py:2 --include-declaration", {"file": "a.py", "line": 2, "includeDeclaration": True}),
    ],
)
def test_words_become_arguments(command: str, words: str, wanted: dict[str, Any]) -> None:
    assert arguments_of(parser_of(command).parse_args(words.split())) == wanted


def test_arguments_that_flags_give_are_what_the_tool_takes() -> None:
    for tool in TOOLS:
        properties = schema_of(tool)["properties"]
        required = [properties[name].get("enum", ["xyz"])[0] for name in schema_of(tool).get("required", ())]
        required += ["xyz"] if takes_one_or_more(schema_of(tool)) else []
        params = decode_params(tool, arguments_of(parser_of(tool.command).parse_args(required)))
        assert isinstance(params, tool.params)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "token"])
def test_every_command_has_help(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse([command, "--help"])
    assert ended.value.code == 0
    out, err = capfd.readouterr()
    assert f"codemap {command}" in out
    assert "--root" in out
    assert err == ""


def test_every_command_is_listed_once_and_in_order() -> None:
    own = ("serve", "connect", "token", "trust", "view", "index", "doctor", "usage", "snapshot", "diff", "export")
    assert set(COMMANDS) - set(own) == {tool.command for tool in TOOLS}
    assert tuple(COMMANDS)[: len(own)] == own


def test_every_setting_is_a_flag() -> None:
    parser = ArgumentParser()
    add_root(parser)
    add_settings(parser)
    for setting in all_settings():
        given = parser.parse_args([setting.flag, "7"])
        assert settings_of(given) == {setting.name: "7"}
    assert settings_of(parser.parse_args([])) == {}


def test_the_help_of_settings_lists_every_one_with_its_range_in_units_of_people() -> None:
    text = settings_help()
    for setting in all_settings():
        assert (f"\n  {setting.flag} " in text) == (setting.name != "root")
    assert "\n  --watch auto|poll|off\n    How changes on disk are noticed" in text
    flat = " ".join(text.split())
    assert "from 1024 (1 KiB) to 268435456 (256 MiB). Default: 1048576 (1 MiB)." in flat
    assert "a number of seconds from 0.1 to 3600 (1 h). Default: 3." in flat.replace("A number", "a number")
    assert "from 0 to 60000 (60 s). Default: 50." in flat
    assert "from 0 to 100000000 (100 TB)" in flat
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "--watch " not in settings_help({"watch"})


def test_kebab() -> None:
    assert [kebab(name) for name in ("query", "maxNodes", "hubsPerCluster")] == [
        "query",
        "max-nodes",
        "hubs-per-cluster",
    ]
