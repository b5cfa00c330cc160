"""One visit of codemap to the repository of traps: its whole command line, or a whole conversation, under `strace`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import msgspec
import psutil
import trio

from actors.command_line.subcommands import COMMANDS
from codemap.tools import TOOLS, schema_of
from tests.system.process import Server
from tests.system.traps.environment import Environment, Seen, environment_with_witness
from tests.system.traps.planted import Mark
from tests.system.traps.traced import Event, events, strace, strace_variables

TIMEOUT_S = 400
"""Of a command or a conversation under `strace`, on a machine with much else to do."""
INTERRUPTED = MappingProxyType({"view": 2})
"""Commands that go on until they are interrupted, and how many lines they print when they have done what they do."""
AT_A_TIME = 2
"""Commands: there are two cores where the tests run at least."""

FUNCTION = "py:greetings.py#greeting_of"
ARGUMENTS: Mapping[str, Any] = {
    "nodeId": FUNCTION,
    "nodeIds": [FUNCTION],
    "query": "greet",
    "from": "py:everybody.py#everybody",
    "to": "py:greetings.py#Greeter.greet",
    "direction": "outgoing",
    "newName": "welcome_of",
    "file": "greetings.py",
}
"""Values of parameters that a tool cannot do without."""
CHOSEN: Mapping[str, Mapping[str, Any]] = {
    "map_impact": {"file": "greetings.py"},
    "map_metrics": {"scope": "greetings.py"},
    "map_unused": {"tier": "possible"},
    "map_findings": {"run": "ruff"},
    "map_history": {"nodeId": FUNCTION},
    "map_context": {"task": "greet somebody; greetings.py:6"},
    "nav_rename": {"apply": True},
    "nav_diagnostics": {"base": "HEAD", "dependents": 200},
    "map_code": {"include": ["callees", "callers", "types", "imports", "tests"]},
}
"""Arguments of tools that take one of several, or show more when asked for it."""
NAMED: Mapping[str, str] = {"id": FUNCTION, "path": "greetings.py", "query": "greet"}
"""Values of variables in the URIs of resources; the server completes the others."""
PLACES = (
    ("greetings.py", 6, 5),
    ("web/hello.ts", 1, 17),
    ("projects/native/hello.c", 1, 5),
    ("projects/golang/hello.go", 5, 6),
    ("projects/toolchain/newer.go", 3, 6),
    ("projects/java/src/main/java/Hello.java", 1, 19),
    ("projects/rust/src/lib.rs", 1, 8),
    ("projects/ruby/hello.rb", 1, 5),
    ("projects/php/hello.php", 2, 10),
    ("projects/dotnet/Hello.cs", 1, 19),
    ("projects/java/src/main/kotlin/Hello.kt", 1, 5),
)
"""A definition in each language that has servers."""


class Visitor(msgspec.Struct, frozen=True):
    """How codemap comes to the repository."""

    mark: Mark
    environment: Environment
    root: Path
    """What is given as the root, or what it stands in."""
    folder: Path
    """The working folder."""
    variables: Mapping[str, str]
    home: Path
    """Where its caches, its runtime folder and what it is told to write are."""

    def argv(self, log: Path, words: Sequence[str]) -> list[str]:
        """The command line of a command, traced. Where it stands in the repository, that is the root by itself.

        From outside, Python's variables lead into the root, so that the first process must be told not to follow them.
        """
        is_named = words[0] != "token" and (self.folder != self.root or self.root != self.mark.root)
        rooted = ["--root", str(self.root)] if is_named else []
        python = [str(self.environment.python), "-I"] if self.folder != self.root else []
        return [*strace(log), *python, str(self.environment.codemap), *words, *rooted]


class Ended(msgspec.Struct, frozen=True):
    """A command that ended."""

    words: tuple[str, ...]
    code: int
    out: str
    log: str


class Report(msgspec.Struct, frozen=True):
    """What was witnessed in a visit."""

    failure: str
    """Why it did not come to its end; empty: it did."""

    visitor: Visitor
    events: tuple[Event, ...]
    sprung: tuple[str, ...]
    seen: Seen
    answers: Mapping[str, Any]
    """By what was asked: of commands how they ended, of requests the answer."""


def visitor(
    folder: Path, mark: Mark, *, root: Path, within: Path, path: Sequence[str], programs: Mapping[str, Path] = {}
) -> Visitor:
    """A visitor whose search path is `path`; what Python goes by leads into the root where the visitor is not there."""
    home = folder / "home"
    for name in ("cache", "runtime", "config", "state", "data", "tmp"):
        (home / name).mkdir(parents=True, mode=0o700)
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CODEMAP_", "PYTHON", "GIT_", "XDG_", "NODE_"))
    }
    variables = {
        **inherited,
        **strace_variables(),
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_RUNTIME_DIR": str(home / "runtime"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_DATA_HOME": str(home / "data"),
        "TMPDIR": str(home / "tmp"),
        "PATH": os.pathsep.join(path),
    }
    if within != root:
        variables |= {
            "PYTHONPATH": os.pathsep.join(["", str(root), "."]),
            "PYTHONSTARTUP": str(root / ".pythonrc"),
            "PYTHONUSERBASE": str(root / ".venv"),
        }
    return Visitor(mark, environment_with_witness(folder, mark.root, programs), root, within, variables, home)


def run_commands(visitor: Visitor, commands: Sequence[str] = tuple(COMMANDS)) -> Report:
    """Commands in each of their forms, a few at a time."""
    logs = visitor.home.parent / "traces"
    logs.mkdir()
    calls = [(name, words) for name in commands for words in words_of(name)]

    def run(number: int, words: Sequence[str]) -> Ended:
        process = subprocess.Popen(
            visitor.argv(logs / f"{number}.txt", words),
            cwd=visitor.folder,
            env=dict(visitor.variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                said = _until_interrupted(process, INTERRUPTED.get(words[0], 0))
                out, log = process.communicate(timeout=TIMEOUT_S)
            finally:
                process.kill()
        return Ended(tuple(words), process.returncode, said + out, log)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        running = [pool.submit(run, number, words) for number, (_, words) in enumerate(calls)]
    ended = {" ".join(words): done.result() for (_, words), done in zip(calls, running, strict=True)}
    return _report(visitor, logs, ended, "")


def _until_interrupted(process: subprocess.Popen[str], lines: int) -> str:
    """The first lines that a traced command prints, after which it is interrupted; where none are wanted, it is not."""
    assert process.stdout is not None
    said = "".join(process.stdout.readline() for _ in range(lines))
    if lines:
        for program in psutil.Process(process.pid).children():
            program.send_signal(signal.SIGINT)
    return said


def watch(visitor: Visitor, *argv: str) -> Report:
    """What any program is seen to do there."""
    logs = visitor.home.parent / "traces"
    logs.mkdir()
    done = subprocess.run(
        [*strace(logs / "0.txt"), *argv],
        cwd=visitor.folder,
        env=dict(visitor.variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return _report(visitor, logs, {"it": Ended(argv, done.returncode, done.stdout, done.stderr)}, "")


def words_of(command: str) -> list[list[str]]:
    """The command lines that show a command at work: more than one where they start other programs, as all that a tool
    can be asked for is shown by conversations."""
    own = {
        "serve": [["serve", "--share", "off"]],
        "connect": [["connect", "--linger-s", "0"]],
        "token": [["token"]],
        "index": [["index"]],
        "doctor": [["doctor"]],
        "trust": [["trust", "--list"]],
        "usage": [["usage"]],
        "diff": [["diff"], ["diff", "--staged"]],
        "impact": [["impact", "--file", "greetings.py"]],
        "findings": [["findings", "--run", "ruff"], ["findings", "--run", "bandit"]],
        "diagnostics": [["diagnostics", "greetings.py", "web/hello.ts"], ["diagnostics", "--base", "HEAD"]],
        "unused": [["unused", "--tier", "possible"]],
        "context": [["context", "greet", "somebody"]],
        "code": [["code", FUNCTION, "--detail", "skeleton", "--callees", "--imports"]],
        "export": [["export", "--edges"]],
        "snapshot": [["snapshot", "pull"], ["snapshot", "push"]],
        "view": [["view"]],
    }
    if command in own:
        return own[command]
    [tool] = [tool for tool in TOOLS if tool.command == command]
    schema = schema_of(tool)
    required = [str(ARGUMENTS[name]) for name in schema.get("required", ())]
    is_placed = schema["properties"].keys() >= {"nodeId", "file", "line", "col"}
    return [[command, *required, *([FUNCTION] if is_placed else [])]]


def converse(visitor: Visitor, *words: str) -> Report:
    """A whole conversation over stdio: all tools, resources, prompts and completions."""
    logs = visitor.home.parent / "traces"
    logs.mkdir()
    answers: dict[str, Any] = {}
    failure = ""
    try:
        trio.run(_converse, visitor, logs / "0.txt", words, answers)
    except* (trio.TooSlowError, AssertionError, KeyError, BrokenPipeError) as errors:
        failure = repr(errors.exceptions)
    return _report(visitor, logs, answers, failure)


async def _converse(visitor: Visitor, log: Path, words: Sequence[str], answers: dict[str, Any]) -> None:
    async with trio.open_nursery() as nursery:
        process = await trio.lowlevel.open_process(
            visitor.argv(log, words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=visitor.folder,
            env=visitor.variables,
        )
        server = Server(process)
        nursery.start_soon(server.read)
        nursery.start_soon(server.read_log)
        try:
            with trio.fail_after(TIMEOUT_S):
                await _ask_everything(server, answers)
                assert process.stdin is not None
                await process.stdin.aclose()
                await process.wait()
        finally:
            answers["log"] = server.log
            for one in reversed(server.family() if process.returncode is None else []):
                with suppress(psutil.NoSuchProcess):
                    one.kill()
            nursery.cancel_scope.cancel()


async def _ask_everything(server: Server, answers: dict[str, Any]) -> None:
    async def ask(method: str, **params: Any) -> Any:
        said = await server.request(method, **params)
        answers[f"{method} {json.dumps(params)}"] = said
        return said["result"]

    await server.initialize()
    calls = [
        (tool["name"], arguments)
        for tool in (await ask("tools/list"))["tools"]
        for arguments in arguments_of(tool["name"], tool["inputSchema"])
    ]
    for tool, arguments in sorted(calls, key=_turn):
        await ask("tools/call", name=tool, arguments=arguments)
    for resource in (await ask("resources/list"))["resources"]:
        await ask("resources/subscribe", uri=resource["uri"])
        await ask("resources/read", uri=resource["uri"])
    for template in (await ask("resources/templates/list"))["resourceTemplates"]:
        pattern = uri = template["uriTemplate"]
        for name in re.findall(r"{(\w+)}", pattern):
            reference = {"type": "ref/resource", "uri": pattern}
            said = await ask("completion/complete", ref=reference, argument={"name": name, "value": ""})
            value = NAMED.get(name) or said["completion"]["values"][0]
            uri = uri.replace(f"{{{name}}}", quote(value, safe=""))
        await ask("resources/read", uri=uri)
    for prompt in (await ask("prompts/list"))["prompts"]:
        given = {argument["name"]: FUNCTION for argument in prompt.get("arguments", ())}
        await ask("prompts/get", name=prompt["name"], arguments=given)


def _turn(call: tuple[str, Mapping[str, Any]]) -> tuple[bool, str]:
    """Orders calls: the whole map first, which others need, then by file, so that each language server is started
    once."""
    return call[0] != "map_rebuild", str(call[1].get("file", ""))


def arguments_of(tool: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The arguments of calls that show a tool at work: once for each way to say where, with all that can be on."""
    required = {name: ARGUMENTS[name] for name in schema.get("required", ())} | dict(CHOSEN.get(tool, {}))
    flags = {name: True for name, prop in schema["properties"].items() if prop.get("type") == "boolean"}
    if schema["properties"].keys() >= {"nodeId", "file", "line", "col"}:
        places = [{"file": file, "line": line, "col": col} for file, line, col in PLACES]
        return [required | flags | place for place in ({"nodeId": FUNCTION}, *places)]
    if "file" in required:
        return [required | flags | {"file": file} for file, _, _ in PLACES]
    return [required, required | flags] if flags else [required]


def _report(visitor: Visitor, logs: Path, answers: Mapping[str, Any], failure: str) -> Report:
    return Report(
        failure,
        visitor,
        tuple(event for log in sorted(logs.iterdir()) for event in events(log, str(visitor.folder))),
        tuple(visitor.mark.sprung()),
        visitor.environment.seen(),
        answers,
    )
