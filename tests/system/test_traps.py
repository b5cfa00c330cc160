"""A repository in which every file that anything may run or import is a trap, visited by all of codemap.

The witnesses are the traps themselves, an audit hook in every Python process, and `strace` over the whole tree of
processes. Nothing of the repository may be run or imported, nothing may be written but where a user expects it, and
nothing may leave the machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from actors.command_line.subcommands import COMMANDS
from codemap.tools import TOOLS
from tests.system.servers import companions, programs
from tests.system.traps import violations
from tests.system.traps.git_traps import git, lazy_repository
from tests.system.traps.planted import Mark
from tests.system.traps.repository import SUBFOLDER, plant
from tests.system.traps.traced import Stillborn, events
from tests.system.traps.visit import Report, Visitor, converse, run_commands, visitor, watch

SERVERS = ("typescript", "clangd", "gopls")
"""On the search path; ty stands beside codemap."""
WITH_SERVERS = "with language servers"

VISITS = (
    "commands from inside",
    "commands from outside",
    "shared from inside",
    "stdio from outside",
    "stdio below",
    "connect from outside",
    WITH_SERVERS,
)
"""How codemap is started, and where. From outside, the variables that Python goes by lead into the root."""

_TOOLS = {tool.command for tool in TOOLS}
COMMANDS_OF: Mapping[str, Sequence[str]] = {
    "commands from inside": (
        *(command for command in COMMANDS if command not in _TOOLS),
        *("search", "impact", "findings", "diagnostics", "rename", "history", "context"),
    ),
    "commands from outside": ("serve", "connect", "token", "index", "doctor", "search", "diff", "findings", "history"),
}
"""Of the commands of tools some, from outside one for each way to start: what such a command does then is what its tool
does in a conversation."""


@pytest.fixture(scope="module")
def report_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Report]:
    """What was witnessed in a visit; each is made once."""
    reports: dict[str, Report] = {}

    def report(visit: str) -> Report:
        if visit not in reports:
            reports[visit] = _visit(visit, tmp_path_factory.mktemp("traps"))
        return reports[visit]

    return report


def _visit(visit: str, folder: Path) -> Report:
    mark = plant(folder)
    root = mark.root / SUBFOLDER if visit.endswith("below") else mark.root
    is_inside = visit.endswith(("inside", "below"))
    if visit == WITH_SERVERS:
        one = _visitor(folder, mark, root, servers=SERVERS, programs={"ty": programs("ty") / "ty"})
    else:
        one = _visitor(folder, mark, root, is_inside=is_inside)
    match visit.split()[0]:
        case "commands":
            return run_commands(one, COMMANDS_OF[visit])
        case "connect":
            return converse(one, "connect", "--linger-s", "0")
        case "shared":
            return converse(one, "serve")
        case _:
            return converse(one, "serve", "--share", "off")


def _visitor(
    folder: Path,
    mark: Mark,
    root: Path | None = None,
    *,
    is_inside: bool = True,
    servers: Sequence[str] = (),
    programs: Mapping[str, Path] = {},
) -> Visitor:
    root = root or mark.root
    outside = folder / "outside"
    outside.mkdir(exist_ok=True)
    within = root if is_inside and not servers else outside
    return visitor(folder, mark, root=root, within=within, path=_search_path(root, servers), programs=programs)


def _search_path(root: Path, servers: Sequence[str]) -> list[str]:
    """A search path that leads into the root first, in every way that one may."""
    inside = [
        ".",
        "",
        "bin",
        str(root),
        str(root / "bin"),
        str(root / ".venv" / "bin"),
        str(root / "node_modules/.bin"),
    ]
    beside = [str(path.parent) for server in servers for path in companions(server).values()]
    return [*inside, *(str(programs(server)) for server in servers), *beside, *os.defpath.split(os.pathsep)]


every_visit = pytest.mark.parametrize("visit", VISITS)


@every_visit
def test_no_trap_springs(report_of: Callable[[str], Report], visit: str) -> None:
    assert violations.sprung(report_of(visit)) == []


@every_visit
def test_python_takes_no_code_from_the_root(report_of: Callable[[str], Report], visit: str) -> None:
    assert violations.audited(report_of(visit)) == []


@every_visit
def test_no_interpreter_looks_for_modules_in_the_root(report_of: Callable[[str], Report], visit: str) -> None:
    assert violations.interpreters(report_of(visit)) == []


@every_visit
def test_no_program_of_the_root_is_started(report_of: Callable[[str], Report], visit: str) -> None:
    assert violations.programs(report_of(visit)) == []


@every_visit
def test_nothing_is_written_where_no_user_expects_it(report_of: Callable[[str], Report], visit: str) -> None:
    assert violations.written(report_of(visit)) == []


@every_visit
def test_nothing_leaves_the_machine(report_of: Callable[[str], Report], visit: str) -> None:
    assert violations.reached(report_of(visit)) == []


@every_visit
def test_no_process_is_without_a_witness(report_of: Callable[[str], Report], visit: str) -> None:
    report = report_of(visit)
    assert violations.unseen(report) == []
    assert len(report.seen.processes) > 1, "workers are processes of their own"


ALWAYS_ANSWERED = {
    *("serve", "token", "index", "doctor", "export", "overview", "search", "neighbors", "path", "rebuild", "status"),
    *("symbols", "resolve"),
}
"""Commands that end well without a language server and without a service."""


@pytest.mark.parametrize("visit", [visit for visit in VISITS if visit.startswith("commands")])
def test_every_command_has_done_its_work(report_of: Callable[[str], Report], visit: str) -> None:
    answers = report_of(visit).answers
    assert {words.split()[0] for words in answers} == set(COMMANDS_OF[visit])
    for words, ended in answers.items():
        assert ended.code in (0, 1), ended
        assert "Traceback" not in ended.log, ended
        assert ended.code == 0 or words.split()[0] not in ALWAYS_ANSWERED, ended
    assert "greetings.py#Greeter.greet" in answers["search greet"].out


@pytest.mark.parametrize("visit", [visit for visit in VISITS if not visit.startswith("commands")])
def test_every_request_was_answered(report_of: Callable[[str], Report], visit: str) -> None:
    report = report_of(visit)
    assert report.failure == ""
    answers = dict(report.answers)
    assert "Traceback" not in answers.pop("log")
    assert all("result" in answer for answer in answers.values())
    found = answers['tools/call {"name": "map_search", "arguments": {"query": "greet"}}']["result"]
    assert "greetings.py#Greeter.greet" in str(found["structuredContent"]["data"])


def test_the_language_servers_were_at_work(report_of: Callable[[str], Report]) -> None:
    """As far as the answers say who gave them; the others refuse to answer about traps."""
    answers = report_of(WITH_SERVERS).answers
    found = [
        answer["result"]["structuredContent"]["data"]["source"].split()[0]
        for asked, answer in answers.items()
        if asked.startswith('tools/call {"name": "nav_definition"')
        if answer["result"]["structuredContent"]["ok"]
    ]
    assert set(found) >= {"ty", *SERVERS}


@pytest.mark.parametrize("command", ["index", "doctor"])
def test_what_git_would_fetch_is_not_fetched(tmp_path: Path, command: str) -> None:
    """A sparse checkout without its trees makes git ask a remote for them, which is a program of the repository."""
    mark = Mark(tmp_path / "sprung.txt", tmp_path / "root")
    lazy_repository(mark)
    git(mark.root, "ls-files")
    assert mark.sprung(), "unless it is told not to"
    mark.file.unlink()
    report = run_commands(_visitor(tmp_path, mark), [command])
    assert violations.sprung(report) == violations.programs(report) == violations.reached(report) == []


def test_the_witnesses_see(tmp_path: Path) -> None:
    """Who does all that codemap must not do is found out, by each of them."""
    mark = Mark(tmp_path / "sprung.txt", tmp_path / "root")
    mark.module("shelve.py")
    mark.program("bin/rg")
    one = _visitor(tmp_path, mark)
    code = """
