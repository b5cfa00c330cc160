"""Mistaken command lines: one line says what is wrong, one what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.command_line.argument_parser import USAGE, nearest
from actors.command_line.flags import arguments_of
from actors.command_line.subcommands import COMMANDS, parse

LIST = "`codemap --help` lists the commands; options follow them."
MISTAKES = {
    "": ("no command is given.", f"`codemap overview` is a beginning; {LIST}"),
    "serach greet": ("there is no command 'serach'; the nearest is search.", LIST),
    "nonsense": ("there is no command 'nonsense'.", LIST),
    "--verison": ("there is no option '--verison'; the nearest is --version.", LIST),
    "-V": ("there is no option '-V'; there is --version.", LIST),
    "--json search greet": ("--json stands before the command.", "Options follow the command that they are for."),
    "--limit 3 search greet": ("there is no option '--limit'.", LIST),
    "search": ("QUERY is missing.", "usage: codemap search QUERY ... [OPTION ...]"),
    "search greet --limt 3": (
        "there is no option '--limt'; the nearest is --limit.",
        "`codemap search --help` lists its options.",
    ),
    "search greet --limit=0": (
        "--limit: '0' is not a whole number from 1 to 100.",
        "`codemap search --help` lists its options.",
    ),
    "search greet --limit many": (
        "--limit: 'many' is not a whole number from 1 to 100.",
        "`codemap search --help` lists its options.",
    ),
    "search greet --kind Clas": (
        "--kind cannot be 'Clas'; the nearest is class.",
        "--kind is one of any, class, enum, file, function, interface, method, module, property, type_alias, variable.",
    ),
    "search greet --class --method": (
        "--class and --method exclude one another.",
        "`codemap search --help` lists its options.",
    ),
    "search greet --file-max-byte 1": (
        "there is no option '--file-max-byte'; the nearest is --file-max-bytes.",
        "`codemap search --help` lists its options.",
    ),
    "neighbors": ("NODE_IDS is missing.", "usage: codemap neighbors NODE_IDS ... [OPTION ...]"),
    "path a b c": ("'c' is one word too many.", "usage: codemap path FROM TO [OPTION ...]"),
    "neighbors a --edge-kinds calls,import": (
        "--edge-kinds: 'import' is not one of calls, contains, exports, extends, implements, imports, references; "
        "the nearest is imports.",
        "`codemap neighbors --help` lists its options.",
    ),
    "neighbors a --depth 11": (
        "--depth: '11' is not a whole number from 1 to 10.",
        "`codemap neighbors --help` lists its options.",
    ),
    "status --token-budget 99": (
        "--token-budget: '99' is not a whole number from 100 to 10000.",
        "`codemap status --help` lists its options.",
    ),
    "status --fresh-wait-ms 5001": (
        "--fresh-wait-ms: '5001' is not a whole number from 0 to 5000.",
        "`codemap status --help` lists its options.",
    ),
    "call-hierarchy in a": (
        "DIRECTION cannot be 'in'; the nearest is incoming.",
        "DIRECTION is one of incoming, outgoing.",
    ),
    "definition --line 0": (
        "--line: '0' is not a whole number of at least 1.",
        "`codemap definition --help` lists its options.",
    ),
    "index .": ("'.' is one word too many.", "--root . names the folder to work on."),
    "overview /": ("'/' is one word too many.", "--root / names the folder to work on, --focus / a part of it."),
    "overview a b": ("'b' is one word too many.", "usage: codemap overview [FOCUS] [OPTION ...]"),
    "export": ("--edges or --nodes or --html is missing.", "usage: codemap export --edges|--nodes|--html [OPTION ...]"),
    "export --edgs": (
        "there is no option '--edgs'; the nearest is --edges.",
        "`codemap export --help` lists its options.",
    ),
    "status --root": ("--root needs a value.", "`codemap status --help` lists its options."),
    "token --days 0": (
        "--days: '0' is not a whole number from 1 to 3650.",
        "`codemap token --help` lists its options.",
    ),
    "trust --lst": ("there is no option '--lst'; the nearest is --list.", "`codemap trust --help` lists its options."),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_two_lines(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(line.split())
    wrong, remedy = MISTAKES[line]
    shown = capsys.readouterr()
    assert (shown.err, shown.out, ended.value.code) == (f"codemap: {wrong}\n{remedy}\n", "", USAGE)


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("over", ["overview", "index"], "; the nearest is overview"),
        ("IMPORTS", ["imports"], "; the nearest is imports"),
        ("i", ["imports", "index"], ""),
        ("zzz", ["imports", "index"], ""),
        ("", ["imports"], ""),
    ],
)
def test_the_nearest(word: str, known: list[str], said: str) -> None:
    assert nearest(word, known) == said


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_screen(command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings are listed apart: they were four screens of it."""
    monkeypatch.setenv("COLUMNS", "80")
    for words in (["help"], ["--help"], ["help", command], [command, "-h"]):
        with pytest.raises(SystemExit) as ended:
            parse(words)
        lines = capsys.readouterr().out.splitlines()
        assert not ended.value.code
        assert lines[0].startswith("usage: codemap ")
        assert len(lines) <= 24 + len(COMMANDS), "a line for each command, and little more"
        assert max(map(len, lines)) <= 80
    assert set(lines[0].split()) >= {"codemap", command}


def test_all_commands_are_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--help"])
    lines = [line.removeprefix("  codemap") for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    words = [word for line in lines for word in ([line.split()[0]] if "  " in line.strip() else line.split(", "))]
    assert {word.strip(" ,") for word in words} >= set(COMMANDS)


def test_a_command_begins_with_its_own_options(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of all commands are in the help of all, which is read once."""
    with pytest.raises(SystemExit):
        parse(["neighbors", "--help"])
    text = capsys.readouterr().out
    assert "  --edge-kinds calls,contains," in text
    assert not any(f"\n  {option}" in text for option in ("--token-budget", "--cursor", "--json", "--rows", "--help "))
    assert "--direction both|in|out  in: who uses it; out: what it uses; default both" in text
    assert len(text) < 1100
    assert "`codemap --help`" in text


@pytest.mark.parametrize("words", [["--help-settings"], ["search", "--help-settings"]])
def test_settings_are_listed_when_they_are_asked_for(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(words)
    text = capsys.readouterr().out
    assert "--file-max-bytes BYTES" in text
    assert ("--websocket HOST:PORT" in text) == (words[0] != "search")


def test_what_is_no_mistake(tmp_path: Path) -> None:
    for words, query in (
        (["search", "--limit", "3", "who", "greets"], "who greets"),
        (["--root", str(tmp_path), "search", "x"], "x"),
        (["search", "--", "--verbose"], "--verbose"),
        (["search", "-1"], "-1"),
        (["search", "- x"], "- x"),
    ):
        assert arguments_of(parse(words))["query"] == query
