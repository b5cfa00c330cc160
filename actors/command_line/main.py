"""The main program of the command line: runs one command.

Exit codes: 0 is the ordinary end, 1 an answer that is not ok, has no map to rest on or cannot be written, 2 a call that
cannot be carried out as written, 130 an interrupt.

Rules of the file:
- Nothing heavy is imported at the top: `--help` must be instant.
- stdout carries answers only; everything else goes to stderr: by `actors.messaging.output`.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from actors.command_line.argument_parser import USAGE
from actors.command_line.flags import arguments_of, roots_of, settings_of
from actors.command_line.subcommands import PICTURES, REVIEWED, parse, tool_of, usual_budget
from actors.messaging.output import Unwritten, answer, complain, width

if TYPE_CHECKING:
    from actors.command_line.display.terminal import Style
    from actors.command_line.viewing import Join
    from actors.front.call import Reply
    from actors.processes.rendezvous import Offer
    from codemap.settings import Configured

OK, NOT_OK, INTERRUPTED = 0, 1, 130

_TELLING = ("serve", "connect", "doctor")
"""Commands that report ignored settings in their own way."""

_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
"""numpy brings a library that starts a thread for every core, each of which spins for a tenth of a second; there is
nothing here that they could multiply."""


def main(argv: Sequence[str] | None = None, offer: Offer | None = None, join: Join | None = None) -> int:
    """Runs one command and returns its exit code.

    `offer` is where clients of `serve` can join, `join` how `view` joins the service of its repository.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    os.environ.setdefault(_BLAS_THREADS, "1")
    try:
        return _run(parse(words), offer, join)
    except Unwritten as error:
        complain(error)
        return NOT_OK
    except KeyboardInterrupt:
        return INTERRUPTED


def _trust(given: Namespace) -> int:
    from actors.command_line.trusting import keep_trust, list_trust, revoke_trust

    if given.list:
        return list_trust(os.environ, as_json=given.json)
    root = settings_of(given).get("root") or os.environ.get("CODEMAP_ROOT")
    return (revoke_trust if given.revoke else keep_trust)(str(root) if root else None, os.environ)


def _run(given: Namespace, offer: Offer | None, join: Join | None) -> int:
    if given.command == "token":
        from actors.command_line.serving import make_token

        return make_token(given.days, given.token_file)
    if given.command == "trust":
        return _trust(given)
    from actors.command_line.configuration import read_settings
    from actors.files.paths import RefusedRoot, check_root, find_root
    from codemap.settings import BadSetting

    flags = settings_of(given)
    roots = roots_of(given)
    if len(roots) > 1:
        from actors.command_line.serving import serve_several

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
            from actors.command_line.serving import serve_roots

            return serve_roots([(os.path.basename(root), root, configured)], offer)
        case "doctor":
            from actors.command_line.doctor import doctor

            findings = doctor(root, configured, flags)
            if findings is None:
                return INTERRUPTED
            answer(findings.as_json() if given.json else findings.as_text(_style(given)))
            return OK if findings.is_well else NOT_OK
        case "view":
            from actors.command_line.viewing import view

            assert join is not None, "the entry of the program brings it"
            said = {name: str(value) for name, value in flags.items() if name != "root"}
            return view(root, said, configured.settings, join, port=given.port, is_opened=not given.no_open)
        case "index" if given.json:
            from actors.command_line.one_command import Shown, ask

            return _show(ask(tool_of("status"), {}, root, configured, Shown.ALWAYS), given)
        case "export" if given.listed == "html":
            from actors.command_line.export import export_page

            return export_page(root, configured)
        case "index" | "export":
            return _build(given, root, configured)
        case "snapshot":
            from actors.command_line.snapshots import pull, push

            return (push if given.direction == "push" else pull)(root, configured)
        case "usage":
            from actors.command_line.running_service import show_usage

            is_shown = show_usage(root, {name: str(value) for name, value in flags.items()}, given.json, _style(given))
            return OK if is_shown else NOT_OK
        case name:
            from actors.command_line.one_command import Shown, ask

            shape = getattr(given, "format", "text")
            given.json = given.json or shape == "json"
            arguments = _with_input(arguments_of(given))
            arguments = usual_budget(name, "json" if given.json else shape) | arguments
            if shape in _ROWS:
                arguments["rows"] = _ROWS[shape]
            if name == "findings":
                configured, arguments = _with_report(configured, arguments, shape)
            whole = "findings" if name == "findings" and shape in _ROWS else ""
            if name == "neighbors" and not given.json and arguments.get("depth", 1) > 1 and sys.stdout.isatty():
                arguments = {"rows": "full", "tests": "fold"} | arguments  # as a tree, three times as long
            if shape in PICTURES:
                return _draw(given, arguments, root, configured)
            reply = ask(tool_of(name), arguments, root, configured, Shown.ON_A_TERMINAL, whole)
            if reply and name == "history" and shape == "markdown":
                from actors.command_line.reviews.history import markdown

                answer(markdown(reply.envelope))
                return NOT_OK if reply.is_error else OK
            return _review(reply, given, shape, name) if reply and name in REVIEWED else _show(reply, given)


