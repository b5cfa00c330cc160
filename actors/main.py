"""The command line.

Exit codes: 0 is the ordinary end, 1 a tool whose answer is not ok, 2 a call that cannot be carried out as written, 130
an interrupt.

Rules of the file:
- Nothing heavy is imported at the top: `--help` must be instant.
- stdout carries answers only; everything else goes to stderr: by `actors.output`.
"""

from __future__ import annotations

import os
import sys
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from actors.argument_parser import Parser
from actors.flags import (
    add_arguments,
    add_root,
    add_roots,
    add_settings,
    arguments_of,
    kebab,
    roots_of,
    settings_of,
)
from actors.output import Unwritten, answer, complain, width

if TYPE_CHECKING:
    from actors.console import Style
    from actors.front.call import Reply
    from actors.rendezvous import Offer
    from codemap.tools import Tool

OK, NOT_OK, USAGE, INTERRUPTED = 0, 1, 2, 130

COMMANDS = MappingProxyType(
    {
        "serve": "answer MCP clients: on stdin and stdout, or over the network",
        "connect": "hand a client on stdin and stdout on to the service of its repository",
        "token": "make a token that lets clients in over the network, and print it, this once",
        "trust": "let programs that lie in a repository be run, list where they may be, or take it back",
        "index": "build the map and say what is in it",
        "doctor": "say what is installed, indexed and missing, and what to do about it",
        "metrics": "calls and tokens of the running service, by tool",
        "export": "print the nodes or edges of the map for other programs, one JSON object a line",
        "overview": "packages, entry points, areas and the symbols at their hearts: start here",
        "search": "find symbols by name, part of a name, several words, or with typos",
        "neighbors": "what calls, imports, extends or contains a symbol, and what it uses",
        "path": "the shortest chain of edges between two symbols",
        "rebuild": "bring the map up to date with the disk",
        "status": "the state of the map: counts, coverage, stale and skipped files",
        "definition": "where a symbol is defined, by the language server",
        "references": "every use of a symbol, by the language server",
        "implementations": "what implements or overrides a symbol, by the language server",
        "type": "type, signature and documentation of a symbol, by the language server",
        "call-hierarchy": "who calls a function, or whom it calls, by the language server",
        "symbols": "the outline of a file, by the language server",
        "workspace-symbols": "symbols by name, by all language servers",
        "resolve": "a node ID becomes a place, a place becomes a node ID",
    }
)
"""Every command with a line of help; those after `export` are the tools. A test compares them with the tools."""

_OWN = ("serve", "connect", "token", "trust", "index", "doctor", "metrics", "export")

_TELLING = ("serve", "connect", "doctor")
"""Those that name what is ignored of the settings in their own way."""

_BUDGET_MAX = 10_000
"""Tokens. People scroll; the budget is for those who pay for each."""

_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
"""numpy brings a library that starts a thread for every core, each of which spins for a tenth of a second; there is
nothing here that they could multiply."""


def main(argv: Sequence[str] | None = None, offer: Offer | None = None) -> int:
    """Runs one command and returns its exit code; `offer` is where clients of `serve` can join."""
    words = list(sys.argv[1:] if argv is None else argv)
    os.environ.setdefault(_BLAS_THREADS, "1")
    try:
        return _run(_parse(words), offer)
    except Unwritten as error:
        complain(error)
        return NOT_OK
    except KeyboardInterrupt:
        return INTERRUPTED


