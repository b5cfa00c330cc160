"""Whole sessions with real servers, replayed: what is sent is what was sent, what is understood is written down here.

`transcripts/*.jsonl` hold one message a line, with the side that said it. Long log texts and the options of
registrations are shortened, paths are made up; nothing else is changed. The requests of `initialize` are not compared:
what codemap announces may grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from codemap.live_queries import (
    At,
    CallItem,
    CallLink,
    CallRoots,
    CallsFrom,
    CallsTo,
    Definition,
    Hover,
    Implementations,
    LiveQuestion,
    Named,
    Outline,
    Place,
    References,
    WorkspaceSymbols,
)
from codemap.lsp.errors import ServerError, Unsupported
from codemap.lsp.events import Answered, BecameReady, Event, Initialized, Logged, Progressed
from codemap.lsp.frames import frame
from codemap.lsp.places import place
from codemap.lsp.positions import Lines
from codemap.lsp.server import AfterMessage, Cancel, Server
from codemap.lsp.session import Session
from codemap.lsp.state import State
from tests.lsp.peer import record, said

FOLDER = Path(__file__).parent / "transcripts"
ROOT = "/project"

PYTHON_FILES = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "0"\n',
    "shop/__init__.py": "",
    "shop/store.py": (
        'class Store:\n    """Keeps things."""\n\n    def put(self, name: str) -> int:\n        return len(name)\n\n\n'
        "class Deep(Store):\n    def put(self, name: str) -> int:\n        return 2\n\n\n"
        "def make() -> Store:\n    return Store()\n"
    ),
    "shop/sell 1.py": (
        "from nowhere import gone\n\nfrom shop.store import make\n\n\ndef sell() -> None:\n"
        '    "😀"; make().put("é😀"); make().put("b")\n\n\ngone()\nsell()\n'
    ),
}
TS_FILES = {
    "tsconfig.json": '{"compilerOptions": {"strict": true}, "include": ["src"]}\n',
    "package.json": '{"name": "shop"}\n',
    "src/store.ts": (
        "export interface Put {\n  put(name: string): number;\n}\n\n"
        "export class Store implements Put {\n  put(name: string): number {\n    return name.length;\n  }\n}\n\n"
        "export function make(): Store {\n  return new Store();\n}\n"
    ),
    "src/sell.ts": (
        'import { gone } from "./nowhere";\nimport { make } from "./store";\n\nexport function sell() {\n'
        '  "😀"; make().put("é😀"); make().put("b");\n}\n\ngone();\nsell();\n'
    ),
}
NEW_FILES = {
    "shop/new.py": "from shop.store import make\n\nmake()\n",
    "src/new.ts": 'import { make } from "./store";\n\nmake();\n',
}
PYTHON_STEPS = (
    "definition shop/sell 1.py 7 18",
    "definition shop/sell 1.py 7 37",
    "definition shop/sell 1.py 10 1",
    "definition shop/store.py 4 9",
    "references shop/store.py 4 9",
    "implementations shop/store.py 4 9",
    "hover shop/sell 1.py 7 18",
    "outline shop/store.py",
    "symbols make",
    "roots shop/store.py 13 5",
    "to",
    "from",
    "created shop/new.py",
    "references shop/store.py 13 5",
)
TS_STEPS = (
    "definition src/sell.ts 5 16",
    "definition src/sell.ts 5 35",
    "definition src/sell.ts 8 1",
    "definition src/sell.ts 1 10",
    "definition src/store.ts 11 17",
    "references src/store.ts 6 3",
    "implementations src/store.ts 2 3",
    "hover src/sell.ts 5 16",
    "outline src/store.ts",
    "symbols make",
    "roots src/store.ts 11 17",
    "to",
    "from",
    "created src/new.ts",
    "references src/store.ts 11 17",
)

TY = record(name="ty", language_ids={".py": "python"})
PYRIGHT = record(
    name="basedpyright",
    language_ids={".py": "python"},
    readiness=AfterMessage(r"Found \d+ source files?|No source files found", settles_s=3.0),
    cancel=Cancel.FILE,
)
TSGO = record(name="typescript", language_ids={".ts": "typescript"})


def step_of(line: str) -> tuple[str, LiveQuestion | None]:
    """The kind of a step, and its question where it needs no earlier answer."""
    kind, _, rest = line.partition(" ")
    if kind == "outline":
        return kind, Outline(rest)
    if kind == "symbols":
        return kind, WorkspaceSymbols("xx", rest)
    if kind in {"to", "from", "created"}:
        return kind, None
    file, row, col = rest.rsplit(" ", 2)
    at = At(file, int(row), int(col))
    questions: dict[str, LiveQuestion] = {
        "definition": Definition(at),
        "references": References(at, with_declaration=True),
        "implementations": Implementations(at),
        "hover": Hover(at),
        "roots": CallRoots(at),
    }
    return kind, questions[kind]


class Driver:
    """Takes the steps of a session one by one; whoever drives it moves the messages."""

    def __init__(self, server: Server, files: Mapping[str, str]) -> None:
        self.session = Session(server, root=ROOT, process_id=7, version="0")
        self.texts = {file: Lines(text) for file, text in files.items()}
        self.answers: dict[str, str] = {}
        self.events: list[Event] = []
        self.function: CallItem | None = None
        self._asked: dict[int, str] = {}

    def take(self, line: str) -> None:
        """`definition FILE LINE COL` and the like; `to` and `from` ask about the function that `roots` found."""
        kind, question = step_of(line)
        match kind:
            case "created":
                file = line.partition(" ")[2]
                self.texts[file] = Lines(NEW_FILES[file])
                self.session.files_changed([file], [], [])
                return
            case "to" | "from":
                assert self.function is not None
                question = CallsTo(self.function) if kind == "to" else CallsFrom(self.function)
        assert question is not None
        at = getattr(question, "at", None)
        try:
            number = self.session.ask(question, "" if at is None else self.texts[at.file].line(at.line))
        except Unsupported as error:
            self.answers[line] = f"unsupported: {error}"
        else:
            self._asked[number] = line

    def receive(self, message: Any) -> None:
        for event in self.session.receive(frame(msgspec.json.encode(message))):
            self.events.append(event)
            if isinstance(event, Answered):
                result = event.result
                if isinstance(result, ServerError):
                    self.answers[self._asked[event.number]] = f"{result.fault.value}: {result.message}"
                    continue
                value = place(result, self.texts)
                self.answers[self._asked[event.number]] = show(value)
                if isinstance(result.question, CallRoots):
                    (self.function,) = value


def show(value: Any) -> str:
    match value:
        case str():
            return value
        case tuple():
            return " ".join(map(show, value))
        case Place():
            end = "" if value.end_line == value.line else f"{value.end_line}:"
            return f"{value.file}:{value.line}:{value.col}-{end}{value.end_col}"
        case Named():
            inner = f" ({show(value.children)})" if value.children else ""
            return f"{value.kind} {value.name} {show(value.place)}{inner}"
        case CallItem():
            return f"{value.kind} {value.name} {show(value.place)}"
        case CallLink():
            return f"{show(value.item)} <- {show(value.sites)}"
    raise AssertionError(value)


def replay(name: str, driver: Driver, steps: tuple[str, ...]) -> None:
    session, rest = driver.session, iter(steps)
    session.initialize()
    expected = said(session)
    for row in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        ((side, message),) = msgspec.json.decode(row).items()
        if side == "server":
            driver.receive(message)
            expected += said(session)
            continue
        while not expected:
            line = next(rest, None)
            if line is None:
                # The script is over; what is left to say is the farewell.
                session.exit() if session.state is State.CLOSING else session.shutdown()
            else:
                driver.take(line)
            expected += said(session)
        spoken = expected.pop(0)
        if message.get("method") == "initialize":
            spoken["params"] = message["params"]
        assert spoken == message
    assert not expected
    assert next(rest, None) is None
    assert session.state is State.CLOSED
    assert not session.pending


PYTHON_ANSWERS = {
    "definition shop/sell 1.py 7 18": "shop/store.py:4:9-12",
    "definition shop/sell 1.py 7 37": "shop/store.py:4:9-12",
    "definition shop/store.py 4 9": "shop/store.py:4:9-12",
    "implementations shop/store.py 4 9": "shop/store.py:4:9-12 shop/store.py:9:9-12",
    "symbols make": "function make shop/store.py:13:5-9",
    "roots shop/store.py 13 5": "function make shop/store.py:13:5-9",
    "to": "function sell shop/sell 1.py:6:5-9 <- shop/sell 1.py:7:11-15 shop/sell 1.py:7:30-34",
    "from": "class Store shop/store.py:1:7-12 <- shop/store.py:14:12-17",
}
TY_ANSWERS = PYTHON_ANSWERS | {
    "definition shop/sell 1.py 10 1": "shop/sell 1.py:1:21-25",  # an import that leads nowhere
    "references shop/store.py 4 9": "shop/store.py:4:9-12 shop/sell 1.py:7:18-21 shop/sell 1.py:7:37-40",
    "hover shop/sell 1.py 7 18": "```python\nbound method Store.put(name: str) -> int\n```",
    "outline shop/store.py": (
        "class Store shop/store.py:1:7-12 (method put shop/store.py:4:9-12) "
        "class Deep shop/store.py:8:7-11 (method put shop/store.py:9:9-12) "
        "function make shop/store.py:13:5-9"
    ),
    "references shop/store.py 13 5": (
        "shop/store.py:13:5-9 shop/new.py:1:24-28 shop/new.py:3:1-5 "
        "shop/sell 1.py:3:24-28 shop/sell 1.py:7:11-15 shop/sell 1.py:7:30-34"
    ),
}
PYRIGHT_ANSWERS = PYTHON_ANSWERS | {
    "definition shop/sell 1.py 10 1": "",
    "references shop/store.py 4 9": "shop/sell 1.py:7:18-21 shop/sell 1.py:7:37-40 shop/store.py:4:9-12",
    "hover shop/sell 1.py 7 18": "```python\n(method) def put(name: str) -> int\n```",
    "outline shop/store.py": (
        "class Store shop/store.py:1:7-12 "
        "(method put shop/store.py:4:9-12 (variable name shop/store.py:4:19-23)) "
        "class Deep shop/store.py:8:7-11 "
        "(method put shop/store.py:9:9-12 (variable name shop/store.py:9:19-23)) "
        "function make shop/store.py:13:5-9"
    ),
    "references shop/store.py 13 5": (
        "shop/sell 1.py:3:24-28 shop/sell 1.py:7:11-15 shop/sell 1.py:7:30-34 "
        "shop/store.py:13:5-9 shop/new.py:1:24-28 shop/new.py:3:1-5"
    ),
}
TSGO_ANSWERS = {
    "definition src/sell.ts 5 16": "src/store.ts:6:3-6",
    "definition src/sell.ts 5 35": "src/store.ts:6:3-6",
    "definition src/sell.ts 8 1": "src/sell.ts:1:10-14",  # an import that leads nowhere
    "definition src/sell.ts 1 10": "src/sell.ts:1:10-14",
    "definition src/store.ts 11 17": "src/store.ts:11:17-21",
    "references src/store.ts 6 3": "src/store.ts:2:3-6 src/store.ts:6:3-6 src/sell.ts:5:16-19 src/sell.ts:5:35-38",
    "implementations src/store.ts 2 3": "src/store.ts:6:3-6",
    "hover src/sell.ts 5 16": "```typescript\n(method) Store.put(name: string): number\n```",
    "outline src/store.ts": (
        "interface Put src/store.ts:1:18-21 (method put src/store.ts:2:3-6) "
        "class Store src/store.ts:5:14-19 (method put src/store.ts:6:3-6) "
        "function make src/store.ts:11:17-21"
    ),
    "symbols make": "function make src/store.ts:11:17-21",
    "roots src/store.ts 11 17": "function make src/store.ts:11:17-21",
    "to": "function sell src/sell.ts:4:17-21 <- src/sell.ts:5:9-13 src/sell.ts:5:28-32",
    "from": "class Store src/store.ts:5:14-19 <- src/store.ts:12:14-19",
    "references src/store.ts 11 17": (
        "src/store.ts:11:17-21 src/new.ts:1:10-14 src/new.ts:3:1-5 "
        "src/sell.ts:2:10-14 src/sell.ts:5:9-13 src/sell.ts:5:28-32"
    ),
}


@pytest.mark.parametrize(
    ("name", "server", "files", "steps", "answers"),
    [
        ("ty", TY, PYTHON_FILES, PYTHON_STEPS, TY_ANSWERS),
        ("basedpyright", PYRIGHT, PYTHON_FILES, PYTHON_STEPS, PYRIGHT_ANSWERS),
        ("tsgo", TSGO, TS_FILES, TS_STEPS, TSGO_ANSWERS),
    ],
    ids=["ty", "basedpyright", "tsgo"],
)
def test_a_session(
    name: str, server: Server, files: Mapping[str, str], steps: tuple[str, ...], answers: Mapping[str, str]
) -> None:
    driver = Driver(server, files)
    replay(name, driver, steps)
    assert driver.answers == answers


def test_what_was_negotiated() -> None:
    drivers = {
        name: Driver(server, files)
        for name, server, files in (
            ("ty", TY, PYTHON_FILES),
            ("basedpyright", PYRIGHT, PYTHON_FILES),
            ("tsgo", TSGO, TS_FILES),
        )
    }
    for name, driver in drivers.items():
        replay(name, driver, TS_STEPS if name == "tsgo" else PYTHON_STEPS)
    assert {
        name: (d.session.server_name, d.session.server_version, d.session.encoding.value) for name, d in drivers.items()
    } == {
        "ty": ("ty", "0.0.105", "utf-8"),
        "basedpyright": ("basedpyright", "1.40.2", "utf-16"),
        "tsgo": ("typescript-go", "7.0.2", "utf-8"),
    }


def test_pyright_was_loading_twice() -> None:
    """Once at the start, and once after a file was created."""
    driver = Driver(PYRIGHT, PYTHON_FILES)
    replay("basedpyright", driver, PYTHON_STEPS)
    story = [
        event.text if isinstance(event, Logged) else type(event).__name__
        for event in driver.events
        if isinstance(event, Initialized | BecameReady)
        or (isinstance(event, Logged) and event.text.startswith("Found"))
    ]
    assert story == ["Initialized", "Found 3 source files", "BecameReady", "Found 4 source files", "BecameReady"]
    assert {event.text for event in driver.events if isinstance(event, Progressed)} == {
        "Finding references",
        "Finding implementations",
        "",
    }