def _draw(given: Namespace, arguments: Mapping[str, Any], root: str, configured: Configured) -> int:
    """Prints an answer as a picture."""
    import msgspec

    from actors.command_line.advice_phrases import for_command_line
    from actors.command_line.one_command import Shown, ask
    from actors.command_line.reviews.pictures import as_wanted, pages_of, picture

    tool = tool_of(given.command)
    settings = msgspec.structs.replace(configured.settings, envelope="native")
    configured = msgspec.structs.replace(configured, settings=settings)
    reply = ask(tool, as_wanted(tool.name, arguments), root, configured, Shown.ON_A_TERMINAL, pages_of(tool.name))
    if reply is None:
        return INTERRUPTED
    if not reply.envelope["ok"]:
        return _show(reply, given)
    for warning in reply.envelope["warnings"]:
        complain(for_command_line(warning))
    answer(picture(reply.envelope, tool.name, given.format, for_command_line))
    return NOT_OK if reply.is_error else OK


def _with_input(arguments: dict[str, Any]) -> dict[str, Any]:
    """Reads the task from stdin where it is `-`, for example the output of a failing test."""
    if arguments.get("task") != "-":
        return arguments
    return arguments | {"task": sys.stdin.buffer.read().decode("utf-8", "replace")}


def _with_report(configured: Configured, arguments: dict[str, Any], shape: str) -> tuple[Configured, dict[str, Any]]:
    """Allows the report that the user names, wherever it is; its path is relative to the current folder."""
    import msgspec

    if shape == "markdown":
        arguments["rows"] = "full"
    if not arguments.get("sarif"):
        return configured, arguments
    path = os.path.abspath(arguments["sarif"])
    settings = msgspec.structs.replace(configured.settings, reports=(*configured.settings.reports, path))
    return msgspec.structs.replace(configured, settings=settings), arguments | {"sarif": path}


def _show(reply: Reply | None, given: Namespace) -> int:
    """Prints a reply in the wanted form; None is an interrupted call."""
    if reply is None:
        return INTERRUPTED
    if given.json:
        answer(reply.text + "\n")
    else:
        from actors.command_line.text_rendering import readable

        answer(readable(reply.envelope, _style(given)))
    return NOT_OK if reply.is_error or _lacks_map(reply) else OK


_ROWS = {"markdown": "compact", "sarif": "full"}
"""The form of rows that each format needs."""


def _review(reply: Reply, given: Namespace, shape: str, command: str) -> int:
    """Prints the reply of a command of `REVIEWED` in a review format, and fails on the named conditions."""
    from importlib.metadata import version

    if command == "unused":
        from actors.command_line.reviews.unused import failures, markdown, sarif
    elif command == "findings":
        from actors.command_line.reviews.findings import failures, markdown, sarif
    else:
        from actors.command_line.reviews.review import failures, markdown, sarif

    code = NOT_OK if reply.is_error else OK
    if shape == "markdown":
        answer(markdown(reply.envelope))
    elif shape == "sarif":
        answer(sarif(reply.envelope, version("codemap")))
    else:
        code = _show(reply, given)
    found = [] if reply.is_error else failures(reply.envelope.get("data", reply.envelope), given.fail_on)
    for sentence in found:
        complain(f"{sentence}.")
    return NOT_OK if found else code


def _build(given: Namespace, root: str, configured: Configured) -> int:
    """Builds the map, and reports or exports it."""
    from actors.command_line.one_command import Shown, built
    from actors.messaging.messages import Unavailable

    found = built(root, configured, Shown.ALWAYS if given.command == "index" else Shown.ON_A_TERMINAL)
    if found is None:
        return INTERRUPTED
    if isinstance(found, Unavailable):
        complain(found.reason)
        return NOT_OK
    if given.command == "index":
        from actors.command_line.index_report import report

        answer(report(found, root, _style(given)))
    else:
        from actors.command_line.export import Listed, export

        export(Listed(given.listed), found.published.snapshot, given.candidates)
    return OK


def _lacks_map(reply: Reply) -> bool:
    """Whether the reply says that there is no map."""
    return reply.envelope.get("data", reply.envelope).get("built") is False


def _style(given: Namespace) -> Style:
    from actors.command_line.display.terminal import style_of

    return style_of(width(), os.environ, given.color)


def _languages() -> tuple[str, ...]:
    from codemap.languages import languages

    return tuple(language.name for language in languages())


def _programs() -> frozenset[str]:
    """Lists the names for the setting `server_programs`: servers, and programs that they need."""
    from codemap.languages import languages

    servers = [server for language in languages() for server in language.servers]
    return frozenset(
        name
        for server in servers
        for name in (server.name, *server.entry.runtimes, *(companion.name for companion in server.companions))
        if "/" not in name
    )


if __name__ == "__main__":
    sys.exit(main())