def _parse(words: list[str]) -> Namespace:
    """The parsed words. Exits with USAGE, or with OK after --help and --version."""
    parser = Parser(
        "codemap",
        description="A code map for coding agents and the people beside them.",
        formatter_class=RawDescriptionHelpFormatter,
        epilog="`codemap COMMAND --help` tells more. A node ID looks like py:app/store.py#SessionStore.refresh.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    add_root(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, title="commands")
    for name, about in COMMANDS.items():
        command = commands.add_parser(
            name, help=about, description=about[0].upper() + about[1:] + ".", allow_abbrev=False
        )
        if name in words:
            _fill(command, name)
    return parser.parse_args(words)


def _fill(parser: ArgumentParser, name: str) -> None:
    """The flags of one command; only those of the command that was named, as the tools' cost an import."""
    without: set[str] = set()
    if name not in _OWN:
        from codemap.tools import schema_of

        schema = schema_of(_tool(name))
        add_arguments(parser, schema)
        without = {kebab(argument).replace("-", "_") for argument in schema["properties"]}
    if name in ("token", "trust"):
        (_fill_token if name == "token" else _fill_trust)(parser)
        return
    if name == "export":
        listed = parser.add_mutually_exclusive_group(required=True)
        listed.add_argument(
            "--edges", dest="listed", action="store_const", const="edges", help="edges and undecided uses"
        )
        listed.add_argument("--nodes", dest="listed", action="store_const", const="nodes", help="files and definitions")
    elif name not in ("serve", "connect"):
        parser.add_argument("--json", action="store_true", help="print JSON, for tools the envelope that agents get")
    if name not in ("serve", "connect"):
        from codemap.settings import SERVING

        without |= SERVING
    if name == "serve":
        add_roots(parser)
    else:
        add_root(parser)
    add_settings(parser, without)


def _fill_token(parser: ArgumentParser) -> None:
    parser.add_argument("--days", type=int, metavar="N", help="after so many days it is worth nothing; default: never")
    parser.add_argument("--token-file", metavar="PATH", help="where its digest is kept; default: the place of `serve`")


def _fill_trust(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="print the repositories that are trusted")
    what.add_argument("--revoke", action="store_true", help="trust the repository no more")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    add_root(parser)


def _trust(given: Namespace) -> int:
    from actors.trusting import keep_trust, list_trust, revoke_trust

    if given.list:
        return list_trust(os.environ, as_json=given.json)
    root = settings_of(given).get("root") or os.environ.get("CODEMAP_ROOT")
    return (revoke_trust if given.revoke else keep_trust)(str(root) if root else None, os.environ)


def _run(given: Namespace, offer: Offer | None) -> int:
    if given.command == "token":
        from actors.serving import make_token

        return make_token(given.days, given.token_file)
    if given.command == "trust":
        return _trust(given)
    from actors.configuration import read_settings
    from actors.paths import RefusedRoot, check_root, find_root
    from codemap.settings import BadSetting

    flags = settings_of(given)
    roots = roots_of(given)
    if len(roots) > 1:
        from actors.serving import serve_several

        return serve_several(roots, flags, languages=_languages(), programs=_programs())
    if roots:
        flags["root"] = roots[0]
    try:
        named = flags.get("root") or os.environ.get("CODEMAP_ROOT")
        root = check_root(str(named) if named else find_root(os.getcwd()))
        configured = read_settings(
            root, environment=os.environ, flags=flags, languages=_languages(), programs=_programs()
        )
    except (RefusedRoot, BadSetting) as error:
        complain(error)
        return USAGE
    if given.command not in _TELLING:
        for sentence in configured.ignored:
            complain(f"ignored: {sentence}")
    match given.command:
        case "serve" | "connect":
            from actors.serving import serve_roots

            return serve_roots([(os.path.basename(root), root, configured)], offer)
        case "doctor":
            from actors.doctor import doctor

            findings = doctor(root, configured, flags)
            if findings is None:
                return INTERRUPTED
            answer(findings.as_json() if given.json else findings.as_text(_style()))
            return OK if findings.is_well else NOT_OK
        case "index":
            from actors.command import Shown, ask

            return _show(ask(_tool("status"), {}, root, configured, Shown.ALWAYS), given)
        case "metrics":
            from actors.running import show_metrics

            is_shown = show_metrics(root, {name: str(value) for name, value in flags.items()}, given.json, _style())
            return OK if is_shown else NOT_OK
        case "export":
            from actors.export import Listed, export
            from actors.messages import Unavailable

            written = export(Listed(given.listed), root, configured)
            if isinstance(written, Unavailable):
                complain(written.reason)
                return NOT_OK
            return OK if written else INTERRUPTED
        case name:
            from actors.command import Shown, ask

            arguments = arguments_of(given) if given.json else {"tokenBudget": _BUDGET_MAX} | arguments_of(given)
            return _show(ask(_tool(name), arguments, root, configured, Shown.ON_A_TERMINAL), given)


def _show(reply: Reply | None, given: Namespace) -> int:
    """Prints a reply as it was asked for; None is an interrupted call."""
    if reply is None:
        return INTERRUPTED
    if given.json:
        answer(reply.text + "\n")
    else:
        from actors.console import readable

        answer(readable(reply.envelope, _style()))
    return NOT_OK if reply.is_error or _lacks_map(reply) else OK


def _lacks_map(reply: Reply) -> bool:
    """Whether the reply is about the state of a map that there is not."""
    return reply.envelope.get("data", reply.envelope).get("built") is False


def _style() -> Style:
    from actors.console import style_of

    return style_of(width(), os.environ)


def _tool(command: str) -> Tool:
    from codemap.tools import TOOLS

    return next(tool for tool in TOOLS if tool.command == command)


def _languages() -> tuple[str, ...]:
    from codemap.languages import languages

    return tuple(language.name for language in languages())


def _programs() -> frozenset[str]:
    """What the setting `server_programs` can name: servers, and what they need besides."""
    from codemap.languages import languages

    servers = [server for language in languages() for server in language.servers]
    return frozenset(
        name
        for server in servers
        for name in (server.name, *server.entry.runtimes, *(companion.name for companion in server.companions))
        if "/" not in name
    )


class _Version(Action):
    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        answer(f"codemap {version('codemap')}\n")
        parser.exit(OK)


if __name__ == "__main__":
    sys.exit(main())