import os, socket, subprocess, sys
try:
    import shelve
except ImportError:
    pass
subprocess.run([sys.argv[1]])
subprocess.run([sys.executable, "-c", "pass"])
subprocess.run([sys.executable, "-I", "-S", "-c", "import sys; sys.path.insert(0, '.'); import shelve"])
open("in_root.txt", "w")
open(os.environ["HOME"] + "/elsewhere.txt", "w")
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.1", 9))
"""
    report = watch(one, str(one.environment.python), "-c", code, str(mark.root / "bin" / "rg"))
    module, program = f"module shelve {mark.root}/shelve.py", f"program {mark.root}/bin/rg "
    assert mark.sprung() == [line.replace(f"{mark.root}/", "") for line in (module, program, module)]
    audited = [line.rpartition(": ")[2] for line in violations.audited(report)]
    assert f"executes {mark.root}/shelve.py" in audited
    assert {"looks for modules in ['']", "looks for modules in ['.']"} <= set(audited), (
        "the other is isolated otherwise"
    )
    assert f"starts '{mark.root}/bin/rg'" in audited
    python = one.environment.python
    assert f"runs in {mark.root}: {python} -c pass" in violations.interpreters(report)
    assert violations.programs(report) == [f"starts {mark.root}/bin/rg"]
    written = [line.rpartition(": ")[2] for line in violations.written(report)]
    assert {f"openat {mark.root}/in_root.txt", f"openat {one.home}/elsewhere.txt"} <= set(written)
    assert [line.rpartition(" ")[2] for line in violations.reached(report)] == ["127.0.0.1:9"]
    assert violations.unseen(report) == []


def test_only_what_was_killed_before_it_ran_code_needs_no_witness(tmp_path: Path) -> None:
    begins = 'execve("/e/python", ["/e/python", "-c", "pass"], 0x7f /* 3 vars */) = 0'
    encodings, witness, site = (
        f'openat(AT_FDCWD</w>, "/e/lib/{name}", O_RDONLY|O_CLOEXEC) = 3</e/lib/{name}>'
        for name in ("encodings/__pycache__/aliases.cpython-311.pyc", "trap_witness.py", "site.py")
    )
    killed, ended = "+++ killed by SIGKILL +++", "+++ exited with 0 +++"
    lives = {
        4: [begins],
        5: [begins, killed],
        6: [begins, encodings, killed],
        7: [begins, encodings, witness, killed],
        8: [begins, encodings, witness, site, killed],
        9: [begins, encodings, ended],
    }
    trace = tmp_path / "trace.txt"
    trace.write_text("".join(f"{process} {line}\n" for process, lines in lives.items() for line in lines))
    assert [event.process for event in events(trace, "/w") if isinstance(event, Stillborn)] == [4, 5, 6, 7]
