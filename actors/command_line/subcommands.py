"""Defines the commands, their options and their help, and parses the command line.

Rules of the file:
- Nothing heavy is imported at the top, and of the tools only for the command that is one: `--help` must be instant.

The file is long because it lists all commands.
"""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Collection, Iterable, Sequence
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from actors.command_line.argument_parser import HELP_WIDTH, Parser, number_within, one_of_each
from actors.command_line.flags import (
    ARGUMENT,
    add_arguments,
    add_root,
    add_roots,
    add_settings,
    folder_outside,
    kebab,
)
from actors.messaging.output import answer

if TYPE_CHECKING:
    from codemap.tools import Tool

COMMANDS = MappingProxyType(
    {
        "serve": "answer MCP clients, on stdin and stdout or over the network",
        "connect": "hand a client on to the running service of its repository",
        "token": "make a token that lets clients in over the network",
        "trust": "let programs that lie in a repository be run, or no longer",
        "view": "look at the map in the browser",
        "index": "build the map and say what was found",
        "doctor": "what is installed and what is missing, and what to do",
        "usage": "calls and tokens of the running service, by tool",
        "snapshot": "send the map of a commit to a shared store, or fetch it",
        "diff": "what the changes since a commit may break, for reviews",
        "export": "print the map: nodes or edges as JSON lines, or a page",
        "overview": "packages, entry points, areas, the symbols at their hearts",
        "search": "find symbols by name, part of a name, words, or with typos",
        "neighbors": "who calls, imports or extends a symbol, and what it uses",
        "path": "how one symbol reaches another, through a third with --via",
        "context": "where to begin with a task: what to read, its code, tests",
        "code": "the source of symbols, with what they use and who uses them",
        "rebuild": "bring the map up to date with the disk",
        "status": "the state of the map and of everything behind it",
        "definition": "where a symbol is defined",
        "references": "every use of a symbol",
        "implementations": "what implements or overrides a symbol",
        "type": "type, signature and documentation of a symbol",
        "call-hierarchy": "who calls a function, or whom it calls",
        "symbols": "the outline of a file",
        "workspace-symbols": "symbols by name",
        "resolve": "from a node ID to its place, and back",
        "impact": "what a change may break, and the tests to run",
        "rename": "the edits that rename a symbol, as a diff",
        "diagnostics": "errors of changed files and of what depends on them",
        "metrics": "the largest and most complex functions, classes, files",
        "unused": "definitions, exports and files that nothing uses",
        "findings": "what security tools report, and who leads there",
        "history": "the commits of a symbol or file; a folder's hotspots",
    }
)
"""Every command with a line of help; those after `export` are the tools. A test compares them with the tools."""

_ASKED_TOO = ("diff", "unused", "metrics", "findings", "history", "export", "view")
_GROUPS = (
    (
        "Of a language server",
        (
            *("definition", "references", "implementations", "type", "call-hierarchy"),
            *("symbols", "workspace-symbols", "resolve", "diagnostics", "rename"),
        ),
    ),
    ("The map itself", ("index", "status", "rebuild", "snapshot", "doctor", "trust")),
    ("Serving agents", ("serve", "connect", "token", "usage")),
)
"""Commands that are named in the help; `codemap COMMAND --help` says what each is."""

_HELP = """\
usage: codemap COMMAND [WORD ...] [OPTION ...]

A map of the code of a repository, for coding agents and the people beside them.
What to ask of X (sell, Shop.sell, app.py#Shop.sell, a file, a folder):

  codemap neighbors X --in --calls --code  who calls it, with the lines
  codemap neighbors X --in --code          who uses it at all: a type, a setting
  codemap neighbors X --in --extends       what extends, implements or overrides
  codemap neighbors X --in --exports       through which modules it is public
  codemap neighbors X --in --mentions      where else it is named: strings, …
  codemap neighbors X --out                what it uses
  codemap impact X --code                  what to review if it changes; tests
  codemap path X Y --code                  how X reaches Y
  codemap context how do sessions expire   where that is; a trace, a test
  codemap search sess                      names with that in them
  codemap search '"log.level"'             where a text stands: a key, a message
  codemap code X                           its source
  codemap overview [FOLDER]                what there is

neighbors, impact and code take several X. Of uses in tests few are named and
many counted: --tests include|only|exclude. Others: --file-filter 'src/**',
--depth 3 for callers of callers.
{groups}
Options:
  --root PATH        the folder to work on; default: the repository around here
  --token-budget N   most tokens of an answer; --cursor TEXT: its next page
  --json             the envelope that agents get; --rows full: with objects
  --fresh-wait-ms N  wait for the last edits to be in the map
  --help, --help-settings, --version, --color auto|always|never
"""

_ALSO = "Also --root, --json, --token-budget, --cursor: see `codemap --help`."
DAYS_MAX = 3650
WHEN = ("auto", "always", "never")

_CALLING = MappingProxyType({"diff": "impact"})
"""Commands that call the tool of another one."""
REVIEWED = ("diff", "impact", "unused", "findings")
"""Commands that answer in the formats of reviews as well."""
DRAWN = ("overview", "neighbors", "path", "impact", "diff")
"""Commands whose answers can be drawn."""
PICTURES = ("svg", "mermaid", "dot", "html")
_OWN = ("serve", "connect", "token", "trust", "view", "index", "doctor", "usage", "snapshot", "diff", "export")


_BUDGET_MAX = 10_000
"""Token budget of answers for people, who scroll."""
_FILLING = ("impact", "context")
"""Commands whose text fills any budget, the best first: who reads more of it asks for more."""


def parse(words: Sequence[str]) -> Namespace:
    """The parsed words. Exits with USAGE, or with OK after --help and --version."""
    if words and words[0] == "help":
        words = [*words[1:], "--help"]
    parser = _Top("codemap", add_help=False, remedy="`codemap --help` lists the commands; options follow them.")
    parser.add_argument("-h", "--help", action="help")
    parser.add_argument("--help-settings", action=_HelpSettings, nargs=0)
    parser.add_argument("--version", action=_Version, nargs=0)
    add_root(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    at = _place_of_command(words)
    named = words[at] if at < len(words) else ""
    commands.choices = dict.fromkeys(COMMANDS, parser)  # only the names are asked for
    if about := COMMANDS.get(named):  # the parsers of the others would take half the time of this
        command = commands.add_parser(
            named,
            add_help=False,
            description=about[0].upper() + about[1:] + ".",
            epilog="" if named in _OWN else _ALSO,
            remedy=f"`codemap {named} --help` lists its options.",
        )
        command.add_argument("-h", "--help", action="help", help=SUPPRESS)
        _fill(command, named)
        command.usage = " ".join(("codemap", named, *command.positionals, "[OPTION ...]"))
        parser.refuse_early(words[:at], command.options)
        command.refuse_strays(words[at + 1 :], command.options)
    parser.refuse_strays(words[:at], parser.options)
    given, rest = parser.parse_known_args(words)
    if rest:
        command.refuse_more(rest)
    if outside := folder_outside(given):
        command.refuse_more([outside])
    return given


class _Top(Parser):
    """The top-level parser, which lists the commands by purpose."""

    def format_help(self) -> str:
        groups = "".join(f"  {name:<10}{COMMANDS[name]}\n" for name in _ASKED_TOO)
        for title, names in _GROUPS:
            named = wrap(", ".join(names), HELP_WIDTH - 2, break_on_hyphens=False)
            groups += f"{title}:\n" + "".join(f"  {line}\n" for line in named)
        return _HELP.format(groups=f"\nAsk the map, too:\n{groups}")

    def error(self, message: str) -> NoReturn:
        if message.endswith(": COMMAND"):
            self.refuse("no command is given.", f"`codemap overview` is a beginning; {self.remedy}")
        super().error(message)

    def refuse_early(self, words: Iterable[str], options: Collection[str]) -> None:
        """Refuses an option of the command that comes before it."""
        for word in words:
            name = word.partition("=")[0]
            if name in options and name not in self.options:
                self.refuse(f"{name} stands before the command.", "Options follow the command that they are for.")


def _place_of_command(words: Sequence[str]) -> int:
    """The number of the first word that is neither an option nor the value of one."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] == "--root" else 1
    return min(at, len(words))


def _fill(parser: Parser, name: str) -> None:
    """Adds the flags of the named command only, as those of tools cost an import."""
    without: set[str] = set()
    if name not in _OWN:
        from codemap.tools import schema_of

        schema = schema_of(tool_of(name))
        add_arguments(parser, schema)
        without = {kebab(argument).replace("-", "_") for argument in schema["properties"]}
    if name == "diff":
        without = _fill_diff(parser)
    if name == "snapshot":
        about = "push: send the map of the files on disk; pull: fetch that of this commit, or of one before it"
        parser.add_argument("direction", choices=("push", "pull"), metavar="push|pull", help=about)
    if name == "rename":
        parser.set_defaults(**{f"{ARGUMENT}diff": True})
    if name in REVIEWED:
        _fill_review(parser, name)
    elif name in DRAWN:
        _fill_format(parser, ("text", "json", *PICTURES))
    if name == "history":
        _fill_history(parser)
    if name in ("token", "trust"):
        (_fill_token if name == "token" else _fill_trust)(parser)
        return
    if name == "export":
        listed = parser.add_mutually_exclusive_group(required=True)
        for const, about in (("edges", "with undecided uses"), ("nodes", "files, definitions"), ("html", "a page")):
            listed.add_argument(f"--{const}", dest="listed", action="store_const", const=const, help=about)
        about = "of an undecided use, name so many (default: 5) or as many as are as likely as the first"
        parser.add_argument("--candidates", type=number_within(0, 10**6), default=5, metavar="N", help=about)
    elif name == "view":
        parser.add_argument(
            "--port", type=number_within(0, 65_535), default=0, metavar="N", help="default: any free one"
        )
        parser.add_argument("--no-open", action="store_true", help="print the URL, and leave the browser alone")
    elif name not in ("serve", "connect", "snapshot"):
        about = "print JSON" if name in _OWN else SUPPRESS
        parser.add_argument("--json", action="store_true", help=about)
        about = f"one of {', '.join(WHEN)}; default auto: on a terminal, unless NO_COLOR is set"
        about = about if name in _OWN else SUPPRESS
        parser.add_argument("--color", choices=WHEN, default="auto", metavar="WHEN", help=about)
    if name not in ("serve", "connect"):
        from codemap.settings import SERVING

        without |= SERVING
    if name == "serve":
        add_roots(parser)
    else:
        add_root(parser, **({} if name in _OWN else {"about": SUPPRESS}))
    add_settings(parser, without)
    about = "list its settings, and exit" if name in _OWN else SUPPRESS
    parser.add_argument("--help-settings", action=_HelpSettings, nargs=0, const=frozenset(without), help=about)


def _fill_diff(parser: Parser) -> set[str]:
    """The flags of `impact` for what changed since a commit; gives those that are no settings then."""
    from codemap.tools import schema_of

    schema = schema_of(tool_of("diff"))
    own = {name: prop for name, prop in schema["properties"].items() if name not in ("nodeIds", "file", "base")}
    parser.add_argument(
        f"{ARGUMENT}base",
        nargs="?",
        default="HEAD",
        metavar="BASE",
        help="begin where the history of this one did; or A..B",
    )
    add_arguments(parser, {**schema, "properties": own})
    return {kebab(argument).replace("-", "_") for argument in own}


def _fill_review(parser: Parser, name: str) -> None:
    from actors.command_line.reviews.findings import FAILURES as OF_FINDINGS
    from actors.command_line.reviews.formats import FORMATS
    from actors.command_line.reviews.review import FAILURES
    from actors.command_line.reviews.unused import FAILURES as OF_UNUSED

    conditions = {"unused": OF_UNUSED, "findings": OF_FINDINGS}.get(name, FAILURES)
    _fill_format(parser, (*FORMATS, *PICTURES) if name in DRAWN else FORMATS)
    parser.add_argument(
        "--fail-on",
        type=one_of_each(conditions),
        default=[],
        metavar="CONDITION",
        help=f"exit with 1 where it holds: {', '.join(conditions)}, separated by commas",
    )


def _fill_format(parser: Parser, formats: Iterable[str]) -> None:
    parser.add_argument("--format", choices=[*formats], default="text", metavar="|".join(formats))


def _fill_history(parser: Parser) -> None:
    from actors.command_line.reviews.history import FORMATS, read_format

    parser.add_argument("--format", type=read_format, choices=FORMATS, default="text", metavar="|".join(FORMATS))


def _fill_token(parser: ArgumentParser) -> None:
    about = f"after so many days it is worth nothing, 1 to {DAYS_MAX}; default: never"
    parser.add_argument("--days", type=number_within(1, DAYS_MAX), metavar="N", help=about)
    parser.add_argument("--token-file", metavar="PATH", help="where its digest is kept; default: the place of `serve`")


def _fill_trust(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="print the repositories that are trusted")
    what.add_argument("--revoke", action="store_true", help="trust the repository no more")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    add_root(parser)


def tool_of(command: str) -> Tool:
    """Finds the tool that a command calls."""
    from codemap.tools import TOOLS

    return next(tool for tool in TOOLS if tool.command == _CALLING.get(command, command))


class _HelpSettings(Action):
    """`const` are the settings that the command has not."""

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        from actors.command_line.settings_help import settings_help

        answer(settings_help(self.const or ()))
        parser.exit()


class _Version(Action):
    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        answer(f"codemap {version('codemap')}\n")
        parser.exit()


def usual_budget(command: str, shape: str) -> dict[str, int]:
    """The token budget of an answer for which none is given, where that is not what agents get."""
    is_short = shape == "json" or (command in _FILLING and shape == "text")
    return {} if is_short else {"tokenBudget": _BUDGET_MAX}
